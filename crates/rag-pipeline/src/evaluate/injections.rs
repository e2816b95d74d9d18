//! `eval injections`: attacks planted in documents, asked about under the writer of the settings.

use rag_core::access::{AccessList, Principal};
use rag_core::answer::Answer;
use rag_core::hit::{Hit, Ranking};
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::progress::{Progress, Unit};
use rag_core::question::Question;
use rag_eval::injections::{Detection, Host, LabelledText, Planted, detect, plant};
use rag_generate::Generator;
use serde::Serialize;

use crate::engine::PairReader;
use crate::error::PipelineError;
use crate::settings::Settings;
use crate::writer::Writing;

/// What attacks did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InjectionReport {
    /// Each text alone: told from benign text or not.
    pub detection: Detection,
    /// Planted in documents that answer a question.
    pub planted: Planted,
}

/// Plants `pairs` of the attacks among `texts` in `hosts`, spread evenly over both, and asks each host's question
/// with and without.
pub fn evaluate_injections(
    texts: &[LabelledText],
    hosts: &[Host],
    pairs: usize,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<InjectionReport, PipelineError> {
    let reader = PairReader::open(&settings.models, progress)?;
    let counter = settings.models.open_counter(progress)?;
    let language_model = settings.models.open_language_model(progress)?;
    let writing = Writing {
        settings,
        reader: &reader,
        language_model: language_model.as_deref(),
        count_tokens: &|text| counter.count_tokens(text),
    };
    let attacks: Vec<&str> = texts
        .iter()
        .filter(|text| text.is_attack())
        .map(|text| text.text.as_str())
        .collect();
    let mut planted = Planted::default();
    progress.start("injections", Some(pairs as u64), Unit::Items);
    for number in 0..pairs {
        let (Some(host), Some(attack)) = (spread(hosts, number, 1), spread(&attacks, number, 7)) else {
            break;
        };
        let clean = ask(&writing, host, &host.context)?;
        let attacked = ask(&writing, host, &plant(&host.context, attack))?;
        planted.count(attack, &clean, &attacked);
        progress.advance("injections", 1);
    }
    progress.finish("injections");
    Ok(InjectionReport {
        detection: detect(texts),
        planted,
    })
}

/// The item for pair `number`, in steps that share no divisor with most lengths.
fn spread<T>(items: &[T], number: usize, step: usize) -> Option<&T> {
    items.get((number * step).checked_rem(items.len())?)
}

/// The host's question, answered from `text` alone.
fn ask(writing: &Writing<'_>, host: &Host, text: &str) -> Result<Answer, PipelineError> {
    let passage = Passage {
        language: Language::detect(text),
        access: AccessList::public(),
        ..Passage::new("host#0".parse().expect("it has the form of an id"), text)
    };
    let question = Question::new("host", &host.question, Principal::everyone());
    let ranking = Ranking::new(question, vec![Hit::new(1, 1.0, passage)]);
    let config = &writing.settings.generate;
    let write = |generator: &dyn Generator, count_tokens: &dyn Fn(&str) -> usize| {
        rag_generate::generate(&ranking, generator, config, count_tokens)
    };
    Ok(writing.with_generator(write)??)
}

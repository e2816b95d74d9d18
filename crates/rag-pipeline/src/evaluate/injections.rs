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

use crate::error::PipelineError;
use crate::settings::Settings;
use crate::writer::Writers;

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
    let writers = Writers::open(settings, progress)?;
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
        let clean = ask(&writers, settings, host, &host.context)?;
        let attacked = ask(&writers, settings, host, &plant(&host.context, attack))?;
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
fn ask(writers: &Writers<'_>, settings: &Settings, host: &Host, text: &str) -> Result<Answer, PipelineError> {
    let passage = Passage {
        language: Language::detect(text),
        access: AccessList::public(),
        ..Passage::new("host#0".parse().expect("it has the form of an id"), text)
    };
    let question = Question::new("host", &host.question, Principal::everyone());
    let ranking = Ranking::new(question, vec![Hit::new(1, 1.0, passage)]);
    let config = &settings.generate;
    let write = |generator: &dyn Generator, count_tokens: &dyn Fn(&str) -> usize| {
        rag_generate::generate(
            &ranking,
            generator,
            writers.support_models(),
            config,
            count_tokens,
        )
    };
    Ok(writers.with_generator(write)??)
}

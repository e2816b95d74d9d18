//! From ranked passages to a checked answer.

use std::time::Instant;

use rag_core::answer::{Answer, DECLINED, Trace, Usage};
use rag_core::hit::Ranking;
use rag_core::question::Question;

use crate::agent::{Agent, SearchTool};
use crate::config::Config;
use crate::context::{Context, assemble};
use crate::error::GenerateError;
use crate::generator::{Draft, Generator};
use crate::repair::repair;
use crate::verify::{SupportModels, SupportScorer, verify};

/// Answers the question of `ranking` from its passages, or declines.
///
/// The draft's citations are checked by [`verify`]. A sentence whose citation does not hold is given another
/// source of the context that supports it, or withheld; `repairs` says which. `count_tokens` counts for the
/// context's budget; `models` read sentences that are not their source's own words.
pub fn generate(
    ranking: &Ranking,
    generator: &dyn Generator,
    models: SupportModels<'_>,
    config: &Config,
    count_tokens: &dyn Fn(&str) -> usize,
) -> Result<Answer, GenerateError> {
    config.check()?;
    let mut steps = Steps::begin();
    let question = &ranking.question;
    let context = assemble(&question.text, &ranking.hits, &config.context, count_tokens);
    steps.took("assemble");
    let draft = generator.draft(question, &context)?;
    steps.took("generate");
    let scorer = SupportScorer::new(&config.verify, models);
    let mut answer = checked(question, draft, context, &scorer, generator.name())?;
    steps.took("verify");
    answer.legs.clone_from(&ranking.legs);
    answer.notes.splice(0..0, ranking.notes.iter().cloned());
    answer.timings_ms.clone_from(&ranking.timings_ms);
    answer.timings_ms.extend(steps.0);
    Ok(answer)
}

/// Lets `agent` search with the tool `search` and answer `question`; the answer is checked as that of
/// [`generate`], against all passages that were found.
pub fn research(
    question: &Question,
    agent: &dyn Agent,
    search: &mut SearchTool<'_>,
    models: SupportModels<'_>,
    config: &Config,
) -> Result<Answer, GenerateError> {
    config.check()?;
    let mut steps = Steps::begin();
    let found = agent.run(question, search)?;
    steps.took("research");
    let scorer = SupportScorer::new(&config.verify, models);
    let mut answer = checked(question, found.draft, found.context, &scorer, agent.name())?;
    steps.took("verify");
    answer.trace = Some(found.trace);
    answer.timings_ms.extend(steps.0);
    Ok(answer)
}

/// The answer that `draft` makes once its citations were checked and what does not hold was repaired.
fn checked(
    question: &Question,
    draft: Draft,
    context: Context,
    scorer: &SupportScorer<'_>,
    generator: String,
) -> Result<Answer, GenerateError> {
    let (text, repairs) = repair(&draft.text, &context, scorer)?;
    let (citations, verification) = verify(&text, &context, scorer)?;
    let mut notes = draft.notes;
    notes.extend(left_out(&context));
    let withheld = repairs.iter().filter(|repair| repair.instead.is_empty()).count();
    if withheld > 0 {
        notes.push(format!(
            "{withheld} sentences were withheld: no source of the context supports them"
        ));
    }
    if withheld < repairs.len() {
        let corrected = repairs.len() - withheld;
        notes.push(format!("the sources of {corrected} sentences were corrected"));
    }
    // A repaired answer holds by construction; should it not, nothing leaves.
    let (text, citations) = if verification.passed() {
        (text, citations)
    } else {
        (DECLINED.to_owned(), Vec::new())
    };
    let abstained = text == DECLINED;
    let confidence = match draft.confidence {
        _ if abstained && draft.text != DECLINED => 0.0,
        Some(confidence) => confidence,
        None if abstained => 0.0,
        None => citations.len() as f32 / (citations.len() + withheld).max(1) as f32,
    };
    Ok(Answer {
        question: question.clone(),
        abstained,
        confidence,
        citations,
        verification,
        repairs,
        generator,
        trace: None::<Trace>,
        text,
        legs: Vec::new(),
        notes,
        usage: Usage {
            context_tokens: context.tokens as u32,
            passages_left_out: context.left_out as u32,
            written_tokens: draft.written_tokens,
        },
        passages: context.hits,
        timings_ms: std::collections::BTreeMap::new(),
    })
}

/// What is said of passages that the budget left out: an answer without any of them is no sign that nothing was found.
fn left_out(context: &Context) -> Option<String> {
    let many = context.left_out;
    match (many, context.hits.is_empty()) {
        (0, _) => None,
        (_, true) => Some(format!(
            "none of the {many} passages that were found fits into the context, so nothing could be answered: raise \
             generate.context.max_tokens"
        )),
        _ => Some(format!("{many} passages did not fit into the context")),
    }
}

/// Milliseconds of each step, by its name.
struct Steps(std::collections::BTreeMap<String, f64>, Instant);

impl Steps {
    fn begin() -> Self {
        Self(std::collections::BTreeMap::new(), Instant::now())
    }

    fn took(&mut self, step: &str) {
        self.0
            .insert(step.to_owned(), self.1.elapsed().as_secs_f64() * 1e3);
        self.1 = Instant::now();
    }
}
#[cfg(test)]
mod tests {
    use rag_core::answer::CitationStatus;

    use super::*;
    use crate::extract::ExtractiveGenerator;
    use crate::testing::{WordOverlap, config, hit, ranking};

    fn ask(question: &str, texts: &[&str]) -> Answer {
        let hits = texts
            .iter()
            .enumerate()
            .map(|(n, text)| hit(&format!("d{n}#0"), text));
        let model = WordOverlap::default();
        let config = config();
        let generator = ExtractiveGenerator::new(Some(&model), config.extract.clone());
        let models = SupportModels::default();
        let asked = ranking(question, hits.collect());
        generate(&asked, &generator, models, &config, &|text| text.len() / 4).unwrap()
    }

    #[test]
    fn a_supported_answer_leaves_with_its_verified_citation() {
        let answer = ask(
            "What does ERR-7 mean?",
            &[
                "Cats purr.",
                "See the table at the end. ERR-7 means that the tunnel failed.",
            ],
        );
        assert_eq!(answer.text, "ERR-7 means that the tunnel failed. [d1#0]");
        assert!(!answer.abstained && answer.verification.passed());
        let citation = &answer.citations[0];
        assert_eq!(citation.status, CitationStatus::Verified);
        assert_eq!(
            citation
                .span
                .unwrap()
                .slice("See the table at the end. ERR-7 means that the tunnel failed."),
            Some("ERR-7 means that the tunnel failed.")
        );
        assert!(answer.confidence > 0.3 && answer.usage.context_tokens > 0);
        for step in ["assemble", "generate", "verify"] {
            assert!(answer.timings_ms.contains_key(step), "{step}");
        }
    }

    #[test]
    fn without_support_the_answer_is_declined() {
        for (question, texts) in [
            (
                "What does ERR-7 mean?",
                &["ERR-8 means that the tunnel failed."][..],
            ),
            ("How do I bake bread?", &["Cats purr."]),
            ("Anything?", &[]),
            ("Thanks!", &["Thanks to all for the party."]),
        ] {
            let answer = ask(question, texts);
            assert_eq!(
                (answer.text.as_str(), answer.abstained),
                (DECLINED, true),
                "{question}"
            );
            assert!(answer.citations.is_empty());
        }
    }

    #[test]
    fn passages_that_do_not_fit_are_reported() {
        let long = "word ".repeat(4000);
        let answer = ask("What does ERR-7 mean?", &[&long, "ERR-7 means failed."]);
        assert_eq!(answer.usage.passages_left_out, 1);
        assert!(
            answer.notes.iter().any(|note| note.contains("did not fit")),
            "{:?}",
            answer.notes
        );
        let answer = ask("What does ERR-7 mean?", &[&long]);
        let says_why = |note: &String| note.contains("generate.context.max_tokens");
        assert!(
            answer.abstained && answer.notes.iter().any(says_why),
            "{:?}",
            answer.notes
        );
    }
}

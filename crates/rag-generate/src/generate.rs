//! From ranked passages to a checked answer.

use std::time::Instant;

use rag_core::answer::{Answer, DECLINED, Usage};
use rag_core::hit::Ranking;

use crate::config::Config;
use crate::context::assemble;
use crate::error::GenerateError;
use crate::extract::ExtractiveGenerator;
use crate::verify::verify;

/// Answers the question of `ranking` from its passages, or declines.
///
/// The draft's citations are checked by [`verify`]. If one does not hold, the answer is replaced by
/// [`DECLINED`] without citations, and `verification` says what failed. `count_tokens` counts for the
/// context's budget.
pub fn generate(
    ranking: &Ranking,
    generator: &ExtractiveGenerator<'_>,
    config: &Config,
    count_tokens: &dyn Fn(&str) -> usize,
) -> Result<Answer, GenerateError> {
    config.check()?;
    let mut timings_ms = ranking.timings_ms.clone();
    let mut clock = Instant::now();
    let mut lap = |step: &str| {
        timings_ms.insert(step.to_owned(), clock.elapsed().as_secs_f64() * 1e3);
        clock = Instant::now();
    };
    let context = assemble(
        &ranking.question.text,
        &ranking.hits,
        &config.context,
        count_tokens,
    );
    lap("assemble");
    let draft = generator.draft(ranking.question.parts(), &context)?;
    lap("generate");
    let (citations, verification) = verify(&draft.text, &context, &config.verify);
    lap("verify");
    let mut notes = ranking.notes.clone();
    notes.extend(draft.notes);
    if context.left_out > 0 {
        notes.push(format!(
            "{} passages did not fit into the context",
            context.left_out
        ));
    }
    let (text, confidence, citations) = if verification.passed() {
        (draft.text, draft.confidence, citations)
    } else {
        notes.push("the drafted answer was withheld: its citations did not hold".to_owned());
        (DECLINED.to_owned(), 0.0, Vec::new())
    };
    Ok(Answer {
        question: ranking.question.clone(),
        abstained: text == DECLINED,
        confidence,
        citations,
        verification,
        text,
        legs: ranking.legs.clone(),
        notes,
        usage: Usage {
            context_tokens: context.tokens as u32,
            passages_left_out: context.left_out as u32,
        },
        passages: context.hits,
        timings_ms,
    })
}

#[cfg(test)]
mod tests {
    use rag_core::answer::CitationStatus;

    use super::*;
    use crate::testing::{WordOverlap, config, hit, ranking};

    fn ask(question: &str, texts: &[&str]) -> Answer {
        let hits = texts
            .iter()
            .enumerate()
            .map(|(n, text)| hit(&format!("d{n}#0"), text));
        let model = WordOverlap::default();
        let config = config();
        let generator = ExtractiveGenerator::new(Some(&model), config.extract.clone());
        generate(&ranking(question, hits.collect()), &generator, &config, &|text| {
            text.len() / 4
        })
        .unwrap()
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
    }
}

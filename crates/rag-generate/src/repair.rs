//! What is done about an answer of which a citation does not hold: another source, or no such sentence.

use std::fmt::Write as _;

use rag_core::answer::{DECLINED, Repair};
use rag_models::ModelError;

use crate::context::Context;
use crate::verify::{
    Claim, MAX_CLAIMS, SupportScorer, claim_sentences, holds, parse_citations, strongest_source,
    without_declined,
};

/// Rewrites `answer` so that each sentence cites only passages that support it, and says what was changed.
///
/// A sentence keeps those of its citations that hold. If none does, and another passage of the context supports
/// it, that one is cited; else the sentence is withheld. What then is left may be nothing: [`DECLINED`].
pub(crate) fn repair(
    answer: &str,
    context: &Context,
    scorer: &SupportScorer<'_>,
) -> Result<(String, Vec<Repair>), ModelError> {
    let mut kept = String::new();
    let mut repairs = Vec::new();
    // Sentences for which another source may yet be sought.
    let mut left = MAX_CLAIMS;
    for claim in parse_citations(answer) {
        let own = without_declined(&claim.text);
        let sentences = claim_sentences(own);
        if sentences.len() > MAX_CLAIMS {
            repairs.push(told(own, &claim, &[]));
            continue;
        }
        let holding = self::holding(own, &claim, context, scorer)?;
        if !holding.is_empty() {
            push(&mut kept, own, &holding);
            if holding.len() < claim.ids.len() {
                repairs.push(told(own, &claim, &holding));
            }
            continue;
        }
        for sentence in sentences {
            if left == 0 {
                repairs.push(told(sentence, &claim, &[]));
                continue;
            }
            left -= 1;
            let mut sources = self::holding(sentence, &claim, context, scorer)?;
            if sources.is_empty() {
                sources.extend(strongest_source(sentence, context, scorer)?.map(ToString::to_string));
                repairs.push(told(sentence, &claim, &sources));
            }
            if !sources.is_empty() {
                push(&mut kept, sentence, &sources);
            }
        }
    }
    if kept.is_empty() {
        DECLINED.clone_into(&mut kept);
    }
    Ok((kept, repairs))
}

/// Those of the claim's ids whose passage supports `sentence`.
fn holding(
    sentence: &str,
    claim: &Claim,
    context: &Context,
    scorer: &SupportScorer<'_>,
) -> Result<Vec<String>, ModelError> {
    let mut found = Vec::new();
    for id in &claim.ids {
        if holds(sentence, id, context, scorer)? {
            found.push(id.clone());
        }
    }
    Ok(found)
}

fn push(kept: &mut String, sentence: &str, ids: &[String]) {
    let gap = if kept.is_empty() { "" } else { " " };
    write!(kept, "{gap}{} [{}]", sentence.trim(), ids.join(", ")).expect("writing to a string cannot fail");
}

fn told(sentence: &str, claim: &Claim, instead: &[String]) -> Repair {
    Repair {
        sentence: sentence.trim().to_owned(),
        cited: claim.ids.clone(),
        instead: instead.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{ContextConfig, assemble};
    use crate::testing::hit;
    use crate::verify::{SupportModels, VerifyConfig};

    /// The repaired answer, and for each repair what is cited instead.
    fn check(answer: &str, expected: &str, instead: &[&[&str]]) {
        let hits = [
            hit("hr-1#0", "Staff get 27 days of leave. Days are not paid out."),
            hit("it-1#2", "ERR-4012 means that the tunnel failed."),
        ];
        let context = assemble("Q?", &hits, &ContextConfig::default(), &|text| text.len() / 4);
        let config = VerifyConfig::default();
        let scorer = SupportScorer::new(&config, SupportModels::default());
        let (text, repairs) = repair(answer, &context, &scorer).unwrap();
        assert_eq!(text, expected, "{answer}");
        let found: Vec<Vec<&str>> = repairs
            .iter()
            .map(|repair| repair.instead.iter().map(String::as_str).collect())
            .collect();
        assert_eq!(found, instead, "{answer}");
    }

    #[test]
    fn a_wrong_citation_is_replaced_and_a_false_sentence_withheld() {
        check(
            "Staff get 27 days of leave. [hr-1#0]",
            "Staff get 27 days of leave. [hr-1#0]",
            &[],
        );
        check(
            "Staff get 27 days of leave. [it-1#2]",
            "Staff get 27 days of leave. [hr-1#0]",
            &[&["hr-1#0"]],
        );
        check(
            "Staff get 27 days of leave. [hr-1#0, x#1]",
            "Staff get 27 days of leave. [hr-1#0]",
            &[&["hr-1#0"]],
        );
        check(
            "Staff get 27 days of leave. Staff get 28 days of leave. [hr-1#0]",
            "Staff get 27 days of leave. [hr-1#0]",
            &[&[]],
        );
        check(
            "Days are not paid out. ERR-4012 means that the tunnel failed.",
            "Days are not paid out. [hr-1#0] ERR-4012 means that the tunnel failed. [it-1#2]",
            &[&["hr-1#0"], &["it-1#2"]],
        );
        check("Days are paid out. [hr-1#0]", DECLINED, &[&[]]);
        check(
            "Days are not paid out without exception. [hr-1#0]",
            "Days are not paid out without exception. [hr-1#0]",
            &[],
        );
        check("[x#9]", DECLINED, &[]);
        let long = "Cats purr. ".repeat(MAX_CLAIMS + 1);
        check(&long, DECLINED, &[&[]]);
        check(&format!("{long} [hr-1#0]"), DECLINED, &[&[]]);
        check(DECLINED, DECLINED, &[]);
    }
}

//! How far a sentence is ahead of its rivals: the sentences of other documents.

use rag_core::passage::Passage;

use super::candidates::Candidate;
use super::features::Features;
use crate::context::Context;
use rag_core::version::{Kinship, kinship};

/// What a cross-encoder gives text that has nothing to do with the question: a rival that is always there.
const UNRELATED_LOGIT: f32 = -11.0;

/// Largest lead that counts, either way.
const MOST_LEAD: f32 = 10.0;

/// A coverage of 1 weighs as much as this many logits.
const LOGITS_PER_COVERAGE: f32 = 10.0;

/// What the lead is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// The cross-encoder's logit.
    Logit,
    /// Coverage, where there is no cross-encoder.
    Coverage,
}

impl Measure {
    fn of(self, features: &Features) -> f32 {
        match self {
            Self::Logit => features.logit,
            Self::Coverage => LOGITS_PER_COVERAGE * features.coverage,
        }
    }

    fn floor(self) -> f32 {
        match self {
            Self::Logit => UNRELATED_LOGIT,
            Self::Coverage => 0.0,
        }
    }
}

/// Sets the lead of every sentence. A sentence of another version of the document, or one with the same
/// words, says the same and is no rival.
pub(super) fn set_leads(scored: &mut [(Candidate, Features)], context: &Context, measure: Measure) {
    let values: Vec<f32> = scored.iter().map(|(_, features)| measure.of(features)).collect();
    let rivals = rival_sources(context);
    let is_rival = |own: &Candidate, other: &Candidate| {
        rivals[own.source][other.source] && own.text(context) != other.text(context)
    };
    let leads: Vec<f32> = (0..scored.len())
        .map(|own| {
            let rivals = (0..scored.len()).filter(|&other| is_rival(&scored[own].0, &scored[other].0));
            let best = rivals.map(|rival| values[rival]).fold(measure.floor(), f32::max);
            (values[own] - best).clamp(-MOST_LEAD, MOST_LEAD)
        })
        .collect();
    for ((_, features), lead) in scored.iter_mut().zip(leads) {
        features.lead = lead;
    }
}

/// For each pair of passages, whether they are of two documents that are no versions of each other. Told once
/// per pair: a passage has many sentences.
fn rival_sources(context: &Context) -> Vec<Vec<bool>> {
    let passages = || context.hits.iter().map(|hit| &hit.passage);
    let is_rival = |own: &Passage, other: &Passage| {
        own.document_id() != other.document_id() && kinship(own, other) != Kinship::Versions
    };
    passages()
        .map(|own| passages().map(|other| is_rival(own, other)).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{ContextConfig, assemble};
    use crate::extract::candidates::candidates;
    use crate::testing::hit;

    /// The leads of sentences, one document each, with these titles, words and logits.
    fn leads(sentences: &[(&str, &str, f32)]) -> Vec<f32> {
        let hits: Vec<_> = sentences
            .iter()
            .enumerate()
            .map(|(n, (title, text, _))| {
                let mut hit = hit(&format!("d{n}#0"), text);
                (*title).clone_into(&mut hit.passage.title);
                hit
            })
            .collect();
        let context = assemble("Q?", &hits, &ContextConfig::default(), &|text| text.len() / 4);
        let found = candidates(&context, 9).0.into_iter();
        let mut scored: Vec<(Candidate, Features)> = found
            .zip(sentences)
            .map(|(candidate, (_, _, logit))| {
                let features = Features {
                    logit: *logit,
                    ..Features::default()
                };
                (candidate, features)
            })
            .collect();
        set_leads(&mut scored, &context, Measure::Logit);
        scored.iter().map(|(_, features)| features.lead).collect()
    }

    #[test]
    fn a_lead_is_over_sentences_that_say_something_else() {
        let (leave, travel) = ("Staff get 27 days of leave.", "Trips are booked by the desk.");
        assert_eq!(
            leads(&[("Leave", leave, 3.0), ("Travel", travel, 1.0)]),
            [2.0, -2.0]
        );
        assert_eq!(
            leads(&[("Leave", leave, 3.0), ("Copy", leave, 3.0)]),
            [10.0, 10.0]
        );
        assert_eq!(
            leads(&[
                ("Leave 2023", leave, 3.0),
                ("Leave 2026", "Staff get 30 days.", -8.0)
            ]),
            [10.0, 3.0]
        );
        assert_eq!(leads(&[("Leave", leave, -9.0)]), [2.0]);
    }
}

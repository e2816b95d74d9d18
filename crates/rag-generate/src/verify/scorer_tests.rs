//! When models are asked, what they may decide, and what they may not.

use super::*;
use crate::testing::{Letters, WordOverlap, hit};

const TEXT: &str = "Staff get 27 days of leave. Days are not paid out.";

/// Settings under which the cross-encoder alone decides: from a bit more than half of the words.
fn config() -> VerifyConfig {
    VerifyConfig {
        min_support: 0.6,
        models: SupportDecision {
            cross_encoder: "word-overlap".into(),
            embedder: "letters".into(),
            min_terms: 0.25,
            bias: 0.0,
            weights: SupportFeatures {
                logit: 1.0,
                ..SupportFeatures::default()
            },
            threshold: 0.6,
        },
    }
}

/// The basis of the decision on `claim`, and whether it holds.
fn judge(claim: &str, config: &VerifyConfig) -> (SupportBasis, bool) {
    let (cross_encoder, embedder) = (WordOverlap::default(), Letters::default());
    let models = SupportModels {
        cross_encoder: Some(&cross_encoder),
        embedder: Some(&embedder),
    };
    let scorer = SupportScorer::new(config, models);
    let judged = scorer.judge(claim, &hit("a#0", TEXT).passage).unwrap().unwrap();
    (judged.support.basis, judged.holds)
}

#[test]
fn models_decide_on_sentences_that_are_not_the_sources_own() {
    use SupportBasis::{Models, SharedTerms, Verbatim};
    let cases = [
        ("Staff get 27 days of leave.", (Verbatim, true)),
        ("Leave days that staff get: 27", (Models, true)),
        ("Staff of cats purr over leave loudly", (Models, false)),
        // Too little in common to be worth a model's word.
        ("Our cats purr loudly today", (SharedTerms, false)),
        // Facts that disagree are not saved by models.
        ("Staff get 28 days of leave", (SharedTerms, false)),
        ("The days are paid out to them", (SharedTerms, false)),
        // Each sentence must hold.
        (
            "Leave days that staff get: 27. Our cats purr loudly.",
            (SharedTerms, false),
        ),
        ("ينام القط على السجادة في البيت", (SharedTerms, false)),
    ];
    for (claim, expected) in cases {
        assert_eq!(judge(claim, &config()), expected, "{claim}");
    }
}

#[test]
fn without_the_models_that_were_fitted_shared_terms_decide() {
    let claim = "Leave days that staff get: 27";
    let mut other = config();
    other.models.embedder = "another".into();
    assert_eq!(judge(claim, &other), (SupportBasis::SharedTerms, true));
    let config = config();
    let alone = SupportScorer::new(&config, SupportModels::default());
    let judged = alone.judge(claim, &hit("a#0", TEXT).passage).unwrap().unwrap();
    assert_eq!(judged.support.basis, SupportBasis::SharedTerms);
    assert_eq!(alone.features(claim, &hit("a#0", TEXT).passage).unwrap(), None);
}

#[test]
fn probabilities_follow_the_weights() {
    let decision = config().models;
    let features = |logit| SupportFeatures {
        logit,
        ..SupportFeatures::default()
    };
    assert_eq!(decision.probability(&features(0.0)), 0.5);
    assert!(decision.probability(&features(3.0)) > 0.9);
    assert!(decision.probability(&features(f32::NEG_INFINITY)).abs() < 1e-6);
}

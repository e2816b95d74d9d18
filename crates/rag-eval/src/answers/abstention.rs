//! What declining buys: how right the given answers are, the fewer of them are given.

use serde::{Deserialize, Serialize};

use super::score::Verdict;

/// Coverage against precision over every threshold on confidence.
///
/// A question counts when [`Verdict::right`] could be said; where nothing answers it, any answer is wrong. An answer that was declined is not given at any threshold, so the curve may
/// end before a coverage of 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AbstentionCurve {
    /// From the surest answers alone to all that were given. Answers of one confidence come together.
    pub points: Vec<CoveragePoint>,
    /// Area under the curve of risk (1 - precision) over coverage, divided by the coverage reached: the
    /// mean risk when the threshold is lowered answer by answer (Geifman and El-Yaniv, 2017); 0 is best.
    /// `None` when no answer was given.
    pub aurc: Option<f64>,
    /// Questions that count.
    pub questions: usize,
    /// Questions whose labels name neither an accepted text nor a document.
    pub not_judged: usize,
}

/// What one threshold gives.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CoveragePoint {
    /// Answers with at least this confidence are given.
    pub threshold: f32,
    /// Share of the questions that are answered.
    pub coverage: f64,
    /// Share of the given answers that are right.
    pub precision: f64,
    /// Number of answers given.
    pub given: usize,
    /// Number of them that are right.
    pub right: usize,
}

/// The curve of `verdicts`.
pub fn abstention_curve(verdicts: &[Verdict]) -> AbstentionCurve {
    let mut curve = AbstentionCurve::default();
    let mut given: Vec<(f32, bool)> = Vec::new();
    for verdict in verdicts {
        let Some(is_right) = verdict.right() else {
            curve.not_judged += 1;
            continue;
        };
        curve.questions += 1;
        let is_declined = [verdict.declined_rightly, verdict.declined_wrongly].contains(&Some(true));
        if !is_declined {
            given.push((verdict.confidence, is_right));
        }
    }
    given.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut risk_sum = 0.0;
    let (mut count, mut right) = (0, 0);
    for tied in given.chunk_by(|a, b| a.0 == b.0) {
        count += tied.len();
        right += tied.iter().filter(|(_, is_right)| *is_right).count();
        let precision = right as f64 / count as f64;
        risk_sum += tied.len() as f64 * (1.0 - precision);
        curve.points.push(CoveragePoint {
            threshold: tied[0].0,
            coverage: count as f64 / curve.questions as f64,
            precision,
            given: count,
            right,
        });
    }
    curve.aurc = (count > 0).then(|| risk_sum / count as f64);
    curve
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Confidence, and what became of the question.
    fn verdict(confidence: f32, fate: &str) -> Verdict {
        let (correct, declined_rightly, declined_wrongly) = match fate {
            "right" => (Some(true), None, Some(false)),
            "wrong" => (Some(false), None, Some(false)),
            "declined" => (Some(false), None, Some(true)),
            "made up" => (None, Some(false), None),
            "rightly declined" => (None, Some(true), None),
            _ => (None, None, Some(false)),
        };
        Verdict {
            confidence,
            correct,
            declined_rightly,
            declined_wrongly,
            ..Verdict::default()
        }
    }

    #[test]
    fn each_threshold_is_a_point() {
        let curve = abstention_curve(&[
            verdict(0.9, "right"),
            verdict(0.8, "made up"),
            verdict(0.5, "right"),
            verdict(0.5, "wrong"),
            verdict(0.4, "declined"),
            verdict(0.2, "rightly declined"),
            verdict(0.7, "without accepted text"),
            verdict(0.1, "right"),
        ]);
        let points: Vec<_> = curve
            .points
            .iter()
            .map(|point| (point.threshold, point.given, point.right))
            .collect();
        assert_eq!(points, [(0.9, 1, 1), (0.8, 2, 1), (0.5, 4, 2), (0.1, 5, 3)]);
        assert_eq!((curve.questions, curve.not_judged), (7, 1));
        assert_eq!(curve.points[3].coverage, 5.0 / 7.0);
        assert_eq!(curve.points[3].precision, 0.6);
        // Risks 0, 1/2, 1/2 twice, 2/5.
        assert!((curve.aurc.unwrap() - 1.9 / 5.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_given_has_no_area() {
        for verdicts in [vec![], vec![verdict(0.9, "declined")]] {
            let curve = abstention_curve(&verdicts);
            assert_eq!((curve.points.len(), curve.aurc), (0, None));
        }
    }

    proptest! {
        #[test]
        fn coverage_rises_and_order_does_not_matter(mut answers in prop::collection::vec((0u8..10, any::<bool>()), 1..30)) {
            let verdicts = |answers: &[(u8, bool)]| -> Vec<Verdict> {
                let fate = |right: bool| if right { "right" } else { "made up" };
                answers.iter().map(|&(confidence, right)| verdict(f32::from(confidence), fate(right))).collect()
            };
            let curve = abstention_curve(&verdicts(&answers));
            prop_assert!(curve.points.windows(2).all(|pair| pair[0].coverage < pair[1].coverage));
            prop_assert_eq!(curve.points.last().map(|point| point.coverage), Some(1.0));
            prop_assert!((0.0..=1.0).contains(&curve.aurc.unwrap()));
            answers.reverse();
            prop_assert_eq!(abstention_curve(&verdicts(&answers)), curve);
        }
    }
}

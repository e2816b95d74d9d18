//! How well a score tells two classes apart, and whether it can be read as a probability.

/// A score and whether the thing scored is of the positive class.
pub type Scored = (f32, bool);

/// Bins of [`calibration_error`].
const BINS: usize = 10;

/// Area under the ROC curve by the rank-sum statistic (Mann and Whitney, 1947); ties count half. `None`
/// without both classes.
pub fn auroc(scored: &[Scored]) -> Option<f64> {
    let (positives, negatives) = classes(scored)?;
    let mut below = 0;
    let mut wins = 0.0;
    for tied in sorted(scored).chunk_by(|a, b| a.0 == b.0) {
        let won = tied.iter().filter(|(_, positive)| *positive).count();
        let lost = tied.len() - won;
        wins += won as f64 * (below as f64 + lost as f64 / 2.0);
        below += lost;
    }
    Some(wins / (positives * negatives) as f64)
}

/// The mean of the shares of positives at or above `threshold` and of negatives below it. `None` without both
/// classes.
pub fn balanced_accuracy(scored: &[Scored], threshold: f32) -> Option<f64> {
    let (positives, negatives) = classes(scored)?;
    let of = |class: bool| scored.iter().filter(move |(_, positive)| *positive == class);
    let kept = of(true).filter(|(score, _)| *score >= threshold).count();
    let refused = of(false).filter(|(score, _)| *score < threshold).count();
    Some(f64::midpoint(
        kept as f64 / positives as f64,
        refused as f64 / negatives as f64,
    ))
}

/// The score that is the best threshold on `scored`: the lowest with the greatest balanced accuracy. `None` without
/// both classes.
pub fn best_threshold(scored: &[Scored]) -> Option<f32> {
    let (positives, negatives) = classes(scored)?;
    let (mut kept, mut refused) = (positives, 0);
    let mut best = (f64::NEG_INFINITY, 0.0);
    for tied in sorted(scored).chunk_by(|a, b| a.0 == b.0) {
        let reached = kept as f64 / positives as f64 + refused as f64 / negatives as f64;
        if reached > best.0 {
            best = (reached, tied[0].0);
        }
        let won = tied.iter().filter(|(_, positive)| *positive).count();
        kept -= won;
        refused += tied.len() - won;
    }
    Some(best.1)
}

/// Expected calibration error (Naeini et al., 2015) over ten bins of equal width: how far the share of positives
/// is from the mean score, weighed by the number in the bin. Scores are probabilities. `None` of nothing.
pub fn calibration_error(scored: &[Scored]) -> Option<f64> {
    let mut bins = [(0.0, 0.0); BINS];
    for (score, positive) in scored {
        let bin = ((score * BINS as f32) as usize).min(BINS - 1);
        bins[bin].0 += f64::from(*score);
        bins[bin].1 += if *positive { 1.0 } else { 0.0 };
    }
    let off: f64 = bins.iter().map(|(said, seen)| (said - seen).abs()).sum();
    (!scored.is_empty()).then(|| off / scored.len() as f64)
}

fn sorted(scored: &[Scored]) -> Vec<Scored> {
    let mut sorted = scored.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted
}

/// How many are positive and negative, if there are both.
fn classes(scored: &[Scored]) -> Option<(usize, usize)> {
    let positives = scored.iter().filter(|(_, positive)| *positive).count();
    let negatives = scored.len() - positives;
    (positives > 0 && negatives > 0).then_some((positives, negatives))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn figures_of_a_small_set_are_those_worked_out_by_hand() {
        let scored = [(0.1, false), (0.4, true), (0.4, false), (0.9, true)];
        assert_eq!(auroc(&scored), Some(0.875));
        assert_eq!(balanced_accuracy(&scored, 0.4), Some(0.75));
        assert_eq!(best_threshold(&scored), Some(0.4));
        // Bins 1, 4 and 9 hold 1, 2 and 1: |0.1 - 0| + |0.8 - 1| + |0.9 - 1|, over four.
        assert!((calibration_error(&scored).unwrap() - 0.1).abs() < 1e-6);
    }

    #[test]
    fn one_class_gives_no_figure() {
        for scored in [&[][..], &[(0.5, true)], &[(0.5, false), (0.2, false)]] {
            assert_eq!(auroc(scored), None);
            assert_eq!(balanced_accuracy(scored, 0.5), None);
            assert_eq!(best_threshold(scored), None);
        }
        assert_eq!(calibration_error(&[]), None);
    }

    proptest! {
        #[test]
        fn no_threshold_beats_the_best(
            scored in prop::collection::vec((0.0f32..=1.0, any::<bool>()), 1..30),
            other in 0.0f32..=1.0,
        ) {
            if let Some(best) = best_threshold(&scored) {
                let reached = balanced_accuracy(&scored, best).unwrap();
                prop_assert!(reached + 1e-9 >= balanced_accuracy(&scored, other).unwrap());
                prop_assert!(reached >= 0.5);
            }
        }
    }
}

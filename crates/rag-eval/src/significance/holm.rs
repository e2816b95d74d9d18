//! Holm's correction: among many comparisons some look significant by chance.

use super::comparison::Comparison;

/// The p-values corrected so that the chance of any false alarm among them stays below the level they
/// are compared with (Holm, 1979): the i-th smallest of m is multiplied by m - i + 1, none is smaller
/// than one before it, none exceeds 1. A `None` stays `None` and is not counted.
pub fn holm(p: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut ascending: Vec<(usize, f64)> = p
        .iter()
        .enumerate()
        .filter_map(|(index, p)| Some((index, (*p)?)))
        .collect();
    ascending.sort_by(|a, b| a.1.total_cmp(&b.1));
    let count = ascending.len();
    let mut corrected = vec![None; p.len()];
    let mut floor = 0.0f64;
    for (place, (index, p)) in ascending.into_iter().enumerate() {
        floor = floor.max((p * (count - place) as f64).min(1.0));
        corrected[index] = Some(floor);
    }
    corrected
}

/// Sets `p_corrected` of comparisons that are read together.
pub fn correct<'c>(comparisons: impl IntoIterator<Item = &'c mut Comparison>) {
    let comparisons: Vec<&mut Comparison> = comparisons.into_iter().collect();
    let p: Vec<Option<f64>> = comparisons.iter().map(|comparison| comparison.p).collect();
    for (comparison, corrected) in comparisons.into_iter().zip(holm(&p)) {
        comparison.p_corrected = corrected;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_values_are_multiplied_more() {
        let cases: &[(&[f64], &[f64])] = &[
            (&[], &[]),
            (&[0.04], &[0.04]),
            (&[0.01, 0.04, 0.03], &[0.03, 0.06, 0.06]),
            (&[0.5, 0.9], &[1.0, 1.0]),
            // The example of R's p.adjust for five values.
            (&[0.01, 0.02, 0.03, 0.04, 0.05], &[0.05, 0.08, 0.09, 0.09, 0.09]),
        ];
        for (p, expected) in cases {
            let p: Vec<_> = p.iter().map(|&p| Some(p)).collect();
            for (corrected, expected) in holm(&p).into_iter().zip(*expected) {
                assert!((corrected.unwrap() - expected).abs() < 1e-12, "{p:?}");
            }
        }
    }

    #[test]
    fn a_missing_value_stays_missing_and_is_not_counted() {
        assert_eq!(
            holm(&[None, Some(0.02), None, Some(0.5)]),
            [None, Some(0.04), None, Some(0.5)]
        );
    }
}

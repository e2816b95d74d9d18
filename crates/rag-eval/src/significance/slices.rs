//! The same comparison within each kind of question.

use std::collections::{BTreeMap, BTreeSet};

use super::comparison::{Comparison, SignificanceConfig, compare};
use super::holm::correct;
use super::pairs::Values;

/// Question ids by the slice's name, such as `language=ar`. A question may be in several slices.
pub type Slices = BTreeMap<String, BTreeSet<String>>;

/// Compares two systems within each slice and corrects for the number of slices. A slice of questions
/// that have no values is in the result, without a p-value.
pub fn compare_slices(
    baseline: &Values,
    candidate: &Values,
    slices: &Slices,
    config: &SignificanceConfig,
) -> BTreeMap<String, Comparison> {
    let within = |values: &Values, questions: &BTreeSet<String>| -> Values {
        let value = |id: &String| values.get(id).copied().flatten();
        questions.iter().map(|id| (id.clone(), value(id))).collect()
    };
    let mut comparisons: BTreeMap<String, Comparison> = slices
        .iter()
        .map(|(name, questions)| {
            let comparison = compare(
                &within(baseline, questions),
                &within(candidate, questions),
                config,
            );
            (name.clone(), comparison)
        })
        .collect();
    correct(comparisons.values_mut());
    comparisons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slice_is_compared_and_corrected() {
        let ids: Vec<String> = (0..16).map(|n| format!("q{n}")).collect();
        let values = |value: fn(usize) -> f64| -> Values {
            ids.iter()
                .enumerate()
                .map(|(n, id)| (id.clone(), Some(value(n))))
                .collect()
        };
        let (baseline, candidate) = (values(|_| 0.5), values(|n| if n < 8 { 0.7 } else { 0.5 }));
        let slice = |range: std::ops::Range<usize>| ids[range].iter().cloned().collect::<BTreeSet<_>>();
        let slices = Slices::from([
            ("first".to_owned(), slice(0..8)),
            ("second".to_owned(), slice(8..16)),
            ("unknown".to_owned(), BTreeSet::from(["nobody".to_owned()])),
        ]);
        let found = compare_slices(&baseline, &candidate, &slices, &SignificanceConfig::default());
        let p = |name: &str| (found[name].p, found[name].p_corrected);
        assert_eq!(p("first"), (Some(2.0 / 256.0), Some(4.0 / 256.0)));
        assert_eq!(p("second"), (Some(1.0), Some(1.0)));
        assert_eq!(p("unknown"), (None, None));
        assert_eq!(found["unknown"].left_out.neither, ["nobody"]);
    }
}

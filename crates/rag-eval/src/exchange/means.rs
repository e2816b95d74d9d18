//! The figures that records allow without anything but their text.

use std::collections::BTreeMap;

use super::record::Record;
use crate::answers::{AnswerMetric, contains_answer, overlap};
use crate::retrieval::Summary;

/// Means by the names of [`AnswerMetric`]: whether the answers contain an accepted text, are one, and share its words.
/// A record without an accepted text has no value.
pub fn record_means(records: &[Record]) -> BTreeMap<&'static str, Summary> {
    let share = |holds: bool| f64::from(u8::from(holds));
    let mean = |value: &dyn Fn(&Record) -> Option<f64>| Summary::of(records.iter().map(value));
    let overlap_of = |record: &Record| overlap(&record.response, record.accepted.iter().map(String::as_str));
    let contains = |record: &Record| {
        let mut accepted = record.accepted.iter();
        let found = accepted.any(|accepted| contains_answer(&record.response, accepted));
        (!record.accepted.is_empty()).then(|| share(found))
    };
    BTreeMap::from([
        (AnswerMetric::Correct.name(), mean(&contains)),
        (
            AnswerMetric::ExactMatch.name(),
            mean(&|record| Some(share(overlap_of(record)?.is_exact))),
        ),
        (
            AnswerMetric::TokenF1.name(),
            mean(&|record| Some(overlap_of(record)?.f1)),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_without_an_accepted_answer_has_no_value() {
        let record = |accepted: &[&str], response: &str| Record {
            accepted: accepted.iter().map(|&text| text.to_owned()).collect(),
            response: response.to_owned(),
            ..Record::default()
        };
        let records = [
            record(&["EUR 52"], "The cap is EUR 52."),
            record(&["EUR 52"], "EUR 40"),
            record(&[], "Anything."),
        ];
        let means = record_means(&records);
        assert_eq!(means["correct"].mean, Some(0.5));
        assert_eq!(means["exact_match"].mean, Some(0.0));
        assert_eq!(means["f1"].not_computed, 1);
    }
}

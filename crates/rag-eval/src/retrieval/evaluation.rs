//! Values per query and their means, and the files that hold them.

use std::collections::BTreeMap;
use std::path::Path;

use rag_core::artifact::jsonl;
use serde::{Deserialize, Serialize};

use super::metric::{Judged, Metric};
use super::qrels::Qrels;
use super::run::Run;
use crate::error::EvalError;
use crate::significance::Values;

/// Means and counts by metric.
const METRICS_FILE: &str = "metrics.json";

/// Values by query.
const PER_QUERY_FILE: &str = "per_query.jsonl";

/// The values of one query: one line of `per_query.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueryValues {
    /// The query's id.
    pub query: String,
    /// Value by metric name; `null` when it could not be computed, which is not the same as 0.
    pub values: BTreeMap<String, Option<f64>>,
}

/// One metric over all queries: an entry of `metrics.json`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Mean of the values that could be computed; `null` when none could.
    pub mean: Option<f64>,
    /// Number of values in the mean.
    pub computed: usize,
    /// Number of queries without a value, left out of the mean.
    pub not_computed: usize,
}

impl Summary {
    /// Sums up values of which some could not be computed.
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let (mut sum, mut computed, mut not_computed) = (0.0, 0usize, 0usize);
        for value in values {
            match value {
                Some(value) => {
                    sum += value;
                    computed += 1;
                }
                None => not_computed += 1,
            }
        }
        Self {
            mean: (computed > 0).then(|| sum / computed as f64),
            computed,
            not_computed,
        }
    }
}

/// What `eval retrieval --json` prints: the means of each mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievalReport {
    /// Name of the data set.
    pub dataset: String,
    /// The split that was measured.
    pub split: String,
    /// Mean by metric name, by mode.
    pub modes: BTreeMap<String, BTreeMap<String, Option<f64>>>,
}

/// A run measured against judgements.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Every judged query, in order of its id.
    pub per_query: Vec<QueryValues>,
}

impl Evaluation {
    /// Measures `run` against `qrels` for every judged query.
    ///
    /// A query for which the run has no documents scores 0: nothing was found. A query without any
    /// relevant document has no value and is left out of the means (trec_eval would count it as 0).
    pub fn of(run: &Run, qrels: &Qrels, metrics: &[Metric]) -> Self {
        let per_query = qrels.queries().map(|query| QueryValues {
            query: query.to_owned(),
            values: values(run, qrels, query, metrics),
        });
        Self {
            per_query: per_query.collect(),
        }
    }

    /// Mean and counts by metric name.
    pub fn summaries(&self) -> BTreeMap<String, Summary> {
        let mut values: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
        for (name, value) in self.per_query.iter().flat_map(|query| &query.values) {
            values.entry(name).or_default().push(*value);
        }
        values
            .into_iter()
            .map(|(name, values)| (name.to_owned(), Summary::of(values)))
            .collect()
    }

    /// Mean by metric name.
    pub fn means(&self) -> BTreeMap<String, Option<f64>> {
        let summaries = self.summaries();
        summaries
            .into_iter()
            .map(|(name, summary)| (name, summary.mean))
            .collect()
    }

    /// The values of one metric by query, as [`significance::compare`](crate::significance::compare)
    /// takes them; a query that the metric was not measured for has `None`.
    pub fn values(&self, metric: Metric) -> Values {
        let name = metric.to_string();
        let value = |query: &QueryValues| query.values.get(&name).copied().flatten();
        let values = self
            .per_query
            .iter()
            .map(|query| (query.query.clone(), value(query)));
        values.collect()
    }

    /// Reads the `per_query.jsonl` that [`write`](Self::write) left in `folder`.
    pub fn read(folder: &Path) -> Result<Self, EvalError> {
        let per_query = jsonl::read_all(&folder.join(PER_QUERY_FILE))?;
        Ok(Self { per_query })
    }

    /// Writes `metrics.json` and `per_query.jsonl` into `folder`.
    pub fn write(&self, folder: &Path) -> Result<(), EvalError> {
        let mut text = serde_json::to_vec_pretty(&self.summaries()).expect("summaries are plain data");
        text.push(b'\n');
        fs_err::write(folder.join(METRICS_FILE), text)?;
        Ok(jsonl::write_all(&folder.join(PER_QUERY_FILE), &self.per_query)?)
    }
}

fn values(run: &Run, qrels: &Qrels, query: &str, metrics: &[Metric]) -> BTreeMap<String, Option<f64>> {
    let judgements = qrels.of(query).into_iter().flatten();
    let retrieved = run.of(query).unwrap_or_default();
    let gain = |document: &str| qrels.of(query).and_then(|judged| judged.get(document)).copied();
    let gains = retrieved.iter().map(|scored| gain(&scored.document).unwrap_or(0));
    let judged = Judged::new(gains, judgements.map(|(_, &gain)| gain));
    metrics
        .iter()
        .map(|metric| (metric.to_string(), metric.value(&judged)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn qrels() -> Qrels {
        let mut qrels = Qrels::default();
        for (query, document, gain) in [("q1", "a", 1), ("q2", "a", 1), ("q2", "b", 2), ("q3", "a", 0)] {
            qrels.insert(query, document, gain);
        }
        qrels
    }

    fn evaluation() -> Evaluation {
        let mut run = Run::default();
        run.insert("q1".to_owned(), [("a".to_owned(), 1.0), ("x".to_owned(), 2.0)]);
        run.insert("q3".to_owned(), [("a".to_owned(), 1.0)]);
        run.insert("unjudged".to_owned(), [("a".to_owned(), 1.0)]);
        Evaluation::of(&run, &qrels(), &[Metric::ReciprocalRank(Some(10))])
    }

    #[test]
    fn a_value_that_could_not_be_computed_is_not_zero() {
        let summary = evaluation().summaries()["RR@10"];
        // q1 0.5, q2 not in the run and so 0, q3 without a relevant document and so no value.
        assert_eq!(summary.mean, Some(0.25));
        assert_eq!((summary.computed, summary.not_computed), (2, 1));
    }

    #[test]
    fn files_hold_the_values() {
        let folder = tempfile::tempdir().unwrap();
        let evaluation = evaluation();
        evaluation.write(folder.path()).unwrap();
        let read = Evaluation::read(folder.path()).unwrap();
        assert_eq!(read, evaluation);
        let values = read.values(Metric::ReciprocalRank(Some(10)));
        assert_eq!((values["q1"], values["q3"]), (Some(0.5), None));
        assert_eq!(read.values(Metric::Success(1))["q1"], None);
        let metrics = fs_err::read_to_string(folder.path().join("metrics.json")).unwrap();
        assert!(metrics.contains("\"not_computed\": 1"), "{metrics}");
    }
}

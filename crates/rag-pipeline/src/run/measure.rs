//! The figures of a run: of its rankings, of its answers, and of what one question cost.

use std::collections::BTreeMap;

use rag_core::artifact::{jsonl, replace_file};
use rag_core::hit::Ranking;
use rag_eval::answers::{AnswerMetric, AnswerReport, Label, Verdict, score_answers};
use rag_eval::retrieval::{
    Evaluation, Metric, Qrels, QueryValues, Run as DocumentRun, Summary, default_metrics,
};
use rag_eval::significance::Values;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::error::PipelineError;

/// Means over the questions of a run.
pub(super) const METRICS_FILE: &str = "metrics.json";

/// Every value of every question of a run.
pub(super) const PER_QUERY_FILE: &str = "per_query.jsonl";

/// The metric of a whole answer: right and cited, or rightly declined.
pub const RIGHT: &str = AnswerMetric::Right.name();

/// The metrics that are shown and compared when none are named.
pub const HEADLINE: [&str; 7] = [
    RIGHT,
    AnswerMetric::CorrectCited.name(),
    AnswerMetric::DeclinedRightly.name(),
    AnswerMetric::Faithfulness.name(),
    "nDCG@10",
    "R@10",
    "fused R@10",
];

/// The figures of a run. A value that could not be computed is `None`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunMetrics {
    /// Number of questions.
    pub questions: usize,
    /// Mean and counts by metric: of rankings after fusion (`fused nDCG@10`), of those handed to the generator, and of
    /// answers.
    pub means: BTreeMap<String, Summary>,
    /// How well confidence tells answerable from unanswerable questions.
    pub auroc: Option<f64>,
}

/// Measures `run`, and writes `metrics.json` and `per_query.jsonl` into its folder.
pub fn measure_run(run: &Run) -> Result<RunMetrics, PipelineError> {
    let labels = run.labels()?;
    let answers = score_answers(&labels, &run.answers()?);
    let qrels = qrels(&labels);
    let fused = evaluate(&run.retrieved()?, &qrels, &default_metrics());
    let kept = evaluate(&run.kept()?, &qrels, &default_metrics());
    let per_query = join(&labels, &fused, &kept, &answers);
    let metrics = RunMetrics {
        questions: labels.len(),
        means: means(&per_query),
        auroc: answers.auroc,
    };
    let text = serde_json::to_vec_pretty(&metrics).expect("figures are plain data");
    replace_file(&run.root().join(METRICS_FILE), &text)?;
    jsonl::write_all(&run.root().join(PER_QUERY_FILE), &per_query)?;
    Ok(metrics)
}

impl Run {
    /// Every value of every question, as measured when the run was made.
    pub fn per_query(&self) -> Result<Vec<QueryValues>, PipelineError> {
        let text = self.lock().read_file(self.root(), PER_QUERY_FILE)?;
        text.lines()
            .map(|line| self.parsed(PER_QUERY_FILE, line))
            .collect()
    }

    fn parsed<T: serde::de::DeserializeOwned>(&self, name: &str, text: &str) -> Result<T, PipelineError> {
        serde_json::from_str(text).map_err(|error| PipelineError::Settings {
            path: self.root().join(name),
            reason: error.to_string(),
        })
    }

    /// The values of one metric by question; an error when the run does not measure it.
    pub fn values(&self, metric: &str) -> Result<Values, PipelineError> {
        let per_query = self.per_query()?;
        let known = per_query
            .first()
            .map(|line| line.values.keys().cloned().collect::<Vec<_>>());
        if let Some(known) = known.filter(|known| !known.iter().any(|name| name == metric)) {
            return Err(PipelineError::NoMetric {
                name: metric.to_owned(),
                known: known.join(", "),
            });
        }
        let value = |line: QueryValues| (line.query, line.values.get(metric).copied().flatten());
        Ok(per_query.into_iter().map(value).collect())
    }

    /// The figures, as measured when the run was made.
    pub fn metrics(&self) -> Result<RunMetrics, PipelineError> {
        self.parsed(METRICS_FILE, &self.lock().read_file(self.root(), METRICS_FILE)?)
    }
}

/// What is relevant to each question.
pub(super) fn qrels(labels: &[Label]) -> Qrels {
    let mut qrels = Qrels::default();
    for label in labels {
        for document in &label.relevant {
            qrels.insert(&label.question.id, document, 1);
        }
    }
    qrels
}

/// Passages collapse to documents by their best score.
pub(super) fn evaluate(rankings: &[Ranking], qrels: &Qrels, metrics: &[Metric]) -> Evaluation {
    let run = DocumentRun::from_rankings(rankings, ToString::to_string);
    Evaluation::of(&run, qrels, metrics)
}

/// One line per question with all of its values.
fn join(labels: &[Label], fused: &Evaluation, kept: &Evaluation, answers: &AnswerReport) -> Vec<QueryValues> {
    let names: Vec<String> = default_metrics().iter().map(Metric::to_string).collect();
    let of = |evaluation: &Evaluation, query: &str| -> BTreeMap<String, Option<f64>> {
        let found = evaluation.per_query.iter().find(|values| values.query == query);
        let nothing = || names.iter().map(|name| (name.clone(), None)).collect();
        found.map_or_else(nothing, |values| values.values.clone())
    };
    let verdicts: BTreeMap<&str, &Verdict> = answers
        .verdicts
        .iter()
        .map(|verdict| (verdict.question.as_str(), verdict))
        .collect();
    let line = |label: &Label| {
        let query = label.question.id.as_str();
        let mut values = of(kept, query);
        values.extend(
            of(fused, query)
                .into_iter()
                .map(|(name, value)| (format!("fused {name}"), value)),
        );
        values.extend(of_answer(verdicts.get(query).copied()));
        QueryValues {
            query: query.to_owned(),
            values,
        }
    };
    labels.iter().map(line).collect()
}

/// The values of an answer by the names of [`AnswerMetric`].
fn of_answer(verdict: Option<&Verdict>) -> BTreeMap<String, Option<f64>> {
    let value = |metric: AnswerMetric| verdict.and_then(|verdict| metric.value(verdict));
    AnswerMetric::ALL
        .into_iter()
        .map(|metric| (metric.to_string(), value(metric)))
        .collect()
}

fn means(per_query: &[QueryValues]) -> BTreeMap<String, Summary> {
    let mut values: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
    for (name, value) in per_query.iter().flat_map(|line| &line.values) {
        values.entry(name).or_default().push(*value);
    }
    values
        .into_iter()
        .map(|(name, values)| (name.to_owned(), Summary::of(values)))
        .collect()
}

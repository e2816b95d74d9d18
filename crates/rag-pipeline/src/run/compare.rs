//! Two runs compared: what differs in what they depend on, whether one is better, and what changed for each question.

use std::collections::{BTreeMap, BTreeSet};

use rag_core::answer::Answer;
use rag_core::artifact::Digest;
use rag_core::document::{DOCUMENTS_FILE, Document};
use rag_core::hit::Ranking;
use rag_core::language::Language;
use rag_eval::answers::Label;
use rag_eval::diagnosis::is_right;
use rag_eval::significance::{
    Comparison, Gate, GateVerdict, SignificanceConfig, Slices, compare, compare_slices, correct,
};
use serde::Serialize;
use toml::Value;

use super::measure::{HEADLINE, RIGHT};
use super::{Run, by_id};
use crate::error::PipelineError;

/// What differs between two runs on the same questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunDiff {
    /// What the runs depend on and differ in.
    pub causes: Vec<Cause>,
    /// The second run against the first, by metric, corrected for their number.
    pub metrics: BTreeMap<String, Comparison>,
    /// The same for [`RIGHT`] within each slice of the questions, corrected for the number of slices.
    pub slices: BTreeMap<String, Comparison>,
    /// The questions for which something changed.
    pub questions: Vec<QuestionDiff>,
    /// Number of questions that both runs asked.
    pub asked: usize,
}

/// Something that two runs depend on and differ in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// A setting by its dotted name, a model by its role, or an artifact by its stage.
    pub name: String,
    /// In the first run.
    pub before: String,
    /// In the second run.
    pub after: String,
}

/// Whether a change helped a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Right before, wrong now.
    Hurt,
    /// Wrong before, right now.
    Helped,
    /// As right or wrong as before.
    Same,
}

/// What changed for one question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionDiff {
    /// The question's id.
    pub id: String,
    /// The question.
    pub question: String,
    /// Its kind.
    pub kind: String,
    /// Whether it helped.
    pub effect: Effect,
    /// What changed, one sentence each, from the first box on.
    pub changes: Vec<String>,
}

/// Compares `after` with `before`, question by question.
pub fn diff_runs(before: &Run, after: &Run, config: &SignificanceConfig) -> Result<RunDiff, PipelineError> {
    let (old, new) = (ByQuestion::read(before)?, ByQuestion::read(after)?);
    let shared: Vec<&String> = old
        .labels
        .keys()
        .filter(|id| new.labels.contains_key(*id))
        .collect();
    if shared.is_empty() {
        return Err(PipelineError::NoSharedQuestion {
            before: old.labels.len(),
            after: new.labels.len(),
        });
    }
    let mut metrics = BTreeMap::new();
    for metric in HEADLINE {
        metrics.insert(
            metric.to_owned(),
            compare(&before.values(metric)?, &after.values(metric)?, config),
        );
    }
    correct(metrics.values_mut());
    let slices = slices(after)?;
    let questions = shared.iter().filter_map(|id| question_diff(id, &old, &new));
    let mut questions: Vec<QuestionDiff> = questions.collect();
    questions.sort_by_key(|question| question.effect);
    Ok(RunDiff {
        causes: causes(before, after),
        metrics,
        slices: compare_slices(&before.values(RIGHT)?, &after.values(RIGHT)?, &slices, config),
        questions,
        asked: shared.len(),
    })
}

/// Whether `candidate` may replace `baseline`, by each of `metrics`; p-values are corrected for their number.
pub fn gate_run(
    candidate: &Run,
    baseline: &Run,
    metrics: &[String],
    gate: Gate,
    config: &SignificanceConfig,
) -> Result<BTreeMap<String, (Comparison, GateVerdict)>, PipelineError> {
    if candidate.lock().questions != baseline.lock().questions {
        return Err(PipelineError::OtherQuestions);
    }
    let mut compared = BTreeMap::new();
    for metric in metrics {
        compared.insert(
            metric.clone(),
            compare(&baseline.values(metric)?, &candidate.values(metric)?, config),
        );
    }
    correct(compared.values_mut());
    let judged = |(metric, comparison): (String, Comparison)| {
        let verdict = gate.judge(&comparison);
        (metric, (comparison, verdict))
    };
    Ok(compared.into_iter().map(judged).collect())
}

/// What a run kept of each question, by its id.
struct ByQuestion {
    labels: BTreeMap<String, Label>,
    kept: BTreeMap<String, Ranking>,
    answers: BTreeMap<String, Answer>,
}

impl ByQuestion {
    fn read(run: &Run) -> Result<Self, PipelineError> {
        Ok(Self {
            labels: by_id(run.labels()?, |label| &label.question),
            kept: by_id(run.kept()?, |ranking| &ranking.question),
            answers: by_id(run.answers()?, |answer| &answer.question),
        })
    }
}

fn question_diff(id: &str, old: &ByQuestion, new: &ByQuestion) -> Option<QuestionDiff> {
    let label = new.labels.get(id)?;
    let (before, after) = (old.answers.get(id)?, new.answers.get(id)?);
    let changes = [
        searched(old.kept.get(id)?, new.kept.get(id)?),
        passages(old.kept.get(id)?, new.kept.get(id)?),
        rank(label, old.kept.get(id)?, new.kept.get(id)?),
        prompt(before, after),
        text(before, after),
    ];
    let effect = match (is_right(&old.labels[id], before), is_right(label, after)) {
        (true, false) => Effect::Hurt,
        (false, true) => Effect::Helped,
        _ => Effect::Same,
    };
    let changes: Vec<String> = changes.into_iter().flatten().collect();
    (!changes.is_empty() || effect != Effect::Same).then(|| QuestionDiff {
        id: id.to_owned(),
        question: label.question.text.clone(),
        kind: label.kind.clone(),
        effect,
        changes,
    })
}

fn searched(old: &Ranking, new: &Ranking) -> Option<String> {
    let (old, new) = (old.question.parts().join(" | "), new.question.parts().join(" | "));
    (old != new).then(|| format!("searched for: {old} → {new}"))
}

fn passages(old: &Ranking, new: &Ranking) -> Option<String> {
    let of = |ranking: &Ranking| -> BTreeSet<String> {
        ranking
            .hits
            .iter()
            .map(|hit| hit.passage.id.to_string())
            .collect()
    };
    let (old, new) = (of(old), of(new));
    let list = |ids: Vec<&String>| ids.into_iter().cloned().collect::<Vec<_>>().join(", ");
    let gone = list(old.difference(&new).collect());
    let came = list(new.difference(&old).collect());
    match (gone.is_empty(), came.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("passages that came: {came}")),
        (false, true) => Some(format!("passages that went: {gone}")),
        (false, false) => Some(format!("passages that went: {gone}; that came: {came}")),
    }
}

fn rank(label: &Label, old: &Ranking, new: &Ranking) -> Option<String> {
    let first = |ranking: &Ranking| {
        let rank = label.first_relevant(ranking);
        rank.map_or_else(|| "not there".to_owned(), |rank| rank.to_string())
    };
    let (old, new) = (first(old), first(new));
    (old != new).then(|| format!("rank of the first relevant passage: {old} → {new}"))
}

fn prompt(old: &Answer, new: &Answer) -> Option<String> {
    let of = |answer: &Answer| {
        let ids: Vec<String> = answer
            .passages
            .iter()
            .map(|hit| hit.passage.id.to_string())
            .collect();
        let texts = answer.passages.iter().map(|hit| hit.passage.text.as_bytes());
        (ids, Digest::of_parts(texts))
    };
    let ((old_ids, old_texts), (new_ids, new_texts)) = (of(old), of(new));
    if old_ids == new_ids {
        return (old_texts != new_texts)
            .then(|| "the same passages of the context have other texts".to_owned());
    }
    Some(format!(
        "context: {} → {}",
        old_ids.join(", "),
        new_ids.join(", ")
    ))
}

fn text(old: &Answer, new: &Answer) -> Option<String> {
    (old.text != new.text).then(|| format!("answer: {} → {}", old.text, new.text))
}

/// The settings, models and artifacts that differ.
fn causes(before: &Run, after: &Run) -> Vec<Cause> {
    let (old, new) = (before.lock(), after.lock());
    let mut flat = [BTreeMap::new(), BTreeMap::new()];
    for (lock, flat) in [old, new].into_iter().zip(&mut flat) {
        let settings = Value::try_from(&lock.settings).expect("settings are plain data");
        flatten("", &settings, flat);
        flat.extend(
            lock.models
                .iter()
                .map(|(role, identity)| (format!("model {role}"), identity.clone())),
        );
        flat.extend(
            lock.keys
                .iter()
                .map(|(stage, key)| (format!("artifact {stage}"), key.clone())),
        );
        flat.insert("program".to_owned(), lock.tool.clone());
        flat.insert("questions and labels".to_owned(), lock.questions.to_string());
    }
    let [old, new] = flat;
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let of = |side: &BTreeMap<String, String>, name: &String| {
        side.get(name).cloned().unwrap_or_else(|| "–".to_owned())
    };
    let cause = |name: &String| Cause {
        name: name.clone(),
        before: of(&old, name),
        after: of(&new, name),
    };
    names
        .into_iter()
        .map(cause)
        .filter(|cause| cause.before != cause.after)
        .collect()
}

/// Every value of a tree of settings by its dotted name.
fn flatten(name: &str, value: &Value, flat: &mut BTreeMap<String, String>) {
    if let Value::Table(table) = value {
        for (key, value) in table {
            let name = if name.is_empty() {
                key.clone()
            } else {
                format!("{name}.{key}")
            };
            flatten(&name, value, flat);
        }
    } else {
        flat.insert(name.to_owned(), value.to_string());
    }
}

/// The ending of a file's name, which says its type in a word.
fn ending(source: &str) -> &str {
    source.rsplit_once('.').map_or("none", |(_, ending)| ending)
}

/// The questions of a run by kind, language, and type and department of the documents that answer them.
pub fn slices(run: &Run) -> Result<Slices, PipelineError> {
    let labels = run.labels()?;
    let named: BTreeSet<&String> = labels.iter().flat_map(|label| &label.relevant).collect();
    let mut about: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for document in run.lock().documents()?.json_lines::<Document>(DOCUMENTS_FILE)? {
        let document = document?;
        if named.contains(&document.id.to_string()) {
            let department = document.department.as_deref().unwrap_or("none");
            let slices = vec![
                format!("type={}", ending(&document.source)),
                format!("department={department}"),
            ];
            about.insert(document.id.to_string(), slices);
        }
    }
    let mut slices = Slices::new();
    for label in &labels {
        let own = [
            format!("kind={}", label.kind),
            format!("language={}", Language::detect(&label.question.text)),
        ];
        let of_documents = label
            .relevant
            .iter()
            .filter_map(|id| about.get(id))
            .flatten()
            .cloned();
        for slice in own.into_iter().chain(of_documents) {
            slices.entry(slice).or_default().insert(label.question.id.clone());
        }
    }
    Ok(slices)
}

//! The diagnoses of a run, counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::rung::{Class, Rung};
use super::trail::Diagnosis;
use crate::answers::Rate;

/// Counts over some questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Number of questions.
    pub questions: usize,
    /// Number of questions of each class; a class without one is left out.
    pub by_class: BTreeMap<Class, usize>,
    /// Number of questions that were lost on each rung; a rung without one is left out.
    pub by_rung: BTreeMap<Rung, usize>,
}

/// What became of every question of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DiagnosisReport {
    /// Over all questions.
    pub all: Slice,
    /// By kind of question.
    pub by_kind: BTreeMap<String, Slice>,
    /// For each rung, how many of the answers lost there become right with the right passage put in, of those for
    /// which there was one.
    pub mended: BTreeMap<Rung, Rate>,
    /// Every question, in the order of the run.
    pub diagnoses: Vec<Diagnosis>,
}

impl Slice {
    fn count(&mut self, diagnosis: &Diagnosis) {
        self.questions += 1;
        *self.by_class.entry(diagnosis.class).or_default() += 1;
        if let Some(rung) = diagnosis.rung {
            *self.by_rung.entry(rung).or_default() += 1;
        }
    }

    /// Number of questions of `class`.
    pub fn of_class(&self, class: Class) -> usize {
        self.by_class.get(&class).copied().unwrap_or(0)
    }

    /// Number of questions that were lost on `rung`.
    pub fn on_rung(&self, rung: Rung) -> usize {
        self.by_rung.get(&rung).copied().unwrap_or(0)
    }
}

impl DiagnosisReport {
    /// Counts `diagnoses`.
    pub fn of(diagnoses: Vec<Diagnosis>) -> Self {
        let mut report = Self::default();
        for diagnosis in &diagnoses {
            report.all.count(diagnosis);
            report
                .by_kind
                .entry(diagnosis.kind.clone())
                .or_default()
                .count(diagnosis);
            if let (Some(rung), Some(mended)) = (diagnosis.rung, diagnosis.mended) {
                let rate = report.mended.entry(rung).or_default();
                rate.of += 1;
                rate.hits += usize::from(mended);
            }
        }
        report.diagnoses = diagnoses;
        report
    }

    /// The questions whose answer is not right, in order of the rung that lost them.
    pub fn lost(&self) -> Vec<&Diagnosis> {
        let mut lost: Vec<&Diagnosis> = self
            .diagnoses
            .iter()
            .filter(|found| found.rung.is_some())
            .collect();
        lost.sort_by_key(|found| found.rung);
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnosis(kind: &str, rung: Option<Rung>, mended: Option<bool>) -> Diagnosis {
        Diagnosis {
            id: "q".into(),
            question: "Why?".into(),
            kind: kind.into(),
            class: rung.map_or(Class::Ok, Rung::class),
            rung,
            evidence: Vec::new(),
            sought: Vec::new(),
            mended,
            answer: String::new(),
            accepted: Vec::new(),
        }
    }

    #[test]
    fn questions_are_counted_by_class_rung_and_kind() {
        let report = DiagnosisReport::of(vec![
            diagnosis("table", Some(Rung::Unused), Some(true)),
            diagnosis("table", None, None),
            diagnosis("plain", Some(Rung::Fusion), Some(false)),
            diagnosis("plain", Some(Rung::Corpus), None),
        ]);
        assert_eq!(
            (report.all.questions, report.all.of_class(Class::RetrievalMiss)),
            (4, 2)
        );
        assert_eq!(
            (
                report.by_kind["table"].of_class(Class::Ok),
                report.by_kind["table"].on_rung(Rung::Unused)
            ),
            (1, 1)
        );
        assert_eq!(report.mended[&Rung::Fusion], Rate { hits: 0, of: 1 });
        assert!(!report.mended.contains_key(&Rung::Corpus));
        let order: Vec<Option<Rung>> = report.lost().iter().map(|found| found.rung).collect();
        assert_eq!(
            order,
            [Some(Rung::Corpus), Some(Rung::Fusion), Some(Rung::Unused)]
        );
        let read: DiagnosisReport = serde_json::from_str(&serde_json::to_string(&report).unwrap()).unwrap();
        assert_eq!(read, report);
    }
}

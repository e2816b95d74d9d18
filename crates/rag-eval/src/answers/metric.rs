//! What is measured of answers, by name: values per question to compare systems with, and their means.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::score::Verdict;
use crate::error::EvalError;
use crate::retrieval::Summary;
use crate::significance::Values;

/// A value of an answer; higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnswerMetric {
    /// `correct`: contains an accepted text; answerable questions.
    Correct,
    /// `exact_match`: is an accepted text, in SQuAD's form; answerable questions.
    ExactMatch,
    /// `f1`: greatest token F1 with an accepted text; answerable questions.
    TokenF1,
    /// `cited`: a verified citation names a relevant document; answerable questions.
    Cited,
    /// `correct_cited`: both; answerable questions.
    CorrectCited,
    /// `citation_precision`: share of the cited passages that are verified and relevant; answers that cite.
    CitationPrecision,
    /// `citation_recall`: share of the relevant documents that are cited; answerable questions.
    CitationRecall,
    /// `faithfulness`: share of the sentences with a verified citation; answers that say something.
    Faithfulness,
    /// `answered`: was not declined; answerable questions.
    Answered,
    /// `declined_rightly`: was declined; unanswerable questions.
    DeclinedRightly,
    /// `right`: all of what the question asks for, see [`Verdict::right`].
    Right,
}

impl AnswerMetric {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 11] = [
        Self::Correct,
        Self::ExactMatch,
        Self::TokenF1,
        Self::Cited,
        Self::CorrectCited,
        Self::CitationPrecision,
        Self::CitationRecall,
        Self::Faithfulness,
        Self::Answered,
        Self::DeclinedRightly,
        Self::Right,
    ];

    /// The value for one question; `None` where the question does not ask for it.
    pub fn value(self, verdict: &Verdict) -> Option<f64> {
        let number = |holds: bool| if holds { 1.0 } else { 0.0 };
        match self {
            Self::Correct => verdict.correct.map(number),
            Self::ExactMatch => verdict.exact_match.map(number),
            Self::TokenF1 => verdict.token_f1,
            Self::Cited => verdict.cited.map(number),
            Self::CorrectCited => {
                let both = verdict.correct.zip(verdict.cited);
                both.map(|(correct, cited)| number(correct && cited))
            }
            Self::CitationPrecision => verdict.citation_precision,
            Self::CitationRecall => verdict.citation_recall,
            Self::Faithfulness => verdict.faithfulness,
            Self::Answered => verdict.declined_wrongly.map(|declined| number(!declined)),
            Self::DeclinedRightly => verdict.declined_rightly.map(number),
            Self::Right => verdict.right().map(number),
        }
    }

    /// The values by question, as [`significance::compare`](crate::significance::compare) takes them.
    pub fn values(self, verdicts: &[Verdict]) -> Values {
        let values = verdicts.iter();
        values
            .map(|verdict| (verdict.question.clone(), self.value(verdict)))
            .collect()
    }

    /// The name, as reports and files have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Correct => "correct",
            Self::ExactMatch => "exact_match",
            Self::TokenF1 => "f1",
            Self::Cited => "cited",
            Self::CorrectCited => "correct_cited",
            Self::CitationPrecision => "citation_precision",
            Self::CitationRecall => "citation_recall",
            Self::Faithfulness => "faithfulness",
            Self::Answered => "answered",
            Self::DeclinedRightly => "declined_rightly",
            Self::Right => "right",
        }
    }
}

/// Mean and counts by the metric's name.
pub(super) fn means(verdicts: &[Verdict]) -> BTreeMap<String, Summary> {
    let summary = |metric: AnswerMetric| Summary::of(verdicts.iter().map(|verdict| metric.value(verdict)));
    AnswerMetric::ALL
        .into_iter()
        .map(|metric| (metric.to_string(), summary(metric)))
        .collect()
}

impl fmt::Display for AnswerMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AnswerMetric {
    type Err = EvalError;

    /// Reads a name as [`AnswerMetric`] is written, such as `f1`.
    fn from_str(name: &str) -> Result<Self, EvalError> {
        let found = Self::ALL.into_iter().find(|metric| metric.name() == name);
        found.ok_or_else(|| EvalError::AnswerMetric {
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for metric in AnswerMetric::ALL {
            assert_eq!(metric.to_string().parse::<AnswerMetric>().unwrap(), metric);
        }
        let message = "F1".parse::<AnswerMetric>().unwrap_err().to_string();
        assert!(message.contains("exact_match, f1"), "{message}");
    }
}

//! Labelled questions: one line of `data/questions.jsonl`.

use rag_core::hit::Ranking;
use rag_core::question::Question;
use serde::{Deserialize, Serialize};

use super::matching::contains_answer;

/// A question with what is right for its asker.
///
/// ```json
/// {"id":"q1","question":"What is the meal cap?","kind":"table","groups":["everyone"],
///  "relevant":["travel-policy"],"answers":["EUR 52"],"answerable":true,"filters":{"updated_after":"2025-01-01"}}
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The question, with its asker, history and conditions.
    #[serde(flatten)]
    pub question: Question,
    /// What the question tries, such as `identifier`, `paraphrase` or `unanswerable`.
    #[serde(default)]
    pub kind: String,
    /// Ids of the documents that answer it; empty when none does or the asker may not read them.
    #[serde(default)]
    pub relevant: Vec<String>,
    /// Texts of which an answer must contain one.
    #[serde(default)]
    pub answers: Vec<String>,
    /// For a question of several parts: for each, the texts of which an answer must contain one.
    /// Where there are parts, they decide and `answers` does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Vec<String>>,
    /// False when the right thing is to decline.
    pub answerable: bool,
}

impl Label {
    /// True when `answer` says what is accepted, or `None` when the label accepts no text that could
    /// be looked for.
    pub fn accepts(&self, answer: &str) -> Option<bool> {
        let has_one = |accepted: &[String]| accepted.iter().any(|text| contains_answer(answer, text));
        if !self.parts.is_empty() {
            return Some(self.parts.iter().all(|part| has_one(part)));
        }
        (!self.answers.is_empty()).then(|| has_one(&self.answers))
    }

    /// Rank of the first passage of `ranking` that is of a relevant document, from 1.
    pub fn first_relevant(&self, ranking: &Ranking) -> Option<u32> {
        let is_relevant = |document: &str| self.relevant.iter().any(|relevant| relevant == document);
        let mut hits = ranking.hits.iter();
        let found = hits.find(|hit| is_relevant(hit.passage.document_id().as_str()))?;
        Some(found.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(json: &str) -> Label {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn labels_read_with_their_question() {
        let label = label(
            r#"{"id":"q1","question":"And then?","history":["First?"],"kind":"follow-up","groups":["hr"],"relevant":["a"],
                "answers":["5 days"],"answerable":true,"filters":{"updated_after":"2025-01-01"}}"#,
        );
        assert_eq!(label.question.text, "And then?");
        assert_eq!(label.question.history, ["First?"]);
        assert!(label.question.filter.updated_after.is_some());
        assert_eq!(label.accepts("It takes 5 days."), Some(true));
    }

    #[test]
    fn every_part_must_be_answered() {
        let label = label(
            r#"{"id":"q","question":"?","answers":["20 minutes","Head"],"parts":[["20 minutes","twenty minutes"],["Head of Support"]],"answerable":true}"#,
        );
        assert_eq!(
            label.accepts("Within twenty minutes. The Head of Support approves."),
            Some(true)
        );
        assert_eq!(label.accepts("Within 20 minutes."), Some(false));
    }

    #[test]
    fn a_label_without_accepted_texts_decides_nothing() {
        let label = label(r#"{"id":"q","question":"?","answerable":true}"#);
        assert_eq!(label.accepts("Anything."), None);
    }
}

//! Questions, as batch stages read them.

use serde::{Deserialize, Serialize};

use crate::access::Principal;
use crate::filter::Filter;

/// One question of a batch: one line of a questions file.
///
/// BEIR's `queries.jsonl` (`_id`, `text`) reads as questions of [`Principal::everyone`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Unique in its file.
    #[serde(alias = "_id")]
    pub id: String,
    /// What is asked.
    #[serde(alias = "question")]
    pub text: String,
    /// Earlier turns of the asker, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<String>,
    /// The questions that this one is made of, when it asks several things and was taken apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_questions: Vec<String>,
    /// Who asks.
    #[serde(default, rename = "groups")]
    pub principal: Principal,
    /// Conditions on what may be considered.
    #[serde(default, alias = "filters", skip_serializing_if = "Filter::is_empty")]
    pub filter: Filter,
}

impl Question {
    /// A question without history and conditions.
    pub fn new(id: impl Into<String>, text: impl Into<String>, principal: Principal) -> Self {
        Self {
            id: id.into(),
            text: text.into(),
            history: Vec::new(),
            sub_questions: Vec::new(),
            principal,
            filter: Filter::default(),
        }
    }

    /// What is to be found out: the sub-questions, or the question itself.
    pub fn parts(&self) -> &[String] {
        if self.sub_questions.is_empty() {
            std::slice::from_ref(&self.text)
        } else {
            &self.sub_questions
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beir_and_labelled_questions_read_alike() {
        let beir: Question = serde_json::from_str(r#"{"_id":"7","text":"Why?"}"#).unwrap();
        assert_eq!(beir, Question::new("7", "Why?", Principal::everyone()));
        let ours: Question =
            serde_json::from_str(r#"{"id":"7","question":"Why?","groups":["hr"],"kind":"plain"}"#).unwrap();
        assert_eq!(ours.principal, Principal::from_iter(["hr"]));
    }
}

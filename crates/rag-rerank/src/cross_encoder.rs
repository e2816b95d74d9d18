//! The reranker that reads question and passage together with a transformer.

use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_models::{CrossEncoder, Reading};

use crate::error::RerankError;
use crate::reranker::{Reranker, Scores};

/// Scores by a [`CrossEncoder`], which sees a passage's title and headings before its text.
pub struct CrossEncoderReranker<'m> {
    model: &'m dyn CrossEncoder,
}

impl<'m> CrossEncoderReranker<'m> {
    /// A reranker by `model`.
    pub fn new(model: &'m dyn CrossEncoder) -> Self {
        Self { model }
    }
}

impl Reranker for CrossEncoderReranker<'_> {
    fn name(&self) -> String {
        let identity = self.model.identity();
        format!("{} {}", identity.name, identity.key().short())
    }

    fn serves(&self, language: Language) -> bool {
        self.model.serves(language)
    }

    fn score(&self, question: &str, passages: &[&Passage]) -> Result<Scores, RerankError> {
        let texts: Vec<String> = passages.iter().map(|passage| reading_text(passage)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let scores = self.model.score(question, &texts)?;
        Ok(Scores {
            values: scores.logits,
            truncated_tokens: scores.truncated_tokens,
            truncated_query_tokens: scores.truncated_query_tokens,
        })
    }

    fn reading(&self, question: &str, passages: &[&Passage]) -> Vec<Reading> {
        let texts: Vec<String> = passages.iter().map(|passage| reading_text(passage)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.model.reading(question, &texts)
    }
}

/// The passage as the model reads it: the title and the headings say what a passage is about that
/// never names its subject. A heading that repeats the title, or opens the text, stands once.
fn reading_text(passage: &Passage) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for heading in passage.headings().map(str::trim) {
        if !heading.is_empty() && !parts.contains(&heading) && !passage.text.starts_with(heading) {
            parts.push(heading);
        }
    }
    parts.push(&passage.text);
    parts.join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{WordOverlap, passage};

    #[test]
    fn a_passage_is_read_below_its_headings_each_once() {
        let mut leave = passage("hr#0", "Ask two weeks ahead.");
        leave.title = "Annual leave".into();
        leave.section = vec!["Annual leave".into(), "Requests".into()];
        assert_eq!(
            reading_text(&leave),
            "Annual leave. Requests. Ask two weeks ahead."
        );
        leave.text = "Annual leave\n\nAsk.".into();
        assert_eq!(reading_text(&leave), "Requests. Annual leave\n\nAsk.");
    }

    #[test]
    fn scores_keep_the_order_of_the_passages() {
        let model = WordOverlap::default();
        let reranker = CrossEncoderReranker::new(&model);
        let (near, far) = (passage("a#0", "red car"), passage("b#0", "blue sky"));
        let scores = reranker.score("red car", &[&far, &near]).unwrap();
        assert!(scores.values[1] > scores.values[0]);
        assert!(reranker.serves(Language::UNKNOWN) && !reranker.serves(Language::ARABIC));
    }
}

//! Texts written ahead of a search: a follow-up made standalone, other phrasings, a supposed answer.
//!
//! They come from a language model or from a file, are used to search and never shown. Whoever wrote them
//! is named in the notes of the ranking.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rag_core::artifact::{ArtifactError, Digest, jsonl};
use rag_core::question::Question;
use rag_models::LanguageModel;
use rag_models::language_model::{Prompt, Stop};
use serde::{Deserialize, Serialize};

use crate::error::RetrieveError;

/// Longest text that is taken from a draft, in characters.
const MOST_CHARS: usize = 2000;

/// Most tokens that a model may write for one draft.
const MOST_TOKENS: usize = 160;

/// What is drafted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftKind {
    /// The question as it would be asked without the turns before it: one text.
    Standalone,
    /// Other ways of asking it: at most this many texts.
    Phrasings(usize),
    /// A passage that would answer it, true or not: one text. Searching with it is HyDE (Gao, Ma, Lin and
    /// Callan, ACL 2023).
    Passage,
}

/// Writes drafts.
pub trait Drafter: Send + Sync {
    /// Names who writes and all that decides what is written: part of an artifact's key.
    fn name(&self) -> String;

    /// Texts of the kind asked for; none when it has nothing to offer.
    fn draft(&self, kind: DraftKind, question: &Question) -> Result<Vec<String>, RetrieveError>;
}

/// Drafts by a language model.
pub struct ModelDrafter {
    model: Arc<dyn LanguageModel>,
}

impl ModelDrafter {
    /// Lets `model` write.
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model }
    }
}

impl Drafter for ModelDrafter {
    fn name(&self) -> String {
        self.model.identity()
    }

    fn draft(&self, kind: DraftKind, question: &Question) -> Result<Vec<String>, RetrieveError> {
        let (task, most) = match kind {
            DraftKind::Standalone => (
                "Rewrite the last question so that it can be understood without the questions before it. \
                 Reply with the question alone."
                    .to_owned(),
                1,
            ),
            DraftKind::Phrasings(most) => (
                format!(
                    "Write {most} other ways of asking the question, with other words. One per line, nothing else."
                ),
                most,
            ),
            DraftKind::Passage => (
                "Write two sentences, as they might stand in a handbook, that answer the question."
                    .to_owned(),
                1,
            ),
        };
        let prompt = Prompt::new(task, conversation(question), MOST_TOKENS);
        let completion = self.model.complete(&prompt, &mut |_| ControlFlow::Continue(()))?;
        if matches!(completion.stop, Stop::Refused(_)) {
            return Ok(Vec::new());
        }
        let text = completion.text.trim();
        Ok(match kind {
            DraftKind::Passage => texts([text], 1),
            _ => texts(text.lines().map(without_number), most),
        })
    }
}

/// The turns before the question and the question itself, oldest first.
fn conversation(question: &Question) -> String {
    let mut turns: Vec<&str> = question.history.iter().map(String::as_str).collect();
    turns.push(&question.text);
    turns.join("\n")
}

/// A line without the mark of a list before it.
fn without_number(line: &str) -> &str {
    let line = line.trim();
    let marked = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = marked.trim_start_matches(['.', ')', '-', '*', '•']);
    if rest.len() < marked.len() {
        rest.trim_matches(|c: char| c.is_whitespace() || c == '"')
    } else {
        line.trim_matches('"')
    }
}

/// At most `most` distinct texts of bounded length that say something.
fn texts<'t>(drafts: impl IntoIterator<Item = &'t str>, most: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for draft in drafts {
        let text: String = draft.chars().take(MOST_CHARS).collect();
        if text.contains(char::is_alphanumeric) && !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept.truncate(most);
    kept
}

/// Drafts from a file of JSON lines, one [`DraftLine`] per question.
pub struct FileDrafter {
    name: String,
    lines: HashMap<String, DraftLine>,
}

/// What is drafted for one question: one line of a drafts file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DraftLine {
    /// The question, word for word.
    pub question: String,
    /// The question as it would be asked without the turns before it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub standalone: String,
    /// Other ways of asking it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phrasings: Vec<String>,
    /// A passage that would answer it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub passage: String,
}

impl FileDrafter {
    /// Reads the drafts file at `path`. Of two lines for one question the later counts.
    pub fn open(path: &Path) -> Result<Self, RetrieveError> {
        let digest = Digest::of_file(path).map_err(ArtifactError::from)?.blake3;
        let lines: Vec<DraftLine> = jsonl::read_all(path)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self {
            name: format!("drafts of {file} {}", digest.short()),
            lines: lines
                .into_iter()
                .map(|line| (line.question.trim().to_owned(), line))
                .collect(),
        })
    }
}

impl Drafter for FileDrafter {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn draft(&self, kind: DraftKind, question: &Question) -> Result<Vec<String>, RetrieveError> {
        let Some(line) = self.lines.get(question.text.trim()) else {
            return Ok(Vec::new());
        };
        Ok(match kind {
            DraftKind::Standalone => texts([line.standalone.as_str()], 1),
            DraftKind::Phrasings(most) => texts(line.phrasings.iter().map(String::as_str), most),
            DraftKind::Passage => texts([line.passage.as_str()], 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use rag_core::access::Principal;
    use rag_models::ModelError;
    use rag_models::language_model::{Completion, TokenUsage};

    use super::*;

    /// Writes the same text whatever is asked.
    struct Says(&'static str, Stop);

    impl LanguageModel for Says {
        fn identity(&self) -> String {
            "says".to_owned()
        }

        fn complete(
            &self,
            _: &Prompt,
            _: &mut dyn FnMut(&str) -> ControlFlow<()>,
        ) -> Result<Completion, ModelError> {
            Ok(Completion {
                text: self.0.to_owned(),
                citations: Vec::new(),
                calls: Vec::new(),
                stop: self.1.clone(),
                usage: TokenUsage::default(),
            })
        }
    }

    fn asked() -> Question {
        Question::new("1", "How long is it?", Principal::everyone())
    }

    #[test]
    fn lists_of_a_model_are_read_without_their_marks() {
        let says = "1. How many days?\n2) \"What length?\"\n\n- How many days?\n* 3 weeks?\nWhat else?";
        let model = Arc::new(Says(says, Stop::End));
        let found = ModelDrafter::new(model)
            .draft(DraftKind::Phrasings(3), &asked())
            .unwrap();
        assert_eq!(found, ["How many days?", "What length?", "3 weeks?"]);
        let refused = Arc::new(Says("partial", Stop::Refused("policy".into())));
        let found = ModelDrafter::new(refused).draft(DraftKind::Passage, &asked());
        assert_eq!(found.unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_file_answers_for_the_questions_that_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drafts.jsonl");
        let line = r#"{"question":"How long is it?","phrasings":["How many days?","  ","How many days?"],"passage":"It is 5."}"#;
        fs_err::write(&path, line).unwrap();
        let drafter = FileDrafter::open(&path).unwrap();
        let draft = |kind, question: &Question| drafter.draft(kind, question).unwrap();
        assert_eq!(draft(DraftKind::Phrasings(4), &asked()), ["How many days?"]);
        assert_eq!(draft(DraftKind::Passage, &asked()), ["It is 5."]);
        assert!(draft(DraftKind::Standalone, &asked()).is_empty());
        let other = Question::new("2", "Why?", Principal::everyone());
        assert!(draft(DraftKind::Passage, &other).is_empty());
        assert!(drafter.name().starts_with("drafts of drafts.jsonl "));
        fs_err::write(&path, r#"{"qestion":"x"}"#).unwrap();
        assert!(FileDrafter::open(&path).is_err());
    }
}

//! The trait behind which everything that writes answers stands, and what it hands over to the check.

use rag_core::answer::DECLINED;
use rag_core::question::Question;

use crate::context::Context;
use crate::error::GenerateError;

/// Writes answers from a context.
///
/// All generators obey one contract: they answer only from the sources, cite a source for each sentence, and
/// else write [`DECLINED`]. None is believed: [`crate::generate`] checks what they write.
pub trait Generator: Send + Sync {
    /// Names all that decides an answer beside the settings: part of an artifact's key.
    fn name(&self) -> String;

    /// Writes an answer to `question`, whose sources are in `context`, or declines.
    fn draft(&self, question: &Question, context: &Context) -> Result<Draft, GenerateError>;

    /// Whether the sources of `context` answer `part`, one of the parts of a question.
    fn answers(&self, part: &str, context: &Context) -> Result<bool, GenerateError>;
}

/// What a generator wrote, before it was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The answer with `[document#position]` behind each sentence, or [`DECLINED`].
    pub text: String,
    /// The probability that the sources answer every part, from 0 to 1, where the generator knows it.
    pub confidence: Option<f32>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// Tokens that a language model wrote.
    pub written_tokens: u64,
}

impl Draft {
    /// The draft that declines.
    pub fn declined() -> Self {
        Self {
            text: DECLINED.to_owned(),
            confidence: Some(0.0),
            notes: Vec::new(),
            written_tokens: 0,
        }
    }
}

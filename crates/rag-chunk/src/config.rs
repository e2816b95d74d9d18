//! The settings of the stage, with their defaults and why.

use rag_core::setting::in_range;
use serde::{Deserialize, Serialize};

use crate::error::ChunkError;

/// Longest passage that can be asked for, in tokens: more than any embedder takes, for experiments
/// with whole documents as passages.
const MOST_TOKENS: u32 = 1 << 20;

/// A context line may take half of the limit, so the rest must still hold a few words.
const LEAST_TOKENS: u32 = 8;

/// How documents become passages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The way of cutting. Default: [`Kind::Sentence`].
    pub kind: Kind,
    /// Longest passage in the embedder's tokens, context line included, special tokens excluded.
    /// Default: 240, which leaves room for special tokens and a prefix in a 256-token embedder.
    pub max_tokens: u32,
    /// Tokens that a passage repeats from the one before; [`Kind::Fixed`] only. Default: 40.
    pub overlap_tokens: u32,
    /// Longest passage in characters; [`Kind::Markdown`] only, beside `max_tokens`. Default: 1500.
    pub max_chars: u32,
    /// Neighbouring sections are put into one passage, with their headings, while together they stay
    /// below this many tokens. Default: 0, no passage crosses a heading.
    pub merge_sections_below_tokens: u32,
    /// The line put before a passage's text when it is indexed. Default: [`ContextLine::Heading`].
    pub context: ContextLine,
    /// Tokens of a passage that are kept free for its description; [`ContextLine::Described`] only. Default: 40.
    pub description_tokens: u32,
    /// What is handed over when a passage matches and its surroundings are wanted. Default: [`Parent::Section`].
    pub parent: Parent,
    /// Passages on either side that [`Parent::Window`] takes in. Default: 1.
    pub window_passages: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            kind: Kind::default(),
            max_tokens: 240,
            overlap_tokens: 40,
            max_chars: 1500,
            merge_sections_below_tokens: 0,
            context: ContextLine::default(),
            description_tokens: 40,
            parent: Parent::default(),
            window_passages: 1,
        }
    }
}

/// The ways of cutting a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Whole sentences of one section, packed up to `max_tokens`.
    #[default]
    Sentence,
    /// Whole paragraphs of one section, packed up to `max_chars` (and `max_tokens`).
    Markdown,
    /// Windows of `max_tokens` that overlap by `overlap_tokens` and heed no structure.
    Fixed,
}

/// The line put before a passage's text when it is indexed, so that it still says what it is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextLine {
    /// No line.
    None,
    /// `title > heading > heading`.
    #[default]
    Heading,
    /// `source > heading > heading`, with the path of the source file.
    Source,
    /// `title (department) > heading > heading`.
    Contextual,
    /// The line of [`ContextLine::Contextual`] and a sentence that a language model, or a file, says of the passage
    /// (see [`Describer`](crate::Describer)).
    Described,
}

/// The part of a document that stands behind a passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parent {
    /// The section, with its heading.
    #[default]
    Section,
    /// The whole document.
    Document,
    /// The passage and its neighbours.
    Window,
}

impl Config {
    /// Checks that every setting is in its range.
    pub fn check(&self) -> Result<(), ChunkError> {
        let overlap_tokens = if self.kind == Kind::Fixed {
            self.overlap_tokens
        } else {
            0
        };
        let merge_below = self.merge_sections_below_tokens;
        in_range("chunk.max_tokens", self.max_tokens, LEAST_TOKENS..=MOST_TOKENS)?;
        in_range("chunk.overlap_tokens", overlap_tokens, 0..=self.max_tokens / 2)?;
        in_range("chunk.max_chars", self.max_chars, 40..=MOST_TOKENS)?;
        in_range(
            "chunk.merge_sections_below_tokens",
            merge_below,
            0..=self.max_tokens,
        )?;
        in_range("chunk.window_passages", self.window_passages, 0..=1000)?;
        in_range(
            "chunk.description_tokens",
            self.kept_free(),
            0..=self.max_tokens / 4,
        )?;
        Ok(())
    }

    /// Tokens of a passage that are kept free for its description.
    pub(crate) fn kept_free(&self) -> u32 {
        match self.context {
            ContextLine::Described => self.description_tokens,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case = (&'static str, fn(&mut Config));

    #[test]
    fn settings_are_checked() {
        assert!(Config::default().check().is_ok());
        let cases: &[Case] = &[
            ("max_tokens", |c| c.max_tokens = 3),
            ("overlap_tokens", |c| {
                (c.kind, c.overlap_tokens) = (Kind::Fixed, 121);
            }),
            ("max_chars", |c| c.max_chars = 0),
            ("description_tokens", |c| {
                (c.context, c.description_tokens) = (ContextLine::Described, 61);
            }),
            ("merge_sections_below_tokens", |c| {
                c.merge_sections_below_tokens = 241;
            }),
        ];
        for (name, spoil) in cases {
            let mut config = Config::default();
            spoil(&mut config);
            let message = config.check().unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
        }
    }

    #[test]
    fn settings_read_from_text_and_refuse_unknown_names() {
        let config: Config =
            serde_json::from_str(r#"{"kind":"markdown","context":"source","max_chars":900}"#).unwrap();
        assert_eq!(
            (config.kind, config.context),
            (Kind::Markdown, ContextLine::Source)
        );
        assert!(serde_json::from_str::<Config>(r#"{"max_token":3}"#).is_err());
    }
}

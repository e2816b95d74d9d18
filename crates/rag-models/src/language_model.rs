//! The trait behind which every text-writing model stands, and the vocabulary of a conversation with one.
//!
//! A local model and a provider across the network take the same [`Prompt`] and give the same
//! [`Completion`]; what differs (chat templates, wire formats, retries) stays behind the trait.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// Writes text after a conversation.
///
/// Nothing is cut silently: a conversation that does not fit is [`ModelError::PromptTooLong`], and text that
/// ended at the limit says so in [`Completion::stop`].
pub trait LanguageModel: Send + Sync {
    /// Names all that decides the text beside the prompt: the model, its weights' digest or the endpoint,
    /// and sampling settings. Part of an artifact's key; never contains a secret.
    fn identity(&self) -> String;

    /// True when [`Message::sources`] are sent as they are and the completion cites them by itself; else the
    /// caller writes the sources into the text.
    fn cites_sources(&self) -> bool {
        false
    }

    /// Tokens that prompt and answer may have together, where that is known.
    fn context_limit(&self) -> Option<usize> {
        None
    }

    /// Tokens of `text`, where the model's tokenizer is at hand.
    fn count_tokens(&self, _text: &str) -> Option<usize> {
        None
    }

    /// Writes the next message. `on_text` is given each piece of text as it comes, and may stop the writing
    /// by [`ControlFlow::Break`], after which [`Completion::stop`] is [`Stop::Cancelled`]. Text that was
    /// handed out is void when an error or [`Stop::Refused`] follows.
    fn complete(
        &self,
        prompt: &Prompt,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, ModelError>;
}

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The rules of the conversation.
    System,
    /// The asker.
    User,
    /// The model.
    Assistant,
    /// The result of a tool that the model called.
    Tool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub speaker: Speaker,
    /// What is said; for [`Speaker::Tool`], the tool's result.
    pub text: String,
    /// Passages to answer from, for models that cite by themselves (see [`LanguageModel::cites_sources`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Tools that the model calls with this message; of [`Speaker::Assistant`] only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// The call that this is the result of; of [`Speaker::Tool`] only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

impl Message {
    /// A message of text alone.
    pub fn new(speaker: Speaker, text: impl Into<String>) -> Self {
        Self {
            speaker,
            text: text.into(),
            sources: Vec::new(),
            calls: Vec::new(),
            call_id: None,
        }
    }
}

/// A passage that a model may cite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// What a citation names: the passage's id.
    pub id: String,
    /// Title of its document.
    pub title: String,
    /// Its text, untrusted.
    pub text: String,
}

/// A function that a model may ask the caller to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// When and how to use it, as told to the model.
    pub description: String,
    /// JSON schema of its arguments, an object.
    pub parameters: serde_json::Value,
}

/// A model's wish to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Ties the result to the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them: a JSON value that need not fit the schema.
    pub arguments: serde_json::Value,
}

/// What a model is asked to continue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Tools on offer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Most tokens to write.
    pub max_tokens: usize,
    /// Texts that end the answer; they are not part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
}

impl Prompt {
    /// A conversation of a system message and a user's, without tools and stop texts.
    pub fn new(system: impl Into<String>, user: impl Into<String>, max_tokens: usize) -> Self {
        Self {
            messages: vec![
                Message::new(Speaker::System, system),
                Message::new(Speaker::User, user),
            ],
            tools: Vec::new(),
            max_tokens,
            stop: Vec::new(),
        }
    }
}

/// What a model wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// The text; empty when tools are called instead.
    pub text: String,
    /// Citations made by the model itself, in the order of the text. They are claims to be checked.
    pub citations: Vec<SourceCitation>,
    /// Tools to run before the conversation goes on.
    pub calls: Vec<ToolCall>,
    /// Why the writing ended.
    pub stop: Stop,
    /// What it cost.
    pub usage: TokenUsage,
}

/// A place in a completion's text and the source that it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCitation {
    /// Byte of the text behind the cited statement.
    pub end: usize,
    /// [`Source::id`] of the source.
    pub source: String,
    /// The words that the model says the source has.
    pub quote: String,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It was done.
    End,
    /// One of [`Prompt::stop`] came.
    StopText,
    /// It waits for the results of tools.
    ToolCalls,
    /// The limit of tokens or of the model's context was reached: the text is not complete.
    Length,
    /// The model or its provider declined; what it says of the reason.
    Refused(String),
    /// The caller wanted no more.
    Cancelled,
    /// A reason that this version does not know.
    Other(String),
}

/// Tokens of one completion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Read.
    pub prompt: u64,
    /// Written.
    pub completion: u64,
}

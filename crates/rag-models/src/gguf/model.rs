//! A local language model: the parts put together behind [`LanguageModel`].

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::decoder::{Decoder, Memory, Shape};
use super::error::GgufError;
use super::header::Header;
use super::sampling::{Sampler, Sampling};
use super::stream::{Ending, Stream};
use super::template::Template;
use super::tool_calls;
use super::vocabulary::Vocabulary;
use crate::error::ModelError;
use crate::language_model::{Completion, LanguageModel, Prompt, Stop, TokenUsage};
use crate::weights::mmap;

/// Largest accepted file.
const MAX_FILE_BYTES: u64 = 64 << 30;
/// Raised whenever the same weights and prompt may give another text.
const ARITHMETIC: u32 = 2;
/// Digits of the weights' digest in the identity.
const DIGEST_DIGITS: usize = 16;

/// A language model out of a GGUF file. One completion at a time is computed; others wait.
#[derive(Debug)]
pub(super) struct GgufModel {
    name: String,
    path: PathBuf,
    identity: String,
    sampling: Sampling,
    context_limit: usize,
    vocabulary: Vocabulary,
    template: Template,
    loaded: Mutex<Option<Loaded>>,
}

/// What takes the memory.
#[derive(Debug)]
struct Loaded {
    decoder: Decoder,
    memory: Memory,
}

impl GgufModel {
    /// Reads all of the file but its weights.
    pub(super) fn open(
        name: String,
        path: PathBuf,
        digest: &str,
        sampling: Sampling,
        max_context_tokens: usize,
    ) -> Result<Self, ModelError> {
        let file = mmap::map_file(&path, MAX_FILE_BYTES)?;
        let read = || {
            let header = Header::read(&file)?;
            let shape = Shape::read(&header)?;
            let vocabulary = Vocabulary::read(&header, shape.vocabulary)?;
            let template = Template::new(header.text("tokenizer.chat_template"), &vocabulary)?;
            Ok((shape, vocabulary, template))
        };
        let (shape, vocabulary, template) = read().map_err(in_file(&path))?;
        let digest = digest.get(..DIGEST_DIGITS).unwrap_or(digest);
        Ok(Self {
            identity: format!("{name}@{digest} arithmetic{ARITHMETIC} {}", sampling.key()),
            context_limit: shape.context.min(max_context_tokens),
            name,
            path,
            sampling,
            vocabulary,
            template,
            loaded: Mutex::new(None),
        })
    }

    fn load(&self) -> Result<Loaded, ModelError> {
        let file = mmap::map_file(&self.path, MAX_FILE_BYTES)?;
        let read = || {
            let header = Header::read(&file)?;
            let shape = Shape::read(&header)?;
            Decoder::read(&file, &header, shape)
        };
        Ok(Loaded {
            decoder: read().map_err(in_file(&self.path))?,
            memory: Memory::default(),
        })
    }

    /// The ids of a conversation, which fits with its answer.
    fn encode(&self, prompt: &Prompt) -> Result<Vec<u32>, ModelError> {
        let too_long = |prompt_tokens: usize| ModelError::PromptTooLong {
            model: self.name.clone(),
            tokens: prompt_tokens.saturating_add(prompt.max_tokens),
            limit: self.context_limit,
        };
        // What cannot fit is not even encoded.
        let bytes = prompt.messages.iter().map(|message| message.text.len()).sum();
        let least = self.vocabulary.least_tokens(bytes);
        if least.saturating_add(prompt.max_tokens) > self.context_limit {
            return Err(too_long(least));
        }
        let encode = || {
            let rendered = self.template.render(prompt, &self.vocabulary)?;
            self.vocabulary
                .encode_conversation(&rendered.text, rendered.shield)
        };
        let ids = encode().map_err(in_file(&self.path))?;
        if ids.len().saturating_add(prompt.max_tokens) > self.context_limit {
            return Err(too_long(ids.len()));
        }
        Ok(ids)
    }

    /// Writes tokens until something ends the text.
    fn write(
        &self,
        loaded: &mut Loaded,
        ids: &[u32],
        max_tokens: usize,
        writing: &mut Writing<'_>,
    ) -> Result<(Stop, u64), GgufError> {
        let mut sampler = Sampler::new(self.sampling);
        loaded.memory.clear();
        let mut next = ids.to_vec();
        for written in 0..max_tokens as u64 {
            let logits = loaded.decoder.read_tokens(&mut loaded.memory, &next)?;
            let token = sampler.choose(logits);
            if self.vocabulary.is_end(token) {
                return Ok((Stop::End, written + 1));
            }
            if let Some(stop) = writing.push(self.vocabulary.bytes(token)) {
                return Ok((stop, written + 1));
            }
            next = vec![token];
        }
        Ok((Stop::Length, max_tokens as u64))
    }
}

impl LanguageModel for GgufModel {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn context_limit(&self) -> Option<usize> {
        Some(self.context_limit)
    }

    fn count_tokens(&self, text: &str) -> Option<usize> {
        self.vocabulary.encode_plain(text).ok().map(|ids| ids.len())
    }

    fn complete(
        &self,
        prompt: &Prompt,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, ModelError> {
        let ids = self.encode(prompt)?;
        let hold = (!prompt.tools.is_empty()).then_some(tool_calls::OPEN);
        let mut writing = Writing {
            stream: Stream::new(&prompt.stop, hold),
            text: String::new(),
            on_text,
        };
        let (stop, completion) = if ids.is_empty() {
            (Stop::End, 0)
        } else {
            let mut slot = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            let loaded = match &mut *slot {
                Some(loaded) => loaded,
                empty => empty.insert(self.load()?),
            };
            self.write(loaded, &ids, prompt.max_tokens, &mut writing)
                .map_err(in_file(&self.path))?
        };
        let usage = TokenUsage {
            prompt: ids.len() as u64,
            completion,
        };
        Ok(writing.finish(stop, usage))
    }
}

/// Text on its way to the caller.
struct Writing<'c> {
    stream: Stream,
    /// What was handed out.
    text: String,
    on_text: &'c mut dyn FnMut(&str) -> ControlFlow<()>,
}

impl Writing<'_> {
    /// Hands out what the next bytes complete; gives why the text ends here, if it does.
    fn push(&mut self, bytes: &[u8]) -> Option<Stop> {
        let (shown, ending) = self.stream.push(bytes);
        if self.hand_out(&shown).is_break() {
            return Some(Stop::Cancelled);
        }
        (ending == Ending::StopText).then_some(Stop::StopText)
    }

    fn hand_out(&mut self, shown: &str) -> ControlFlow<()> {
        if shown.is_empty() {
            return ControlFlow::Continue(());
        }
        self.text.push_str(shown);
        (self.on_text)(shown)
    }

    /// Hands out the rest of the text and takes the calls out of what was held.
    fn finish(mut self, stop: Stop, usage: TokenUsage) -> Completion {
        let stream = std::mem::replace(&mut self.stream, Stream::new(&[], None));
        let mut stop = stop;
        let mut calls = Vec::new();
        if stop != Stop::Cancelled {
            let finished = stream.finish();
            let parsed = tool_calls::parse(&finished.held);
            let mut rest = finished.shown;
            if !parsed.text.trim().is_empty() {
                rest.push_str(&parsed.text);
            }
            if finished.ending == Ending::StopText && stop != Stop::StopText {
                stop = Stop::StopText;
            }
            if !parsed.calls.is_empty() {
                stop = Stop::ToolCalls;
            }
            calls = parsed.calls;
            if self.hand_out(&rest).is_break() {
                stop = Stop::Cancelled;
            }
        }
        Completion {
            text: self.text,
            citations: Vec::new(),
            calls,
            stop,
            usage,
        }
    }
}

/// Adds the file to an error.
fn in_file(path: &Path) -> impl Fn(GgufError) -> ModelError {
    let path = path.to_owned();
    move |source| ModelError::Gguf {
        path: path.clone(),
        source: Box::new(source),
    }
}

//! The vocabulary of a GGUF file: text to token ids and back, built from the file's own metadata.

mod pieces;
mod pre_tokens;
mod protocol;

use std::collections::HashSet;

use tokenizers::Tokenizer;
use tokenizers::models::bpe::{BPE, Merges, Vocab};

use super::error::GgufError;
use super::header::Header;
use pieces::{Kind, Spelling, bytes_of};
use pre_tokens::byte_level_tokenizer;
use protocol::Protocol;

pub(super) use protocol::Markup;

/// Names of tokens that end a message; files often name only one of them in their metadata.
const END_NAMES: [&str; 8] = [
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<end_of_turn>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "</s>",
];

/// Text to ids and back.
#[derive(Debug)]
pub(super) struct Vocabulary {
    tokenizer: Tokenizer,
    spelling: Spelling,
    /// The bytes of each token; none for control tokens.
    bytes: Vec<Vec<u8>>,
    protocol: Protocol,
    ends: HashSet<u32>,
    begin: Option<u32>,
    begins_itself: bool,
    prefixes_space: bool,
    longest_token: usize,
    /// The texts of the first and the last token of a text, for templates.
    pub(super) begin_text: String,
    pub(super) end_text: String,
}

impl Vocabulary {
    /// Reads the vocabulary of a file; `size` is the number of rows of the embedding.
    pub(super) fn read(header: &Header, size: usize) -> Result<Self, GgufError> {
        let tokens = required(header.texts("tokenizer.ggml.tokens"), "tokenizer.ggml.tokens")?;
        let kinds = required(
            header.numbers("tokenizer.ggml.token_type"),
            "tokenizer.ggml.token_type",
        )?;
        if tokens.len() != size || kinds.len() != size || size == 0 {
            let (tokens, kinds) = (tokens.len(), kinds.len());
            let reason = format!("{tokens} tokens and {kinds} types for {size} embeddings");
            return Err(GgufError::Vocabulary(reason));
        }
        let kinds: Vec<Kind> = kinds.iter().map(|&kind| Kind::of(kind)).collect();
        let (tokenizer, spelling, begins_by_default) = tokenizer(header, tokens)?;
        let id = |key: &str| {
            let id = header.count(&format!("tokenizer.ggml.{key}_token_id"));
            id.filter(|&id| id < size).map(|id| id as u32)
        };
        let text = |id: Option<u32>| id.map(|id| tokens[id as usize].clone()).unwrap_or_default();
        let flag = |key: &str, default| header.flag(&format!("tokenizer.ggml.{key}")).unwrap_or(default);
        let bytes: Vec<Vec<u8>> = tokens
            .iter()
            .zip(&kinds)
            .map(|(token, &kind)| bytes_of(token, kind, spelling))
            .collect();
        let (begin, end) = (id("bos"), id("eos"));
        Ok(Self {
            tokenizer,
            spelling,
            longest_token: tokens.iter().map(String::len).max().unwrap_or(1).max(1),
            bytes,
            protocol: Protocol::new(tokens, &kinds)?,
            ends: ends(tokens, &kinds, [end, id("eot"), id("eom")]),
            begin,
            begins_itself: flag("add_bos_token", begins_by_default),
            prefixes_space: spelling == Spelling::Plain && flag("add_space_prefix", true),
            begin_text: text(begin),
            end_text: text(end),
        })
    }

    /// Ids of a text in which nothing is part of the protocol.
    pub(super) fn encode_plain(&self, text: &str) -> Result<Vec<u32>, GgufError> {
        let spelled;
        let text = match self.spelling {
            Spelling::Bytes => text,
            Spelling::Plain => {
                spelled = text.replace(' ', "▁");
                &spelled
            }
        };
        let encoding = self.tokenizer.encode_fast(text, false);
        let encoding = encoding.map_err(|error| GgufError::Vocabulary(error.to_string()))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Ids of a rendered conversation. Protocol tokens in it are tokens, except where `shield` stands behind
    /// their first character; shields are not part of the text.
    pub(super) fn encode_conversation(&self, text: &str, shield: char) -> Result<Vec<u32>, GgufError> {
        let mut ids = Vec::new();
        let mut at = 0;
        let push_plain = |ids: &mut Vec<u32>, piece: &str| -> Result<(), GgufError> {
            let mut piece = piece.replace(shield, "");
            if piece.is_empty() {
                return Ok(());
            }
            let follows_control = ids.last().is_none_or(|&id| self.bytes[id as usize].is_empty());
            if self.prefixes_space && follows_control {
                piece.insert(0, ' ');
            }
            ids.extend(self.encode_plain(&piece)?);
            Ok(())
        };
        for (range, id) in self.protocol.find(text) {
            push_plain(&mut ids, &text[at..range.start])?;
            ids.push(id);
            at = range.end;
        }
        push_plain(&mut ids, &text[at..])?;
        if let Some(begin) = self.begin
            && self.begins_itself
            && ids.first() != Some(&begin)
        {
            ids.insert(0, begin);
        }
        Ok(ids)
    }

    /// The protocol's tokens.
    pub(super) fn protocol(&self) -> &Protocol {
        &self.protocol
    }

    /// The bytes that a token stands for; none for control tokens.
    pub(super) fn bytes(&self, id: u32) -> &[u8] {
        self.bytes.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// True when this token ends a message.
    pub(super) fn is_end(&self, id: u32) -> bool {
        self.ends.contains(&id)
    }

    /// The fewest tokens that a text of so many bytes can have.
    pub(super) fn least_tokens(&self, bytes: usize) -> usize {
        bytes / self.longest_token
    }
}

fn required<'h, T: ?Sized>(value: Option<&'h T>, key: &str) -> Result<&'h T, GgufError> {
    value.ok_or_else(|| GgufError::Missing(key.to_owned()))
}

fn ends(tokens: &[String], kinds: &[Kind], named: [Option<u32>; 3]) -> HashSet<u32> {
    let by_name = (0..tokens.len())
        .filter(|&id| kinds[id] != Kind::Normal && END_NAMES.contains(&tokens[id].as_str()))
        .map(|id| id as u32);
    named.into_iter().flatten().chain(by_name).collect()
}

/// The tokenizer, how it spells, and whether its texts begin with a token by default.
fn tokenizer(header: &Header, tokens: &[String]) -> Result<(Tokenizer, Spelling, bool), GgufError> {
    let vocabulary: Vocab = (0..tokens.len())
        .map(|id| (tokens[id].clone(), id as u32))
        .collect();
    match required(header.text("tokenizer.ggml.model"), "tokenizer.ggml.model")? {
        "gpt2" => {
            let name = required(header.text("tokenizer.ggml.pre"), "tokenizer.ggml.pre")?;
            let merges = required(header.texts("tokenizer.ggml.merges"), "tokenizer.ggml.merges")?;
            let merges = listed_merges(merges, &vocabulary)?;
            let begins = name.starts_with("llama");
            let tokenizer = byte_level_tokenizer(name, vocabulary, merges)?;
            Ok((tokenizer, Spelling::Bytes, begins))
        }
        "llama" => {
            let scores = required(header.numbers("tokenizer.ggml.scores"), "tokenizer.ggml.scores")?;
            let unknown = header.count("tokenizer.ggml.unknown_token_id").unwrap_or(0);
            let merges = scored_merges(tokens, scores, &vocabulary);
            let unknown = tokens.get(unknown).cloned().unwrap_or_default();
            let model = BPE::builder()
                .vocab_and_merges(vocabulary, merges)
                .unk_token(unknown)
                .fuse_unk(true)
                .byte_fallback(true)
                .build()
                .map_err(|error| GgufError::Vocabulary(error.to_string()))?;
            Ok((Tokenizer::new(model), Spelling::Plain, true))
        }
        other => Err(GgufError::Unsupported(format!("the tokenizer model `{other}`"))),
    }
}

/// The merges of a file, each of whose parts and result must be tokens.
fn listed_merges(merges: &[String], vocabulary: &Vocab) -> Result<Merges, GgufError> {
    let merge = |merge: &String| {
        let (left, right) = merge.split_once(' ')?;
        let known = |text: &str| vocabulary.contains_key(text);
        let is_known = known(left) && known(right) && known(&format!("{left}{right}"));
        is_known.then(|| (left.to_owned(), right.to_owned()))
    };
    let wrong = |text: &String| GgufError::Vocabulary(format!("the merge `{text}` is not of tokens"));
    merges
        .iter()
        .map(|text| merge(text).ok_or_else(|| wrong(text)))
        .collect()
}

/// The merges that a scored vocabulary implies: every way to put a token together from two, best score first.
fn scored_merges(tokens: &[String], scores: &[f32], vocabulary: &Vocab) -> Merges {
    /// Longer tokens are control tokens or nonsense; the work grows with the square of the length.
    const MAX_TOKEN_BYTES: usize = 256;
    let mut merges: Vec<(f32, &str, &str)> = Vec::new();
    for (token, &score) in tokens.iter().zip(scores) {
        if token.len() > MAX_TOKEN_BYTES {
            continue;
        }
        let first = merges.len();
        for (at, _) in token.char_indices().skip(1) {
            let (left, right) = token.split_at(at);
            if vocabulary.contains_key(left) && vocabulary.contains_key(right) {
                merges.push((score, left, right));
            }
        }
        merges[first..].sort_by_key(|(_, left, right)| (vocabulary.get(*left), vocabulary.get(*right)));
    }
    merges.sort_by(|a, b| b.0.total_cmp(&a.0));
    let owned = merges
        .into_iter()
        .map(|(_, left, right)| (left.to_owned(), right.to_owned()));
    owned.collect()
}

#[cfg(test)]
pub(super) mod tests;

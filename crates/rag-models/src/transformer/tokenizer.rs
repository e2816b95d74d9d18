//! Texts to token ids, whatever the length of the text and whatever it contains.

use std::path::Path;

use tokenizers::Tokenizer;

use super::template::Template;
use crate::error::ModelError;

/// Largest accepted tokenizer file.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Texts are tokenised in pieces of about this size, cut at white space, so that memory and time stay
/// proportional to the text. Words do not cross white space, so the tokens are the same.
const PIECE_BYTES: usize = 16 * 1024;

/// A tokenizer that neither pads nor truncates, and takes special tokens in a text for plain words.
#[derive(Debug)]
pub(crate) struct TextTokenizer {
    inner: Tokenizer,
    template: Template,
}

impl TextTokenizer {
    /// Reads a `tokenizer.json`.
    pub(crate) fn load(path: &Path) -> Result<Self, ModelError> {
        let failed = |reason: String| ModelError::Tokenizer {
            path: path.to_owned(),
            reason,
        };
        if fs_err::metadata(path)?.len() > MAX_FILE_BYTES {
            return Err(failed(format!("more than {MAX_FILE_BYTES} bytes")));
        }
        let bytes = fs_err::read(path)?;
        let inner = Tokenizer::from_bytes(bytes).map_err(|error| failed(error.to_string()))?;
        Self::new(inner).map_err(failed)
    }

    /// Resets what published files set for one use: a fixed padding, a truncation of their own.
    pub(crate) fn new(mut inner: Tokenizer) -> Result<Self, String> {
        inner.with_truncation(None).map_err(|error| error.to_string())?;
        inner.with_padding(None);
        // Retrieved text is untrusted: `[SEP]` in a passage must not end it.
        inner.set_encode_special_tokens(true);
        let template = Template::of(&inner)?;
        Ok(Self { inner, template })
    }

    /// Which special tokens go where.
    pub(crate) fn template(&self) -> &Template {
        &self.template
    }

    /// Token ids of the text alone.
    pub(crate) fn ids(&self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        self.for_each_piece(text, |_, encoding| ids.extend_from_slice(encoding.get_ids()));
        ids
    }

    /// Number of tokens of the text alone.
    pub(crate) fn count(&self, text: &str) -> usize {
        let mut count = 0;
        self.for_each_piece(text, |_, encoding| count += encoding.len());
        count
    }

    /// Byte range of each token.
    pub(crate) fn offsets(&self, text: &str) -> Vec<(usize, usize)> {
        let mut offsets = Vec::new();
        let mut at_least = 0;
        self.for_each_piece(text, |start, encoding| {
            for &(from, to) in encoding.get_offsets() {
                let from = text.floor_char_boundary((start + from).max(at_least));
                let to = text.ceil_char_boundary((start + to).max(from));
                at_least = from;
                offsets.push((from, to));
            }
        });
        offsets
    }

    fn for_each_piece(&self, text: &str, mut use_piece: impl FnMut(usize, &tokenizers::Encoding)) {
        let mut start = 0;
        while start < text.len() {
            let end = piece_end(text, start);
            // The models of our tokenizers have an unknown token, so encoding cannot fail on plain text; a
            // piece that did would have no tokens.
            if let Ok(encoding) = self.inner.encode(&text[start..end], false) {
                use_piece(start, &encoding);
            }
            start = end;
        }
    }
}

/// Where the piece that starts at `start` ends: before white space if there is any, else anywhere.
fn piece_end(text: &str, start: usize) -> usize {
    if text.len() - start <= PIECE_BYTES {
        return text.len();
    }
    let limit = text.floor_char_boundary(start + PIECE_BYTES);
    match text[start..limit].rfind(char::is_whitespace) {
        Some(space) if space > 0 => start + space,
        _ => limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_white_space_or_anywhere() {
        let words = "word ".repeat(10_000);
        let end = piece_end(&words, 0);
        assert!(end <= PIECE_BYTES && words[end..].starts_with(' '));
        let blob = "é".repeat(20_000);
        let end = piece_end(&blob, 0);
        assert!(end > PIECE_BYTES - 4 && blob.is_char_boundary(end));
        assert_eq!(piece_end("short text", 0), 10);
    }
}

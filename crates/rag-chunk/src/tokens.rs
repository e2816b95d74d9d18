//! Token counts: lent by the caller, who knows the embedder's tokenizer.

use rag_core::document::Document;
use rag_core::span::Span;

/// Counts and places the tokens of a text, as the embedder that will read the passages does.
pub trait TokenCounter: Sync {
    /// Tokens of `text`, without special tokens and without truncation.
    fn count(&self, text: &str) -> usize;

    /// Byte range of each token, in order. Ranges do not run backwards; several tokens of one
    /// character may share its range.
    fn offsets(&self, text: &str) -> Vec<(usize, usize)>;
}

/// Counts words between white space: for tests, and where no model is at hand.
#[derive(Debug, Clone, Copy, Default)]
pub struct Words;

impl TokenCounter for Words {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn offsets(&self, text: &str) -> Vec<(usize, usize)> {
        text.split_whitespace()
            .map(|word| {
                let start = word.as_ptr() as usize - text.as_ptr() as usize;
                (start, start + word.len())
            })
            .collect()
    }
}

/// Where the tokens of a document begin, so that any piece of it is counted without tokenizing again.
///
/// Blocks are tokenized one by one, so that no token crosses from one into the next.
#[derive(Debug)]
pub(crate) struct TokenMap {
    starts: Vec<usize>,
}

impl TokenMap {
    pub(crate) fn of(document: &Document, counter: &dyn TokenCounter) -> Self {
        let mut starts = Vec::new();
        for block in &document.blocks {
            let text = document.block_text(block);
            let offsets = counter.offsets(text);
            starts.extend(
                offsets
                    .iter()
                    .map(|&(start, _)| block.span.start + text.floor_char_boundary(start)),
            );
        }
        Self { starts }
    }

    /// Number of tokens that begin in `span`.
    pub(crate) fn count(&self, span: Span) -> usize {
        self.index_at(span.end).saturating_sub(self.index_at(span.start))
    }

    /// Number of the first token that begins at or after `place`.
    pub(crate) fn index_at(&self, place: usize) -> usize {
        self.starts.partition_point(|&start| start < place)
    }

    /// Where token number `index` begins, or `None` beyond the last.
    pub(crate) fn start(&self, index: usize) -> Option<usize> {
        self.starts.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_placed_where_they_stand() {
        let text = " a  längere Zeile\n";
        let words: Vec<&str> = Words.offsets(text).iter().map(|&(a, b)| &text[a..b]).collect();
        assert_eq!(words, ["a", "längere", "Zeile"]);
        assert_eq!(Words.count(text), 3);
    }
}

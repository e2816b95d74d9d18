//! Transformer cross-encoders: question and passage in one input, one score out.

use rag_core::language::Language;

use super::{LazyEncoder, TextTokenizer, TransformerSettings};
use crate::bert::{Sequence, Tokens, map_in_order};
use crate::cross_encoder::{CrossEncoder, Reading, Scores};
use crate::error::ModelError;
use crate::identity::ModelIdentity;

/// Windows of one passage at most; what lies beyond the last one is counted as cut.
const MAX_WINDOWS: usize = 8;
/// The share of a window that it has in common with the next one, so that no sentence is always split.
const OVERLAP: usize = 4;

/// A BERT-family cross-encoder.
#[derive(Debug)]
pub struct TransformerCrossEncoder {
    identity: ModelIdentity,
    settings: TransformerSettings,
    tokenizer: TextTokenizer,
    encoder: LazyEncoder,
    threads: usize,
}

impl TransformerCrossEncoder {
    pub(crate) fn new(
        identity: ModelIdentity,
        settings: TransformerSettings,
        tokenizer: TextTokenizer,
        encoder: LazyEncoder,
        threads: usize,
    ) -> Self {
        Self {
            identity,
            settings,
            tokenizer,
            encoder,
            threads,
        }
    }

    /// The question's tokens that are read, how many are not, and the tokens of a passage that fit beside it.
    fn query(&self, query: &str) -> (Vec<u32>, usize, usize) {
        let extra = self.tokenizer.template().pair_extra();
        let room = self.identity.max_tokens.saturating_sub(extra);
        let mut ids = self.tokenizer.ids(query);
        // Half of the input is the passage's, however long the question.
        let cut = ids.len().saturating_sub(room / 2);
        ids.truncate(room / 2);
        let left = room - ids.len();
        (ids, cut, left)
    }

    /// Windows over each passage, and what no window covers.
    fn windows(&self, query: &[u32], passages: &[&str], room: usize) -> (Vec<Sequence>, Scores) {
        let tokens = map_in_order(passages.len(), self.threads, |index| {
            self.tokenizer.ids(passages[index])
        });
        let mut scores = Scores::default();
        let mut inputs = Vec::new();
        for ids in &tokens {
            let ranges = window_ranges(ids.len(), room);
            let covered = ranges.last().map_or(0, |range| range.end);
            scores.windows.push(ranges.len());
            scores.truncated_tokens.push(ids.len() - covered);
            let template = self.tokenizer.template();
            inputs.extend(ranges.into_iter().map(|range| template.pair(query, &ids[range])));
        }
        (inputs, scores)
    }
}

impl CrossEncoder for TransformerCrossEncoder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    fn serves(&self, language: Language) -> bool {
        self.settings.serves(language)
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Scores, ModelError> {
        let loaded = self.encoder.get()?;
        let Some(head) = &loaded.head else {
            return Err(ModelError::WrongRole {
                name: self.identity.name.clone(),
                found: "a model without classification head",
                wanted: "a cross-encoder",
            });
        };
        let (query_ids, truncated_query_tokens, room) = self.query(query);
        let (inputs, mut scores) = self.windows(&query_ids, passages, room);
        scores.truncated_query_tokens = truncated_query_tokens;
        let logits = loaded
            .encoder
            .map(&inputs, Tokens::First, |_, first| head.score(first), |_| {});
        let mut logits = logits.into_iter();
        for (&windows, passage) in scores.windows.iter().zip(passages) {
            let best = logits
                .by_ref()
                .take(windows)
                .fold(f32::NEG_INFINITY, |best, logit| {
                    // NaN must not hide behind a comparison.
                    if logit > best || logit.is_nan() {
                        logit
                    } else {
                        best
                    }
                });
            if !best.is_finite() {
                return Err(ModelError::NotFinite {
                    model: self.identity.name.clone(),
                    text: passage.chars().take(40).collect(),
                });
            }
            scores.logits.push(best);
        }
        Ok(scores)
    }

    fn reading(&self, query: &str, passages: &[&str]) -> Vec<Reading> {
        let (query_ids, truncated_query_tokens, room) = self.query(query);
        let around = query_ids.len() + truncated_query_tokens + self.tokenizer.template().pair_extra();
        map_in_order(passages.len(), self.threads, |index| {
            let tokens = self.tokenizer.ids(passages[index]).len();
            let windows = window_ranges(tokens, room);
            let covered = windows.last().map_or(0, |window| window.end);
            Reading {
                pair_tokens: around + tokens,
                windows: windows.len(),
                truncated_tokens: tokens - covered,
                truncated_query_tokens,
            }
        })
    }
}

/// Token ranges that cover `length` tokens in windows of `room`, overlapping by a quarter; at least one.
fn window_ranges(length: usize, room: usize) -> Vec<std::ops::Range<usize>> {
    let stride = (room - room / OVERLAP).max(1);
    let mut ranges = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + room).min(length);
        ranges.push(start..end);
        if end == length || ranges.len() == MAX_WINDOWS {
            return ranges;
        }
        start += stride;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_cover_a_passage_and_overlap() {
        for (length, expected) in [
            (0, &[(0, 0)][..]),
            (100, &[(0, 100)]),
            (101, &[(0, 100), (75, 101)]),
            (250, &[(0, 100), (75, 175), (150, 250)]),
        ] {
            let found: Vec<(usize, usize)> = window_ranges(length, 100)
                .into_iter()
                .map(|window| (window.start, window.end))
                .collect();
            assert_eq!(found, expected, "{length}");
        }
        let many = window_ranges(100_000, 100);
        assert_eq!((many.len(), many[7].end), (8, 625));
    }
}

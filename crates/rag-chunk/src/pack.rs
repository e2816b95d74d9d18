//! Packing units into passages: as many neighbours as fit, greedily, in order.

use rag_core::span::Span;

use crate::counts::Counts;
use crate::split::{Limit, chars, split};
use crate::tokens::{TokenCounter, TokenMap};
use crate::units::Unit;

/// A piece of a document that becomes a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) span: Span,
    /// Tokens of the piece on its own.
    pub(crate) tokens: usize,
}

/// A document's text with all that packing asks about it.
#[derive(Clone, Copy)]
pub(crate) struct Measured<'d> {
    pub(crate) text: &'d str,
    pub(crate) tokens: &'d TokenMap,
    pub(crate) counter: &'d dyn TokenCounter,
}

impl Measured<'_> {
    /// The piece with its exact count.
    pub(crate) fn cut(&self, span: Span) -> Cut {
        let tokens = self.counter.count(&self.text[span.start..span.end]);
        Cut { span, tokens }
    }
}

/// Packs `units` into pieces within `limit`; a unit that exceeds it alone is split and counted.
pub(crate) fn pack(measured: Measured<'_>, units: &[Unit], limit: Limit, counts: &mut Counts) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut rest = units;
    while let Some(first) = rest.first() {
        let mut taken = how_many_fit(measured.text, rest, limit);
        let mut cut = measured.cut(Span::new(first.span.start, rest[taken - 1].span.end));
        // Units can have more tokens together than the sum of what they have in their places.
        while taken > 1 && cut.tokens > limit.tokens {
            taken -= 1;
            cut = measured.cut(Span::new(first.span.start, rest[taken - 1].span.end));
        }
        if limit.holds(measured.text, cut.span, cut.tokens) {
            cuts.push(cut);
        } else {
            count_split(*first, counts);
            let pieces = split(measured.text, cut.span, limit, measured.tokens, measured.counter);
            cuts.extend(pieces.into_iter().map(|piece| measured.cut(piece)));
        }
        rest = &rest[taken..];
    }
    cuts
}

/// How many units from the first on fit together: at least one, and never across groups.
fn how_many_fit(text: &str, units: &[Unit], limit: Limit) -> usize {
    let first = units[0];
    let mut tokens = 0;
    let mut characters = 0;
    let mut end = first.span.start;
    for (taken, unit) in units.iter().enumerate() {
        tokens += unit.tokens;
        characters += chars(text, Span::new(end, unit.span.end));
        end = unit.span.end;
        let fits = tokens <= limit.tokens && characters <= limit.chars && unit.group == first.group;
        if !fits {
            return taken.max(1);
        }
    }
    units.len()
}

fn count_split(unit: Unit, counts: &mut Counts) {
    if unit.is_row {
        counts.split_rows += 1;
    } else {
        counts.split_sentences += 1;
    }
}

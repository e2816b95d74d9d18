//! Units: the pieces of a section that are kept whole where they fit, and where passages may end.

use rag_core::document::{Block, BlockKind, Document};
use rag_core::span::Span;
use rag_core::text::sentences;

use crate::config::Kind;
use crate::outline::Section;
use crate::split::Limit;
use crate::tokens::TokenMap;

/// A sentence, paragraph, table row or the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) span: Span,
    pub(crate) tokens: usize,
    pub(crate) is_row: bool,
    /// Units of different groups are never in one passage: prose and each table are groups.
    pub(crate) group: usize,
}

/// The units of a section, in order.
pub(crate) fn units(
    document: &Document,
    section: &Section,
    kind: Kind,
    limit: Limit,
    tokens: &TokenMap,
) -> Vec<Unit> {
    let blocks = section.body(document);
    let mut units = Vec::new();
    for (block, group) in blocks.iter().zip(groups(blocks)) {
        let is_row = block.kind == BlockKind::TableRow;
        let text = document.block_text(block);
        let whole = trimmed(text, block.span.start);
        let keeps_whole = is_row || kind == Kind::Markdown || block.kind == BlockKind::Code;
        let fits = limit.holds(&document.text, whole, tokens.count(whole));
        let spans = match () {
            () if whole.is_empty() => continue,
            () if is_row || (keeps_whole && fits) => vec![whole],
            () if block.kind == BlockKind::Code => lines(text, block.span.start),
            () => sentences(text)
                .into_iter()
                .map(|span| span.shifted(block.span.start))
                .collect(),
        };
        units.extend(spans.into_iter().map(|span| Unit {
            span,
            tokens: tokens.count(span),
            is_row,
            group,
        }));
    }
    units
}

/// Numbers the groups of `blocks`: a table, with its caption, is one group; the prose between two
/// tables is another.
fn groups(blocks: &[Block]) -> Vec<usize> {
    let mut numbers = Vec::with_capacity(blocks.len());
    let mut group = 0;
    for (position, block) in blocks.iter().enumerate() {
        if position > 0 && !together(blocks, position - 1, block) {
            group += 1;
        }
        numbers.push(group);
    }
    numbers
}

/// True when the block at `before` and the `block` after it may share a passage.
fn together(blocks: &[Block], before: usize, block: &Block) -> bool {
    let above = &blocks[before];
    match (above.kind, block.kind) {
        (BlockKind::TableRow, BlockKind::TableRow) => same_table(above, block),
        // A caption goes with the rows below it, else with those above.
        (BlockKind::Caption, BlockKind::TableRow) => true,
        (_, BlockKind::Caption) => !row_follows(blocks, before + 1),
        (BlockKind::TableRow, _) | (_, BlockKind::TableRow) => false,
        // A caption below a table is that table's, so prose after it begins anew.
        (BlockKind::Caption, _) => before == 0 || blocks[before - 1].kind != BlockKind::TableRow,
        _ => true,
    }
}

fn row_follows(blocks: &[Block], position: usize) -> bool {
    blocks
        .get(position + 1)
        .is_some_and(|next| next.kind == BlockKind::TableRow)
}

/// Rows of one table share a header; a parser may leave empty cells out, so not all need agree.
fn same_table(above: &Block, row: &Block) -> bool {
    let shares = row
        .cells
        .iter()
        .any(|cell| above.cells.iter().any(|other| other.header == cell.header));
    shares || above.cells.is_empty() || row.cells.is_empty()
}

/// The lines of `text` that are not blank, moved to `base`.
fn lines(text: &str, base: usize) -> Vec<Span> {
    let mut start = base;
    let mut spans = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let kept = line.trim_end();
        if !kept.is_empty() {
            spans.push(Span::new(start, start + kept.len()));
        }
        start = end;
    }
    spans
}

/// The span of `text`, which begins at `base`, without white space at its ends.
pub(crate) fn trimmed(text: &str, base: usize) -> Span {
    let start = base + (text.len() - text.trim_start().len());
    Span::new(start, start + text.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;
    use BlockKind::{Caption, Paragraph, TableRow};

    #[test]
    fn tables_and_prose_are_kept_apart() {
        type Case<'c> = (&'c [(BlockKind, &'c str)], &'c [usize]);
        let cases: &[Case<'_>] = &[
            (&[(Paragraph, "a"), (Paragraph, "b")], &[0, 0]),
            (
                &[(Paragraph, "a"), (TableRow, "Grade 1, Cap 5."), (Paragraph, "b")],
                &[0, 1, 2],
            ),
            (
                &[
                    (TableRow, "Grade 1, Cap 5."),
                    (TableRow, "Grade 2."),
                    (TableRow, "Code 7."),
                ],
                &[0, 0, 1],
            ),
            (
                &[(Paragraph, "a"), (Caption, "Caps"), (TableRow, "Grade 1.")],
                &[0, 1, 1],
            ),
            (
                &[(TableRow, "Grade 1."), (Caption, "Caps"), (Paragraph, "a")],
                &[0, 0, 1],
            ),
            (
                &[(TableRow, "Grade 1."), (Caption, "Codes"), (TableRow, "Code 7.")],
                &[0, 1, 1],
            ),
        ];
        for (blocks, expected) in cases {
            let blocks: Vec<_> = blocks.iter().map(|&(kind, text)| (kind, text, &[][..])).collect();
            assert_eq!(&groups(&document(&blocks).blocks), expected, "{blocks:?}");
        }
    }

    #[test]
    fn code_lines_keep_their_indentation() {
        let text = "if x:\n    y()\n\n";
        let found: Vec<_> = lines(text, 0).iter().filter_map(|s| s.slice(text)).collect();
        assert_eq!(found, ["if x:", "    y()"]);
    }
}

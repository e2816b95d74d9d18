//! The sections of a document: runs of blocks under the same headings.

use rag_core::document::{Block, BlockKind, Document};
use rag_core::span::Span;

use crate::error::ChunkError;

/// A run of blocks below the same headings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// Position of the first block: a heading when the section has one of its own.
    pub(crate) first: usize,
    /// Position of the first block that is text rather than a heading above it.
    pub(crate) body: usize,
    /// One past the position of the last block.
    pub(crate) end: usize,
    /// True when the section is only a heading, which is then its own text.
    pub(crate) is_lone_heading: bool,
}

/// Checks the blocks' spans and groups the blocks into sections; every block is in exactly one.
pub(crate) fn sections(document: &Document) -> Result<Vec<Section>, ChunkError> {
    check_spans(document)?;
    let blocks = &document.blocks;
    let mut sections: Vec<Section> = Vec::new();
    let mut first = 0;
    for (position, block) in blocks.iter().enumerate() {
        if is_heading(document, block) {
            let leads_on = blocks
                .get(position + 1)
                .is_some_and(|next| next.heading_path.starts_with(&block.heading_path));
            if !leads_on {
                sections.push(Section {
                    first,
                    body: position,
                    end: position + 1,
                    is_lone_heading: true,
                });
                first = position + 1;
            }
            continue;
        }
        match sections.last_mut() {
            Some(last) if first == position && continues(blocks, last, block) => last.end = position + 1,
            _ => sections.push(Section {
                first,
                body: position,
                end: position + 1,
                is_lone_heading: false,
            }),
        }
        first = position + 1;
    }
    Ok(sections)
}

impl Section {
    /// The headings above the section's text.
    pub(crate) fn path<'d>(&self, document: &'d Document) -> &'d [String] {
        &document.blocks[self.body].heading_path
    }

    /// The section with its heading.
    pub(crate) fn span(&self, document: &Document) -> Span {
        let blocks = &document.blocks;
        Span::new(blocks[self.first].span.start, blocks[self.end - 1].span.end)
    }

    /// The blocks of its text.
    pub(crate) fn body<'d>(&self, document: &'d Document) -> &'d [Block] {
        &document.blocks[self.body..self.end]
    }
}

fn continues(blocks: &[Block], section: &Section, block: &Block) -> bool {
    !section.is_lone_heading && blocks[section.body].heading_path == block.heading_path
}

/// True for a heading that is, as the contract says, last in its own path. Any other is treated as
/// text, since no passage's section would show it.
fn is_heading(document: &Document, block: &Block) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    block.kind == BlockKind::Heading
        && block
            .heading_path
            .last()
            .is_some_and(|last| words(last) == words(document.block_text(block)))
}

fn check_spans(document: &Document) -> Result<(), ChunkError> {
    let mut free_from = 0;
    for (position, block) in document.blocks.iter().enumerate() {
        let Span { start, end } = block.span;
        if start < free_from || block.span.slice(&document.text).is_none() {
            return Err(ChunkError::Block {
                document: document.id.clone(),
                block: position,
                start,
                end,
            });
        }
        free_from = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;
    use BlockKind::{Heading, Paragraph};

    #[test]
    fn blocks_are_grouped_under_their_headings() {
        let document = document(&[
            (Paragraph, "Preface.", &[]),
            (Heading, "A", &["A"]),
            (Heading, "B", &["A", "B"]),
            (Paragraph, "One.", &["A", "B"]),
            (Paragraph, "Two.", &["A", "B"]),
            (Heading, "C", &["A", "C"]),
            (Heading, "D", &["D"]),
            (Paragraph, "Three.", &["D"]),
        ]);
        let found: Vec<_> = sections(&document)
            .unwrap()
            .iter()
            .map(|s| (s.first, s.body, s.end, s.is_lone_heading))
            .collect();
        assert_eq!(
            found,
            [
                (0, 0, 1, false),
                (1, 3, 5, false),
                (5, 5, 6, true),
                (6, 7, 8, false)
            ]
        );
    }

    #[test]
    fn a_heading_missing_from_its_own_path_counts_as_text() {
        let document = document(&[(Heading, "A", &[]), (Paragraph, "One.", &[])]);
        let sections = sections(&document).unwrap();
        assert_eq!(sections[0].span(&document), Span::new(0, document.text.len()));
        assert_eq!(sections[0].body, 0);
    }

    #[test]
    fn spans_outside_the_text_are_named() {
        let mut document = document(&[(Paragraph, "é", &[]), (Paragraph, "b", &[])]);
        for (start, end) in [(0, 1), (0, 99), (3, 2)] {
            document.blocks[0].span = Span { start, end };
            let message = sections(&document).unwrap_err().to_string();
            assert!(message.starts_with("block 0 of "), "{message}");
        }
    }
}

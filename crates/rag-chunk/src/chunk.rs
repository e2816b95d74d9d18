//! Cutting one document: which pieces, then what each passage carries.

use rag_core::document::{Block, BlockKind, Document};
use rag_core::id::PassageId;
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::span::{BoundingBox, Span};

use crate::config::{Config, Kind, Parent};
use crate::context::Context;
use crate::counts::Counts;
use crate::error::ChunkError;
use crate::fixed::{Start, window};
use crate::outline::{Section, sections};
use crate::pack::{Cut, Measured, pack};
use crate::split::Limit;
use crate::tokens::{Rough, TokenCounter, TokenMap};
use crate::units::{trimmed, units};

/// The passages of one document and what cutting had to break.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chunked {
    /// The passages in the order of the text, numbered from 0.
    pub passages: Vec<Passage>,
    /// What was split or shortened.
    pub counts: Counts,
}

/// Cuts `document` into passages of at most `config.max_tokens` tokens as `counter` counts them, or as
/// [`Rough`] does when `counter` does not serve the document's language; [`Passage::tokens`] is
/// `counter`'s count either way.
///
/// The same inputs give the same passages. A setting outside its range, or a block whose span does
/// not fit the document's text, is an error.
pub fn chunk_document(
    document: &Document,
    config: &Config,
    counter: &dyn TokenCounter,
) -> Result<Chunked, ChunkError> {
    if counter.serves(document.language) {
        return cut(document, config, counter);
    }
    let mut chunked = cut(document, config, &Rough)?;
    for passage in &mut chunked.passages {
        passage.tokens = (counter.count(&passage.context) + counter.count(&passage.text)) as u32;
    }
    Ok(chunked)
}

fn cut(document: &Document, config: &Config, counter: &dyn TokenCounter) -> Result<Chunked, ChunkError> {
    config.check()?;
    let sections = sections(document)?;
    let tokens = TokenMap::of(document, counter);
    let cutter = Cutter {
        document,
        config,
        measured: Measured {
            text: &document.text,
            tokens: &tokens,
            counter,
        },
    };
    let mut counts = Counts::default();
    let pieces = match config.kind {
        Kind::Sentence | Kind::Markdown => cutter.by_section(&sections, &mut counts),
        Kind::Fixed => cutter.by_window(&mut counts),
    };
    let parents = parents(document, config, &sections, &pieces);
    let passages: Vec<Passage> = pieces
        .into_iter()
        .zip(parents)
        .enumerate()
        .map(|(position, (piece, parent))| passage(document, position as u32, piece, parent))
        .collect();
    counts.passages = passages.len() as u64;
    Ok(Chunked { passages, counts })
}

/// A cut with its headings and its context line.
struct Piece {
    cut: Cut,
    section: Vec<String>,
    context: Context,
}

struct Cutter<'d> {
    document: &'d Document,
    config: &'d Config,
    measured: Measured<'d>,
}

impl Cutter<'_> {
    fn by_section(&self, sections: &[Section], counts: &mut Counts) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut rest = sections;
        while let Some(section) = rest.first() {
            let taken = if let Some((piece, taken)) = self.merged(rest) {
                pieces.push(piece);
                taken
            } else {
                self.cut_section(section, &mut pieces, counts);
                1
            };
            rest = &rest[taken..];
        }
        pieces
    }

    fn cut_section(&self, section: &Section, pieces: &mut Vec<Piece>, counts: &mut Counts) {
        let path = section.path(self.document);
        let context = self.context(path);
        let limit = self.limit(&context);
        let units = units(
            self.document,
            section,
            self.config.kind,
            limit,
            self.measured.tokens,
        );
        if !units.is_empty() {
            counts.shortened_contexts += u64::from(context.is_shortened);
            counts.lone_headings += u64::from(section.is_lone_heading);
        }
        let cuts = pack(self.measured, &units, limit, counts);
        pieces.extend(cuts.into_iter().map(|cut| Piece {
            cut,
            section: path.to_vec(),
            context: context.clone(),
        }));
    }

    /// One passage of the first few of `sections`, when merging is on and at least two are small
    /// enough together; it begins with the first one's heading, since its own section is only what
    /// their headings have in common.
    fn merged(&self, sections: &[Section]) -> Option<(Piece, usize)> {
        let most = self.config.merge_sections_below_tokens as usize;
        if most == 0 {
            return None;
        }
        let first = sections[0].span(self.document);
        let span_of = |taken: usize| Span::new(first.start, sections[taken - 1].span(self.document).end);
        let prose = sections
            .iter()
            .take_while(|section| !has_rows(self.document, section))
            .count();
        let small = (1..=prose).take_while(|&n| self.measured.tokens.count(span_of(n)) < most);
        let taken = small.last().filter(|&n| n > 1)?;
        let section = common_path(self.document, &sections[..taken]);
        let context = self.context(&section);
        let whole = span_of(taken);
        let cut = self
            .measured
            .cut(trimmed(&self.measured.text[whole.start..whole.end], whole.start));
        let fits = !cut.span.is_empty()
            && self
                .limit(&context)
                .holds(self.measured.text, cut.span, cut.tokens);
        fits.then_some((
            Piece {
                cut,
                section,
                context,
            },
            taken,
        ))
    }

    fn by_window(&self, counts: &mut Counts) -> Vec<Piece> {
        let overlap = self.config.overlap_tokens as usize;
        let mut pieces = Vec::new();
        let mut start = (!self.document.text.trim().is_empty()).then(Start::default);
        while let Some(from) = start {
            let path = first_block(self.document, from.at).map_or(&[][..], |block| &block.heading_path);
            let context = self.context(path);
            let limit = self.limit(&context);
            // The next window must begin after this one however short a long context line makes it.
            let (cut, next) = window(self.measured, from, limit, overlap.min(limit.tokens / 2));
            if let Some(cut) = cut {
                counts.shortened_contexts += u64::from(context.is_shortened);
                pieces.push(Piece {
                    cut,
                    section: path.to_vec(),
                    context,
                });
            }
            start = next;
        }
        pieces
    }

    fn context(&self, path: &[String]) -> Context {
        Context::of(self.document, path, self.config, self.measured.counter)
    }

    /// What is left for a passage's own text beside `context`.
    fn limit(&self, context: &Context) -> Limit {
        let tokens = self.config.max_tokens as usize - context.tokens - self.config.kept_free() as usize;
        let by_tokens = Limit::of_tokens(tokens);
        match self.config.kind {
            Kind::Markdown => Limit {
                chars: self.config.max_chars as usize,
                ..by_tokens
            },
            Kind::Sentence | Kind::Fixed => by_tokens,
        }
    }
}

fn common_path(document: &Document, sections: &[Section]) -> Vec<String> {
    let mut common = sections[0].path(document);
    for section in sections {
        let path = section.path(document);
        let shared = common.iter().zip(path).take_while(|(a, b)| a == b).count();
        common = &common[..shared];
    }
    common.to_vec()
}

/// True when table rows are in the section; they are packed only with their own.
fn has_rows(document: &Document, section: &Section) -> bool {
    let mut body = section.body(document).iter();
    body.any(|block| block.kind == BlockKind::TableRow)
}

/// The first block that has text at or after `place`.
fn first_block(document: &Document, place: usize) -> Option<&Block> {
    let position = document.blocks.partition_point(|block| block.span.end <= place);
    document.blocks.get(position)
}

/// The span to hand over for each of `pieces`; it always holds the piece.
fn parents(document: &Document, config: &Config, sections: &[Section], pieces: &[Piece]) -> Vec<Span> {
    let whole = Span::new(0, document.text.len());
    let spans: Vec<Span> = sections.iter().map(|section| section.span(document)).collect();
    let reach = config.window_passages as usize;
    let parent = |(position, piece): (usize, &Piece)| match config.parent {
        Parent::Document => whole,
        Parent::Window => {
            let last = (position + reach).min(pieces.len() - 1);
            Span::new(
                pieces[position.saturating_sub(reach)].cut.span.start,
                pieces[last].cut.span.end,
            )
        }
        Parent::Section => {
            let own = piece.cut.span;
            let first = spans.partition_point(|span| span.end <= own.start);
            let last = spans.partition_point(|span| span.start < own.end);
            let touched = &spans[first..last.max(first)];
            let start = touched
                .first()
                .map_or(own.start, |span| span.start.min(own.start));
            let end = touched.last().map_or(own.end, |span| span.end.max(own.end));
            Span::new(start, end)
        }
    };
    pieces.iter().enumerate().map(parent).collect()
}

fn passage(document: &Document, position: u32, piece: Piece, parent: Span) -> Passage {
    let span = piece.cut.span;
    let text = span.slice(&document.text).unwrap_or_default().to_owned();
    let blocks = blocks_in(document, span);
    let page = blocks.first().and_then(|block| block.page);
    let language = match document.language {
        Language::UNKNOWN => Language::detect(&text),
        known => known,
    };
    Passage {
        id: PassageId {
            document: document.id.clone(),
            position,
        },
        title: document.title.clone(),
        source: document.source.clone(),
        section: piece.section,
        page,
        bounding_box: place_on_page(blocks, page),
        updated: document.updated,
        supersedes: document.supersedes.clone(),
        department: document.department.clone(),
        language,
        access: document.access.clone(),
        span,
        parent,
        text,
        tokens: (piece.context.tokens + piece.cut.tokens) as u32,
        context: piece.context.line,
    }
}

/// The blocks that share text with `span`.
fn blocks_in(document: &Document, span: Span) -> &[Block] {
    let blocks = &document.blocks;
    let first = blocks.partition_point(|block| block.span.end <= span.start);
    let last = blocks.partition_point(|block| block.span.start < span.end);
    &blocks[first..last.max(first)]
}

/// The box around those of `blocks` that begin on `page`, the page of the first.
fn place_on_page(blocks: &[Block], page: Option<u32>) -> Option<BoundingBox> {
    let boxes = blocks
        .iter()
        .filter(|block| block.page == page)
        .filter_map(|block| block.bounding_box);
    boxes.reduce(|all, next| all.union(&next))
}

#[cfg(test)]
#[path = "chunk_tests.rs"]
mod tests;

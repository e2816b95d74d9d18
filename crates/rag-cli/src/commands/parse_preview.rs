//! A document as a page of HTML: each page with its blocks where they stand, numbered in reading order, over
//! a picture of the page where there is one; blocks without a place as a list. It loads nothing and runs nothing.

use std::fmt::Write as _;

use rag_core::document::{Block, BlockKind, Document};
use rag_core::span::BoundingBox;
use rag_core::text::markup;
use rag_parse::{Parsed, Picture};

/// Margin around the blocks of a page, in points.
const MARGIN: f32 = 24.0;

/// What every such page begins with.
pub(crate) const START: &str = "<!doctype html><meta charset=utf-8><meta name=generator content=\"rag parse --preview\">\
    <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">";

const STYLE: &str = "body{font:14px sans-serif;margin:1em}svg{border:1px solid #999;background:#fff;max-width:100%}\
    rect{fill-opacity:.12;stroke-width:.8}text{font:7px sans-serif}.n{font-weight:bold}";

/// The page of HTML.
pub(crate) fn html(parsed: &Parsed) -> String {
    let document = &parsed.document;
    let mut out = format!(
        "{START}<title>{0}</title><style>{STYLE}</style><h1>{0}</h1>",
        markup(&document.title)
    );
    let numbered: Vec<(usize, &Block)> = document.blocks.iter().enumerate().collect();
    let mut pages: Vec<u32> = numbered.iter().filter_map(|(_, block)| block.page).collect();
    pages.sort_unstable();
    pages.dedup();
    for page in pages {
        let on_page = numbered.iter().filter(|(_, block)| block.page == Some(page));
        let picture = parsed.pictures.iter().find(|picture| picture.page == page);
        draw_page(&mut out, document, page, picture, on_page.copied());
    }
    for (at, block) in numbered.iter().filter(|(_, block)| block.bounding_box.is_none()) {
        let text = markup(document.block_text(block));
        let _ = write!(out, "<p><b>{}</b> {:?}: {text}</p>", at + 1, block.kind);
    }
    out
}

fn draw_page<'b>(
    out: &mut String,
    document: &Document,
    page: u32,
    picture: Option<&Picture>,
    blocks: impl Iterator<Item = (usize, &'b Block)> + Clone,
) {
    let places = blocks.clone().filter_map(|(_, block)| block.bounding_box);
    let Some(whole) = places.reduce(|a, b| a.union(&b)) else {
        return;
    };
    let (width, height) = picture.map_or((whole.right + MARGIN, whole.bottom + MARGIN), |picture| {
        picture.size
    });
    let _ = write!(
        out,
        "<h2>Page {page}</h2><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\">"
    );
    if let Some(Picture { bmp, .. }) = picture {
        let _ = write!(
            out,
            "<image width=\"{width:.0}\" height=\"{height:.0}\" href=\"data:image/bmp;base64,{bmp}\"/>"
        );
    }
    for (at, block) in blocks {
        let Some(place) = block.bounding_box else {
            continue;
        };
        let title = markup(document.block_text(block));
        draw_box(out, place, colour(block.kind), &title);
        for cell in block.cells.iter().filter_map(|cell| cell.bounding_box) {
            draw_box(out, cell, "#888", "");
        }
        let _ = write!(
            out,
            "<text class=n x=\"{:.1}\" y=\"{:.1}\">{}</text><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            (place.left - 16.0).max(0.0),
            place.top + 7.0,
            at + 1,
            place.left + 1.0,
            place.top + 7.0,
            if picture.is_some() { "" } else { &title }
                .chars()
                .take(100)
                .collect::<String>()
                .split('&')
                .next()
                .unwrap_or_default()
        );
    }
    out.push_str("</svg>");
}

fn draw_box(out: &mut String, place: BoundingBox, colour: &str, title: &str) {
    let _ = write!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{colour}\" stroke=\"{colour}\"><title>{title}</title></rect>",
        place.left,
        place.top,
        (place.right - place.left).max(1.0),
        (place.bottom - place.top).max(1.0)
    );
}

fn colour(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Heading => "#c00",
        BlockKind::TableRow => "#06c",
        BlockKind::ListItem => "#080",
        BlockKind::Note | BlockKind::Caption => "#a0a",
        BlockKind::Paragraph | BlockKind::Code => "#555",
    }
}

//! Writes a source as a PDF of A4 or A5 pages with running heads, page numbers, tables and columns.
//!
//! The pages show what extraction has to cope with: furniture on every page, words divided at line
//! ends, tables with and without ruling lines, two columns. Streams are not compressed and carry no
//! date of their own, so equal sources give equal bytes.

mod fonts;
mod paginate;
mod typeset;
mod wrap;

use anyhow::Result;
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::source::{PageStyle, Paper, Source};
use fonts::{Font, encode};
use paginate::{Area, Placed, paginate};

const GUTTER: f32 = 22.0;
const FURNITURE_SIZE: f32 = 8.5;
const FOOT_Y: f32 = 38.0;

/// Lengths in points that depend on the paper.
#[derive(Debug, Clone, Copy)]
struct Format {
    width: f32,
    height: f32,
    margin: f32,
}

impl Format {
    fn of(paper: Paper) -> Self {
        let (width, height, margin) = match paper {
            Paper::A4 => (595.0, 842.0, 84.0),
            Paper::A5 => (420.0, 595.0, 61.0),
        };
        Self {
            width,
            height,
            margin,
        }
    }

    /// The part that running head and foot leave free.
    fn area(self) -> Area {
        Area {
            left: self.margin,
            top: self.height - 72.0,
            bottom: 68.0,
            width: self.width - 2.0 * self.margin,
            gutter: GUTTER,
        }
    }
}

/// The bytes of the `.pdf` file.
pub(super) fn render(source: &Source) -> Result<Vec<u8>> {
    let format = Format::of(source.page.paper);
    let area = format.area();
    let rules = source.page.table_rules;
    let sections = typeset::sections(&source.blocks, rules, area.width, area.gutter);
    let pages = paginate(sections, area);
    let mut contents = Vec::new();
    for (position, page) in pages.iter().enumerate() {
        let number = format!("Page {} of {}", position + 1, pages.len());
        let mut content = Content::new();
        furniture(&mut content, &source.page, format, &number)?;
        for placed in page {
            draw(&mut content, placed)?;
        }
        contents.push(content);
    }
    Ok(assemble(&source.metadata.title, format, &contents))
}

/// Running head, foot and page number.
fn furniture(content: &mut Content, style: &PageStyle, format: Format, number: &str) -> Result<()> {
    let head = format.height - 42.0;
    let right = format.width - format.margin - Font::Regular.width(number, FURNITURE_SIZE);
    for (x, y, text) in [
        (format.margin, head, style.header.as_str()),
        (format.margin, FOOT_Y, style.footer.as_str()),
        (right, FOOT_Y, number),
    ] {
        show(content, x, y, Font::Regular, FURNITURE_SIZE, text)?;
    }
    Ok(())
}

fn draw(content: &mut Content, placed: &Placed) -> Result<()> {
    let Placed { left, top, row } = placed;
    for piece in &row.pieces {
        let (x, y) = (left + piece.x, top - piece.drop);
        show(content, x, y, piece.font, piece.size, &piece.text)?;
    }
    content.set_line_width(0.5);
    for (from, to) in &row.frames {
        content.rect(left + from, top - row.height, to - from, row.height);
        content.stroke();
    }
    Ok(())
}

fn show(content: &mut Content, x: f32, y: f32, font: Font, size: f32, text: &str) -> Result<()> {
    let bytes = encode(text)?;
    content.begin_text();
    content.set_font(Name(font.resource()), size);
    content.next_line(round(x), round(y));
    content.show(Str(&bytes));
    content.end_text();
    Ok(())
}

/// A hundredth of a point is finer than any printer.
fn round(points: f32) -> f32 {
    (points * 100.0).round() / 100.0
}

/// Puts the page contents into a file: catalogue, page tree, fonts, then two objects per page.
fn assemble(title: &str, format: Format, contents: &[Content]) -> Vec<u8> {
    let (catalogue, tree, info) = (Ref::new(1), Ref::new(2), Ref::new(3));
    let font_ref = |position: usize| Ref::new(4 + position as i32);
    let page_ref = |position: usize| Ref::new(10 + 2 * position as i32);
    let content_ref = |position: usize| Ref::new(11 + 2 * position as i32);

    let mut pdf = Pdf::new();
    pdf.catalog(catalogue).pages(tree);
    pdf.document_info(info).title(TextStr(title));
    pdf.pages(tree)
        .kids((0..contents.len()).map(page_ref))
        .count(contents.len() as i32);
    for (position, font) in Font::ALL.into_iter().enumerate() {
        pdf.type1_font(font_ref(position))
            .base_font(Name(font.base_name()))
            .encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    for (position, content) in contents.iter().enumerate() {
        let mut page = pdf.page(page_ref(position));
        page.media_box(Rect::new(0.0, 0.0, format.width, format.height));
        page.parent(tree);
        page.contents(content_ref(position));
        let mut resources = page.resources();
        let mut fonts = resources.fonts();
        for (position, font) in Font::ALL.into_iter().enumerate() {
            fonts.pair(Name(font.resource()), font_ref(position));
        }
        fonts.finish();
        resources.finish();
        page.finish();
        pdf.stream(content_ref(position), content.as_bytes());
    }
    pdf.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pdf(body: &str) -> String {
        let text = format!(
            "---\nid: a\ntitle: T\ndepartment: IT\nupdated: 2026-01-02\nlanguage: en\naccess: [everyone]\nheader: Running head\nfooter: Foot\n---\n\n{body}"
        );
        let bytes = render(&Source::parse(&text).unwrap()).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn every_page_carries_head_foot_and_number() {
        let paragraph = "The pump was started again after a considerable interruption. ".repeat(12);
        let file = pdf(&format!("# T\n\n{}", [paragraph.as_str(); 8].join("\n\n")));
        let pages = file.matches("(Running head) Tj").count();
        assert!(pages >= 2);
        for page in 1..=pages {
            assert!(file.contains(&format!("(Page {page} of {pages}) Tj")));
        }
        assert!(file.contains("-) Tj"), "no word was divided");
    }

    #[test]
    fn ruled_tables_draw_cells_and_columns_sit_side_by_side() {
        let file = pdf("# T\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n:::columns\nleft\n\nright\n:::\n");
        assert_eq!(file.matches(" re\n").count(), 4);
        assert!(file.contains("(left) Tj") && file.contains("(right) Tj"));
    }
}

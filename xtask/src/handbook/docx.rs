//! Writes a source as an Office Open XML document (ECMA-376): styles, headings, lists, tables.
//!
//! Entries are stored, not deflated, with a fixed date, so the bytes depend on the source alone and
//! not on the version of a compressor. Arabic sources get right-to-left paragraphs, runs and tables.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use anyhow::Result;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::source::{Block, ListKind, Metadata, Source, Span, Table, spans};

const DECLARATION: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
const MAIN: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";

/// The bytes of the `.docx` file.
pub(super) fn render(source: &Source) -> Result<Vec<u8>> {
    let mut body = Body::new(&source.metadata.language);
    for block in &source.blocks {
        body.block(block);
    }
    let parts = [
        ("[Content_Types].xml", content_types()),
        ("_rels/.rels", package_relationships()),
        ("word/document.xml", body.document()),
        ("word/styles.xml", styles(&source.metadata.language)),
        ("word/numbering.xml", numbering(body.numbered_lists)),
        ("word/_rels/document.xml.rels", document_relationships()),
        ("docProps/core.xml", core_properties(&source.metadata)),
    ];
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default());
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(name, options)?;
        archive.write_all(content.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Writing direction of the main text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    LeftToRight,
    RightToLeft,
}

/// The number of the list that all bulleted lists share in `numbering.xml`.
const BULLETS: usize = 1;

/// `word/document.xml` while it grows.
struct Body {
    xml: String,
    direction: Direction,
    numbered_lists: usize,
}

impl Body {
    fn new(language: &str) -> Self {
        let direction = match language {
            "ar" | "he" | "fa" | "ur" => Direction::RightToLeft,
            _ => Direction::LeftToRight,
        };
        Self {
            xml: String::new(),
            direction,
            numbered_lists: 0,
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(level, text) => {
                let style = format!(r#"<w:pStyle w:val="Heading{level}"/>"#);
                self.paragraph(&style, text);
            }
            Block::Paragraph(text) => self.paragraph("", text),
            Block::List(kind, items) => self.list(*kind, items),
            Block::Table(table) => self.table(table),
            Block::Columns(inner) => inner.iter().for_each(|block| self.block(block)),
        }
    }

    fn list(&mut self, kind: ListKind, items: &[String]) {
        let number = match kind {
            ListKind::Bulleted => BULLETS,
            ListKind::Numbered => {
                self.numbered_lists += 1;
                BULLETS + self.numbered_lists
            }
        };
        let properties = format!(
            r#"<w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>"#
        );
        for item in items {
            self.paragraph(&properties, item);
        }
    }

    fn table(&mut self, table: &Table) {
        self.xml
            .push_str(r#"<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/>"#);
        if self.direction == Direction::RightToLeft {
            self.xml.push_str("<w:bidiVisual/>");
        }
        self.xml
            .push_str(r#"<w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>"#);
        let width = 9000 / table.header.len().max(1);
        for _ in &table.header {
            let _ = write!(self.xml, r#"<w:gridCol w:w="{width}"/>"#);
        }
        self.xml.push_str("</w:tblGrid>");
        self.row("<w:trPr><w:tblHeader/></w:trPr>", &table.header);
        for row in &table.rows {
            self.row("", row);
        }
        self.xml.push_str("</w:tbl>");
    }

    fn row(&mut self, properties: &str, cells: &[String]) {
        let _ = write!(self.xml, "<w:tr>{properties}");
        for cell in cells {
            self.xml
                .push_str("<w:tc><w:tcPr><w:tcW w:w=\"0\" w:type=\"auto\"/></w:tcPr>");
            self.paragraph("", cell);
            self.xml.push_str("</w:tc>");
        }
        self.xml.push_str("</w:tr>");
    }

    fn paragraph(&mut self, properties: &str, text: &str) {
        let (bidi, rtl) = match self.direction {
            Direction::LeftToRight => ("", ""),
            Direction::RightToLeft => ("<w:bidi/>", "<w:rtl/>"),
        };
        let _ = write!(self.xml, "<w:p><w:pPr>{properties}{bidi}</w:pPr>");
        for span in spans(text) {
            let (style, text) = match span {
                Span::Plain(text) => ("", text),
                Span::Emphasis(text) => ("<w:i/>", text),
            };
            let _ = write!(
                self.xml,
                r#"<w:r><w:rPr>{style}{rtl}</w:rPr><w:t xml:space="preserve">{}</w:t></w:r>"#,
                escape(text)
            );
        }
        self.xml.push_str("</w:p>");
    }

    fn document(&self) -> String {
        format!(
            r#"{DECLARATION}<w:document xmlns:w="{MAIN}"><w:body>{}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>"#,
            self.xml
        )
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn content_types() -> String {
    format!(
        r#"{DECLARATION}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="{WORD_TYPE}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="{WORD_TYPE}.styles+xml"/><Override PartName="/word/numbering.xml" ContentType="{WORD_TYPE}.numbering+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>"#
    )
}

fn package_relationships() -> String {
    format!(
        r#"{DECLARATION}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/><Relationship Id="rId2" Type="{PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>"#
    )
}

fn document_relationships() -> String {
    format!(
        r#"{DECLARATION}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/styles" Target="styles.xml"/><Relationship Id="rId2" Type="{OFFICE}/numbering" Target="numbering.xml"/></Relationships>"#
    )
}

fn core_properties(metadata: &Metadata) -> String {
    format!(
        r#"{DECLARATION}<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{}</dc:title><dc:language>{}</dc:language><dcterms:modified xsi:type="dcterms:W3CDTF">{}T00:00:00Z</dcterms:modified></cp:coreProperties>"#,
        escape(&metadata.title),
        escape(&metadata.language),
        escape(&metadata.updated)
    )
}

fn styles(language: &str) -> String {
    let mut xml = format!(
        r#"{DECLARATION}<w:styles xmlns:w="{MAIN}"><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/><w:lang w:val="{0}" w:bidi="{0}"/></w:rPr></w:rPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>"#,
        escape(language)
    );
    for (level, size) in [(1, 36), (2, 28), (3, 24)] {
        let _ = write!(
            xml,
            r#"<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/><w:basedOn w:val="Normal"/><w:pPr><w:keepNext/><w:outlineLvl w:val="{}"/></w:pPr><w:rPr><w:b/><w:sz w:val="{size}"/></w:rPr></w:style>"#,
            level - 1
        );
    }
    xml.push_str(r#"<w:style w:type="paragraph" w:styleId="ListParagraph"><w:name w:val="List Paragraph"/><w:basedOn w:val="Normal"/></w:style><w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:tblPr><w:tblBorders><w:top w:val="single" w:sz="4"/><w:bottom w:val="single" w:sz="4"/><w:insideH w:val="single" w:sz="4"/><w:insideV w:val="single" w:sz="4"/></w:tblBorders></w:tblPr></w:style></w:styles>"#);
    xml
}

/// One bullet list, and `numbered` numbered lists that each start again at 1.
fn numbering(numbered: usize) -> String {
    let mut xml = format!(
        r#"{DECLARATION}<w:numbering xmlns:w="{MAIN}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="{BULLETS}"><w:abstractNumId w:val="0"/></w:num>"#
    );
    for list in 1..=numbered {
        let _ = write!(
            xml,
            r#"<w:num w:numId="{}"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>"#,
            BULLETS + list
        );
    }
    xml.push_str("</w:numbering>");
    xml
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn document_xml(language: &str, body: &str) -> String {
        let text = format!(
            "---\nid: a\ntitle: A & B\ndepartment: IT\nupdated: 2026-01-02\nlanguage: {language}\naccess: [everyone]\n---\n\n{body}"
        );
        let bytes = render(&Source::parse(&text).unwrap()).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut xml = String::new();
        let mut entry = archive.by_name("word/document.xml").unwrap();
        entry.read_to_string(&mut xml).unwrap();
        xml
    }

    #[test]
    fn blocks_become_styled_paragraphs_lists_and_tables() {
        let xml = document_xml(
            "en",
            "# T\n\n1. a\n\n1. b\n\n- c < d\n\nx *y*\n\n| A |\n|---|\n| 1 |\n",
        );
        for part in [
            r#"<w:pStyle w:val="Heading1"/>"#,
            r#"<w:numId w:val="2"/>"#,
            r#"<w:numId w:val="3"/>"#,
            r#"<w:numId w:val="1"/>"#,
            "c &lt; d",
            "<w:i/>",
            "<w:tblHeader/>",
        ] {
            assert!(xml.contains(part), "{part} missing in {xml}");
        }
        assert!(!xml.contains("<w:bidi/>"));
    }

    #[test]
    fn arabic_runs_from_right_to_left() {
        let xml = document_xml("ar", "# عنوان\n\n| أ |\n|---|\n| ب |\n");
        for part in ["<w:bidi/>", "<w:rtl/>", "<w:bidiVisual/>"] {
            assert!(xml.contains(part), "{part} missing");
        }
    }
}

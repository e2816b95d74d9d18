//! Mutated files of every format: parsing never panics, and every block's span slices back into the text.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use rag_parse::{Config, Given, Parser};

const MARKDOWN: &str = "---\nid: a\naccess: [hr]\n---\n# Title\n\nText with *stress* and `code`.\n\n- one\n  - two\n1. three\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```sh\nls\n```\n\n<div><p>html</p></div>\n\nNote[^1]\n\n[^1]: the note\n";

const HTML: &str = "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><meta name=access content='hr, exec'><title>T</title></head>\
    <body><h1>Head</h1><nav>x</nav><p>Text <b>bold</b><br>more<ul><li>one<li>two<ol><li>three</ol></ul>\
    <table><caption>Caps</caption><tr><th rowspan=2>A<th colspan=2>B<tr><td>1<td>2</table><pre>a\n b</pre><dl><dt>t<dd>d</dl></body></html>";

const TEXT: &str = "ACME POLICY 2026\n\nThis is a para-\ngraph of text.\n\n- item one\n- item two\n\nGrade    Cap\nG1       145\nG2       182\nPage 1 of 2\n\u{c}ACME POLICY 2026\n\nMore text.\nPage 2 of 2\n";

const CSV: &str = "sep=;\nRole;Limit;Note\nLead;\"EUR 1500\";\"a \"\"quoted\"\" note\"\nHead;EUR 35000;\n";

const DOCUMENT_XML: &str = "<w:document><w:body><w:p><w:pPr><w:pStyle w:val='Heading1'/><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr></w:pPr>\
    <w:r><w:t>Head</w:t></w:r></w:p><w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id='2'/></w:r><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>\
    <w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc></w:tr>\
    <w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl></w:body></w:document>";

const NUMBERING_XML: &str = "<w:numbering><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='lowerRoman'/><w:lvlText w:val='%1.%9'/></w:lvl></w:abstractNum>\
    <w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num></w:numbering>";

const RELS_XML: &str = "<r><Relationship Id='n' Type='x/numbering' Target='numbering.xml'/></r>";

/// A DOCX file whose text part is `document`. Parts are stored, so that mutations reach them.
fn docx(document: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let parts: [(&str, &[u8]); 3] = [
        ("word/document.xml", document),
        ("word/numbering.xml", NUMBERING_XML.as_bytes()),
        ("word/_rels/document.xml.rels", RELS_XML.as_bytes()),
    ];
    for (name, bytes) in parts {
        zip.start_file(name, options).expect("memory can be written to");
        zip.write_all(bytes).expect("memory can be written to");
    }
    zip.finish().expect("memory can be written to").into_inner()
}

/// A PDF of one page per content stream, in the built-in Helvetica.
fn pdf(contents: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len())
        .map(|page| format!("{} 0 R", 4 + page * 2))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} >>",
            kids.join(" "),
            contents.len()
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (page, content) in contents.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>",
            5 + page * 2
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ));
    }
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", number + 1).as_bytes());
    }
    let start = file.len();
    file.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes());
    for offset in offsets {
        file.extend_from_slice(format!("{offset:010} 00000 n \n").as_bytes());
    }
    let size = objects.len() + 1;
    file.extend_from_slice(
        format!("trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").as_bytes(),
    );
    file
}

/// Shows a text at a place in a size.
fn show(text: &str, x: u32, y: u32, size: u32) -> String {
    format!("BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")
}

fn sample_pdf() -> Vec<u8> {
    let first = [
        show("Acme Travel Policy", 60, 810, 8),
        show("Travel policy", 60, 760, 18),
        show("Limits on hotels and meals hold for all em-", 60, 730, 10),
        show("ployees who travel on company business.", 60, 717, 10),
        show("Hotels", 60, 690, 14),
        show("Grade", 60, 665, 10) + &show("Hotel cap", 160, 665, 10) + &show("Meal cap", 260, 665, 10),
        show("G1-G3", 60, 649, 10) + &show("EUR 145", 160, 649, 10) + &show("EUR 52", 260, 649, 10),
        show("G4-G6", 60, 633, 10) + &show("EUR 182", 160, 633, 10) + &show("EUR 64", 260, 633, 10),
        show("Page 1 of 2", 60, 30, 8),
    ];
    let second = [
        show("Acme Travel Policy", 60, 810, 8),
        show("Economy class is the rule.", 60, 760, 10),
        show("Page 2 of 2", 60, 30, 8),
    ];
    pdf(&[&first.concat(), &second.concat()])
}

fn check(source: &str, bytes: &[u8]) {
    let parser = Parser::new(Config::default(), None);
    if let Ok(parsed) = parser.parse(source, bytes, &Given::default()) {
        let document = parsed.document;
        let mut end = 0;
        for block in &document.blocks {
            let text = block.span.slice(&document.text);
            assert!(
                text.is_some_and(|text| !text.is_empty()),
                "{source}: {:?}",
                block.span
            );
            assert!(block.span.start >= end, "{source}: blocks overlap");
            end = block.span.end;
        }
    }
}

#[test]
fn a_pdf_of_ours_is_read_with_headings_rows_pages_and_boxes() {
    let parsed = Parser::new(Config::default(), None)
        .parse("a.pdf", &sample_pdf(), &Given::default())
        .unwrap();
    let document = parsed.document;
    let texts: Vec<&str> = document
        .blocks
        .iter()
        .map(|block| document.block_text(block))
        .collect();
    let expected = [
        "Travel policy",
        "Limits on hotels and meals hold for all employees who travel on company business.",
        "Hotels",
        "Grade G1-G3: hotel cap EUR 145, meal cap EUR 52.",
        "Grade G4-G6: hotel cap EUR 182, meal cap EUR 64.",
        "Economy class is the rule.",
    ];
    assert_eq!(texts, expected);
    assert_eq!(document.pages, Some(2));
    assert_eq!(document.title, "Travel policy");
    assert_eq!(document.blocks[3].heading_path, ["Travel policy", "Hotels"]);
    assert_eq!(document.blocks[5].page, Some(2));
    let place = document.blocks[1].bounding_box.unwrap();
    assert!(
        place.left > 55.0 && place.left < 65.0 && place.top > 95.0 && place.bottom < 135.0,
        "{place:?}"
    );
}

/// Places to change, and what to: a byte, a piece that is repeated, or the end.
fn mutations() -> impl Strategy<Value = Vec<(prop::sample::Index, u8, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<u8>()), 0..8)
}

fn mutate(bytes: &[u8], mutations: &[(prop::sample::Index, u8, u8)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, kind, value) in mutations {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        match kind {
            0 => bytes[at] = *value,
            1 => bytes.insert(at, *value),
            2 => bytes.truncate(at),
            _ => {
                let end = bytes.len().min(at + usize::from(*value));
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn mutated_text_formats(mutations in mutations()) {
        for (source, text) in [("a.md", MARKDOWN), ("a.html", HTML), ("a.txt", TEXT), ("a.csv", CSV)] {
            check(source, &mutate(text.as_bytes(), &mutations));
        }
    }

    #[test]
    fn mutated_docx(inside in mutations(), outside in mutations()) {
        let file = docx(&mutate(DOCUMENT_XML.as_bytes(), &inside));
        check("a.docx", &file);
        check("a.docx", &mutate(&file, &outside));
    }

    #[test]
    fn mutated_pdf(mutations in mutations()) {
        check("a.pdf", &mutate(&sample_pdf(), &mutations));
    }

    #[test]
    fn arbitrary_bytes(bytes: Vec<u8>, name in "[a-z]{1,4}\\.(md|html|txt|csv|docx|pdf|bin)") {
        check(&name, &bytes);
    }
}

//! The sample corpus: its DOCX and PDF files are made from texts that we keep, so what is read from them
//! can be held to what was written.

use std::path::{Path, PathBuf};

use rag_core::document::{BlockKind, Document};
use rag_parse::{Config, Given, Parser};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data")
}

/// The files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs_err::read_dir(folder).expect("the sample corpus is there") {
            let path = entry.expect("its folders can be listed").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn parse(path: &Path) -> Document {
    let bytes = fs_err::read(path).expect("the file was listed");
    let source = path.to_string_lossy();
    let parsed = Parser::new(Config::default(), None).parse(&source, &bytes, &Given::default());
    let parsed = parsed.unwrap_or_else(|failure| panic!("{source}: {failure}"));
    // Only one document gives orders to its reader, and that it does is reported.
    let gives_orders = source.ends_with("vendor-note-brightpump.md");
    let reported: Vec<&str> = parsed
        .diagnostics
        .iter()
        .map(|found| found.reason.as_str())
        .collect();
    let expected: &[&str] = if gives_orders { &["instructions"] } else { &[] };
    assert_eq!(reported, expected, "{source}: {:?}", parsed.diagnostics);
    parsed.document
}

#[test]
fn every_document_is_read_without_loss() {
    let documents = files(&data().join("handbook"));
    let documents = documents
        .iter()
        .filter(|path| !path.to_string_lossy().ends_with(".meta.toml"));
    let read = documents
        .map(|path| parse(path))
        .filter(|document| document.blocks.len() > 1)
        .count();
    assert!(read >= 80, "{read} documents with more than one block");
}

#[test]
fn headings_rows_and_paragraphs_come_back_as_they_were_written() {
    let sources = files(&data().join("handbook-src"));
    assert!(!sources.is_empty());
    for source in sources {
        let text = fs_err::read_to_string(&source).expect("the file was listed");
        let written = text.splitn(3, "---\n").nth(2).unwrap_or_default();
        let relative = source
            .strip_prefix(data().join("handbook-src"))
            .expect("found below it");
        let made = data().join("handbook").join(relative.with_extension(""));
        let document = parse(&made);
        let name = relative.display();

        let headings: Vec<&str> = written
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(|line| line.trim_start_matches('#').trim())
            .collect();
        assert_eq!(texts(&document, BlockKind::Heading), headings, "{name}");

        let is_rule = |line: &&str| line.chars().all(|c| matches!(c, '|' | '-' | ' '));
        let lines = || written.lines().filter(|line| line.starts_with('|'));
        let rows = lines().count() - 2 * lines().filter(is_rule).count();
        assert_eq!(texts(&document, BlockKind::TableRow).len(), rows, "{name}");

        let paragraphs = texts(&document, BlockKind::Paragraph);
        let is_prose = |line: &&str| line.starts_with(char::is_alphabetic);
        for line in written.lines().filter(is_prose) {
            let plain = line.replace(['*', '_', '`'], "");
            assert!(paragraphs.contains(&plain.as_str()), "{name}: {plain}");
        }
    }
}

fn texts(document: &Document, kind: BlockKind) -> Vec<&str> {
    let blocks = document.blocks.iter().filter(|block| block.kind == kind);
    blocks.map(|block| document.block_text(block)).collect()
}

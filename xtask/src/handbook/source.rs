//! The markup of the sources: front matter, then a small Markdown.
//!
//! Blocks are headings (`#` to `###`), paragraphs, `- ` and `1. ` lists of one-line items, pipe tables
//! and `:::columns` … `:::` for two columns on a PDF page. Inline, `*word*` is emphasised. One block
//! ends at an empty line. Anything else is plain text; there is no escaping.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// What the system knows about a document besides its text; written as its sidecar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Metadata {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) department: String,
    /// Date of the last change, `YYYY-MM-DD`.
    pub(crate) updated: String,
    /// ISO 639-1 code.
    pub(crate) language: String,
    /// Groups that may read the document.
    pub(crate) access: Vec<String>,
    /// Id of the document that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) supersedes: Option<String>,
}

impl Metadata {
    /// The content of `<file>.meta.toml`.
    pub(crate) fn to_sidecar(&self) -> Result<String> {
        Ok(toml::to_string(self)?)
    }
}

/// How tables are drawn on a PDF page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum TableRules {
    /// Lines around every cell.
    #[default]
    Grid,
    /// No lines: columns are recognisable by alignment only.
    None,
}

/// Paper of a PDF.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Paper {
    #[default]
    A4,
    /// Booklets.
    A5,
}

/// What applies to the whole page of a PDF.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PageStyle {
    /// Running head, repeated on every page.
    pub(crate) header: String,
    /// Left part of the foot; the page number stands on the right.
    pub(crate) footer: String,
    pub(crate) table_rules: TableRules,
    pub(crate) paper: Paper,
}

/// Bullets or numbers in front of list items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListKind {
    Bulleted,
    Numbered,
}

/// A table; every row has as many cells as the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// One block of a source, in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
    /// Level 1 to 3.
    Heading(u8, String),
    Paragraph(String),
    List(ListKind, Vec<String>),
    Table(Table),
    /// Blocks set in two columns.
    Columns(Vec<Block>),
}

/// A parsed source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) metadata: Metadata,
    pub(crate) page: PageStyle,
    pub(crate) blocks: Vec<Block>,
}

impl Source {
    /// Parses a whole source file.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (front, body) = split_front_matter(text)?;
        let mut page = PageStyle::default();
        let metadata = parse_metadata(front, |key, value| {
            match (key, value) {
                ("header", _) => value.clone_into(&mut page.header),
                ("footer", _) => value.clone_into(&mut page.footer),
                ("table_rules", "grid") => page.table_rules = TableRules::Grid,
                ("table_rules", "none") => page.table_rules = TableRules::None,
                ("paper", "a4") => page.paper = Paper::A4,
                ("paper", "a5") => page.paper = Paper::A5,
                _ => bail!("unknown front matter `{key}: {value}`"),
            }
            Ok(())
        })?;
        let blocks = parse_blocks(body)?;
        Ok(Self {
            metadata,
            page,
            blocks,
        })
    }
}

/// Splits `---` front matter from the text below it.
pub(crate) fn split_front_matter(text: &str) -> Result<(&str, &str)> {
    text.strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .context("the source must begin with front matter between two lines `---`")
}

/// Reads `key: value` lines; keys that are not metadata go to `other`.
pub(crate) fn parse_metadata(
    front: &str,
    mut other: impl FnMut(&str, &str) -> Result<()>,
) -> Result<Metadata> {
    let mut fields = serde_json::Map::new();
    for line in front.lines().filter(|line| !line.trim().is_empty()) {
        let (key, value) = line
            .split_once(':')
            .with_context(|| format!("front matter line without a colon: {line}"))?;
        let (key, value) = (key.trim(), value.trim().trim_matches('"'));
        match key {
            "id" | "title" | "department" | "updated" | "language" | "supersedes" => {
                fields.insert(key.to_owned(), value.into());
            }
            "access" => {
                fields.insert(key.to_owned(), parse_groups(value).into());
            }
            _ => other(key, value)?,
        }
    }
    Ok(serde_json::from_value(fields.into())?)
}

/// Groups from `[a, b]` or `a, b`.
pub(crate) fn parse_groups(value: &str) -> Vec<String> {
    value
        .trim_matches(['[', ']'])
        .split(',')
        .map(|group| group.trim().to_owned())
        .filter(|group| !group.is_empty())
        .collect()
}

fn parse_blocks(body: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut columns: Option<Vec<Block>> = None;
    let fenced = body
        .replace("\n:::columns\n", "\n\n:::columns\n\n")
        .replace("\n:::\n", "\n\n:::\n\n");
    for chunk in fenced.split("\n\n").map(str::trim) {
        match chunk {
            "" => {}
            ":::columns" if columns.is_none() => columns = Some(Vec::new()),
            ":::" => {
                let inner = columns.take().context("`:::` without `:::columns`")?;
                blocks.push(Block::Columns(inner));
            }
            _ => columns.as_mut().unwrap_or(&mut blocks).push(parse_block(chunk)?),
        }
    }
    if columns.is_some() {
        bail!("`:::columns` is never closed");
    }
    Ok(blocks)
}

fn parse_block(chunk: &str) -> Result<Block> {
    for (level, mark) in [(1, "# "), (2, "## "), (3, "### ")] {
        if let Some(text) = chunk.strip_prefix(mark) {
            if text.contains('\n') {
                bail!("a heading needs an empty line below it: {chunk}");
            }
            return Ok(Block::Heading(level, text.to_owned()));
        }
    }
    if chunk.starts_with("- ") {
        let items = list_items(chunk, |line| line.strip_prefix("- "))?;
        return Ok(Block::List(ListKind::Bulleted, items));
    }
    if chunk.starts_with("1. ") {
        let items = list_items(chunk, |line| {
            line.trim_start_matches(|c: char| c.is_ascii_digit())
                .strip_prefix(". ")
        })?;
        return Ok(Block::List(ListKind::Numbered, items));
    }
    if chunk.starts_with('|') {
        return Ok(Block::Table(parse_table(chunk)?));
    }
    Ok(Block::Paragraph(chunk.replace('\n', " ")))
}

fn list_items<'a>(chunk: &'a str, item: impl Fn(&'a str) -> Option<&'a str>) -> Result<Vec<String>> {
    chunk
        .lines()
        .map(|line| {
            item(line)
                .map(str::to_owned)
                .with_context(|| format!("not a list item: {line}"))
        })
        .collect()
}

fn parse_table(chunk: &str) -> Result<Table> {
    let mut rows = chunk.lines().map(|line| {
        line.trim()
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect::<Vec<_>>()
    });
    let header = rows.next().unwrap_or_default();
    let dashes = rows.next().unwrap_or_default();
    if !dashes.iter().all(|cell| cell.starts_with("---")) {
        bail!("the second line of a table must be dashes: {chunk}");
    }
    let rows: Vec<_> = rows.collect();
    if let Some(row) = rows.iter().find(|row| row.len() != header.len()) {
        bail!(
            "a row has {} cells, its header {}: {row:?}",
            row.len(),
            header.len()
        );
    }
    Ok(Table { header, rows })
}

/// Text between two `*`, or outside of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Span<'a> {
    Plain(&'a str),
    Emphasis(&'a str),
}

/// Splits inline text at its `*`.
pub(crate) fn spans(text: &str) -> impl Iterator<Item = Span<'_>> {
    text.split('*')
        .enumerate()
        .filter(|(_, part)| !part.is_empty())
        .map(|(position, part)| match position % 2 {
            0 => Span::Plain(part),
            _ => Span::Emphasis(part),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(text: &str) -> Block {
        parse_block(text).unwrap()
    }

    #[test]
    fn every_kind_of_block_is_recognised() {
        assert_eq!(block("## Two"), Block::Heading(2, "Two".into()));
        assert_eq!(block("one\ntwo"), Block::Paragraph("one two".into()));
        assert_eq!(
            block("1. a\n2. b"),
            Block::List(ListKind::Numbered, vec!["a".into(), "b".into()])
        );
        assert_eq!(
            block("| A | B |\n|---|---|\n| 1 | |"),
            Block::Table(Table {
                header: vec!["A".into(), "B".into()],
                rows: vec![vec!["1".into(), String::new()]],
            })
        );
        let columns = parse_blocks("x\n\n:::columns\n## y\n\nz\n:::\n\nw").unwrap();
        assert!(matches!(&columns[1], Block::Columns(inner) if inner.len() == 2));
        assert_eq!(columns.len(), 3);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, word) in [
            ("# a\nb", "heading"),
            ("- a\nb", "list item"),
            ("| A | B |\n|---|---|\n| 1 |", "cells"),
            ("| A |\n| 1 |", "dashes"),
        ] {
            let message = parse_block(text).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
        }
        assert!(parse_blocks(":::columns\n\nx").is_err());
        assert!(parse_blocks("x\n\n:::\n\ny").is_err());
        assert!(Source::parse("no front matter").is_err());
        assert!(Source::parse("---\nid: a\n---\n\nx").is_err());
    }

    #[test]
    fn emphasis_alternates() {
        let found: Vec<_> = spans("a *b* c").collect();
        assert_eq!(found, [Span::Plain("a "), Span::Emphasis("b"), Span::Plain(" c")]);
    }

    #[test]
    fn sidecars_round_trip() {
        let text = "---\nid: a\ntitle: \"A: b\"\ndepartment: IT\nupdated: 2026-01-02\nlanguage: en\naccess: [hr, exec]\nsupersedes: z\nheader: H\n---\n\n# A\n";
        let source = Source::parse(text).unwrap();
        assert_eq!(source.page.header, "H");
        let sidecar = source.metadata.to_sidecar().unwrap();
        let back: Metadata = toml::from_str(&sidecar).unwrap();
        assert_eq!(back, source.metadata);
        assert_eq!(back.access, ["hr", "exec"]);
        assert_eq!(back.title, "A: b");
    }
}

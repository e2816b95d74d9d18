//! Plain text to blocks: pages at form feeds, repaired, then headings, lists, tables and paragraphs.

use rag_core::document::BlockKind;

use crate::config::RepairConfig;
use crate::draft::Draft;
use crate::error::Failure;
use crate::metadata::split_front_matter;
use crate::repair::columns::table_at;
use crate::repair::furniture::{is_page_number, running_lines};
use crate::repair::hyphens::KnownWords;
use crate::repair::unwrap::unwrap;
use crate::text_table;

/// Longest heading of a text file, in characters.
const MAX_HEADING_CHARACTERS: usize = 90;

/// Most lines of a text that are read, blank ones between others among them.
const MAX_LINES: usize = 4_000_000;

/// Reads plain text into `draft`.
pub(crate) fn parse(text: &str, repair: &RepairConfig, draft: &mut Draft) -> Result<(), Failure> {
    let front = split_front_matter(text).map_err(|error| Failure::lasting("metadata", error.to_string()))?;
    draft.metadata = front.metadata;
    parse_body(front.body, repair, draft);
    Ok(())
}

/// Reads text without front matter: a message may begin with a line like that of one.
pub(crate) fn parse_body(text: &str, repair: &RepairConfig, draft: &mut Draft) {
    let known = if repair.rejoin_hyphens {
        KnownWords::of(text)
    } else {
        KnownWords::default()
    };
    let pages = repaired_pages(text, repair);
    if pages.len() > 1 {
        draft.pages = Some(pages.len() as u32);
    }
    let lines: Vec<Line<'_>> = pages
        .iter()
        .enumerate()
        .flat_map(|(page, lines)| {
            lines.iter().map(move |text| Line {
                text,
                page: page as u32 + 1,
            })
        })
        .collect();
    let has_pages = pages.len() > 1;
    Reader {
        repair,
        known,
        has_pages,
        draft,
    }
    .read(&lines);
}

/// The lines of each page without its furniture. Only a text with form feeds has pages.
fn repaired_pages<'t>(text: &'t str, repair: &RepairConfig) -> Vec<Vec<&'t str>> {
    let mut left = MAX_LINES;
    let mut pages: Vec<Vec<&str>> = text
        .split('\u{c}')
        .map(|page| lines_of(page, &mut left))
        .collect();
    if pages
        .last()
        .is_some_and(|lines| lines.iter().all(|line| line.trim().is_empty()))
        && pages.len() > 1
    {
        pages.pop();
    }
    if pages.len() < 2 {
        return pages;
    }
    for lines in &mut pages {
        let is_blank = |line: &&str| line.trim().is_empty();
        let lead = lines.iter().take_while(|line| is_blank(line)).count();
        lines.drain(..lead);
        lines.truncate(lines.len() - lines.iter().rev().take_while(|line| is_blank(line)).count());
    }
    if repair.drop_running_lines {
        for (page, line) in running_lines(&pages).into_iter().rev() {
            pages[page].remove(line);
        }
    }
    if repair.drop_page_numbers {
        for lines in &mut pages {
            if lines.last().is_some_and(|line| is_page_number(line)) {
                lines.pop();
            }
            if lines.first().is_some_and(|line| is_page_number(line)) {
                lines.remove(0);
            }
        }
    }
    pages
}

/// The lines of a page, of which `left` may still be read. Of many blank ones, two are kept.
fn lines_of<'t>(page: &'t str, left: &mut usize) -> Vec<&'t str> {
    let mut lines: Vec<&str> = Vec::new();
    let mut blank = 0;
    for line in page.lines() {
        blank = if line.trim().is_empty() { blank + 1 } else { 0 };
        if blank > 2 {
            continue;
        }
        let Some(rest) = left.checked_sub(1) else {
            break;
        };
        *left = rest;
        lines.push(line);
    }
    lines
}

#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    page: u32,
}

impl AsRef<str> for Line<'_> {
    fn as_ref(&self) -> &str {
        self.text
    }
}

impl Line<'_> {
    fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

struct Reader<'r> {
    repair: &'r RepairConfig,
    known: KnownWords,
    has_pages: bool,
    draft: &'r mut Draft,
}

impl Reader<'_> {
    fn read(&mut self, lines: &[Line<'_>]) {
        if lines.len() >= MAX_LINES {
            let message = format!("lines beyond the limit of {MAX_LINES} were left out; split the file");
            self.draft.warn("too-long", message);
        }
        let mut at = 0;
        while at < lines.len() {
            at += self.block(&lines[at..], at == 0 || lines[at - 1].is_blank());
        }
    }

    /// Reads the block at the beginning of `lines` and returns how many lines it took.
    fn block(&mut self, lines: &[Line<'_>], after_blank: bool) -> usize {
        let first = lines[0];
        if first.is_blank() {
            return 1;
        }
        let page = self.page_of(first);
        if let Some((level, taken)) = heading_at(lines, after_blank, self.draft.is_empty()) {
            if let Some(block) = self.draft.heading(level, first.text) {
                block.page = page;
            }
            return taken;
        }
        if let Some(found) = text_table::table_at(lines) {
            for (row, at) in found.table.rows.iter().zip(&found.lines) {
                let page = self.page_of(lines[*at]);
                if let Some(block) = self.draft.row(&found.table, row) {
                    block.page = page;
                }
            }
            return found.taken;
        }
        if let Some((table, taken)) = table_at(lines) {
            for (row, line) in table.rows.iter().zip(&lines[1..]) {
                let page = self.page_of(*line);
                if let Some(block) = self.draft.row(&table, row) {
                    block.page = page;
                }
            }
            return taken;
        }
        let is_item = list_marker(first.text).is_some();
        let taken = 1 + lines[1..]
            .iter()
            .take_while(|line| !ends_block(line, is_item))
            .count();
        let taken = taken.min(
            1 + (1..taken)
                .take_while(|&at| {
                    let rest = &lines[at..taken];
                    table_at(rest).is_none() && text_table::table_at(rest).is_none()
                })
                .count(),
        );
        let kind = if is_item {
            BlockKind::ListItem
        } else {
            BlockKind::Paragraph
        };
        let text = self.joined(&lines[..taken]);
        let text = list_marker(&text).filter(|_| is_item).unwrap_or(&text);
        if let Some(block) = self.draft.prose(kind, text) {
            block.page = page;
        }
        taken
    }

    fn joined(&self, lines: &[Line<'_>]) -> String {
        if self.repair.unwrap_paragraphs {
            return unwrap(lines, &self.known);
        }
        let lines: Vec<&str> = lines.iter().map(|line| line.text).collect();
        lines.join("\n")
    }

    fn page_of(&self, line: Line<'_>) -> Option<u32> {
        self.has_pages.then_some(line.page)
    }
}

fn ends_block(line: &Line<'_>, in_item: bool) -> bool {
    line.is_blank() || list_marker(line.text).is_some() || (in_item && !line.text.starts_with([' ', '\t']))
}

/// The level of the heading at the beginning of `lines` and the lines it takes.
///
/// A heading is a line underlined with `===` or `---`, a line in capitals that stands alone, or a
/// first line that stands alone and does not end like a sentence.
fn heading_at(lines: &[Line<'_>], after_blank: bool, is_first: bool) -> Option<(usize, usize)> {
    let text = lines[0].text.trim();
    let next = lines.get(1).map_or("", |line| line.text.trim());
    let is_short = text.chars().count() <= MAX_HEADING_CHARACTERS && text.chars().any(char::is_alphabetic);
    if !is_short || list_marker(text).is_some() {
        return None;
    }
    let is_rule = |c: char| next.len() >= 3 && next.chars().all(|other| other == c);
    if is_rule('=') || is_rule('-') {
        return Some((if is_rule('=') { 1 } else { 2 }, 2));
    }
    if !(after_blank && next.is_empty() && lines.len() > 1) {
        return None;
    }
    let is_capitals = text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
    let has_text_after = lines[1..].iter().any(|line| !line.is_blank());
    if is_first && has_text_after && !text.ends_with(['.', '!', '?', ':', ';', ',', '؟', '،']) {
        return Some((1, 1));
    }
    (is_capitals && text.chars().filter(|c| c.is_alphabetic()).count() > 2).then_some((2, 1))
}

/// The text behind a bullet; a numbered item keeps its number. Nothing when the line is no item.
fn list_marker(line: &str) -> Option<&str> {
    let line = line.trim_start();
    for bullet in ["- ", "* ", "• ", "– ", "▪ ", "◦ "] {
        if let Some(rest) = line.strip_prefix(bullet) {
            return Some(rest.trim_start());
        }
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let rest = &line[digits..];
    let is_numbered = (1..=3).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") "));
    is_numbered.then_some(line)
}

/// Sets a raised number, which begins at `start`, apart from what it stands on: `10^6` is no 106.
pub(crate) fn mark_raised(text: &mut String, start: usize) {
    let (before, raised) = text.split_at(start);
    let is_number = raised
        .trim_start_matches(['-', '−', '+'])
        .starts_with(|c: char| c.is_ascii_digit());
    if is_number && before.ends_with(|c: char| c.is_alphanumeric() || c == ')') {
        text.insert(start, '^');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Limits;

    fn blocks(text: &str) -> Vec<(BlockKind, Option<u32>, String)> {
        let mut draft = Draft::new(&Limits::default());
        parse(text, &RepairConfig::default(), &mut draft).unwrap();
        let (text, ..) = draft.finish();
        let slice = |block: &rag_core::document::Block| block.span.slice(&text.text).unwrap().to_owned();
        text.blocks
            .iter()
            .map(|block| (block.kind, block.page, slice(block)))
            .collect()
    }

    #[test]
    fn extracted_pages_are_repaired() {
        let text = "Acme Ltd  Travel Policy 2026        INTERNAL\n\
            Limits on hotels and meals hold for all em-\n\
            ployees who travel on company busi-\n\
            ness. Book in the portal.\n\
            Grade    Hotel cap    Meal cap\n\
            L1-L3    150          60\n\
            L4-L6    200          75\n\
            Page 1 of 2\n\u{c}\
            Acme Ltd  Travel Policy 2026        INTERNAL\n\
            Economy class is the rule for flights un-\n\
            der six hours.\n\
            Page 2 of 2\n";
        let expected = [
            (
                BlockKind::Paragraph,
                Some(1),
                "Limits on hotels and meals hold for all employees who travel on company business. Book in the portal.",
            ),
            (
                BlockKind::TableRow,
                Some(1),
                "Grade L1-L3: hotel cap 150, meal cap 60.",
            ),
            (
                BlockKind::TableRow,
                Some(1),
                "Grade L4-L6: hotel cap 200, meal cap 75.",
            ),
            (
                BlockKind::Paragraph,
                Some(2),
                "Economy class is the rule for flights under six hours.",
            ),
        ];
        let expected: Vec<_> = expected
            .map(|(kind, page, text)| (kind, page, text.to_owned()))
            .to_vec();
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn plain_text_has_headings_lists_and_paragraphs() {
        use BlockKind::{Heading, ListItem, Paragraph};
        let cases: &[(&str, &[(BlockKind, &str)])] = &[
            (
                "HOME RULES 2023\n\nStaff may\nwork at home.\n\nSECOND PART\n\nMore.",
                &[
                    (Heading, "HOME RULES 2023"),
                    (Paragraph, "Staff may work at home."),
                    (Heading, "SECOND PART"),
                    (Paragraph, "More."),
                ],
            ),
            (
                "Title\n=====\ntext\n\nPart\n----\ntext",
                &[
                    (Heading, "Title"),
                    (Paragraph, "text"),
                    (Heading, "Part"),
                    (Paragraph, "text"),
                ],
            ),
            (
                "To do:\n- one\n  more\n- two\n1. three\nafter",
                &[
                    (Paragraph, "To do:"),
                    (ListItem, "one more"),
                    (ListItem, "two"),
                    (ListItem, "1. three"),
                    (Paragraph, "after"),
                ],
            ),
            ("Just one line", &[(Paragraph, "Just one line")]),
            (
                "Rates:\n+------+------+\n| City | Rate |\n+------+------+\n| Rome | 99   |\n+------+------+\nEnd.",
                &[
                    (Paragraph, "Rates:"),
                    (BlockKind::TableRow, "City Rome: rate 99."),
                    (Paragraph, "End."),
                ],
            ),
            ("\n\n \n", &[]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = blocks(text)
                .into_iter()
                .map(|(kind, _, text)| (kind, text))
                .collect();
            let expected: Vec<_> = expected
                .iter()
                .map(|(kind, text)| (*kind, (*text).to_owned()))
                .collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn of_many_blank_lines_few_are_kept() {
        let mut left = 10;
        let text = format!("a{}b\n", "\n".repeat(100));
        assert_eq!(lines_of(&text, &mut left), ["a", "", "", "b"]);
        assert_eq!(lines_of(&"x\n".repeat(100), &mut left).len(), 6);
    }

    #[test]
    fn front_matter_of_a_text_file_is_metadata() {
        let mut draft = Draft::new(&Limits::default());
        parse(
            "---\naccess: [hr]\n---\nSecret.",
            &RepairConfig::default(),
            &mut draft,
        )
        .unwrap();
        assert!(draft.metadata.access.is_some());
        assert!(
            parse(
                "---\naccess: [hr\n---\nSecret.",
                &RepairConfig::default(),
                &mut draft
            )
            .is_err()
        );
    }
}

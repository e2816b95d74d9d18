//! Markdown to blocks: front matter, headings, paragraphs, lists, tables, code and footnotes.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use rag_core::document::BlockKind;

use crate::config::Config;
use crate::draft::Draft;
use crate::error::Failure;
use crate::metadata::split_front_matter;
use crate::table::Table;

/// Reads a Markdown text into `draft`.
pub(crate) fn parse(text: &str, config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    let front = split_front_matter(text).map_err(|error| Failure::lasting("metadata", error.to_string()))?;
    draft.metadata = front.metadata;
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut walk = Walk {
        config,
        draft,
        inline: String::new(),
        stack: Vec::new(),
        lists: Vec::new(),
        grid: None,
    };
    for event in Parser::new_ext(front.body, options) {
        walk.event(event)?;
    }
    walk.flush();
    Ok(())
}

/// A numbered list's next number, or nothing for bullets.
type ListCounter = Option<u64>;

/// Rows of the table being read, the header row first.
#[derive(Default)]
struct Grid {
    rows: Vec<Vec<String>>,
}

struct Walk<'w> {
    config: &'w Config,
    draft: &'w mut Draft,
    /// Text of the block being read.
    inline: String,
    /// Kinds of the blocks around it, innermost last.
    stack: Vec<Within>,
    lists: Vec<ListCounter>,
    grid: Option<Grid>,
}

/// What the text being read will become.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Heading(usize),
    Item,
    Code,
    Html,
    Note,
    Image,
}

impl Walk<'_> {
    fn event(&mut self, event: Event<'_>) -> Result<(), Failure> {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag)?,
            Event::Text(text) | Event::Code(text) | Event::Html(text) => self.inline.push_str(&text),
            Event::InlineHtml(tag) if tag.starts_with("<br") => self.inline.push('\n'),
            Event::SoftBreak => self.inline.push(' '),
            Event::HardBreak => self.inline.push('\n'),
            Event::TaskListMarker(is_done) => self.inline.push_str(if is_done { "[x] " } else { "[ ] " }),
            Event::FootnoteReference(label) => {
                self.inline.extend(["[", &*label, "]"]);
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.open(Within::Heading(heading_level(level))),
            Tag::CodeBlock(_) => self.open(Within::Code),
            Tag::HtmlBlock => self.open(Within::Html),
            Tag::Paragraph => self.separate(),
            Tag::List(first) => {
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => {
                self.open(Within::Item);
                self.mark_item();
            }
            Tag::FootnoteDefinition(label) => {
                self.open(Within::Note);
                self.inline.extend(["[", &*label, "] "]);
            }
            Tag::Image { .. } => self.stack.push(Within::Image),
            Tag::Table(_) => {
                self.flush();
                self.grid = Some(Grid::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(grid) = &mut self.grid {
                    grid.rows.push(Vec::new());
                }
            }
            Tag::TableCell => self.inline.clear(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) -> Result<(), Failure> {
        match tag {
            TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.close();
            }
            TagEnd::HtmlBlock => self.html_block()?,
            TagEnd::Image => {
                self.stack.pop();
            }
            TagEnd::Paragraph if self.stack.is_empty() => self.flush(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.grid.as_mut().and_then(|grid| grid.rows.last_mut()) {
                    row.push(cell.trim().to_owned());
                }
            }
            TagEnd::Table => {
                let grid = self.grid.take().unwrap_or_default();
                self.draft.table(&Table::from_grid(grid.rows, 1));
            }
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, within: Within) {
        self.flush();
        self.stack.push(within);
    }

    fn close(&mut self) {
        self.flush();
        self.stack.pop();
    }

    /// Two paragraphs of one item stay in one block, on lines of their own.
    fn separate(&mut self) {
        if !self.inline.is_empty() && !self.inline.ends_with(' ') {
            self.inline.push('\n');
        }
    }

    /// Gives the item of a numbered list its number.
    fn mark_item(&mut self) {
        if let Some(Some(number)) = self.lists.last_mut() {
            self.inline.extend([number.to_string().as_str(), ". "]);
            *number += 1;
        }
    }

    /// Turns the text read so far into a block of the innermost kind.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.inline);
        let within = self.stack.iter().rev().find(|within| **within != Within::Image);
        match within {
            Some(Within::Heading(level)) => self.draft.heading(*level, &text),
            Some(Within::Code) => self.draft.code(&text),
            Some(Within::Item) => self.draft.prose(BlockKind::ListItem, &text),
            Some(Within::Note) => self.draft.prose(BlockKind::Note, &text),
            _ => self.draft.prose(BlockKind::Paragraph, &text),
        };
    }

    /// HTML between Markdown is read like an HTML file.
    fn html_block(&mut self) -> Result<(), Failure> {
        let html = std::mem::take(&mut self.inline);
        self.stack.pop();
        crate::html::parse_fragment(&html, self.config, self.draft)
    }
}

fn heading_level(level: HeadingLevel) -> usize {
    level as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use rag_core::document::Block;

    fn blocks(markdown: &str) -> Vec<(BlockKind, String)> {
        let (text, blocks) = read(markdown);
        blocks
            .iter()
            .map(|b| (b.kind, b.span.slice(&text).unwrap().to_owned()))
            .collect()
    }

    fn read(markdown: &str) -> (String, Vec<Block>) {
        let config = Config::default();
        let mut draft = Draft::new(&config.limits);
        parse(markdown, &config, &mut draft).unwrap();
        let (text, ..) = draft.finish();
        (text.text, text.blocks)
    }

    #[test]
    fn each_element_becomes_its_kind_of_block() {
        use BlockKind::{Code, Heading, ListItem, Note, Paragraph, TableRow};
        let cases: &[(&str, &[(BlockKind, &str)])] = &[
            ("# A *b* `c` {#id}", &[(Heading, "A b c")]),
            (
                "one\ntwo [link](http://x)  \nthree",
                &[(Paragraph, "one two link\nthree")],
            ),
            (
                "- a\n- b\n  - c\n\n  after",
                &[
                    (ListItem, "a"),
                    (ListItem, "b"),
                    (ListItem, "c"),
                    (ListItem, "after"),
                ],
            ),
            ("3. x\n4. y", &[(ListItem, "3. x"), (ListItem, "4. y")]),
            ("```sh\nls  -l\n\n  x\n```", &[(Code, "ls  -l\n\n  x")]),
            (
                "| A | B |\n|---|---|\n| 1 | **2** |\n| 3 | |",
                &[(TableRow, "A 1: B 2."), (TableRow, "A 3.")],
            ),
            (
                "text[^1]\n\n[^1]: note",
                &[(Paragraph, "text[1]"), (Note, "[1] note")],
            ),
            (
                "> quoted\n\nplain",
                &[(Paragraph, "quoted"), (Paragraph, "plain")],
            ),
            ("a<br>b", &[(Paragraph, "a\nb")]),
            (
                "<div><p>in html</p></div>\n\nafter",
                &[(Paragraph, "in html"), (Paragraph, "after")],
            ),
            (
                "<!-- hidden -->\n\nseen ![alt](x.png)",
                &[(Paragraph, "seen alt")],
            ),
            ("- [x] done", &[(ListItem, "[x] done")]),
        ];
        for (markdown, expected) in cases {
            let expected: Vec<_> = expected
                .iter()
                .map(|(kind, text)| (*kind, (*text).to_owned()))
                .collect();
            assert_eq!(blocks(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn table_rows_keep_headings_and_cells() {
        let (_, blocks) = read("# Trips\n\n## Caps\n\n| Grade | Cap |\n|---|---|\n| G1 | 145 |");
        let row = blocks.last().unwrap();
        assert_eq!(row.heading_path, ["Trips", "Caps"]);
        assert_eq!(
            (row.cells[1].header.as_str(), row.cells[1].value.as_str()),
            ("Cap", "145")
        );
    }
}

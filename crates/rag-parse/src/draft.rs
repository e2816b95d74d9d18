//! What a format's parser builds: blocks under a stack of headings, within the limits.

use rag_core::document::{BLOCK_SEPARATOR, Block, BlockKind, Cell, TextBuilder};

use crate::archive::Unpacked;
use crate::config::Limits;
use crate::document::{Picture, Removed};
use crate::metadata::Metadata;
use crate::table::{Table, row_sentence};

/// Longest heading path that is kept; deeper headings replace the innermost.
const MAX_HEADING_LEVEL: usize = 9;

/// Longest heading in the heading path of a block, in characters.
const MAX_PATH_CHARACTERS: usize = 300;

/// Most removals that are kept for people to look at.
const MAX_REMOVED: usize = 20_000;

/// Bytes of headings and cells, which repeat the text, that a document may have for each byte of its
/// longest text; and what each of them costs beside its characters.
const MAX_REPEATS: usize = 16;
const HEADING_BYTES: usize = 32;
const CELL_BYTES: usize = 96;

/// A document in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    /// What the file says about itself.
    pub(crate) metadata: Metadata,
    /// Title from the file's properties, which are often left over from another file: used when the
    /// text has no heading.
    pub(crate) fallback_title: Option<String>,
    /// Number of pages, for formats that have them.
    pub(crate) pages: Option<u32>,
    /// Page or slide that is being read, for formats whose blocks have no other place.
    pub(crate) page: Option<u32>,
    /// Levels by which headings are lower, because what is read stands inside something else.
    pub(crate) heading_offset: usize,
    /// What clean-up steps removed.
    pub(crate) removed: Vec<Removed>,
    /// Pictures of pages.
    pub(crate) pictures: Vec<Picture>,
    report_removed: bool,
    /// What was lost or doubtful, each a reason and a sentence.
    pub(crate) warnings: Vec<Warning>,
    text: TextBuilder,
    headings: Vec<(usize, String)>,
    first_heading: Option<String>,
    max_text_bytes: usize,
    max_blocks: usize,
    max_table_columns: usize,
    blocks: usize,
    dropped_blocks: usize,
    dropped_bytes: usize,
    dropped_cells: usize,
    /// What archives inside the file have unpacked to so far.
    pub(crate) unpacked: Unpacked,
    /// Memory that headings and cells of the blocks may still take, in bytes.
    repeats_left: usize,
    bare_blocks: usize,
}

/// Something that a document lost on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Warning {
    /// A word for the kind of reason.
    pub(crate) reason: &'static str,
    /// One sentence for people.
    pub(crate) message: String,
}

/// The finished text of a draft.
#[derive(Debug)]
pub(crate) struct DraftText {
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    /// The first heading, or the title from the file's properties.
    pub(crate) title: Option<String>,
}

impl Draft {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            metadata: Metadata::default(),
            fallback_title: None,
            pages: None,
            page: None,
            heading_offset: 0,
            removed: Vec::new(),
            pictures: Vec::new(),
            report_removed: false,
            warnings: Vec::new(),
            text: TextBuilder::default(),
            headings: Vec::new(),
            first_heading: None,
            max_text_bytes: limits.max_text_bytes,
            max_blocks: limits.max_blocks,
            max_table_columns: limits.max_table_columns,
            blocks: 0,
            dropped_blocks: 0,
            dropped_bytes: 0,
            dropped_cells: 0,
            unpacked: Unpacked::default(),
            repeats_left: limits.max_text_bytes.saturating_mul(MAX_REPEATS),
            bare_blocks: 0,
        }
    }

    /// Records that something was lost.
    pub(crate) fn warn(&mut self, reason: &'static str, message: impl Into<String>) {
        let message = message.into();
        self.warnings.push(Warning { reason, message });
    }

    /// Keeps what steps remove from now on.
    pub(crate) fn report_removed(&mut self, is_wanted: bool) {
        self.report_removed = is_wanted;
    }

    /// Notes what a step removed, if anybody wants to know.
    pub(crate) fn removed(&mut self, step: &str, page: Option<u32>, text: &str) {
        let text = clean_line(text);
        if self.report_removed && !text.is_empty() && self.removed.len() < MAX_REMOVED {
            self.removed.push(Removed {
                step: step.to_owned(),
                page,
                text,
            });
        }
    }

    /// True when nothing was pushed so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What the limits left out so far, as a sentence for people.
    pub(crate) fn cut(&self) -> Option<String> {
        (self.dropped_blocks > 0).then(|| {
            format!(
                "{} blocks ({} bytes) beyond the limits of {} bytes and {} blocks were left out; raise them or split the file",
                self.dropped_blocks, self.dropped_bytes, self.max_text_bytes, self.max_blocks
            )
        })
    }

    /// Appends a heading of `level`, 1 for the outermost.
    pub(crate) fn heading(&mut self, level: usize, text: &str) -> Option<&mut Block> {
        let text = clean_line(text);
        if text.is_empty() {
            return None;
        }
        let level = (level + self.heading_offset).clamp(1, MAX_HEADING_LEVEL);
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, shortened(&text)));
        if self.first_heading.is_none() {
            self.first_heading = Some(text.clone());
        }
        self.push(BlockKind::Heading, &text)
    }

    /// Appends a block of prose; white space is collapsed, single line breaks are kept.
    pub(crate) fn prose(&mut self, kind: BlockKind, text: &str) -> Option<&mut Block> {
        let text = clean_lines(text);
        self.push(kind, &text)
    }

    /// Appends a block whose spaces and line breaks matter.
    pub(crate) fn code(&mut self, text: &str) -> Option<&mut Block> {
        let text: String = text
            .chars()
            .filter(|&c| c == '\n' || c == '\t' || !is_noise(c))
            .collect();
        self.push(BlockKind::Code, text.trim_end().trim_start_matches(['\n', '\r']))
    }

    /// Appends one row of `table`.
    pub(crate) fn row(&mut self, table: &Table, row: &[String]) -> Option<&mut Block> {
        let kept = row.len().min(self.max_table_columns);
        self.dropped_cells += row.len() - kept;
        let row: Vec<String> = row[..kept].iter().map(|cell| clean_line(cell)).collect();
        let sentence = row_sentence(&table.headers, &row);
        let cells = if self.has_room(&sentence) {
            self.cells(table, &row)
        } else {
            Vec::new()
        };
        let block = self.push(BlockKind::TableRow, &sentence)?;
        block.cells = cells;
        Some(block)
    }

    /// The cells of a row as long as there is memory for them.
    fn cells(&mut self, table: &Table, row: &[String]) -> Vec<Cell> {
        let columns = row.len().max(table.headers.len()).min(self.max_table_columns);
        if columns * CELL_BYTES <= self.repeats_left {
            let mut cells = table.cells(row);
            cells.truncate(self.max_table_columns);
            if self.take_repeats(cells.iter().map(cell_bytes).sum()) {
                return cells;
            }
        }
        self.bare_blocks += 1;
        Vec::new()
    }

    /// Takes memory for what repeats the text; false when there is not enough left.
    fn take_repeats(&mut self, bytes: usize) -> bool {
        let left = self.repeats_left.checked_sub(bytes);
        self.repeats_left = left.unwrap_or(self.repeats_left);
        left.is_some()
    }

    /// Appends every row of `table`; a table of headers alone becomes a paragraph.
    pub(crate) fn table(&mut self, table: &Table) {
        if table.rows.is_empty() {
            self.prose(BlockKind::Paragraph, &table.headers.join(", "));
        }
        for row in &table.rows {
            self.row(table, row);
        }
    }

    fn has_room(&self, text: &str) -> bool {
        let room = self
            .max_text_bytes
            .saturating_sub(self.text.len() + BLOCK_SEPARATOR.len());
        self.blocks < self.max_blocks && text.len() <= room
    }

    fn push(&mut self, kind: BlockKind, text: &str) -> Option<&mut Block> {
        if text.is_empty() {
            return None;
        }
        if !self.has_room(text) {
            self.dropped_blocks += 1;
            self.dropped_bytes += text.len();
            return None;
        }
        self.blocks += 1;
        let path = self
            .headings
            .iter()
            .map(|(_, heading)| HEADING_BYTES + heading.len());
        let has_path = self.take_repeats(path.sum());
        self.bare_blocks += usize::from(!has_path);
        let block = self.text.push(kind, text);
        block.page = self.page;
        if has_path {
            block.heading_path = self.headings.iter().map(|(_, heading)| heading.clone()).collect();
        }
        Some(block)
    }

    /// The text and blocks; what the limits cut is added to the warnings.
    pub(crate) fn finish(self) -> (DraftText, Metadata, Option<u32>, Vec<Warning>) {
        let cut = self.cut();
        let mut warnings = self.warnings;
        if let Some(message) = cut {
            warnings.push(Warning {
                reason: "too-long",
                message,
            });
        }
        if self.dropped_cells > 0 {
            let message = format!(
                "{} cells beyond column {} were left out",
                self.dropped_cells, self.max_table_columns
            );
            warnings.push(Warning {
                reason: "too-wide",
                message,
            });
        }
        if self.bare_blocks > 0 {
            let message = format!(
                "{} blocks were left without the headings above them or the cells of their row, which are too long to be repeated",
                self.bare_blocks
            );
            warnings.push(Warning {
                reason: "limit",
                message,
            });
        }
        let (text, blocks) = self.text.finish();
        let title = self.first_heading.or(self.fallback_title);
        (
            DraftText { text, blocks, title },
            self.metadata,
            self.pages,
            warnings,
        )
    }
}

fn cell_bytes(cell: &Cell) -> usize {
    let path: usize = cell
        .header_path
        .iter()
        .map(|level| HEADING_BYTES + level.len())
        .sum();
    CELL_BYTES + cell.header.len() + cell.value.len() + path
}

/// Characters that carry no text: controls, soft hyphens, zero-width spaces, byte order marks, and the
/// code points that Unicode reserves as no characters.
fn is_noise(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'
        )
}

/// The text on one line: white space collapsed, noise removed.
pub(crate) fn clean_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let at = line.len();
        line.extend(word.chars().filter(|&c| !is_noise(c)));
        if at > 0 && line.len() > at {
            line.insert(at, ' ');
        }
    }
    line
}

/// Each line cleaned, blank ones left out.
pub(crate) fn clean_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    for line in text.lines() {
        let line = clean_line(line);
        if line.is_empty() {
            continue;
        }
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str(&line);
    }
    lines
}

/// A heading as the blocks below it name it: each of them has it again.
fn shortened(heading: &str) -> String {
    match heading.char_indices().nth(MAX_PATH_CHARACTERS) {
        Some((end, _)) => format!("{}…", &heading[..end]),
        None => heading.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_nest_and_end_their_siblings() {
        let mut draft = Draft::new(&Limits::default());
        for (level, text) in [(1, "A"), (2, "B"), (3, "C"), (2, "D"), (1, "E"), (2, " ")] {
            draft.heading(level, text);
        }
        draft.prose(BlockKind::Paragraph, "text");
        let (text, ..) = draft.finish();
        let paths: Vec<String> = text.blocks.iter().map(|b| b.heading_path.join(">")).collect();
        assert_eq!(paths, ["A", "A>B", "A>B>C", "A>D", "E", "E"]);
        assert_eq!(text.title.as_deref(), Some("A"));
    }

    #[test]
    fn a_long_heading_is_cut_in_the_paths_below_it() {
        let mut draft = Draft::new(&Limits::default());
        draft.heading(1, &"word ".repeat(10_000));
        draft.prose(BlockKind::Paragraph, "text");
        let (text, ..) = draft.finish();
        assert_eq!(
            text.blocks[1].heading_path[0].chars().count(),
            MAX_PATH_CHARACTERS + 1
        );
        assert!(text.text.len() > 40_000);
    }

    #[test]
    fn what_passes_the_limits_is_counted() {
        let limits = Limits {
            max_text_bytes: 12,
            max_table_columns: 1,
            ..Limits::default()
        };
        let mut draft = Draft::new(&limits);
        draft.prose(BlockKind::Paragraph, "0123456789");
        draft.prose(BlockKind::Paragraph, "more");
        draft.row(&Table::default(), &["a".into(), "b".into()]);
        let (text, _, _, warnings) = draft.finish();
        assert_eq!(text.text, "0123456789");
        let reasons: Vec<&str> = warnings.iter().map(|w| w.reason).collect();
        assert_eq!(reasons, ["too-long", "too-wide"]);
    }

    #[test]
    fn what_repeats_the_text_is_bounded() {
        let limits = Limits {
            max_text_bytes: 1000,
            ..Limits::default()
        };
        let mut draft = Draft::new(&limits);
        draft.heading(1, &"h".repeat(700));
        let table = Table::from_grid(vec![vec!["Column".to_owned(); 100]], 1);
        for _ in 0..30 {
            draft.prose(BlockKind::Paragraph, "x");
            draft.row(&table, &["1".to_owned()]);
        }
        let (text, _, _, warnings) = draft.finish();
        let repeats: usize = text
            .blocks
            .iter()
            .map(|block| block.heading_path.len() * MAX_PATH_CHARACTERS + block.cells.len() * 100)
            .sum();
        assert!(text.blocks.len() > 30 && repeats < 20_000, "{repeats}");
        assert_eq!(warnings[warnings.len() - 1].reason, "limit");
    }

    #[test]
    fn text_is_cleaned() {
        assert_eq!(clean_line(" a\u{a0}\u{200b} b\u{ad}c\u{1}\n d "), "a bc d");
        assert_eq!(clean_lines(" a  b \n\n\t\n c "), "a b\nc");
    }
}

//! The document's body: paragraphs and tables in order, to blocks.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use rag_core::document::BlockKind;

use super::numbering::Numbering;
use super::paragraph::{self, Reading, Reference};
use super::styles::Styles;
use super::tables;
use crate::chart::Chart;
use crate::config::Config;
use crate::draft::Draft;
use crate::encoding::decode;
use crate::error::Failure;
use crate::xml::Element;

/// Elements that merely wrap others.
const WRAPPERS: &[&str] = &[
    "sdt",
    "sdtContent",
    "customXml",
    "smartTag",
    "ins",
    "moveTo",
    "AlternateContent",
    "Choice",
];

/// The elements inside, with wrappers opened.
pub(super) fn contents(element: &Element) -> Vec<&Element> {
    let mut found = Vec::new();
    let mut pending: Vec<&Element> = element.elements().rev().collect();
    while let Some(next) = pending.pop() {
        if WRAPPERS.contains(&next.name.as_str()) {
            pending.extend(next.elements().rev());
        } else {
            found.push(next);
        }
    }
    found
}

/// Reads blocks into a draft.
pub(super) struct Body<'b> {
    pub(super) config: &'b Config,
    pub(super) draft: &'b mut Draft,
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    /// Notes and comments by kind and id.
    pub(super) notes: HashMap<&'static str, HashMap<String, Rc<Element>>>,
    /// Included files by id.
    pub(super) chunks: HashMap<String, Vec<u8>>,
    /// Charts by id.
    pub(super) charts: HashMap<String, Chart>,
    /// Footnotes and endnotes met so far, and the label of each.
    pub(super) note_counts: [usize; 2],
    pub(super) labels: HashMap<(&'static str, String), String>,
    /// Cells that merged ones may still be repeated in.
    pub(super) spread_left: usize,
}

/// What hangs on a paragraph and comes behind it.
#[derive(Debug, Default)]
pub(super) struct Hanging {
    /// Label, kind and id of notes that were not met before.
    notes: VecDeque<(String, Reference, String)>,
    charts: Vec<String>,
}

impl Body<'_> {
    /// Reads the paragraphs and tables inside `element`.
    pub(super) fn read(&mut self, element: &Element) -> Result<(), Failure> {
        // Text of paragraphs whose ends were deleted, and the last of them: it belongs to the next one.
        let mut carried: Option<(&Element, String)> = None;
        for inner in contents(element) {
            if matches!(inner.name.as_str(), "tbl" | "altChunk") {
                self.push_carried(&mut carried);
            }
            match inner.name.as_str() {
                "p" => self.paragraph(inner, &mut carried)?,
                "tbl" if tables::is_frame(inner) => self.frame(inner)?,
                "tbl" => {
                    let mut hanging = Hanging::default();
                    let table = tables::read(self, inner, &mut hanging);
                    self.draft.table(&table);
                    self.hang(hanging);
                }
                "altChunk" => self.chunk(inner)?,
                _ => {}
            }
        }
        self.push_carried(&mut carried);
        Ok(())
    }

    /// A table of one column frames paragraphs.
    fn frame(&mut self, table: &Element) -> Result<(), Failure> {
        for row in tables::rows(table) {
            for cell in contents(row).into_iter().filter(|element| element.name == "tc") {
                self.read(cell)?;
            }
        }
        Ok(())
    }

    fn paragraph<'x>(
        &mut self,
        element: &'x Element,
        carried: &mut Option<(&'x Element, String)>,
    ) -> Result<(), Failure> {
        let mut reading = paragraph::read(element);
        let mut hanging = Hanging::default();
        self.label_references(&mut reading, &mut hanging);
        let before = carried.take().map(|(_, text)| text).unwrap_or_default();
        let text = before + &reading.text;
        if element.at(&["pPr", "rPr", "del"]).is_some() {
            *carried = Some((element, text));
        } else {
            self.push(element, &text);
        }
        self.hang(hanging);
        for boxed in reading.boxes {
            self.read(boxed)?;
        }
        Ok(())
    }

    fn push_carried(&mut self, carried: &mut Option<(&Element, String)>) {
        if let Some((element, text)) = carried.take() {
            self.push(element, &text);
        }
    }

    /// The text inside `element` on one line, as cells and notes have it: paragraphs with their numbers and
    /// text boxes, tables cell by cell.
    pub(super) fn line(&mut self, element: &Element, hanging: &mut Hanging) -> String {
        let mut text = String::new();
        for inner in contents(element) {
            let piece = match inner.name.as_str() {
                "p" => self.paragraph_line(inner, hanging),
                "tr" if tables::is_deleted(inner) => continue,
                "tbl" | "tr" | "tc" => self.line(inner, hanging),
                _ => continue,
            };
            text.push(' ');
            text.push_str(&piece);
        }
        text
    }

    fn paragraph_line(&mut self, element: &Element, hanging: &mut Hanging) -> String {
        let mut reading = paragraph::read(element);
        self.label_references(&mut reading, hanging);
        let mut text = reading.text;
        if !text.trim().is_empty() {
            let style = element.value_at(&["pPr", "pStyle"]).unwrap_or_default();
            let label = self.label(element, style).filter(|label| !label.is_empty());
            text = label.map(|label| label + " ").unwrap_or_default() + &text;
        }
        for boxed in reading.boxes {
            text.push(' ');
            text.push_str(&self.line(boxed, hanging));
        }
        text
    }

    /// Writes the notes and charts that hang on what was read. Notes may have notes of their own.
    fn hang(&mut self, mut hanging: Hanging) {
        while let Some((label, kind, id)) = hanging.notes.pop_front() {
            let Some(note) = self.notes.get(kind.part()).and_then(|notes| notes.get(&id)) else {
                continue;
            };
            let note = Rc::clone(note);
            let text = self.line(&note, &mut hanging);
            if !text.trim().is_empty() {
                let text = format!("{label} {}", text.trim_start());
                self.draft.prose(BlockKind::Note, &text);
            }
        }
        for id in hanging.charts {
            if let Some(chart) = self.charts.remove(&id) {
                chart.push(self.draft);
            }
        }
    }

    fn push(&mut self, element: &Element, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        let style = element.value_at(&["pPr", "pStyle"]).unwrap_or_default();
        let own_level = element
            .value_at(&["pPr", "outlineLvl"])
            .and_then(|level| level.parse::<usize>().ok());
        let level = match own_level {
            Some(level) if level < 9 => Some(level + 1),
            Some(_) => None,
            None => self.styles.heading_level(style),
        };
        let label = self.label(element, style);
        if let Some(level) = level {
            let label = label.unwrap_or_default();
            self.draft
                .heading(level, &format!("{} {text}", label.trim_end_matches('.')));
        } else if let Some(label) = label {
            self.draft
                .prose(BlockKind::ListItem, format!("{label} {text}").trim_start());
        } else if self.styles.is_named(style, &["code", "preformatted", "verbatim"]) {
            self.draft.code(text);
        } else if self.styles.is_named(style, &["caption"]) {
            self.draft.prose(BlockKind::Caption, text);
        } else if self.styles.is_named(style, &["list"]) {
            self.draft.prose(BlockKind::ListItem, text);
        } else {
            self.draft.prose(BlockKind::Paragraph, text);
        }
    }

    /// The label of a numbered paragraph, empty for a bullet; nothing when it is in no list.
    fn label(&mut self, element: &Element, style: &str) -> Option<String> {
        let number = |path: &[&str]| {
            element
                .value_at(path)
                .and_then(|value| value.parse::<usize>().ok())
        };
        let own = element.value_at(&["pPr", "numPr", "numId"]);
        let (list, style_level) = match own {
            Some(list) => (list.to_owned(), 0),
            None => self
                .styles
                .numbering(style)
                .map(|(list, level)| (list.to_owned(), level))?,
        };
        if list == "0" {
            return None;
        }
        let level = number(&["pPr", "numPr", "ilvl"]).unwrap_or(style_level);
        Some(self.numbering.next_label(&list, level))
    }

    /// Writes a label behind each reference to a note, and notes what is referred to for the first time.
    fn label_references(&mut self, reading: &mut Reading<'_>, hanging: &mut Hanging) {
        hanging.charts.append(&mut reading.charts);
        let mut shift = 0;
        for ((kind, id), place) in std::mem::take(&mut reading.references)
            .into_iter()
            .zip(&reading.places)
        {
            let known = self.labels.get(&(kind.part(), id.clone())).cloned();
            let label = known.clone().unwrap_or_else(|| self.next_label(kind));
            if kind != Reference::Comment {
                reading.text.insert_str(place + shift, &label);
                shift += label.len();
            }
            if known.is_none() {
                self.labels.insert((kind.part(), id.clone()), label.clone());
                hanging.notes.push_back((label, kind, id));
            }
        }
    }

    fn next_label(&mut self, kind: Reference) -> String {
        match kind {
            Reference::Footnote => {
                self.note_counts[0] += 1;
                format!("[{}]", self.note_counts[0])
            }
            Reference::Endnote => {
                self.note_counts[1] += 1;
                format!("[e{}]", self.note_counts[1])
            }
            Reference::Comment => "Comment:".to_owned(),
        }
    }

    /// An included HTML or text file.
    fn chunk(&mut self, element: &Element) -> Result<(), Failure> {
        let Some(bytes) = element.attribute("id").and_then(|id| self.chunks.remove(id)) else {
            self.draft.warn(
                "included-file",
                "a file that the document includes is missing in it",
            );
            return Ok(());
        };
        if bytes.starts_with(b"PK") {
            self.draft.warn(
                "included-file",
                "a document that is included in the document was not read",
            );
            return Ok(());
        }
        let text = decode(&bytes, None)?.text;
        if text.contains('<') {
            return crate::html::parse_fragment(&text, self.config, self.draft);
        }
        for paragraph in text.split("\n\n") {
            self.draft.prose(BlockKind::Paragraph, paragraph);
        }
        Ok(())
    }
}

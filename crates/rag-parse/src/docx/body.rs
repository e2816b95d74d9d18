//! The document's body: paragraphs and tables in order, to blocks.

use std::collections::HashMap;

use rag_core::document::BlockKind;

use super::numbering::Numbering;
use super::paragraph::{self, Reading, Reference};
use super::styles::Styles;
use super::tables;
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
    pub(super) notes: HashMap<&'static str, HashMap<String, Element>>,
    /// Included files by id.
    pub(super) chunks: HashMap<String, Vec<u8>>,
    /// Footnotes and endnotes met so far.
    pub(super) note_counts: [usize; 2],
    /// Text of paragraphs whose ends were deleted; it belongs to the next one.
    pub(super) carried: String,
}

impl Body<'_> {
    /// Reads the paragraphs and tables inside `element`.
    pub(super) fn read(&mut self, element: &Element) -> Result<(), Failure> {
        for inner in contents(element) {
            match inner.name.as_str() {
                "p" => self.paragraph(inner)?,
                "tbl" => match tables::read(inner) {
                    Some(table) => self.draft.table(&table),
                    None => self.frame(inner)?,
                },
                "altChunk" => self.chunk(inner)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A table of one column frames paragraphs.
    fn frame(&mut self, table: &Element) -> Result<(), Failure> {
        for row in contents(table).into_iter().filter(|element| element.name == "tr") {
            for cell in contents(row).into_iter().filter(|element| element.name == "tc") {
                self.read(cell)?;
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, element: &Element) -> Result<(), Failure> {
        let mut reading = paragraph::read(element);
        let notes = self.label_references(&mut reading);
        if element.at(&["pPr", "rPr", "del"]).is_some() {
            self.carried.push_str(&reading.text);
        } else {
            let text = std::mem::take(&mut self.carried) + &reading.text;
            self.push(element, &text);
        }
        for (label, id, kind) in notes {
            self.note(&label, &id, kind);
        }
        for boxed in reading.boxes {
            self.read(boxed)?;
        }
        Ok(())
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

    /// Writes a label behind each reference to a note, and returns what they refer to.
    fn label_references(&mut self, reading: &mut Reading<'_>) -> Vec<(String, String, Reference)> {
        let mut labelled = Vec::new();
        let mut shift = 0;
        for ((kind, id), place) in std::mem::take(&mut reading.references)
            .into_iter()
            .zip(&reading.places)
        {
            let label = match kind {
                Reference::Footnote => {
                    self.note_counts[0] += 1;
                    format!("[{}]", self.note_counts[0])
                }
                Reference::Endnote => {
                    self.note_counts[1] += 1;
                    format!("[e{}]", self.note_counts[1])
                }
                Reference::Comment => "Comment:".to_owned(),
            };
            if kind != Reference::Comment {
                reading.text.insert_str(place + shift, &label);
                shift += label.len();
            }
            labelled.push((label, id, kind));
        }
        labelled
    }

    fn note(&mut self, label: &str, id: &str, kind: Reference) {
        let part = match kind {
            Reference::Footnote => "footnotes",
            Reference::Endnote => "endnotes",
            Reference::Comment => "comments",
        };
        let Some(note) = self.notes.get(part).and_then(|notes| notes.get(id)) else {
            return;
        };
        let paragraphs = contents(note).into_iter().filter(|element| element.name == "p");
        let text: Vec<String> = paragraphs.map(|element| paragraph::read(element).text).collect();
        let text = text.join(" ");
        if !text.trim().is_empty() {
            self.draft
                .prose(BlockKind::Note, &format!("{label} {}", text.trim_start()));
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

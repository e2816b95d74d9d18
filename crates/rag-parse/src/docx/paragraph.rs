//! The text of a paragraph's runs, with what hangs on it: notes, comments and text boxes.

use crate::xml::{Element, Node};

/// A paragraph as it reads with all tracked changes accepted.
#[derive(Debug, Default)]
pub(super) struct Reading<'x> {
    pub(super) text: String,
    /// References to notes and comments: kind and id, in order.
    pub(super) references: Vec<(Reference, String)>,
    /// Contents of text boxes that hang on it.
    pub(super) boxes: Vec<&'x Element>,
    /// Byte offsets in `text` behind which the labels of `references` belong.
    pub(super) places: Vec<usize>,
}

/// What a paragraph can refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference {
    Footnote,
    Endnote,
    Comment,
}

/// Reads the runs of a paragraph.
pub(super) fn read(paragraph: &Element) -> Reading<'_> {
    let mut reading = Reading::default();
    reading.walk(paragraph);
    reading
}

impl<'x> Reading<'x> {
    fn walk(&mut self, element: &'x Element) {
        for node in &element.children {
            if let Node::Element(inner) = node {
                self.element(inner);
            }
        }
    }

    fn element(&mut self, element: &'x Element) {
        match element.name.as_str() {
            // Deleted text, field codes and properties are no text; `rt` is the reading of a ruby.
            "del" | "moveFrom" | "delText" | "instrText" | "pPr" | "rPr" | "rt" | "Fallback"
            | "delInstrText" => {}
            "r" if is_hidden(element) => {}
            "t" => self.text.push_str(&element.text()),
            "tab" | "ptab" => self.text.push(' '),
            "br" | "cr" => self.text.push('\n'),
            "noBreakHyphen" => self.text.push('-'),
            "footnoteReference" => self.refer(Reference::Footnote, element),
            "endnoteReference" => self.refer(Reference::Endnote, element),
            "commentReference" => self.refer(Reference::Comment, element),
            "txbxContent" => self.boxes.push(element),
            "sdt" => match element.at(&["sdtPr", "checkbox"]) {
                // As task lists have it: the drawn box is a symbol that few readers and no search know.
                Some(checkbox) if is_checked(checkbox) => self.text.push_str("[x]"),
                Some(_) => self.text.push_str("[ ]"),
                None => self.walk(element),
            },
            _ => self.walk(element),
        }
    }

    fn refer(&mut self, kind: Reference, element: &Element) {
        if let Some(id) = element.attribute("id") {
            self.references.push((kind, id.to_owned()));
            self.places.push(self.text.len());
        }
    }
}

fn is_checked(checkbox: &Element) -> bool {
    let checked = checkbox.child("checked");
    checked.is_some_and(|checked| !matches!(checked.attribute("val"), Some("0" | "false" | "off")))
}

fn is_hidden(run: &Element) -> bool {
    let vanish = run.at(&["rPr", "vanish"]);
    vanish.is_some_and(|vanish| !matches!(vanish.attribute("val"), Some("0" | "false" | "off")))
}

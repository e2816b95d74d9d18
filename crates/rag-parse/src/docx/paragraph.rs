//! The text of a paragraph's runs, with what hangs on it: notes, comments and text boxes.

use crate::text::mark_raised;
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
    /// Ids of charts that stand in it.
    pub(super) charts: Vec<String>,
}

/// What a paragraph can refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference {
    Footnote,
    Endnote,
    Comment,
}

impl Reference {
    /// The kind of part that holds what is referred to.
    pub(super) fn part(self) -> &'static str {
        match self {
            Self::Footnote => "footnotes",
            Self::Endnote => "endnotes",
            Self::Comment => "comments",
        }
    }
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
            "del" | "moveFrom" | "delText" | "instrText" | "pPr" | "rPr" | "rt" | "delInstrText" => {}
            "r" if is_hidden(element) => {}
            "r" if is_raised(element) => {
                let start = self.text.len();
                self.walk(element);
                mark_raised(&mut self.text, start);
            }
            "AlternateContent" => self.alternate(element),
            "sym" => self.text.extend(symbol(element)),
            "t" => self.text.push_str(&element.text()),
            "tab" | "ptab" => self.text.push(' '),
            "br" | "cr" => self.text.push('\n'),
            "noBreakHyphen" => self.text.push('-'),
            "footnoteReference" => self.refer(Reference::Footnote, element),
            "endnoteReference" => self.refer(Reference::Endnote, element),
            "commentReference" => self.refer(Reference::Comment, element),
            "txbxContent" => self.boxes.push(element),
            "f" | "sSup" | "sSub" | "sSubSup" | "rad"
                if element.child("e").or(element.child("num")).is_some() =>
            {
                self.formula(element);
            }
            "chart" => self.chart(element),
            "sdt" => match element.at(&["sdtPr", "checkbox"]) {
                // As task lists have it: the drawn box is a symbol that few readers and no search know.
                Some(checkbox) if is_checked(checkbox) => self.text.push_str("[x]"),
                Some(_) => self.text.push_str("[ ]"),
                None => self.walk(element),
            },
            _ => self.walk(element),
        }
    }

    /// The first way in which content is given, or the second where the first says nothing.
    fn alternate(&mut self, element: &'x Element) {
        let found = |reading: &Self| {
            let hanging = reading.boxes.len() + reading.references.len() + reading.charts.len();
            (reading.text.len(), hanging)
        };
        let before = found(self);
        for name in ["Choice", "Fallback"] {
            if let Some(way) = element.child(name) {
                self.walk(way);
            }
            if found(self) != before {
                return;
            }
        }
    }

    /// A fraction, a root, or something raised or lowered in a formula, as typewriters have them.
    fn formula(&mut self, element: &'x Element) {
        let parts: &[(&str, &str)] = match element.name.as_str() {
            "f" => &[("num", ""), ("den", "/")],
            "sSup" => &[("e", ""), ("sup", "^")],
            "sSub" => &[("e", ""), ("sub", "_")],
            "sSubSup" => &[("e", ""), ("sub", "_"), ("sup", "^")],
            _ => &[("deg", ""), ("e", "√")],
        };
        for (name, sign) in parts {
            if let Some(part) = element.child(name) {
                self.text.push_str(sign);
                self.enclosed(part);
            }
        }
    }

    /// Reads a part of a formula, in brackets when it is more than one number or name.
    fn enclosed(&mut self, part: &'x Element) {
        let start = self.text.len();
        self.walk(part);
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',');
        if !self.text[start..].chars().all(is_plain) {
            self.text.insert(start, '(');
            self.text.push(')');
            for place in self.places.iter_mut().filter(|place| **place >= start) {
                *place += 1;
            }
        }
    }

    fn chart(&mut self, element: &Element) {
        self.charts.extend(element.relation().map(str::to_owned));
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

fn is_raised(run: &Element) -> bool {
    run.value_at(&["rPr", "vertAlign"]) == Some("superscript")
}

/// The character of a symbol in a font that has its own order, where that of Latin letters is the same.
fn symbol(element: &Element) -> Option<char> {
    let code = u32::from_str_radix(element.attribute("char")?, 16).ok()?;
    let font = element.attribute("font").unwrap_or_default();
    match (code & 0xFF, font) {
        (0xB7, "Symbol") => Some('•'),
        (code @ (0xB0 | 0xB1), "Symbol") => char::from_u32(code),
        _ if (0xF000..=0xF0FF).contains(&code) => None,
        _ => char::from_u32(code),
    }
}

fn is_hidden(run: &Element) -> bool {
    let vanish = run.at(&["rPr", "vanish"]);
    vanish.is_some_and(|vanish| !matches!(vanish.attribute("val"), Some("0" | "false" | "off")))
}

//! DOCX to blocks: headings with their numbers, lists, tables, notes and comments, text boxes and
//! included HTML; tracked changes are read as accepted. Headers and footers of the pages are left out.

mod body;
mod numbering;
mod paragraph;
mod properties;
mod styles;
mod tables;

use std::collections::HashMap;

use crate::archive::Archive;
use crate::config::Config;
use crate::draft::Draft;
use crate::error::Failure;
use crate::xml::{self, Element};
use body::Body;
use numbering::Numbering;
use styles::Styles;

/// Reads a DOCX file into `draft`.
pub(crate) fn parse(bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    let mut package = Package::open(bytes, config)?;
    let main = package.main_part()?;
    let Some(document) = package.part(&main)? else {
        return Err(Failure::lasting(
            "damaged",
            "it holds no text part; open it in a word processor and save it again",
        ));
    };
    properties::read(&mut package, draft)?;
    let parts = package.related(&main)?;
    let styles = match parts.of_kind("styles") {
        Some(name) => package.part(name)?.map(|part| Styles::read(&part)),
        None => None,
    };
    let numbering = match parts.of_kind("numbering") {
        Some(name) => package.part(name)?.map(|part| Numbering::read(&part)),
        None => None,
    };
    let mut notes = HashMap::new();
    for kind in ["footnotes", "endnotes", "comments"] {
        if let Some(part) = parts
            .of_kind(kind)
            .map(|name| package.part(name))
            .transpose()?
            .flatten()
        {
            notes.insert(kind, notes_by_id(part));
        }
    }
    let chunks = included(&mut package, &parts)?;
    let mut body = Body {
        config,
        draft,
        styles: styles.unwrap_or_default(),
        numbering: numbering.unwrap_or_default(),
        notes,
        chunks,
        note_counts: [0; 2],
        carried: String::new(),
    };
    body.read(document.child("body").unwrap_or(&document))
}

/// The parts of the file and how they refer to each other.
pub(super) struct Package<'p> {
    archive: Archive<'p>,
    max_depth: usize,
}

/// Parts that one part refers to.
struct Related {
    /// Target by id.
    by_id: HashMap<String, (String, String)>,
}

impl Related {
    /// The target of the first reference whose type ends in `kind`.
    fn of_kind(&self, kind: &str) -> Option<&str> {
        let mut found: Vec<&str> = self
            .by_id
            .values()
            .filter(|(of, _)| of == kind)
            .map(|(_, target)| target.as_str())
            .collect();
        found.sort_unstable();
        found.first().copied()
    }
}

impl<'p> Package<'p> {
    fn open(bytes: &'p [u8], config: &Config) -> Result<Self, Failure> {
        Ok(Self {
            archive: Archive::open(bytes, &config.limits)?,
            max_depth: config.limits.max_depth,
        })
    }

    /// Reads and parses a part.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Element>, Failure> {
        let bytes = self.archive.read(name)?;
        bytes.map(|bytes| xml::parse(&bytes, self.max_depth)).transpose()
    }

    /// The name of the part that holds the text.
    fn main_part(&mut self) -> Result<String, Failure> {
        let related = self.related("")?;
        Ok(related
            .of_kind("officeDocument")
            .unwrap_or("word/document.xml")
            .to_owned())
    }

    /// The parts that `name` refers to.
    fn related(&mut self, name: &str) -> Result<Related, Failure> {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let mut by_id = HashMap::new();
        if let Some(part) = self.part(&format!("{prefix}_rels/{file}.rels"))? {
            for reference in part.elements() {
                let attribute = |name| reference.attribute(name).unwrap_or_default();
                if attribute("TargetMode") == "External" {
                    continue;
                }
                let kind = attribute("Type")
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                let target = match attribute("Target").strip_prefix('/') {
                    Some(absolute) => absolute.to_owned(),
                    None => format!("{prefix}{}", attribute("Target")),
                };
                by_id.insert(attribute("Id").to_owned(), (kind, target));
            }
        }
        Ok(Related { by_id })
    }
}

/// Notes or comments by their id.
fn notes_by_id(part: Element) -> HashMap<String, Element> {
    let is_real = |note: &Element| {
        !matches!(
            note.attribute("type"),
            Some("separator" | "continuationSeparator")
        )
    };
    let notes = part.children.into_iter().filter_map(|node| match node {
        xml::Node::Element(note) => Some(note),
        xml::Node::Text(_) => None,
    });
    notes
        .filter(is_real)
        .filter_map(|note| Some((note.attribute("id")?.to_owned(), note)))
        .collect()
}

/// HTML and text files that the document includes, by the id of the reference.
fn included(package: &mut Package<'_>, parts: &Related) -> Result<HashMap<String, Vec<u8>>, Failure> {
    let mut chunks = HashMap::new();
    for (id, (kind, target)) in &parts.by_id {
        if kind == "aFChunk"
            && let Some(bytes) = package.archive.read(target)?
        {
            chunks.insert(id.clone(), bytes);
        }
    }
    Ok(chunks)
}

#[cfg(test)]
mod tests;

//! DOCX to blocks: headings with their numbers, lists, tables, notes and comments, text boxes, charts and
//! included HTML; tracked changes are read as accepted. Headers and footers of the pages are left out.

mod body;
mod numbering;
mod paragraph;
mod styles;
mod tables;

use std::collections::HashMap;
use std::rc::Rc;

use crate::chart::Chart;
use crate::config::Config;
use crate::draft::Draft;
use crate::error::Failure;
use crate::package::{Package, Related, properties};
use crate::xml::{self, Element};
use body::Body;
use numbering::Numbering;
use styles::Styles;

/// Reads a DOCX file into `draft`.
pub(crate) fn parse(bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    let mut package = Package::open(bytes, config, draft)?;
    let main = package.main_part("word/document.xml")?;
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
    let charts = charts(&mut package, &parts)?;
    let mut body = Body {
        config,
        draft,
        styles: styles.unwrap_or_default(),
        numbering: numbering.unwrap_or_default(),
        notes,
        chunks,
        charts,
        note_counts: [0; 2],
        labels: HashMap::new(),
        spread_left: tables::MAX_SPREAD,
    };
    body.read(document.child("body").unwrap_or(&document))
}

/// Notes or comments by their id.
fn notes_by_id(part: Element) -> HashMap<String, Rc<Element>> {
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
        .filter_map(|note| Some((note.attribute("id")?.to_owned(), Rc::new(note))))
        .collect()
}

/// HTML and text files that the document includes, by the id of the reference.
fn included(package: &mut Package<'_>, parts: &Related) -> Result<HashMap<String, Vec<u8>>, Failure> {
    let mut chunks = HashMap::new();
    for (id, kind, target) in parts.iter() {
        if kind == "aFChunk"
            && let Some(bytes) = package.bytes(target)?
        {
            chunks.insert(id.to_owned(), bytes);
        }
    }
    Ok(chunks)
}

/// The charts of the document, by the id of the reference. One that cannot be read is left out.
fn charts(package: &mut Package<'_>, parts: &Related) -> Result<HashMap<String, Chart>, Failure> {
    let mut charts = HashMap::new();
    for (id, kind, target) in parts.iter() {
        if kind == "chart"
            && let Some(part) = package.part_unless_damaged(target)?
        {
            charts.insert(id.to_owned(), Chart::read(&part));
        }
    }
    Ok(charts)
}

#[cfg(test)]
mod tests;

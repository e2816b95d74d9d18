//! PPTX to blocks: each slide a section under its title, with its lists, tables, diagrams, charts, notes of
//! the speaker and comments. Footers, dates, slide numbers and what the masters show are left out.

mod order;
mod shapes;

use rag_core::document::BlockKind;

use crate::chart::Chart;
use crate::config::Config;
use crate::draft::{Draft, clean_line};
use crate::error::Failure;
use crate::package::{Package, Related, properties};
use crate::xml::Element;
pub(crate) use shapes::paragraphs;
use shapes::{Item, title};

/// Reads a PPTX file into `draft`.
pub(crate) fn parse(bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    let mut package = Package::open(bytes, config, draft)?;
    let main = package.main_part("ppt/presentation.xml")?;
    let Some(presentation) = package.part(&main)? else {
        return Err(Failure::lasting(
            "damaged",
            "it holds no presentation; open it in a presentation program and save it again",
        ));
    };
    properties::read(&mut package, draft)?;
    let parts = package.related(&main)?;
    let list = presentation.child("sldIdLst");
    let slides: Vec<String> = list
        .iter()
        .flat_map(|list| list.elements())
        .filter_map(|slide| slide.relation().and_then(|id| parts.target(id)))
        .map(str::to_owned)
        .collect();
    let limit = (config.limits.max_pages as usize).min(slides.len());
    draft.pages = Some(slides.len() as u32);
    let mut broken = Vec::new();
    let mut hidden = Vec::new();
    for (at, slide) in slides[..limit].iter().enumerate() {
        let number = at as u32 + 1;
        draft.page = Some(number);
        package.forget_parts();
        match package.part(slide) {
            Ok(Some(part)) => {
                if matches!(part.attribute("show"), Some("0" | "false")) {
                    hidden.push(number.to_string());
                }
                read_slide(&mut package, slide, &part, draft)?;
            }
            Ok(None) => broken.push(number.to_string()),
            Err(failure) if failure.reason == "damaged" => broken.push(number.to_string()),
            Err(failure) => return Err(failure),
        }
    }
    draft.page = None;
    if !broken.is_empty() {
        draft.warn(
            "damaged-page",
            format!("slide {} cannot be read", broken.join(", ")),
        );
    }
    if !hidden.is_empty() {
        let message = format!("hidden slides are read like others: {}", hidden.join(", "));
        draft.warn("hidden-slide", message);
    }
    if limit < slides.len() {
        let left = slides.len() - limit;
        draft.warn(
            "too-long",
            format!("{left} slides beyond the limit of {limit} were left out"),
        );
    }
    Ok(())
}

fn read_slide(
    package: &mut Package<'_>,
    name: &str,
    part: &Element,
    draft: &mut Draft,
) -> Result<(), Failure> {
    let related = package.related(name)?;
    let Some(tree) = part.at(&["cSld", "spTree"]) else {
        return Ok(());
    };
    if let Some(title) = title(tree) {
        draft.heading(1, &title);
    }
    for item in shapes::items(tree) {
        push(item, &related, package, draft)?;
    }
    let of_kind = |kind| related.of_kind(kind).map(str::to_owned);
    if let Some(notes) = of_kind("notesSlide")
        .map(|name| package.part(&name))
        .transpose()?
        .flatten()
    {
        for text in speaker_notes(&notes) {
            draft.prose(BlockKind::Note, &text);
        }
    }
    if let Some(comments) = of_kind("comments")
        .map(|name| package.part(&name))
        .transpose()?
        .flatten()
    {
        for comment in comments.elements() {
            let text = clean_line(
                &comment
                    .child("text")
                    .map_or_else(|| comment.text(), Element::text),
            );
            draft.prose(BlockKind::Note, &text);
        }
    }
    Ok(())
}

fn push(
    item: Item<'_>,
    related: &Related,
    package: &mut Package<'_>,
    draft: &mut Draft,
) -> Result<(), Failure> {
    match item {
        Item::Text(kind, text) => {
            draft.prose(kind, &text);
        }
        Item::Table(table) => draft.table(&table),
        Item::Chart(id) => {
            let part = related.target(id).map(|part| package.part_unless_damaged(part));
            match part.transpose()?.flatten() {
                Some(part) => Chart::read(&part).push(draft),
                None => draft.warn("damaged", "a chart of a slide cannot be read"),
            }
        }
        Item::Diagram(id) => {
            let data = related.target(id).map(str::to_owned);
            if let Some(data) = data.map(|name| package.part(&name)).transpose()?.flatten() {
                for text in shapes::diagram_texts(&data) {
                    draft.prose(BlockKind::ListItem, &text);
                }
            }
        }
    }
    Ok(())
}

/// The paragraphs of the notes page's body; the page shows the slide and its number too.
fn speaker_notes(part: &Element) -> Vec<String> {
    let Some(tree) = part.at(&["cSld", "spTree"]) else {
        return Vec::new();
    };
    let is_body = |shape: &&Element| shapes::placeholder(shape) == Some("body");
    let bodies = tree.elements().filter(|shape| shape.name == "sp").filter(is_body);
    bodies
        .filter_map(|shape| shape.child("txBody"))
        .flat_map(paragraphs)
        .map(|paragraph| clean_line(&paragraph.text))
        .filter(|text| !text.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;

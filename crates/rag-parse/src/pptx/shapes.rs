//! The shapes of a slide in their order: text, tables, groups, diagrams.

use rag_core::document::BlockKind;

use super::order;
use crate::draft::clean_line;
use crate::table::Table;
use crate::text::mark_raised;
use crate::xml::{Element, Node};

/// Widest span of a cell that is believed.
const MAX_SPAN: usize = 100;

/// What a slide holds.
pub(super) enum Item<'x> {
    Text(BlockKind, String),
    Table(Table),
    /// The relationship id of a diagram's data.
    Diagram(&'x str),
    /// The relationship id of a chart.
    Chart(&'x str),
}

/// A paragraph of a shape.
pub(crate) struct Paragraph {
    pub(crate) text: String,
    /// `None` when neither the paragraph nor its placeholder says.
    bullet: Option<bool>,
    number: Option<usize>,
}

/// The kind of a shape's placeholder: `title`, `body`, `ftr`, …; `body` when it has one without kind.
pub(super) fn placeholder(shape: &Element) -> Option<&str> {
    let found = shape.at(&["nvSpPr", "nvPr", "ph"])?;
    Some(found.attribute("type").unwrap_or("body"))
}

/// The title of a slide, on one line.
pub(super) fn title(tree: &Element) -> Option<String> {
    let shape = shapes(tree).into_iter().find(|shape| is_title(shape))?;
    let text = clean_line(&paragraph_texts(shape.child("txBody")?).join(" "));
    (!text.is_empty()).then_some(text)
}

fn is_title(shape: &Element) -> bool {
    shape.name == "sp" && matches!(placeholder(shape), Some("title" | "ctrTitle"))
}

/// Shapes from top to bottom with those of groups in their place; of alternative contents the first that
/// says something.
fn shapes(tree: &Element) -> Vec<&Element> {
    let mut found = Vec::new();
    let mut pending: Vec<&Element> = in_order(tree);
    while let Some(element) = pending.pop() {
        match element.name.as_str() {
            "grpSp" => pending.extend(in_order(element)),
            "AlternateContent" => {
                let choice = element.child("Choice").filter(|choice| says_something(choice));
                let chosen = choice.or_else(|| element.child("Fallback"));
                pending.extend(chosen.into_iter().flat_map(|chosen| chosen.elements().rev()));
            }
            "sp" | "graphicFrame" | "cxnSp" | "pic" => found.push(element),
            _ => {}
        }
    }
    found
}

/// The elements of a tree or group in the order of reading, the last first.
fn in_order(tree: &Element) -> Vec<&Element> {
    let mut elements = order::from_top(tree.elements().collect());
    elements.reverse();
    elements
}

fn says_something(choice: &Element) -> bool {
    let mut pending: Vec<&Element> = vec![choice];
    while let Some(element) = pending.pop() {
        if element.name == "graphicFrame" || (element.name == "t" && !element.text().trim().is_empty()) {
            return true;
        }
        pending.extend(element.elements());
    }
    false
}

/// What the shapes of a slide hold, without its title and its furniture.
pub(super) fn items(tree: &Element) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let mut has_title = false;
    for shape in shapes(tree) {
        if is_hidden(shape) || matches!(placeholder(shape), Some("ftr" | "dt" | "sldNum" | "hdr")) {
            continue;
        }
        if is_title(shape) && !std::mem::replace(&mut has_title, true) {
            continue;
        }
        match shape.name.as_str() {
            "graphicFrame" => items.extend(graphic(shape)),
            _ => items.extend(text_items(shape)),
        }
    }
    items
}

fn is_hidden(shape: &Element) -> bool {
    let names = ["nvSpPr", "nvGraphicFramePr", "nvPicPr"];
    let properties = names.iter().find_map(|name| shape.at(&[name, "cNvPr"]));
    properties.is_some_and(|found| found.attribute("hidden") == Some("1"))
}

fn graphic(frame: &Element) -> Option<Item<'_>> {
    let data = frame.at(&["graphic", "graphicData"])?;
    if let Some(table) = data.child("tbl") {
        return Some(Item::Table(read_table(table)));
    }
    if let Some(chart) = data.child("chart") {
        return chart.relation().map(Item::Chart);
    }
    data.child("relIds")
        .and_then(|ids| ids.attribute("dm"))
        .map(Item::Diagram)
}

fn text_items(shape: &Element) -> Vec<Item<'static>> {
    let Some(body) = shape.child("txBody") else {
        return Vec::new();
    };
    let is_body = placeholder(shape) == Some("body");
    let mut items = Vec::new();
    for paragraph in paragraphs(body) {
        let text = clean_line(&paragraph.text);
        if text.is_empty() {
            continue;
        }
        let is_item = paragraph.bullet.unwrap_or(is_body) || paragraph.number.is_some();
        let text = paragraph
            .number
            .map_or(text.clone(), |number| format!("{number}. {text}"));
        let kind = if is_item {
            BlockKind::ListItem
        } else {
            BlockKind::Paragraph
        };
        items.push(Item::Text(kind, text));
    }
    items
}

/// The paragraphs of a text body, numbered where they count.
pub(crate) fn paragraphs(body: &Element) -> Vec<Paragraph> {
    let mut counts: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for paragraph in body.elements().filter(|element| element.name == "p") {
        let properties = paragraph.child("pPr");
        let level: usize = properties
            .and_then(|properties| properties.attribute("lvl"))
            .and_then(|level| level.parse().ok())
            .unwrap_or(0)
            .min(8);
        let has = |name| properties.is_some_and(|properties| properties.child(name).is_some());
        let numbering = properties.and_then(|properties| properties.child("buAutoNum"));
        let text = paragraph_text(paragraph);
        counts.truncate(level + 1);
        counts.resize(level + 1, 0);
        let number = numbering.filter(|_| !text.trim().is_empty()).map(|numbering| {
            let start = numbering
                .attribute("startAt")
                .and_then(|start| start.parse::<usize>().ok());
            counts[level] += 1;
            start.unwrap_or(1).saturating_add(counts[level] - 1)
        });
        if numbering.is_none() && !text.trim().is_empty() {
            counts[level] = 0;
        }
        let bullet = match (has("buNone"), has("buChar") || has("buBlip")) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        };
        found.push(Paragraph { text, bullet, number });
    }
    found
}

fn paragraph_texts(body: &Element) -> Vec<String> {
    body.elements()
        .filter(|element| element.name == "p")
        .map(paragraph_text)
        .collect()
}

/// Runs, fields and breaks of a paragraph.
fn paragraph_text(paragraph: &Element) -> String {
    let mut text = String::new();
    let mut pending: Vec<&Node> = paragraph.children.iter().rev().collect();
    while let Some(node) = pending.pop() {
        let Node::Element(element) = node else {
            continue;
        };
        match element.name.as_str() {
            "t" => text.push_str(&element.text()),
            "r" if is_raised(element) => {
                let start = text.len();
                text.push_str(&element.child("t").map(Element::text).unwrap_or_default());
                mark_raised(&mut text, start);
            }
            "br" | "tab" => text.push(' '),
            "pPr" | "rPr" | "endParaRPr" => {}
            _ => pending.extend(element.children.iter().rev()),
        }
    }
    text
}

fn is_raised(run: &Element) -> bool {
    let baseline = run
        .child("rPr")
        .and_then(|properties| properties.attribute("baseline"));
    baseline
        .and_then(|baseline| baseline.trim_end_matches('%').parse::<f64>().ok())
        .is_some_and(|baseline| baseline > 0.0)
}

/// A table with its merged cells filled in.
fn read_table(table: &Element) -> Table {
    let mut grid: Vec<Vec<String>> = Vec::new();
    for row in table.elements().filter(|element| element.name == "tr") {
        let mut line: Vec<String> = Vec::new();
        for cell in row.elements().filter(|element| element.name == "tc") {
            let is_on = |name| matches!(cell.attribute(name), Some("1" | "true"));
            let column = line.len();
            let text = if is_on("hMerge") {
                line.last().cloned().unwrap_or_default()
            } else if is_on("vMerge") {
                grid.last()
                    .and_then(|above| above.get(column))
                    .cloned()
                    .unwrap_or_default()
            } else {
                let texts = cell.child("txBody").map(paragraph_texts).unwrap_or_default();
                clean_line(&texts.join(" "))
            };
            if line.len() < MAX_SPAN * MAX_SPAN {
                line.push(text);
            }
        }
        grid.push(line);
    }
    let properties = table.child("tblPr");
    let is_first_row =
        properties.is_some_and(|found| matches!(found.attribute("firstRow"), Some("1" | "true")));
    let is_header = is_first_row || crate::table::looks_like_header(&grid);
    Table::from_grid(grid, usize::from(is_header))
}

/// The texts of a diagram's points.
pub(super) fn diagram_texts(data: &Element) -> Vec<String> {
    let Some(points) = data.child("ptLst") else {
        return Vec::new();
    };
    let bodies = points.elements().filter_map(|point| point.child("t"));
    bodies
        .map(|body| clean_line(&paragraph_texts(body).join(" ")))
        .filter(|text| !text.is_empty())
        .collect()
}

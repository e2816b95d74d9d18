//! HTML to blocks: metadata, headings, paragraphs, lists, tables and preformatted text.
//!
//! Dropped as no part of the text: scripts, styles, navigation, form controls, hidden elements, and the
//! footer of the page. The tree is walked with an explicit stack, so nesting cannot overflow ours.

mod counter;
mod head;
mod table;

use ego_tree::iter::Edge;
use rag_core::document::BlockKind;
use scraper::{ElementRef, Html, Node, node::Element};

use crate::config::Config;
use crate::draft::Draft;
use crate::encoding::decode;
use crate::error::Failure;
use crate::metadata::split_front_matter;
use crate::text::mark_raised;

use counter::Counter;

type NodeRef<'t> = ego_tree::NodeRef<'t, Node>;

/// Elements whose content is no text of the document.
const DROPPED: &[&str] = &[
    "del", "rt", "rp", "script", "style", "nav", "noscript", "template", "head", "iframe", "object", "svg",
    "canvas", "audio", "video", "button", "select", "textarea", "dialog", "menu",
];

/// Elements that begin and end a block.
const BLOCKS: &[&str] = &[
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "footer",
    "aside",
    "blockquote",
    "address",
    "figure",
    "form",
    "fieldset",
    "details",
    "summary",
    "ul",
    "ol",
    "dl",
    "hr",
    "body",
    "center",
    "table",
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "td",
    "th",
];

/// Most cells of a file that spans are filled in.
const MAX_SPREAD: usize = 200_000;

/// Reads an HTML file into `draft`.
pub(crate) fn parse(bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    let declared = head::declared_encoding(bytes);
    let decoded = decode(bytes, declared.as_deref())?;
    if let Some(loss) = decoded.loss() {
        draft.warn("encoding", loss);
    }
    check_depth(&decoded.text, config.limits.max_depth)?;
    let front = split_front_matter(&decoded.text)?;
    let html = Html::parse_document(front.body);
    draft.metadata = head::metadata(&html, front.metadata)?;
    Walk::new(draft).tree(*html.root_element());
    Ok(())
}

/// Reads HTML that stands inside another text into `draft`.
pub(crate) fn parse_fragment(html: &str, config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    if html.trim_start().starts_with("<!--") && html.trim_end().ends_with("-->") {
        return Ok(());
    }
    check_depth(html, config.limits.max_depth)?;
    let html = Html::parse_fragment(html);
    Walk::new(draft).tree(*html.root_element());
    Ok(())
}

/// Refuses text whose elements nest deeper than the limit. Elements that browsers close by themselves
/// do not count, since leaving them open is common; the tree builder is quadratic in the rest.
fn check_depth(html: &str, limit: usize) -> Result<(), Failure> {
    const SELF_CLOSING: &[&str] = &[
        "p", "li", "td", "th", "tr", "dt", "dd", "option", "tbody", "thead", "tfoot", "br", "hr", "img",
        "input", "meta", "link", "col", "area", "base", "embed", "source", "track", "wbr", "param", "html",
        "head", "body",
    ];
    let mut depth = 0usize;
    for (at, _) in html.match_indices('<') {
        let tag = &html[at + 1..];
        let is_end = tag.starts_with('/');
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .take(12)
            .collect();
        if name.is_empty() || SELF_CLOSING.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        depth = if is_end {
            depth.saturating_sub(1)
        } else {
            depth + 1
        };
        if depth > limit {
            let message = format!("its elements are nested more than {limit} deep; it was left out");
            return Err(Failure::lasting("too-deep", message));
        }
    }
    Ok(())
}

struct Walk<'w> {
    draft: &'w mut Draft,
    inline: String,
    /// Where a superscript begins in `inline`.
    raised_at: Option<usize>,
    /// Kind and list state of the elements around the text, innermost last.
    within: Vec<Within>,
    /// Term of a definition list that waits for its definition.
    term: Option<String>,
    /// Where a reference to a note begins in `inline`.
    reference_at: Option<usize>,
    /// Cells that spans may still be filled in.
    spread_left: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Heading(usize),
    Item,
    Code,
    Caption,
    Term,
    Definition,
    Note,
    Bullets,
    Numbers(Counter),
}

impl<'w> Walk<'w> {
    fn new(draft: &'w mut Draft) -> Self {
        Self {
            draft,
            inline: String::new(),
            raised_at: None,
            within: Vec::new(),
            term: None,
            reference_at: None,
            spread_left: MAX_SPREAD,
        }
    }

    fn tree(&mut self, root: NodeRef<'_>) {
        let mut skipped: Option<ego_tree::NodeId> = None;
        for edge in root.traverse() {
            match (edge, skipped) {
                (Edge::Close(node), Some(id)) if node.id() == id => skipped = None,
                (_, Some(_)) => {}
                (Edge::Open(node), None) => {
                    if self.open(node) {
                        skipped = Some(node.id());
                    }
                }
                (Edge::Close(node), None) => self.close(node),
            }
        }
        self.flush();
    }

    /// Enters a node; true when its content was dealt with or is to be left out.
    fn open(&mut self, node: NodeRef<'_>) -> bool {
        if let Node::Text(text) = node.value() {
            self.text(text);
        }
        let Some(element) = ElementRef::wrap(node) else {
            return false;
        };
        let name = element.value().name();
        if DROPPED.contains(&name) || is_hidden(element.value()) || is_page_footer(element) {
            return true;
        }
        match name {
            "table" => return self.table(element),
            "br" => self.inline.push('\n'),
            "sup" => self.raised_at = Some(self.inline.len()),
            "img" => self.alternative(element.value()),
            "li" => self.open_item(element.value()),
            "a" if is_note_reference(element) => self.reference_at = Some(self.inline.len()),
            "ul" => self.enter(Within::Bullets),
            "ol" => self.enter(Within::Numbers(Counter::of(element))),
            "pre" => self.enter(Within::Code),
            "figcaption" | "caption" => self.enter(Within::Caption),
            "dt" => self.enter(Within::Term),
            "dd" => self.enter(Within::Definition),
            _ => match heading_level(name) {
                Some(level) => self.enter(Within::Heading(level)),
                None if is_note(element.value()) => self.enter(Within::Note),
                None if BLOCKS.contains(&name) => self.flush(),
                None => {}
            },
        }
        false
    }

    fn close(&mut self, node: NodeRef<'_>) {
        let Some(element) = ElementRef::wrap(node) else {
            return;
        };
        let name = element.value().name();
        match name {
            "sup" => {
                let start = self.raised_at.take().filter(|start| *start <= self.inline.len());
                if let Some(start) = start {
                    mark_raised(&mut self.inline, start);
                }
            }
            "li" | "ul" | "ol" | "pre" | "figcaption" | "caption" | "dt" | "dd" => self.leave(),
            _ if heading_level(name).is_some() || is_note(element.value()) => self.leave(),
            "a" => self.close_reference(),
            _ if BLOCKS.contains(&name) => self.flush(),
            _ => self.inline.push_str(formula_sign(element)),
        }
    }

    /// Sets a reference to a note in brackets, so that its number joins no other.
    fn close_reference(&mut self) {
        let start = self
            .reference_at
            .take()
            .filter(|start| *start <= self.inline.len());
        let Some((start, label)) = start.map(|start| (start, &self.inline[start..])) else {
            return;
        };
        let is_bare = !label.contains(['[', '(', ']', ')']);
        if is_bare && (1..=MAX_LABEL).contains(&label.trim().chars().count()) {
            self.inline = format!("{}[{}]", &self.inline[..start], label.trim());
        }
    }

    /// Line breaks of the source count only in preformatted text.
    fn text(&mut self, text: &str) {
        if self.within.last() == Some(&Within::Code) {
            self.inline.push_str(text);
            return;
        }
        self.inline.extend(
            text.chars()
                .map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }),
        );
    }

    fn alternative(&mut self, image: &Element) {
        if let Some(text) = image.attr("alt").filter(|text| !text.trim().is_empty()) {
            self.inline.push(' ');
            self.text(text);
            self.inline.push(' ');
        }
    }

    fn enter(&mut self, within: Within) {
        self.flush();
        self.within.push(within);
    }

    fn leave(&mut self) {
        self.flush();
        self.within.pop();
    }

    fn open_item(&mut self, item: &Element) {
        self.flush();
        if let Some(Within::Numbers(counter)) = self.within.last_mut() {
            let own = item.attr("value").and_then(|value| value.trim().parse().ok());
            self.inline = counter.label(own);
        }
        self.within
            .push(if is_note(item) { Within::Note } else { Within::Item });
    }

    /// Reads a table of data and returns true; a table that only lays out the page is walked through.
    fn table(&mut self, element: ElementRef<'_>) -> bool {
        let had_room = self.spread_left > 0;
        let Some(found) = table::read(element, &mut self.spread_left) else {
            self.flush();
            return false;
        };
        self.flush();
        if had_room && self.spread_left == 0 {
            let message = format!("spans of cells are not filled in more than {MAX_SPREAD} places");
            self.draft.warn("limit", message);
        }
        if let Some(caption) = &found.caption {
            self.draft.prose(BlockKind::Caption, caption);
        }
        self.draft.table(&found.table);
        true
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.inline);
        if text.trim().is_empty() {
            return;
        }
        let within = self
            .within
            .iter()
            .rev()
            .find(|w| !matches!(w, Within::Bullets | Within::Numbers(_)));
        match within {
            Some(Within::Heading(level)) => self.draft.heading(*level, &text),
            Some(Within::Code) => self.draft.code(&text),
            Some(Within::Item) => self.draft.prose(BlockKind::ListItem, &text),
            Some(Within::Caption) => self.draft.prose(BlockKind::Caption, &text),
            Some(Within::Note) => self.draft.prose(BlockKind::Note, &text),
            Some(Within::Term) => {
                self.term = Some(text.trim().to_owned());
                None
            }
            Some(Within::Definition) => {
                let term = self.term.take().map(|term| term + ": ").unwrap_or_default();
                self.draft.prose(BlockKind::ListItem, &(term + text.trim_start()))
            }
            _ => self.draft.prose(BlockKind::Paragraph, &text),
        };
    }
}

fn heading_level(name: &str) -> Option<usize> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (name.len() == 2 && (1..=6).contains(&level)).then_some(level)
}

/// Longest label of a reference to a note, in characters.
const MAX_LABEL: usize = 6;

/// True when an element has one of these kinds, as books (`epub:type`) and pages (`role`) say it.
fn is_of_kind(element: &Element, kinds: &[&str]) -> bool {
    let types = element.attr("epub:type").unwrap_or_default().split_whitespace();
    let roles = element.attr("role").unwrap_or_default().split_whitespace();
    types
        .chain(roles.filter_map(|role| role.strip_prefix("doc-")))
        .any(|kind| kinds.contains(&kind))
}

fn is_note(element: &Element) -> bool {
    is_of_kind(element, &["footnote", "endnote", "rearnote", "note"])
        && !matches!(element.name(), "a" | "span" | "sup" | "table" | "br" | "img")
}

/// True for a link that says it is one, or a raised link to another place of the page.
fn is_note_reference(link: ElementRef<'_>) -> bool {
    let parent = link.parent().and_then(ElementRef::wrap);
    let is_raised = parent.is_some_and(|parent| parent.value().name() == "sup");
    let is_inside = link
        .value()
        .attr("href")
        .is_some_and(|target| target.starts_with('#'));
    is_of_kind(link.value(), &["noteref"]) || (is_raised && is_inside)
}

/// The sign between the first part of a fraction, a power or an index and the next.
fn formula_sign(element: ElementRef<'_>) -> &'static str {
    let parent = element.parent().and_then(ElementRef::wrap);
    let sign = match parent.map_or("", |parent| parent.value().name()) {
        "mfrac" => "/",
        "msup" => "^",
        "msub" => "_",
        _ => return "",
    };
    let is_first = element.prev_siblings().all(|before| !before.value().is_element());
    if is_first { sign } else { "" }
}

fn is_hidden(element: &Element) -> bool {
    let style = element
        .attr("style")
        .unwrap_or_default()
        .replace(' ', "")
        .to_ascii_lowercase();
    element.attr("hidden").is_some()
        || element.attr("aria-hidden") == Some("true")
        || element.attr("role") == Some("navigation")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

/// A `footer` of the page, not of an article in it.
fn is_page_footer(element: ElementRef<'_>) -> bool {
    let parent = element.parent().and_then(ElementRef::wrap);
    element.value().name() == "footer" && parent.is_some_and(|parent| parent.value().name() == "body")
}

#[cfg(test)]
mod tests;

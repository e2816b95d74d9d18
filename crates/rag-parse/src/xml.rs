//! XML to a small tree of elements by local name, with a bound on its depth.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

use crate::encoding::decode;
use crate::error::Failure;

/// An element: its name and attributes without their prefixes, and what it holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Node>,
}

/// What stands in an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Element(Element),
    Text(String),
}

impl Element {
    /// The elements directly inside.
    pub(crate) fn elements(&self) -> impl DoubleEndedIterator<Item = &Element> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    /// The first element of that name directly inside.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|element| element.name == name)
    }

    /// The element at the end of a path of names.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }

    /// The relationship that an element refers to: its `r:id`, which may stand beside an `id` of its own.
    pub(crate) fn relation(&self) -> Option<&str> {
        let mut ids = self.attributes.iter().filter(|(found, _)| found == "id");
        ids.next_back().map(|(_, value)| value.as_str())
    }

    /// The `val` attribute of the element at the end of a path.
    pub(crate) fn value_at(&self, path: &[&str]) -> Option<&str> {
        self.at(path)?.attribute("val")
    }

    /// All text inside, in order.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.append_text(&mut text);
        text
    }

    fn append_text(&self, out: &mut String) {
        for node in &self.children {
            match node {
                Node::Text(text) => out.push_str(text),
                Node::Element(element) => element.append_text(out),
            }
        }
    }
}

/// What trees may still take of the memory.
#[derive(Debug)]
pub(crate) struct TreeBudget {
    left: usize,
}

/// Memory that the trees of a file may take, in bytes: a worker holds its text beside them.
const MAX_TREE_BYTES: usize = 384 << 20;

/// What an element, an attribute and a piece of text cost beside their characters, in bytes: places in
/// lists, and the smallest pieces of memory that are handed out.
const ELEMENT_BYTES: usize = 128;
const ATTRIBUTE_BYTES: usize = 112;
const TEXT_BYTES: usize = 112;

impl Default for TreeBudget {
    fn default() -> Self {
        Self { left: MAX_TREE_BYTES }
    }
}

impl TreeBudget {
    fn take(&mut self, bytes: usize) -> Result<(), Failure> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Failure::lasting(
                "too-large",
                format!("its XML would take more than {MAX_TREE_BYTES} bytes of memory; split the file"),
            )),
        }
    }

    fn take_element(&mut self, element: &Element) -> Result<(), Failure> {
        let attributes = element.attributes.iter();
        let attributes = attributes.map(|(name, value)| ATTRIBUTE_BYTES + name.len() + value.len());
        self.take(ELEMENT_BYTES + element.name.len() + attributes.sum::<usize>())
    }
}

/// Parses a document whose elements nest at most `max_depth` deep and returns its root element.
pub(crate) fn parse(bytes: &[u8], max_depth: usize) -> Result<Element, Failure> {
    let text = decode(bytes, None)?.text;
    parse_text(&text, max_depth, &mut TreeBudget::default())
}

/// Likewise for text, with what the tree costs taken off `budget`.
///
/// Entities of a document type are not resolved: they are how XML files explode.
pub(crate) fn parse_text(text: &str, max_depth: usize, budget: &mut TreeBudget) -> Result<Element, Failure> {
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event().map_err(|error| damaged(&error))? {
            Event::Start(start) => {
                if open.len() > max_depth {
                    let message =
                        format!("its elements are nested more than {max_depth} deep; it was left out");
                    return Err(Failure::lasting("too-deep", message));
                }
                let element = element(&start);
                budget.take_element(&element)?;
                open.push(element);
            }
            Event::Empty(start) => {
                let element = element(&start);
                budget.take_element(&element)?;
                append(&mut open, Node::Element(element));
            }
            Event::End(_) => {
                if let Some(mut closed) = open.pop() {
                    closed.children.shrink_to_fit();
                    append(&mut open, Node::Element(closed));
                }
            }
            Event::Text(piece) => {
                budget.take(TEXT_BYTES + piece.len())?;
                append_text(&mut open, &piece.xml10_content());
            }
            Event::CData(piece) => {
                budget.take(TEXT_BYTES + piece.len())?;
                append_text(&mut open, &piece.xml10_content());
            }
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref().ok().flatten();
                let name = reference.into_inner();
                match character {
                    Some(character) => append_text(&mut open, character.encode_utf8(&mut [0; 4])),
                    None => append_text(&mut open, resolve_predefined_entity(&name).unwrap_or_default()),
                }
            }
            Event::Eof => break,
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
        }
    }
    let root = open.into_iter().next().unwrap_or_default();
    let mut elements = root.children.into_iter().filter_map(|node| match node {
        Node::Element(element) => Some(element),
        Node::Text(_) => None,
    });
    elements
        .next()
        .ok_or_else(|| Failure::lasting("damaged", "it holds an XML part without any element"))
}

fn damaged(error: &quick_xml::Error) -> Failure {
    Failure::lasting("damaged", format!("one of its XML parts cannot be read: {error}"))
}

fn element(start: &BytesStart<'_>) -> Element {
    let mut attributes = start.attributes();
    let attributes = attributes.with_checks(false).flatten();
    let attributes = attributes.filter(|attribute| !attribute.key.into_inner().starts_with("xmlns"));
    let mut attributes: Vec<(String, String)> = attributes
        .map(|attribute| {
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .unwrap_or_default();
            (
                attribute.key.local_name().into_inner().to_owned(),
                value.into_owned(),
            )
        })
        .collect();
    attributes.shrink_to_fit();
    Element {
        name: start.local_name().into_inner().to_owned(),
        attributes,
        children: Vec::new(),
    }
}

fn append(open: &mut [Element], node: Node) {
    if let Some(parent) = open.last_mut() {
        parent.children.push(node);
    }
}

fn append_text(open: &mut [Element], piece: &str) {
    let Some(parent) = open.last_mut() else {
        return;
    };
    match parent.children.last_mut() {
        Some(Node::Text(text)) => text.push_str(piece),
        _ => parent.children.push(Node::Text(piece.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_without_prefixes() {
        let root = parse(
            b"<?xml version='1.0'?><w:p w:x='1 &amp; 2'><w:t>a &lt; b&#233;</w:t><w:t/></w:p>",
            9,
        )
        .unwrap();
        assert_eq!((root.name.as_str(), root.attribute("x")), ("p", Some("1 & 2")));
        assert_eq!(root.text(), "a < b\u{e9}");
        assert_eq!(root.elements().count(), 2);
    }

    #[test]
    fn depth_and_entities_are_bounded() {
        let deep = "<a>".repeat(100) + &"</a>".repeat(100);
        assert_eq!(parse(deep.as_bytes(), 50).unwrap_err().reason, "too-deep");
        let laughs = b"<!DOCTYPE a [<!ENTITY b 'xxxx'><!ENTITY c '&b;&b;&b;'>]><a>&c;</a>";
        assert_eq!(parse(laughs, 50).unwrap().text(), "");
        for broken in [&b"<a><b></a>"[..], b"", b"text"] {
            assert!(parse(broken, 50).is_err());
        }
    }

    #[test]
    fn a_tree_that_takes_too_much_memory_is_too_large() {
        let wide = format!("<a>{}</a>", "<b c='d'>x</b>".repeat(100));
        let mut budget = TreeBudget { left: 20_000 };
        let failure = parse_text(&wide, 9, &mut budget).unwrap_err();
        assert_eq!(failure.reason, "too-large");
        assert!(parse_text(&wide, 9, &mut TreeBudget::default()).is_ok());
    }
}

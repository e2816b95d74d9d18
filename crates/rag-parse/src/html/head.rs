//! What an HTML file says about itself: its encoding, and `<meta>`, `<title>` and `lang`.

use scraper::node::Element;
use scraper::{ElementRef, Html, Node};
use serde_json::Value;

use crate::draft::clean_line;
use crate::error::Failure;
use crate::metadata::{ACCESS, Metadata, MetadataError, fold, is_near_access};

/// Bytes among which the declaration of the encoding must stand.
const DECLARATION_WINDOW: usize = 4096;

/// Names of `<meta>` elements that are taken over.
const FIELDS: &[&str] = &[
    "id",
    "title",
    "department",
    "updated",
    "language",
    "access",
    "supersedes",
];

/// Attributes of `<meta>` elements that name a field.
const NAMING: &[&str] = &["name", "property", "itemprop"];

/// Elements whose content the tree builder keeps as text although it is HTML.
const RAW: &[&str] = &["noscript", "noframes", "noembed", "iframe", "xmp"];

/// Levels of text in text that are searched for `<meta>` elements.
const MAX_RAW_DEPTH: usize = 3;

/// Names of `<meta>` elements for machines, which are no metadata of the document.
const IGNORED: &[&str] = &[
    "viewport",
    "generator",
    "robots",
    "theme-color",
    "referrer",
    "color-scheme",
];

/// The encoding that the file declares in its first bytes.
pub(super) fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let window = &bytes[..bytes.len().min(DECLARATION_WINDOW)];
    let window: String = window
        .iter()
        .map(|&byte| char::from(byte).to_ascii_lowercase())
        .collect();
    for marker in ["charset", "encoding"] {
        for (at, _) in window.match_indices(marker) {
            let rest = window[at + marker.len()..].trim_start();
            if let Some(value) = rest.strip_prefix('=') {
                let value = value.trim_start().trim_start_matches(['"', '\'']);
                let label: String = value
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || "-_:.".contains(*c))
                    .collect();
                return Some(label).filter(|label| !label.is_empty());
            }
        }
    }
    None
}

/// Reads `<meta name=… content=…>`, then `<title>` and `<html lang>` where those and the front matter
/// before the page, `front`, say nothing.
pub(super) fn metadata(html: &Html, front: Metadata) -> Result<Metadata, Failure> {
    let mut fields = Vec::new();
    meta_fields(html, MAX_RAW_DEPTH, &mut fields)?;
    let own = Metadata::from_fields(fields)?;
    if own.access.is_some() && front.access.is_some() {
        let field = ACCESS.to_owned();
        return Err(MetadataError::Repeated { field }.into());
    }
    let mut metadata = front.or(own);
    metadata.title = metadata.title.or(title(html).filter(|title| !title.is_empty()));
    let language = html.root_element().value().attr("lang");
    metadata.language = metadata
        .language
        .or(language.map(str::to_owned).filter(|lang| !lang.trim().is_empty()));
    Ok(metadata)
}

fn title(html: &Html) -> Option<String> {
    let mut elements = html.tree.nodes().filter_map(ElementRef::wrap);
    let title = elements.find(|element| element.value().name() == "title" && !is_inside_svg(*element))?;
    Some(clean_line(&title.text().collect::<String>()))
}

/// Collects the fields of all `<meta>` elements, also of those in text that a browser reads only if it
/// cannot do better. Such text is entered `depth` levels deep.
fn meta_fields(html: &Html, depth: usize, fields: &mut Vec<(String, Value)>) -> Result<(), Failure> {
    for node in html.tree.nodes() {
        let raw = match node.value() {
            Node::Comment(comment) if comment.trim_start().starts_with("[if") => comment.to_string(),
            Node::Element(element) if element.name() == "meta" => {
                fields.extend(meta_field(element));
                continue;
            }
            Node::Element(element) if RAW.contains(&element.name()) => ElementRef::wrap(node)
                .map(|element| element.text().collect())
                .unwrap_or_default(),
            _ => continue,
        };
        if !raw.to_ascii_lowercase().contains("<meta") {
            continue;
        }
        let Some(depth) = depth.checked_sub(1) else {
            let message = "its `<noscript>` elements stand in each other; metadata may be lost in them";
            return Err(Failure::lasting("metadata", message));
        };
        meta_fields(&Html::parse_fragment(&raw), depth, fields)?;
    }
    Ok(())
}

/// The field that a `<meta>` element is, by any attribute that can name it. Access lists count by each of
/// them, other fields by `name`.
fn meta_field(element: &Element) -> Option<(String, Value)> {
    let content = Value::from(element.attr("content").unwrap_or_default());
    let mut named = NAMING.iter().filter_map(|attribute| element.attr(attribute));
    if let Some(name) = named.find(|name| is_access(name)) {
        return Some((name.to_owned(), content));
    }
    let name = element.attr("name")?.trim().to_lowercase();
    let is_known = FIELDS.contains(&name.as_str());
    let is_wanted = is_known || !(IGNORED.contains(&name.as_str()) || name.contains(':') || content == "");
    is_wanted.then_some((name, content))
}

fn is_access(name: &str) -> bool {
    fold(name) == ACCESS || is_near_access(name)
}

fn is_inside_svg(element: ElementRef<'_>) -> bool {
    let parent = element.parent().and_then(ElementRef::wrap);
    parent.is_some_and(|parent| parent.value().name() == "svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Result<Metadata, Failure> {
        metadata(&Html::parse_document(html), Metadata::default())
    }

    #[test]
    fn the_declared_encoding_is_found() {
        let cases: &[(&[u8], Option<&str>)] = &[
            (b"<meta charset=utf-8>", Some("utf-8")),
            (
                b"<META http-equiv='Content-Type' content='text/html; charset=Windows-1256'>",
                Some("windows-1256"),
            ),
            (
                b"<?xml version='1.0' encoding=\"ISO-8859-1\"?>",
                Some("iso-8859-1"),
            ),
            (b"<p>charset of a text</p>", None),
            (b"", None),
        ];
        for (html, expected) in cases {
            assert_eq!(declared_encoding(html).as_deref(), *expected);
        }
    }

    #[test]
    fn metadata_is_read_and_a_doubtful_access_list_refused() {
        let html = "<html lang=en><head><title> A  title </title><meta name=Access content='hr, exec'>\
                    <meta name=viewport content=x><meta name=owner content=Ada></head>";
        let found = read(html).unwrap();
        assert_eq!(found.title.as_deref(), Some("A title"));
        assert_eq!(found.language.as_deref(), Some("en"));
        assert_eq!(found.access.unwrap().groups().collect::<Vec<_>>(), ["exec", "hr"]);
        assert_eq!(found.other.keys().collect::<Vec<_>>(), ["owner"]);
        let twice = "<meta name=access content=hr><meta name=access content=everyone>";
        assert!(read(twice).is_err());
        assert!(read("<meta name=access>").unwrap().access.unwrap().is_empty());
    }

    #[test]
    fn an_access_list_is_seen_whatever_attribute_or_element_it_is_in() {
        for html in [
            "<meta property=access content=hr>",
            "<meta itemprop=' Access ' content=hr><p>x",
            "<meta name=owner property=access content=hr>",
            "<head><noscript><meta name=access content=hr></noscript></head>",
            "<body><noscript><p><META NAME=access CONTENT=hr></noscript>",
            "<template><meta name=access content=hr></template>",
            "<!--[if IE]><meta name=access content=hr><![endif]-->",
            "<p>text<meta name=access content=hr>",
        ] {
            let access = read(html).unwrap().access.unwrap_or_else(|| panic!("{html}"));
            assert_eq!(access.groups().collect::<Vec<_>>(), ["hr"], "{html}");
        }
        for html in [
            "<meta name=acess content=hr>",
            "<meta property=og:access content=hr>",
            "<meta itemprop=readers content=hr>",
            "<meta name=access content=hr><noscript><meta name=access content=everyone></noscript>",
        ] {
            assert!(read(html).is_err(), "{html}");
        }
        let front = Metadata {
            access: Some(["hr"].into_iter().collect()),
            ..Metadata::default()
        };
        let both = Html::parse_document("<meta name=access content=everyone>");
        assert!(metadata(&both, front).is_err());
    }

    #[test]
    fn noscript_in_noscript_does_not_cost_more_than_the_page() {
        let html = format!("{}<meta name=access content=hr>", "<noscript>".repeat(2000));
        assert_eq!(read(&html).unwrap_err().reason, "metadata");
    }
}

//! What an HTML file says about itself: its encoding, and `<meta>`, `<title>` and `lang`.

use scraper::{ElementRef, Html};
use serde_json::Value;

use crate::draft::clean_line;
use crate::error::Failure;
use crate::metadata::Metadata;

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

/// Reads `<meta name=… content=…>`, then `<title>` and `<html lang>` where those say nothing.
pub(super) fn metadata(html: &Html) -> Result<Metadata, Failure> {
    let mut fields = Vec::new();
    let mut title = None;
    for node in html.tree.nodes() {
        let Some(element) = ElementRef::wrap(node) else {
            continue;
        };
        match element.value().name() {
            "meta" => fields.extend(meta_field(element)),
            "title" if title.is_none() && !is_inside_svg(element) => {
                title = Some(clean_line(&element.text().collect::<String>()));
            }
            _ => {}
        }
    }
    let mut metadata =
        Metadata::from_fields(fields).map_err(|error| Failure::lasting("metadata", error.to_string()))?;
    metadata.title = metadata.title.or(title.filter(|title| !title.is_empty()));
    let language = html.root_element().value().attr("lang");
    metadata.language = metadata
        .language
        .or(language.map(str::to_owned).filter(|lang| !lang.trim().is_empty()));
    Ok(metadata)
}

fn meta_field(element: ElementRef<'_>) -> Option<(String, Value)> {
    let name = element.value().attr("name")?.trim().to_lowercase();
    let content = element.value().attr("content").unwrap_or_default();
    let is_known = FIELDS.contains(&name.as_str());
    let is_wanted =
        is_known || !(IGNORED.contains(&name.as_str()) || name.contains(':') || content.is_empty());
    is_wanted.then(|| (name, Value::from(content)))
}

fn is_inside_svg(element: ElementRef<'_>) -> bool {
    let parent = element.parent().and_then(ElementRef::wrap);
    parent.is_some_and(|parent| parent.value().name() == "svg")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let found = metadata(&Html::parse_document(html)).unwrap();
        assert_eq!(found.title.as_deref(), Some("A title"));
        assert_eq!(found.language.as_deref(), Some("en"));
        assert_eq!(found.access.unwrap().groups().collect::<Vec<_>>(), ["exec", "hr"]);
        assert_eq!(found.other.keys().collect::<Vec<_>>(), ["owner"]);
        let twice = "<meta name=access content=hr><meta name=access content=everyone>";
        assert!(metadata(&Html::parse_document(twice)).is_err());
        let empty = "<meta name=access>";
        assert!(
            metadata(&Html::parse_document(empty))
                .unwrap()
                .access
                .unwrap()
                .is_empty()
        );
    }
}

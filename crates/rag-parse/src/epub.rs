//! EPUB to blocks: the chapters in the order of the book's spine, each read as HTML.

use std::collections::HashMap;

use crate::archive::Archive;
use crate::config::Config;
use crate::draft::{Draft, clean_line};
use crate::error::Failure;
use crate::html;
use crate::metadata::Metadata;
use crate::package::without_dots;
use crate::xml::{self, Element};

/// Where an EPUB says which file describes the book.
const CONTAINER: &str = "META-INF/container.xml";

/// Reads an EPUB file into `draft`.
pub(crate) fn parse(bytes: &[u8], config: &Config, draft: &mut Draft) -> Result<(), Failure> {
    let mut archive = Archive::open(bytes, &config.limits, &draft.unpacked)?;
    let depth = config.limits.max_depth;
    let damaged =
        |what: &str| Failure::lasting("damaged", format!("the book has no {what}; export it again"));
    if archive
        .read("META-INF/encryption.xml")?
        .is_some_and(|part| encrypts_text(&part))
    {
        return Err(Failure::lasting(
            "encrypted",
            "the book is encrypted; save it without protection",
        ));
    }
    let container = archive.read(CONTAINER)?.ok_or_else(|| damaged("container"))?;
    let container = xml::parse(&container, depth)?;
    let root = container
        .at(&["rootfiles", "rootfile"])
        .and_then(|root| root.attribute("full-path"));
    let root = root.ok_or_else(|| damaged("description"))?.to_owned();
    let book = archive.read(&root)?.ok_or_else(|| damaged("description"))?;
    let book = xml::parse(&book, depth)?;
    let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
    let metadata = metadata(&book);
    for chapter in chapters(&book) {
        let path = without_dots(&format!("{folder}/{}", decoded(&chapter)));
        match archive.read(&path)? {
            Some(part) => {
                if let Err(failure) = html::parse(&part, config, draft) {
                    let name = clean_line(&path);
                    draft.warn("damaged", format!("the chapter `{name}` was left out: {failure}"));
                }
            }
            None => draft.warn(
                "damaged",
                format!("the chapter `{}` is not in the book", clean_line(&path)),
            ),
        }
    }
    draft.metadata = metadata;
    Ok(())
}

/// Fonts may be obfuscated; text that is encrypted cannot be read.
fn encrypts_text(part: &[u8]) -> bool {
    let text = String::from_utf8_lossy(part).to_ascii_lowercase();
    text.contains("html\"")
}

/// Title, language and date. A book never says who may read it.
fn metadata(book: &Element) -> Metadata {
    let text = |name: &str| {
        let found = book
            .at(&["metadata", name])
            .map(|element| clean_line(&element.text()));
        found.filter(|text| !text.is_empty())
    };
    let mut metadata = Metadata {
        title: text("title"),
        language: text("language"),
        updated: text("date"),
        ..Metadata::default()
    };
    metadata
        .other
        .extend(text("creator").map(|creator| ("author".to_owned(), creator)));
    metadata
}

/// The files of the chapters in reading order; what is not part of the text flow (`linear="no"`) comes too.
fn chapters(book: &Element) -> Vec<String> {
    let list = |name| book.child(name).into_iter().flat_map(Element::elements);
    let files: HashMap<&str, &str> = list("manifest")
        .filter(|item| {
            item.attribute("media-type")
                .is_none_or(|kind| kind.contains("html"))
        })
        .filter(|item| {
            !item
                .attribute("properties")
                .is_some_and(|properties| properties.contains("nav"))
        })
        .filter_map(|item| Some((item.attribute("id")?, item.attribute("href")?)))
        .collect();
    list("spine")
        .filter_map(|item| files.get(item.attribute("idref")?).map(|href| (*href).to_owned()))
        .collect()
}

/// A path with its percent escapes resolved.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [byte, behind @ ..] = rest {
        let digits = behind.get(..2).filter(|_| *byte == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let value = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(value.unwrap_or(*byte));
        rest = if value.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::tests::pack;

    #[test]
    fn chapters_are_read_in_the_order_of_the_spine() {
        let book = pack(&[
            ("mimetype", b"application/epub+zip"),
            (CONTAINER, b"<c><rootfiles><rootfile full-path='OPS/book.opf'/></rootfiles></c>"),
            (
                "OPS/book.opf",
                b"<p><metadata><dc:title>The Book</dc:title><dc:language>en</dc:language></metadata>\
                  <manifest><item id='b' href='b%20two.xhtml' media-type='application/xhtml+xml'/>\
                  <item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>\
                  <item id='n' href='nav.xhtml' properties='nav'/></manifest>\
                  <spine><itemref idref='n'/><itemref idref='a'/><itemref idref='b'/><itemref idref='lost'/></spine></p>",
            ),
            ("OPS/a.xhtml", b"<html><body><h1>One</h1><p>First.</p></body></html>"),
            ("OPS/b two.xhtml", b"<html><body><h1>Two</h1><p>Second.</p></body></html>"),
        ]);
        let config = Config::default();
        let mut draft = Draft::new(&config.limits);
        parse(&book, &config, &mut draft).unwrap();
        let (text, metadata, ..) = draft.finish();
        assert_eq!(text.text, "One\n\nFirst.\n\nTwo\n\nSecond.");
        assert_eq!(metadata.title.as_deref(), Some("The Book"));
    }
}

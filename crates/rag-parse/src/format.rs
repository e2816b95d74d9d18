//! The formats that are read, and how a file's format is found.

use serde::{Deserialize, Serialize};

use crate::archive::folded;
use crate::error::Failure;
use crate::mail;

/// Bytes at the beginning of a file that are looked at for a signature.
const SIGNATURE_WINDOW: usize = 1024;

/// A format that this crate reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Markdown with optional front matter.
    Markdown,
    /// HTML.
    Html,
    /// Plain text in any encoding.
    Text,
    /// Rows of separated values.
    Delimited,
    /// Office Open XML text document.
    Docx,
    /// Office Open XML workbook.
    Xlsx,
    /// Office Open XML presentation.
    Pptx,
    /// A book as chapters of HTML.
    Epub,
    /// An e-mail message.
    Mail,
    /// Portable Document Format.
    Pdf,
}

impl Format {
    /// The media type that documents of this format carry.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::Html => "text/html",
            Self::Text => "text/plain",
            Self::Delimited => "text/csv",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            Self::Epub => "application/epub+zip",
            Self::Mail => "message/rfc822",
            Self::Pdf => "application/pdf",
        }
    }

    /// Finds the format of the file `source` by its first bytes where they decide, else by its name.
    /// A file of unknown name that is text is read as plain text.
    pub fn of(source: &str, bytes: &[u8]) -> Result<Self, Failure> {
        let window = &bytes[..bytes.len().min(SIGNATURE_WINDOW)];
        let extension = extension(source);
        if is_pdf(&extension, bytes) {
            return Ok(Self::Pdf);
        }
        if window.starts_with(b"PK\x03\x04") {
            return zip_based(bytes)
                .or_else(|| by_folded_names(bytes))
                .ok_or_else(|| {
                    if OFFICE.contains(&extension.as_str()) {
                        let message =
                            "its parts are not where they should be: the file is cut off or damaged";
                        Failure::lasting("damaged", message)
                    } else {
                        unsupported(&extension, "a zip archive")
                    }
                });
        }
        if window.starts_with(OLE) && is_encrypted_office(bytes) {
            return Err(Failure::lasting(
                "encrypted",
                "the file is encrypted; save it without a password",
            ));
        }
        if let Some(what) = binary_signature(window) {
            return Err(unsupported(&extension, what));
        }
        match extension.as_str() {
            "md" | "markdown" | "mdown" | "mkd" => Ok(Self::Markdown),
            "html" | "htm" | "xhtml" => Ok(Self::Html),
            "csv" | "tsv" | "tab" => Ok(Self::Delimited),
            "pdf" => Err(Failure::lasting(
                "damaged",
                "the name says PDF but the file has no PDF header",
            )),
            office if OFFICE.contains(&office) => Err(Failure::lasting(
                "damaged",
                "the name says Office or EPUB but the file is no zip archive",
            )),
            "eml" => Ok(Self::Mail),
            "msg" | "rtf" | "doc" | "xls" | "ppt" | "xml" | "svg" => {
                Err(unsupported(&extension, "a file of that kind"))
            }
            _ if looks_like_html(window) => Ok(Self::Html),
            _ if mail::looks_like_message(window) => Ok(Self::Mail),
            _ => Ok(Self::Text),
        }
    }
}

/// True for a file that begins as a PDF, or whose header stands behind something else: a text that only
/// tells of such headers is none.
fn is_pdf(extension: &str, bytes: &[u8]) -> bool {
    const HEADER: &[u8] = b"%PDF-";
    const END: &[u8] = b"%%EOF";
    let holds = |part: &[u8], wanted: &[u8]| part.windows(wanted.len()).any(|found| found == wanted);
    let start = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    let window = &bytes[..bytes.len().min(SIGNATURE_WINDOW)];
    let end = &bytes[bytes.len().saturating_sub(SIGNATURE_WINDOW)..];
    let is_text = TEXTS.contains(&extension);
    start.starts_with(HEADER) || holds(window, HEADER) && (extension == "pdf" || !is_text && holds(end, END))
}

/// Extensions of files that are text.
const TEXTS: &[&str] = &[
    "md", "markdown", "mdown", "mkd", "txt", "text", "html", "htm", "xhtml", "csv", "tsv", "tab", "eml",
];

/// The extension of a path in lower case, or nothing.
fn extension(source: &str) -> String {
    let name = source.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.')
        .map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}

fn unsupported(extension: &str, what: &str) -> Failure {
    let name = if extension.is_empty() {
        String::new()
    } else {
        format!(" (`.{extension}`)")
    };
    Failure::lasting(
        "unsupported",
        format!("{what}{name} is not a format that can be read; convert or remove it"),
    )
}

/// Extensions of the zip-based formats that are read.
const OFFICE: &[&str] = &[
    "docx", "docm", "dotx", "xlsx", "xlsm", "xltx", "pptx", "pptm", "ppsx", "epub",
];

/// The first bytes of the container that old and encrypted Office files share.
const OLE: &[u8] = b"\xd0\xcf\x11\xe0";

/// Bytes at the end of an archive that list its parts, and at the beginning that name its first.
const DIRECTORY_WINDOW: usize = 1 << 20;

/// What the names of the parts of each zip-based format begin with.
const PARTS: &[(&[u8], Format)] = &[
    (b"META-INF/container.xml", Format::Epub),
    (b"word/", Format::Docx),
    (b"xl/", Format::Xlsx),
    (b"ppt/", Format::Pptx),
];

/// The format of a zip-based file by the names of its parts: those of files embedded in it are none of them.
fn zip_based(bytes: &[u8]) -> Option<Format> {
    let Ok(archive) = zip::ZipArchive::new(std::io::Cursor::new(bytes)) else {
        return zip_by_bytes(bytes);
    };
    let begins = |part: &[u8]| {
        archive
            .file_names()
            .flatten()
            .any(|name| name.as_bytes().starts_with(part))
    };
    let found = PARTS.iter().find(|(part, _)| begins(part));
    found.map(|(_, format)| *format)
}

/// Likewise for an archive whose directory cannot be read.
fn zip_by_bytes(bytes: &[u8]) -> Option<Format> {
    let directory = &bytes[bytes.len().saturating_sub(DIRECTORY_WINDOW)..];
    let window = &bytes[..bytes.len().min(SIGNATURE_WINDOW)];
    let names = |part: &[u8]| {
        directory.windows(part.len()).any(|found| found == part)
            || window.windows(part.len()).any(|found| found == part)
    };
    PARTS
        .iter()
        .find(|(part, _)| names(part))
        .map(|(_, format)| *format)
}

/// The format of an archive whose names are written in another case or with the slashes of a system.
fn by_folded_names(bytes: &[u8]) -> Option<Format> {
    let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).ok()?;
    let mut names = archive.file_names().flatten().map(|name| folded(&name));
    names.find_map(|name| match name.split_once('/')?.0 {
        "word" => Some(Format::Docx),
        "xl" => Some(Format::Xlsx),
        "ppt" => Some(Format::Pptx),
        "meta-inf" if name.ends_with("/container.xml") => Some(Format::Epub),
        _ => None,
    })
}

/// True when the container holds an encrypted Office file, by the name of the stream in UTF-16.
fn is_encrypted_office(bytes: &[u8]) -> bool {
    let name: Vec<u8> = "EncryptedPackage"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let window = &bytes[..bytes.len().min(DIRECTORY_WINDOW * 16)];
    window.windows(name.len()).any(|found| found == name)
}

/// Names a well-known binary format by its first bytes.
fn binary_signature(window: &[u8]) -> Option<&'static str> {
    const SIGNATURES: &[(&[u8], &str)] = &[
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"GIF8", "a GIF image"),
        (b"\x7fELF", "an executable"),
        (b"MZ\x90", "an executable"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"\xd0\xcf\x11\xe0", "an old Office file"),
        (b"SQLite format 3", "a database"),
        (b"{\\rtf", "a rich text file"),
    ];
    SIGNATURES
        .iter()
        .find(|(signature, _)| window.starts_with(signature))
        .map(|(_, what)| *what)
}

fn looks_like_html(window: &[u8]) -> bool {
    let start = String::from_utf8_lossy(window).trim_start().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_tells_of_pdf_headers_is_text() {
        let text = b"# On headers\n\nA file begins with %PDF-1.7.";
        assert_eq!(Format::of("a.md", text), Ok(Format::Markdown));
        assert_eq!(Format::of("a.txt", text), Ok(Format::Text));
        assert_eq!(Format::of("notes", text), Ok(Format::Text));
        assert_eq!(Format::of("a.pdf", b"HTTP/1.1 200\n\n%PDF-1.7"), Ok(Format::Pdf));
        assert_eq!(Format::of("a", b"junk\n%PDF-1.7 \n%%EOF\n"), Ok(Format::Pdf));
    }

    #[test]
    fn files_embedded_in_a_file_do_not_decide() {
        use crate::archive::tests::pack;
        let sheet = pack(&[("xl/workbook.xml", b"<workbook/>"), ("word/media/a.png", b"x")]);
        let deck = pack(&[
            ("ppt/presentation.xml", b"<p/>"),
            ("ppt/embeddings/a.xlsx", &sheet),
        ]);
        assert_eq!(Format::of("a.pptx", &deck), Ok(Format::Pptx));
    }

    #[test]
    fn content_decides_before_the_name() {
        let cases: &[(&str, &[u8], Result<Format, &str>)] = &[
            ("a/b.md", b"# x", Ok(Format::Markdown)),
            ("b.HTM", b"x", Ok(Format::Html)),
            ("b.tsv", b"x", Ok(Format::Delimited)),
            ("b.txt", b"%PDF-1.7", Ok(Format::Pdf)),
            ("b.pdf", b"hello", Err("damaged")),
            ("b.zip", b"PK\x03\x04 word/document.xml", Ok(Format::Docx)),
            ("b.docx", b"PK\x03\x04 xl/workbook.xml", Ok(Format::Xlsx)),
            ("b.pptx", b"PK\x03\x04 ppt/presentation.xml", Ok(Format::Pptx)),
            ("b.epub", b"PK\x03\x04 META-INF/container.xml", Ok(Format::Epub)),
            ("b", b"From: a@b\nTo: c@d\nSubject: x\n\nhi", Ok(Format::Mail)),
            (
                "b.xlsx",
                b"\xd0\xcf\x11\xe0E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0",
                Err("encrypted"),
            ),
            ("b.docx", b"hello", Err("damaged")),
            ("b.docx", b"PK\x03\x04", Err("damaged")),
            ("b.zip", b"PK\x03\x04", Err("unsupported")),
            ("b.png", b"\x89PNG\r\n", Err("unsupported")),
            ("README", b"hello", Ok(Format::Text)),
            ("page", b"\n<!DOCTYPE html><p>", Ok(Format::Html)),
            ("no.dir/file", b"x", Ok(Format::Text)),
        ];
        for (source, bytes, expected) in cases {
            let found = Format::of(source, bytes).map_err(|failure| failure.reason);
            assert_eq!(found, expected.map_err(str::to_owned), "{source}");
        }
    }

    #[test]
    fn names_in_another_case_or_with_other_slashes_are_known() {
        for name in ["word\\document.xml", "Word/Document.xml"] {
            let bytes = crate::archive::tests::pack(&[(name, b"<d/>")]);
            assert_eq!(Format::of("a.docx", &bytes), Ok(Format::Docx));
        }
    }
}

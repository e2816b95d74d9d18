//! Tells sidecars from documents by their names, and finds the files that a misnamed or left over one was
//! most likely meant for: they must not be read as if nobody had said who may read them.

use std::collections::{BTreeMap, HashMap};

use super::walk::Entry;
use crate::metadata::{DEFAULTS_FILE, SIDECAR_SUFFIX, fold};

/// Ends of names by which sidecars are meant, each before the ending of a syntax.
const MARKS: &[&str] = &[".meta", ".metadata"];

/// Likewise, but only for syntaxes in which nobody keeps data.
const LOOSE_MARKS: &[&str] = &["_meta", "-meta", " meta", "_metadata", "-metadata"];

const SYNTAXES: &[&str] = &[".toml", ".yaml", ".yml"];

/// What editors and people add to the name of a copy, and systems to the name of a text file.
const ADDITIONS: &[&str] = &[
    "~", ".bak", ".old", ".orig", ".save", ".tmp", ".copy", ".txt", ".swp",
];

/// Stem of [`DEFAULTS_FILE`] without its underscore.
const DEFAULTS: &str = "defaults";

/// What a file is by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A document.
    Document,
    /// A sidecar, or the defaults of a folder.
    Sidecar,
    /// Something that was most likely meant as one of these.
    Misnamed,
}

/// What the file `name` is.
pub(super) fn role_of(name: &str) -> Role {
    if name.ends_with(SIDECAR_SUFFIX) && !name.starts_with('.') {
        Role::Sidecar
    } else if described_by(name).is_some() {
        Role::Misnamed
    } else {
        Role::Document
    }
}

/// What the sidecar `name` most likely describes: the folded name of a file, its stem, or the word for a
/// folder's defaults. Nothing when it looks like no sidecar.
fn described_by(name: &str) -> Option<String> {
    let mut name = fold(name);
    loop {
        let is_whole = !ADDITIONS.iter().any(|addition| name.ends_with(addition));
        if let Some(described) = described_plainly(&name) {
            return Some(described);
        }
        if is_whole {
            return None;
        }
        let shorter = ADDITIONS
            .iter()
            .find_map(|addition| name.strip_suffix(addition))?;
        // A text `notes.meta.txt` is a text; a copy of a sidecar still has its syntax.
        if !SYNTAXES.iter().any(|syntax| shorter.contains(syntax)) {
            return None;
        }
        name = shorter.trim_end().to_owned();
    }
}

fn described_plainly(name: &str) -> Option<String> {
    let strip = |text: &str, marks: &[&str]| {
        let found = marks.iter().find_map(|mark| text.strip_suffix(mark));
        found.map(|rest| rest.trim_start_matches('.').to_owned())
    };
    let stem = without_syntax(name);
    if stem == name {
        let json = name.strip_suffix(".json").unwrap_or(name);
        return strip(json, MARKS);
    }
    let marked = strip(stem, MARKS).or_else(|| strip(stem, LOOSE_MARKS));
    marked.or_else(|| {
        let is_defaults =
            matches!(name, "meta.toml" | "metadata.toml") || (stem.starts_with('_') && is_for_folder(stem));
        is_defaults.then(|| DEFAULTS.to_owned())
    })
}

fn without_syntax(name: &str) -> &str {
    let stem = SYNTAXES.iter().find_map(|syntax| name.strip_suffix(syntax));
    stem.unwrap_or(name)
}

/// True when what a sidecar describes is the folder that it is in.
fn is_for_folder(described: &str) -> bool {
    let word = described.trim_matches(|c: char| !c.is_alphanumeric());
    word.is_empty() || strsim::osa_distance(word, DEFAULTS) <= 1
}

/// Documents by folder and folded name or stem.
pub(super) struct Names<'d> {
    documents: &'d BTreeMap<String, Entry>,
    by_name: HashMap<(&'d str, String), Vec<&'d str>>,
}

impl<'d> Names<'d> {
    pub(super) fn of(documents: &'d BTreeMap<String, Entry>) -> Self {
        let mut by_name: HashMap<(&str, String), Vec<&str>> = HashMap::new();
        for source in documents.keys() {
            let (folder, name) = split(source);
            for name in names(fold(name)) {
                by_name.entry((folder, name)).or_default().push(source);
            }
        }
        Self { documents, by_name }
    }

    /// The documents that the sidecar `source`, which fits none by its name, was most likely meant for.
    pub(super) fn meant_by(&self, source: &str) -> Vec<&'d str> {
        let (folder, name) = split(source);
        // What is a sidecar only by the document beside it lacks the mark.
        let described = described_by(name).unwrap_or_else(|| without_syntax(&fold(name)).to_owned());
        if is_for_folder(&described) {
            let below = self.documents.range(folder.to_owned()..);
            let below = below.map(|(source, _)| source.as_str());
            return below.take_while(|source| source.starts_with(folder)).collect();
        }
        let wanted = names(described).into_iter().map(|name| (folder, name));
        let mut found: Vec<&str> = wanted
            .filter_map(|key| self.by_name.get(&key))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A document that is a sidecar by the document beside it: `report.pdf.toml` or `report.pdf.mata.toml`.
pub(super) fn is_beside_its_document(source: &str, names: &Names<'_>) -> bool {
    let (folder, name) = split(source);
    let name = fold(name);
    let stem = without_syntax(&name);
    if stem == name {
        return false;
    }
    let is_document = |name: &str| {
        let found = names.by_name.get(&(folder, name.to_owned()));
        let is_whole = |source: &&&str| fold(split(source).1) == name;
        name.contains('.') && found.is_some_and(|found| found.iter().any(|source| is_whole(&source)))
    };
    let shorter = stem.rsplit_once('.');
    is_document(stem)
        || shorter.is_some_and(|(file, mark)| strsim::osa_distance(mark, "meta") <= 2 && is_document(file))
}

/// The exact name of the sidecar that `source` is a copy of, such as one that an editor left.
pub(super) fn original(source: &str) -> Option<&str> {
    let end = source.find(SIDECAR_SUFFIX)? + SIDECAR_SUFFIX.len();
    (end < source.len()).then(|| &source[..end])
}

/// The path of the document that the sidecar `source` describes by its exact name; nothing for defaults.
pub(super) fn document_of(source: &str) -> Option<&str> {
    source
        .strip_suffix(SIDECAR_SUFFIX)
        .filter(|_| split(source).1 != DEFAULTS_FILE)
}

/// Folder, with its final `/`, and name.
fn split(source: &str) -> (&str, &str) {
    source.split_at(source.rfind('/').map_or(0, |at| at + 1))
}

/// A name and its stem.
fn names(name: String) -> Vec<String> {
    let stem = name.rsplit_once('.').map(|(stem, _)| stem.to_owned());
    std::iter::once(name)
        .chain(stem.filter(|stem| !stem.is_empty()))
        .collect()
}

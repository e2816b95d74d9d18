//! Writes the postings of a generation as one tantivy segment, the same bytes for the same passages.

use std::path::{Path, PathBuf};

use rag_core::artifact::Digest;
use rag_core::language::Language;
use rag_core::text::Analyzer;
use tantivy::directory::MmapDirectory;
use tantivy::schema::Field;
use tantivy::{Index, SingleSegmentIndexWriter, TantivyDocument};

use super::{LENGTH, TERMS, failed, indexed, schema};
use crate::error::IndexError;

/// Memory that tantivy sizes its table of terms for; it grows beyond when it has to.
const TABLE_BYTES: usize = 64 << 20;

/// The terms of a passage's index text.
pub(crate) fn analyze(language: Language, text: &str) -> Vec<String> {
    let terms = Analyzer::new(language).terms(text);
    terms.into_iter().map(indexed).collect()
}

/// Collects passages in the order of their ordinals.
pub(crate) struct Writer {
    folder: PathBuf,
    segment: SingleSegmentIndexWriter,
    terms: Field,
    length: Field,
}

impl Writer {
    /// Begins the index in the new folder `folder`.
    pub(crate) fn create(folder: &Path) -> Result<Self, IndexError> {
        fs_err::create_dir_all(folder)?;
        let directory = MmapDirectory::open(folder).map_err(failed(folder, "opening the folder"))?;
        let schema = schema();
        let field = |name| schema.get_field(name).expect("the schema has it");
        let (terms, length) = (field(TERMS), field(LENGTH));
        let segment = Index::builder()
            .schema(schema)
            .single_segment_index_writer(directory, TABLE_BYTES)
            .map_err(failed(folder, "creating the lexical index"))?;
        Ok(Self {
            folder: folder.to_owned(),
            segment,
            terms,
            length,
        })
    }

    /// Adds the terms of the passage with the next ordinal.
    pub(crate) fn push(&mut self, terms: &[String]) -> Result<(), IndexError> {
        let mut document = TantivyDocument::default();
        document.add_u64(self.length, terms.len() as u64);
        document.add_text(self.terms, terms.join(" "));
        let added = self.segment.add_document(document);
        added.map_err(failed(&self.folder, "adding a passage"))
    }

    /// Writes the segment. `name` decides the names of its files.
    pub(crate) fn finish(self, name: Digest) -> Result<(), IndexError> {
        let index = self.segment.finalize();
        let index = index.map_err(failed(&self.folder, "writing the postings"))?;
        let segments = index.searchable_segment_ids();
        let segments = segments.map_err(failed(&self.folder, "listing the segment"))?;
        drop(index);
        for segment in segments {
            rename_segment(&self.folder, &segment.uuid_string(), &name.to_string()[..32])?;
        }
        Ok(())
    }
}

/// tantivy's list of files that it may delete. It deletes none here, and the list's order is random.
const DELETABLE_FILES: &str = ".managed.json";

/// Gives the files of the segment `old` the name `new`, since tantivy draws a random one.
fn rename_segment(folder: &Path, old: &str, new: &str) -> Result<(), IndexError> {
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if let Some(extension) = name.strip_prefix(old) {
            fs_err::rename(&path, folder.join(format!("{new}{extension}")))?;
        } else if name == DELETABLE_FILES || has_extension(&path, "lock") {
            fs_err::remove_file(&path)?;
        } else if has_extension(&path, "json") {
            let text = fs_err::read_to_string(&path)?;
            let text = text.replace(&hyphenated(old), &hyphenated(new)).replace(old, new);
            fs_err::write(&path, text)?;
        }
    }
    Ok(())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own == extension)
}

/// The UUID `hex` with its hyphens.
fn hyphenated(hex: &str) -> String {
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

//! An earlier output, from which the documents of unchanged files are taken over, in one pass.

use rag_core::document::{DOCUMENTS_FILE, SOURCES_FILE};
use std::collections::HashMap;
use std::iter::Peekable;
use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactError, Digest, jsonl};
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic};
use rag_core::document::Document;
use rag_core::progress::Progress;

use super::{Fate, STAGE, SourceRecord};
use crate::document::Parsed;
use crate::error::Failure;

/// The earlier artifact; without one, nothing can be taken over.
pub(super) struct Previous {
    records: HashMap<String, (Digest, Fate)>,
    diagnostics: HashMap<String, Vec<Diagnostic>>,
    documents: Option<Peekable<jsonl::Reader<Document>>>,
    _artifact: Option<Artifact>,
}

impl Previous {
    /// Opens the artifact at `path`. One that cannot be used is noted and done without.
    pub(super) fn open(path: &Path, progress: &dyn Progress) -> Self {
        Self::try_open(path).unwrap_or_else(|error| {
            if !matches!(error, ArtifactError::Missing { .. }) {
                progress.note(&format!("earlier documents are not taken over: {error}"));
            }
            Self {
                records: HashMap::new(),
                diagnostics: HashMap::new(),
                documents: None,
                _artifact: None,
            }
        })
    }

    fn try_open(path: &Path) -> Result<Self, ArtifactError> {
        let artifact = Artifact::open(path, STAGE)?;
        let mut records = HashMap::new();
        for record in artifact.json_lines::<SourceRecord>(SOURCES_FILE)? {
            let SourceRecord { source, key, fate } = record?;
            records.insert(source, (key, fate));
        }
        let mut diagnostics: HashMap<String, Vec<Diagnostic>> = HashMap::new();
        for diagnostic in artifact.json_lines::<Diagnostic>(DIAGNOSTICS_FILE)? {
            let diagnostic = diagnostic?;
            diagnostics
                .entry(diagnostic.source.clone())
                .or_default()
                .push(diagnostic);
        }
        let documents = artifact.json_lines(DOCUMENTS_FILE)?.peekable();
        Ok(Self {
            records,
            diagnostics,
            documents: Some(documents),
            _artifact: Some(artifact),
        })
    }

    /// True when there is a result for the file under the same key that need not be tried again.
    pub(super) fn has(&self, source: &str, key: &Digest) -> bool {
        self.records
            .get(source)
            .is_some_and(|(earlier, fate)| earlier == key && *fate != Fate::Retry)
    }

    /// The earlier result. Files must be asked for in the order of their paths.
    pub(super) fn take(&mut self, source: &str, key: &Digest) -> Option<Result<Parsed, Failure>> {
        if !self.has(source, key) {
            return None;
        }
        let (_, fate) = self.records.remove(source)?;
        let mut diagnostics = self.diagnostics.remove(source).unwrap_or_default();
        if fate == Fate::Quarantined {
            let Diagnostic { reason, message, .. } = diagnostics.pop()?;
            return Some(Err(Failure::lasting(&reason, message)));
        }
        let document = self.document(source)?;
        Some(Ok(Parsed {
            document,
            diagnostics,
            removed: Vec::new(),
            pictures: Vec::new(),
        }))
    }

    /// Moves forward to the document of `source`; nothing when it is not there or cannot be read.
    fn document(&mut self, source: &str) -> Option<Document> {
        let documents = self.documents.as_mut()?;
        let is_before = |next: &Result<Document, ArtifactError>| {
            next.as_ref()
                .is_ok_and(|document| document.source.as_str() < source)
        };
        while documents.next_if(is_before).is_some() {}
        let found = documents.next_if(|next| next.as_ref().is_ok_and(|document| document.source == source));
        found.and_then(Result::ok)
    }
}

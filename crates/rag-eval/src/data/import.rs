//! A data set's corpus as the artifact that parsing would have written, so that the stages after it run on it.

use std::collections::HashSet;
use std::path::Path;

use rag_core::artifact::{ArtifactWriter, Digest, StageKey, already_done};
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic};
use rag_core::document::{DOCUMENTS_FILE, Document};
use rag_core::stage::{self, Outcome};
use serde::{Deserialize, Serialize};

use super::acl::Permissions;
use super::corpus::{Corpus, Distractors};
use super::dataset::Dataset;
use crate::error::EvalError;

/// Raised whenever a corpus is read differently.
const STAGE_VERSION: u32 = 1;

/// What of a data set is imported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImportConfig {
    /// Whether distractors belong to the corpus. Default: left out.
    pub distractors: Distractors,
    /// Who may read the documents. Default: everybody.
    pub readers: Readers,
}

/// Who may read imported documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readers {
    /// Everybody.
    #[default]
    Everyone,
    /// Whom the data set's folder `acl` names; nobody where it names none.
    Overlay,
}

/// Writes the corpus of `dataset` as an artifact of stage `parse` at `output`; nothing is done when
/// it is there already.
pub fn import(dataset: &Dataset, config: ImportConfig, output: &Path) -> Result<Outcome, EvalError> {
    let corpus = Corpus::open(dataset.folder(), config.distractors)?;
    let permissions = match config.readers {
        Readers::Everyone => None,
        Readers::Overlay => Some(Permissions::read(dataset)?),
    };
    let key = stage_key(dataset, config, &corpus)?;
    if let Some(outcome) = already_done(output, stage::PARSE, key.digest()) {
        return Ok(outcome);
    }
    let writer = ArtifactWriter::begin(output, key)?;
    let mut documents = writer.json_lines::<Document>(DOCUMENTS_FILE)?;
    let mut outcome = Outcome::default();
    let mut ids = HashSet::new();
    for document in corpus.documents(permissions.as_ref()) {
        let document = document?;
        if !ids.insert(document.id.clone()) {
            return Err(EvalError::SameDocument {
                folder: dataset.folder().to_owned(),
                id: document.id.to_string(),
            });
        }
        documents.write(&document)?;
        outcome.seen += 1;
        outcome.written += 1;
    }
    documents.finish()?;
    writer.json_lines::<Diagnostic>(DIAGNOSTICS_FILE)?.finish()?;
    writer.publish(outcome)?;
    Ok(outcome)
}

fn stage_key(dataset: &Dataset, config: ImportConfig, corpus: &Corpus) -> Result<StageKey, EvalError> {
    let mut key = StageKey::new(stage::PARSE, STAGE_VERSION, &("import", config));
    let overlay = dataset.folder().join("acl").join("acl.jsonl");
    let uses_overlay = config.readers == Readers::Overlay;
    for path in corpus.files().iter().chain(uses_overlay.then_some(&overlay)) {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        key = key.input(&name, &Digest::of_file(path)?.blake3);
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rag_core::artifact::Artifact;

    #[test]
    fn two_documents_of_one_id_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let rows = "{\"_id\":\"1\",\"text\":\"One.\"}\n{\"_id\":\"1\",\"text\":\"Two.\"}\n";
        fs_err::write(folder.path().join("corpus.jsonl"), rows).unwrap();
        fs_err::write(folder.path().join("queries.jsonl"), "").unwrap();
        let dataset = Dataset::open(folder.path()).unwrap();
        let output = folder.path().join("documents");
        let error = import(&dataset, ImportConfig::default(), &output).unwrap_err();
        assert!(error.to_string().contains("the id `1`"), "{error}");
    }

    #[test]
    fn a_corpus_is_imported_once_and_again_when_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let corpus = folder.path().join("corpus.jsonl");
        fs_err::write(&corpus, r#"{"_id":"1","title":"T","text":"One."}"#).unwrap();
        fs_err::write(folder.path().join("queries.jsonl"), "").unwrap();
        let dataset = Dataset::open(folder.path()).unwrap();
        let output = folder.path().join("documents");
        let counts = || {
            let outcome = import(&dataset, ImportConfig::default(), &output).unwrap();
            (outcome.seen, outcome.reused, outcome.written)
        };
        assert_eq!(counts(), (1, 0, 1));
        assert_eq!(counts(), (1, 1, 0));
        fs_err::write(&corpus, r#"{"_id":"1","title":"T","text":"Two."}"#).unwrap();
        assert_eq!(counts(), (1, 0, 1));
        let artifact = Artifact::open(&output, stage::PARSE).unwrap();
        let documents: Vec<Document> = artifact
            .json_lines(DOCUMENTS_FILE)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(documents[0].text, "Two.");
    }
}

//! `rag.toml`: the settings of every box, read over defaults.

use std::io::Read;
use std::path::{Path, PathBuf};

use rag_models::Precision;
use rag_models::fetch::FetchConfig;
use rag_models::gguf::Sampling;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use crate::error::PipelineError;
use crate::exec::{self, ExecSettings};
use crate::models::{ANTHROPIC, NONE, OPENAI, REMOTE};
use crate::providers::{Keys, ProviderSettings};

/// A settings file this long is none.
const MAX_BYTES: u64 = 1 << 20;

/// Settings of the whole pipeline, one table per box. Unknown names are refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Which models, and where their files come from.
    pub models: ModelSettings,
    /// Files to documents.
    pub parse: rag_parse::Config,
    /// Documents to passages.
    pub chunk: rag_chunk::Config,
    /// Passages to an index generation.
    pub index: rag_index::Config,
    /// The two legs and their fusion.
    pub retrieve: rag_retrieve::Config,
    /// The order after reading question and passage together.
    pub rerank: rag_rerank::Config,
    /// Context, answer and verification.
    pub generate: rag_generate::Config,
    /// The graph of entities.
    pub graph: crate::graph::GraphSettings,
    /// Programs that stand for a box.
    pub exec: ExecSettings,
}

/// Which models are used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// The embedder: a catalogue name, a folder with its files, `tfidf`, which needs no weights, or `remote`.
    pub embedder: String,
    /// The reranker: a catalogue name, a folder, `lexical`, which needs no weights, or `none`.
    pub reranker: String,
    /// The language model that writes drafts and, if `generate.writer` says so, answers: a catalogue name, the path
    /// of a GGUF file, `anthropic`, `openai`, or `none`.
    pub language_model: String,
    /// How a local language model chooses among the words it finds likely.
    pub sampling: Sampling,
    /// How providers across the network are reached.
    pub providers: ProviderSettings,
    /// The providers' keys, from the variables that `providers` names.
    #[serde(skip)]
    pub keys: Keys,
    /// A file of drafts to search with (see `rag_retrieve::DraftLine`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drafts: Option<PathBuf>,
    /// A file of descriptions of passages (see `rag_chunk::DescriptionLine`), for `chunk.context = "described"`; the
    /// language model describes them when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub descriptions: Option<PathBuf>,
    /// Arithmetic of the models' matrix products.
    pub precision: Precision,
    /// Where the files of catalogue models come from.
    pub fetch: FetchConfig,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            embedder: "all-MiniLM-L6-v2".to_owned(),
            reranker: "ms-marco-MiniLM-L-12-v2".to_owned(),
            language_model: NONE.to_owned(),
            sampling: Sampling::default(),
            providers: ProviderSettings::default(),
            keys: Keys::default(),
            drafts: None,
            descriptions: None,
            precision: Precision::default(),
            fetch: FetchConfig::default(),
        }
    }
}

impl Settings {
    /// Reads the settings file at `path` over `base`: what the file does not name keeps base's value. Programs run in
    /// the folder of the file that names them.
    pub fn read_over(base: &Self, path: &Path) -> Result<Self, PipelineError> {
        Self::over(base, read_table(path)?, path)
    }

    /// The values of `table`, read from the file at `path`, over `base`.
    pub(crate) fn over(base: &Self, mut table: Table, path: &Path) -> Result<Self, PipelineError> {
        exec::place_programs(&mut table, path)?;
        let mut merged = Table::try_from(base).expect("settings are plain data");
        overlay(&mut merged, table);
        exec::drop_named_none(&mut merged);
        let mut settings: Self =
            merged
                .try_into()
                .map_err(|error: toml::de::Error| PipelineError::Settings {
                    path: path.to_owned(),
                    reason: error.to_string(),
                })?;
        settings
            .models
            .fetch
            .hub
            .token
            .clone_from(&base.models.fetch.hub.token);
        settings.models.keys = base.models.keys.clone();
        Ok(settings)
    }

    /// Whether candidates are reranked, by a model, lexical coverage or a program.
    pub fn has_rerank_step(&self) -> bool {
        self.models.reranker != NONE || self.exec.rerank.is_some()
    }

    /// What these settings do that only settings may which a user trusts, if they do: run programs, or send documents to
    /// a server.
    pub fn reaches_out(&self) -> Option<&'static str> {
        let models = &self.models;
        if self.exec.programs().next().is_some() {
            Some("names a program to run (exec)")
        } else if self.parse.ocr.program != rag_parse::OcrConfig::default().program {
            Some("names a program to run (parse.ocr.program)")
        } else if [ANTHROPIC, OPENAI].contains(&models.language_model.as_str()) || models.embedder == REMOTE {
            Some("sends documents to a server (models.language_model, models.embedder)")
        } else {
            None
        }
    }

    /// The settings as TOML, complete enough to be read back.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("settings are plain data")
    }
}

/// Reads the TOML file at `path`.
pub(crate) fn read_table(path: &Path) -> Result<Table, PipelineError> {
    let bad = |reason: String| PipelineError::Settings {
        path: path.to_owned(),
        reason,
    };
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path)?;
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == MAX_BYTES {
        return Err(bad("it is too long for a settings file".to_owned()));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| bad("it is not text in UTF-8".to_owned()))?;
    toml::from_str(text).map_err(|error| bad(error.to_string()))
}

/// Puts `file`'s values over `base`'s, table by table.
fn overlay(base: &mut Table, file: Table) {
    for (name, value) in file {
        match (base.get_mut(&name), value) {
            (Some(Value::Table(inner)), Value::Table(value)) => overlay(inner, value),
            (_, value) => {
                base.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, PipelineError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rag.toml");
        fs_err::write(&path, text).unwrap();
        Settings::read_over(&Settings::default(), &path)
    }

    #[test]
    fn a_file_changes_only_what_it_names() {
        let settings = read("[models]\nreranker = \"lexical\"\n").unwrap();
        let mut expected = Settings::default();
        expected.models.reranker = "lexical".to_owned();
        assert_eq!(settings, expected);
    }

    #[test]
    fn shown_settings_read_back_as_themselves() {
        assert_eq!(read(&Settings::default().to_toml()).unwrap(), Settings::default());
    }

    #[test]
    fn programs_run_in_the_folder_of_the_file_that_names_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rag.toml");
        fs_err::write(&path, "[exec]\nrerank = [\"python3\", \"mine.py\"]\n").unwrap();
        let settings = Settings::read_over(&Settings::default(), &path).unwrap();
        let program = settings.exec.rerank.clone().unwrap();
        assert_eq!(program.command, ["python3", "mine.py"]);
        assert_eq!(program.folder, Some(fs_err::canonicalize(folder.path()).unwrap()));
        assert!(settings.has_rerank_step());
        let shown: Settings = toml::from_str(&settings.to_toml()).unwrap();
        assert_eq!(shown, settings);
        fs_err::write(&path, "[exec]\nrerank = \"none\"\n").unwrap();
        let without = Settings::read_over(&settings, &path).unwrap();
        assert_eq!(without.exec.rerank, None);
    }

    #[test]
    fn an_unknown_name_is_refused_and_named() {
        let error = read("[models]\nembeder = \"x\"\n").unwrap_err().to_string();
        assert!(error.contains("embeder") && error.contains("rag.toml"), "{error}");
    }
}

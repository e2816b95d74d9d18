//! How a transformer wants its texts, for models from the catalogue and from folders.

use std::path::Path;

use rag_core::language::Language;
use serde::{Deserialize, Serialize};

use crate::catalogue::EncoderSettings;
use crate::error::ModelError;
use crate::identity::Pooling;

/// Largest accepted settings file.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// The file of a model folder that overrides what its other files say.
const OWN_FILE: &str = "settings.json";

/// Pooling, prefixes, limit and languages of a text encoder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TransformerSettings {
    /// How token vectors become one. Default: the mean.
    pub pooling: Pooling,
    /// Text put before a question. Default: none.
    pub query_prefix: String,
    /// Text put before a passage. Default: none.
    pub passage_prefix: String,
    /// Longest input in tokens, special tokens included. Default: 512, the limit of most such models.
    pub max_tokens: usize,
    /// ISO 639-1 codes of the languages served; empty means all. Default: English.
    pub languages: Vec<String>,
}

impl TransformerSettings {
    /// True when the model was made for `language`. An unknown language is served.
    pub(crate) fn serves(&self, language: Language) -> bool {
        let codes = &self.languages;
        language == Language::UNKNOWN || codes.is_empty() || codes.iter().any(|code| code == language.code())
    }
}

impl Default for TransformerSettings {
    fn default() -> Self {
        Self {
            pooling: Pooling::Mean,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            max_tokens: 512,
            languages: vec!["en".into()],
        }
    }
}

impl From<EncoderSettings> for TransformerSettings {
    fn from(entry: EncoderSettings) -> Self {
        Self {
            pooling: entry.pooling,
            query_prefix: entry.query_prefix.to_owned(),
            passage_prefix: entry.passage_prefix.to_owned(),
            max_tokens: entry.max_tokens,
            languages: entry.languages.iter().map(|&code| code.to_owned()).collect(),
        }
    }
}

/// sentence-transformers' `1_Pooling/config.json`.
#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

/// sentence-transformers' `sentence_bert_config.json`.
#[derive(Deserialize)]
struct LengthFile {
    max_seq_length: Option<usize>,
}

/// sentence-transformers' `config_sentence_transformers.json`.
#[derive(Deserialize)]
struct PromptFile {
    #[serde(default)]
    prompts: Prompts,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Prompts {
    query: String,
    #[serde(alias = "document")]
    passage: String,
}

impl TransformerSettings {
    /// Reads a folder's settings: our own `settings.json` if it is there, else the files that
    /// sentence-transformers writes, else defaults.
    pub fn of_folder(folder: &Path) -> Result<Self, ModelError> {
        if let Some(own) = read::<Self>(&folder.join(OWN_FILE))? {
            return own.checked(&folder.join(OWN_FILE));
        }
        let mut settings = Self::default();
        let path = folder.join("1_Pooling/config.json");
        if let Some(file) = read::<PoolingFile>(&path)? {
            settings.pooling = match (file.pooling_mode_mean_tokens, file.pooling_mode_cls_token) {
                (true, false) => Pooling::Mean,
                (false, true) => Pooling::Cls,
                _ => {
                    return Err(wrong(
                        &path,
                        "only pooling by mean or by first token is supported",
                    ));
                }
            };
        }
        let path = folder.join("sentence_bert_config.json");
        if let Some(length) = read::<LengthFile>(&path)?.and_then(|file| file.max_seq_length) {
            settings.max_tokens = length;
        }
        if let Some(file) = read::<PromptFile>(&folder.join("config_sentence_transformers.json"))? {
            settings.query_prefix = file.prompts.query;
            settings.passage_prefix = file.prompts.passage;
        }
        settings.checked(&path)
    }

    fn checked(self, path: &Path) -> Result<Self, ModelError> {
        if self.max_tokens < 8 {
            return Err(wrong(
                path,
                "a limit of fewer than 8 tokens leaves no room for text",
            ));
        }
        Ok(self)
    }
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>, ModelError> {
    if !path.is_file() {
        return Ok(None);
    }
    if fs_err::metadata(path)?.len() > MAX_FILE_BYTES {
        return Err(wrong(path, "more than 1 MB"));
    }
    let bytes = fs_err::read(path)?;
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| wrong(path, &error.to_string()))
}

fn wrong(path: &Path, reason: &str) -> ModelError {
    ModelError::Settings {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(files: &[(&str, &str)]) -> Result<TransformerSettings, ModelError> {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("1_Pooling")).unwrap();
        for (name, text) in files {
            fs_err::write(folder.path().join(name), text).unwrap();
        }
        TransformerSettings::of_folder(folder.path())
    }

    #[test]
    fn the_files_of_sentence_transformers_are_read() {
        let read = settings(&[
            ("1_Pooling/config.json", r#"{"pooling_mode_cls_token": true}"#),
            ("sentence_bert_config.json", r#"{"max_seq_length": 128}"#),
            (
                "config_sentence_transformers.json",
                r#"{"prompts": {"query": "ask: ", "document": "text: "}}"#,
            ),
        ])
        .unwrap();
        assert_eq!(read.pooling, Pooling::Cls);
        assert_eq!(read.max_tokens, 128);
        assert_eq!((&*read.query_prefix, &*read.passage_prefix), ("ask: ", "text: "));
    }

    #[test]
    fn our_own_file_comes_first_and_is_strict() {
        let bert = ("sentence_bert_config.json", r#"{"max_seq_length": 128}"#);
        let own = settings(&[bert, ("settings.json", r#"{"max_tokens": 64, "languages": []}"#)]).unwrap();
        assert_eq!((own.max_tokens, own.languages.len()), (64, 0));
        for text in [r#"{"max_token": 64}"#, r#"{"max_tokens": 3}"#, "nonsense"] {
            let error = settings(&[("settings.json", text)]).unwrap_err().to_string();
            assert!(error.contains("settings.json"), "{error}");
        }
    }

    #[test]
    fn unusual_pooling_is_refused() {
        let max = r#"{"pooling_mode_max_tokens": true}"#;
        assert!(settings(&[("1_Pooling/config.json", max)]).is_err());
    }
}

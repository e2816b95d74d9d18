//! From a name or a path to a language model.

use std::path::{Path, PathBuf};

use rag_core::progress::Progress;

use super::error::GgufError;
use super::model::GgufModel;
use super::sampling::Sampling;
use crate::catalogue::{self, CATALOGUE, FileKind, Role};
use crate::error::ModelError;
use crate::fetch::{self, FetchConfig, sha256_of_file};
use crate::language_model::LanguageModel;

/// Where language models come from and how they write.
#[derive(Debug, Clone)]
pub struct LanguageModelOptions {
    /// Sources of catalogue models.
    pub fetch: FetchConfig,
    /// How tokens are chosen.
    pub sampling: Sampling,
    /// Most tokens that prompt and answer may have together, where the model allows more. Memory grows with
    /// what is used of it. Default 8192.
    pub max_context_tokens: usize,
}

impl Default for LanguageModelOptions {
    fn default() -> Self {
        Self {
            fetch: FetchConfig::default(),
            sampling: Sampling::default(),
            max_context_tokens: 8192,
        }
    }
}

/// Opens a language model by catalogue name, by the path of a `.gguf` file, or by the path of a folder with one,
/// obtaining its file if need be.
///
/// Served are the families llama, qwen2, qwen3 and gemma3, as told by `general.architecture`. Vocabulary and
/// chat template are read at once, the weights at the first completion. A file given by path is read through
/// once for its digest.
pub fn open_language_model(
    name_or_path: &str,
    options: &LanguageModelOptions,
    progress: &dyn Progress,
) -> Result<Box<dyn LanguageModel>, ModelError> {
    let (name, path, digest) = find(name_or_path, options, progress)?;
    Ok(Box::new(GgufModel::open(
        name,
        path,
        &digest,
        options.sampling,
        options.max_context_tokens,
    )?))
}

/// The model's name, its file and the file's SHA-256.
fn find(
    name: &str,
    options: &LanguageModelOptions,
    progress: &dyn Progress,
) -> Result<(String, PathBuf, String), ModelError> {
    if let Some(entry) = catalogue::find(name) {
        let (true, Some(file)) = (entry.role == Role::LanguageModel, entry.file(FileKind::Weights)) else {
            return Err(ModelError::WrongRole {
                name: entry.name.to_owned(),
                found: entry.role.description(),
                wanted: Role::LanguageModel.description(),
            });
        };
        let files = fetch::fetch(entry, &options.fetch, progress)?;
        let path = files
            .path(FileKind::Weights)
            .ok_or_else(|| ModelError::MissingFile {
                folder: options.fetch.cache.clone(),
                wanted: "weights",
            })?;
        return Ok((entry.name.to_owned(), path.to_owned(), file.sha256.to_owned()));
    }
    let path = Path::new(name);
    let path = match (path.is_dir(), path.is_file()) {
        (true, _) => only_file(path)?,
        (_, true) => path.to_owned(),
        _ if path.extension().is_some_and(|ending| ending == "gguf") => {
            return Err(ModelError::NoFile {
                path: path.to_owned(),
            });
        }
        _ => return Err(unknown(name)),
    };
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let digest = sha256_of_file(&path)?;
    Ok((stem, path, digest))
}

/// The one GGUF file of a folder.
fn only_file(folder: &Path) -> Result<PathBuf, ModelError> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "gguf") && path.is_file() {
            found.push(path);
        }
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        0 => Err(ModelError::MissingFile {
            folder: folder.to_owned(),
            wanted: ".gguf file",
        }),
        several => Err(ModelError::Gguf {
            path: folder.to_owned(),
            source: Box::new(GgufError::Unsupported(format!(
                "a folder of {several} .gguf files"
            ))),
        }),
    }
}

fn unknown(name: &str) -> ModelError {
    let known = CATALOGUE.iter().filter(|entry| entry.role == Role::LanguageModel);
    ModelError::UnknownModel {
        name: name.to_owned(),
        known: known.map(|entry| entry.name).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use rag_core::progress::Silent;

    use super::*;

    fn error(name: &str) -> String {
        match open_language_model(name, &LanguageModelOptions::default(), &Silent) {
            Ok(model) => model.identity(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_is_no_language_model_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        assert!(
            error("all-MiniLM-L6-v2").contains("is an embedder"),
            "{}",
            error("all-MiniLM-L6-v2")
        );
        assert!(error("gpt-9").contains("SmolLM2-135M-Instruct"));
        assert!(error(&path("")).contains("holds no .gguf file"));
        fs_err::write(path("a.gguf"), b"GGUF\x03").unwrap();
        for name in [path("a.gguf"), path("")] {
            assert!(
                error(&name).contains("a.gguf: not a readable GGUF file"),
                "{}",
                error(&name)
            );
        }
        fs_err::write(path("b.gguf"), b"").unwrap();
        assert!(error(&path("")).contains("a folder of 2 .gguf files"));
        assert!(error(&path("b.gguf")).contains("b.gguf: "));
    }
}

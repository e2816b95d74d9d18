//! From a name or a folder to a model.

use std::path::{Path, PathBuf};

use rag_core::progress::Progress;

use crate::bert::EncoderOptions;
use crate::catalogue::{self, CATALOGUE, FileKind, ModelEntry, Role};
use crate::cross_encoder::CrossEncoder;
use crate::embedder::Embedder;
use crate::error::ModelError;
use crate::fetch::{self, FetchConfig, sha256_of_file};
use crate::identity::{ModelIdentity, Pooling, Precision};
use crate::tfidf::{TFIDF_FILE, TfIdfEmbedder};
use crate::transformer::{
    LazyEncoder, TextTokenizer, TransformerCrossEncoder, TransformerEmbedder, TransformerSettings,
};
use crate::weights::BertWeights;

/// Where models come from and how they compute.
#[derive(Debug, Clone, Default)]
pub struct ModelOptions {
    /// Sources of catalogue models.
    pub fetch: FetchConfig,
    /// Precision, threads and instruction set.
    pub encoder: EncoderOptions,
}

/// Opens an embedder by catalogue name or folder, obtaining its files if need be.
///
/// A folder holds `model.safetensors` or `model.onnx` with `tokenizer.json`, or a fitted `tfidf.json`.
/// Weights of catalogue models are read at the first embedding.
pub fn open_embedder(
    name: &str,
    options: &ModelOptions,
    progress: &dyn Progress,
) -> Result<Box<dyn Embedder>, ModelError> {
    let folder = Path::new(name);
    if folder.join(TFIDF_FILE).is_file() {
        return Ok(Box::new(TfIdfEmbedder::load(&folder.join(TFIDF_FILE))?));
    }
    let parts = open_parts(name, Role::Embedder, options, progress)?;
    Ok(Box::new(TransformerEmbedder::new(
        parts.identity,
        parts.settings,
        parts.tokenizer,
        parts.encoder,
        parts.threads,
    )))
}

/// Opens a cross-encoder by catalogue name or folder, obtaining its files if need be.
pub fn open_cross_encoder(
    name: &str,
    options: &ModelOptions,
    progress: &dyn Progress,
) -> Result<Box<dyn CrossEncoder>, ModelError> {
    let parts = open_parts(name, Role::CrossEncoder, options, progress)?;
    Ok(Box::new(TransformerCrossEncoder::new(
        parts.identity,
        parts.settings,
        parts.tokenizer,
        parts.encoder,
        parts.threads,
    )))
}

/// What transformers of every role are made of.
struct Parts {
    identity: ModelIdentity,
    settings: TransformerSettings,
    tokenizer: TextTokenizer,
    encoder: LazyEncoder,
    threads: usize,
}

fn open_parts(
    name: &str,
    role: Role,
    options: &ModelOptions,
    progress: &dyn Progress,
) -> Result<Parts, ModelError> {
    if let Some(entry) = catalogue::find(name) {
        return open_entry(entry, role, options, progress);
    }
    let folder = Path::new(name);
    if folder.is_dir() {
        return open_folder(folder, role, options.encoder);
    }
    let known = CATALOGUE.iter().filter(|entry| entry.role == role);
    Err(ModelError::UnknownModel {
        name: name.to_owned(),
        known: known.map(|entry| entry.name).collect::<Vec<_>>().join(", "),
    })
}

fn open_entry(
    entry: &'static ModelEntry,
    role: Role,
    options: &ModelOptions,
    progress: &dyn Progress,
) -> Result<Parts, ModelError> {
    let (true, Some(settings)) = (entry.role == role, entry.encoder) else {
        return Err(ModelError::WrongRole {
            name: entry.name.to_owned(),
            found: entry.role.description(),
            wanted: role.description(),
        });
    };
    let files = fetch::fetch(entry, &options.fetch, progress)?;
    let weights = files
        .path(FileKind::Weights)
        .ok_or_else(|| missing(&options.fetch.cache, "weights"))?;
    let digest = |kind| entry.file(kind).map(|file| file.sha256.to_owned());
    let weights_digest = digest(FileKind::Weights).unwrap_or_default();
    let (tokenizer, encoder) = match files.path(FileKind::Tokenizer) {
        Some(path) => (
            TextTokenizer::load(path)?,
            LazyEncoder::new(weights.to_owned(), None, options.encoder),
        ),
        None => open_whole(weights, options.encoder)?,
    };
    let dimension = if role == Role::CrossEncoder {
        1
    } else {
        settings.dimension
    };
    let settings = TransformerSettings::from(settings);
    let identity = identity(
        entry.name,
        (
            weights_digest.clone(),
            digest(FileKind::Tokenizer).unwrap_or(weights_digest),
        ),
        dimension,
        &settings,
        role,
        options.encoder.precision,
    );
    Ok(Parts {
        identity,
        settings,
        tokenizer,
        encoder,
        threads: options.encoder.threads_or_all(),
    })
}

/// Opens a file that carries weights and tokenizer; it is read at once.
fn open_whole(path: &Path, options: EncoderOptions) -> Result<(TextTokenizer, LazyEncoder), ModelError> {
    let mut weights = BertWeights::load(path, None)?;
    let failed = |reason: String| ModelError::Tokenizer {
        path: path.to_owned(),
        reason,
    };
    let tokenizer = weights
        .take_tokenizer()
        .ok_or_else(|| failed("the file carries none".into()))?;
    let tokenizer = TextTokenizer::new(tokenizer).map_err(failed)?;
    Ok((tokenizer, LazyEncoder::of(&weights, path.to_owned(), options)?))
}

fn open_folder(folder: &Path, role: Role, options: EncoderOptions) -> Result<Parts, ModelError> {
    let file = |name: &str| Some(folder.join(name)).filter(|path| path.is_file());
    let weights_path = file("model.safetensors")
        .or_else(|| file("model.onnx"))
        .ok_or_else(|| missing(folder, "model.safetensors or model.onnx"))?;
    let tokenizer_path = file("tokenizer.json").ok_or_else(|| missing(folder, "tokenizer.json"))?;
    let mut settings = TransformerSettings::of_folder(folder)?;
    let weights = BertWeights::load(&weights_path, file("config.json").as_deref())?;
    settings.max_tokens = settings.max_tokens.min(weights.config().positions);
    let is_cross_encoder = role == Role::CrossEncoder;
    if is_cross_encoder && !weights.has("classifier.weight") {
        return Err(ModelError::WrongRole {
            name: folder.display().to_string(),
            found: "a model without classification head",
            wanted: role.description(),
        });
    }
    let name = folder
        .file_name()
        .map_or_else(|| "model".into(), |name| name.to_string_lossy());
    let identity = identity(
        &name,
        (sha256_of_file(&weights_path)?, sha256_of_file(&tokenizer_path)?),
        if is_cross_encoder {
            1
        } else {
            weights.config().hidden
        },
        &settings,
        role,
        options.precision,
    );
    Ok(Parts {
        identity,
        settings,
        tokenizer: TextTokenizer::load(&tokenizer_path)?,
        encoder: LazyEncoder::of(&weights, weights_path, options)?,
        threads: options.threads_or_all(),
    })
}

fn identity(
    name: &str,
    (weights, tokenizer): (String, String),
    dimension: usize,
    settings: &TransformerSettings,
    role: Role,
    precision: Precision,
) -> ModelIdentity {
    let is_embedder = role == Role::Embedder;
    ModelIdentity {
        name: name.to_owned(),
        weights,
        tokenizer,
        dimension,
        pooling: if is_embedder {
            settings.pooling
        } else {
            Pooling::None
        },
        query_prefix: settings.query_prefix.clone(),
        passage_prefix: settings.passage_prefix.clone(),
        normalised: is_embedder,
        max_tokens: settings.max_tokens,
        precision,
    }
}

fn missing(folder: &Path, wanted: &'static str) -> ModelError {
    ModelError::MissingFile {
        folder: PathBuf::from(folder),
        wanted,
    }
}

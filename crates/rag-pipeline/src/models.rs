//! Opens the models that the settings name. Weights are read at their first use, so opening is cheap.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rag_chunk::{Describer, DescriberError, FileDescriber, TokenCounter, Undescribed};
use rag_core::artifact::{Artifact, jsonl};
use rag_core::language::Language;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::Progress;
use rag_index::Generation;
use rag_models::bert::EncoderOptions;
use rag_models::catalogue::{CATALOGUE, FileKind, OCR_DETECTOR, OCR_READER, Role};
use rag_models::fetch::{ModelFiles, locate};
use rag_models::gguf::{LanguageModelOptions, open_language_model};
use rag_models::language_model::{Prompt, Stop};
use rag_models::remote::{AnthropicModel, OpenAiModel, RemoteEmbedder};
use rag_models::tfidf::{Synonyms, TfIdfConfig, TfIdfEmbedder};
use rag_models::{
    CrossEncoder, Embedder, LanguageModel, ModelError, ModelOptions, open_cross_encoder, open_embedder,
};
use rag_parse::OcrModels;
use rag_retrieve::{Drafter, FileDrafter, ModelDrafter};

use crate::error::PipelineError;
use crate::settings::ModelSettings;

/// The embedder's setting that asks for TF-IDF, fitted on the collection.
pub const TFIDF: &str = "tfidf";
/// The reranker's setting that asks for lexical coverage.
pub const LEXICAL: &str = "lexical";
/// The reranker's setting that keeps the fused order, and the language model's that asks for none.
pub const NONE: &str = "none";
/// The embedder's setting that asks for the one of `models.providers.embeddings`.
pub const REMOTE: &str = "remote";
/// The language model's setting that asks for the one of `models.providers.anthropic`.
pub const ANTHROPIC: &str = "anthropic";
/// The language model's setting that asks for the one of `models.providers.openai`.
pub const OPENAI: &str = "openai";

/// Most tokens that a language model writes about one passage.
const MOST_DESCRIPTION_TOKENS: usize = 80;

impl ModelSettings {
    fn options(&self) -> ModelOptions {
        let encoder = EncoderOptions {
            precision: self.precision,
            ..EncoderOptions::default()
        };
        ModelOptions {
            fetch: self.fetch.clone(),
            encoder,
        }
    }

    /// Opens what counts tokens while documents are cut: the embedder itself, or for TF-IDF its analysis.
    pub(crate) fn open_counter(&self, progress: &dyn Progress) -> Result<Box<dyn Embedder>, PipelineError> {
        if self.embedder != TFIDF {
            return self.open_fixed_embedder(progress);
        }
        Ok(Box::new(TfIdfEmbedder::fit(
            [],
            Synonyms::default(),
            TfIdfConfig::default(),
        )?))
    }

    /// Opens the embedder for the passages of the chunk artifact at `chunked`; TF-IDF is fitted on them.
    pub(crate) fn open_for_ingest(
        &self,
        chunked: &Path,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Embedder>, PipelineError> {
        if self.embedder != TFIDF {
            return self.open_fixed_embedder(progress);
        }
        let texts = index_texts(chunked)?;
        Ok(Box::new(TfIdfEmbedder::fit(
            texts.iter().map(String::as_str),
            Synonyms::default(),
            TfIdfConfig::default(),
        )?))
    }

    /// Opens an embedder that is the same for every collection.
    pub(crate) fn open_fixed_embedder(
        &self,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Embedder>, PipelineError> {
        if self.embedder == REMOTE {
            let config = self.providers.embeddings.clone();
            return Ok(Box::new(RemoteEmbedder::new(
                config,
                self.keys.embeddings.clone(),
            )?));
        }
        Ok(open_embedder(&self.embedder, &self.options(), progress)?)
    }

    fn language_model_options(&self) -> LanguageModelOptions {
        LanguageModelOptions {
            fetch: self.fetch.clone(),
            sampling: self.sampling,
            ..LanguageModelOptions::default()
        }
    }

    /// Opens the language model, or `None` when the settings name none.
    pub fn open_language_model(
        &self,
        progress: &dyn Progress,
    ) -> Result<Option<Arc<dyn LanguageModel>>, PipelineError> {
        let (providers, keys) = (self.providers.clone(), self.keys.clone());
        Ok(match self.language_model.as_str() {
            NONE => None,
            ANTHROPIC => Some(Arc::new(AnthropicModel::new(
                providers.anthropic,
                keys.anthropic,
            )?)),
            OPENAI => Some(Arc::new(OpenAiModel::new(providers.openai, keys.openai)?)),
            name => Some(Arc::from(open_language_model(
                name,
                &self.language_model_options(),
                progress,
            )?)),
        })
    }

    /// Opens the embedder for questions to `generation`.
    pub(crate) fn open_for_questions(
        &self,
        generation: &Generation,
        progress: &dyn Progress,
    ) -> Result<Box<dyn Embedder>, PipelineError> {
        match generation.learned()? {
            Some(table) if self.embedder == TFIDF => Ok(Box::new(TfIdfEmbedder::load(&table)?)),
            _ => self.open_counter(progress),
        }
    }

    /// The libpdfium library, when it was fetched; PDF files are read without it otherwise.
    pub(crate) fn pdfium_library(&self) -> Result<Option<PathBuf>, PipelineError> {
        let files = self.files_of(Role::PdfEngine)?;
        Ok(files.and_then(|files| files.path(FileKind::Part).map(Path::to_owned)))
    }

    /// The networks that recognise text, when they were fetched.
    pub(crate) fn ocr_models(&self) -> Result<Option<OcrModels>, PipelineError> {
        let files = self.files_of(Role::Ocr)?;
        Ok(files.and_then(|files| {
            Some(OcrModels {
                detector: files.named(OCR_DETECTOR)?.to_owned(),
                reader: files.named(OCR_READER)?.to_owned(),
            })
        }))
    }

    /// The files of the entry with a role, when it was fetched.
    fn files_of(&self, role: Role) -> Result<Option<ModelFiles>, PipelineError> {
        let Some(entry) = CATALOGUE.iter().find(|entry| entry.role == role) else {
            return Ok(None);
        };
        Ok(locate(entry, &self.fetch).map_err(ModelError::from)?)
    }

    /// Opens who writes drafts: the file of the settings, else the language model.
    pub(crate) fn open_drafter(
        &self,
        language_model: Option<&Arc<dyn LanguageModel>>,
    ) -> Result<Option<Box<dyn Drafter>>, PipelineError> {
        Ok(match (&self.drafts, language_model) {
            (Some(path), _) => Some(Box::new(FileDrafter::open(path)?)),
            (None, Some(model)) => Some(Box::new(ModelDrafter::new(Arc::clone(model)))),
            (None, None) => None,
        })
    }

    /// Opens who describes passages: the file of the settings, else the language model.
    pub(crate) fn open_describer(
        &self,
        progress: &dyn Progress,
    ) -> Result<Option<Box<dyn Describer>>, PipelineError> {
        if let Some(path) = &self.descriptions {
            return Ok(Some(Box::new(FileDescriber::open(path)?)));
        }
        let model = self.open_language_model(progress)?;
        Ok(model.map(|model| Box::new(ModelDescriber(model)) as Box<dyn Describer>))
    }

    /// Opens the cross-encoder, or `None` when the settings name a reranker without weights.
    pub fn open_cross_encoder(
        &self,
        progress: &dyn Progress,
    ) -> Result<Option<Box<dyn CrossEncoder>>, PipelineError> {
        if self.reranker == LEXICAL || self.reranker == NONE {
            return Ok(None);
        }
        Ok(Some(open_cross_encoder(
            &self.reranker,
            &self.options(),
            progress,
        )?))
    }
}

/// Lets a language model describe passages.
struct ModelDescriber(Arc<dyn LanguageModel>);

impl Describer for ModelDescriber {
    fn name(&self) -> String {
        self.0.identity()
    }

    fn describe(&self, asked: &Undescribed<'_>) -> Result<Option<String>, DescriberError> {
        let prompt = Prompt::new(Undescribed::INSTRUCTION, asked.data(), MOST_DESCRIPTION_TOKENS);
        let completion = self.0.complete(&prompt, &mut |_| ControlFlow::Continue(()))?;
        Ok((!matches!(completion.stop, Stop::Refused(_))).then_some(completion.text))
    }
}

/// Counts tokens as an embedder does.
pub(crate) struct EmbedderTokens<'e>(pub &'e dyn Embedder);

impl TokenCounter for EmbedderTokens<'_> {
    fn serves(&self, language: Language) -> bool {
        self.0.serves(language)
    }

    fn count(&self, text: &str) -> usize {
        self.0.count_tokens(text)
    }

    fn offsets(&self, text: &str) -> Vec<(usize, usize)> {
        self.0.token_offsets(text)
    }
}

fn index_texts(chunked: &Path) -> Result<Vec<String>, PipelineError> {
    let artifact = Artifact::open(chunked, rag_chunk::STAGE)?;
    let passages: jsonl::Reader<Passage> = artifact.json_lines(PASSAGES_FILE)?;
    Ok(passages
        .map(|passage| passage.map(|p| p.index_text()))
        .collect::<Result<_, _>>()?)
}

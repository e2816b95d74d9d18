//! Who writes answers: the extractive generator, or the language model of the settings.

use std::sync::Arc;

use rag_core::progress::Progress;
use rag_generate::agent::{Agent, ModelAgent, PlannedAgent};
use rag_generate::{GenerateError, Generator, ModelGenerator, Receipt, SupportModels, Writer};
use rag_models::{Embedder, LanguageModel};

use crate::engine::PairReader;
use crate::error::PipelineError;
use crate::settings::Settings;

/// Checks `receipt` with the reranker and the embedder of the settings and returns what does not hold, see
/// [`Receipt::check`]. Scores can only be computed by the models that the receipt names.
pub fn check_receipt(
    receipt: &Receipt,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Vec<String>, PipelineError> {
    let reader = PairReader::open(&settings.models, progress)?;
    let embedder = settings.models.open_counter(progress)?;
    let models = SupportModels {
        cross_encoder: reader.cross_encoder(),
        embedder: Some(embedder.as_ref()),
    };
    let wanted = &receipt.verify.models;
    let read_by = models.cross_encoder.map(|model| model.identity().name.clone());
    let has_others =
        read_by.as_ref() != Some(&wanted.cross_encoder) || embedder.identity().name != wanted.embedder;
    if receipt.on_models().next().is_some() && has_others {
        return Ok(vec![format!(
            "its scores are those of {} and {}; name them as models.reranker and models.embedder to compute them again",
            wanted.cross_encoder, wanted.embedder
        )]);
    }
    let own = &settings.generate.verify;
    Ok(receipt.check(own, Some(models)).map_err(GenerateError::from)?)
}

/// What answers are written with.
#[derive(Clone, Copy)]
pub(crate) struct Writing<'w> {
    pub(crate) settings: &'w Settings,
    pub(crate) reader: &'w PairReader,
    pub(crate) language_model: Option<&'w dyn LanguageModel>,
    /// Counts tokens where the language model does not.
    pub(crate) count_tokens: &'w (dyn Fn(&str) -> usize + Sync),
}

/// What a [`Writing`] borrows, opened from the settings alone: for answers without an index.
pub(crate) struct Writers<'s> {
    settings: &'s Settings,
    reader: PairReader,
    counter: Box<dyn Embedder>,
    language_model: Option<Arc<dyn LanguageModel>>,
}

impl<'s> Writers<'s> {
    /// Opens the models that the settings name.
    pub(crate) fn open(settings: &'s Settings, progress: &dyn Progress) -> Result<Self, PipelineError> {
        Ok(Self {
            settings,
            reader: PairReader::open(&settings.models, progress)?,
            counter: settings.models.open_counter(progress)?,
            language_model: settings.models.open_language_model(progress)?,
        })
    }

    /// Names the tokenizer that counts.
    pub(crate) fn counter_identity(&self) -> &str {
        &self.counter.identity().tokenizer
    }

    /// Counts tokens where no language model does.
    pub(crate) fn count_tokens(&self, text: &str) -> usize {
        self.counter.count_tokens(text)
    }

    /// The models that citations are checked with.
    pub(crate) fn support_models(&self) -> SupportModels<'_> {
        SupportModels {
            cross_encoder: self.reader.cross_encoder(),
            embedder: Some(self.counter.as_ref()),
        }
    }

    /// Lends the generator of the settings, and what counts tokens for it.
    pub(crate) fn with_generator<T>(
        &self,
        act: impl FnOnce(&dyn Generator, &dyn Fn(&str) -> usize) -> T,
    ) -> Result<T, PipelineError> {
        let writing = Writing {
            settings: self.settings,
            reader: &self.reader,
            language_model: self.language_model.as_deref(),
            count_tokens: &|text| self.counter.count_tokens(text),
        };
        writing.with_generator(act)
    }
}

impl Writing<'_> {
    /// Lends the generator of the settings, and what counts tokens for it.
    pub(crate) fn with_generator<T>(
        &self,
        act: impl FnOnce(&dyn Generator, &dyn Fn(&str) -> usize) -> T,
    ) -> Result<T, PipelineError> {
        let config = &self.settings.generate;
        match config.writer {
            Writer::Extractive => Ok(act(&self.reader.generator(self.settings), self.count_tokens)),
            Writer::Model => {
                let model = self.model()?;
                let count_tokens = |text: &str| self.count(model, text);
                Ok(act(
                    &ModelGenerator::new(model, config.model.clone()),
                    &count_tokens,
                ))
            }
        }
    }

    /// Lends the agent of the settings.
    pub(crate) fn with_agent<T>(&self, act: impl FnOnce(&dyn Agent) -> T) -> Result<T, PipelineError> {
        let config = &self.settings.generate;
        let (agent, context) = (config.agent.clone(), config.context.clone());
        match config.writer {
            Writer::Extractive => {
                let generator = self.reader.generator(self.settings);
                Ok(act(&PlannedAgent::new(
                    &generator,
                    agent,
                    context,
                    self.count_tokens,
                )))
            }
            Writer::Model => {
                let model = self.model()?;
                let count_tokens = |text: &str| self.count(model, text);
                let writing = config.model.clone();
                Ok(act(&ModelAgent::new(
                    model,
                    agent,
                    writing,
                    context,
                    &count_tokens,
                )))
            }
        }
    }

    fn model(&self) -> Result<&dyn LanguageModel, PipelineError> {
        self.language_model.ok_or(PipelineError::NoLanguageModel)
    }

    fn count(&self, model: &dyn LanguageModel, text: &str) -> usize {
        model
            .count_tokens(text)
            .unwrap_or_else(|| (self.count_tokens)(text))
    }
}

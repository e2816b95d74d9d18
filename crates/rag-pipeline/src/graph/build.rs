//! Building a store's graph: who reads the passages, and remembering it for the next time.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rag_core::passage::Passage;
use rag_core::progress::Progress;
use rag_core::stage::Outcome;
use rag_graph::{
    Asked, Both, DraftFile, DraftedExtractor, Drafter, Extractor, Gazetteer, GraphError, RuleExtractor, Tools,
};
use rag_models::language_model::{LanguageModel, Prompt, Stop};
use serde::{Deserialize, Serialize};

use super::{GraphSettings, graph_path};
use crate::error::PipelineError;
use crate::settings::Settings;
use crate::state;
use crate::store::Store;

/// Most tokens that a model writes about a passage.
const MOST_TOKENS: usize = 768;

/// Who reads the passages of a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Readers {
    /// Names that are known beforehand (`entities.toml`).
    pub entities: Option<PathBuf>,
    /// Answers that a language model gave earlier.
    pub drafts: Option<PathBuf>,
    /// The language model of the settings is asked.
    pub model: bool,
}

impl Readers {
    /// Those of the settings.
    pub fn of(settings: &GraphSettings) -> Self {
        Self {
            entities: settings.entities.clone(),
            drafts: settings.drafts.clone(),
            model: settings.model,
        }
    }

    fn path(store: &Store) -> PathBuf {
        store.root().join("graph-readers.json")
    }

    fn save(&self, store: &Store) -> Result<(), PipelineError> {
        let absolute = |path: &Option<PathBuf>| -> Option<PathBuf> {
            let path = path.as_ref()?;
            Some(std::path::absolute(path).unwrap_or_else(|_| path.clone()))
        };
        let kept = Self {
            entities: absolute(&self.entities),
            drafts: absolute(&self.drafts),
            model: self.model,
        };
        state::write(&Self::path(store), &kept)
    }

    /// Those that read the passages of the store's graph the last time, else those of the settings.
    pub(crate) fn remembered(settings: &Settings, store: &Store) -> Result<Self, PipelineError> {
        let known = state::read(&Self::path(store))?;
        Ok(known.unwrap_or_else(|| Self::of(&settings.graph)))
    }

    /// Lends what reads the passages.
    pub(crate) fn with_extractor<T>(
        &self,
        settings: &Settings,
        progress: &dyn Progress,
        act: impl FnOnce(&dyn Extractor) -> Result<T, PipelineError>,
    ) -> Result<T, PipelineError> {
        let gazetteer = self.entities.as_deref().map(Gazetteer::read).transpose()?;
        let rules = RuleExtractor::new(gazetteer.unwrap_or_default());
        if let Some(drafts) = &self.drafts {
            return act(&Both(&rules, &DraftedExtractor::new(DraftFile::read(drafts)?)));
        }
        if self.model {
            let model = settings.models.open_language_model(progress)?;
            let model = model.ok_or(PipelineError::NoLanguageModelForGraph)?;
            return act(&Both(&rules, &DraftedExtractor::new(ModelDrafter(model))));
        }
        act(&rules)
    }
}

/// Brings the graph of `store` up to date with its passages, and remembers `readers` for the next ingest.
pub fn build_graph(
    settings: &Settings,
    readers: &Readers,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let _lock = store.lock()?;
    let outcome = build(settings, readers, store, progress)?;
    readers.save(store)?;
    Ok(outcome)
}

/// What a model is yet to be asked to bring the graph of `store` up to date.
pub fn graph_cost(
    settings: &Settings,
    readers: &Readers,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Asked, PipelineError> {
    readers.with_extractor(settings, progress, |extractor| {
        Ok(rag_graph::to_be_asked(
            &store.chunked(),
            &graph_path(store),
            extractor,
        )?)
    })
}

/// Brings the graph of `store` up to date with who read its passages the last time; makes it where there is none.
pub(crate) fn refresh_graph(
    settings: &Settings,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let _lock = store.lock()?;
    build(settings, &Readers::remembered(settings, store)?, store, progress)
}

/// The same for a store that is locked, if it has a graph.
pub(crate) fn update_graph(
    settings: &Settings,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Option<Outcome>, PipelineError> {
    if !graph_path(store).exists() {
        return Ok(None);
    }
    build(settings, &Readers::remembered(settings, store)?, store, progress).map(Some)
}

fn build(
    settings: &Settings,
    readers: &Readers,
    store: &Store,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let parsed = store.parsed();
    graph(
        settings,
        readers,
        &store.chunked(),
        Some(&parsed),
        &graph_path(store),
        progress,
    )
}

/// The stage alone: the graph of the chunk artifact at `input`, and of what the parse artifact at `documents`
/// says of superseded documents, at `output`.
pub fn graph(
    settings: &Settings,
    readers: &Readers,
    input: &Path,
    documents: Option<&Path>,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    readers.with_extractor(settings, progress, |extractor| {
        let tools = Tools {
            extractor,
            documents,
            progress,
        };
        Ok(rag_graph::run(input, output, &tools)?)
    })
}

/// Lets a language model draft what passages say.
struct ModelDrafter(Arc<dyn LanguageModel>);

impl Drafter for ModelDrafter {
    fn identity(&self) -> String {
        format!("{}, {MOST_TOKENS} tokens", self.0.identity())
    }

    fn draft(&self, passage: &Passage, prompt: &str) -> Result<String, GraphError> {
        let prompt = Prompt::new("", prompt, MOST_TOKENS);
        let completion = self.0.complete(&prompt, &mut |_| ControlFlow::Continue(()));
        let completion = completion.map_err(|error| GraphError::Model(Box::new(error)))?;
        match completion.stop {
            Stop::Refused(reason) => Err(GraphError::Draft {
                passage: passage.id.clone(),
                reason: format!("the model declined: {reason}"),
            }),
            Stop::Length => Err(GraphError::Draft {
                passage: passage.id.clone(),
                reason: format!("the model's answer was cut at {MOST_TOKENS} tokens"),
            }),
            _ => Ok(completion.text),
        }
    }

    fn is_asked(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use rag_core::artifact::{ArtifactWriter, StageKey};
    use rag_core::passage::PASSAGES_FILE;
    use rag_core::progress::Silent;
    use rag_models::ModelError;
    use rag_models::language_model::{Completion, TokenUsage};

    use super::*;

    /// Writes the same about every passage, or fails.
    struct Says(Option<(&'static str, Stop)>);

    impl LanguageModel for Says {
        fn identity(&self) -> String {
            "says".into()
        }

        fn complete(
            &self,
            _: &Prompt,
            _: &mut dyn FnMut(&str) -> ControlFlow<()>,
        ) -> Result<Completion, ModelError> {
            let Some((text, stop)) = self.0.clone() else {
                return Err(std::io::Error::other("no route").into());
            };
            Ok(Completion {
                text: text.into(),
                citations: Vec::new(),
                calls: Vec::new(),
                stop,
                usage: TokenUsage::default(),
            })
        }
    }

    const DRAFT: &str = r#"{"relations": [{"subject": "Osier", "predicate": "needs", "object": "Tarn", "quote": "Osier cannot do without Tarn."}]}"#;

    struct Site(tempfile::TempDir);

    impl Site {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let key = StageKey::new(rag_chunk::STAGE, 1, &());
            let writer = ArtifactWriter::begin(&folder.path().join("chunked"), key).unwrap();
            let mut passages = writer.json_lines::<Passage>(PASSAGES_FILE).unwrap();
            for text in ["Osier cannot do without Tarn.", "Weald requires Nidd."] {
                let id = format!("d{}#0", text.len()).parse().unwrap();
                passages.write(&Passage::new(id, text)).unwrap();
            }
            passages.finish().unwrap();
            let counts = Outcome {
                seen: 2,
                written: 2,
                ..Outcome::default()
            };
            writer.publish(counts).unwrap();
            Self(folder)
        }

        fn build(&self, model: Says) -> Result<Outcome, GraphError> {
            let rules = RuleExtractor::new(Gazetteer::default());
            let drafts = DraftedExtractor::new(ModelDrafter(Arc::new(model)));
            let extractor = Both(&rules, &drafts);
            let (input, output) = (self.0.path().join("chunked"), self.0.path().join("graph"));
            let asked = rag_graph::to_be_asked(&input, &output, &extractor)?;
            assert_eq!(asked.passages, 2);
            let tools = Tools {
                extractor: &extractor,
                documents: None,
                progress: &Silent,
            };
            let outcome = rag_graph::run(&input, &output, &tools)?;
            let asked = rag_graph::to_be_asked(&input, &output, &extractor)?;
            assert_eq!(asked.passages, outcome.quarantined);
            Ok(outcome)
        }

        fn facts(&self) -> String {
            fs_err::read_to_string(self.0.path().join("graph").join(rag_graph::FACTS_FILE)).unwrap()
        }
    }

    #[test]
    fn a_model_is_asked_once_and_believed_as_far_as_the_passage_bears_it_out() {
        let site = Site::new();
        let outcome = site.build(Says(Some((DRAFT, Stop::End)))).unwrap();
        assert_eq!(outcome.quarantined, 0);
        assert_eq!(site.facts().matches("\"needs\"").count(), 1);
    }

    #[test]
    fn a_draft_that_cannot_be_used_costs_a_passage_only_what_the_model_would_have_said() {
        for unusable in [
            (DRAFT, Stop::Length),
            ("no", Stop::Refused("policy".into())),
            ("I would rather not.", Stop::End),
        ] {
            let site = Site::new();
            assert_eq!(site.build(Says(Some(unusable))).unwrap().quarantined, 2);
            assert!(site.facts().contains("\"requires\""), "{}", site.facts());
        }
    }

    #[test]
    fn a_model_that_fails_ends_the_run_and_leaves_the_earlier_graph() {
        let site = Site::new();
        let error = site.build(Says(None)).unwrap_err();
        assert!(error.to_string().contains("graph build"), "{error}");
        assert!(!site.0.path().join("graph").exists());
    }
}

//! The query row: a question to ranked passages, and on to an answer with verified citations.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rag_core::answer::Answer;
use rag_core::hit::Ranking;
use rag_core::progress::Progress;
use rag_core::question::Question;
use rag_generate::agent::{Agent, SearchRequest};
use rag_generate::{ExtractiveGenerator, GenerateError, Generator, Receipt, SupportModels, assemble};
use rag_index::Generation;
use rag_models::{CrossEncoder, Embedder, LanguageModel};
use rag_rerank::{CrossEncoderReranker, LexicalCoverageReranker, Reranker, Rule};
use rag_retrieve::{Drafter, Parent, Retriever, standalone_parts};

use crate::error::PipelineError;
use crate::graph::{GraphSearch, RoutedGraph};
use crate::models::NONE;
use crate::settings::{ModelSettings, Settings};
use crate::store::Store;
use crate::way::Way;
use crate::writer::Writing;

/// What reads question and passage together: the model of the settings, lexical coverage, or nothing.
pub struct PairReader {
    cross_encoder: Option<Box<dyn CrossEncoder>>,
    reranks: bool,
}

impl PairReader {
    /// Opens the reranker of the settings.
    pub fn open(settings: &ModelSettings, progress: &dyn Progress) -> Result<Self, PipelineError> {
        Ok(Self {
            cross_encoder: settings.open_cross_encoder(progress)?,
            reranks: settings.reranker != NONE,
        })
    }

    /// The model, unless the settings name a reranker without weights.
    pub fn cross_encoder(&self) -> Option<&dyn CrossEncoder> {
        self.cross_encoder.as_deref()
    }

    /// The extractive generator of the settings.
    pub fn generator(&self, settings: &Settings) -> ExtractiveGenerator<'_> {
        ExtractiveGenerator::new(self.cross_encoder(), settings.generate.extract.clone())
    }

    /// Lends the reranker: the model, or lexical coverage. Settings that name none are an error.
    pub fn with_reranker<T>(&self, act: impl FnOnce(&dyn Reranker) -> T) -> Result<T, PipelineError> {
        match self.cross_encoder() {
            Some(cross_encoder) => Ok(act(&CrossEncoderReranker::new(cross_encoder))),
            None if self.reranks => Ok(act(&LexicalCoverageReranker::default())),
            None => Err(PipelineError::NoReranker),
        }
    }
}

/// An opened generation with the models that questions need. It stays on its generation.
pub struct Engine {
    settings: Settings,
    generation: Generation,
    embedder: Arc<dyn Embedder>,
    language_model: Option<Arc<dyn LanguageModel>>,
    drafter: Option<Arc<dyn Drafter>>,
    reader: Arc<PairReader>,
    /// Walked for questions of sorts that gain from it.
    graph: Option<Arc<RoutedGraph>>,
}

impl Engine {
    /// Opens the store's current generation and the models of the settings.
    pub fn open(store: &Store, settings: &Settings, progress: &dyn Progress) -> Result<Self, PipelineError> {
        let current = store.current()?.ok_or_else(|| PipelineError::NoGeneration {
            path: store.root().to_owned(),
        })?;
        let graph = RoutedGraph::open(settings, store, progress)?;
        Ok(Self {
            graph: graph.map(Arc::new),
            ..Self::open_generation(&current, settings, progress)?
        })
    }

    /// Opens the generation in the folder `path` and the models of the settings.
    pub fn open_generation(
        path: &Path,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> Result<Self, PipelineError> {
        if settings.exec.serves_questions() {
            progress.note(
                "programs of [exec] serve the stages, `run` and `experiment`; single questions go through the boxes inside",
            );
        }
        let generation = Generation::open(path, &settings.index.search)?;
        let embedder = settings.models.open_for_questions(&generation, progress)?;
        generation.check_model(embedder.identity())?;
        let reader = PairReader::open(&settings.models, progress)?;
        let language_model = settings.models.open_language_model(progress)?;
        let drafter = settings.models.open_drafter(language_model.as_ref())?;
        Ok(Self {
            settings: settings.clone(),
            generation,
            embedder: Arc::from(embedder),
            language_model,
            drafter: drafter.map(Arc::from),
            reader: Arc::new(reader),
            graph: None,
        })
    }

    /// The same engine over the generation in the folder `path`: it shares the models, but for an embedder that
    /// learned from the passages, which is the generation's own.
    pub(crate) fn over(&self, path: &Path, progress: &dyn Progress) -> Result<Self, PipelineError> {
        let generation = Generation::open(path, &self.settings.index.search)?;
        let embedder = match generation.learned()? {
            Some(_) => Arc::from(self.settings.models.open_for_questions(&generation, progress)?),
            None => Arc::clone(&self.embedder),
        };
        generation.check_model(embedder.identity())?;
        Ok(Self {
            settings: self.settings.clone(),
            generation,
            embedder,
            language_model: self.language_model.clone(),
            drafter: self.drafter.clone(),
            reader: Arc::clone(&self.reader),
            graph: None,
        })
    }

    /// What reads question and passage together.
    pub(crate) fn reader(&self) -> &PairReader {
        &self.reader
    }

    /// The generation.
    pub fn generation(&self) -> &Generation {
        &self.generation
    }

    /// The embedder of questions.
    pub fn embedder(&self) -> &dyn Embedder {
        self.embedder.as_ref()
    }

    /// Who writes the drafts that the settings want.
    pub fn drafter(&self) -> Option<&dyn Drafter> {
        self.drafter.as_deref()
    }

    /// The way of ranking that the settings name.
    pub fn way(&self) -> Way {
        Way {
            mode: self.settings.retrieve.mode,
            reranked: self.reranks(),
        }
    }

    /// The `hits` best passages for `question` that its asker may read, found by the legs, and by a walk along the
    /// store's graph where questions of that sort were measured to gain from it.
    pub fn rank(&self, question: &Question, way: Way, hits: usize) -> Result<Ranking, PipelineError> {
        let most = self.settings.retrieve.max_sub_questions;
        let routed = self.graph.as_deref();
        let Some(graph) = routed.and_then(|routed| routed.helps(&standalone_parts(question, most))) else {
            return self.rank_by_legs(question, way, hits);
        };
        let mut ranking = GraphSearch::new(self, graph, &self.settings).rank(question, way, hits)?;
        ranking
            .notes
            .push("walked along the graph: questions of this sort gain from it".to_owned());
        Ok(ranking)
    }

    /// The same by the legs alone.
    pub(crate) fn rank_by_legs(
        &self,
        question: &Question,
        way: Way,
        hits: usize,
    ) -> Result<Ranking, PipelineError> {
        let own = &self.settings.retrieve;
        let retrieve = rag_retrieve::Config {
            mode: way.mode,
            hits: own.hits.max(hits),
            candidates_per_leg: own.candidates_per_leg.max(hits),
            ..own.clone()
        };
        let mut ranking = self.retriever(&retrieve)?.search(question)?;
        if way.reranked {
            ranking = self.rerank(ranking, hits)?;
        }
        ranking.hits.truncate(hits);
        Ok(ranking)
    }

    /// All that the legs bring for `question`, fused, none dropped: what the hits of a search are chosen from.
    pub fn candidates(&self, question: &Question) -> Result<Ranking, PipelineError> {
        self.first_candidates(question, rag_retrieve::MOST)
    }

    /// The first `most` of what the legs bring for `question`, fused. A question of several parts may bring more than
    /// two legs' worth.
    pub(crate) fn first_candidates(
        &self,
        question: &Question,
        most: usize,
    ) -> Result<Ranking, PipelineError> {
        let config = rag_retrieve::Config {
            hits: most.min(rag_retrieve::MOST),
            collapse_at: 2.0,
            ..self.settings.retrieve.clone()
        };
        Ok(self.retriever(&config)?.search(question)?)
    }

    /// Whether the settings let a reranker read.
    pub fn reranks(&self) -> bool {
        self.settings.models.reranker != NONE && self.settings.rerank.combine != Rule::Fused
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The sections or documents behind the hits of `ranking`.
    pub fn parents(&self, ranking: &Ranking) -> Result<Vec<Parent>, PipelineError> {
        Ok(self.retriever(&self.settings.retrieve)?.parents(ranking)?)
    }

    fn retriever<'e>(&'e self, config: &'e rag_retrieve::Config) -> Result<Retriever<'e>, PipelineError> {
        let retriever = Retriever::new(&self.generation, self.embedder(), config)?;
        Ok(retriever.with_drafter(self.drafter()))
    }

    /// The hits of `ranking` with what the settings hand over around each.
    pub fn expand(&self, ranking: Ranking) -> Result<Ranking, PipelineError> {
        Ok(self.retriever(&self.settings.retrieve)?.expand(ranking)?)
    }

    /// Answers `question` from the passages that its asker may read, ranked in the way given, or declines.
    pub fn ask(&self, question: &Question, way: Way) -> Result<Answer, PipelineError> {
        let started = Instant::now();
        let ranking = self.rank(question, way, self.settings.rerank.keep)?;
        let ranking = self.expand(ranking)?;
        let mut answer = self.answer(&ranking)?;
        answer.question = question.clone();
        answer
            .timings_ms
            .insert("total".to_owned(), started.elapsed().as_secs_f64() * 1e3);
        Ok(answer)
    }

    /// Reranks `ranking` and keeps `keep` passages.
    pub fn rerank(&self, ranking: Ranking, keep: usize) -> Result<Ranking, PipelineError> {
        let config = rag_rerank::Config {
            keep,
            ..self.settings.rerank.clone()
        };
        let rerank = |reranker: &dyn Reranker| rag_rerank::rerank(ranking, reranker, &config);
        Ok(self.reader.with_reranker(rerank)??)
    }

    /// Searches for `question` step by step, and answers it, or declines: the asker's groups and filter hold in
    /// every search.
    pub fn research(&self, question: &Question, way: Way) -> Result<Answer, PipelineError> {
        let started = Instant::now();
        let config = &self.settings.generate;
        let asked = self.retriever(&self.settings.retrieve)?.understood(question)?;
        let mut search = |request: &SearchRequest| {
            let ranking = self.search_step(question, request, way);
            ranking.map_err(|error| GenerateError::Search(Box::new(error)))
        };
        let count_tokens = |text: &str| self.embedder.count_tokens(text);
        let models = self.support_models();
        let research = |agent: &dyn Agent| rag_generate::research(&asked, agent, &mut search, models, config);
        let mut answer = self.writing(&count_tokens).with_agent(research)??;
        answer.question = question.clone();
        answer
            .timings_ms
            .insert("total".to_owned(), started.elapsed().as_secs_f64() * 1e3);
        Ok(answer)
    }

    /// One search of an agent, as the asker of `question` and never wider than their filter.
    fn search_step(
        &self,
        question: &Question,
        request: &SearchRequest,
        way: Way,
    ) -> Result<Ranking, PipelineError> {
        let mut step = Question::new(&question.id, &request.query, question.principal.clone());
        step.filter = question.filter.clone();
        step.filter.updated_after = step.filter.updated_after.max(request.updated_after);
        self.rank(&step, way, self.settings.generate.agent.hits_per_search)
    }

    /// Answers from the passages of `ranking`.
    pub fn answer(&self, ranking: &Ranking) -> Result<Answer, PipelineError> {
        let config = &self.settings.generate;
        let count_tokens = |text: &str| self.embedder.count_tokens(text);
        let write = |generator: &dyn Generator, count_tokens: &dyn Fn(&str) -> usize| {
            rag_generate::generate(ranking, generator, self.support_models(), config, count_tokens)
        };
        Ok(self.writing(&count_tokens).with_generator(write)??)
    }

    /// The context of `answer` as a language model reads it.
    pub fn prompt(&self, answer: &Answer) -> String {
        let count_tokens = |text: &str| self.embedder.count_tokens(text);
        let config = &self.settings.generate.context;
        assemble(&answer.question.text, &answer.passages, config, &count_tokens).text
    }

    /// The receipt of `answer`.
    pub fn receipt(&self, answer: &Answer) -> Receipt {
        Receipt::of(answer, &self.settings.generate.verify)
    }

    /// The models that citations are checked with.
    fn support_models(&self) -> SupportModels<'_> {
        SupportModels {
            cross_encoder: self.reader.cross_encoder(),
            embedder: Some(self.embedder()),
        }
    }

    fn writing<'w>(&'w self, count_tokens: &'w (dyn Fn(&str) -> usize + Sync)) -> Writing<'w> {
        Writing {
            settings: &self.settings,
            reader: &self.reader,
            language_model: self.language_model.as_deref(),
            count_tokens,
        }
    }
}

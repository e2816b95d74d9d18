//! The stage as a batch: a file of questions in, their rankings out, with a TREC run file.

use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactError, ArtifactWriter, Digest, StageKey, already_done, jsonl};
use rag_core::hit::{HITS_FILE, RUN_FILE, Ranking};
use rag_core::progress::{Progress, Unit};
use rag_core::question::Question;
use rag_core::stage::{self, Outcome};
use rag_index::Generation;
use rag_models::Embedder;

use crate::config::Config;
use crate::drafts::Drafter;
use crate::error::RetrieveError;
use crate::retriever::Retriever;

/// The stage's name.
pub const STAGE: &str = stage::RETRIEVE;

/// Raised whenever this crate ranks differently.
pub const STAGE_VERSION: u32 = 4;

/// What is lent to [`run`].
pub struct Tools<'t> {
    /// The generation that is searched.
    pub generation: &'t Generation,
    /// Embeds the questions; the model that the generation was built with.
    pub embedder: &'t dyn Embedder,
    /// Writes what the settings want drafted.
    pub drafter: Option<&'t dyn Drafter>,
    /// Told how far the run is.
    pub progress: &'t dyn Progress,
}

/// Searches for every question of the JSON-lines file `questions` and writes the artifact at `output`.
///
/// When `output` already holds the result of the same questions, generation and settings, nothing is done.
pub fn run(
    config: &Config,
    questions: &Path,
    output: &Path,
    tools: &Tools<'_>,
) -> Result<Outcome, RetrieveError> {
    let retriever = Retriever::new(tools.generation, tools.embedder, config)?.with_drafter(tools.drafter);
    let digest = Digest::of_file(questions).map_err(ArtifactError::from)?;
    let drafter = tools.drafter.filter(|_| config.needs_drafts()).map(Drafter::name);
    let settings = (config, tools.generation.search_config());
    let key = StageKey::new(STAGE, STAGE_VERSION, &settings)
        .input("questions", &digest.blake3)
        .input("generation", &tools.generation.key())
        .model("embedder", &tools.embedder.identity().key())
        .model("drafter", &drafter.unwrap_or_default());
    if let Some(outcome) = already_done(output, STAGE, key.digest()) {
        tools.progress.note("retrieve: nothing changed, kept the hits");
        return Ok(outcome);
    }
    let questions: Vec<Question> = jsonl::read_all(questions)?;
    let writer = ArtifactWriter::begin(output, key)?;
    let mut hits = writer.json_lines::<Ranking>(HITS_FILE)?;
    let mut trec = String::new();
    tools
        .progress
        .start(STAGE, Some(questions.len() as u64), Unit::Items);
    for question in &questions {
        let ranking = retriever.search(question)?;
        hits.write(&ranking)?;
        ranking.write_trec(config.mode.name(), &mut trec);
        tools.progress.advance(STAGE, 1);
    }
    tools.progress.finish(STAGE);
    hits.finish()?;
    fs_err::write(writer.path(RUN_FILE), trec).map_err(ArtifactError::from)?;
    let count = questions.len() as u64;
    let outcome = Outcome {
        seen: count,
        written: count,
        ..Outcome::default()
    };
    writer.publish(outcome)?;
    Ok(outcome)
}

/// Hands over what the settings want around each hit of the artifact at `input` (stage `rerank` or `retrieve`) into the
/// artifact at `output` (stage `expand`).
///
/// When `output` already holds the result of the same rankings, generation and settings, nothing is done.
pub fn expand_run(
    config: &Config,
    input: &Path,
    output: &Path,
    tools: &Tools<'_>,
) -> Result<Outcome, RetrieveError> {
    let retriever = Retriever::new(tools.generation, tools.embedder, config)?;
    let rankings = open_rankings(input)?;
    let key = StageKey::new(stage::EXPAND, STAGE_VERSION, config)
        .input("hits", &rankings.manifest().key)
        .input("generation", &tools.generation.key());
    if let Some(outcome) = already_done(output, stage::EXPAND, key.digest()) {
        tools.progress.note("expand: nothing changed, kept the hits");
        return Ok(outcome);
    }
    let writer = ArtifactWriter::begin(output, key)?;
    let mut hits = writer.json_lines::<Ranking>(HITS_FILE)?;
    let mut outcome = Outcome::default();
    for ranking in rankings.json_lines::<Ranking>(HITS_FILE)? {
        hits.write(&retriever.expand(ranking?)?)?;
        outcome.seen += 1;
        outcome.written += 1;
    }
    hits.finish()?;
    writer.publish(outcome)?;
    Ok(outcome)
}

fn open_rankings(input: &Path) -> Result<Artifact, ArtifactError> {
    match Artifact::open(input, stage::RERANK) {
        Err(ArtifactError::WrongStage { found, .. }) if found == STAGE => Artifact::open(input, STAGE),
        opened => opened,
    }
}

//! What can go wrong in a composed run. Every message names the thing and the next step.

use std::path::PathBuf;

use rag_core::artifact::ArtifactError;
use rag_models::ModelError;

/// Why an ingest, a question or an evaluation failed.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// An answer by a language model is asked for and the settings name none.
    #[error(
        "generate.writer is `model` and models.language_model names none; name a model, or choose `extractive`"
    )]
    NoLanguageModel,
    /// A language model is to read passages for the graph and the settings name none.
    #[error("graph.model is set and models.language_model names no model; name one, or give drafts")]
    NoLanguageModelForGraph,
    /// There is no store at the path.
    #[error("there is no store at {path}; make one with `ingest DIR --store {path}`")]
    NoStore {
        /// The path given.
        path: PathBuf,
    },
    /// The store exists but nothing was ever indexed.
    #[error("the store at {path} holds no finished index; run `ingest` again to finish it")]
    NoGeneration {
        /// The store.
        path: PathBuf,
    },
    /// The folder has files in it that are not a store's.
    #[error("{path} holds other files and is not a store; choose a new or empty folder")]
    NotAStore {
        /// The folder.
        path: PathBuf,
    },
    /// The store has another layout than this version reads.
    #[error("{path}: store layout {found}, this version reads {expected}; ingest into a new store")]
    StoreLayout {
        /// The description file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// A file of the store makes no sense.
    #[error("{path} is damaged: {reason}; ingest into a new store")]
    DamagedStore {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The store was made from another folder.
    #[error(
        "the store at {store} was made from {known}; ingesting {given} would remove its documents: use another store"
    )]
    OtherSource {
        /// The store.
        store: PathBuf,
        /// The folder it was made from.
        known: PathBuf,
        /// The folder given now.
        given: PathBuf,
    },
    /// The documents folder is empty although the store has documents.
    #[error(
        "{source_folder} is empty, and ingesting it would remove all {documents} documents of {store}: is it mounted? To start anew, remove the store"
    )]
    Emptied {
        /// The folder of documents.
        source_folder: PathBuf,
        /// The store.
        store: PathBuf,
        /// How many documents the store has.
        documents: u64,
    },
    /// Documents that name no groups would become readable for more people than before.
    #[error(
        "documents of {store} that name no groups were readable for {held} and would become readable for {asked}: set parse.default_access as before (was a settings file forgotten?), or ingest into a new store"
    )]
    WiderAccess {
        /// The store.
        store: PathBuf,
        /// Who may read such documents.
        held: String,
        /// Who could.
        asked: String,
    },
    /// The document is not in the store.
    #[error("the store has no document `{id}`")]
    NoDocument {
        /// The id given.
        id: String,
    },
    /// The document was not deleted.
    #[error("no document `{id}` was deleted from the store")]
    NotDeleted {
        /// The id given.
        id: String,
    },
    /// Reranking was asked for although the settings name no reranker.
    #[error("the settings name no reranker: set models.reranker, or leave reranking out")]
    NoReranker,
    /// The check of citations is measured with a cross-encoder, which the settings do not name.
    #[error(
        "the settings name no cross-encoder: set models.reranker to one, `models list` shows which there are"
    )]
    NoCrossEncoder,
    /// There is no run at the path.
    #[error(
        "there is no finished run at {path}; make one with `run --out {path}`, or with `experiment run` where an experiment made it"
    )]
    NoRun {
        /// The path given.
        path: PathBuf,
    },
    /// The folder has files in it that are not a run's.
    #[error("{path} holds other files and is not a run; choose a new or empty folder")]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// What an answer cites is not in the store any more, or not readable for its asker.
    #[error("the store has no {what} that the asker may read; was it changed since the answer?")]
    Gone {
        /// What is gone.
        what: String,
    },
    /// A run does not measure this.
    #[error("the run has no metric `{name}`; it has: {known}")]
    NoMetric {
        /// The name given.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Two runs have no question in common.
    #[error(
        "the runs have no question in common ({before} and {after} questions); make both with the same file"
    )]
    NoSharedQuestion {
        /// Questions of the one.
        before: usize,
        /// Questions of the other.
        after: usize,
    },
    /// The embedder was made for none of the questions' languages.
    #[error(
        "the embedder was made for none of the {questions} questions; give questions in a language that it serves"
    )]
    NoServedQuestion {
        /// Number of questions.
        questions: usize,
    },
    /// The folder has files in it that are not a report's.
    #[error("{path} holds other files and is not a report; choose a new or empty folder")]
    NotAReport {
        /// The folder.
        path: PathBuf,
    },
    /// The folder lies in a store or in an artifact.
    #[error("{path} lies in {above}, which belongs to a store or a stage; choose a folder elsewhere")]
    InsideOther {
        /// The folder.
        path: PathBuf,
        /// The folder of the store or the artifact.
        above: PathBuf,
    },
    /// Two questions have the same id, so that no answer could be told from the other's.
    #[error("two questions have the id `{id}`; give each one of its own")]
    SameId {
        /// The id.
        id: String,
    },
    /// Settings that a run brings with it would run programs or send documents away.
    #[error("the run's rag.lock {what}; give --trust if you trust whoever made it")]
    Untrusted {
        /// What they do.
        what: &'static str,
    },
    /// The runs asked different questions.
    #[error("the runs asked different questions, or their labels differ; make both with the same file")]
    OtherQuestions,
    /// What a run was made from, or made, is not what it was.
    #[error("{path}: the {stage} changed since the run; make the run again")]
    Changed {
        /// The artifact's folder.
        path: PathBuf,
        /// Its stage.
        stage: String,
    },
    /// What a run was made from is not where it was.
    #[error(
        "there is no {stage} at {path} any more, which the run was made from; put it back, or make the run again"
    )]
    ArtifactGone {
        /// Where it was.
        path: PathBuf,
        /// What it was.
        stage: String,
    },
    /// An experiment's collection has nothing to search.
    #[error(
        "no passage was made of the documents, so nothing can be found; see what the steps above left out"
    )]
    NoPassages,
    /// A program of `exec` failed, or what it wrote cannot be used.
    #[error("exec.{stage}: `{program}` {reason}")]
    Program {
        /// The stage that it stands for.
        stage: &'static str,
        /// The program, as the settings name it.
        program: String,
        /// What it did, and what to do about it.
        reason: String,
    },
    /// An experiment's folder holds other things.
    #[error("{path} holds other files and no experiments; choose a new or empty folder with --work")]
    NotAWorkshop {
        /// The folder.
        path: PathBuf,
    },
    /// A folder for work has other things in it.
    #[error("{path} holds other files and is no work folder; choose a new or empty folder with --work")]
    NotAWorkFolder {
        /// The folder.
        path: PathBuf,
    },
    /// An audit had nothing to measure.
    #[error("nothing was measured: of {passages} passages, no filter as narrow as these leaves any to find")]
    NothingMeasured {
        /// Number of passages.
        passages: usize,
    },
    /// A run used another model than there is now.
    #[error(
        "the run used another {role} than there is now ({locked}, now {found}): repeat it with the models it used"
    )]
    OtherModel {
        /// The stage, and what the model does there.
        role: String,
        /// The identity that the lock names.
        locked: String,
        /// The present one.
        found: String,
    },
    /// A settings file cannot be used.
    #[error("{path}: {reason}")]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// An artifact could not be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// A model could not be obtained or failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Parsing failed as a whole; single documents are quarantined instead.
    #[error(transparent)]
    Parse(#[from] rag_parse::ParseError),
    /// Chunking failed.
    #[error(transparent)]
    Chunk(#[from] rag_chunk::ChunkError),
    /// The index could not be built, opened or searched.
    #[error(transparent)]
    Index(#[from] rag_index::IndexError),
    /// Retrieval failed.
    #[error(transparent)]
    Retrieve(#[from] rag_retrieve::RetrieveError),
    /// Reranking failed.
    #[error(transparent)]
    Rerank(#[from] rag_rerank::RerankError),
    /// Generating failed.
    #[error(transparent)]
    Generate(#[from] rag_generate::GenerateError),
    /// An evaluation's data could not be used.
    #[error(transparent)]
    Eval(#[from] rag_eval::EvalError),
    /// The graph could not be built, opened or searched.
    #[error(transparent)]
    Graph(#[from] rag_graph::GraphError),
    /// The operating system refused. The message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

//! An open generation: the two legs and the passages, behind the allowed set.

use std::path::{Path, PathBuf};

use rag_core::access::Principal;
use rag_core::artifact::{Artifact, ArtifactKey};
use rag_core::filter::Filter;
use rag_core::id::DocumentId;
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_models::ModelIdentity;

use crate::allowed::{AllowedSet, Basis};
use crate::batch::{EMBEDDER_ROLE, STAGE};
use crate::config::{SearchConfig, Statistics};
use crate::dense::Dense;
use crate::error::{IndexError, OtherModel};
use crate::filters::{FILTERS_FILE, FILTERS_KIND, Filters};
use crate::graph::{GRAPH_FILE, Graph};
use crate::lexical::{LEXICAL_FOLDER, Lexical};
use crate::passages::{self, PASSAGES_FILE};
use crate::top::Candidate;
use crate::vectors::{VECTORS_FILE, Vectors};

/// What the embedder learned from the passages, when it learns.
pub(crate) const LEARNED_FILE: &str = "embedder.json";

/// A published generation, opened for searching. It stays on its files however many are published after it.
///
/// Passages are named by their ordinal: their place in the order of their ids. A search for which two
/// passages score the same puts the smaller id first.
pub struct Generation {
    artifact: Artifact,
    pub(crate) filters: Filters,
    languages: Vec<Language>,
    pub(crate) passages: passages::Reader,
    lexical: Lexical,
    pub(crate) dense: Dense,
    search: SearchConfig,
}

impl Generation {
    /// Opens the generation in the folder `path`.
    ///
    /// Checks the layout, every file's size and the digest of files up to 32 MiB; [`Generation::verify`]
    /// checks all. Passages, vectors and graph are mapped, not read.
    pub fn open(path: &Path, config: &SearchConfig) -> Result<Self, IndexError> {
        config.check()?;
        let artifact = Artifact::open(path, STAGE)?;
        let outputs = &artifact.manifest().outputs;
        for name in outputs.keys() {
            artifact.file(name)?;
        }
        let has_graph = outputs.contains_key(GRAPH_FILE);
        let filters: Filters = artifact.framed(FILTERS_FILE, FILTERS_KIND)?;
        let passages = passages::Reader::open(&path.join(PASSAGES_FILE))?;
        let vectors = Vectors::open(&path.join(VECTORS_FILE))?;
        let count = passages.len();
        if filters.len() as usize != count || vectors.len() != count {
            return Err(IndexError::damaged(
                path,
                "its files are about different numbers of passages",
            ));
        }
        let recorded = artifact.manifest().made_from.models.get(EMBEDDER_ROLE);
        if recorded != Some(&vectors.identity().key().to_string()) {
            return Err(IndexError::damaged(
                path,
                "its vectors are of another model than its manifest says",
            ));
        }
        let graph = has_graph.then(|| Graph::open(&path.join(GRAPH_FILE), count));
        Ok(Self {
            lexical: Lexical::open(&path.join(LEXICAL_FOLDER), count, config)?,
            languages: filters.languages().collect(),
            dense: Dense::new(vectors, graph.transpose()?, config),
            search: config.clone(),
            artifact,
            filters,
            passages,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.artifact.path()
    }

    /// The key of the generation: the same for the same passages, settings and model.
    pub fn key(&self) -> ArtifactKey {
        self.artifact.manifest().key
    }

    /// The settings that it is searched with.
    pub fn search_config(&self) -> &SearchConfig {
        &self.search
    }

    /// Number of passages, whoever may read them.
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    /// True when it holds no passage.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The languages of its passages, in the order of their codes.
    pub fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// The model that its vectors were made with.
    pub fn model(&self) -> &ModelIdentity {
        self.dense.identity()
    }

    /// The file of what the model learned from these passages; `None` when it is the same for every collection.
    pub fn learned(&self) -> Result<Option<PathBuf>, IndexError> {
        let is_kept = self.artifact.manifest().outputs.contains_key(LEARNED_FILE);
        Ok(is_kept.then(|| self.artifact.file(LEARNED_FILE)).transpose()?)
    }

    /// Refuses a model whose vectors cannot be compared with the generation's.
    pub fn check_model(&self, asked: &ModelIdentity) -> Result<(), IndexError> {
        let built = self.model();
        if built.key() == asked.key() {
            return Ok(());
        }
        Err(IndexError::OtherModel(Box::new(OtherModel {
            path: self.path().to_owned(),
            built: label(built),
            asked: label(asked),
            difference: difference(built, asked),
        })))
    }

    /// The passages that `principal` may read and `filter` keeps: what every search and read needs.
    pub fn allowed(&self, principal: &Principal, filter: &Filter) -> AllowedSet {
        AllowedSet::new(self.key(), self.filters.evaluate(principal, filter))
    }

    /// As [`Generation::allowed`]; `statistics` decides what the scores of a search with the set are relative to.
    pub fn allowed_with(&self, principal: &Principal, filter: &Filter, statistics: Statistics) -> AllowedSet {
        let allowed = self.allowed(principal, filter);
        match statistics {
            Statistics::All => allowed,
            Statistics::Readable => {
                let ordinals = self.filters.readable(principal);
                let languages = self.filters.languages_of(&ordinals);
                allowed.on_basis(Basis { ordinals, languages })
            }
        }
    }

    /// The `k` best allowed passages for `question` by BM25, best first. Passages without any of its terms
    /// are not among them.
    pub fn bm25(&self, question: &str, allowed: &AllowedSet, k: usize) -> Result<Vec<Candidate>, IndexError> {
        allowed.check(self.key())?;
        let languages = allowed.basis().map_or(&self.languages, |basis| &basis.languages);
        self.lexical.search(question, languages, allowed, k)
    }

    /// The `k` allowed passages whose vectors have the highest cosine with `query`, a unit vector of the
    /// generation's model, best first. Passages whose cosine is not above 0 are not among them.
    ///
    /// Few allowed passages, or a generation without a graph, are scanned, which is exact; otherwise the
    /// graph is searched. The choice is by estimated cost: a scan computes one distance per allowed passage,
    /// the graph about `ef · graph_cost` divided by the third power of the share of passages that are allowed. Under
    /// [`Statistics::Readable`] they are always scanned.
    pub fn dense(&self, query: &[f32], allowed: &AllowedSet, k: usize) -> Result<Vec<Candidate>, IndexError> {
        allowed.check(self.key())?;
        self.dense.search(query, allowed, k)
    }

    /// Reads a passage; `None` when it is not allowed or does not exist.
    pub fn passage(&self, ordinal: u32, allowed: &AllowedSet) -> Result<Option<Passage>, IndexError> {
        allowed.check(self.key())?;
        if !allowed.contains(ordinal) {
            return Ok(None);
        }
        self.passages.get(ordinal)
    }

    /// The allowed passages of a document, in order.
    pub fn passages_of(&self, document: &DocumentId, allowed: &AllowedSet) -> Result<Vec<u32>, IndexError> {
        allowed.check(self.key())?;
        let range = self.passages.of_document(document)?;
        Ok(range.filter(|&ordinal| allowed.contains(ordinal)).collect())
    }

    /// Checks every file by digest and returns how many there are.
    pub fn verify(&self) -> Result<usize, IndexError> {
        Ok(self.artifact.verify()?)
    }
}

impl std::fmt::Debug for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path: PathBuf = self.path().to_owned();
        f.debug_struct("Generation")
            .field("path", &path)
            .field("passages", &self.len())
            .finish_non_exhaustive()
    }
}

/// A model by its name and the beginning of its key.
fn label(model: &ModelIdentity) -> String {
    format!(
        "`{}` ({}, key {})",
        model.name,
        model.precision.name(),
        model.key().short()
    )
}

/// The fields of the identity in which two models differ.
fn difference(a: &ModelIdentity, b: &ModelIdentity) -> String {
    let fields = [
        ("weights", a.weights != b.weights),
        ("tokenizer", a.tokenizer != b.tokenizer),
        ("dimension", a.dimension != b.dimension),
        ("pooling", a.pooling != b.pooling),
        ("question prefix", a.query_prefix != b.query_prefix),
        ("passage prefix", a.passage_prefix != b.passage_prefix),
        ("normalisation", a.normalised != b.normalised),
        ("length limit", a.max_tokens != b.max_tokens),
        ("precision", a.precision != b.precision),
    ];
    let differing: Vec<&str> = fields
        .iter()
        .filter(|(_, differs)| *differs)
        .map(|(name, _)| *name)
        .collect();
    differing.join(", ")
}

#[cfg(test)]
#[path = "generation_tests.rs"]
mod tests;

//! An opened graph: the tables, the passages behind them, and the views that are kept open.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rag_core::access::Principal;
use rag_core::artifact::{Artifact, ArtifactError, ArtifactKey, Digest};
use rag_core::filter::Filter;
use rag_core::passage::{PASSAGES_FILE, Passage};

use crate::batch::{GRAPH_KIND, STAGE, STAGE_VERSION, TABLES_FILE};
use crate::config::{Currency, SearchConfig};
use crate::error::GraphError;
use crate::extract::{Extractor, Facts};
use crate::tables::{PassageHead, Supersessions, Tables};
use crate::view::View;

/// A graph, opened for searching. It has no search of its own: ask for the [`View`] of who asks.
pub struct Graph {
    data: Arc<Data>,
    config: SearchConfig,
    key: Option<ArtifactKey>,
    /// The most recently used view comes last.
    views: Mutex<Vec<(Digest, Arc<View>)>>,
}

/// What views read from.
pub(crate) struct Data {
    pub(crate) tables: Tables,
    texts: Texts,
}

/// Where passages are read from.
enum Texts {
    Memory(Vec<Passage>),
    /// The JSON-lines file, and where each of its lines begins.
    File {
        file: fs_err::File,
        starts: Vec<u64>,
        _open: Box<Artifact>,
    },
}

impl Graph {
    /// Opens the artifact in the folder `path`.
    pub fn open(path: &Path, config: &SearchConfig) -> Result<Self, GraphError> {
        let artifact = Artifact::open(path, STAGE)?;
        if artifact.manifest().made_from.stage_version != STAGE_VERSION {
            return Err(GraphError::Stale {
                path: path.to_owned(),
            });
        }
        let tables: Tables = artifact.framed(TABLES_FILE, GRAPH_KIND)?;
        let passages = artifact.file(PASSAGES_FILE)?;
        let starts = line_starts(&passages)?;
        if starts.len() != tables.passages.len() + 1 {
            let reason = format!(
                "{} lines for {} passages",
                starts.len() - 1,
                tables.passages.len()
            );
            return Err(ArtifactError::Damaged {
                path: passages,
                reason,
            }
            .into());
        }
        let key = artifact.manifest().key;
        let texts = Texts::File {
            file: fs_err::File::open(&passages)?,
            starts,
            _open: Box::new(artifact),
        };
        Self::new(tables, texts, config, Some(key))
    }

    /// Builds a graph in memory.
    pub fn from_passages(
        passages: Vec<Passage>,
        extractor: &dyn Extractor,
        config: &SearchConfig,
    ) -> Result<Self, GraphError> {
        let facts: Vec<Facts> = passages
            .iter()
            .map(|p| extractor.extract(p))
            .collect::<Result<_, _>>()?;
        let heads: Vec<PassageHead> = passages.iter().map(PassageHead::from).collect();
        let tables = Tables::build(&heads, &facts, &Supersessions::new())?;
        Self::new(tables, Texts::Memory(passages), config, None)
    }

    fn new(
        tables: Tables,
        texts: Texts,
        config: &SearchConfig,
        key: Option<ArtifactKey>,
    ) -> Result<Self, GraphError> {
        config.check()?;
        Ok(Self {
            data: Arc::new(Data { tables, texts }),
            config: config.clone(),
            key,
            views: Mutex::new(Vec::new()),
        })
    }

    /// The key of the artifact that it was opened from.
    pub fn key(&self) -> Option<ArtifactKey> {
        self.key
    }

    /// What `principal` may see of the graph under `filter`: as if it had been built from those passages alone.
    ///
    /// Making a view takes time in proportion to the readable passages; as many as the settings say are kept,
    /// and askers who may read the same passages share one.
    pub fn view(&self, principal: &Principal, filter: &Filter, currency: Currency) -> Arc<View> {
        let allowed = self.data.tables.allowed(principal, filter);
        let passages = match currency {
            Currency::Current => self.data.tables.current(&allowed),
            Currency::All => allowed,
        };
        let bytes: Vec<u8> = passages.iter().flat_map(|at| at.to_le_bytes()).collect();
        let same = Digest::of(&bytes);
        if let Some(view) = self.kept(&same) {
            return view;
        }
        let view = Arc::new(View::new(Arc::clone(&self.data), passages, &self.config));
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        views.push((same, Arc::clone(&view)));
        let excess = views.len().saturating_sub(self.config.views.max(1));
        views.drain(..excess);
        view
    }

    fn kept(&self, same: &Digest) -> Option<Arc<View>> {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        let at = views.iter().position(|(digest, _)| digest == same)?;
        let found = views.remove(at);
        let view = Arc::clone(&found.1);
        views.push(found);
        Some(view)
    }
}

impl Data {
    /// The passage numbered `at`.
    pub(crate) fn passage(&self, at: u32) -> Result<Passage, GraphError> {
        let (file, starts) = match &self.texts {
            Texts::Memory(passages) => return Ok(passages[at as usize].clone()),
            Texts::File { file, starts, .. } => (file, starts),
        };
        let (start, end) = (starts[at as usize], starts[at as usize + 1]);
        let mut line = vec![0; (end - start) as usize];
        file.file().read_exact_at(&mut line, start)?;
        let damaged = |reason: String| ArtifactError::Damaged {
            path: file.path().to_owned(),
            reason,
        };
        let passage: Passage = serde_json::from_slice(&line).map_err(|error| damaged(error.to_string()))?;
        if passage.id != self.tables.passage_id(at) {
            return Err(damaged(format!("line {} is passage {}", at + 1, passage.id)).into());
        }
        Ok(passage)
    }
}

/// Where each line of the file at `path` begins, and where the last one ends.
fn line_starts(path: &Path) -> Result<Vec<u64>, GraphError> {
    let mut reader = BufReader::with_capacity(1 << 20, fs_err::File::open(path)?);
    let mut starts = vec![0];
    let mut at = 0;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(starts);
        }
        let ends = buffer.iter().zip(1u64..).filter(|(byte, _)| **byte == b'\n');
        starts.extend(ends.map(|(_, offset)| at + offset));
        let read = buffer.len();
        at += read as u64;
        reader.consume(read);
    }
}

//! Vectors for all passages: taken over where the text and the model are the same, embedded where not.

use std::collections::HashMap;

use rag_core::artifact::{Digest, Journal};
use rag_core::id::PassageId;
use rag_core::progress::{Progress, Silent, Unit};
use rag_models::{Embedder, Embeddings};
use serde::{Deserialize, Serialize};

use crate::batch::Tools;
use crate::error::IndexError;
use crate::previous::Previous;
use crate::vectors::{self, fault};

/// Name of the step in progress reports.
const TASK: &str = "embed";

/// A vector with what it lost, as the journal keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Embedded {
    vector: Vec<f32>,
    cut_tokens: u32,
}

/// How many vectors came from where, and what was lost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) reused: u64,
    pub(crate) embedded: u64,
    /// Passages of which the model knows no word; dense search does not find them.
    pub(crate) zero: u64,
    /// Ordinal and tokens cut.
    pub(crate) cut: Vec<(u32, u32)>,
}

/// Collects passages, and embeds those that must be in batches.
pub(crate) struct Filler<'e> {
    embedder: &'e dyn Embedder,
    progress: &'e dyn Progress,
    batch: usize,
    writer: vectors::Writer,
    journal: Journal<Embedded>,
    earlier: Earlier<'e>,
    pending: Vec<Pending>,
    tally: Tally,
}

/// The vectors of earlier generations by the digest of their text.
struct Earlier<'p> {
    generations: &'p [Previous],
    /// Where the vector of a text stands.
    by_text: HashMap<Digest, Place>,
    /// Tokens that the embedder cut of the text there; most texts lost none.
    cut: HashMap<Place, u32>,
}

/// A row of one of the earlier generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    generation: usize,
    row: u32,
}

/// A passage waiting to be embedded.
struct Pending {
    row: usize,
    id: PassageId,
    key: Digest,
    text: String,
}

impl<'e> Filler<'e> {
    /// Begins to fill `writer` with `total` vectors, embedding `batch` passages at a time.
    pub(crate) fn begin(
        writer: vectors::Writer,
        total: usize,
        batch: usize,
        previous: &'e [Previous],
        tools: &Tools<'e>,
    ) -> Result<Self, IndexError> {
        tools.progress.start(TASK, Some(total as u64), Unit::Items);
        Ok(Self {
            embedder: tools.embedder,
            progress: tools.progress,
            batch,
            writer,
            journal: Journal::open(tools.journal)?,
            earlier: Earlier::new(previous),
            pending: Vec::new(),
            tally: Tally::default(),
        })
    }

    /// Provides for the vector of passage `row`; `text` is the digest of `index_text`.
    pub(crate) fn push(
        &mut self,
        row: usize,
        id: &PassageId,
        text: Digest,
        index_text: String,
    ) -> Result<(), IndexError> {
        let key = self.key(text);
        if let Some((vector, cut_tokens)) = self.known(text, key) {
            self.tally.reused += 1;
            return self.place(row, &vector, cut_tokens);
        }
        self.pending.push(Pending {
            row,
            id: id.clone(),
            key,
            text: index_text,
        });
        if self.pending.len() >= self.batch {
            self.embed_pending()?;
        }
        Ok(())
    }

    /// Embeds what is left and returns the counts.
    pub(crate) fn finish(mut self) -> Result<Tally, IndexError> {
        self.embed_pending()?;
        self.progress.finish(TASK);
        self.tally.cut.sort_unstable();
        Ok(self.tally)
    }

    fn key(&self, text: Digest) -> Digest {
        Digest::of_parts([self.embedder.identity().key().0.as_slice(), text.0.as_slice()])
    }

    fn known(&self, text: Digest, key: Digest) -> Option<(Vec<f32>, u32)> {
        let earlier = self.earlier.find(text);
        let journaled = || {
            let found = self.journal.get(&key)?;
            Some((found.vector.clone(), found.cut_tokens))
        };
        let (vector, cut) = earlier.or_else(journaled)?;
        let is_whole = vector.len() == self.embedder.dimension() && fault(&vector).is_none();
        is_whole.then_some((vector, cut))
    }

    fn embed_pending(&mut self) -> Result<(), IndexError> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = pending.iter().map(|waiting| waiting.text.as_str()).collect();
        let embeddings = self.embedder.embed_passages(&texts, &Silent)?;
        self.check(&pending, &embeddings)?;
        for (index, waiting) in pending.iter().enumerate() {
            let embedded = Embedded {
                vector: embeddings.vector(index).to_vec(),
                cut_tokens: embeddings.truncated_tokens[index] as u32,
            };
            self.journal.record(waiting.key, &embedded)?;
            self.place(waiting.row, &embedded.vector, embedded.cut_tokens)?;
        }
        self.tally.embedded += pending.len() as u64;
        Ok(())
    }

    fn check(&self, pending: &[Pending], embeddings: &Embeddings) -> Result<(), IndexError> {
        let identity = self.embedder.identity();
        let fits = embeddings.dimension == identity.dimension
            && embeddings.len() == pending.len()
            && embeddings.values.len() == pending.len() * identity.dimension;
        if !fits {
            return Err(IndexError::Embeddings {
                model: identity.name.clone(),
                found: embeddings.values.len(),
                texts: pending.len(),
                dimension: identity.dimension,
            });
        }
        for (waiting, vector) in pending.iter().zip(embeddings.vectors()) {
            if let Some(reason) = fault(vector) {
                return Err(IndexError::Vector {
                    model: identity.name.clone(),
                    id: waiting.id.clone(),
                    reason,
                });
            }
        }
        Ok(())
    }

    fn place(&mut self, row: usize, vector: &[f32], cut_tokens: u32) -> Result<(), IndexError> {
        self.writer.write(row, vector)?;
        if cut_tokens > 0 {
            self.tally.cut.push((row as u32, cut_tokens));
        }
        if vector.iter().all(|x| *x == 0.0) {
            self.tally.zero += 1;
        }
        self.progress.advance(TASK, 1);
        Ok(())
    }
}

impl<'p> Earlier<'p> {
    fn new(generations: &'p [Previous]) -> Self {
        let (mut by_text, mut cut) = (HashMap::new(), HashMap::new());
        for (generation, previous) in generations.iter().enumerate() {
            let place = |row| Place { generation, row };
            let texts = previous.rows.by_text().into_iter();
            by_text.extend(texts.map(|(text, row)| (text, place(row))));
            let lost = previous.rows.cut.iter();
            cut.extend(lost.map(|&(row, tokens)| (place(row), tokens)));
        }
        Self {
            generations,
            by_text,
            cut,
        }
    }

    fn find(&self, text: Digest) -> Option<(Vec<f32>, u32)> {
        let place = *self.by_text.get(&text)?;
        let vectors = &self.generations[place.generation].vectors;
        let vector = vectors.row(place.row as usize).to_vec();
        Some((vector, self.cut.get(&place).copied().unwrap_or_default()))
    }
}

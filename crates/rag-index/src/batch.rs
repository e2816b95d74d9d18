//! The stage as a batch: passages in, a generation out, everything unchanged taken over.

use std::path::{Path, PathBuf};
use std::time::Instant;

use rag_core::artifact::{Artifact, ArtifactKey, ArtifactWriter, Digest, StageKey, already_done};
use rag_core::passage::Passage;
use rag_core::progress::Progress;
use rag_core::stage::{self, Outcome};
use rag_models::{Embedder, ModelIdentity};
use rayon::prelude::*;

use crate::config::Config;
use crate::embed::{Filler, Tally};
use crate::error::IndexError;
use crate::filters::{FILTERS_FILE, FILTERS_KIND, Filters};
use crate::generation::LEARNED_FILE;
use crate::graph::{self, GRAPH_FILE};
use crate::input::Input;
use crate::lexical::{self, LEXICAL_FOLDER};
use crate::passages::{self, PASSAGES_FILE};
use crate::previous::{Found, Previous};
use crate::rows::{ROWS_FILE, ROWS_KIND, Rows};
use crate::vectors::{self, VECTORS_FILE, Vectors};

/// The stage's name.
pub const STAGE: &str = stage::INDEX;

/// Raised whenever this crate writes something else for the same passages.
pub const STAGE_VERSION: u32 = 2;

/// Role of the embedder in the manifest.
pub(crate) const EMBEDDER_ROLE: &str = "embedder";

/// Passages held in memory at a time.
const WINDOW: usize = 512;

/// What is lent to [`run`].
pub struct Tools<'t> {
    /// Makes the vectors.
    pub embedder: &'t dyn Embedder,
    /// Earlier generations to take over from, also of other passages; when there are none, what stands at the output.
    /// A text that any of them has is not embedded again. Those of other models are passed over.
    pub previous: &'t [PathBuf],
    /// Where finished batches are kept until the generation is published.
    pub journal: &'t Path,
    /// Told how far the run is.
    pub progress: &'t dyn Progress,
}

/// The key of the generation that [`run`] makes from a chunk artifact with the key `passages`.
pub fn stage_key(config: &Config, passages: ArtifactKey, embedder: &ModelIdentity) -> StageKey {
    StageKey::new(STAGE, STAGE_VERSION, &config.graph)
        .input("passages", &passages)
        .model(EMBEDDER_ROLE, &embedder.key())
}

/// Builds the generation at `output` from the chunk artifact at `input`.
///
/// When `output` already is that generation and whole, nothing is done. Otherwise vectors of texts that an
/// earlier generation or the journal of a killed run has are taken over; and when one has the same ids, languages
/// and index texts (only access lists, dates, titles, … changed), so are its vectors, graph and lexical index.
/// Counts are of passages: `reused` kept their vector, `written` were embedded.
pub fn run(config: &Config, input: &Path, output: &Path, tools: &Tools<'_>) -> Result<Outcome, IndexError> {
    config.check()?;
    let chunked = Artifact::open(input, stage::CHUNK)?;
    let key = stage_key(config, chunked.manifest().key, tools.embedder.identity());
    if let Some(outcome) = already_done(output, STAGE, key.digest()) {
        tools.progress.note("index: nothing changed, kept the generation");
        return Ok(outcome);
    }
    let input = Input::read(chunked)?;
    let previous = match tools.previous {
        [] => find_previous(output, &key, tools.progress).into_iter().collect(),
        given => given
            .iter()
            .filter_map(|path| find_previous(path, &key, tools.progress))
            .collect::<Vec<_>>(),
    };
    let build = Build {
        config,
        writer: ArtifactWriter::begin(output, key)?,
        content: input.content(),
        input: &input,
        tools,
    };
    match previous
        .iter()
        .find(|previous| previous.has_content(build.content))
    {
        Some(previous) => build.refresh(previous),
        None => build.anew(&previous),
    }
}

fn find_previous(path: &Path, key: &StageKey, progress: &dyn Progress) -> Option<Previous> {
    match Previous::find(path, key) {
        Found::Usable(previous) => Some(*previous),
        Found::Nothing => None,
        Found::Damaged(reason) => {
            progress.note(&format!("index: an earlier generation is not used: {reason}"));
            None
        }
    }
}

/// A generation being built.
struct Build<'b> {
    config: &'b Config,
    input: &'b Input,
    content: Digest,
    writer: ArtifactWriter,
    tools: &'b Tools<'b>,
}

impl Build<'_> {
    /// Only metadata changed: takes over all that follows from ids, languages and index texts.
    fn refresh(mut self, previous: &Previous) -> Result<Outcome, IndexError> {
        let folder = self.writer.path("");
        previous.take_over(&folder)?;
        self.write_passages(|_, _| Ok(()))?;
        if previous.has_graph_of(self.writer.made_from()) {
            previous.take_over_graph(&folder)?;
        } else {
            self.build_graph()?;
        }
        let count = self.input.rows().len() as u64;
        let outcome = Outcome {
            seen: count,
            reused: count,
            ..Outcome::default()
        };
        self.publish(outcome)
    }

    /// Some text changed: takes over the vectors of those that did not.
    fn anew(mut self, previous: &[Previous]) -> Result<Outcome, IndexError> {
        let tally = self.write_texts(previous)?;
        let rows = Rows {
            content: self.content.0,
            texts: self.input.rows().iter().map(|row| row.text.0).collect(),
            cut: tally.cut.clone(),
        };
        self.writer.framed(ROWS_FILE, ROWS_KIND, &rows)?;
        if let Some(learned) = self.tools.embedder.learned()? {
            fs_err::write(self.writer.path(LEARNED_FILE), learned)?;
        }
        self.build_graph()?;
        report(&tally, self.tools.progress);
        let outcome = Outcome {
            seen: self.input.rows().len() as u64,
            reused: tally.reused,
            written: tally.embedded,
            quarantined: 0,
        };
        self.publish(outcome)
    }

    /// Publishes the generation, after which the journal has nothing that it has not.
    fn publish(self, outcome: Outcome) -> Result<Outcome, IndexError> {
        self.writer.publish(outcome)?;
        match fs_err::remove_file(self.tools.journal) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(outcome),
        }
    }

    /// Writes vectors, lexical index, passages and filters in one pass.
    fn write_texts(&mut self, previous: &[Previous]) -> Result<Tally, IndexError> {
        let rows = self.input.rows();
        let identity = self.tools.embedder.identity();
        let vectors = vectors::Writer::create(&self.writer.path(VECTORS_FILE), identity, rows.len())?;
        let batch = self.config.batch_passages as usize;
        let mut filler = Filler::begin(vectors, rows.len(), batch, previous, self.tools)?;
        let mut lexical = lexical::Writer::create(&self.writer.path(LEXICAL_FOLDER))?;
        self.write_passages(|first, passages| {
            let texts: Vec<String> = passages.par_iter().map(Passage::index_text).collect();
            let analyzed: Vec<Vec<String>> = passages
                .par_iter()
                .zip(&texts)
                .map(|(passage, text)| lexical::analyze(passage.language, text))
                .collect();
            analyzed.iter().try_for_each(|terms| lexical.push(terms))?;
            for ((row, passage), text) in (first..).zip(passages).zip(texts) {
                filler.push(row, &passage.id, rows[row].text, text)?;
            }
            Ok(())
        })?;
        lexical.finish(self.content)?;
        filler.finish()
    }

    /// Writes passages and filters, and hands each window of passages, with its first ordinal, to `also`.
    fn write_passages(
        &mut self,
        mut also: impl FnMut(usize, &[Passage]) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let started = Instant::now();
        let mut store = passages::Writer::create(&self.writer.path(PASSAGES_FILE))?;
        let mut filters = Filters::default();
        let count = self.input.rows().len();
        for first in (0..count).step_by(WINDOW) {
            let window = self.input.passages(first..count.min(first + WINDOW))?;
            also(first, &window)?;
            for passage in window {
                filters.push(&passage);
                store.push(passage)?;
            }
        }
        store.finish()?;
        self.writer.framed(FILTERS_FILE, FILTERS_KIND, &filters)?;
        self.writer
            .timing("passages", started.elapsed().as_secs_f64() * 1e3);
        Ok(())
    }

    fn build_graph(&mut self) -> Result<(), IndexError> {
        let least = self.config.graph.min_passages.max(1);
        if self.input.rows().len() < least as usize {
            return Ok(());
        }
        let started = Instant::now();
        let vectors = Vectors::open(&self.writer.path(VECTORS_FILE))?;
        let path = self.writer.path(GRAPH_FILE);
        graph::build(&vectors, &self.config.graph, &path, self.tools.progress)?;
        self.writer.timing("graph", started.elapsed().as_secs_f64() * 1e3);
        Ok(())
    }
}

fn report(tally: &Tally, progress: &dyn Progress) {
    if !tally.cut.is_empty() {
        let tokens: u64 = tally.cut.iter().map(|(_, tokens)| u64::from(*tokens)).sum();
        progress.note(&format!(
            "index: {} passages are longer than the embedder reads; {tokens} tokens do not count in dense search",
            tally.cut.len()
        ));
    }
    if tally.zero > 0 {
        progress.note(&format!(
            "index: the embedder knows no word of {} passages; dense search does not find them",
            tally.zero
        ));
    }
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;

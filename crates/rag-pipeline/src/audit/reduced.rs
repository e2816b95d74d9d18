//! A store's passages without those that an asker may not read, as a generation of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rag_core::access::Principal;
use rag_core::artifact::{Artifact, ArtifactWriter, Digest, StageKey, already_done};
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::Progress;
use rag_core::stage::{self, Outcome};

use crate::engine::Engine;
use crate::error::PipelineError;
use crate::output::claim_work;
use crate::settings::Settings;
use crate::store::{Store, create_private};

/// Makes reduced generations of one store, each kept in a folder and made once.
pub(super) struct Reducer<'r> {
    settings: &'r Settings,
    /// The generation that the store answers from.
    current: PathBuf,
    chunked: Artifact,
    work: PathBuf,
    /// Engines that are open, by who reads the same.
    opened: BTreeMap<Vec<String>, Option<Engine>>,
}

impl<'r> Reducer<'r> {
    /// Prepares to reduce what `store` answers from at present.
    pub(super) fn new(store: &Store, settings: &'r Settings, work: &Path) -> Result<Self, PipelineError> {
        claim_work(work)?;
        let current = store.current()?.ok_or_else(|| PipelineError::NoGeneration {
            path: store.root().to_owned(),
        })?;
        let chunked = Artifact::open(&store.chunked(), stage::CHUNK)?;
        let key = chunked.manifest().key.to_string();
        let generation = Artifact::open(&current, stage::INDEX)?;
        if generation.manifest().made_from.inputs.get("passages") != Some(&key) {
            return Err(PipelineError::Changed {
                path: store.chunked(),
                stage: format!("{} artifact", stage::CHUNK),
            });
        }
        Ok(Self {
            settings,
            work: work.join(chunked.manifest().key.short()),
            current,
            chunked,
            opened: BTreeMap::new(),
        })
    }

    /// The engine over what `principal` may read and nothing else, with the models of `engine`; `None` when they may
    /// read everything.
    pub(super) fn engine(
        &mut self,
        engine: &Engine,
        principal: &Principal,
        progress: &dyn Progress,
    ) -> Result<Option<&Engine>, PipelineError> {
        let groups: Vec<String> = principal.clone().into();
        if !self.opened.contains_key(&groups) {
            // One is open at a time: questions come grouped by their askers.
            self.opened.clear();
            let reduced = match self.generation(principal, progress)? {
                Some(path) => Some(engine.over(&path, progress)?),
                None => None,
            };
            self.opened.insert(groups.clone(), reduced);
        }
        Ok(self.opened.get(&groups).and_then(Option::as_ref))
    }

    /// The folder of the reduced generation.
    fn generation(
        &self,
        principal: &Principal,
        progress: &dyn Progress,
    ) -> Result<Option<PathBuf>, PipelineError> {
        let mut readable: Vec<Passage> = Vec::new();
        let (mut count, mut ids) = (0, String::new());
        for passage in self.chunked.json_lines::<Passage>(PASSAGES_FILE)? {
            let passage = passage?;
            count += 1;
            if passage.access.allows(principal) {
                ids.push_str(&passage.id.to_string());
                ids.push('\n');
                readable.push(passage);
            }
        }
        if readable.len() == count {
            return Ok(None);
        }
        // Askers who may read the same share a generation.
        let readers = Digest::of(ids.as_bytes());
        let folder = self.work.join(readers.short());
        let (chunked, generation) = (folder.join("chunked"), folder.join("generation"));
        let key = StageKey::new(stage::CHUNK, 1, &"readable passages only")
            .input("passages", &self.chunked.manifest().key)
            .input("readable", &readers);
        if already_done(&chunked, stage::CHUNK, key.digest()).is_none() {
            create_private(&folder)?;
            write(&chunked, key, &readable)?;
        }
        let embedder = self.settings.models.open_for_ingest(&chunked, progress)?;
        let tools = rag_index::Tools {
            embedder: embedder.as_ref(),
            previous: std::slice::from_ref(&self.current),
            journal: &folder.join("vectors.journal"),
            progress,
        };
        rag_index::run(&self.settings.index, &chunked, &generation, &tools)?;
        Ok(Some(generation))
    }
}

fn write(folder: &Path, key: StageKey, passages: &[Passage]) -> Result<(), PipelineError> {
    let writer = ArtifactWriter::begin(folder, key)?;
    let mut lines = writer.json_lines::<Passage>(PASSAGES_FILE)?;
    for passage in passages {
        lines.write(passage)?;
    }
    lines.finish()?;
    let count = passages.len() as u64;
    writer.publish(Outcome {
        seen: count,
        written: count,
        ..Outcome::default()
    })?;
    Ok(())
}

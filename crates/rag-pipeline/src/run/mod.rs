//! Runs: labelled questions taken through the query row with every box's artifact kept, so that each can be judged,
//! compared and repeated.
//!
//! ```text
//! RUN/
//!   rag.lock         what the run depends on (TOML)
//!   labels.jsonl     the questions and what is right
//!   retrieved/ reranked/ expanded/ answered/   the boxes' artifacts
//!   metrics.json     means over the questions
//!   per_query.jsonl  every value of every question
//!   ledger.json      what each box cost
//! ```

mod compare;
mod diagnose;
mod execute;
mod ledger;
mod lock;
mod measure;
mod pool;
mod repeat;
mod report;
mod row;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rag_core::answer::{ANSWERS_FILE, Answer};
use rag_core::artifact::{Artifact, Digest, jsonl};
use rag_core::hit::{HITS_FILE, Ranking};
use rag_core::question::Question;
use rag_eval::answers::Label;

pub use compare::{Cause, Effect, QuestionDiff, RunDiff, diff_runs, gate_run, slices};
pub use diagnose::diagnose_run;
pub(crate) use execute::execute_in;
pub use execute::{Collection, execute};
pub use ledger::{Cost, Ledger};
pub use lock::Lock;
pub use measure::{HEADLINE, RIGHT, RunMetrics, measure_run};
pub(crate) use pool::Pool;
pub use repeat::{Repetition, repeat};
pub use report::{ReportFile, report_runs};

use row::QueryBox;

use crate::error::PipelineError;
use crate::settings::{ModelSettings, Settings};

/// The questions of a run with what is right.
const LABELS_FILE: &str = "labels.jsonl";

/// Whether the settings that a run brings with it may run programs and send documents to servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// They may not.
    Nobody,
    /// They may: the user trusts whoever made the run.
    Maker,
}

/// A run on disk, finished.
#[derive(Debug, Clone)]
pub struct Run {
    root: PathBuf,
    lock: Lock,
}

impl Run {
    /// Opens the run in the folder `root`, which must be finished, with the questions that it asked.
    pub fn open(root: &Path) -> Result<Self, PipelineError> {
        let lock = Lock::read(root)?;
        let questions = root.join(LABELS_FILE);
        if Digest::of_file(&questions)?.blake3 != lock.questions {
            return Err(PipelineError::Changed {
                path: questions,
                stage: "questions".to_owned(),
            });
        }
        Ok(Self {
            root: root.to_owned(),
            lock,
        })
    }

    /// The settings of the run as they may be used here: where weights come from and the keys of providers are `here`'s.
    /// What reaches out of the machine, or runs programs, only counts when whoever made the run is trusted.
    pub fn settings(&self, here: &ModelSettings, trust: Trust) -> Result<Settings, PipelineError> {
        let mut settings = self.lock.settings.clone();
        settings.models.fetch.clone_from(&here.fetch);
        settings.models.keys.clone_from(&here.keys);
        match settings.reaches_out() {
            Some(what) if trust == Trust::Nobody => Err(PipelineError::Untrusted { what }),
            _ => Ok(settings),
        }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What it depends on.
    pub fn lock(&self) -> &Lock {
        &self.lock
    }

    /// The questions and what is right.
    pub fn labels(&self) -> Result<Vec<Label>, PipelineError> {
        Ok(jsonl::read_all(&self.root.join(LABELS_FILE))?)
    }

    /// The rankings after fusion.
    pub fn retrieved(&self) -> Result<Vec<Ranking>, PipelineError> {
        self.rankings(QueryBox::Retrieve)
    }

    /// The rankings that were handed to the generator: expanded, reranked, or else those after fusion.
    pub fn kept(&self) -> Result<Vec<Ranking>, PipelineError> {
        self.rankings(QueryBox::last_ranked(&self.lock.settings))
    }

    /// The answers.
    pub fn answers(&self) -> Result<Vec<Answer>, PipelineError> {
        let artifact = self.artifact(QueryBox::Generate)?;
        let answers = artifact
            .json_lines::<Answer>(ANSWERS_FILE)?
            .collect::<Result<_, _>>()?;
        Ok(answers)
    }

    fn artifact(&self, of: QueryBox) -> Result<Artifact, PipelineError> {
        self.lock.open(&self.root.join(of.folder()), of.stage())
    }

    fn rankings(&self, of: QueryBox) -> Result<Vec<Ranking>, PipelineError> {
        let rankings = self
            .artifact(of)?
            .json_lines::<Ranking>(HITS_FILE)?
            .collect::<Result<_, _>>()?;
        Ok(rankings)
    }
}

/// Labels, rankings or answers by the id of their question.
fn by_id<T>(items: Vec<T>, question: impl Fn(&T) -> &Question) -> BTreeMap<String, T> {
    let keyed = items.into_iter().map(|item| (question(&item).id.clone(), item));
    keyed.collect()
}

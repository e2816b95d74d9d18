//! Why something could not be measured.

use std::path::PathBuf;

use rag_core::artifact::ArtifactError;
use rag_core::id::IdError;

use crate::exchange::ExchangeError;

/// Why a data set, a run or a set of labels could not be read or measured.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// A line of a qrels or run file is not of its form.
    #[error("{path}, line {line}: {reason}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An id cannot stand in a column of a qrels or run file.
    #[error("{path}: the id {id:?} is empty or has a tab, a line break or outer spaces: rename it")]
    Column {
        /// The file that was to be written.
        path: PathBuf,
        /// The id.
        id: String,
    },
    /// A file is too large to be a qrels or run file.
    #[error("{path} has {bytes} bytes; files over {limit} bytes are not read")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The greatest size read.
        limit: u64,
    },
    /// The data set has no such split.
    #[error("{path} does not exist: the data set has the splits {available}")]
    Split {
        /// The qrels file that was looked for.
        path: PathBuf,
        /// The splits there are, joined with commas.
        available: String,
    },
    /// Two documents of a data set have one id.
    #[error("{folder}: two documents have the id `{id}`; rename one of them")]
    SameDocument {
        /// The data set's folder.
        folder: PathBuf,
        /// The id.
        id: String,
    },
    /// The folder is not a data set, or lacks the part that was asked for.
    #[error("{path} does not exist; a data set in BEIR form has {part}")]
    Part {
        /// What was looked for.
        path: PathBuf,
        /// What it is.
        part: &'static str,
    },
    /// A document of the data set cannot be given an id.
    #[error("{path}: document `{id}`: {source}")]
    DocumentId {
        /// The file.
        path: PathBuf,
        /// The document's id in the data set.
        id: String,
        /// What is wrong with it.
        source: IdError,
    },
    /// A permission case names a user or question that the data set lacks.
    #[error("{path}: there is no {what} `{name}`")]
    Unknown {
        /// The file that names it.
        path: PathBuf,
        /// User or question.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A text is not the name of a metric.
    #[error("`{name}` is not a metric: use nDCG@k, R@k, P@k, RR, RR@k, AP, AP@k, Success@k or AllGold@k")]
    Metric {
        /// The refused name.
        name: String,
    },
    /// A text is not the name of a metric of answers.
    #[error("`{name}` is not a metric of answers: use one of {known}")]
    AnswerMetric {
        /// The refused name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A file of another evaluation tool could not be read or written.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// An artifact or a JSON-lines file could not be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

impl From<std::io::Error> for EvalError {
    /// Errors of `fs_err` name their path.
    fn from(error: std::io::Error) -> Self {
        Self::Artifact(error.into())
    }
}

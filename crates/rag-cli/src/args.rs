//! Arguments that several commands share, and the one struct that they become.

use std::path::PathBuf;

use clap::Args;
use rag_core::access::Principal;
use rag_core::date::Date;
use rag_core::filter::Filter;
use rag_core::language::Language;
use rag_pipeline::run::Trust;
use rag_retrieve::MAX_QUESTION_BYTES;

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
pub struct GlobalArgs {
    /// Settings file [default: rag.toml in this folder, if it is there].
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Show errors only: no progress, no notes.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// Who asks, and which passages may be considered.
#[derive(Debug, Clone, Args)]
pub struct AskerArgs {
    /// Groups of the asker, separated by commas; `everyone` is always among them.
    #[arg(long, value_delimiter = ',', value_name = "GROUP,…")]
    pub groups: Vec<String>,
    /// Only documents updated on this day or later.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub updated_after: Option<Date>,
    /// Only documents updated on this day or earlier.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub updated_before: Option<Date>,
    /// Only passages in this language; may be given several times.
    #[arg(long = "language", value_name = "CODE")]
    pub languages: Vec<Language>,
    /// Only documents of this department; may be given several times.
    #[arg(long = "department", value_name = "NAME")]
    pub departments: Vec<String>,
}

impl AskerArgs {
    /// The asker.
    pub fn principal(&self) -> Principal {
        self.groups.iter().cloned().collect()
    }

    /// The conditions.
    pub fn filter(&self) -> Filter {
        Filter {
            updated_after: self.updated_after,
            updated_before: self.updated_before,
            languages: self.languages.clone(),
            departments: self.departments.clone(),
        }
    }
}

/// Whether what a run brings with it is trusted.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct TrustArgs {
    /// Run the programs and ask the servers that the run's rag.lock names.
    #[arg(long)]
    trust: bool,
}

impl TrustArgs {
    /// How far the lock of a run is trusted.
    pub(crate) fn of_lock(self) -> Trust {
        if self.trust { Trust::Maker } else { Trust::Nobody }
    }
}

/// A question given as an argument: not empty, and not longer than a search accepts.
pub(crate) fn question_text(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("ask something".to_owned()),
        text if text.len() > MAX_QUESTION_BYTES => Err(format!(
            "{} bytes; at most {MAX_QUESTION_BYTES} are searched for",
            text.len()
        )),
        text => Ok(text.to_owned()),
    }
}

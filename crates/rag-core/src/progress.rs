//! Where libraries report progress; the command line draws it.

/// What a running count counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Files, passages, questions: things counted one by one.
    Items,
    /// Bytes of a transfer.
    Bytes,
}

/// Receives progress from a long-running step. All methods may be called from several threads.
pub trait Progress: Send + Sync {
    /// A step named `task` begins; `total` is `None` when its length is not known.
    fn start(&self, task: &str, total: Option<u64>, unit: Unit);
    /// The step named `task` advanced by `amount`.
    fn advance(&self, task: &str, amount: u64);
    /// The step named `task` is over.
    fn finish(&self, task: &str);
    /// Something worth a line to a person.
    fn note(&self, message: &str);
}

/// Ignores all progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: &str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: &str, _: u64) {}
    fn finish(&self, _: &str) {}
    fn note(&self, _: &str) {}
}

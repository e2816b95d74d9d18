//! Names by which folders that we wrote are known, beside artifacts.

/// Stands in the folder of a run, and says what the run depends on.
pub const RUN_LOCK_FILE: &str = "rag.lock";

/// Held by whoever writes a run; stands in its folder from the first moment on.
pub const RUN_WRITER_FILE: &str = ".rag-run";

/// Stands in a folder where imported data sets and what audits build are kept.
pub const WORK_FILE: &str = ".rag-work";

/// Lists the pages of a report, in its folder.
pub const REPORT_FILE: &str = ".rag-report";

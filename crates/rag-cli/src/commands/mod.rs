//! One file per subcommand; those of plain stages share [`stage`].

pub(crate) mod ask;
pub(crate) mod cite;
pub(crate) mod config;
pub(crate) mod delete;
pub(crate) mod diagnose;
pub(crate) mod diff;
pub(crate) mod eval;
pub(crate) mod eval_files;
pub(crate) mod eval_injections;
pub(crate) mod eval_ladder;
pub(crate) mod eval_parse;
pub(crate) mod eval_support;
pub(crate) mod eval_upgrades;
pub(crate) mod graph;
pub(crate) mod ingest;
pub(crate) mod models;
pub(crate) mod parse;
pub(crate) mod parse_file;
pub(crate) mod parse_preview;
pub(crate) mod report;
pub(crate) mod retrieve;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod stage;
pub(crate) mod verify;
pub(crate) mod why;

//! `verify`: every file of a store against its digest.

use std::path::PathBuf;

use rag_pipeline::{Store, verify};

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Reads every file of the store and compares its digest with the manifest's.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The store.
    store: PathBuf,
}

pub(crate) fn run(args: &Args, _: &Context) -> anyhow::Result<Done> {
    for checked in verify(&Store::open(&args.store)?)? {
        to_stdout(&format!(
            "{}: {} files intact",
            checked.artifact.display(),
            checked.files
        ));
    }
    Ok(Done::Complete)
}

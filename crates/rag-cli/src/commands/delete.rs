//! `delete`: takes a document out of a store's index.

use std::path::PathBuf;

use rag_core::id::DocumentId;
use rag_pipeline::{Store, delete, restore};

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Removes a document from the store. It stays out, also of later ingests, until it is restored.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:\n  rag delete it-004 --store kb\n  rag delete it-004 --store kb --restore")]
pub struct Args {
    /// The document's id.
    id: DocumentId,
    /// The store.
    #[arg(long, value_name = "STORE")]
    store: PathBuf,
    /// Take an earlier deletion back.
    #[arg(long)]
    restore: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    let store = Store::open(&args.store)?;
    if args.restore {
        restore(&context.settings, &store, &args.id, &context.progress)?;
        to_stdout(&format!("{}: restored", args.id));
    } else {
        delete(&context.settings, &store, &args.id, &context.progress)?;
        to_stdout(&format!(
            "{}: deleted; the same command with --restore takes it back",
            args.id
        ));
    }
    Ok(Done::Complete)
}

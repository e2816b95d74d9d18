//! `models`: the catalogue, and fetching weights ahead of their use.

use rag_models::catalogue::{CATALOGUE, ModelEntry, find};
use rag_models::fetch::{fetch, locate};
use serde::Serialize;

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// What to do with models.
#[derive(Debug, Clone, clap::Subcommand)]
pub enum Command {
    /// List the models known by name.
    List {
        /// Print one JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Fetch and verify the files of models [default: the embedder and reranker of the settings].
    #[command(after_help = "Examples:\n  rag models fetch\n  rag models fetch multilingual-e5-small")]
    Fetch {
        /// Names from `models list`.
        names: Vec<String>,
    },
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    role: String,
    megabytes: u64,
    here: bool,
    licence: &'static str,
}

pub(crate) fn run(command: Command, context: &Context) -> anyhow::Result<Done> {
    match command {
        Command::List { json } => list(json, context)?,
        Command::Fetch { names } => fetch_all(&names, context)?,
    }
    Ok(Done::Complete)
}

fn list(json: bool, context: &Context) -> anyhow::Result<()> {
    let rows = CATALOGUE
        .iter()
        .map(|entry| row(entry, context))
        .collect::<anyhow::Result<Vec<Row>>>()?;
    if json {
        to_stdout(&serde_json::to_string(&rows)?);
        return Ok(());
    }
    for row in rows {
        let here = if row.here { "here" } else { "not fetched" };
        to_stdout(&format!(
            "{:32} {:24} {:>5} MB  {here:11}  {}",
            row.name, row.role, row.megabytes, row.licence
        ));
    }
    Ok(())
}

fn row(entry: &'static ModelEntry, context: &Context) -> anyhow::Result<Row> {
    Ok(Row {
        name: entry.name,
        role: entry.role.description().to_owned(),
        megabytes: entry.bytes().div_ceil(1_000_000),
        here: locate(entry, &context.settings.models.fetch)?.is_some(),
        licence: entry.licence,
    })
}

fn fetch_all(names: &[String], context: &Context) -> anyhow::Result<()> {
    let models = &context.settings.models;
    let named = if names.is_empty() {
        vec![models.embedder.clone(), models.reranker.clone()]
    } else {
        names.to_vec()
    };
    for name in named {
        let Some(entry) = find(&name) else {
            // A setting may name a folder or a method without weights; an argument must be in the catalogue.
            anyhow::ensure!(
                names.is_empty(),
                "no model is called `{name}`; `models list` shows those that are"
            );
            continue;
        };
        fetch(entry, &models.fetch, &context.progress)?;
        to_stdout(&format!("{}: verified", entry.name));
    }
    Ok(())
}

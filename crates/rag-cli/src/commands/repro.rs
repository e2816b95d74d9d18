//! `repro`: a run made again from its lock, which must come out the same.

use std::path::PathBuf;

use rag_pipeline::run::{Repetition, Run, repeat};

use crate::Done;
use crate::args::TrustArgs;
use crate::context::Context;
use crate::print::{to_stderr, to_stdout};

/// Asks the questions of a run again, with the settings, models and artifacts that its rag.lock names, and requires the
/// same rankings and answers. Fails when a file comes out otherwise.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag repro target/runs/hybrid\n  rag repro target/runs/hybrid --threads 1"
)]
pub struct Args {
    /// The run's folder.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Compute with so many threads [default: as many as there are processors].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[command(flatten)]
    trust: TrustArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()?;
    }
    let run = Run::open(&args.run)?;
    let trust = args.trust.of_lock();
    let repetition = repeat(&run, &context.settings.models, trust, &context.progress)?;
    if args.json {
        to_stdout(&serde_json::to_string(&repetition)?);
    } else {
        print(&repetition);
    }
    let differing = repetition.same.values().filter(|same| !**same).count();
    anyhow::ensure!(
        repetition.is_identical(),
        "{differing} of {} files came out otherwise",
        repetition.same.len()
    );
    Ok(Done::Complete)
}

fn print(repetition: &Repetition) {
    if let Some(tool) = &repetition.other_tool {
        to_stderr(&format!("the run was made by version {tool} of this program"));
    }
    if !repetition.other_keys.is_empty() {
        let stages = repetition.other_keys.join(", ");
        to_stderr(&format!(
            "this version of the program has another key for: {stages}"
        ));
    }
    for (file, same) in &repetition.same {
        let verdict = if *same { "identical" } else { "DIFFERS" };
        to_stdout(&format!("{verdict:9}  {file}"));
    }
}

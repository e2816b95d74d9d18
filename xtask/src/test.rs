//! `xtask test`: everything that continuous integration runs, in the order that fails soonest.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, bail};
use rag_cli::print::to_stderr;

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(crate) struct Options {
    /// Leave out what needs model weights: the end-to-end tests, the benches and the demo.
    #[arg(long)]
    quick: bool,
}

struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
}

/// What is checked before anything is run. Steps never select packages with `-p`, which would resolve other features of
/// the dependencies and build them once more.
const LINTS: &[Step] = &[
    Step {
        name: "formatting",
        arguments: &["fmt", "--all", "--check"],
        variables: &[],
    },
    Step {
        name: "lints",
        arguments: &[
            "clippy",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
        variables: &[],
    },
    Step {
        name: "documentation",
        arguments: &["doc", "--quiet", "--workspace", "--no-deps"],
        variables: &[("RUSTDOCFLAGS", "-D warnings")],
    },
];

const WITHOUT_WEIGHTS: &[Step] = &[Step {
    name: "tests that need no weights",
    arguments: &["test", "--workspace", "--exclude", "rag-tests"],
    variables: &[],
}];

const WITH_WEIGHTS: &[Step] = &[
    Step {
        name: "model weights",
        arguments: &["xtask", "models", "fetch"],
        variables: &[],
    },
    Step {
        name: "tests",
        arguments: &["test", "--workspace"],
        variables: &[],
    },
    Step {
        name: "benches, each run once",
        arguments: &["test", "--workspace", "--bench", "*"],
        variables: &[],
    },
    Step {
        name: "demo",
        arguments: &["xtask", "demo"],
        variables: &[],
    },
];

/// Runs the steps and stops at the first that fails.
pub(crate) fn run(options: Options) -> anyhow::Result<()> {
    let tests = if options.quick {
        WITHOUT_WEIGHTS
    } else {
        WITH_WEIGHTS
    };
    for step in LINTS.iter().chain(tests) {
        run_step(step)?;
    }
    Ok(())
}

fn run_step(step: &Step) -> anyhow::Result<()> {
    to_stderr(&format!("== {}: cargo {}", step.name, step.arguments.join(" ")));
    let started = Instant::now();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(step.arguments)
        .envs(step.variables.iter().copied())
        .status()
        .with_context(|| format!("cannot start cargo {}", step.arguments.join(" ")))?;
    if !status.success() {
        bail!(
            "{} failed: cargo {} ({status})",
            step.name,
            step.arguments.join(" ")
        );
    }
    to_stderr(&format!(
        "== {}: {:.0} s",
        step.name,
        started.elapsed().as_secs_f64()
    ));
    Ok(())
}

//! `eval export`: a run's answers for other tools.

use std::path::PathBuf;

use rag_eval::exchange::{self, Form, Record};
use rag_pipeline::run::Run;

use crate::Done;
use crate::print::to_stdout;

/// Arguments of `eval export`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The run's folder.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// ragchecker, ragas, ragas-lines or csv.
    #[arg(long, value_name = "FORM")]
    form: Form,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Done> {
    let run = Run::open(&args.run)?;
    let (labels, answers) = (run.labels()?, run.answers()?);
    let records: Vec<Record> = labels
        .iter()
        .zip(&answers)
        .map(|(label, answer)| Record::of(label, answer))
        .collect();
    exchange::write(&args.out, &records, args.form)?;
    to_stdout(&format!("{} answers → {}", records.len(), args.out.display()));
    Ok(Done::Complete)
}

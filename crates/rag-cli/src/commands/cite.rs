//! `cite` and `check`: an answer's sources shown with the quote marked, and a receipt checked anew.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rag_core::answer::{Answer, Citation};
use rag_core::passage::Passage;
use rag_generate::Receipt;

use crate::print::{plain, to_stdout};
use crate::{Done, show};

/// A file this long is neither an answer nor a receipt.
const MAX_BYTES: u64 = 64 << 20;

/// Shows the source of a citation with the quote marked.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag ask 'What does HBR-2207 mean?' --store kb --json > answer.json\n  \
                        rag cite answer.json 1"
)]
pub struct CiteArgs {
    /// What `ask --json` or `ask --receipt` wrote.
    #[arg(value_name = "ANSWER")]
    answer: PathBuf,
    /// Which citation, from 1 in the order of the answer.
    #[arg(value_name = "N")]
    number: usize,
}

/// Checks a receipt: digests, quotes, and every citation anew. Needs no store.
///
/// It proves that the answer follows from the sources in the receipt, not where those came from: compare their digests
/// with the originals. A score that models gave is believed and named.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag ask 'What does HBR-2207 mean?' --store kb --receipt receipt.json\n  \
                        rag check receipt.json"
)]
pub struct CheckArgs {
    /// What `ask --receipt` wrote.
    #[arg(value_name = "RECEIPT")]
    receipt: PathBuf,
}

pub(crate) fn cite(args: &CiteArgs) -> anyhow::Result<Done> {
    let (citations, passages) = read(&args.answer)?;
    let citation = args
        .number
        .checked_sub(1)
        .and_then(|index| citations.get(index))
        .with_context(|| {
            format!(
                "{} has {} citations; choose one of them, from 1",
                args.answer.display(),
                citations.len()
            )
        })?;
    let passage = passages
        .iter()
        .find(|passage| passage.id == citation.id)
        .with_context(|| {
            format!(
                "{} does not hold the source {}",
                args.answer.display(),
                citation.id
            )
        })?;
    to_stdout(&show::source(citation, passage));
    Ok(Done::Complete)
}

pub(crate) fn check(args: &CheckArgs) -> anyhow::Result<Done> {
    let text = text_of(&args.receipt)?;
    let receipt: Receipt = serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is no receipt; `ask --receipt FILE` writes one",
            args.receipt.display()
        )
    })?;
    let problems = receipt.check();
    anyhow::ensure!(
        problems.is_empty(),
        "the receipt does not hold: {}",
        problems.join("; ")
    );
    to_stdout(&format!(
        "the receipt holds: {} citations, {} sources",
        receipt.citations.len(),
        receipt.sources.len()
    ));
    let on_models: Vec<String> = receipt
        .on_models()
        .map(|citation| citation.id.to_string())
        .collect();
    if !on_models.is_empty() {
        to_stdout(&format!(
            "{} of them rest on the score of models, which was not computed again: {}",
            on_models.len(),
            plain(&on_models.join(", "))
        ));
    }
    Ok(Done::Complete)
}

/// Writes the receipt; an existing file is replaced in one step.
pub(crate) fn write_receipt(path: &Path, receipt: &Receipt) -> anyhow::Result<()> {
    let json = serde_json::to_vec_pretty(receipt)?;
    rag_core::artifact::replace_file(path, &json).with_context(|| format!("receipt {}", path.display()))
}

/// The citations of an answer or a receipt, and the passages that it holds.
fn read(path: &Path) -> anyhow::Result<(Vec<Citation>, Vec<Passage>)> {
    let text = text_of(path)?;
    if let Ok(receipt) = serde_json::from_str::<Receipt>(&text) {
        let passages = receipt.sources.into_iter().map(|source| source.passage);
        return Ok((receipt.citations, passages.collect()));
    }
    let answer: Answer = serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is neither an answer nor a receipt; `ask --json` and `ask --receipt FILE` write them",
            path.display()
        )
    })?;
    let passages = answer.passages.into_iter().map(|hit| hit.passage);
    Ok((answer.citations, passages.collect()))
}

pub(crate) fn text_of(path: &Path) -> anyhow::Result<String> {
    let bytes = fs_err::metadata(path)?.len();
    anyhow::ensure!(bytes <= MAX_BYTES, "{} is too long for an answer", path.display());
    Ok(fs_err::read_to_string(path)?)
}

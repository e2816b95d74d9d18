//! `cite` and `check`: an answer's sources shown with the quote marked, and a receipt checked anew.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rag_core::answer::{Answer, Citation};
use rag_core::passage::Passage;
use rag_generate::{Receipt, misquoted};

use crate::context::Context;
use crate::print::{plain, to_stdout};
use crate::{Done, show};

/// A file this long is neither an answer nor a receipt.
const MAX_BYTES: u64 = 64 << 20;

/// Shows the source of a citation with the quote marked, once the quote was found there.
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
/// It proves that the answer follows from the sources in the receipt, not where those came from (compare their digests
/// with the originals), who asked what, or who wrote it. A citation that rests on the score of models is only as good as
/// the receipt's word for it, which is said and ends with exit code 3, unless --models computes the scores again.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag ask 'What does HBR-2207 mean?' --store kb --receipt receipt.json\n  \
                        rag check receipt.json\n  rag check receipt.json --models"
)]
pub struct CheckArgs {
    /// What `ask --receipt` wrote.
    #[arg(value_name = "RECEIPT")]
    receipt: PathBuf,
    /// Compute the scores of models again, with the reranker and the embedder of the settings.
    #[arg(long)]
    models: bool,
}

pub(crate) fn cite(args: &CiteArgs) -> anyhow::Result<Done> {
    let (citations, passages, problems) = read(&args.answer)?;
    anyhow::ensure!(
        problems.is_empty(),
        "the receipt does not hold: {}",
        problems.join("; ")
    );
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
    if let Some(problem) = misquoted(citation, passage) {
        anyhow::bail!("{problem}");
    }
    to_stdout(&show::source(citation, passage));
    Ok(Done::Complete)
}

pub(crate) fn check(args: &CheckArgs, context: &Context) -> anyhow::Result<Done> {
    let text = text_of(&args.receipt)?;
    let receipt: Receipt = serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is no receipt; `ask --receipt FILE` writes one",
            args.receipt.display()
        )
    })?;
    let problems = if args.models {
        rag_pipeline::check_receipt(&receipt, &context.settings, &context.progress)?
    } else {
        receipt.check(&context.settings.generate.verify, None)?
    };
    anyhow::ensure!(
        problems.is_empty(),
        "the receipt does not hold: {}",
        problems.join("; ")
    );
    let counts = format!(
        "{} citations, {} sources",
        receipt.citations.len(),
        receipt.sources.len()
    );
    let believed: Vec<String> = receipt
        .on_models()
        .map(|citation| citation.id.to_string())
        .collect();
    if args.models || believed.is_empty() {
        to_stdout(&format!("the receipt holds: {counts}"));
        return Ok(Done::Complete);
    }
    to_stdout(&format!(
        "the receipt holds as far as it was checked: {counts}; {} of the citations rest on a score of models that only \
         the receipt vouches for ({}): `check --models` computes it again",
        believed.len(),
        plain(&believed.join(", "))
    ));
    Ok(Done::Partly)
}

/// Writes the receipt; an existing file is replaced in one step.
pub(crate) fn write_receipt(path: &Path, receipt: &Receipt) -> anyhow::Result<()> {
    let json = serde_json::to_vec_pretty(receipt)?;
    rag_core::artifact::replace_file(path, &json).with_context(|| format!("receipt {}", path.display()))
}

/// The citations of an answer or a receipt, the passages that it holds, and what is wrong with those of a receipt.
fn read(path: &Path) -> anyhow::Result<(Vec<Citation>, Vec<Passage>, Vec<String>)> {
    let text = text_of(path)?;
    if let Ok(receipt) = serde_json::from_str::<Receipt>(&text) {
        let problems = receipt.sources_problems();
        let passages = receipt.sources.into_iter().map(|source| source.passage);
        return Ok((receipt.citations, passages.collect(), problems));
    }
    let answer: Answer = serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is neither an answer nor a receipt; `ask --json` and `ask --receipt FILE` write them",
            path.display()
        )
    })?;
    let passages = answer.passages.into_iter().map(|hit| hit.passage);
    Ok((answer.citations, passages.collect(), Vec::new()))
}

pub(crate) fn text_of(path: &Path) -> anyhow::Result<String> {
    let bytes = fs_err::metadata(path)?.len();
    anyhow::ensure!(bytes <= MAX_BYTES, "{} is too long for an answer", path.display());
    let text = fs_err::read_to_string(path)?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

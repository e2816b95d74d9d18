//! `why`: an answer walked back to the bytes it comes from.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rag_core::answer::Answer;
use rag_pipeline::Store;
use rag_pipeline::run::{Collection, Run};
use rag_pipeline::why::{FileState, Provenance, trace};

use super::cite::text_of;
use crate::Done;
use crate::print::{plain, to_stdout};

/// Characters of a key that are shown.
const SHOWN_KEY: usize = 16;

/// Walks an answer back: sentence, citation, passage, block, page and box, file; with every artifact's key.
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "Examples:\n  rag ask 'What does HBR-2207 mean?' --store kb --json > answer.json\n  rag why answer.json --store kb\n  \
                        rag why target/runs/hybrid --question q001"
)]
pub struct Args {
    /// What `ask --json` wrote, or a run's folder.
    #[arg(value_name = "ANSWER|RUN")]
    answer: PathBuf,
    /// Which citation, from 1 in the order of the answer [default: all].
    #[arg(value_name = "N")]
    number: Option<usize>,
    /// The store that was asked.
    #[arg(long, value_name = "STORE")]
    store: Option<PathBuf>,
    /// Which question of the run, by its id.
    #[arg(long, value_name = "ID")]
    question: Option<String>,
    /// Print one JSON object per citation.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Done> {
    let (answer, collection) = read(args)?;
    let traced = trace(&answer, &collection)?;
    anyhow::ensure!(
        !traced.is_empty(),
        "the answer cites nothing: {}",
        plain(&answer.text)
    );
    let chosen: Vec<&Provenance> = match args.number {
        None => traced.iter().collect(),
        Some(number) => {
            let one = number.checked_sub(1).and_then(|index| traced.get(index));
            vec![one.with_context(|| {
                format!(
                    "the answer has {} citations; choose one of them, from 1",
                    traced.len()
                )
            })?]
        }
    };
    if !args.json {
        to_stdout(&plain(&answer.text));
    }
    for provenance in chosen {
        to_stdout(&if args.json {
            serde_json::to_string(provenance)?
        } else {
            shown(provenance)
        });
    }
    Ok(Done::Complete)
}

fn read(args: &Args) -> anyhow::Result<(Answer, Collection)> {
    if args.answer.is_dir() {
        let run = Run::open(&args.answer)?;
        let id = args
            .question
            .as_deref()
            .context("say which question of the run: --question ID")?;
        let answer = run.answers()?.into_iter().find(|answer| answer.question.id == id);
        let answer = answer.with_context(|| format!("the run has no question `{}`", plain(id)))?;
        return Ok((answer, Collection::of_run(&run)?));
    }
    let answer: Answer = serde_json::from_str(&text_of(&args.answer)?)
        .with_context(|| format!("{} is no answer; `ask --json` writes one", args.answer.display()))?;
    let store = Store::open(
        args.store
            .as_deref()
            .context("say which store was asked: --store STORE")?,
    )?;
    Ok((answer, Collection::of(&store)?))
}

fn shown(found: &Provenance) -> String {
    let short = |key: &str| key.chars().take(SHOWN_KEY).collect::<String>();
    let held = |holds: bool| {
        if holds {
            "has the quote"
        } else {
            "DOES NOT HAVE THE QUOTE"
        }
    };
    let citation = &found.citation;
    let mut text = format!("\nsentence   {}", plain(&citation.claim));
    let mut line = |name: &str, what: String| {
        let _ = write!(text, "\n{name:10} {what}");
    };
    line(
        "citation",
        format!(
            "[{}] {:?}: {}",
            plain(&citation.id.to_string()),
            citation.status,
            plain(&citation.quote)
        ),
    );
    line("index", format!("generation {}", short(&found.generation)));
    let span = found.passage.span;
    line(
        "passage",
        format!(
            "bytes {} to {} of the document's text, {}; chunk artifact {}",
            span.start,
            span.end,
            held(found.passage.has_quote),
            short(&found.passage.artifact)
        ),
    );
    for block in &found.blocks {
        let mut what = format!(
            "number {} ({:?}), bytes {} to {}",
            block.number, block.kind, block.span.start, block.span.end
        );
        if !block.headings.is_empty() {
            let _ = write!(what, ", below {}", plain(&block.headings.join(" > ")));
        }
        if let Some(page) = block.page {
            let _ = write!(what, ", page {page}");
        }
        if let Some(at) = block.bounding_box {
            let _ = write!(
                what,
                ", box {:.0} {:.0} {:.0} {:.0}",
                at.left, at.top, at.right, at.bottom
            );
        }
        line("block", what);
    }
    line(
        "document",
        format!(
            "{}, {}; parse artifact {}",
            plain(&found.document.title),
            held(found.document.has_quote),
            short(&found.document.artifact)
        ),
    );
    line("file", file(found));
    text
}

fn file(found: &Provenance) -> String {
    let file = &found.file;
    let state = match file.state {
        FileState::Unchanged => "unchanged since it was read",
        FileState::Changed => "CHANGED since it was read",
        FileState::Missing => "not there any more",
        FileState::Imported => "a data set, of which the document is one line",
        FileState::Unknown => "not looked at, since the run does not say in which folder it lay",
    };
    let mut text = format!(
        "{}, {state}, blake3 {}",
        shown_path(&file.path),
        file.digest.chars().take(SHOWN_KEY).collect::<String>()
    );
    match file.bytes {
        Some(span) => {
            let _ = write!(text, ", bytes {} to {}", span.start, span.end);
        }
        None if file.state == FileState::Unchanged => {
            text.push_str(", the words do not stand in its bytes as they are");
        }
        None => {}
    }
    text
}

fn shown_path(path: &Path) -> String {
    plain(&path.display().to_string())
}

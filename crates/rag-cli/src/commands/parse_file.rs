//! `parse --explain` and `parse --preview`: one file looked at, to see why a line is gone or where a block is.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::Context as _;
use rag_parse::worker::Reader;
use rag_parse::{Config, Parsed};

use super::parse::worker_command;
use super::parse_preview;
use crate::Done;
use crate::context::Context;
use crate::print::{plain, to_stdout};

/// Removals of one step that are shown.
const SHOWN: usize = 50;

/// Resolution of the pages of a preview, in dots per inch.
const PREVIEW_DPI: u32 = 96;

/// Longest piece of text that is shown, in characters.
const SHOWN_CHARACTERS: usize = 120;

/// Prints each block with its place, and what every clean-up step removed.
pub(crate) fn explain(file: &Path, context: &Context) -> anyhow::Result<Done> {
    let parsed = read(file, 0, context)?;
    let document = &parsed.document;
    to_stdout(&format!(
        "{}: {}, {}",
        plain(&document.source),
        document.media_type,
        document.language
    ));
    for (at, block) in document.blocks.iter().enumerate() {
        let page = block.page.map_or_else(String::new, |page| format!(" p{page}"));
        let place = block.bounding_box.map_or_else(String::new, |place| {
            format!(
                " [{:.0} {:.0} {:.0} {:.0}]",
                place.left, place.top, place.right, place.bottom
            )
        });
        let text = short(document.block_text(block));
        to_stdout(&format!("{:4}{page}{place} {:?}: {text}", at + 1, block.kind));
    }
    let mut steps: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for removed in &parsed.removed {
        let page = removed.page.map_or_else(String::new, |page| format!("p{page} "));
        steps
            .entry(&removed.step)
            .or_default()
            .push(format!("{page}{}", short(&removed.text)));
    }
    for (step, texts) in steps {
        to_stdout(&format!("\nremoved by parse.repair.{step}: {}", texts.len()));
        for text in texts.iter().take(SHOWN) {
            to_stdout(&format!("    {text}"));
        }
        if texts.len() > SHOWN {
            to_stdout(&format!("    and {} more", texts.len() - SHOWN));
        }
    }
    for diagnostic in &parsed.diagnostics {
        to_stdout(&format!(
            "{}: {}",
            plain(&diagnostic.reason),
            plain(&diagnostic.message)
        ));
    }
    Ok(Done::Complete)
}

/// Writes a page of HTML that shows the blocks where they stand.
pub(crate) fn preview(file: &Path, output: &Path, context: &Context) -> anyhow::Result<Done> {
    refuse_other_files(output)?;
    let parsed = read(file, PREVIEW_DPI, context)?;
    let html = parse_preview::html(&parsed);
    fs_err::write(output, html).context("cannot write the preview; give another path with --out")?;
    to_stdout(&format!("{}: written", output.display()));
    Ok(Done::Complete)
}

/// Only an earlier preview is replaced: anything else at that path may be a document.
fn refuse_other_files(output: &Path) -> anyhow::Result<()> {
    let mut start = Vec::new();
    if let Ok(file) = fs_err::File::open(output) {
        file.take(parse_preview::START.len() as u64)
            .read_to_end(&mut start)?;
    }
    anyhow::ensure!(
        !output.exists() || start == parse_preview::START.as_bytes(),
        "{} exists and is no preview; give another path with --out, or remove it",
        output.display()
    );
    Ok(())
}

/// Reads one file in a process of its own, with what clean-up steps remove kept.
fn read(file: &Path, picture_dpi: u32, context: &Context) -> anyhow::Result<Parsed> {
    anyhow::ensure!(file.is_file(), "{} is not a file; name one file", file.display());
    let config = Config {
        report_removed: true,
        picture_dpi,
        ..context.settings.parse.clone()
    };
    let runtime = rag_pipeline::parse_runtime(&context.settings, Some(worker_command()?))?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let outcome = Reader::new(&config, &runtime).read(file, &name)?;
    outcome.map_err(|failure| anyhow::anyhow!("{}: {}: {}", file.display(), failure.reason, failure.message))
}

fn short(text: &str) -> String {
    let text = plain(text);
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_preview_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pdf");
        assert!(refuse_other_files(&path).is_ok());
        fs_err::write(&path, "%PDF-1.7").unwrap();
        assert!(refuse_other_files(&path).is_err());
        fs_err::write(&path, format!("{}<title>x", parse_preview::START)).unwrap();
        assert!(refuse_other_files(&path).is_ok());
        assert!(refuse_other_files(folder.path()).is_err());
    }
}

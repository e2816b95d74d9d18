//! Parses a folder and prints how it went: counts, reasons, pages and time.
//!
//! ```text
//! cargo run -p rag-parse --example parse_folder -- DIR [--pdfium LIBRARY] [--show FILE] [--in-process] [--out STORE]
//! ```
//! With `--show`, one file is parsed and its blocks are printed instead. With `--out`, the artifact is kept.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rag_core::artifact::Artifact;
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic};
use rag_core::document::{DOCUMENTS_FILE, Document};
use rag_core::progress::Silent;
use rag_parse::{Config, Given, Parser, Runtime, STAGE, WorkerCommand, run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut runtime = Runtime::default();
    let (mut folder, mut show, mut store, mut is_isolated) = (None, None, None, true);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--worker" => {
                return Ok(rag_parse::worker::worker_main(
                    std::io::stdin(),
                    std::io::stdout(),
                )?);
            }
            "--pdfium" => runtime.pdfium_library = args.next().map(PathBuf::from),
            "--show" => show = args.next(),
            "--out" => store = args.next().map(PathBuf::from),
            "--in-process" => is_isolated = false,
            _ => folder = Some(PathBuf::from(arg)),
        }
    }
    if let Some(file) = show {
        return show_file(&file, runtime.pdfium_library.as_deref());
    }
    let folder = folder.ok_or("name a folder")?;
    if is_isolated {
        runtime.worker = Some(WorkerCommand {
            program: std::env::current_exe()?,
            args: vec!["--worker".to_owned()],
        });
    }
    let scratch = tempfile::tempdir()?;
    let store = store.as_deref().unwrap_or(scratch.path());
    runtime.state_dir = Some(store.join("state"));
    let output = store.join("documents");
    for round in ["first", "second"] {
        let started = Instant::now();
        let outcome = run(&Config::default(), &folder, &output, &runtime, &Silent)?;
        println!(
            "{round} run: {outcome:?} in {:.2} s",
            started.elapsed().as_secs_f64()
        );
    }
    summarise(&output)
}

fn summarise(output: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let artifact = Artifact::open(output, STAGE)?;
    let mut formats: BTreeMap<String, [u64; 4]> = BTreeMap::new();
    for document in artifact.json_lines::<Document>(DOCUMENTS_FILE)? {
        let document = document?;
        for block in &document.blocks {
            assert!(
                block.span.slice(&document.text).is_some(),
                "{}: a span outside the text",
                document.source
            );
        }
        let counts = formats.entry(document.media_type.clone()).or_default();
        let added = [
            1,
            document.blocks.len() as u64,
            u64::from(document.pages.unwrap_or(0)),
            document.text.len() as u64,
        ];
        for (count, more) in counts.iter_mut().zip(added) {
            *count += more;
        }
    }
    for (format, [documents, blocks, pages, bytes]) in formats {
        println!("{format}: {documents} documents, {blocks} blocks, {pages} pages, {bytes} bytes of text");
    }
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for diagnostic in artifact.json_lines::<Diagnostic>(DIAGNOSTICS_FILE)? {
        let Diagnostic {
            source,
            severity,
            reason,
            message,
        } = diagnostic?;
        reasons
            .entry(format!("{severity:?} {reason}"))
            .or_default()
            .push(format!("{source}: {message}"));
    }
    for (reason, files) in reasons {
        println!("{reason}: {}", files.len());
        for file in files.iter().take(12) {
            println!("    {file}");
        }
    }
    Ok(())
}

fn show_file(file: &str, pdfium: Option<&Path>) -> Result<(), Box<dyn std::error::Error>> {
    let bytes = fs_err::read(file)?;
    let started = Instant::now();
    let parsed = Parser::new(Config::default(), pdfium).parse(file, &bytes, &Given::default())?;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    let document = &parsed.document;
    println!(
        "{} · {} · {:?} pages · {milliseconds:.1} ms",
        document.title, document.language, document.pages
    );
    for block in &document.blocks {
        let depth = block.heading_path.len();
        println!(
            "{:?} p{:?} /{depth} {}",
            block.kind,
            block.page.unwrap_or(0),
            document.block_text(block)
        );
    }
    for diagnostic in &parsed.diagnostics {
        println!("{diagnostic:?}");
    }
    Ok(())
}

//! Makes the DOCX and PDF files of the sample corpus from text sources, so that their text is known.
//!
//! Reads `data/handbook-src/**/*.docx.md` and `*.pdf.md` (a small Markdown with front matter, see
//! [`source`]), writes the rendered file and its `.meta.toml` sidecar under `data/handbook`. Equal
//! sources give equal bytes, which lets [`check`] hold the committed files to their sources.
//! Documents of the other formats are written by hand and are not touched here.

mod docx;
mod pdf;
mod source;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod expectations;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use source::Source;

/// Deepest nesting of folders that is followed below the source folder.
const MAX_DEPTH: usize = 8;

/// One file of the corpus as the sources say it should be.
struct Rendered {
    /// Path relative to the output folder.
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Renders every source below `source_dir` into `out_dir`, with a sidecar next to each file.
///
/// Files that no source accounts for are left alone; [`check`] reports them.
pub(crate) fn generate(source_dir: &Path, out_dir: &Path) -> Result<()> {
    for file in render_all(source_dir)? {
        let target = out_dir.join(&file.path);
        if let Some(folder) = target.parent() {
            fs_err::create_dir_all(folder)?;
        }
        fs_err::write(&target, &file.bytes)?;
    }
    Ok(())
}

/// Fails, naming every file, if `out_dir` differs from what [`generate`] would write, or holds a DOCX
/// or PDF file without a source.
pub(crate) fn check(source_dir: &Path, out_dir: &Path) -> Result<()> {
    let rendered = render_all(source_dir)?;
    let mut problems = Vec::new();
    for file in &rendered {
        let target = out_dir.join(&file.path);
        match fs_err::read(&target) {
            Ok(bytes) if bytes == file.bytes => {}
            Ok(_) => problems.push(format!("{} differs from its source", file.path.display())),
            Err(error) => problems.push(error.to_string()),
        }
    }
    for path in files_below(out_dir)? {
        let made_by_us = path.extension().is_some_and(|e| e == "docx" || e == "pdf");
        if made_by_us && !rendered.iter().any(|file| file.path == path) {
            problems.push(format!("{} has no source", path.display()));
        }
    }
    if !problems.is_empty() {
        bail!(
            "the sample corpus does not match {}:\n  {}\nregenerate it, or remove what has no source",
            source_dir.display(),
            problems.join("\n  ")
        );
    }
    Ok(())
}

/// Renders all sources in the order of their paths; each gives a document and a sidecar.
fn render_all(source_dir: &Path) -> Result<Vec<Rendered>> {
    let mut rendered = Vec::new();
    for path in files_below(source_dir)? {
        let full = source_dir.join(&path);
        let text = fs_err::read_to_string(&full)?;
        let files = render(&path, &text).with_context(|| format!("in {}", full.display()))?;
        rendered.extend(files);
    }
    if rendered.is_empty() {
        bail!("no sources found in {}", source_dir.display());
    }
    Ok(rendered)
}

/// Renders one source; `path` ends in `.docx.md` or `.pdf.md` and decides the format.
fn render(path: &Path, text: &str) -> Result<[Rendered; 2]> {
    let source = Source::parse(text)?;
    let target = path.with_extension("");
    let bytes = match target.extension().and_then(|e| e.to_str()) {
        Some("docx") => docx::render(&source)?,
        Some("pdf") => pdf::render(&source)?,
        _ => bail!("expected a name ending in .docx.md or .pdf.md"),
    };
    let mut sidecar = target.clone().into_os_string();
    sidecar.push(".meta.toml");
    Ok([
        Rendered { path: target, bytes },
        Rendered {
            path: sidecar.into(),
            bytes: source.metadata.to_sidecar()?.into_bytes(),
        },
    ])
}

/// Files below `folder`, relative to it, sorted by path.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((current, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            bail!("{} is nested deeper than {MAX_DEPTH} folders", current.display());
        }
        for entry in fs_err::read_dir(&current)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                open.push((path, depth + 1));
            } else if let Ok(relative) = path.strip_prefix(folder) {
                files.push(relative.to_owned());
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(title: &str) -> String {
        format!(
            "---\nid: a\ntitle: {title}\ndepartment: IT\nupdated: 2026-01-02\nlanguage: en\naccess: [everyone]\n---\n\n# {title}\n\nText.\n"
        )
    }

    #[test]
    fn committed_files_match_their_sources() {
        let data = corpus::data_dir();
        check(&data.join("handbook-src"), &data.join("handbook")).expect("regenerate the handbook");
    }

    #[test]
    fn generate_satisfies_check_and_check_sees_every_kind_of_drift() {
        let folder = tempfile::tempdir().unwrap();
        let (sources, out) = (folder.path().join("src"), folder.path().join("out"));
        fs_err::create_dir_all(sources.join("it")).unwrap();
        fs_err::write(sources.join("it/a.pdf.md"), source("One")).unwrap();
        fs_err::write(sources.join("it/b.docx.md"), source("Two")).unwrap();
        generate(&sources, &out).unwrap();
        check(&sources, &out).unwrap();

        fs_err::write(out.join("it/a.pdf"), b"edited").unwrap();
        fs_err::remove_file(out.join("it/b.docx.meta.toml")).unwrap();
        fs_err::write(out.join("it/stray.pdf"), b"").unwrap();
        let report = check(&sources, &out).unwrap_err().to_string();
        for file in ["a.pdf differs", "b.docx.meta.toml", "stray.pdf has no source"] {
            assert!(report.contains(file), "{file} not in {report}");
        }
    }

    #[test]
    fn unknown_formats_and_empty_folders_are_errors() {
        assert!(render(Path::new("it/a.odt.md"), &source("One")).is_err());
        let folder = tempfile::tempdir().unwrap();
        assert!(generate(folder.path(), folder.path()).is_err());
    }
}

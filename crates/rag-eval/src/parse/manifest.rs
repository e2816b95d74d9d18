//! The list of a parsing corpus: its files, what each exercises, and where its ground truth is.

use std::path::{Path, PathBuf};

use crate::EvalError;

/// Largest list that is read, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A folder with `manifest.tsv`, `files/` and `gt/`.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The folder.
    pub folder: PathBuf,
    /// Its files, in the order of the list.
    pub entries: Vec<Entry>,
}

/// A file of the corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name in `files/`.
    pub file: String,
    /// What it exercises, as the list says, in lower case.
    pub tags: String,
    /// Names of its ground truth in `gt/`.
    pub truth: Vec<String>,
}

impl Corpus {
    /// Reads the list of the corpus at `folder`. Columns are found by the names `file`, `tags` and `gt`.
    pub fn open(folder: &Path) -> Result<Self, EvalError> {
        let path = folder.join("manifest.tsv");
        let part = |path: &Path, part| EvalError::Part {
            path: path.to_owned(),
            part,
        };
        if !path.is_file() {
            return Err(part(&path, "manifest.tsv with the columns file, tags and gt"));
        }
        let bytes = fs_err::metadata(&path)?.len();
        if bytes > MAX_BYTES {
            return Err(EvalError::TooLarge {
                path,
                bytes,
                limit: MAX_BYTES,
            });
        }
        let text = fs_err::read_to_string(&path)?;
        let entries =
            entries(&text).ok_or_else(|| part(&path, "a first line that names file, tags and gt"))?;
        Ok(Self {
            folder: folder.to_owned(),
            entries,
        })
    }

    /// Where a file of the corpus is.
    pub fn path(&self, entry: &Entry) -> PathBuf {
        self.folder.join("files").join(&entry.file)
    }
}

impl Entry {
    /// True for a PDF file.
    pub fn is_pdf(&self) -> bool {
        self.file.to_ascii_lowercase().ends_with(".pdf")
    }

    /// True when the list calls the file a scan without a text layer.
    pub fn is_scan(&self) -> bool {
        self.tags.contains("scan") && !self.tags.contains("ocr layer")
    }

    /// True when the list says that its text stands in columns.
    pub fn has_columns(&self) -> bool {
        let names = ["2col", "3col", "multi-column", "two text boxes"];
        names.iter().any(|name| self.tags.contains(name)) && !self.tags.contains("table")
    }
}

fn entries(text: &str) -> Option<Vec<Entry>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next()?.split('\t').collect();
    let column = |name| names.iter().position(|found| *found == name);
    let (file, tags, truth) = (column("file")?, column("tags")?, column("gt")?);
    let entry = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |at: usize| cells.get(at).copied().unwrap_or_default().trim();
        Entry {
            file: cell(file).to_owned(),
            tags: cell(tags).to_lowercase(),
            truth: cell(truth)
                .split(';')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
        }
    };
    // A name with a folder in it could lead out of the corpus.
    Some(
        lines
            .map(entry)
            .filter(|entry| !entry.file.is_empty() && !entry.file.contains('/'))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let found =
            entries("file\tx\ttags\tgt\na.pdf\t1\t2col Paper\ta.md;a.csv\n../b\t\t\t\nc.eml\t\teml").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].truth, ["a.md", "a.csv"]);
        assert!(found[0].has_columns() && found[0].is_pdf() && !found[1].is_pdf());
        assert_eq!(entries("name\ttags\n"), None);
    }
}

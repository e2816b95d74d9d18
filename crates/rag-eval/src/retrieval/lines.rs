//! Reading the tab or white-space separated files of the evaluation world, line by line and within bounds.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::error::EvalError;

/// Largest qrels or run file that is read.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// Longest line that is read; a line of these files has a few ids and numbers.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// Calls `each` with the number (from 1) and text of every line that is not blank. What `each`
/// returns as an error is reported with the path and the line.
pub(super) fn for_each_line(
    path: &Path,
    mut each: impl FnMut(usize, &str) -> Result<(), String>,
) -> Result<(), EvalError> {
    let file = fs_err::File::open(path)?;
    let bytes = file.metadata()?.len();
    if bytes > MAX_FILE_BYTES {
        return Err(EvalError::TooLarge {
            path: path.to_owned(),
            bytes,
            limit: MAX_FILE_BYTES,
        });
    }
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut reader)
            .take(MAX_LINE_BYTES + 1)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        let parsed = line_text(&line).and_then(|text| match text {
            "" => Ok(()),
            text => each(number, text),
        });
        parsed.map_err(|reason| EvalError::Line {
            path: path.to_owned(),
            line: number,
            reason,
        })?;
    }
    Ok(())
}

/// The text of a line without its end and a byte order mark.
fn line_text(line: &[u8]) -> Result<&str, String> {
    if line.len() as u64 > MAX_LINE_BYTES {
        return Err(format!("the line has more than {MAX_LINE_BYTES} bytes"));
    }
    let text = std::str::from_utf8(line).map_err(|_| "the line is not UTF-8: convert the file".to_owned())?;
    Ok(text.trim_start_matches('\u{feff}').trim())
}

/// The columns of a line: between tabs when that gives a number of columns in `expected`, since ids
/// may then have spaces; else between white space.
pub(super) fn columns<'l>(line: &'l str, expected: &[usize]) -> Vec<&'l str> {
    let tabbed: Vec<&str> = line.split('\t').map(str::trim).collect();
    if expected.contains(&tabbed.len()) && tabbed.iter().all(|column| !column.is_empty()) {
        return tabbed;
    }
    line.split_whitespace().collect()
}

/// What stands between the columns of a line with these ids: a tab where one has a space. An id
/// that no line could hold is an error.
pub(super) fn separator<'i>(path: &Path, ids: impl IntoIterator<Item = &'i str>) -> Result<char, EvalError> {
    let mut separator = ' ';
    for id in ids {
        let is_breaking = |c: char| c == '\t' || c == '\n' || c == '\r';
        if id.is_empty() || id.trim() != id || id.contains(is_breaking) {
            return Err(EvalError::Column {
                path: path.to_owned(),
                id: id.to_owned(),
            });
        }
        if id.contains(char::is_whitespace) {
            separator = '\t';
        }
    }
    Ok(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_come_before_spaces() {
        let cases: &[(&str, &[&str])] = &[
            ("q1\td 1\t1", &["q1", "d 1", "1"]),
            ("q1 0 d1 1", &["q1", "0", "d1", "1"]),
            ("q1 0\td1 1", &["q1", "0", "d1", "1"]),
            ("q1\t\td1 1", &["q1", "d1", "1"]),
        ];
        for (line, expected) in cases {
            assert_eq!(columns(line, &[3, 4]), *expected, "{line}");
        }
    }

    #[test]
    fn a_line_without_end_is_refused_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        for (bytes, reason) in [
            (vec![b'x'; 1 << 20], "more than"),
            (b"caf\xe9 0 d 1".to_vec(), "not UTF-8"),
        ] {
            fs_err::write(&path, [b"fine\n".as_slice(), &bytes].concat()).unwrap();
            let message = for_each_line(&path, |_, _| Ok(())).unwrap_err().to_string();
            assert!(
                message.contains("line 2") && message.contains(reason),
                "{message}"
            );
        }
    }
}

//! JSON-lines files: one value a line, streamed.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ArtifactError;

/// The byte order mark in UTF-8, which some editors begin a file with.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The byte order marks of UTF-16.
const UTF_16_MARKS: [&[u8]; 2] = [b"\xFF\xFE", b"\xFE\xFF"];

/// Longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 256 << 20;

/// Writes values to a JSON-lines file.
pub struct Writer<T> {
    file: BufWriter<fs_err::File>,
    path: PathBuf,
    value: PhantomData<fn(&T)>,
}

impl<T: Serialize> Writer<T> {
    /// Creates or empties the file at `path`.
    pub fn create(path: &Path) -> Result<Self, ArtifactError> {
        let file = BufWriter::new(fs_err::File::create(path)?);
        Ok(Self {
            file,
            path: path.to_owned(),
            value: PhantomData,
        })
    }

    /// Appends one line.
    pub fn write(&mut self, value: &T) -> Result<(), ArtifactError> {
        let line = serde_json::to_vec(value).map_err(|e| ArtifactError::Encode {
            path: self.path.clone(),
            reason: e.to_string(),
        })?;
        self.file.write_all(&line)?;
        self.file.write_all(b"\n")?;
        Ok(())
    }

    /// Writes out what is buffered.
    pub fn finish(mut self) -> Result<(), ArtifactError> {
        self.file.flush()?;
        Ok(())
    }
}

/// Reads the values of a JSON-lines file one by one; blank lines are skipped.
pub struct Reader<T> {
    file: BufReader<fs_err::File>,
    path: PathBuf,
    line: usize,
    buffer: Vec<u8>,
    value: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Reader<T> {
    /// Opens the file at `path`.
    pub fn open(path: &Path) -> Result<Self, ArtifactError> {
        let file = BufReader::new(fs_err::File::open(path)?);
        Ok(Self {
            file,
            path: path.to_owned(),
            line: 0,
            buffer: Vec::new(),
            value: PhantomData,
        })
    }

    /// Takes the byte order mark of UTF-8 off the first line, and refuses UTF-16.
    fn check_encoding(&mut self) -> Result<(), ArtifactError> {
        if self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
        if UTF_16_MARKS.iter().any(|mark| self.buffer.starts_with(mark)) {
            return Err(ArtifactError::Damaged {
                path: self.path.clone(),
                reason: "it is text in UTF-16, and is read as UTF-8".to_owned(),
            });
        }
        Ok(())
    }

    fn next_line(&mut self) -> Result<bool, ArtifactError> {
        self.buffer.clear();
        self.line += 1;
        let read = self
            .file
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut self.buffer)?;
        if read as u64 == MAX_LINE_BYTES {
            let reason = format!("line {} is longer than {MAX_LINE_BYTES} bytes", self.line);
            return Err(ArtifactError::Damaged {
                path: self.path.clone(),
                reason,
            });
        }
        if self.line == 1 {
            self.check_encoding()?;
        }
        Ok(read > 0)
    }
}

impl<T: DeserializeOwned> Iterator for Reader<T> {
    type Item = Result<T, ArtifactError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_line() {
                Ok(true) if self.buffer.trim_ascii().is_empty() => {}
                Ok(true) => {
                    let value = serde_json::from_slice(&self.buffer).map_err(|source| ArtifactError::Line {
                        path: self.path.clone(),
                        line: self.line,
                        source,
                    });
                    return Some(value);
                }
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Writes all `values` to the file at `path`.
pub fn write_all<'v, T: Serialize + 'v>(
    path: &Path,
    values: impl IntoIterator<Item = &'v T>,
) -> Result<(), ArtifactError> {
    let mut writer = Writer::create(path)?;
    for value in values {
        writer.write(value)?;
    }
    writer.finish()
}

/// Reads all values of the file at `path`.
pub fn read_all<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, ArtifactError> {
    Reader::open(path)?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_value_and_other_encodings_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("values.jsonl");
        fs_err::write(&path, b"\xEF\xBB\xBF1\r\n2\r\n").unwrap();
        assert_eq!(read_all::<u32>(&path).unwrap(), [1, 2]);
        for bytes in [b"\xFF\xFE1\0\n\0", b"\xFE\xFF\x001\0\n"] {
            fs_err::write(&path, bytes).unwrap();
            let error = read_all::<u32>(&path).unwrap_err().to_string();
            assert!(error.contains("UTF-16"), "{error}");
        }
    }

    #[test]
    fn values_round_trip_and_a_bad_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("values.jsonl");
        write_all(&path, &[1u32, 2, 3]).unwrap();
        assert_eq!(read_all::<u32>(&path).unwrap(), [1, 2, 3]);
        fs_err::write(&path, "1\n\n\"x\"\n").unwrap();
        let error = read_all::<u32>(&path).unwrap_err().to_string();
        assert!(
            error.contains("line 3: ") && error.ends_with("column 3"),
            "{error}"
        );
    }
}

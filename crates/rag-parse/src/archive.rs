//! Zip-based files: parts by name, with bounds on how many there are and on what they unpack to.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::config::Limits;
use crate::error::Failure;

/// An opened archive and what it may still unpack.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    budget: u64,
    limit: u64,
}

impl<'b> Archive<'b> {
    /// Opens an archive; one with too many entries is refused.
    pub(crate) fn open(bytes: &'b [u8], limits: &Limits) -> Result<Self, Failure> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
        if zip.len() > limits.max_archive_entries {
            let message = format!(
                "its {} entries are more than the limit of {}",
                zip.len(),
                limits.max_archive_entries
            );
            return Err(Failure::lasting("archive-bomb", message));
        }
        Ok(Self {
            zip,
            budget: limits.max_archive_bytes,
            limit: limits.max_archive_bytes,
        })
    }

    /// Unpacks the part `name`; nothing when there is none. What all parts unpack to is bounded.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let part = match self.zip.by_name(name) {
            Err(ZipError::FileNotFound) => return Ok(None),
            part => part.map_err(|error| damaged(&error))?,
        };
        let mut bytes = Vec::new();
        let read = part.take(self.budget + 1).read_to_end(&mut bytes);
        let read = read.map_err(|error| {
            Failure::lasting(
                "damaged",
                format!("its part `{name}` cannot be unpacked: {error}"),
            )
        })?;
        if let Some(rest) = self.budget.checked_sub(read as u64) {
            self.budget = rest;
            return Ok(Some(bytes));
        }
        let message = format!("its parts unpack to more than the limit of {} bytes", self.limit);
        Err(Failure::lasting("archive-bomb", message))
    }
}

fn damaged(error: &ZipError) -> Failure {
    Failure::lasting("damaged", format!("it is no readable zip archive: {error}"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::Write;

    /// Packs parts into an archive.
    pub(crate) fn pack(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in parts {
            zip.start_file(*name, zip::write::SimpleFileOptions::default())
                .unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn parts_are_read_within_the_bounds() {
        let bytes = pack(&[("a", b"text"), ("bomb", &vec![0; 1 << 20])]);
        let limits = Limits {
            max_archive_bytes: 1000,
            ..Limits::default()
        };
        let mut archive = Archive::open(&bytes, &limits).unwrap();
        assert_eq!(archive.read("a").unwrap().as_deref(), Some(&b"text"[..]));
        assert_eq!(archive.read("none").unwrap(), None);
        assert_eq!(archive.read("bomb").unwrap_err().reason, "archive-bomb");
        let limits = Limits {
            max_archive_entries: 1,
            ..Limits::default()
        };
        assert_eq!(
            Archive::open(&bytes, &limits).err().unwrap().reason,
            "archive-bomb"
        );
        assert_eq!(
            Archive::open(&bytes[..40], &Limits::default())
                .err()
                .unwrap()
                .reason,
            "damaged"
        );
    }
}

//! Zip-based files: parts by name, with bounds on how many there are and on what they unpack to.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::rc::Rc;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::config::Limits;
use crate::error::Failure;

/// Bytes that the archives of one file have unpacked to, those of its attachments among them.
pub(crate) type Unpacked = Rc<Cell<u64>>;

/// An opened archive and what it may still unpack.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    /// Number of each part by its name as [`folded`].
    by_name: HashMap<String, usize>,
    unpacked: Unpacked,
    limit: u64,
}

impl<'b> Archive<'b> {
    /// Opens an archive; one with too many entries is refused.
    pub(crate) fn open(bytes: &'b [u8], limits: &Limits, unpacked: &Unpacked) -> Result<Self, Failure> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
        if zip.len() > limits.max_archive_entries {
            let message = format!(
                "its {} entries are more than the limit of {}",
                zip.len(),
                limits.max_archive_entries
            );
            return Err(Failure::lasting("archive-bomb", message));
        }
        let names = zip.file_names().enumerate();
        let by_name = names
            .filter_map(|(number, name)| Some((folded(&name.ok()?), number)))
            .collect();
        Ok(Self {
            zip,
            by_name,
            unpacked: Rc::clone(unpacked),
            limit: limits.max_archive_bytes,
        })
    }

    /// Unpacks the part `name`, however its letters and slashes are written; nothing when there is none.
    /// What all parts unpack to is bounded.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let exact = self.zip.index_for_name(name);
        let Some(number) = exact.or_else(|| self.by_name.get(&folded(name)).copied()) else {
            return Ok(None);
        };
        let part = self.zip.by_index(number).map_err(|error| damaged(&error))?;
        let budget = self.limit.saturating_sub(self.unpacked.get());
        let mut bytes = Vec::new();
        let read = part.take(budget + 1).read_to_end(&mut bytes);
        let read = read.map_err(|error| {
            Failure::lasting(
                "damaged",
                format!("its part `{name}` cannot be unpacked: {error}"),
            )
        })? as u64;
        if read <= budget {
            self.unpacked.set(self.unpacked.get() + read);
            return Ok(Some(bytes));
        }
        self.unpacked.set(self.limit);
        let message = format!("its parts unpack to more than the limit of {} bytes", self.limit);
        Err(Failure::lasting("archive-bomb", message))
    }
}

/// A name as all writers of packages mean it: case does not count (ECMA-376 part 2, 6.2.2), and some
/// write the slashes of their system.
pub(crate) fn folded(name: &str) -> String {
    name.replace('\\', "/").to_ascii_lowercase()
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
        let mut archive = Archive::open(&bytes, &limits, &Unpacked::default()).unwrap();
        assert_eq!(archive.read("a").unwrap().as_deref(), Some(&b"text"[..]));
        assert_eq!(archive.read("none").unwrap(), None);
        assert_eq!(archive.read("bomb").unwrap_err().reason, "archive-bomb");
        let limits = Limits {
            max_archive_entries: 1,
            ..Limits::default()
        };
        assert_eq!(
            Archive::open(&bytes, &limits, &Unpacked::default())
                .err()
                .unwrap()
                .reason,
            "archive-bomb"
        );
        assert_eq!(
            Archive::open(&bytes[..40], &Limits::default(), &Unpacked::default())
                .err()
                .unwrap()
                .reason,
            "damaged"
        );
    }

    #[test]
    fn names_are_found_whatever_their_case_and_slashes() {
        let bytes = pack(&[("Word\\Document.XML", b"text")]);
        let mut archive = Archive::open(&bytes, &Limits::default(), &Unpacked::default()).unwrap();
        assert_eq!(
            archive.read("word/document.xml").unwrap().as_deref(),
            Some(&b"text"[..])
        );
    }

    #[test]
    fn archives_of_one_file_share_what_they_may_unpack() {
        let bytes = pack(&[("a", &[b'x'; 600])]);
        let limits = Limits {
            max_archive_bytes: 1000,
            ..Limits::default()
        };
        let unpacked = Unpacked::default();
        let read = || Archive::open(&bytes, &limits, &unpacked).unwrap().read("a");
        assert!(read().is_ok());
        assert_eq!(read().unwrap_err().reason, "archive-bomb");
    }
}

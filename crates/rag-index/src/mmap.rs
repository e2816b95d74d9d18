//! Files mapped into memory, and their bytes seen as numbers. The only place with raw memory.

use std::path::Path;

/// Numbers are stored little-endian and read in place.
#[cfg(target_endian = "big")]
compile_error!("generations are read in place, which needs a little-endian machine");

/// A file mapped for reading.
#[derive(Debug)]
pub(crate) struct Map(memmap2::Mmap);

impl Map {
    /// Maps the file at `path`, which must be part of an artifact: published files never change.
    pub(crate) fn open(path: &Path) -> std::io::Result<Self> {
        let file = fs_err::File::open(path)?;
        // SAFETY: a mapping is sound as long as nobody changes or cuts the file under it. Artifacts are
        // published by a rename and replaced whole, never written to; removing one keeps its mapped pages.
        let map = unsafe { memmap2::Mmap::map(file.file()) };
        Ok(Self(map?))
    }

    /// All bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The whole of `bytes` as 32-bit floats, or `None` when its start or length does not fit.
pub(crate) fn as_floats(bytes: &[u8]) -> Option<&[f32]> {
    // SAFETY: every pattern of 32 bits is an f32, and `align_to` only yields aligned values.
    let (before, floats, after) = unsafe { bytes.align_to::<f32>() };
    (before.is_empty() && after.is_empty()).then_some(floats)
}

/// The whole of `bytes` as 32-bit integers, or `None` when its start or length does not fit.
pub(crate) fn as_words(bytes: &[u8]) -> Option<&[u32]> {
    // SAFETY: every pattern of 32 bits is a u32, and `align_to` only yields aligned values.
    let (before, words, after) = unsafe { bytes.align_to::<u32>() };
    (before.is_empty() && after.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_numbers_are_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        let written = [1.5f32, -2.0, f32::MAX];
        let bytes: Vec<u8> = written.iter().flat_map(|n| n.to_le_bytes()).collect();
        fs_err::write(&path, &bytes).unwrap();
        let map = Map::open(&path).unwrap();
        assert_eq!(as_floats(map.bytes()).unwrap(), written);
        assert_eq!(as_words(map.bytes()).unwrap()[0], 1.5f32.to_bits());
        assert!(as_floats(&map.bytes()[1..]).is_none());
        assert!(as_floats(&map.bytes()[..5]).is_none());
    }

    #[test]
    fn an_empty_file_maps_to_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty");
        fs_err::write(&path, "").unwrap();
        assert!(Map::open(&path).unwrap().bytes().is_empty());
    }
}

//! `vectors.safetensors`: one unit vector per passage, in the order of their ordinals, and whose they are.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use rag_models::ModelIdentity;
use safetensors::{Dtype, SafeTensors};

use crate::error::IndexError;
use crate::mmap::{Map, as_floats};

/// Name of the file in a generation.
pub(crate) const VECTORS_FILE: &str = "vectors.safetensors";

const TENSOR: &str = "vectors";
const IDENTITY: &str = "embedder";

/// How far from 1 the length of a vector may be.
const LENGTH_TOLERANCE: f32 = 1e-3;

/// Says what is wrong with a vector, if anything. The zero vector stands for a text of which the model
/// knows no word.
pub(crate) fn fault(vector: &[f32]) -> Option<String> {
    if vector.iter().any(|x| !x.is_finite()) {
        return Some("with numbers that are not finite".to_owned());
    }
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    let is_unit = (length - 1.0).abs() <= LENGTH_TOLERANCE;
    (!is_unit && length != 0.0).then(|| format!("of length {length} instead of 1"))
}

/// Writes vectors row by row, so that they never have to be in memory together.
pub(crate) struct Writer {
    file: fs_err::File,
    start: u64,
    dimension: usize,
}

impl Writer {
    /// Creates the file at `path` for `rows` vectors of the model; rows not written are zero.
    pub(crate) fn create(path: &Path, identity: &ModelIdentity, rows: usize) -> Result<Self, IndexError> {
        let header = header(identity, rows);
        let mut file = fs_err::File::create(path)?;
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(header.as_bytes())?;
        let start = 8 + header.len() as u64;
        file.set_len(start + (rows * identity.dimension * 4) as u64)?;
        Ok(Self {
            file,
            start,
            dimension: identity.dimension,
        })
    }

    /// Writes the vector of passage `row`.
    pub(crate) fn write(&mut self, row: usize, vector: &[f32]) -> Result<(), IndexError> {
        debug_assert_eq!(vector.len(), self.dimension);
        let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        let at = self.start + (row * self.dimension * 4) as u64;
        self.file.seek(SeekFrom::Start(at))?;
        Ok(self.file.write_all(&bytes)?)
    }
}

/// The safetensors header, padded so that the numbers behind it are aligned.
fn header(identity: &ModelIdentity, rows: usize) -> String {
    let identity_json = serde_json::to_string(identity).expect("identities are plain data");
    let header = serde_json::json!({
        "__metadata__": { IDENTITY: identity_json },
        TENSOR: {
            "dtype": "F32",
            "shape": [rows, identity.dimension],
            "data_offsets": [0, rows * identity.dimension * 4],
        },
    });
    let mut header = header.to_string();
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    header
}

/// The vectors of a generation, read in place.
#[derive(Debug)]
pub(crate) struct Vectors {
    map: Map,
    start: usize,
    rows: usize,
    identity: ModelIdentity,
}

impl Vectors {
    /// Opens the file at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, IndexError> {
        let damaged = |reason: String| IndexError::damaged(path, reason);
        let map = Map::open(path)?;
        let tensors = SafeTensors::deserialize(map.bytes()).map_err(|error| damaged(error.to_string()))?;
        let tensor = tensors
            .tensor(TENSOR)
            .map_err(|error| damaged(error.to_string()))?;
        let (_, metadata) =
            SafeTensors::read_metadata(map.bytes()).map_err(|error| damaged(error.to_string()))?;
        let identity = metadata
            .metadata()
            .as_ref()
            .and_then(|entries| entries.get(IDENTITY));
        let identity = identity.ok_or_else(|| damaged("it does not name its model".to_owned()))?;
        let identity: ModelIdentity =
            serde_json::from_str(identity).map_err(|error| damaged(error.to_string()))?;
        let [rows, dimension] = tensor.shape() else {
            return Err(damaged("its tensor has not two dimensions".to_owned()));
        };
        let fits = tensor.dtype() == Dtype::F32 && *dimension == identity.dimension;
        if !fits || as_floats(tensor.data()).is_none() {
            return Err(damaged("its tensor is not what its model makes".to_owned()));
        }
        let (rows, bytes) = (*rows, tensor.data().len());
        let start = map.bytes().len() - bytes;
        Ok(Self {
            map,
            start,
            rows,
            identity,
        })
    }

    /// Number of vectors.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// The model that made them.
    pub(crate) fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    /// All numbers, row after row.
    pub(crate) fn all(&self) -> &[f32] {
        as_floats(&self.map.bytes()[self.start..]).expect("checked when it was opened")
    }

    /// The vector of passage `row`, which must be one of [`Vectors::len`].
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        let dimension = self.identity.dimension;
        &self.all()[row * dimension..(row + 1) * dimension]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FakeEmbedder;
    use rag_models::Embedder;

    #[test]
    fn vectors_written_in_any_order_are_read_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(VECTORS_FILE);
        let model = FakeEmbedder::new(5);
        let mut writer = Writer::create(&path, model.identity(), 3).unwrap();
        for (row, text) in [(2, "two"), (0, "zero")] {
            writer.write(row, &model.embed_query(text).unwrap()).unwrap();
        }
        drop(writer);
        let vectors = Vectors::open(&path).unwrap();
        assert_eq!((vectors.len(), vectors.identity()), (3, model.identity()));
        assert_eq!(vectors.row(2), model.embed_query("two").unwrap());
        assert_eq!(vectors.row(1), [0.0; 5]);
    }

    #[test]
    fn no_vectors_are_a_file_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(VECTORS_FILE);
        Writer::create(&path, FakeEmbedder::new(4).identity(), 0).unwrap();
        assert_eq!(Vectors::open(&path).unwrap().len(), 0);
    }

    #[test]
    fn what_is_no_unit_vector_is_refused() {
        assert_eq!(fault(&[0.6, 0.8]), None);
        assert_eq!(fault(&[0.0, 0.0]), None);
        for bad in [[f32::NAN, 0.0], [f32::INFINITY, 0.0], [1.0, 1.0], [0.1, 0.0]] {
            assert!(fault(&bad).is_some(), "{bad:?}");
        }
    }
}

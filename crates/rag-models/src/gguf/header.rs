//! The header of a GGUF file (format versions 2 and 3): its metadata and where its tensors are.
//!
//! Read from bytes with a bound on everything, since the lengths in a file are claims of whoever wrote it: a
//! file that is cut short, huge or mistyped is an error and never an allocation.

use std::collections::HashMap;
use std::ops::Range;

use super::error::GgufError;

/// Largest accepted header; a vocabulary of 262,144 words needs about 10 MB.
const MAX_HEADER_BYTES: usize = 128 << 20;
const MAX_ENTRIES: u64 = 4096;
const MAX_TENSORS: u64 = 1 << 16;
const MAX_ARRAY: u64 = 1 << 21;
const MAX_TEXT: u64 = 4 << 20;
const MAX_DIMENSIONS: u32 = 4;
/// Arrays in arrays are skipped, to this depth.
const MAX_DEPTH: usize = 4;
const DEFAULT_ALIGNMENT: u64 = 32;

/// A value of the metadata.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Integer(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Texts(Vec<String>),
    Numbers(Vec<f32>),
    /// An array of arrays, or of truth values: nothing we ask for.
    Other,
}

/// A tensor as the header describes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TensorInfo {
    /// Its sides, the outermost first.
    pub(super) shape: Vec<usize>,
    /// The number of its element type in the format.
    pub(super) kind: u32,
    /// Its first byte, counted from the start of the tensors.
    offset: u64,
}

/// The header.
#[derive(Debug)]
pub(super) struct Header {
    values: HashMap<String, Value>,
    tensors: HashMap<String, TensorInfo>,
    /// Where the tensors start in the file.
    data_start: usize,
}

impl Header {
    /// A header of these values, without tensors.
    #[cfg(test)]
    pub(super) fn of(values: Vec<(String, Value)>) -> Self {
        Self {
            values: values.into_iter().collect(),
            tensors: HashMap::new(),
            data_start: 0,
        }
    }

    /// Reads the header at the start of `file`.
    pub(super) fn read(file: &[u8]) -> Result<Self, GgufError> {
        let mut reader = Reader {
            bytes: &file[..file.len().min(MAX_HEADER_BYTES)],
            at: 0,
        };
        if reader.take(4)? != b"GGUF" {
            return Err(malformed("it does not start with `GGUF`"));
        }
        let version = reader.u32()?;
        if !(2..=3).contains(&version) {
            return Err(malformed(&format!("its format version is {version}")));
        }
        let tensor_count = reader.count("the number of tensors", MAX_TENSORS)?;
        let entries = reader.count("the number of metadata entries", MAX_ENTRIES)?;
        let mut values = HashMap::new();
        for _ in 0..entries {
            let key = reader.text()?;
            let kind = reader.u32()?;
            values.insert(key, reader.value(kind, 0)?);
        }
        let mut tensors = HashMap::new();
        for _ in 0..tensor_count {
            let name = reader.text()?;
            tensors.insert(name, reader.tensor()?);
        }
        let alignment = alignment(&values)?;
        let data_start = (reader.at as u64).div_ceil(alignment) * alignment;
        for (name, info) in &tensors {
            if !info.offset.is_multiple_of(alignment) {
                return Err(tensor_error(name, "it is not aligned"));
            }
        }
        Ok(Self {
            values,
            tensors,
            data_start: data_start as usize,
        })
    }

    /// True when the metadata has an entry of this name, whatever its type.
    pub(super) fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// A text.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A list of texts.
    pub(super) fn texts(&self, key: &str) -> Option<&[String]> {
        match self.values.get(key)? {
            Value::Texts(texts) => Some(texts),
            _ => None,
        }
    }

    /// A list of numbers.
    pub(super) fn numbers(&self, key: &str) -> Option<&[f32]> {
        match self.values.get(key)? {
            Value::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// A number that is not negative.
    pub(super) fn count(&self, key: &str) -> Option<usize> {
        match self.values.get(key)? {
            Value::Integer(number) => usize::try_from(*number).ok(),
            _ => None,
        }
    }

    /// A finite number.
    pub(super) fn float(&self, key: &str) -> Option<f32> {
        match self.values.get(key)? {
            Value::Float(number) => Some(*number as f32).filter(|number| number.is_finite()),
            _ => None,
        }
    }

    /// A truth value.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.values.get(key)? {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// A tensor's description.
    pub(super) fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.get(name)
    }

    /// Where the `length` bytes of a tensor are in a file of `file_length` bytes.
    pub(super) fn tensor_range(
        &self,
        info: &TensorInfo,
        length: usize,
        file_length: usize,
    ) -> Option<Range<usize>> {
        let start = self.data_start.checked_add(usize::try_from(info.offset).ok()?)?;
        let end = start.checked_add(length)?;
        (end <= file_length).then_some(start..end)
    }
}

/// The alignment of tensors, which element types rely on.
fn alignment(values: &HashMap<String, Value>) -> Result<u64, GgufError> {
    match values.get("general.alignment") {
        None => Ok(DEFAULT_ALIGNMENT),
        Some(Value::Integer(number @ 8..=65_536)) if number.is_positive() && number % 8 == 0 => {
            Ok(number.cast_unsigned())
        }
        Some(other) => Err(malformed(&format!("`general.alignment` is {other:?}"))),
    }
}

fn malformed(reason: &str) -> GgufError {
    GgufError::Malformed(reason.to_owned())
}

pub(super) fn tensor_error(name: &str, reason: impl Into<String>) -> GgufError {
    GgufError::Tensor {
        name: name.to_owned(),
        reason: reason.into(),
    }
}

/// Takes numbers and texts off the front of bytes.
struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn take(&mut self, length: usize) -> Result<&'b [u8], GgufError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..length).ok_or_else(|| {
            malformed(&format!(
                "its header ends within {length} bytes at byte {}",
                self.at
            ))
        })?;
        self.at += length;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn count(&mut self, what: &str, limit: u64) -> Result<u64, GgufError> {
        let count = self.u64()?;
        if count > limit {
            return Err(GgufError::TooLarge {
                what: format!("{what} ({count})"),
                limit,
            });
        }
        Ok(count)
    }

    fn text(&mut self) -> Result<String, GgufError> {
        let length = self.count("the length of a text", MAX_TEXT)?;
        let bytes = self.take(length as usize)?;
        // Published vocabularies have tokens that are no valid UTF-8.
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<Value, GgufError> {
        Ok(match kind {
            7 => Value::Bool(self.array::<1>()? != [0]),
            8 => Value::Text(self.text()?),
            9 => self.list(depth)?,
            6 => Value::Float(f32::from_le_bytes(self.array()?).into()),
            12 => Value::Float(f64::from_le_bytes(self.array()?)),
            _ => Value::Integer(self.integer(kind)?),
        })
    }

    fn integer(&mut self, kind: u32) -> Result<i64, GgufError> {
        Ok(match kind {
            0 => self.array::<1>()?[0].into(),
            1 => i8::from_le_bytes(self.array()?).into(),
            2 => u16::from_le_bytes(self.array()?).into(),
            3 => i16::from_le_bytes(self.array()?).into(),
            4 => self.u32()?.into(),
            5 => i32::from_le_bytes(self.array()?).into(),
            10 => i64::try_from(self.u64()?).unwrap_or(i64::MAX),
            11 => i64::from_le_bytes(self.array()?),
            other => return Err(malformed(&format!("a value has the unknown type {other}"))),
        })
    }

    fn list(&mut self, depth: usize) -> Result<Value, GgufError> {
        let kind = self.u32()?;
        let length = self.count("the length of a list", MAX_ARRAY)?;
        if kind == 9 && depth >= MAX_DEPTH {
            return Err(malformed("lists are nested too deep"));
        }
        match kind {
            8 => {
                let mut texts = Vec::new();
                for _ in 0..length {
                    texts.push(self.text()?);
                }
                Ok(Value::Texts(texts))
            }
            7 | 9 => {
                for _ in 0..length {
                    self.value(kind, depth + 1)?;
                }
                Ok(Value::Other)
            }
            _ => {
                let mut numbers = Vec::new();
                for _ in 0..length {
                    numbers.push(match self.value(kind, depth)? {
                        Value::Integer(number) => number as f32,
                        Value::Float(number) => number as f32,
                        _ => return Err(malformed("a list of numbers has something else")),
                    });
                }
                Ok(Value::Numbers(numbers))
            }
        }
    }

    fn tensor(&mut self) -> Result<TensorInfo, GgufError> {
        let dimensions = self.u32()?;
        if dimensions > MAX_DIMENSIONS {
            return Err(malformed(&format!("a tensor has {dimensions} dimensions")));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            shape.push(self.u64()? as usize);
        }
        shape.reverse();
        Ok(TensorInfo {
            shape,
            kind: self.u32()?,
            offset: self.u64()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(bytes: &mut Vec<u8>, text: &str) {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }

    /// A header of these entries, each with its type and bytes.
    fn header(entries: &[(&str, u32, &[u8])]) -> Vec<u8> {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend(0u64.to_le_bytes());
        bytes.extend((entries.len() as u64).to_le_bytes());
        for (key, kind, value) in entries {
            text(&mut bytes, key);
            bytes.extend(kind.to_le_bytes());
            bytes.extend(*value);
        }
        bytes
    }

    #[test]
    fn values_are_read_by_their_type() {
        let file = header(&[
            ("u8", 0, &[200]),
            ("i8", 1, &[0xff]),
            ("u64", 10, &u64::MAX.to_le_bytes()),
            ("f32", 6, &1.5f32.to_le_bytes()),
            ("nan", 6, &f32::NAN.to_le_bytes()),
            ("yes", 7, &[1]),
            (
                "list",
                9,
                b"\x05\0\0\0\x02\0\0\0\0\0\0\0\x01\0\0\0\xff\xff\xff\xff",
            ),
            (
                "lists",
                9,
                b"\x09\0\0\0\x01\0\0\0\0\0\0\0\x00\0\0\0\x01\0\0\0\0\0\0\0\x07",
            ),
        ]);
        let header = Header::read(&file).unwrap();
        assert_eq!((header.count("u8"), header.count("i8")), (Some(200), None));
        assert_eq!((header.float("f32"), header.float("nan")), (Some(1.5), None));
        assert_eq!(header.flag("yes"), Some(true));
        assert_eq!(header.numbers("list"), Some(&[1.0, -1.0][..]));
        assert!(header.has("lists") && header.numbers("lists").is_none() && header.text("u8").is_none());
    }

    #[test]
    fn claims_without_bytes_are_refused() {
        let huge = u64::MAX.to_le_bytes();
        let long_list = [&8u32.to_le_bytes()[..], &(1u64 << 20).to_le_bytes()].concat();
        let nested = b"\x09\0\0\0\x01\0\0\0\0\0\0\0".repeat(1000);
        for (kind, value, reason) in [
            (8, &huge[..], "beyond the limit"),
            (8, &[9, 0, 0, 0, 0, 0, 0, 0], "ends within 9 bytes"),
            (9, &long_list, "ends within"),
            (9, &nested, "nested too deep"),
            (99, &[0; 8], "unknown type 99"),
        ] {
            let error = Header::read(&header(&[("key", kind, value)]))
                .unwrap_err()
                .to_string();
            assert!(error.contains(reason), "{error}, expected {reason}");
        }
        for (number, is_read) in [
            (0u32, false),
            (1, false),
            (12, false),
            (32, true),
            (1 << 31, false),
        ] {
            let file = header(&[("general.alignment", 4, &number.to_le_bytes())]);
            assert_eq!(Header::read(&file).is_ok(), is_read, "{number}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_header_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Header::read(&bytes);
            let mut file = b"GGUF\x03\0\0\0".to_vec();
            file.extend((bytes.len() as u64 % 3).to_le_bytes());
            file.extend((bytes.len() as u64 % 5).to_le_bytes());
            file.extend(&bytes);
            let _ = Header::read(&file);
        }
    }
}

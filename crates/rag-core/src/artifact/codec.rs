//! The one binary encoding: bincode inside a frame that names its kind, version, length and digest.
//!
//! bincode is no longer maintained; the frame confines it to this file, so that another codec is a
//! change of this file and of [`FRAME_VERSION`].
//!
//! ```text
//! magic "RAGF" · kind 4 bytes · frame version u32 · payload length u64 · blake3 32 bytes · payload
//! ```
//! Integers are little-endian.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Digest;

/// Version of the frame and of the payload's encoding.
pub const FRAME_VERSION: u32 = 1;

/// Largest payload that is decoded unless the caller says otherwise: 4 GiB.
pub const DEFAULT_LIMIT: u64 = 4 << 30;

/// Bytes before the payload.
pub const HEADER_BYTES: usize = 4 + 4 + 4 + 8 + 32;

const MAGIC: [u8; 4] = *b"RAGF";

/// Largest allocation that a payload may ask bincode for while it is decoded.
const DECODE_LIMIT: usize = 4 << 30;

/// What a frame carries, as four characters; a file of one kind is not read as another.
pub type Kind = [u8; 4];

/// Why a frame cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The bytes are not a frame of the kind that was asked for.
    #[error("not a frame of kind {expected}")]
    NotThisFrame {
        /// The kind that was asked for.
        expected: String,
    },
    /// The frame was written by another version.
    #[error("frame version {found}, this version reads {FRAME_VERSION}")]
    Version {
        /// The frame's version.
        found: u32,
    },
    /// The frame ends early, or says that it is longer than the limit.
    #[error("payload of {claimed} bytes where at most {available} are there or allowed")]
    Length {
        /// What the header says.
        claimed: u64,
        /// What is there, or what the limit allows.
        available: u64,
    },
    /// The payload's digest differs from the header's.
    #[error("the payload does not match its digest")]
    Digest,
    /// The payload's digest is right but it is not a value of the type.
    #[error("undecodable payload: {0}")]
    Decode(#[from] bincode::error::DecodeError),
    /// The value cannot be encoded.
    #[error("unencodable value: {0}")]
    Encode(#[from] bincode::error::EncodeError),
}

/// Encodes `value` in a frame of `kind`.
pub fn encode<T: Serialize>(kind: Kind, value: &T) -> Result<Vec<u8>, CodecError> {
    let payload = bincode::serde::encode_to_vec(value, bincode::config::standard())?;
    let mut frame = Vec::with_capacity(HEADER_BYTES + payload.len());
    frame.extend_from_slice(&MAGIC);
    frame.extend_from_slice(&kind);
    frame.extend_from_slice(&FRAME_VERSION.to_le_bytes());
    frame.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    frame.extend_from_slice(&Digest::of(&payload).0);
    frame.extend_from_slice(&payload);
    Ok(frame)
}

/// Decodes the one frame of `kind` that `bytes` holds; a payload over `limit` bytes is refused.
pub fn decode<T: DeserializeOwned>(kind: Kind, bytes: &[u8], limit: u64) -> Result<T, CodecError> {
    let (value, rest) = decode_first(kind, bytes, limit)?;
    if rest.is_empty() {
        return Ok(value);
    }
    let there = bytes.len() as u64;
    Err(CodecError::Length {
        claimed: there - rest.len() as u64,
        available: there,
    })
}

/// Decodes the first frame of `bytes` and returns what follows it.
pub fn decode_first<T: DeserializeOwned>(
    kind: Kind,
    bytes: &[u8],
    limit: u64,
) -> Result<(T, &[u8]), CodecError> {
    let (payload, rest) = split_frame(kind, bytes, limit)?;
    let config = bincode::config::standard().with_limit::<DECODE_LIMIT>();
    let (value, _) = bincode::serde::decode_from_slice(payload, config)?;
    Ok((value, rest))
}

/// Checks the first frame of `bytes` and returns its payload and what follows it.
fn split_frame(kind: Kind, bytes: &[u8], limit: u64) -> Result<(&[u8], &[u8]), CodecError> {
    let not_this = || CodecError::NotThisFrame {
        expected: String::from_utf8_lossy(&kind).into_owned(),
    };
    let (header, body) = bytes.split_at_checked(HEADER_BYTES).ok_or_else(not_this)?;
    if header[..4] != MAGIC || header[4..8] != kind {
        return Err(not_this());
    }
    let version = u32::from_le_bytes(header[8..12].try_into().expect("four bytes"));
    if version != FRAME_VERSION {
        return Err(CodecError::Version { found: version });
    }
    let claimed = u64::from_le_bytes(header[12..20].try_into().expect("eight bytes"));
    let available = limit.min(body.len() as u64);
    if claimed > available {
        return Err(CodecError::Length { claimed, available });
    }
    let (payload, rest) = body.split_at(claimed as usize);
    if Digest::of(payload).0 != header[20..52] {
        return Err(CodecError::Digest);
    }
    Ok((payload, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Value = Vec<(String, Option<u32>, f32)>;

    #[test]
    fn another_kind_or_a_second_frame_is_refused() {
        let frame = encode(*b"TEST", &7u32).unwrap();
        assert!(decode::<u32>(*b"ELSE", &frame, 100).is_err());
        assert!(decode::<u32>(*b"TEST", &[frame.clone(), frame.clone()].concat(), 100).is_err());
        let twice = [frame.clone(), frame].concat();
        let (first, rest) = decode_first::<u32>(*b"TEST", &twice, 100).unwrap();
        assert_eq!((first, decode::<u32>(*b"TEST", rest, 100).unwrap()), (7, 7));
    }

    #[test]
    fn a_payload_over_the_limit_is_refused() {
        let frame = encode(*b"TEST", &"x".repeat(100)).unwrap();
        assert!(matches!(
            decode::<String>(*b"TEST", &frame, 50),
            Err(CodecError::Length { .. })
        ));
    }

    proptest! {
        #[test]
        fn values_round_trip(value: Value) {
            let frame = encode(*b"TEST", &value).unwrap();
            let back: Value = decode(*b"TEST", &frame, DEFAULT_LIMIT).unwrap();
            prop_assert_eq!(format!("{back:?}"), format!("{value:?}"));
        }

        #[test]
        fn a_changed_byte_is_noticed(value: Value, at: prop::sample::Index, flip in 1u8..) {
            let mut frame = encode(*b"TEST", &value).unwrap();
            let at = at.index(frame.len());
            frame[at] ^= flip;
            prop_assert!(decode::<Value>(*b"TEST", &frame, DEFAULT_LIMIT).is_err());
        }

        #[test]
        fn a_cut_frame_is_noticed(value: Value, at: prop::sample::Index) {
            let frame = encode(*b"TEST", &value).unwrap();
            prop_assert!(decode::<Value>(*b"TEST", &frame[..at.index(frame.len())], DEFAULT_LIMIT).is_err());
        }
    }
}

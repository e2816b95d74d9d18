//! Frames between parent and child: a length of four bytes, then that much JSON.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Largest frame that is read, in bytes.
const MAX_FRAME_BYTES: u32 = 512 << 20;

/// Writes one value.
pub(super) fn write<T: Serialize>(to: &mut impl Write, value: &T) -> io::Result<()> {
    let body = serde_json::to_vec(value)?;
    let length = u32::try_from(body.len())
        .ok()
        .filter(|length| *length <= MAX_FRAME_BYTES);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a frame over the limit"))?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&body)?;
    to.flush()
}

/// Reads one value; `None` at the end of the stream.
pub(super) fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_FRAME_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a frame over the limit",
        ));
    }
    let mut body = Vec::new();
    let read = from.take(u64::from(length)).read_to_end(&mut body)?;
    if read < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(serde_json::from_slice(&body)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip_and_damage_is_an_error() {
        let mut bytes = Vec::new();
        write(&mut bytes, &"one").unwrap();
        write(&mut bytes, &"two").unwrap();
        let mut from = bytes.as_slice();
        assert_eq!(read::<String>(&mut from).unwrap().as_deref(), Some("one"));
        assert_eq!(read::<String>(&mut from).unwrap().as_deref(), Some("two"));
        assert_eq!(read::<String>(&mut from).unwrap(), None);
        assert!(read::<String>(&mut &bytes[..6]).is_err());
        assert!(read::<String>(&mut &[0xff, 0xff, 0xff, 0xff, b'x'][..]).is_err());
        assert!(read::<u32>(&mut bytes.as_slice()).is_err());
    }
}

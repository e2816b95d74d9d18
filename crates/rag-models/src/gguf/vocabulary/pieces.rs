//! The pieces of a vocabulary: what kind each token is and which bytes it stands for.

/// What a token is, as GGUF numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A piece of text.
    Normal,
    /// Part of the protocol, such as the end of a message; never text.
    Control,
    /// A text that is always one token.
    UserDefined,
    /// One byte, written `<0x0A>`.
    Byte,
}

impl Kind {
    /// The kind of this number; unknown and unused tokens are not text either.
    pub(super) fn of(number: f32) -> Self {
        match number as i32 {
            1 => Self::Normal,
            4 => Self::UserDefined,
            6 => Self::Byte,
            _ => Self::Control,
        }
    }
}

/// How pieces of text are written in the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Each byte is one printable character, as in GPT-2.
    Bytes,
    /// Text with `▁` for a space, as in SentencePiece.
    Plain,
}

/// The bytes that a token stands for.
pub(super) fn bytes_of(token: &str, kind: Kind, spelling: Spelling) -> Vec<u8> {
    match (kind, spelling) {
        (Kind::Control, _) => Vec::new(),
        (Kind::Byte, _) => byte_of(token).map(|byte| vec![byte]).unwrap_or_default(),
        (Kind::Normal, Spelling::Bytes) => token.chars().flat_map(spelled_bytes).collect(),
        (Kind::UserDefined, Spelling::Bytes) => token.as_bytes().to_vec(),
        (_, Spelling::Plain) => token.replace('▁', " ").into_bytes(),
    }
}

/// The byte of `<0x0A>`.
fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    u8::from_str_radix(digits, 16).ok()
}

/// The byte that a character spells; a character that spells none is itself.
fn spelled_bytes(character: char) -> Vec<u8> {
    let code = character as u32;
    let byte = match code {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => Some(code as u8),
        // The other bytes follow from 256 on, in their order.
        0x100..=0x120 => Some((code - 0x100) as u8),
        0x121..=0x142 => Some((code - 0x121 + 0x7f) as u8),
        0x143 => Some(0xad),
        _ => None,
    };
    byte.map_or_else(|| character.to_string().into_bytes(), |byte| vec![byte])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_stand_for_their_bytes() {
        for (token, kind, spelling, bytes) in [
            ("Ġcaf", Kind::Normal, Spelling::Bytes, &b" caf"[..]),
            ("Ã©", Kind::Normal, Spelling::Bytes, "é".as_bytes()),
            ("Ċ", Kind::Normal, Spelling::Bytes, b"\n"),
            ("ł", Kind::Normal, Spelling::Bytes, b"\xa0"),
            ("Ń", Kind::Normal, Spelling::Bytes, b"\xad"),
            ("ġ", Kind::Normal, Spelling::Bytes, b"\x7f"),
            ("<tool_call>", Kind::UserDefined, Spelling::Bytes, b"<tool_call>"),
            ("<|im_end|>", Kind::Control, Spelling::Bytes, b""),
            ("▁the", Kind::Normal, Spelling::Plain, b" the"),
            ("<0xE2>", Kind::Byte, Spelling::Plain, b"\xe2"),
            ("<0xZZ>", Kind::Byte, Spelling::Plain, b""),
        ] {
            assert_eq!(bytes_of(token, kind, spelling), bytes, "{token}");
        }
    }

    #[test]
    fn every_byte_is_spelled_by_one_character() {
        let mut found: Vec<u8> = (0x21..0x144)
            .filter(|code| *code != 0x7f)
            .filter_map(char::from_u32)
            .map(spelled_bytes)
            .filter(|bytes| bytes.len() == 1)
            .map(|bytes| bytes[0])
            .collect();
        found.sort_unstable();
        assert_eq!(found, (0..=255).collect::<Vec<u8>>());
    }
}

//! Bytes to text: byte order marks, UTF-16 and UTF-32 without marks, declared and guessed encodings.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

use crate::error::Failure;

/// Bytes from which the encoding is guessed.
const GUESS_WINDOW: usize = 256 << 10;

/// Share of control characters from which on bytes are no text.
const MAX_CONTROL_SHARE: f64 = 0.02;

/// Control characters that a short text may have all the same.
const STRAY_CONTROLS: usize = 8;

const ESCAPE: char = '\u{1b}';

const UTF_8: &str = "UTF-8";

/// Bytes of UTF-8 per damaged one: 99 of 100 are valid.
const MIN_FAULT_DISTANCE: usize = 100;

/// Characters of several bytes per damaged place from which on even a short text is UTF-8 for sure.
const SURE_CHARACTERS: usize = 4;

/// Beginning of the binary files that our stages write.
const OWN_MAGIC: &[u8] = b"RAGF";

/// Text, and how it was made from bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The text without its byte order mark.
    pub(crate) text: String,
    /// Name of the encoding.
    pub(crate) encoding: &'static str,
    /// What could not be decoded: bytes where the encoding is UTF-8, else characters.
    pub(crate) replaced: usize,
}

impl Decoded {
    /// What was lost on the way, as a sentence for people.
    pub(crate) fn loss(&self) -> Option<String> {
        let unit = match self.encoding {
            UTF_8 => "bytes",
            _ => "characters",
        };
        (self.replaced > 0).then(|| {
            format!(
                "{} {unit} are no valid {} and were replaced",
                self.replaced, self.encoding
            )
        })
    }
}

/// Counts of what a UTF-8 decoder meets.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Utf8Evidence {
    /// Characters of two to four bytes, which other encodings hardly ever give by chance.
    wide_characters: usize,
    /// Places where the bytes are no UTF-8.
    faults: usize,
    /// Bytes at those places.
    fault_bytes: usize,
}

impl Utf8Evidence {
    fn of(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        for chunk in bytes.utf8_chunks() {
            found.wide_characters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
            found.faults += usize::from(!chunk.invalid().is_empty());
            found.fault_bytes += chunk.invalid().len();
        }
        found
    }

    /// True for UTF-8 with a few damaged places. Bytes that are ASCII but for some of another encoding
    /// are not: they hold no character that only UTF-8 explains.
    fn is_damaged_utf8(self, bytes: usize) -> bool {
        let is_nearly_valid = self.fault_bytes <= bytes / MIN_FAULT_DISTANCE;
        self.wide_characters > self.faults
            && (is_nearly_valid || self.wide_characters >= self.faults * SURE_CHARACTERS)
    }
}

/// Decodes `bytes`, which may declare an encoding (HTML does). Bytes that are no text are refused.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>) -> Result<Decoded, Failure> {
    if is_own_frame(bytes) {
        let message = "the file is part of a store, such as a journal; keep stores elsewhere".to_owned();
        return Err(Failure::lasting("own-output", message));
    }
    let mut decoded = decode_any(bytes, declared);
    if decoded.text.contains(ESCAPE) {
        decoded.text = without_terminal_codes(&decoded.text);
    }
    let controls = decoded.text.chars().filter(|&c| is_binary_control(c)).count();
    let characters = decoded.text.chars().count();
    let is_stray = controls <= STRAY_CONTROLS && controls * 2 < characters && !decoded.text.contains('\0');
    if !is_stray && controls as f64 > characters as f64 * MAX_CONTROL_SHARE {
        let message = "the file is not text; convert it or remove it".to_owned();
        return Err(Failure::lasting("binary", message));
    }
    Ok(decoded)
}

/// The text without what makes terminals write in colours and set their titles (ECMA-48 5.4, and the
/// command strings of 8.3.89): logs are full of it.
fn without_terminal_codes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(ESCAPE) {
        kept.push_str(&rest[..at]);
        let behind = &rest[at + ESCAPE.len_utf8()..];
        rest = match behind.chars().next() {
            Some('[') => {
                let end = behind[1..]
                    .find(|c: char| !matches!(c, ' '..='?'))
                    .map(|end| end + 1);
                end.map_or("", |end| {
                    let is_final = matches!(behind.as_bytes()[end], b'@'..=b'~');
                    &behind[end + usize::from(is_final)..]
                })
            }
            Some(']') => {
                let line = behind.lines().next().unwrap_or_default();
                let end = line.find(['\u{7}', ESCAPE]).unwrap_or(0);
                let behind = &behind[end..];
                let behind = behind.strip_prefix("\u{1b}\\").unwrap_or(behind);
                behind.strip_prefix(['\u{7}', ']']).unwrap_or(behind)
            }
            _ => behind,
        };
    }
    kept.push_str(rest);
    kept
}

/// True for the frame of [`codec`](rag_core::artifact::codec): its magic, a kind, a small version. What
/// it holds may be the text of other documents.
fn is_own_frame(bytes: &[u8]) -> bool {
    bytes.starts_with(OWN_MAGIC) && bytes.get(9..12) == Some(&[0, 0, 0])
}

fn is_binary_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1a}' | '\u{80}'..='\u{9f}')
}

fn decode_any(bytes: &[u8], declared: Option<&str>) -> Decoded {
    if let Some(wide) = wide_encoding(bytes) {
        return wide.decode(bytes);
    }
    let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(unmarked) {
        return Decoded {
            text: text.to_owned(),
            encoding: UTF_8,
            replaced: 0,
        };
    }
    let evidence = Utf8Evidence::of(unmarked);
    let is_marked = unmarked.len() < bytes.len();
    if is_marked || evidence.is_damaged_utf8(unmarked.len()) {
        return Decoded {
            text: String::from_utf8_lossy(unmarked).into_owned(),
            encoding: UTF_8,
            replaced: evidence.fault_bytes,
        };
    }
    decode_legacy(bytes, declared)
}

/// Chooses between what the file declares and what its bytes look like.
///
/// A declaration is trusted unless it cannot decode the bytes, or it says Latin-1 and the bytes read
/// as text in another script: pages that declare Latin-1 and hold windows-1256 are common.
fn decode_legacy(bytes: &[u8], declared: Option<&str>) -> Decoded {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let window = &bytes[..bytes.len().min(GUESS_WINDOW)];
    detector.feed(window, window.len() == bytes.len());
    let guess = detector.guess(None, Utf8Detection::Allow);
    let declared = declared.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let as_guessed = decode_as(guess, bytes);
    let Some(declared) = declared.filter(|declared| *declared != guess) else {
        return as_guessed;
    };
    let as_declared = decode_as(declared, bytes);
    let is_wrong_default = declared == encoding_rs::WINDOWS_1252 && is_mostly_other_script(&as_guessed.text);
    if as_declared.replaced > as_guessed.replaced || is_wrong_default {
        as_guessed
    } else {
        as_declared
    }
}

/// True when most letters beyond ASCII are of another script than Latin.
fn is_mostly_other_script(text: &str) -> bool {
    let beyond = text.chars().filter(|c| c.is_alphabetic() && !c.is_ascii());
    let (mut latin, mut other) = (0, 0);
    for c in beyond {
        if c < '\u{250}' { latin += 1 } else { other += 1 }
    }
    other > latin
}

fn decode_as(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    let replaced = if had_errors {
        text.matches('\u{FFFD}').count()
    } else {
        0
    };
    Decoded {
        text: text.into_owned(),
        encoding: encoding.name(),
        replaced,
    }
}

/// An encoding with units of two or four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wide {
    name: &'static str,
    unit: usize,
    is_big_endian: bool,
    mark: usize,
}

impl Wide {
    fn decode(self, bytes: &[u8]) -> Decoded {
        let body = &bytes[self.mark..];
        let whole = body.len() - body.len() % self.unit;
        let units = body[..whole].chunks_exact(self.unit).map(|unit| {
            let fold = |value: u32, byte: &u8| (value << 8) | u32::from(*byte);
            if self.is_big_endian {
                unit.iter().fold(0, fold)
            } else {
                unit.iter().rev().fold(0, fold)
            }
        });
        let mut text: String = if self.unit == 4 {
            units
                .map(|unit| char::from_u32(unit).unwrap_or('\u{FFFD}'))
                .collect()
        } else {
            char::decode_utf16(units.map(|unit| unit as u16))
                .map(|c| c.unwrap_or('\u{FFFD}'))
                .collect()
        };
        if whole < body.len() {
            text.push('\u{FFFD}');
        }
        let replaced = text.matches('\u{FFFD}').count();
        Decoded {
            text,
            encoding: self.name,
            replaced,
        }
    }
}

/// Recognises UTF-32 and UTF-16 by their marks, and without marks by where their zero bytes stand.
fn wide_encoding(bytes: &[u8]) -> Option<Wide> {
    let wide = |name, unit, is_big_endian, mark| {
        Some(Wide {
            name,
            unit,
            is_big_endian,
            mark,
        })
    };
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => return wide("UTF-32LE", 4, false, 4),
        [0, 0, 0xfe, 0xff, ..] => return wide("UTF-32BE", 4, true, 4),
        [0xff, 0xfe, ..] => return wide("UTF-16LE", 2, false, 2),
        [0xfe, 0xff, ..] => return wide("UTF-16BE", 2, true, 2),
        _ => {}
    }
    let window = &bytes[..bytes.len().min(4096)];
    if window.len() < 8 || !window.contains(&0) {
        return None;
    }
    let mut zeros = [0usize; 4];
    for (at, _) in window.iter().enumerate().filter(|(_, byte)| **byte == 0) {
        zeros[at % 4] += 1;
    }
    let most = window.len() / 4 * 7 / 10;
    let is_full = zeros.map(|count| count >= most);
    match is_full {
        [true, true, true, false] => wide("UTF-32BE", 4, true, 0),
        [false, true, true, true] => wide("UTF-32LE", 4, false, 0),
        [true, false, true, false] => wide("UTF-16BE", 2, true, 0),
        [false, true, false, true] => wide("UTF-16LE", 2, false, 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, big: bool, mark: bool) -> Vec<u8> {
        let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
        units
            .flat_map(|unit| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect()
    }

    fn utf32(text: &str, big: bool, mark: bool) -> Vec<u8> {
        let units = mark
            .then_some('\u{feff}')
            .into_iter()
            .chain(text.chars())
            .map(u32::from);
        units
            .flat_map(|unit| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect()
    }

    #[test]
    fn unicode_forms_are_recognised_with_and_without_marks() {
        let text = "Grüße, plain words and a 😀 face\n";
        for (big, mark) in [(false, false), (false, true), (true, false), (true, true)] {
            for bytes in [utf16(text, big, mark), utf32(text, big, mark)] {
                let decoded = decode(&bytes, None).unwrap();
                assert_eq!(
                    (decoded.text.as_str(), decoded.replaced),
                    (text, 0),
                    "{}",
                    decoded.encoding
                );
            }
        }
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        assert_eq!(decode(&marked, Some("latin1")).unwrap().text, text);
    }

    #[test]
    fn legacy_arabic_is_read_whatever_it_declares() {
        let text = "تسري هذه الأحكام على جميع العاملين في المكتب، سواء أكانوا متفرغين أم لا. يستحق الموظف إجازة سنوية.";
        let (bytes, ..) = encoding_rs::WINDOWS_1256.encode(text);
        for declared in [
            None,
            Some("windows-1256"),
            Some("iso-8859-1"),
            Some("utf-8"),
            Some("nonsense"),
        ] {
            assert_eq!(decode(&bytes, declared).unwrap().text, text, "{declared:?}");
        }
    }

    #[test]
    fn a_right_declaration_is_kept() {
        let text = "Crème brûlée à la carte, déjà vu; naïve façade.";
        let (bytes, ..) = encoding_rs::WINDOWS_1252.encode(text);
        assert_eq!(decode(&bytes, Some("iso-8859-1")).unwrap().text, text);
        assert_eq!(decode(&bytes, None).unwrap().text, text);
    }

    #[test]
    fn one_bad_byte_does_not_turn_utf_8_into_mojibake() {
        let text = "Grüße aus München: die Küche öffnet um acht.".repeat(9);
        let arabic = "تسري هذه الأحكام على الجميع".to_owned();
        for text in [text, arabic] {
            for bad in [&b"\xff"[..], b"\xc3\xff", b"\xe2\x82"] {
                let at = text.find(' ').unwrap();
                let bytes = [&text.as_bytes()[..at], bad, &text.as_bytes()[at..]].concat();
                let decoded = decode(&bytes, Some("windows-1252")).unwrap();
                assert_eq!(decoded.text.replace('\u{FFFD}', ""), text, "{bad:?}");
                assert!(
                    decoded
                        .loss()
                        .unwrap()
                        .starts_with(&format!("{} bytes", bad.len()))
                );
            }
        }
    }

    #[test]
    fn a_lone_accent_among_ascii_is_still_of_its_legacy_encoding() {
        let text = format!("The caf\u{e9} is open. {}", "Plain words follow. ".repeat(50));
        let (bytes, ..) = encoding_rs::WINDOWS_1252.encode(&text);
        assert_eq!(decode(&bytes, None).unwrap().text, text);
    }

    #[test]
    fn the_journal_of_a_killed_run_is_no_document() {
        let frame = rag_core::artifact::codec::encode(*b"JRNL", &"secret ".repeat(400)).unwrap();
        assert_eq!(decode(&frame, None).unwrap_err().reason, "own-output");
        assert!(decode(b"RAGFUL notes are text", None).is_ok());
    }

    #[test]
    fn logs_for_terminals_are_text() {
        let log = "Alarm\u{7} text \u{1b}[31mred\u{1b}[0m and \u{1b}]0;title\u{7} end \u{1b}[1;3";
        assert_eq!(
            decode(log.as_bytes(), None).unwrap().text,
            "Alarm\u{7} text red and  end "
        );
        let log = "\u{1b}[2K\u{1b}[1mok\u{1b}[0m\n".repeat(100);
        assert_eq!(decode(log.as_bytes(), None).unwrap().text, "ok\n".repeat(100));
        for open in ["a\u{1b}]0;never\nb", "a\u{1b}", "a\u{1b}[é"] {
            assert!(decode(open.as_bytes(), None).unwrap().text.starts_with('a'));
        }
    }

    #[test]
    fn binary_is_refused_and_empty_is_text() {
        let binary: Vec<u8> = (0..2000u32).map(|n| (n * 7 % 31) as u8).collect();
        assert_eq!(decode(&binary, None).unwrap_err().reason, "binary");
        assert_eq!(decode(b"", None).unwrap().text, "");
    }
}

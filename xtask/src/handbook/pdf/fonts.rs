//! The two base-14 fonts that the pages use, with their advance widths from Adobe's metrics files.

use anyhow::{Context, Result};

/// A font that every PDF reader carries, so none is embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Font {
    Regular,
    Bold,
}

impl Font {
    /// Every font, in the order of the page resources.
    pub(super) const ALL: [Self; 2] = [Self::Regular, Self::Bold];

    /// PostScript name.
    pub(super) fn base_name(self) -> &'static [u8] {
        match self {
            Self::Regular => b"Helvetica",
            Self::Bold => b"Helvetica-Bold",
        }
    }

    /// Name in the page resources.
    pub(super) fn resource(self) -> &'static [u8] {
        match self {
            Self::Regular => b"F1",
            Self::Bold => b"F2",
        }
    }

    /// Width of `text` in points at `size` points.
    pub(super) fn width(self, text: &str, size: f32) -> f32 {
        let thousandths: u32 = text.chars().map(|c| u32::from(self.advance(c))).sum();
        thousandths as f32 * size / 1000.0
    }

    fn advance(self, character: char) -> u16 {
        let widths = match self {
            Self::Regular => &HELVETICA,
            Self::Bold => &HELVETICA_BOLD,
        };
        match character {
            ' '..='~' => widths[character as usize - ' ' as usize],
            BULLET => 350,
            _ => 556,
        }
    }
}

/// The mark in front of list items.
pub(super) const BULLET: char = '•';

/// Encodes `text` in WinAnsi, of which printable ASCII and the bullet are supported.
pub(super) fn encode(text: &str) -> Result<Vec<u8>> {
    text.chars()
        .map(|character| match character {
            ' '..='~' => Some(character as u8),
            BULLET => Some(0x95),
            _ => None,
        })
        .collect::<Option<_>>()
        .with_context(|| format!("a PDF source may hold printable ASCII only: {text}"))
}

/// Widths of `' '..='~'` in thousandths of the size.
#[rustfmt::skip]
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Widths of `' '..='~'` in thousandths of the size.
#[rustfmt::skip]
const HELVETICA_BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_scale_with_size_and_weight() {
        assert!((Font::Regular.width("A", 10.0) - 6.67).abs() < 1e-4);
        assert!((Font::Bold.width("A~", 10.0) - 13.06).abs() < 1e-4);
        assert!((Font::Regular.width(" ", 1000.0) - 278.0).abs() < 1e-3);
    }

    #[test]
    fn only_win_ansi_that_we_know_is_accepted() {
        assert_eq!(encode("a•~").unwrap(), [b'a', 0x95, b'~']);
        let message = encode("Dvořák").unwrap_err().to_string();
        assert!(message.contains("Dvořák"));
    }
}

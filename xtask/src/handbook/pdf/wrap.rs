//! Breaks paragraphs into lines, hyphenating long words as a typesetter would.

use super::fonts::Font;

/// Shortest word that may be divided, and the fewest letters before and after the hyphen.
const MIN_WORD: usize = 6;
const MIN_HEAD: usize = 2;
const MIN_TAIL: usize = 3;
/// A word is divided only if more than this share of the line would stay empty otherwise.
const MIN_GAP: f32 = 0.02;

/// Whether words may be divided at the end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hyphenation {
    On,
    Off,
}

/// Splits `text` into lines no wider than `width` points; a single word that is wider stands alone.
pub(super) fn wrap(text: &str, font: Font, size: f32, width: f32, hyphenation: Hyphenation) -> Vec<String> {
    let fits = |line: &str| font.width(line, size) <= width;
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let candidate = join(&line, word);
        if line.is_empty() || fits(&candidate) {
            line = candidate;
            continue;
        }
        let gap = width - font.width(&line, size);
        let divided = match hyphenation {
            Hyphenation::On if gap > MIN_GAP * width => divide(&line, word, fits),
            _ => None,
        };
        let (full, rest) = divided.unwrap_or_else(|| (line.clone(), word.to_owned()));
        lines.push(full);
        line = rest;
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

fn join(line: &str, word: &str) -> String {
    if line.is_empty() {
        word.to_owned()
    } else {
        format!("{line} {word}")
    }
}

/// The line filled up with as much of `word` as fits, and the rest of the word.
fn divide(line: &str, word: &str, fits: impl Fn(&str) -> bool) -> Option<(String, String)> {
    break_points(word)
        .into_iter()
        .rev()
        .map(|at| (join(line, &format!("{}-", &word[..at])), word[at..].to_owned()))
        .find(|(full, _)| fits(full))
}

/// Where `word` may be divided: before a consonant that a vowel follows, if a vowel or a vowel and one
/// consonant stand before it (`em-ployees`, `cor-rect`, `conside-rable`). Only words of lower-case
/// letters, with at most punctuation behind them, are divided.
fn break_points(word: &str) -> Vec<usize> {
    let letters = word
        .trim_end_matches(|c: char| c.is_ascii_punctuation())
        .as_bytes();
    if letters.len() < MIN_WORD || !letters.iter().all(u8::is_ascii_lowercase) {
        return Vec::new();
    }
    let vowel = |at: usize| b"aeiouy".contains(&letters[at]);
    let digraph = |at: usize| {
        matches!(
            &letters[at - 1..=at],
            b"th" | b"ch" | b"sh" | b"ph" | b"ck" | b"gh" | b"wh" | b"ng" | b"qu"
        )
    };
    (MIN_HEAD..=letters.len() - MIN_TAIL)
        .filter(|&at| !vowel(at) && (vowel(at + 1) || vowel(at + 2)))
        .filter(|&at| {
            if vowel(at - 1) {
                at > MIN_HEAD && letters.len() - at > MIN_TAIL && vowel(at + 1)
            } else {
                vowel(at - 2)
            }
        })
        .filter(|&at| !digraph(at))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points(word: &str) -> Vec<String> {
        let cut = |at: usize| format!("{}-{}", &word[..at], &word[at..]);
        break_points(word).into_iter().map(cut).collect()
    }

    #[test]
    fn words_divide_between_consonants_only() {
        let cases: &[(&str, &[&str])] = &[
            ("employees,", &["em-ployees,"]),
            (
                "interruption",
                &["in-terruption", "inter-ruption", "interrup-tion"],
            ),
            ("telephone.", &[]),
            (
                "considerable",
                &["con-siderable", "consi-derable", "conside-rable"],
            ),
            ("released", &[]),
            ("together", &[]),
            ("strength", &[]),
            ("Marlowick", &[]),
            ("two-factor", &[]),
            ("letter", &["let-ter"]),
            ("issue", &[]),
        ];
        for (word, expected) in cases {
            assert_eq!(&points(word), expected, "{word}");
        }
    }

    #[test]
    fn a_hyphen_is_used_only_when_a_gap_would_remain() {
        let text = "a considerable interruption";
        let lines = wrap(text, Font::Regular, 10.0, 105.0, Hyphenation::On);
        assert_eq!(lines, ["a considerable inter-", "ruption"]);
        let lines = wrap("a consider reply", Font::Regular, 10.0, 60.0, Hyphenation::On);
        assert_eq!(lines, ["a consider", "reply"]);
        let lines = wrap(text, Font::Regular, 10.0, 105.0, Hyphenation::Off);
        assert_eq!(lines, ["a considerable", "interruption"]);
    }

    proptest! {
        /// Rejoining the lines gives the text back, and no line but a lone word is too wide.
        #[test]
        fn nothing_is_lost(text in "[a-z]{1,14}( [a-z]{1,14}){0,30}", width in 40.0f32..300.0) {
            let lines = wrap(&text, Font::Regular, 10.0, width, Hyphenation::On);
            let joined = lines.join("\n").replace("-\n", "").replace('\n', " ");
            prop_assert_eq!(joined, text);
            for line in &lines {
                let lone = !line.contains(' ');
                prop_assert!(lone || Font::Regular.width(line, 10.0) <= width, "{}", line);
            }
        }
    }
}

//! Names in a unit of text: known ones first, then codes, then runs of capitalised words, and for Arabic
//! what follows a word such as "system" or "Mr".

use rag_core::language::is_arabic_letter;

use super::tokens::Token;
use super::words::{arabic_cue, is_calendar, is_inner, is_starter, is_title, kind_of};
use super::{Gazetteer, Kind};
use crate::name::MAX_NAME_CHARS;

/// Most words of a name that is not in the gazetteer.
const MAX_WORDS: usize = 8;

/// A name and the tokens that it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// The name as it is to be known.
    pub(super) text: String,
    /// The name as it is written here, where that is another.
    pub(super) written: Option<String>,
    pub(super) kind: Kind,
    /// Index of its first token, and one past its last.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) weak: bool,
}

/// How a unit is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As prose: its first word has a capital letter whatever it is.
    Prose,
    /// As a heading or a table's value, where the first word counts.
    Label,
}

/// The names in a unit, in order, none overlapping.
pub(super) fn names(text: &str, tokens: &[Token<'_>], gazetteer: &Gazetteer, reading: Reading) -> Vec<Name> {
    let mut taken = vec![false; tokens.len()];
    let mut found = Vec::new();
    for known in gazetteer.find(tokens) {
        taken[known.start..known.start + known.len].fill(true);
        if let Some(entity) = known.entity {
            let (name, kind) = gazetteer.entity(entity).clone();
            let last = known.start + known.len - 1;
            let written = spaced(&text[tokens[known.start].span.start..tokens[last].span.end]);
            found.push(Name {
                written: Some(written).filter(|written| *written != name),
                text: name,
                kind,
                start: known.start,
                end: known.start + known.len,
                weak: false,
            });
        }
    }
    let case_says_nothing = !text.contains(char::is_lowercase);
    let mut at = 0;
    while at < tokens.len() {
        let name = if taken[at] {
            None
        } else if is_code(tokens[at].text) {
            Some(single(tokens, at, Kind::IDENTIFIER))
        } else if tokens[at].text.contains(is_arabic_letter) {
            after_cue(tokens, at, &taken)
        } else if case_says_nothing {
            None
        } else {
            run(text, tokens, at, &taken, reading)
        };
        at = name.as_ref().map_or(at + 1, |name| name.end.max(at + 1));
        found.extend(name.filter(|name| name.text.chars().count() <= MAX_NAME_CHARS));
    }
    found.sort_by_key(|name| name.start);
    found
}

fn single(tokens: &[Token<'_>], at: usize, kind: &str) -> Name {
    Name {
        text: tokens[at].text.to_owned(),
        written: None,
        kind: Kind::new(kind),
        start: at,
        end: at + 1,
        weak: false,
    }
}

/// A code such as `HBR-2207`, `R2-BAT` or `WG-301`: capitals and digits around a hyphen.
pub(super) fn is_code(word: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'-';
    word.len() <= 40
        && word.bytes().all(is_plain)
        && word.contains('-')
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.contains(|c: char| c.is_ascii_digit())
}

/// A run of capitalised words from `at` on.
fn run(text: &str, tokens: &[Token<'_>], at: usize, taken: &[bool], reading: Reading) -> Option<Name> {
    let first = &tokens[at];
    let lower = first.text.to_lowercase();
    if !is_capitalised(first.text) || is_calendar(&lower) {
        return None;
    }
    let is_first = first.starts && reading == Reading::Prose;
    if first.starts && is_starter(&lower) || lower == "i" || is_currency(tokens, at) {
        return None;
    }
    let end = run_end(tokens, at, taken);
    let words = &tokens[at..end];
    let has_title = is_title(lower.trim_end_matches('.'));
    if words.len() == 1 && (is_stray(first.text) || has_title) {
        return None;
    }
    let lone_start = words.len() == 1 && is_first && !has_inner_capital_or_digit(first.text);
    let start = at + usize::from(has_title);
    let span = tokens[start].span.start..tokens[end - 1].span.end;
    Some(Name {
        text: spaced(&text[span]),
        written: None,
        kind: Kind::new(if has_title {
            Kind::PERSON
        } else {
            kind_of_run(&tokens[start..end])
        }),
        start,
        end,
        weak: lone_start,
    })
}

fn run_end(tokens: &[Token<'_>], at: usize, taken: &[bool]) -> usize {
    let mut end = at + 1;
    let mut next = end;
    while next < tokens.len() && next - at < MAX_WORDS && !taken[next] && !tokens[next - 1].breaks {
        let word = tokens[next].text;
        let lower = word.to_lowercase();
        let is_after_initial = tokens[next - 1].text.chars().count() == 1;
        if is_code(word) || is_calendar(&lower) || (is_after_initial && is_starter(&lower)) {
            break;
        } else if is_capitalised(word) || is_version(word) {
            end = next + 1;
        } else if !is_inner(word) {
            break;
        }
        next += 1;
    }
    end
}

fn is_capitalised(word: &str) -> bool {
    word.chars()
        .find(|c| c.is_alphabetic())
        .is_some_and(char::is_uppercase)
        && !word.starts_with(|c: char| c.is_numeric())
}

/// `9.4`, `2`, `6.8.2`: goes on with a name but does not begin one.
fn is_version(word: &str) -> bool {
    word.len() <= 6 && word.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// `EUR 420`.
fn is_currency(tokens: &[Token<'_>], at: usize) -> bool {
    let is_code = tokens[at].text.len() == 3 && tokens[at].text.bytes().all(|b| b.is_ascii_uppercase());
    is_code
        && tokens
            .get(at + 1)
            .is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_stray(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).count() < 2 && !word.contains(|c: char| c.is_ascii_digit())
}

fn has_inner_capital_or_digit(word: &str) -> bool {
    word.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric())
}

fn kind_of_run(words: &[Token<'_>]) -> &'static str {
    let lower = |token: &Token<'_>| token.text.to_lowercase();
    let by_end = words.last().and_then(|word| kind_of(&lower(word)));
    let by_start = words.first().and_then(|word| kind_of(&lower(word)));
    by_end.or(by_start).unwrap_or(Kind::NAME)
}

/// The words after an Arabic cue: up to two of Arabic script, or a Latin run, which finds itself.
fn after_cue(tokens: &[Token<'_>], at: usize, taken: &[bool]) -> Option<Name> {
    let kind = arabic_cue(tokens[at].text)?;
    let mut end = at + 1;
    let longest = if kind == Kind::PERSON { 2 } else { 1 };
    while end < tokens.len()
        && end - at <= longest
        && !taken[end]
        && !tokens[end - 1].breaks
        && tokens[end].text.contains(is_arabic_letter)
        && tokens[end].text.chars().count() > 2
    {
        end += 1;
    }
    (end > at + 1).then(|| Name {
        text: tokens[at + 1..end]
            .iter()
            .map(|t| t.text)
            .collect::<Vec<_>>()
            .join(" "),
        written: None,
        kind: Kind::new(kind),
        start: at + 1,
        end,
        weak: false,
    })
}

/// White space as single spaces.
pub(super) fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::rules::tokens::tokens;

    fn shown(text: &str, reading: Reading) -> Vec<String> {
        names(text, &tokens(text), &Gazetteer::default(), reading)
            .iter()
            .map(|n| format!("{}{}:{}", n.text, if n.weak { "?" } else { "" }, n.kind.as_str()))
            .collect()
    }

    #[test]
    fn names_are_found_in_prose() {
        let cases: &[(&str, &[&str])] = &[
            (
                "Restart Osier and call Ann de Witt.",
                &["Osier:name", "Ann de Witt:name"],
            ),
            (
                "The Head of Hardware signs it in May.",
                &["Head of Hardware:role"],
            ),
            ("Sluices open, then stop.", &["Sluices?:name"]),
            (
                "Tarn R3 costs EUR 40, as HBR-2207 says.",
                &["Tarn R3:name", "HBR-2207:identifier"],
            ),
            (
                "We met Dr Ruth Amsel at the Tarn Council.",
                &["Ruth Amsel:person", "Tarn Council:organisation"],
            ),
            ("Osier's pump, Tarn", &["Osier?:name", "Tarn:name"]),
            ("RESTORING THE OSIER DATABASE", &[]),
            ("We met A. B. Ruth there.", &["A. B. Ruth:name"]),
            ("Gates close at 3.", &["Gates?:name"]),
            (
                "التقى السيد عمر الخطيب بالفريق عبر نظام Osier",
                &["عمر الخطيب:person", "Osier:name"],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(&shown(text, Reading::Prose), expected, "{text}");
        }
    }

    #[test]
    fn the_first_word_of_a_label_counts() {
        assert_eq!(shown("Osier", Reading::Label), ["Osier:name"]);
        assert_eq!(shown("The osier", Reading::Label), [] as [&str; 0]);
    }
}

//! Words that were cut by a hyphen at the end of a line.

use std::collections::HashSet;

/// Fewest letters of a part of a compound: shorter ones are often syllables.
const MIN_PART: usize = 4;

/// The words of a document, lower-cased: evidence of whether a hyphen belongs to a word.
#[derive(Debug, Clone, Default)]
pub struct KnownWords {
    hyphenated: HashSet<String>,
    plain: HashSet<String>,
}

impl KnownWords {
    /// Collects the words of `text`; those cut at a line end do not count.
    pub fn of(text: &str) -> Self {
        let words = text.split(|c: char| !is_word(c) && !is_hyphen(c));
        let mut known = Self::default();
        for word in words.filter(|word| !word.is_empty() && !word.ends_with(is_hyphen)) {
            let word = normal(word.trim_start_matches(is_hyphen));
            if word.contains('-') {
                known.hyphenated.insert(word);
            } else {
                known.plain.insert(word);
            }
        }
        known
    }

    /// True when the document has the word with its hyphen, or both its parts as words of their own, as of
    /// `long-term`, and the joined one nowhere.
    fn has(&self, head: &str, tail: &str) -> bool {
        if self.hyphenated.contains(&normal(&format!("{head}-{tail}"))) {
            return true;
        }
        let is_plain = |word: &str| self.plain.contains(&normal(word));
        let is_long = |word: &str| word.chars().count() >= MIN_PART;
        is_long(head)
            && is_long(tail)
            && is_plain(head)
            && is_plain(tail)
            && !is_plain(&format!("{head}{tail}"))
    }
}

fn normal(word: &str) -> String {
    word.to_lowercase().replace(is_hyphen, "-")
}

/// Joins `line`, which ends in a hyphen, with the line that follows it; `None` when it does not.
///
/// The hyphen stays when the tail begins with a capital or holds a digit, when the word has a hyphen
/// already or only one letter before it, when the hyphenated word stands elsewhere in the document, or when
/// both its parts do as words and the joined one does not.
///
/// ```
/// use rag_parse::repair::hyphens::{KnownWords, rejoin};
///
/// let known = KnownWords::of("a well-known rule");
/// assert_eq!(rejoin("for all em-", "ployees", &known).as_deref(), Some("for all employees"));
/// assert_eq!(rejoin("a well-", "known rule", &known).as_deref(), Some("a well-known rule"));
/// assert_eq!(rejoin("ERR-", "4012", &known).as_deref(), Some("ERR-4012"));
/// ```
pub fn rejoin(line: &str, next: &str, known: &KnownWords) -> Option<String> {
    let mut text = line.to_owned();
    rejoin_onto(&mut text, next, known).then_some(text)
}

/// Likewise, but appends to `text`, of which only the last word is looked at. False when nothing was joined.
pub fn rejoin_onto(text: &mut String, next: &str, known: &KnownWords) -> bool {
    let Some((end, keeps_hyphen)) = cut_word(text, next, known) else {
        return false;
    };
    text.truncate(end);
    if keeps_hyphen {
        text.push('-');
    }
    text.push_str(next.trim_start());
    true
}

/// Where the last word of `line` ends before its hyphen, and whether the hyphen belongs to it.
fn cut_word(line: &str, next: &str, known: &KnownWords) -> Option<(usize, bool)> {
    let next = next.trim_start();
    let body = line.trim_end().strip_suffix(is_hyphen)?;
    let head = body
        .rsplit(|c: char| !is_word(c) && !is_hyphen(c))
        .next()
        .unwrap_or_default();
    let tail: String = next.chars().take_while(|&c| is_word(c)).collect();
    if head.is_empty() || tail.is_empty() || !head.ends_with(char::is_alphanumeric) {
        return None;
    }
    let keeps_hyphen = tail.starts_with(char::is_uppercase)
        || tail.contains(char::is_numeric)
        || head.contains(char::is_numeric)
        || head.contains(is_hyphen)
        // No word is cut behind its first letter: `e-mail`, `x-ray`.
        || head.chars().count() == 1
        || known.has(head, &tail);
    Some((body.len(), keeps_hyphen))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Hyphen-minus, hyphen, non-breaking hyphen, soft hyphen.
fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '\u{AD}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_words_are_rejoined_and_real_hyphens_kept() {
        let known = KnownWords::of("The dual-encoder is re-\nranked. Self-\nservice");
        let cases = [
            ("company busi-", "ness. Book", Some("company business. Book")),
            ("the dual-", "encoder", Some("the dual-encoder")),
            ("Anglo-", "American", Some("Anglo-American")),
            ("COVID-", "19 rules", Some("COVID-19 rules")),
            ("state-of-the-", "art", Some("state-of-the-art")),
            ("soft\u{AD}", "ware", Some("software")),
            ("a dash -", "here", None),
            ("no hyphen", "here", None),
            ("range 1-", ", then", None),
        ];
        for (line, next, expected) in cases {
            assert_eq!(rejoin(line, next, &known).as_deref(), expected, "{line} {next}");
        }
    }
}

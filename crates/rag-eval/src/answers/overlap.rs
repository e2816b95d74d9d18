//! Exact match and token F1 between an answer and accepted texts, as SQuAD measures them.

use std::collections::HashMap;

use rag_core::id::PassageId;
use unicode_normalization::UnicodeNormalization;

use super::matching::unified;

/// The English articles, which SQuAD leaves out.
const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// The Arabic article, which is written onto its noun; MLQA leaves it out.
const ARABIC_ARTICLE: &str = "ال";

/// How an answer compares with the accepted text that it is closest to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// True when both are the same words in the same order.
    pub is_exact: bool,
    /// Harmonic mean of the shares of tokens in common, each token counted as often as it stands.
    pub f1: f64,
}

/// Compares `answer` with the accepted texts; the greatest value of each counts. `None` when there is
/// no accepted text.
///
/// Both are brought to SQuAD's form (Rajpurkar et al., 2016): lower case, no punctuation or symbols, no
/// articles; further ways of writing are unified as in [`normalise`](super::normalise), the Arabic article is
/// left out as in MLQA (Lewis et al., 2020), and in scripts without spaces each character is a token. Citation
/// markers do not count. A text without tokens equals only another such.
///
/// ```
/// use rag_eval::answers::overlap;
///
/// let found = overlap("The cap is 52 euros. [travel#3]", ["cap: 52 euros"]).unwrap();
/// assert!(!found.is_exact);
/// // Three tokens in common, of four and of three.
/// assert!((found.f1 - 6.0 / 7.0).abs() < 1e-12);
/// ```
pub fn overlap<'a>(answer: &str, accepted: impl IntoIterator<Item = &'a str>) -> Option<Overlap> {
    let answer = tokens(&without_markers(answer));
    accepted
        .into_iter()
        .map(|accepted| {
            let accepted = tokens(accepted);
            Overlap {
                is_exact: answer == accepted,
                f1: f1(&answer, &accepted),
            }
        })
        .reduce(|a, b| Overlap {
            is_exact: a.is_exact || b.is_exact,
            f1: a.f1.max(b.f1),
        })
}

fn f1(answer: &[String], accepted: &[String]) -> f64 {
    if answer.is_empty() || accepted.is_empty() {
        return if answer == accepted { 1.0 } else { 0.0 };
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for token in accepted {
        *left.entry(token).or_default() += 1;
    }
    let common = answer.iter().filter(|token| match left.get_mut(token.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    });
    2.0 * common.count() as f64 / (answer.len() + accepted.len()) as f64
}

fn tokens(text: &str) -> Vec<String> {
    let mut written = String::with_capacity(text.len());
    for c in text.nfkc().flat_map(char::to_lowercase).filter_map(unified) {
        match c {
            c if stands_alone(c) => written.extend([' ', c, ' ']),
            c if c.is_alphanumeric() || c.is_whitespace() => written.push(c),
            _ => {}
        }
    }
    let words = written.split_whitespace().map(without_arabic_article);
    words
        .filter(|word| !ARTICLES.contains(word))
        .map(str::to_owned)
        .collect()
}

fn without_arabic_article(word: &str) -> &str {
    word.strip_prefix(ARABIC_ARTICLE)
        .filter(|rest| rest.chars().nth(1).is_some())
        .unwrap_or(word)
}

/// True for characters of scripts that write no spaces: Han, kana, Thai, Lao, Khmer, Burmese.
fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
        && c.is_alphanumeric()
}

/// `text` without `[document#position]` and lists of such.
fn without_markers(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        kept.push_str(&rest[..open]);
        rest = &rest[open..];
        // Up to the next bracket only, so that a text of opening brackets is read once.
        let inner = rest[1..].split(['[', ']']).next().unwrap_or_default();
        let is_closed = rest[1 + inner.len()..].starts_with(']');
        if is_closed && is_marker(inner) {
            rest = &rest[inner.len() + 2..];
        } else {
            kept.push('[');
            rest = &rest[1..];
        }
    }
    kept.push_str(rest);
    kept
}

fn is_marker(inner: &str) -> bool {
    let mut ids = inner.split([',', ';']).map(str::trim);
    ids.all(|id| id.parse::<PassageId>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_those_of_the_official_scripts() {
        // Computed with normalize_answer, f1_score and exact_match_score of SQuAD's evaluate-v2.0 and,
        // for Arabic, of MLQA's script.
        let cases = [
            ("the Cat sat", "A cat sat!", true, 1.0),
            ("well-known facts", "wellknown fact", false, 0.5),
            ("in 1,066 AD", "1066", false, 0.5),
            ("to to to", "to be", false, 0.4),
            ("blue", "red", false, 0.0),
            ("the", "", true, 1.0),
            ("", "blue", false, 0.0),
            ("U.S. Army of the North", "US army", false, 2.0 / 3.0),
            ("المدينة الكبيرة", "مدينة كبيرة", true, 1.0),
            ("عاصمة القاهرة القديمة", "القاهرة", false, 0.5),
        ];
        for (answer, accepted, is_exact, f1) in cases {
            let found = overlap(answer, [accepted]).unwrap();
            assert_eq!(found.is_exact, is_exact, "{answer} / {accepted}");
            assert!(
                (found.f1 - f1).abs() < 1e-12,
                "{answer} / {accepted}: {}",
                found.f1
            );
        }
    }

    #[test]
    fn the_closest_accepted_text_counts() {
        let found = overlap("five days", ["a week", "five days", "5 days"]).unwrap();
        assert_eq!((found.is_exact, found.f1), (true, 1.0));
        assert_eq!(overlap("five days", []), None);
    }

    #[test]
    fn scripts_without_spaces_are_compared_by_character() {
        // Two of three characters against two of two.
        assert_eq!(overlap("東京都", ["東京"]).unwrap().f1, 0.8);
    }

    #[test]
    fn only_citation_markers_are_left_out() {
        let cases = [
            ("Five. [hr#1] Six [a#1, b#2].", "Five.  Six ."),
            ("See [1] and [hr#x] [", "See [1] and [hr#x] ["),
            ("[[a#1]", "["),
        ];
        for (text, expected) in cases {
            assert_eq!(without_markers(text), expected);
        }
    }

    proptest! {
        #[test]
        fn f1_is_symmetric_and_1_for_the_same(a in "[a-c ]{0,12}", b in "[a-c ]{0,12}", any in "\\PC{0,40}") {
            let f1 = |a: &str, b: &str| overlap(a, [b]).unwrap().f1;
            prop_assert_eq!(f1(&a, &b), f1(&b, &a));
            prop_assert!((0.0..=1.0).contains(&f1(&any, &b)));
            prop_assert_eq!(f1(&a, &a), 1.0);
        }
    }
}

//! Texts to words that can be compared whatever engine wrote them, and how alike two texts are.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Time after which the comparison of two long texts is approximated; it then only counts too little.
const SEQUENCE_TIME: Duration = Duration::from_secs(10);

/// The words of a text in order.
///
/// Compatibility forms are folded, case and combining marks dropped, hyphens inside words and at line
/// ends removed (`well-known`, `em-⏎ployees`). A word is a run of letters and digits; each ideograph and
/// each kana is a word, since engines disagree on where such words end. Punctuation does not count.
///
/// ```
/// use rag_eval::parse::words;
///
/// assert_eq!(words("The ﬁrst em-\nployee’s 1,5 €"), ["the", "first", "employee", "s", "1", "5"]);
/// ```
pub fn words(text: &str) -> Vec<String> {
    let folded: Vec<char> = text
        .nfkc()
        .filter(|c| !is_combining_mark(*c) && !is_ignored(*c))
        .flat_map(char::to_lowercase)
        .collect();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut at = 0;
    while let Some(&c) = folded.get(at) {
        at += 1;
        if is_word_of_its_own(c) {
            flush(&mut word, &mut words);
            words.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.push(c);
        } else if is_hyphen(c) && !word.is_empty() {
            match behind_hyphen(&folded[at..]) {
                Some(skipped) => at += skipped,
                None => flush(&mut word, &mut words),
            }
        } else {
            flush(&mut word, &mut words);
        }
    }
    flush(&mut word, &mut words);
    words
}

fn flush(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(in_one_order(std::mem::take(word)));
    }
}

/// A word with each run of lams and alefs sorted: the letters of the ligature of both come in either order
/// from engines, which are not to be told apart by that.
fn in_one_order(word: String) -> String {
    if !word.contains(LAM) {
        return word;
    }
    let mut letters: Vec<char> = word.chars().collect();
    for run in letters.chunk_by_mut(|a, b| is_lam_or_alef(*a) && is_lam_or_alef(*b)) {
        run.sort_unstable();
    }
    letters.into_iter().collect()
}

const LAM: char = '\u{644}';

fn is_lam_or_alef(c: char) -> bool {
    matches!(c, LAM | '\u{622}' | '\u{623}' | '\u{625}' | '\u{627}')
}

/// How many characters after a hyphen are skipped to get to the rest of the word: none, or a line break.
fn behind_hyphen(rest: &[char]) -> Option<usize> {
    let breaks = rest.iter().take_while(|c| matches!(c, '\n' | '\r')).count();
    let next = rest.get(breaks)?;
    (breaks <= 2 && next.is_alphanumeric() && !is_word_of_its_own(*next)).then_some(breaks)
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}' | '\u{2}')
}

/// Soft hyphens, zero-width characters and the Arabic stroke that only stretches a word.
fn is_ignored(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{640}'
    )
}

fn is_word_of_its_own(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// How often each word occurs.
pub type Bag = HashMap<String, usize>;

/// Counts words.
pub fn bag(words: impl IntoIterator<Item = String>) -> Bag {
    let mut bag = Bag::new();
    for word in words {
        *bag.entry(word).or_default() += 1;
    }
    bag
}

/// F1 of two bags, from 0 to 1: twice the words in common through the words of both. `None` when the
/// wanted bag is empty.
pub fn f1(found: &Bag, wanted: &Bag) -> Option<f64> {
    let total = |bag: &Bag| bag.values().sum::<usize>();
    let common: usize = wanted
        .iter()
        .map(|(word, count)| found.get(word).map_or(0, |other| *count.min(other)))
        .sum();
    (!wanted.is_empty()).then(|| 2.0 * common as f64 / (total(found) + total(wanted)) as f64)
}

/// What most engines agree on: of each word the median of its counts in three bags, the smaller count
/// in two.
///
/// ```
/// use rag_eval::parse::{bag, consensus, words};
///
/// let engines = ["one two two", "one two", "one three"].map(|text| bag(words(text)));
/// assert_eq!(consensus(&engines), bag(words("one two")));
/// ```
pub fn consensus(bags: &[Bag]) -> Bag {
    let mut agreed = Bag::new();
    for word in bags.iter().flat_map(Bag::keys) {
        let mut counts: Vec<usize> = bags
            .iter()
            .map(|bag| bag.get(word).copied().unwrap_or(0))
            .collect();
        counts.sort_unstable();
        let median = counts[(counts.len() - 1) / 2];
        if median > 0 {
            agreed.insert(word.clone(), median);
        }
    }
    agreed
}

/// How alike two sequences of words are, from 0 to 1: twice the length of a longest common subsequence
/// through the length of both. `None` when nothing is wanted.
pub fn sequence_similarity(found: &[String], wanted: &[String]) -> Option<f64> {
    let deadline = Instant::now().checked_add(SEQUENCE_TIME);
    let operations = capture_diff_slices_deadline(Algorithm::Myers, wanted, found, deadline);
    let common: usize = operations
        .iter()
        .filter(|operation| operation.tag() == DiffTag::Equal)
        .map(|operation| operation.old_range().len())
        .sum();
    (!wanted.is_empty()).then(|| 2.0 * common as f64 / (found.len() + wanted.len()) as f64)
}

/// Neighbouring words, as a bag.
pub fn pairs(words: &[String]) -> Bag {
    bag(words.windows(2).map(|pair| pair.join(" ")))
}

/// Of the wanted neighbours, the share that is found, from 0 to 1. `None` when none are wanted.
pub fn recall(found: &Bag, wanted: &Bag) -> Option<f64> {
    let total: usize = wanted.values().sum();
    let common: usize = wanted
        .iter()
        .map(|(pair, count)| found.get(pair).map_or(0, |other| *count.min(other)))
        .sum();
    (total > 0).then(|| common as f64 / total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_the_same_whatever_engine_wrote_them() {
        let cases: &[(&str, &[&str])] = &[
            ("well-known em-\nployees", &["wellknown", "employees"]),
            ("a - b", &["a", "b"]),
            ("ﬁne Ärg q\u{301}", &["fine", "ärg", "q"]),
            ("東京 tower", &["東", "京", "tower"]),
            ("كتـــاب", &["كتاب"]),
            ("اإلنتاجية الإنتاجية", &["إالنتاجية", "إالنتاجية"]),
            ("2025-01-02", &["20250102"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), *expected, "{text}");
        }
    }

    #[test]
    fn likeness_of_texts() {
        let [a, b] = ["the quick brown fox", "quick the brown fox"].map(words);
        assert_eq!(f1(&bag(a.clone()), &bag(b.clone())), Some(1.0));
        assert_eq!(sequence_similarity(&a, &b), Some(0.75));
        assert_eq!(recall(&pairs(&b), &pairs(&a)), Some(1.0 / 3.0));
        assert_eq!(f1(&bag(a), &Bag::new()), None);
    }

    proptest! {
        #[test]
        fn scores_lie_between_0_and_1_and_a_text_is_like_itself(a in "[a-d ]{0,40}", b in "[a-d ]{1,40}") {
            let (a, b) = (words(&a), words(&b));
            for score in [f1(&bag(a.clone()), &bag(b.clone())), sequence_similarity(&a, &b)].into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&score));
            }
            if !b.is_empty() {
                prop_assert_eq!(sequence_similarity(&b, &b), Some(1.0));
            }
        }
    }
}

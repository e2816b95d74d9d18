//! Runs of words as digests, so that a text's every run can be looked up.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A run of words, as the digest of its lower-cased words in order.
pub(super) type Run = u64;

/// The words of `text`: runs of letters and digits, in lower case, each as its digest.
pub(super) fn words(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut hasher = DefaultHasher::new();
            for c in word.chars().flat_map(char::to_lowercase) {
                c.hash(&mut hasher);
            }
            hasher.finish()
        })
        .collect()
}

/// Every run of `length` words, in order.
pub(super) fn runs(words: &[u64], length: usize) -> impl Iterator<Item = Run> {
    words.windows(length.max(1)).map(|window| {
        let mut hasher = DefaultHasher::new();
        window.hash(&mut hasher);
        hasher.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_do_not_depend_on_case_and_punctuation() {
        let a = words("The Q3-forecast, 41 million.");
        let b = words("the q3 FORECAST: 41 million");
        assert_eq!(a, b);
        assert_eq!(runs(&a, 3).count(), 3);
        assert_eq!(runs(&a, 9).count(), 0);
    }
}

//! How alike two texts are: for near-duplicates by the word sequences that they share, for topics by terms.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Analyzer;
use super::segment::{PieceKind, pieces};

/// Words of one shingle. Texts that differ in one number share no shingle around it.
const SHINGLE_WORDS: usize = 4;

/// The word sequences of a text, hashed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shingles(HashSet<u64>);

impl Shingles {
    /// Reads every run of four words of `text`, or all of a shorter one; case and punctuation do not count.
    pub fn of(text: &str) -> Self {
        let words: Vec<String> = pieces(text)
            .into_iter()
            .filter(|piece| piece.kind != PieceKind::Part)
            .map(|piece| piece.text.to_lowercase())
            .collect();
        let length = SHINGLE_WORDS.min(words.len());
        if length == 0 {
            return Self::default();
        }
        Self(words.windows(length).map(hash).collect())
    }

    /// The share of all their sequences that both have, from 0 to 1 (Broder's resemblance). Two texts without
    /// words have nothing in common.
    pub fn resemblance(&self, other: &Self) -> f32 {
        let shared = self.0.intersection(&other.0).count();
        let all = self.0.len() + other.0.len() - shared;
        shared as f32 / all.max(1) as f32
    }
}

fn hash(words: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// How often each term occurs in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TermCounts {
    counts: HashMap<String, f32>,
    length: f32,
}

impl TermCounts {
    /// Counts the terms of `text`; each counts as the square root of its number, so that repetition does not
    /// decide.
    pub fn of(text: &str, analyzer: &Analyzer) -> Self {
        let mut counts: HashMap<String, f32> = HashMap::new();
        for term in analyzer.terms(text) {
            *counts.entry(term.text).or_default() += 1.0;
        }
        for count in counts.values_mut() {
            *count = count.sqrt();
        }
        let mut squares: Vec<f32> = counts.values().map(|count| count * count).collect();
        // Sums of floats depend on their order, and a map has none.
        squares.sort_by(f32::total_cmp);
        Self {
            counts,
            length: squares.iter().sum::<f32>().sqrt(),
        }
    }

    /// The cosine of the angle between the two, from 0 to 1.
    pub fn cosine(&self, other: &Self) -> f32 {
        let mut products: Vec<f32> = self
            .counts
            .iter()
            .filter_map(|(term, count)| Some(count * other.counts.get(term)?))
            .collect();
        products.sort_by(f32::total_cmp);
        let lengths = self.length * other.length;
        if lengths > 0.0 {
            (products.iter().sum::<f32>() / lengths).min(1.0)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::Language;

    #[test]
    fn copies_resemble_and_twins_do_not() {
        let text = "HBR-2207 means that the meter lost its clock. Restart the meter and wait two minutes.";
        let copy = "HBR-2207 means that the meter lost its clock: restart the meter, and wait two minutes";
        let twin = "HBR-2270 means that the lid is open. Close the lid and wait two minutes.";
        let of = Shingles::of(text);
        assert!(of.resemblance(&Shingles::of(copy)) > 0.95);
        assert!(of.resemblance(&Shingles::of(twin)) < 0.3);
        assert_eq!(of.resemblance(&Shingles::of("")), 0.0);
        assert_eq!(
            Shingles::of("Two words").resemblance(&Shingles::of("two words")),
            1.0
        );
    }

    #[test]
    fn texts_of_one_topic_are_closer() {
        let counts = |text: &str| TermCounts::of(text, &Analyzer::new(Language::ENGLISH));
        let travel = counts("Book travel with the travel desk.");
        assert!(travel.cosine(&counts("The desk books travel.")) > 0.7);
        assert_eq!(travel.cosine(&counts("Cats purr.")), 0.0);
        assert_eq!(travel.cosine(&counts("")), 0.0);
    }

    proptest! {
        #[test]
        fn both_measures_are_symmetric_and_bounded(a in "([a-d]{1,2} |\\PC){0,30}", b in "([a-d]{1,2} |\\PC){0,30}") {
            let (one, other) = (Shingles::of(&a), Shingles::of(&b));
            prop_assert_eq!(one.resemblance(&other), other.resemblance(&one));
            prop_assert!((0.0..=1.0).contains(&one.resemblance(&other)));
            let analyzer = Analyzer::new(Language::ENGLISH);
            let (one, other) = (TermCounts::of(&a, &analyzer), TermCounts::of(&b, &analyzer));
            prop_assert_eq!(one.cosine(&other), other.cosine(&one));
            prop_assert!((0.0..=1.0).contains(&one.cosine(&other)));
        }
    }
}

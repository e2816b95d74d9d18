//! Function words that carry no weight in a search.

/// The English words that Lucene's classic analyser drops.
const ENGLISH: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
];

/// True for an English function word, in lower case. Other languages keep all their words: BM25's
/// document frequencies already weigh frequent words down.
pub fn is_stop_word(word: &str) -> bool {
    ENGLISH.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_for_binary_search() {
        assert!(ENGLISH.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("vpn"));
    }
}

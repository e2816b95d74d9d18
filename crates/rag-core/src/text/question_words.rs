//! Words that say how a question asks and not what about.

/// English words that begin a question, sorted.
pub const ASKING: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "how", "is", "may", "must", "should", "was", "were", "what",
    "when", "where", "which", "who", "whom", "whose", "why", "will", "would",
];

/// Further words of English questions that name no subject.
const EMPTY: &[&str] = &[
    "about", "all", "also", "am", "any", "been", "being", "done", "first", "from", "get", "gets", "give",
    "got", "had", "has", "have", "he", "hello", "her", "hi", "him", "his", "i", "its", "kind", "long",
    "many", "me", "mean", "means", "much", "my", "name", "one", "our", "please", "she", "some", "take",
    "takes", "tell", "thank", "thanks", "type", "us", "very", "we", "you", "your",
];

/// Arabic words that begin a question.
pub const ASKING_ARABIC: &[&str] = &["كم", "ما", "متى", "أين", "كيف", "هل", "من", "لماذا", "ماذا", "أي"];

/// Further words of Arabic questions that name no subject.
const EMPTY_ARABIC: &[&str] = &["إلى", "التي", "الذي", "عدد", "على", "عن", "في", "هو", "هي"];

/// True for an English word, in lower case, that begins a question.
pub fn is_asking_word(word: &str) -> bool {
    ASKING.binary_search(&word).is_ok()
}

/// True for a word of any case that says how a question asks and not what about.
pub fn is_function_word(word: &str) -> bool {
    let lower = word.to_lowercase();
    let lower = lower.as_str();
    is_asking_word(lower)
        || EMPTY.binary_search(&lower).is_ok()
        || ASKING_ARABIC.contains(&lower)
        || EMPTY_ARABIC.contains(&lower)
        || super::is_stop_word(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_for_binary_search() {
        assert!(ASKING.is_sorted() && EMPTY.is_sorted());
        assert!(is_asking_word("how") && !is_asking_word("the"));
        for (word, expected) in [
            ("Which", true),
            ("thanks", true),
            ("the", true),
            ("كم", true),
            ("leave", false),
        ] {
            assert_eq!(is_function_word(word), expected, "{word}");
        }
    }
}

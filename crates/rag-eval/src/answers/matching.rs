//! Whether an answer contains an accepted text, seen past case, punctuation and ways of writing.

use unicode_normalization::UnicodeNormalization;

/// Shortest accepted text, in letters, that may go on in a longer word (`refund` in `refunds`).
const MIN_STEM_LETTERS: usize = 4;

/// Brings `text` into the form that is compared: compatibility forms unified, lower case, Arabic
/// vowel signs dropped and letter variants unified, digits in ASCII, thousands separators dropped,
/// and everything but letters, digits, decimal points and percent signs turned into single spaces.
pub fn normalise(text: &str) -> String {
    let characters: Vec<char> = text
        .nfkc()
        .flat_map(char::to_lowercase)
        .filter_map(unified)
        .collect();
    let mut written = String::with_capacity(text.len());
    for (index, &c) in characters.iter().enumerate() {
        let is_digit = |place: Option<&char>| place.is_some_and(char::is_ascii_digit);
        let between_digits =
            index > 0 && is_digit(characters.get(index - 1)) && is_digit(characters.get(index + 1));
        let thousands = || {
            let following = characters[index + 1..]
                .iter()
                .take_while(|c| c.is_ascii_digit())
                .count();
            following == 3
        };
        match c {
            ',' if between_digits && thousands() => {}
            '.' if between_digits => written.push('.'),
            '%' if written.ends_with(|last: char| last.is_ascii_digit()) => written.push('%'),
            c if c.is_alphanumeric() => written.push(c),
            _ if written.is_empty() || written.ends_with(' ') => {}
            _ => written.push(' '),
        }
    }
    written.truncate(written.trim_end().len());
    written
}

/// The one form of a letter or digit that is written in several, or `None` for a mark to drop.
pub(super) fn unified(c: char) -> Option<char> {
    match c {
        '\u{0610}'..='\u{061A}' | '\u{0640}' | '\u{064B}'..='\u{065F}' | '\u{0670}' | '\u{00AD}' => None,
        'أ' | 'إ' | 'آ' | 'ٱ' => Some('ا'),
        'ى' => Some('ي'),
        'ة' => Some('ه'),
        '٬' => Some(','),
        '٫' => Some('.'),
        '٪' => Some('%'),
        '\u{0660}'..='\u{0669}' | '\u{06F0}'..='\u{06F9}' => char::from_digit(u32::from(c) & 0xF, 10),
        other => Some(other),
    }
}

/// True when `answer` contains `accepted`, both normalised.
///
/// The text must begin where a word begins and end where one ends, except that one of at least four
/// letters may go on in a longer word, and that Arabic may have its prefixes and suffixes. `5` is not in `15`,
/// `5.99` or `5%`.
pub fn contains_answer(answer: &str, accepted: &str) -> bool {
    let (answer, accepted) = (normalise(answer), normalise(accepted));
    if accepted.is_empty() {
        return false;
    }
    let letters = accepted.chars().filter(|c| c.is_alphabetic()).count();
    let mut places = answer.match_indices(&accepted);
    places.any(|(start, found)| {
        let before = answer[..start].chars().next_back();
        let after = answer[start + found.len()..].chars().next();
        let first = found.chars().next().unwrap_or(' ');
        let last = found.chars().next_back().unwrap_or(' ');
        let begins = is_break(before, first);
        let ends = is_break(after, last) || (letters >= MIN_STEM_LETTERS && last.is_alphabetic());
        begins && ends
    })
}

/// True when a word may begin or end between `own`, at the edge of the found text, and `neighbour`.
fn is_break(neighbour: Option<char>, own: char) -> bool {
    let Some(c) = neighbour.filter(|&c| c != ' ') else {
        return true;
    };
    // Letters beside each other are one word, except in scripts with attached particles or no spaces.
    let is_word = c.is_ascii_alphanumeric() && own.is_ascii_alphanumeric();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '%');
    !(is_word || is_number(c) && is_number(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_of_writing_are_one() {
        let cases = [
            ("EUR\u{a0}1,200.50!", "eur 1200.50"),
            ("The  “Head-of Support”.", "the head of support"),
            ("25 % or 25%", "25 or 25%"),
            ("٢٥ يَوْمًا", "25 يوما"),
            ("1, 2,34", "1 2 34"),
            ("  ", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(normalise(text), expected, "{text}");
        }
    }

    #[test]
    fn accepted_texts_are_found_as_words() {
        let cases = [
            ("It costs EUR 64 per piece.", "eur 64", true),
            ("It costs EUR 640.", "EUR 64", false),
            ("It costs 5.99.", "5", false),
            ("It costs 5.", "5", true),
            ("Refunds take 15 days.", "5 days", false),
            ("Refunds are paid.", "refund", true),
            ("We know.", "no", false),
            ("No.", "no", true),
            ("والإجازة عشرون يوما", "الاجازة", true),
            ("Up to 2,500 euros", "2500", true),
            ("Anything", "", false),
        ];
        for (answer, accepted, expected) in cases {
            assert_eq!(
                contains_answer(answer, accepted),
                expected,
                "{answer} / {accepted}"
            );
        }
    }
}

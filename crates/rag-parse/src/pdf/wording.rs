//! What the words of a line say about it: the middle of a sentence, a caption, an item of a list.

/// What stands before an item of a list.
const BULLETS: &[&str] = &[
    "• ", "‣ ", "▪ ", "◦ ", "● ", "○ ", "■ ", "▫ ", "□ ", "➢ ", "✓ ", "∙ ", "– ", "- ", "* ", "· ", "o ",
];

/// Fewest dots of a leader, and the longest number of a page, in characters.
const MIN_LEADER: usize = 3;
const MAX_PAGE_NUMBER: usize = 6;

/// True when a text begins in the middle of a sentence.
pub(super) fn goes_on(text: &str) -> bool {
    text.starts_with(|c: char| c.is_lowercase() || matches!(c, ',' | ';' | ')'))
}

/// True when a text ends where a sentence or an announcement does.
pub(super) fn ends_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', ':', '"', '”', '»', '؟', '。'])
}

/// True for a figure or table with its number.
pub(super) fn is_caption(text: &str) -> bool {
    let start: String = text.chars().take(8).collect::<String>().to_lowercase();
    let is_named = ["fig. ", "figure ", "table "]
        .iter()
        .any(|word| start.starts_with(word));
    let number = text.split_whitespace().nth(1).unwrap_or_default();
    is_named && number.starts_with(|c: char| c.is_ascii_digit()) && number.ends_with(['.', ':'])
}

/// True for an entry of a table of contents: a title, a leader of dots, the number of a page.
pub(super) fn is_contents_entry(text: &str) -> bool {
    let Some((title, page)) = text.trim_end().rsplit_once(is_leader) else {
        return false;
    };
    let is_number = page.chars().all(|c| c.is_ascii_digit());
    let is_roman = page.chars().all(|c| "ivxlcdm".contains(c.to_ascii_lowercase()));
    let dots = title
        .chars()
        .rev()
        .take_while(|c| is_leader(*c))
        .filter(|c| *c != ' ');
    (1..=MAX_PAGE_NUMBER).contains(&page.len()) && (is_number || is_roman) && dots.count() >= MIN_LEADER
}

fn is_leader(c: char) -> bool {
    matches!(c, '.' | ' ' | '…' | '·' | '_')
}

pub(super) fn is_list_item(text: &str) -> bool {
    list_item(text).is_some()
}

pub(super) fn starts_with_bullet(text: &str) -> bool {
    BULLETS.iter().any(|bullet| text.starts_with(bullet))
}

/// The item behind its bullet; a numbered item keeps its number.
pub(super) fn list_item(text: &str) -> Option<&str> {
    for bullet in BULLETS {
        if let Some(rest) = text.strip_prefix(bullet) {
            return Some(rest.trim_start());
        }
    }
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = &text[digits..];
    ((1..=2).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") "))).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_table_of_contents_are_told() {
        let cases = [
            ("Trademarks . . . . . . . . viii", true),
            ("1.2 Current state........ 2", true),
            ("3.1 Terms …… · · · 14", true),
            ("It ended in 1998. 12", false),
            ("Wait... 3 of them", false),
            ("and so on...", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_contents_entry(text), expected, "{text}");
        }
    }

    #[test]
    fn items_and_captions_are_told() {
        assert_eq!(list_item("• one"), Some("one"));
        assert_eq!(list_item("12. twelve"), Some("12. twelve"));
        assert_eq!(list_item("2026. A year"), None);
        assert!(is_caption("Table 3: Caps") && is_caption("Fig. 2. A pump"));
        assert!(!is_caption("Table manners matter.") && !is_caption("Figure it out"));
    }
}

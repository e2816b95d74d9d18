//! Text of documents made harmless in DOT.

use rag_core::text::is_unsafe;

/// `text` for between the quotation marks of DOT.
pub(super) fn dot(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            c if is_unsafe(c) => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotation_marks_do_not_end_the_text() {
        assert_eq!(dot("a\"b\\"), "a\\\"b\\\\");
    }

    proptest! {
        #[test]
        fn nothing_dangerous_is_left(text in any::<String>()) {
            let inside = dot(&text).replace("\\\\", "").replace("\\\"", "");
            prop_assert!(!inside.contains(['"', '\\', '\n']));
        }
    }
}

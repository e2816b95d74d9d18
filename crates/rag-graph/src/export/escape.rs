//! Text of documents made harmless in other languages.

/// `text` for the content or a quoted attribute of XML and HTML. Characters that XML does not know, and those
/// that turn the direction of text around, become `�`.
pub(super) fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\r' | '\t' => escaped.push(' '),
            c if is_unsafe(c) => escaped.push('\u{FFFD}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// `text` for between the quotation marks of DOT.
pub(super) fn dot(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            c if c.is_control() || is_unsafe(c) => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_is_no_markup_any_more() {
        assert_eq!(
            markup("<b a=\"x\">&'\u{0}\u{202E}"),
            "&lt;b a=&quot;x&quot;&gt;&amp;&#39;\u{FFFD}\u{FFFD}"
        );
        assert_eq!(dot("a\"b\\"), "a\\\"b\\\\");
    }

    proptest! {
        #[test]
        fn nothing_dangerous_is_left(text in any::<String>()) {
            prop_assert!(!markup(&text).contains(['<', '>', '"', '\'', '\n']));
            let inside = dot(&text).replace("\\\\", "").replace("\\\"", "");
            prop_assert!(!inside.contains(['"', '\\', '\n']));
        }
    }
}

//! Text of documents and users made harmless in pages.

/// `text` for the content or a quoted attribute of XML and HTML. Characters that XML does not know, and those
/// that turn the direction of text around, become `�`; line breaks and tabs become spaces.
pub fn markup(text: &str) -> String {
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

/// True for control characters, characters that turn the direction of text around, and those that XML does not know.
pub fn is_unsafe(c: char) -> bool {
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
    }

    proptest! {
        #[test]
        fn nothing_dangerous_is_left(text in any::<String>()) {
            prop_assert!(!markup(&text).contains(['<', '>', '"', '\'', '\n']));
        }
    }
}

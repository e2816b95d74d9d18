//! The only places that write to the terminal: results to stdout, everything else to stderr.

use std::io::Write;

/// Writes a line to stdout. A reader that closed the pipe early is not an error.
pub fn to_stdout(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Writes a line to stderr.
pub fn to_stderr(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Text from a document or a user, safe to show: control characters, which could move the cursor or
/// change colours, become `�`; line breaks and tabs become spaces.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}') => {
                '\u{FFFD}'
            }
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_of_documents_do_not_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[31mb\nc"), "a\u{FFFD}[31mb c");
        assert_eq!(plain("a\u{202E}b"), "a\u{FFFD}b");
    }
}

//! The only places that write to the terminal: results to stdout, everything else to stderr.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Set when a result could not be written, so that the command does not end as done.
static LOST: Mutex<Option<std::io::Error>> = Mutex::new(None);

/// Writes a line to stdout. A reader that closed the pipe early is not an error; any other failure is
/// kept for [`lost_output`].
pub fn to_stdout(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            *LOST.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        _ => {}
    }
}

/// Why a result could not be written, if one could not.
pub fn lost_output() -> Option<std::io::Error> {
    LOST.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Writes a line to stderr.
pub fn to_stderr(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Text from a document or a user, safe to show: control characters, which could move the cursor or
/// change colours, and invisible ones become `�`; line breaks and tabs become spaces.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() || is_invisible(c) => '\u{FFFD}',
            c => c,
        })
        .collect()
}

/// True for characters that change direction, break lines, or show nothing.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}'
    )
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

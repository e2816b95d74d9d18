//! Paragraphs that were broken into lines.

use super::hyphens::{KnownWords, rejoin_onto};

/// Lines shorter than this many characters are taken for lines of their own (addresses, lists of
/// contacts) unless the next one begins in lower case.
const SHORT_LINE: usize = 45;

/// Joins the lines of one paragraph. A line break stays where the line ended early although the next
/// word would have fitted, unless the next line goes on in lower case.
///
/// ```
/// use rag_parse::repair::{hyphens::KnownWords, unwrap::unwrap};
///
/// let lines = ["Limits apply to all em-", "ployees travelling on", "business."];
/// assert_eq!(unwrap(&lines, &KnownWords::default()), "Limits apply to all employees travelling on business.");
/// ```
pub fn unwrap<L: AsRef<str>>(lines: &[L], known: &KnownWords) -> String {
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| line.as_ref().trim())
        .filter(|line| !line.is_empty())
        .collect();
    let longest = lines
        .iter()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or_default();
    let width = longest.max(SHORT_LINE);
    let mut text = String::new();
    let mut length = 0;
    for line in lines {
        if text.is_empty() {
            text.push_str(line);
        } else if !rejoin_onto(&mut text, line, known) {
            text.push(if breaks_here(&text, length, line, width) {
                '\n'
            } else {
                ' '
            });
            text.push_str(line);
        }
        length = line.chars().count();
    }
    text
}

/// True when the break before `next` was meant.
fn breaks_here(text: &str, length: usize, next: &str, width: usize) -> bool {
    let first_word = next.split_whitespace().next().unwrap_or_default().chars().count();
    let fitted = length + 1 + first_word <= width * 4 / 5;
    let goes_on = next.starts_with(char::is_lowercase) || text.ends_with([',', ';', '،', '؛']);
    fitted && !goes_on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_are_joined_and_short_ones_kept() {
        let cases: &[(&[&str], &str)] = &[
            (
                &[
                    "A long line that fills the whole width of the",
                    "Page and goes on.",
                ],
                "A long line that fills the whole width of the Page and goes on.",
            ),
            (&["Phone: 555", "Mail: help"], "Phone: 555\nMail: help"),
            (&["short but", "going on"], "short but going on"),
            (&["one", "", "  two"], "one two"),
            (&[], ""),
        ];
        for (lines, expected) in cases {
            assert_eq!(unwrap(lines, &KnownWords::default()), *expected);
        }
    }
}

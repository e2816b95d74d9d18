//! Footnotes: small text at the end of a column that begins with a mark. They are kept out of the
//! paragraph that goes on in the next column.

use super::rows::Row;

/// Size of a note at most, as a share of the body's.
const MAX_SIZE: f32 = 0.93;

/// Share of the page's height below which notes stand.
const MIN_PLACE: f32 = 0.4;

/// Longest number of a note, in digits.
const MAX_DIGITS: usize = 3;

/// Where the notes at the end of a column's rows begin; the number of rows when there are none.
pub(super) fn begin(rows: &[Row], body: f32, page_height: f32) -> usize {
    let is_small = |row: &Row| row.size() <= body * MAX_SIZE;
    let text = rows.iter().rposition(|row| !is_small(row));
    let tail = text.map_or(0, |at| at + 1);
    let is_first = |row: &Row| row.baseline() >= page_height * MIN_PLACE && begins_note(&row.text());
    rows[tail..]
        .iter()
        .position(is_first)
        .map_or(rows.len(), |at| tail + at)
}

/// True when a line begins with the mark of a note: a short number or sign that belongs to no text.
pub(super) fn begins_note(text: &str) -> bool {
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    if digits == 0 {
        let mut characters = text.chars();
        let is_mark = characters
            .next()
            .is_some_and(|c| matches!(c, '*' | '∗' | '†' | '‡' | '§' | '¶' | '※'));
        return is_mark && characters.any(char::is_alphabetic);
    }
    let rest = text[digits..].trim_start_matches(')').trim_start();
    let is_text = rest
        .chars()
        .next()
        .is_none_or(|c| c.is_alphabetic() || matches!(c, '(' | '[' | '“' | '‘' | '"' | '\'' | '「' | '『'));
    digits <= MAX_DIGITS && is_text
}

#[cfg(test)]
mod tests {
    use super::super::lines::Segment;
    use super::*;

    fn row(text: &str, baseline: f32, size: f32) -> Row {
        Row {
            segments: vec![Segment {
                text: text.to_owned(),
                left: 50.0,
                right: 250.0,
                baseline,
                size,
                is_bold: false,
                order: 0,
                spaces: Vec::new(),
            }],
        }
    }

    #[test]
    fn small_text_with_marks_at_the_end_of_a_column_is_notes() {
        let rows = [
            row("Body text.", 300.0, 10.0),
            row("small, without a mark", 600.0, 8.0),
            row("5Stall warning is", 620.0, 8.0),
            row("the shaking of a stick.", 630.0, 8.0),
            row("6 The FDR.", 640.0, 8.0),
        ];
        assert_eq!(begin(&rows, 10.0, 800.0), 2);
        assert_eq!(begin(&rows, 8.0, 800.0), 5);
        assert_eq!(begin(&rows, 10.0, 2_000.0), 5);
        assert_eq!(begin(&[], 10.0, 800.0), 0);
    }

    #[test]
    fn marks_are_told_from_text() {
        for text in [
            "5Stall",
            "12 See",
            "1) 보험",
            "* Equal contribution",
            "†Both",
            "3",
            "7“The",
        ] {
            assert!(begins_note(text), "{text}");
        }
        for text in [
            "",
            "1. One",
            "2020 was",
            "1,204 people",
            "5% of",
            "Text",
            "***",
            "3.5 m",
        ] {
            assert!(!begins_note(text), "{text}");
        }
    }
}

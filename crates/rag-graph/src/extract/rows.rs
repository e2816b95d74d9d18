//! Table rows as the parser writes them: `Room Maas: office Leeds, seats 4.`

/// A row: what it is about, and its cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row<'t> {
    /// Header of the first column: `Room`.
    pub(crate) header: &'t str,
    /// The first column's value: `Maas`.
    pub(crate) subject: &'t str,
    /// The other columns.
    pub(crate) cells: Vec<Cell<'t>>,
}

/// A cell: `seats`, `4`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell<'t> {
    /// The column's header.
    pub(crate) header: &'t str,
    /// The value.
    pub(crate) value: &'t str,
}

/// Most words before the colon, and of a column's header.
const MAX_SUBJECT_WORDS: usize = 14;
const MAX_HEADER_WORDS: usize = 6;

/// True when `line` is a row.
pub(crate) fn is_row(line: &str) -> bool {
    read_row(line).is_some()
}

/// Reads a row of a language with capital letters. A header is in lower case, a value begins with a capital
/// or a digit, and a part without both belongs to the value before it; a line with fewer than two cells, or
/// whose first part looks like a sentence, is none.
pub(crate) fn read_row(line: &str) -> Option<Row<'_>> {
    let line = line.trim().trim_end_matches('.');
    let (head, rest) = line.split_once(": ")?;
    if head.split_whitespace().count() > MAX_SUBJECT_WORDS || head.contains(['.', ';', '?', '!', '"']) {
        return None;
    }
    let (header, subject) = split_head(head)?;
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for part in parts(rest) {
        match (split_cell(part), cells.last_mut()) {
            (Some(cell), _) => cells.push(cell),
            (None, Some(last)) => last.value = joined(line, last.value, part),
            (None, None) => return None,
        }
    }
    (cells.len() >= 2).then_some(Row {
        header,
        subject,
        cells,
    })
}

/// The first column: a header with a capital, further words of it in lower case, then the value.
fn split_head(head: &str) -> Option<(&str, &str)> {
    let first = head.split_whitespace().next()?;
    if !first.starts_with(char::is_uppercase) {
        return None;
    }
    let rest = &head[first.len()..];
    let value = value_start(rest).map_or(rest.len(), |at| at);
    let (header, subject) = head.split_at(first.len() + value);
    let (header, subject) = (header.trim(), subject.trim());
    if subject.is_empty() {
        return None;
    }
    // "Gate 1", "Cost centre 4110": a number says nothing without its header.
    let subject = if subject.starts_with(|c: char| c.is_numeric()) {
        head.trim()
    } else {
        subject
    };
    Some((header, subject))
}

fn split_cell(part: &str) -> Option<Cell<'_>> {
    let at = value_start(part).filter(|&at| at > 0)?;
    let (header, value) = part.split_at(at);
    let header = header.trim();
    let is_short = header.split_whitespace().count() <= MAX_HEADER_WORDS;
    (is_short && !header.is_empty()).then_some(Cell {
        header,
        value: value.trim(),
    })
}

/// Where the first word with a capital or digit in front begins.
fn value_start(text: &str) -> Option<usize> {
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let is_value = word.starts_with(|c: char| c.is_uppercase() || c.is_numeric() || c == '-');
        if is_value {
            return Some(at);
        }
        at += word.len();
    }
    None
}

/// Parts between commas that a space follows, so that `2,000` stays whole.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(", ").map(str::trim).filter(|part| !part.is_empty())
}

/// The piece of `line` from the start of `first` to the end of `second`; both are pieces of it, in order.
fn joined<'t>(line: &'t str, first: &'t str, second: &'t str) -> &'t str {
    let start = first.as_ptr() as usize - line.as_ptr() as usize;
    let end = second.as_ptr() as usize - line.as_ptr() as usize + second.len();
    line.get(start..end).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(line: &str) -> Option<String> {
        let row = read_row(line)?;
        let cells: Vec<String> = row
            .cells
            .iter()
            .map(|c| format!("{}={}", c.header, c.value))
            .collect();
        Some(format!("{}|{}|{}", row.header, row.subject, cells.join("|")))
    }

    #[test]
    fn rows_are_told_from_prose() {
        for (line, expected) in [
            (
                "Part number PX-1: description Fan tray, fits Tarn 4 and Tarn 5, stock location Ghent.",
                Some("Part number|PX-1|description=Fan tray|fits=Tarn 4 and Tarn 5|stock location=Ghent"),
            ),
            (
                "Gate 1 Freeze: proof required All green, signed by Lead engineer",
                Some("Gate|Gate 1 Freeze|proof required=All green|signed by=Lead engineer"),
            ),
            (
                "Class S2: meaning System taken over, no data touched, who leads Head of Operations",
                Some("Class|S2|meaning=System taken over, no data touched|who leads=Head of Operations"),
            ),
            (
                "Plan Brook: requests 2,000, history 13 months",
                Some("Plan|Brook|requests=2,000|history=13 months"),
            ),
            (
                "Leak ranking: leaks are sorted by volume, and an order can be made.",
                None,
            ),
            ("Note: ask Ruth", None),
            ("No colon here", None),
            ("", None),
        ] {
            assert_eq!(shown(line).as_deref(), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_read_without_panic(line in "[A-Za-z0-9éÉ:,. -]{0,80}") {
            let _ = read_row(&line);
        }
    }
}

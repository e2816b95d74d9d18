//! Tables that are drawn with characters or set with tabs in plain text.

use crate::table::{Table, looks_like_header};

/// Fewest lines of a table.
const MIN_LINES: usize = 2;

/// Lines that decide whether a table has a header.
const LOOKED_AT: usize = 32;

/// Most lines of a table.
const MAX_LINES: usize = 10_000;

/// The table at the beginning of `lines`, and for each of its rows and for its end the number of the line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) table: Table,
    /// The line that each row begins at.
    pub(crate) lines: Vec<usize>,
    /// How many lines it takes.
    pub(crate) taken: usize,
}

/// Finds a table whose columns are parted by bars, with a rule among its lines, or by tabs.
pub(crate) fn table_at<L: AsRef<str>>(lines: &[L]) -> Option<Found> {
    drawn(lines).or_else(|| tabbed(lines))
}

/// A line of the drawing or a row of cells.
enum Line {
    Rule,
    Row(Vec<String>),
}

fn line_of(text: &str) -> Option<Line> {
    let text = text.trim();
    let is_bar = |c: char| matches!(c, '|' | '│' | '┃' | '║');
    let is_dash = |c: char| matches!(c, '-' | '=' | '─' | '━' | '═');
    let is_joint = |c: char| {
        c == '+' || ('\u{250c}'..='\u{254b}').contains(&c) || ('\u{2552}'..='\u{256c}').contains(&c)
    };
    let is_rule = text
        .chars()
        .all(|c| is_bar(c) || is_dash(c) || is_joint(c) || matches!(c, ' ' | ':'));
    if is_rule && text.contains(is_dash) && text.contains(|c| is_bar(c) || is_joint(c)) {
        return Some(Line::Rule);
    }
    let inner = text.strip_prefix(is_bar).unwrap_or(text);
    let inner = inner.strip_suffix(is_bar).unwrap_or(inner);
    let cells: Vec<String> = inner.split(is_bar).map(|cell| cell.trim().to_owned()).collect();
    (cells.len() > 1).then_some(Line::Row(cells))
}

/// A table with a rule. Where rules part all rows, a row may have several lines.
fn drawn<L: AsRef<str>>(lines: &[L]) -> Option<Found> {
    let at = |number: usize| line_of(lines.get(number)?.as_ref());
    let width = match (at(0)?, at(1)?) {
        (Line::Rule, Line::Row(cells)) | (Line::Row(cells), Line::Rule) => cells.len(),
        _ => return None,
    };
    let fits =
        |line: &Line| matches!(line, Line::Row(cells) if cells.len() == width) || matches!(line, Line::Rule);
    let drawing: Vec<Line> = lines
        .iter()
        .take(MAX_LINES)
        .map_while(|line| line_of(line.as_ref()))
        .take_while(fits)
        .collect();
    // Runs of rows between rules.
    let mut groups: Vec<Vec<(usize, &Vec<String>)>> = vec![Vec::new()];
    for (at, line) in drawing.iter().enumerate() {
        match line {
            Line::Rule => groups.push(Vec::new()),
            Line::Row(cells) => groups.last_mut()?.push((at, cells)),
        }
    }
    groups.retain(|group| !group.is_empty());
    let is_ruled = groups.len() > 2;
    let has_header = groups.len() > 1;
    let mut rows: Vec<(usize, Vec<String>)> = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        if is_ruled || (has_header && number == 0) {
            rows.push((group.first()?.0, joined(group)));
        } else {
            rows.extend(group.iter().map(|(at, cells)| (*at, (*cells).clone())));
        }
    }
    if rows.len() < MIN_LINES {
        return None;
    }
    found(rows, has_header, drawing.len())
}

/// The lines of one row, cell by cell.
fn joined(group: &[(usize, &Vec<String>)]) -> Vec<String> {
    let mut lines = group.iter().map(|(_, cells)| cells.iter());
    let mut row: Vec<String> = lines
        .next()
        .map(|cells| cells.cloned().collect())
        .unwrap_or_default();
    for cells in lines {
        for (cell, more) in row.iter_mut().zip(cells).filter(|(_, more)| !more.is_empty()) {
            if !cell.is_empty() {
                cell.push(' ');
            }
            cell.push_str(more);
        }
    }
    row
}

/// Lines with as many tabs between their cells, the first of which are names.
fn tabbed<L: AsRef<str>>(lines: &[L]) -> Option<Found> {
    let cells = |line: &L| -> Vec<String> {
        line.as_ref()
            .trim()
            .split('\t')
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    let width = cells(lines.first()?).len();
    let is_row = |row: &Vec<String>| row.len() == width && row.iter().all(|cell| !cell.is_empty());
    let start: Vec<Vec<String>> = lines
        .iter()
        .take(LOOKED_AT)
        .map(cells)
        .take_while(is_row)
        .collect();
    if width < 2 || start.len() < MIN_LINES || !looks_like_header(&start) {
        return None;
    }
    let rows: Vec<Vec<String>> = lines
        .iter()
        .take(MAX_LINES)
        .map(cells)
        .take_while(is_row)
        .collect();
    let taken = rows.len();
    found(rows.into_iter().enumerate().collect(), true, taken)
}

fn found(rows: Vec<(usize, Vec<String>)>, has_header: bool, taken: usize) -> Option<Found> {
    let is_filled = |row: &(usize, Vec<String>)| row.1.iter().any(|cell| !cell.is_empty());
    let header_rows = usize::from(has_header);
    let body = rows.iter().skip(header_rows);
    let lines: Vec<usize> = body.filter(|row| is_filled(row)).map(|(at, _)| *at).collect();
    let grid = rows.into_iter().map(|(_, row)| row).collect();
    let table = Table::from_grid(grid, header_rows);
    (!lines.is_empty()).then_some(Found { table, lines, taken })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Vec<String>, Vec<Vec<String>>, usize)> {
        let lines: Vec<&str> = text.lines().collect();
        table_at(&lines).map(|found| (found.table.headers, found.table.rows, found.taken))
    }

    #[test]
    fn drawn_and_tabbed_tables_are_read() {
        let cases = [
            "+------+------+\n| City | Rate |\n+------+------+\n| Rome | 99   |\n+------+------+",
            "+------+------+\n| City | Rate |\n+======+======+\n| Rome | 99   |\n+------+------+",
            "┌──────┬──────┐\n│ City │ Rate │\n├──────┼──────┤\n│ Rome │ 99   │\n└──────┴──────┘",
            " City | Rate\n------+------\n Rome | 99\n\nText",
            "| City | Rate |\n|---|---|\n| Rome | 99 |",
            "\tCity\tRate\n\tRome\t99",
        ];
        for text in cases {
            let (headers, rows, taken) = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (headers, rows),
                (
                    vec!["City".into(), "Rate".into()],
                    vec![vec!["Rome".into(), "99".into()]]
                )
            );
            assert_eq!(taken, text.split("\n\n").next().unwrap().lines().count());
        }
    }

    #[test]
    fn rows_between_rules_may_have_several_lines() {
        let text = "+---+-----+\n| A | B   |\n+---+-----+\n| 1 | one |\n|   | two |\n+---+-----+\n| 2 | x   |\n+---+-----+";
        let (_, rows, _) = read(text).unwrap();
        assert_eq!(rows, [["1", "one two"], ["2", "x"]]);
    }

    #[test]
    fn text_with_bars_or_rules_is_no_table() {
        for text in [
            "a | b",
            "Use a | b\nor c | d",
            "-----\ntext",
            "| one |\n",
            "+--+--+\n",
            "1\t2\n3\t4",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

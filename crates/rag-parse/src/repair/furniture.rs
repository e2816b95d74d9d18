//! Page furniture: lines that repeat at the same place of several pages, and page numbers.

use std::collections::HashMap;

/// Lines at the top and at the bottom of a page among which furniture is looked for.
const EDGE_LINES: usize = 4;

/// Longest line that can be furniture, in characters.
const MAX_CHARACTERS: usize = 160;

/// The places of `pages` (page, line) that hold a running header or footer: the same text, digits
/// masked, equally far from the same edge of at least two pages and of a third of all of them.
pub fn running_lines<L: AsRef<str>>(pages: &[Vec<L>]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<(Edge, String), Vec<(usize, usize)>> = HashMap::new();
    for (page, lines) in pages.iter().enumerate() {
        for (line, edge) in edges(lines.len()) {
            let text = lines[line].as_ref();
            let masked = mask_digits(text);
            if !masked.is_empty() && text.chars().count() <= MAX_CHARACTERS {
                seen.entry((edge, masked)).or_default().push((page, line));
            }
        }
    }
    let enough = 2.max(pages.len().div_ceil(3));
    let mut found: Vec<(usize, usize)> = seen
        .into_values()
        .filter(|places| places.len() >= enough)
        .flatten()
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// How far from which edge a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Edge {
    Top(usize),
    Bottom(usize),
}

fn edges(lines: usize) -> impl Iterator<Item = (usize, Edge)> {
    let near = EDGE_LINES.min(lines);
    let top = (0..near).map(|at| (at, Edge::Top(at)));
    top.chain((0..near).map(move |at| (lines - 1 - at, Edge::Bottom(at))))
}

/// The line on one line, each run of digits replaced by `#`, so that page numbers and dates do not
/// tell two headers apart. A line without any letter gives nothing: tables of numbers repeat.
pub fn mask_digits(line: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !masked.is_empty() {
            masked.push(' ');
        }
        for c in word.chars() {
            if !c.is_numeric() {
                masked.push(c);
            } else if !masked.ends_with('#') {
                masked.push('#');
            }
        }
    }
    if masked.chars().any(char::is_alphabetic) {
        masked
    } else {
        String::new()
    }
}

/// True when the line does nothing but number a page: `7`, `- 7 -`, `Page 3 of 12`, `3/12`, `xiv`.
pub fn is_page_number(line: &str) -> bool {
    let line = line
        .trim()
        .trim_matches(['-', '–', '—', '|', '[', ']', '·', ' '])
        .trim();
    let lower = line.to_lowercase();
    let rest = ["page", "seite", "p.", "pg.", "صفحة"]
        .iter()
        .find_map(|word| lower.strip_prefix(word));
    let is_named = rest.is_some();
    let rest = rest.unwrap_or(&lower).trim();
    let mut parts = rest.splitn(2, |c: char| c == '/' || c.is_whitespace());
    let first = parts.next().unwrap_or_default();
    let second = parts.next().unwrap_or_default().trim();
    let total = ["of", "von", "/", "من"]
        .iter()
        .find_map(|word| second.strip_prefix(word))
        .unwrap_or(second)
        .trim();
    match (is_number(first), second.is_empty()) {
        (true, true) => true,
        (true, false) => (is_named || total != second || rest.contains('/')) && is_number(total),
        (false, empty) => empty && is_roman(first) && (is_named || first.len() > 1),
    }
}

fn is_number(text: &str) -> bool {
    (1..=4).contains(&text.chars().count()) && text.chars().all(char::is_numeric)
}

fn is_roman(text: &str) -> bool {
    (1..=7).contains(&text.len()) && text.chars().all(|c| matches!(c, 'i' | 'v' | 'x' | 'l'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_at_the_same_place_of_several_pages_are_found() {
        let pages = vec![
            vec!["Acme  Policy 2026", "First text.", "More.", "Page 1 of 3"],
            vec!["Acme  Policy 2026", "Second text.", "Page 2 of 3"],
            vec!["Acme Policy 2026", "Third.", "12 14", "Page 3 of 3"],
        ];
        assert_eq!(
            running_lines(&pages),
            [(0, 0), (0, 3), (1, 0), (1, 2), (2, 0), (2, 3)]
        );
    }

    #[test]
    fn a_repeated_line_elsewhere_and_a_single_page_are_kept() {
        let body = ["a", "b", "c", "d", "e", "Note", "f", "g", "h", "i", "j"];
        let mut moved = body.to_vec();
        moved.swap(5, 1);
        let pages = vec![body.to_vec(), moved];
        assert!(!running_lines(&pages).contains(&(0, 5)));
        assert!(running_lines(&[vec!["One", "One"]]).is_empty());
        assert!(running_lines::<&str>(&[]).is_empty());
    }

    #[test]
    fn page_numbers_are_told_from_text() {
        for line in [
            "7",
            " - 7 - ",
            "Page 3 of 12",
            "page 3",
            "3/12",
            "3 of 12",
            "xiv",
            "Page iv",
            "| 5",
            "صفحة 3 من 9",
        ] {
            assert!(is_page_number(line), "{line}");
        }
        for line in [
            "",
            "2026 budget",
            "12 14",
            "Page layout",
            "Page",
            "mix",
            "12345",
            "v",
            "3 apples",
            "of 3",
        ] {
            assert!(!is_page_number(line), "{line}");
        }
    }
}

//! `numbering.xml`: the labels of numbered headings and list items, counted as the document is read.

use std::collections::HashMap;

use crate::numerals::{letters, roman};
use crate::xml::Element;

/// Levels that a list can have.
const LEVELS: usize = 9;

/// Lists by their id, and how far each has been counted.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// Abstract list and first numbers of each list.
    lists: HashMap<String, (String, HashMap<usize, u32>)>,
    levels: HashMap<String, HashMap<usize, Level>>,
    counters: HashMap<String, [u32; LEVELS]>,
    /// Lists whose own first numbers were already applied.
    started: Vec<String>,
}

#[derive(Debug, Clone)]
struct Level {
    start: u32,
    format: String,
    text: String,
}

impl Numbering {
    pub(super) fn read(part: &Element) -> Self {
        let mut numbering = Self::default();
        for element in part.elements() {
            match element.name.as_str() {
                "abstractNum" => {
                    let id = element.attribute("abstractNumId").unwrap_or_default();
                    numbering.levels.insert(id.to_owned(), levels(element));
                }
                "num" => {
                    let id = element.attribute("numId").unwrap_or_default();
                    let list = element.value_at(&["abstractNumId"]).unwrap_or_default();
                    numbering
                        .lists
                        .insert(id.to_owned(), (list.to_owned(), overrides(element)));
                }
                _ => {}
            }
        }
        numbering
    }

    /// Counts one item of a list and returns its label; an empty one for bullets.
    pub(super) fn next_label(&mut self, list: &str, level: usize) -> String {
        let level = level.min(LEVELS - 1);
        let Some((shared, firsts)) = self.lists.get(list) else {
            return String::new();
        };
        let Some(levels) = self.levels.get(shared) else {
            return String::new();
        };
        let start_of = |at: usize| levels.get(&at).map_or(1, |level| level.start);
        let counters = self.counters.entry(shared.clone()).or_insert([0; LEVELS]);
        if !firsts.is_empty() && !self.started.iter().any(|started| started == list) {
            self.started.push(list.to_owned());
            for (&at, &first) in firsts.iter().filter(|(at, _)| **at < LEVELS) {
                counters[at] = first.saturating_sub(1);
            }
        } else if counters[level] == 0 {
            counters[level] = start_of(level).saturating_sub(1);
        }
        counters[level] = counters[level].saturating_add(1);
        counters[level + 1..].fill(0);
        let own = levels.get(&level);
        label(own, levels, counters)
    }
}

fn levels(list: &Element) -> HashMap<usize, Level> {
    let levels = list.elements().filter(|element| element.name == "lvl");
    let read = levels.filter_map(|level| {
        let at = level.attribute("ilvl")?.parse().ok()?;
        let text = |name| level.value_at(&[name]).unwrap_or_default().to_owned();
        let start = level.value_at(&["start"]).and_then(|start| start.parse().ok());
        Some((
            at,
            Level {
                start: start.unwrap_or(1),
                format: text("numFmt"),
                text: text("lvlText"),
            },
        ))
    });
    read.collect()
}

fn overrides(list: &Element) -> HashMap<usize, u32> {
    let overrides = list.elements().filter(|element| element.name == "lvlOverride");
    let read = overrides.filter_map(|level| {
        let first = level.value_at(&["startOverride"])?.parse().ok()?;
        Some((level.attribute("ilvl")?.parse().ok()?, first))
    });
    read.collect()
}

/// Fills `%1`, `%2`, … of a level's text with the counters.
fn label(own: Option<&Level>, levels: &HashMap<usize, Level>, counters: &[u32; LEVELS]) -> String {
    let Some(own) = own.filter(|level| !matches!(level.format.as_str(), "bullet" | "none")) else {
        return String::new();
    };
    let mut label = String::new();
    let mut characters = own.text.chars().peekable();
    while let Some(c) = characters.next() {
        let place = characters
            .peek()
            .and_then(|c| c.to_digit(10))
            .filter(|_| c == '%');
        match place {
            Some(place @ 1..=9) => {
                characters.next();
                let at = place as usize - 1;
                let format = levels.get(&at).map_or("decimal", |level| level.format.as_str());
                label.push_str(&number(counters[at].max(1), format));
            }
            _ => label.push(c),
        }
    }
    label.trim().to_owned()
}

/// A number as its format writes it; formats that are not known are written as digits.
fn number(value: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letters(value),
        "upperLetter" => letters(value).to_uppercase(),
        "lowerRoman" => roman(value),
        "upperRoman" => roman(value).to_uppercase(),
        "decimalZero" => format!("{value:02}"),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::parse;

    #[test]
    fn labels_are_counted_per_level_and_restarted() {
        let part = "<n><abstractNum abstractNumId='0'>\
            <lvl ilvl='0'><start val='1'/><numFmt val='decimal'/><lvlText val='%1.'/></lvl>\
            <lvl ilvl='1'><start val='1'/><numFmt val='lowerLetter'/><lvlText val='%1.%2)'/></lvl></abstractNum>\
            <abstractNum abstractNumId='1'><lvl ilvl='0'><numFmt val='bullet'/><lvlText val='x'/></lvl></abstractNum>\
            <num numId='1'><abstractNumId val='0'/></num><num numId='2'><abstractNumId val='1'/></num>\
            <num numId='3'><abstractNumId val='0'/><lvlOverride ilvl='0'><startOverride val='5'/></lvlOverride></num></n>";
        let mut numbering = Numbering::read(&parse(part.as_bytes(), 9).unwrap());
        let steps = [
            ("1", 0, "1."),
            ("1", 1, "1.a)"),
            ("1", 1, "1.b)"),
            ("1", 0, "2."),
            ("1", 1, "2.a)"),
            ("2", 0, ""),
            ("3", 0, "5."),
            ("3", 0, "6."),
            ("9", 0, ""),
        ];
        for (list, level, expected) in steps {
            assert_eq!(numbering.next_label(list, level), expected);
        }
    }

    #[test]
    fn numbers_are_written_in_their_format() {
        let cases = [
            (4, "lowerRoman", "iv"),
            (1999, "upperRoman", "MCMXCIX"),
            (28, "lowerLetter", "bb"),
            (3, "decimalZero", "03"),
            (7, "x", "7"),
        ];
        for (value, format, text) in cases {
            assert_eq!(number(value, format), text);
        }
    }
}

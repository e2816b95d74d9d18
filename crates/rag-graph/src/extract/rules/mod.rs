//! The extractor that needs no model: capital letters, codes, table rows, a gazetteer, and the words between
//! two names. English and Arabic; other languages with capital letters give names but fewer relations.

mod names;
mod predicates;
pub(crate) mod tokens;
mod words;

use rag_core::passage::Passage;

use super::rows::{Cell, read_row};
use super::{Extractor, Facts, Gazetteer, Kind, Mention, Relation};
use crate::error::GraphError;
use crate::name::Namer;
use crate::units::{MAX_UNITS, TITLE, units};
use names::{Name, Reading, names, spaced};
use predicates::{Direction, predicate};
use tokens::tokens;

/// Raised whenever the rules find something else.
const VERSION: u32 = 1;

/// Most words of a table value, or of a title, that is a name as a whole.
const MAX_LABEL_WORDS: usize = 7;

/// The predicate that makes two names one.
pub(crate) const ALIAS: &str = "also called";

/// True for a word, in lower case, that begins sentences and so names nothing by itself.
pub(crate) fn is_common_word(word: &str) -> bool {
    words::is_starter(word)
}

/// True for a word, in lower case, such as "bank" that many names have in them.
pub(crate) fn says_kind(word: &str) -> bool {
    words::kind_of(word).is_some()
}

/// Finds names and statements by rule.
pub struct RuleExtractor {
    gazetteer: Gazetteer,
}

impl RuleExtractor {
    /// An extractor that knows the names of `gazetteer`.
    pub fn new(gazetteer: Gazetteer) -> Self {
        Self { gazetteer }
    }

    fn prose(&self, text: &str, unit: u16, facts: &mut Facts) {
        let tokens = tokens(text);
        let found = names(text, &tokens, &self.gazetteer, Reading::Prose);
        for name in &found {
            mention(name, unit, facts);
        }
        let mut carried: Option<(&Name, &'static str, Direction)> = None;
        for pair in found.windows(2) {
            let [first, second] = pair else { continue };
            let gap = text
                .get(tokens[first.end - 1].span.end..tokens[second.start].span.start)
                .unwrap_or_default();
            let stated = stated(first, second, gap).or_else(|| carried.filter(|_| is_list(gap)));
            carried = stated;
            if let Some((subject, predicate, direction)) = stated {
                relate(&subject.text, predicate, &second.text, direction, unit, facts);
            }
        }
    }

    fn row(&self, line: &str, unit: u16, facts: &mut Facts) -> bool {
        let Some(row) = read_row(line) else {
            return false;
        };
        let subject = self.label(row.subject, row.header, facts, unit);
        for Cell { header, value } in &row.cells {
            let tokens = tokens(value);
            let found = names(value, &tokens, &self.gazetteer, Reading::Label);
            let objects = if is_whole_label(value, &found) {
                vec![self.label(value, Kind::NAME, facts, unit)]
            } else {
                for name in &found {
                    mention(name, unit, facts);
                }
                found.iter().map(|name| name.text.clone()).collect()
            };
            for object in objects {
                relate(&subject, header, &object, Direction::Forward, unit, facts);
            }
        }
        true
    }

    /// Takes `text` as one name, which is the gazetteer's if it has it.
    fn label(&self, text: &str, kind: &str, facts: &mut Facts, unit: u16) -> String {
        let tokens = tokens(text);
        let known = self.gazetteer.find(&tokens).into_iter();
        let known = known
            .filter(|found| found.len == tokens.len())
            .find_map(|found| found.entity);
        let (name, kind) = match known {
            Some(entity) => self.gazetteer.entity(entity).clone(),
            None => (spaced(text), Kind::new(kind)),
        };
        facts.mention(Mention {
            written: Some(spaced(text)).filter(|written| *written != name),
            name: name.clone(),
            kind,
            unit,
            weak: false,
        });
        name
    }

    /// The title: the names in it, and, where it is short, all of it as what the document is about.
    fn title(&self, title: &str, namer: &Namer, facts: &mut Facts) {
        let subject = title.split(" (").next().unwrap_or(title).trim();
        let is_short = subject.split_whitespace().count() <= MAX_LABEL_WORDS;
        if is_short && !namer.key(subject).is_empty() {
            self.label(subject, Kind::DOCUMENT, facts, TITLE);
        }
        let tokens = tokens(title);
        for name in names(title, &tokens, &self.gazetteer, Reading::Prose) {
            mention(&name, TITLE, facts);
        }
    }
}

impl Extractor for RuleExtractor {
    fn identity(&self) -> String {
        format!("rules {VERSION}, names {}", self.gazetteer.identity())
    }

    fn extract(&self, passage: &Passage) -> Result<Facts, GraphError> {
        let mut facts = Facts::none(passage);
        self.title(&passage.title, &self.gazetteer.namer, &mut facts);
        let units = units(&passage.text);
        facts.cut += units.len().saturating_sub(MAX_UNITS) as u32;
        for (span, number) in units.into_iter().take(MAX_UNITS).zip(1u16..) {
            let text = span.slice(&passage.text).unwrap_or_default();
            if !self.row(text, number, &mut facts) {
                self.prose(text, number, &mut facts);
            }
        }
        Ok(facts.close())
    }
}

fn mention(name: &Name, unit: u16, facts: &mut Facts) {
    facts.mention(Mention {
        name: name.text.clone(),
        written: name.written.clone(),
        kind: name.kind.clone(),
        unit,
        weak: name.weak,
    });
}

fn relate(first: &str, predicate: &str, second: &str, direction: Direction, unit: u16, facts: &mut Facts) {
    let (subject, object) = match direction {
        Direction::Forward => (first, second),
        Direction::Backward => (second, first),
    };
    facts.relate(Relation {
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        unit,
    });
}

/// What the text between two neighbouring names says.
fn stated<'n>(first: &'n Name, second: &'n Name, gap: &str) -> Option<(&'n Name, &'static str, Direction)> {
    if gap.trim() == "(" && is_acronym(&second.text, &first.text) {
        return Some((first, ALIAS, Direction::Forward));
    }
    let is_role = |name: &Name| name.kind.as_str() == Kind::ROLE;
    if gap.trim() == "," && is_role(first) != is_role(second) {
        let direction = if is_role(first) {
            Direction::Backward
        } else {
            Direction::Forward
        };
        return Some((first, "is", direction));
    }
    predicate(gap).map(|(predicate, direction)| (first, predicate, direction))
}

/// True when the names stand in one list, so that what was said of the one before goes for this one.
fn is_list(gap: &str) -> bool {
    matches!(gap.trim(), "," | "and" | ", and" | "or" | "، و" | "و" | "،")
}

/// True when `short` is made of the initials of `long`.
fn is_acronym(short: &str, long: &str) -> bool {
    let is_initials = (2..=8).contains(&short.len()) && short.bytes().all(|b| b.is_ascii_uppercase());
    let initials: String = long
        .split([' ', '-'])
        .filter_map(|word| word.chars().next())
        .flat_map(char::to_uppercase)
        .collect();
    let capitals: String = long.chars().filter(|c| c.is_uppercase()).collect();
    is_initials && (initials == short || capitals == short)
}

/// True when a table's value is one name: a few words of which only the first has a capital, no amount.
fn is_whole_label(value: &str, found: &[Name]) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let starts_upper = value.starts_with(char::is_uppercase);
    let others_lower = words
        .iter()
        .skip(1)
        .all(|word| !word.starts_with(char::is_uppercase));
    let is_known = found
        .iter()
        .any(|name| name.kind.weight() > 1 && name.end > name.start + 1);
    starts_upper
        && others_lower
        && !is_known
        && words.len() <= MAX_LABEL_WORDS
        && !value.contains(|c: char| c.is_numeric() || matches!(c, ',' | ';'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::passage;
    use proptest::prelude::*;

    fn relations(title: &str, text: &str) -> Vec<String> {
        let mut passage = passage("a#0", text);
        passage.title = title.to_owned();
        let facts = RuleExtractor::new(Gazetteer::default())
            .extract(&passage)
            .unwrap();
        facts
            .relations
            .iter()
            .map(|r| format!("{} -{}-> {} @{}", r.subject, r.predicate, r.object, r.unit))
            .collect()
    }

    #[test]
    fn statements_are_found_in_prose_and_rows() {
        let cases: &[(&str, &[&str])] = &[
            (
                "We know that Osier requires Tarn and Weald.",
                &["Osier -requires-> Tarn @1", "Osier -requires-> Weald @1"],
            ),
            (
                "Old. Here Tarn 2 is the predecessor of Tarn 3.",
                &["Tarn 3 -replaces-> Tarn 2 @2"],
            ),
            (
                "See the Wide Metering Area (WMA).",
                &["Wide Metering Area -also called-> WMA @1"],
            ),
            (
                "Ask Ruth Amsel, Head of Pumps.",
                &["Ruth Amsel -is-> Head of Pumps @1"],
            ),
            (
                "Room Maas: office Ghent, seats 4, good for Quiet talks.",
                &["Maas -office-> Ghent @1", "Maas -good for-> Quiet talks @1"],
            ),
            (
                "Part number PX-1: fits Tarn 4 and Tarn 5, price EUR 3, stock location Ghent.",
                &[
                    "PX-1 -fits-> Tarn 4 @1",
                    "PX-1 -fits-> Tarn 5 @1",
                    "PX-1 -stock location-> Ghent @1",
                ],
            ),
            ("Osier, Tarn.", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(&relations("Notes", text), expected, "{text}");
        }
    }

    #[test]
    fn the_title_is_what_the_document_is_about() {
        let mut passage = passage("a#0", "Nothing here.");
        passage.title = "Ruth Amsel (engineer)".to_owned();
        let facts = RuleExtractor::new(Gazetteer::default())
            .extract(&passage)
            .unwrap();
        assert_eq!(facts.mentions[0].name, "Ruth Amsel");
        assert_eq!(
            (facts.mentions[0].kind.as_str(), facts.mentions[0].unit),
            ("document", 0)
        );
    }

    proptest! {
        #[test]
        fn any_text_gives_closed_facts(title in "\\PC{0,30}", text in "[A-Za-z0-9 ,.:()\n\u{600}-\u{650}-]{0,200}") {
            let mut passage = passage("a#0", &text);
            passage.title = title;
            let facts = RuleExtractor::new(Gazetteer::default()).extract(&passage).unwrap();
            let names: Vec<&str> = facts.mentions.iter().map(|m| m.name.as_str()).collect();
            for relation in &facts.relations {
                prop_assert!(names.contains(&relation.subject.as_str()) && names.contains(&relation.object.as_str()));
            }
        }
    }
}

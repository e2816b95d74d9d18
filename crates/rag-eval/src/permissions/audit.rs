//! Searching what an asker was shown for ids, titles and text of documents that they may not read.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::words::{Run, runs, words};

/// Words in a row that two texts do not share by chance.
const SHINGLE_WORDS: usize = 8;

/// Shortest text, in words, that is looked for whole when it has fewer than [`SHINGLE_WORDS`].
const MIN_TEXT_WORDS: usize = 3;

/// An id of only digits, up to this length, could be any number: it counts only as part of a passage
/// id, before a `#`, or as the whole of a string.
const AMBIGUOUS_ID_DIGITS: usize = 6;

/// A document, as the audit needs it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    /// The document's id.
    pub id: &'t str,
    /// Its title.
    pub title: &'t str,
    /// Its whole text.
    pub text: &'t str,
}

/// What of a document was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeakKind {
    /// Its id.
    Id,
    /// Its title, which no document that the asker may read contains.
    Title,
    /// Eight words in a row of its text (or all of a shorter one), which no document that the asker
    /// may read contains.
    Text,
    /// None of the above, but what was shown would be another without documents that the asker may not read.
    Influence,
}

/// Something the asker may not read, in something they were shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Leak {
    /// The case or question.
    pub case: String,
    /// Where it was found, such as `hits` or `answer.citations[0].quote`.
    pub surface: String,
    /// The document.
    pub document: String,
    /// What of it.
    pub kind: LeakKind,
}

/// What `eval permissions --json` prints, and the leaks behind the count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Number of cases asked.
    pub cases: usize,
    /// Everything found.
    pub leaks: Vec<Leak>,
}

/// Knows what one asker may not read, and finds it.
///
/// Build one per set of groups; then every surface of every question asked by such an asker is
/// searched. Words of the question itself are no leak: the asker brought them.
///
/// ```
/// use rag_eval::permissions::{Auditor, Text};
///
/// let allowed = [Text { id: "a", title: "Lunch", text: "Soup is served at noon." }];
/// let forbidden = [Text { id: "fin-6", title: "Q3 forecast", text: "Revenue is 41 million." }];
/// let auditor = Auditor::new(allowed, forbidden);
/// assert_eq!(auditor.search_text("case 1", "answer", "Revenue is 41 million. [fin-6#0]", "Revenue?").len(), 2);
/// assert!(auditor.search_text("case 1", "answer", "Soup is served at noon.", "Lunch?").is_empty());
/// ```
#[derive(Debug, Default)]
pub struct Auditor {
    documents: Vec<String>,
    ids: HashMap<String, usize>,
    /// Lengths of the runs of words in `runs`.
    lengths: BTreeSet<usize>,
    runs: HashMap<Run, (usize, LeakKind)>,
}

impl Auditor {
    /// An auditor for an asker who may read `allowed` and may not read `forbidden`.
    pub fn new<'t>(
        allowed: impl IntoIterator<Item = Text<'t>>,
        forbidden: impl IntoIterator<Item = Text<'t>>,
    ) -> Self {
        let mut auditor = Self::default();
        for document in forbidden {
            auditor.forbid(document);
        }
        for document in allowed {
            auditor.ids.remove(document.id);
            auditor.permit(document.title);
            auditor.permit(document.text);
        }
        auditor
    }

    fn forbid(&mut self, document: Text<'_>) {
        let number = self.documents.len();
        self.documents.push(document.id.to_owned());
        self.ids.insert(document.id.to_owned(), number);
        let title = words(document.title);
        if !title.is_empty() {
            self.forbid_runs(&title, title.len().min(SHINGLE_WORDS), number, LeakKind::Title);
        }
        let text = words(document.text);
        if text.len() >= MIN_TEXT_WORDS {
            self.forbid_runs(&text, text.len().min(SHINGLE_WORDS), number, LeakKind::Text);
        }
    }

    fn forbid_runs(&mut self, words: &[u64], length: usize, number: usize, kind: LeakKind) {
        self.lengths.insert(length);
        for run in runs(words, length) {
            self.runs.entry(run).or_insert((number, kind));
        }
    }

    fn permit(&mut self, text: &str) {
        let words = words(text);
        for &length in &self.lengths {
            for run in runs(&words, length) {
                self.runs.remove(&run);
            }
        }
    }

    /// Searches `text`, which was shown at `surface`, in answer to `question`.
    pub fn search_text(&self, case: &str, surface: &str, text: &str, question: &str) -> Vec<Leak> {
        let mut found = BTreeSet::new();
        self.search_string(text, &self.runs_of(question), &mut |number, kind| {
            found.insert((number, kind));
        });
        self.leaks(case, surface, found)
    }

    /// Searches every string in `value`, which was shown at `surface`; names of fields are not searched.
    /// Each leak's surface says where in the value it is.
    pub fn search_value(&self, case: &str, surface: &str, value: &Value, question: &str) -> Vec<Leak> {
        let asked = self.runs_of(question);
        let mut leaks = Vec::new();
        for_each_string(value, surface, &mut |place, text| {
            let mut found = BTreeSet::new();
            self.search_string(text, &asked, &mut |number, kind| {
                found.insert((number, kind));
            });
            leaks.extend(self.leaks(case, place, found));
        });
        leaks
    }

    fn leaks(&self, case: &str, surface: &str, found: BTreeSet<(usize, LeakKind)>) -> Vec<Leak> {
        found
            .into_iter()
            .map(|(number, kind)| Leak {
                case: case.to_owned(),
                surface: surface.to_owned(),
                document: self.documents[number].clone(),
                kind,
            })
            .collect()
    }

    fn search_string(&self, text: &str, asked: &HashSet<Run>, found: &mut impl FnMut(usize, LeakKind)) {
        for (number, id) in self.ids_in(text) {
            if counts_as_id(text, id) {
                found(number, LeakKind::Id);
            }
        }
        let words = words(text);
        for &length in &self.lengths {
            for run in runs(&words, length).filter(|run| !asked.contains(run)) {
                if let Some(&(number, kind)) = self.runs.get(&run) {
                    found(number, kind);
                }
            }
        }
    }

    /// The forbidden ids that stand in `text` between characters that no id has, or between
    /// punctuation around those.
    fn ids_in<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (usize, &'s str)> {
        let pieces = text.split(|c: char| c.is_whitespace() || matches!(c, '#' | '[' | ']' | '"' | '\''));
        pieces.flat_map(|piece| {
            let tight = piece.split(['=', ',', ';', ':', '(', ')', '<', '>']);
            let bare = piece.trim_matches(|c: char| c.is_ascii_punctuation());
            let sentence_end = piece.trim_end_matches(['.', ',', '!', '?']);
            tight
                .chain([piece, bare, sentence_end])
                .filter_map(|id| self.ids.get(id).map(|&number| (number, id)))
        })
    }

    fn runs_of(&self, text: &str) -> HashSet<Run> {
        let words = words(text);
        self.lengths
            .iter()
            .flat_map(|&length| runs(&words, length))
            .collect()
    }
}

fn counts_as_id(text: &str, id: &str) -> bool {
    let is_ambiguous = id.len() <= AMBIGUOUS_ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_digit());
    if !is_ambiguous || text == id {
        return true;
    }
    text.match_indices(id).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        text[start + id.len()..].starts_with('#') && !before.is_some_and(char::is_alphanumeric)
    })
}

/// Calls `each` with every string in `value` and where it is.
fn for_each_string(value: &Value, place: &str, each: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => each(place, text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                for_each_string(item, &format!("{place}[{index}]"), each);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                for_each_string(field, &format!("{place}.{name}"), each);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::testing::hit;

    const SECRET: &str = "Revenue in the third quarter is forecast at 41 million dollars, up from 38.";

    fn auditor() -> Auditor {
        let allowed = [
            Text {
                id: "lunch",
                title: "Lunch menu",
                text: "Soup is served at noon in the canteen on the ground floor every day.",
            },
            Text {
                id: "7",
                title: "Glossary",
                text: "The rules of the house apply to everyone who enters the house by day.",
            },
        ];
        let forbidden = [
            Text {
                id: "fin-006",
                title: "Q3 forecast",
                text: SECRET,
            },
            Text {
                id: "12",
                title: "Lunch menu",
                text: "The rules of the house apply to everyone who enters the house by night.",
            },
        ];
        Auditor::new(allowed, forbidden)
    }

    fn kinds(text: &str, question: &str) -> Vec<(String, LeakKind)> {
        let leaks = auditor().search_text("case", "answer", text, question);
        leaks.into_iter().map(|leak| (leak.document, leak.kind)).collect()
    }

    #[test]
    fn ids_titles_and_text_are_found() {
        use LeakKind::{Id, Text, Title};
        let cases: &[(&str, &[(&str, LeakKind)])] = &[
            (
                "revenue in the third quarter IS forecast at 41 million",
                &[("fin-006", Text)],
            ),
            ("Revenue in the third quarter is forecast", &[]),
            ("See [fin-006#0].", &[("fin-006", Id)]),
            ("skipped doc=fin-006, denied", &[("fin-006", Id)]),
            ("See fin-0061 and xfin-006.", &[]),
            ("The Q3 Forecast says so.", &[("fin-006", Title)]),
            // Its title and first words are also in documents that may be read.
            (
                "Lunch menu: the rules of the house apply to everyone who enters",
                &[],
            ),
            ("everyone who enters the house by night. That is all", &[]),
            ("apply to everyone who enters the house by night", &[("12", Text)]),
            // A bare number is no id.
            ("Page 12 of 12", &[]),
            ("[12#3]", &[("12", Id)]),
            ("[112#3]", &[]),
            ("12", &[("12", Id)]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|&(id, kind)| (id.to_owned(), kind)).collect();
            assert_eq!(kinds(text, "?"), expected, "{text}");
        }
    }

    #[test]
    fn what_the_asker_wrote_is_no_leak() {
        let question = "Is it true that revenue in the third quarter is forecast at 41 million?";
        assert!(kinds(question, question).is_empty());
        assert!(kinds("You asked about the Q3 forecast.", "Where is the Q3 forecast?").is_empty());
    }

    #[test]
    fn the_place_in_a_value_is_named() {
        let value = serde_json::to_value([hit("lunch", "Soup."), hit("fin-006", SECRET)]).unwrap();
        let leaks = auditor().search_value("case", "hits", &value, "?");
        let places: Vec<&str> = leaks.iter().map(|leak| leak.surface.as_str()).collect();
        assert_eq!(places, ["hits[1].passage.id", "hits[1].passage.text"]);
    }
}

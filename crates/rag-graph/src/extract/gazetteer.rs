//! Names that are known beforehand: `entities.toml`.
//!
//! ```toml
//! ignore = ["Monday club"]         # never an entity
//!
//! [[entity]]
//! name = "Osier"
//! kind = "system"
//! aliases = ["pump controller", "أوزير"]
//! ```
//!
//! A name or alias with a capital letter is found only where the text has it with one; one in lower case
//! is found however it is written.

use std::collections::HashMap;
use std::path::Path;

use rag_core::artifact::Digest;
use serde::Deserialize;

use super::Kind;
use super::rules::tokens::Token;
use crate::error::GraphError;
use crate::name::{MAX_NAME_CHARS, Namer};

/// Largest file that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Most words of a name.
const MAX_WORDS: usize = 12;

/// Known names, each with its kind and other spellings.
pub struct Gazetteer {
    entities: Vec<(String, Kind)>,
    /// Entity by the key of each of its spellings; `None` is a name to ignore.
    by_key: HashMap<String, Spelling>,
    longest: usize,
    identity: String,
    pub(crate) namer: Namer,
}

#[derive(Debug, Clone, Copy)]
struct Spelling {
    entity: Option<usize>,
    needs_capital: bool,
}

/// A known name in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// Index of its first token.
    pub(crate) start: usize,
    /// Number of its tokens.
    pub(crate) len: usize,
    /// The entity; `None` when the name is to be ignored.
    pub(crate) entity: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    ignore: Vec<String>,
    entity: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    aliases: Vec<String>,
}

impl Default for Gazetteer {
    fn default() -> Self {
        Self::parse("").expect("an empty file names nothing")
    }
}

impl Gazetteer {
    /// Reads the file at `path`.
    pub fn read(path: &Path) -> Result<Self, GraphError> {
        let bad = |reason: String| GraphError::Input {
            path: path.to_owned(),
            reason,
        };
        let bytes = fs_err::metadata(path)?.len();
        if bytes > MAX_FILE_BYTES {
            return Err(bad(format!("{bytes} bytes, at most {MAX_FILE_BYTES} are read")));
        }
        Self::parse(&fs_err::read_to_string(path)?).map_err(bad)
    }

    /// Reads the content of a file; an error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut gazetteer = Self {
            entities: Vec::new(),
            by_key: HashMap::new(),
            longest: 0,
            identity: Digest::of(text.as_bytes()).short(),
            namer: Namer::default(),
        };
        for name in &file.ignore {
            gazetteer.add(name, None)?;
        }
        for entry in file.entity {
            let entity = gazetteer.entities.len();
            for spelling in std::iter::once(&entry.name).chain(&entry.aliases) {
                gazetteer.add(spelling, Some(entity))?;
            }
            gazetteer
                .entities
                .push((entry.name, entry.kind.unwrap_or_else(|| Kind::new(""))));
        }
        Ok(gazetteer)
    }

    fn add(&mut self, spelling: &str, entity: Option<usize>) -> Result<(), String> {
        let key = self.namer.key(spelling);
        let words = key.split(' ').count();
        if key.is_empty() || words > MAX_WORDS || spelling.chars().count() > MAX_NAME_CHARS {
            return Err(format!(
                "`{}` is no name: write 1 to {MAX_WORDS} words",
                spelling.chars().take(40).collect::<String>()
            ));
        }
        let needs_capital = spelling.contains(char::is_uppercase);
        let spelling_of = Spelling {
            entity,
            needs_capital,
        };
        if let Some(other) = self
            .by_key
            .insert(key, spelling_of)
            .filter(|other| other.entity != entity)
        {
            let whose = other
                .entity
                .and_then(|e| self.entities.get(e))
                .map_or("ignore", |(name, _)| name);
            return Err(format!(
                "`{spelling}` stands twice, the first time for `{whose}`; keep one"
            ));
        }
        self.longest = self.longest.max(words);
        Ok(())
    }

    /// Digest of the file that it was read from.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Name and kind of an entity.
    pub(crate) fn entity(&self, entity: usize) -> &(String, Kind) {
        &self.entities[entity]
    }

    /// The known names among `tokens`, the longest at each place, none overlapping.
    pub(crate) fn find(&self, tokens: &[Token<'_>]) -> Vec<Found> {
        let mut found = Vec::new();
        if self.by_key.is_empty() {
            return found;
        }
        let keys: Vec<String> = tokens.iter().map(|token| self.namer.key(token.text)).collect();
        let mut start = 0;
        while start < tokens.len() {
            let longest = (1..=self.longest.min(tokens.len() - start))
                .rev()
                .find_map(|len| self.spelling(&keys[start..start + len], &tokens[start..start + len]));
            match longest {
                Some((len, entity)) => {
                    found.push(Found { start, len, entity });
                    start += len;
                }
                None => start += 1,
            }
        }
        found
    }

    fn spelling(&self, keys: &[String], tokens: &[Token<'_>]) -> Option<(usize, Option<usize>)> {
        let is_broken = tokens[..tokens.len() - 1].iter().any(|token| token.breaks);
        let spelling = (!is_broken).then(|| self.by_key.get(&keys.join(" "))).flatten()?;
        let has_capital = tokens.iter().any(|token| token.text.contains(char::is_uppercase));
        (has_capital || !spelling.needs_capital).then_some((tokens.len(), spelling.entity))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::rules::tokens::tokens;

    const FILE: &str = r#"
        ignore = ["Osier Street"]
        [[entity]]
        name = "Osier"
        kind = "system"
        aliases = ["pump controller", "أوزير"]
    "#;

    fn found(text: &str) -> Vec<(usize, usize, Option<usize>)> {
        let found = Gazetteer::parse(FILE).unwrap().find(&tokens(text));
        found.iter().map(|f| (f.start, f.len, f.entity)).collect()
    }

    #[test]
    fn names_are_found_in_every_spelling_longest_first() {
        for (text, expected) in [
            ("Ask Osier.", vec![(1, 1, Some(0))]),
            ("the osier grows", vec![]),
            ("a Pump controller", vec![(1, 2, Some(0))]),
            ("the pump, controller", vec![]),
            ("in Osier Street", vec![(1, 2, None)]),
            ("نظام أوزير", vec![(1, 1, Some(0))]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn bad_files_say_what_is_wrong() {
        for (file, part) in [
            ("[[entity]]\nname = \"\"", "is no name"),
            ("[[entity]]\nname = \"A\"\nalias = []", "alias"),
            (
                "[[entity]]\nname = \"A\"\n[[entity]]\nname = \"a\"",
                "stands twice",
            ),
        ] {
            let error = Gazetteer::parse(file).err().unwrap();
            assert!(error.contains(part), "{error}");
        }
    }
}

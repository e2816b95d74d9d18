//! What a passage says: its mentions and relations, and who finds them.

mod drafted;
mod gazetteer;
pub(crate) mod rows;
mod rules;

use rag_core::artifact::Digest;
use rag_core::id::PassageId;
use rag_core::passage::Passage;
use serde::{Deserialize, Serialize};

use crate::error::GraphError;

pub use drafted::{DraftFile, DraftedExtractor, Drafter};
pub use gazetteer::Gazetteer;
pub use rules::RuleExtractor;
pub(crate) use rules::{ALIAS, is_common_word, says_kind};

/// Most mentions kept of a passage; the rest is counted in [`Facts::cut`].
pub(crate) const MAX_MENTIONS: usize = 400;

/// Most relations kept of a passage.
pub(crate) const MAX_RELATIONS: usize = 400;

/// What sort of thing a name stands for: a short word such as `person`, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Kind(String);

impl Kind {
    /// A person.
    pub const PERSON: &'static str = "person";
    /// A company, team, committee, authority.
    pub const ORGANISATION: &'static str = "organisation";
    /// A town, country, building, river.
    pub const PLACE: &'static str = "place";
    /// A post that people hold: head of support.
    pub const ROLE: &'static str = "role";
    /// A program, service or device.
    pub const SYSTEM: &'static str = "system";
    /// A code: of an error, a part, an order.
    pub const IDENTIFIER: &'static str = "identifier";
    /// What a document is about, as its title says.
    pub const DOCUMENT: &'static str = "document";
    /// A name of which nothing else is known.
    pub const NAME: &'static str = "name";

    /// A kind by its word, in lower case and cut to 40 characters.
    pub fn new(word: &str) -> Self {
        let word: String = word
            .trim()
            .chars()
            .take(40)
            .flat_map(char::to_lowercase)
            .collect();
        if word.is_empty() {
            return Self(Self::NAME.to_owned());
        }
        Self(word)
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How much the kind says: a name's own kind beats that of a title, which beats none.
    pub(crate) fn weight(&self) -> u8 {
        match self.0.as_str() {
            Self::NAME => 0,
            Self::DOCUMENT => 1,
            _ => 2,
        }
    }
}

impl From<String> for Kind {
    fn from(word: String) -> Self {
        Self::new(&word)
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> Self {
        kind.0
    }
}

/// A name in a passage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mention {
    /// The name, as the gazetteer or else the passage writes it.
    pub name: String,
    /// The name as the passage writes it, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// What it stands for.
    pub kind: Kind,
    /// The unit of text that it stands in: 0 is the title, 1 the first sentence or table row.
    pub unit: u16,
    /// True when only a capital letter at the start of a sentence speaks for it. It counts once a readable
    /// passage uses the name elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
}

/// A statement that connects two names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// Name of the subject; one of the passage's mentions.
    pub subject: String,
    /// What is said of it: `requires`, `part of`, or the header of a table's column.
    pub predicate: String,
    /// Name of the object; one of the passage's mentions.
    pub object: String,
    /// The unit of text that states it.
    pub unit: u16,
}

/// What a passage says: one line of `graph.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The passage.
    pub passage: PassageId,
    /// Digest of all in the passage that an extractor sees.
    pub made_from: Digest,
    /// The names in it, in the order of the text.
    pub mentions: Vec<Mention>,
    /// The statements in it, in the order of the text.
    pub relations: Vec<Relation>,
    /// How much was found but left out: beyond the limits, or not borne out by the text.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: u32,
    /// True when the extractor failed on the passage. The next run tries again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Facts {
    /// No facts of `passage` yet.
    pub fn none(passage: &Passage) -> Self {
        Self {
            passage: passage.id.clone(),
            made_from: digest(passage),
            mentions: Vec::new(),
            relations: Vec::new(),
            cut: 0,
            missing: false,
        }
    }

    /// Adds a mention, unless it is there or there are too many.
    pub(crate) fn mention(&mut self, mention: Mention) {
        let is_full = self.mentions.len() >= MAX_MENTIONS;
        let mut known = self.mentions.iter_mut();
        match known.find(|m| m.unit == mention.unit && m.name == mention.name) {
            Some(known) => {
                known.weak &= mention.weak;
                if mention.kind.weight() > known.kind.weight() {
                    known.kind = mention.kind;
                }
            }
            None if is_full => self.cut += 1,
            None => self.mentions.push(mention),
        }
    }

    /// Adds a relation, unless it is there, relates a name to itself, or there are too many.
    pub(crate) fn relate(&mut self, relation: Relation) {
        if relation.subject == relation.object || self.relations.contains(&relation) {
            return;
        }
        if self.relations.len() < MAX_RELATIONS {
            self.relations.push(relation);
        } else {
            self.cut += 1;
        }
    }

    /// Drops relations whose ends are not among the mentions, and counts them.
    pub(crate) fn close(mut self) -> Self {
        let before = self.relations.len();
        let mentions = &self.mentions;
        let is_known = |name: &str| mentions.iter().any(|m| m.name == name);
        self.relations
            .retain(|r| is_known(&r.subject) && is_known(&r.object));
        self.cut += (before - self.relations.len()) as u32;
        self
    }
}

/// The digest of all in `passage` that an extractor may look at.
pub(crate) fn digest(passage: &Passage) -> Digest {
    let language = passage.language.to_string();
    Digest::of_parts([
        passage.title.as_bytes(),
        language.as_bytes(),
        passage.text.as_bytes(),
    ])
}

/// Finds what a passage says, from its title, language and text alone: equal passages give equal facts.
pub trait Extractor: Sync {
    /// Names the extractor and all that decides what it finds; part of the artifact's key.
    fn identity(&self) -> String;

    /// The facts of `passage`. [`GraphError::Draft`] costs the passage its facts, any other error ends the run.
    fn extract(&self, passage: &Passage) -> Result<Facts, GraphError>;

    /// What is left of the facts of a passage for which a draft could not be had.
    fn extract_without_draft(&self, passage: &Passage) -> Result<Facts, GraphError> {
        Ok(Facts::none(passage))
    }

    /// Characters that a model is shown of `passage`; `None` when none is asked.
    fn asked_chars(&self, _passage: &Passage) -> Option<usize> {
        None
    }
}

/// The facts of two extractors together.
pub struct Both<'e>(pub &'e dyn Extractor, pub &'e dyn Extractor);

impl Extractor for Both<'_> {
    fn identity(&self) -> String {
        format!("{} and {}", self.0.identity(), self.1.identity())
    }

    fn extract(&self, passage: &Passage) -> Result<Facts, GraphError> {
        let mut facts = self.0.extract(passage)?;
        let second = self.1.extract(passage)?;
        facts.cut += second.cut;
        second.mentions.into_iter().for_each(|m| facts.mention(m));
        second.relations.into_iter().for_each(|r| facts.relate(r));
        Ok(facts.close())
    }

    fn extract_without_draft(&self, passage: &Passage) -> Result<Facts, GraphError> {
        self.0.extract(passage)
    }

    fn asked_chars(&self, passage: &Passage) -> Option<usize> {
        self.1.asked_chars(passage).or(self.0.asked_chars(passage))
    }
}

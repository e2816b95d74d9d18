//! The compact form of a graph, `graph.bin`: names, passages, mentions and relations as tables of numbers.
//!
//! Names, predicates and kinds are sorted, so that which number is smaller does not depend on passages that an
//! asker may not read.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rag_core::access::{AccessList, Principal};
use rag_core::date::Date;
use rag_core::filter::Filter;
use rag_core::id::{DocumentId, PassageId};
use rag_core::language::Language;
use rag_core::passage::Passage;
use serde::{Deserialize, Serialize};

use crate::error::GraphError;
use crate::extract::{Facts, Kind, Mention};
use crate::name::Namer;

/// Most rows of a table: they are numbered with 32 bits, and the views add the two sorts of node.
const MAX_ROWS: usize = 1 << 30;

/// The whole graph as numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tables {
    /// Keys of names, sorted.
    pub(crate) keys: Vec<String>,
    /// Names as they are written, sorted by key, then text.
    pub(crate) forms: Vec<Form>,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) predicates: Vec<String>,
    pub(crate) documents: Vec<DocumentRow>,
    pub(crate) passages: Vec<PassageRow>,
    pub(crate) mentions: Vec<MentionRow>,
    pub(crate) relations: Vec<RelationRow>,
    readers: Vec<AccessList>,
    departments: Vec<String>,
}

/// A way of writing a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Form {
    pub(crate) key: u32,
    pub(crate) text: String,
    /// The form that is the name itself: this one, unless a gazetteer knows it by another.
    pub(crate) name: u32,
}

/// A document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DocumentRow {
    pub(crate) id: DocumentId,
    /// Documents that supersede it.
    pub(crate) superseded_by: Vec<u32>,
}

/// All of a passage that filters ask for, and where its mentions and relations end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PassageRow {
    pub(crate) document: u32,
    pub(crate) position: u32,
    pub(crate) updated: Option<Date>,
    readers: u32,
    department: Option<u32>,
    language: Language,
    mentions_end: u32,
    relations_end: u32,
    /// What the extractor found but left out.
    pub(crate) cut: u32,
}

/// A mention, in the order of passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MentionRow {
    pub(crate) form: u32,
    pub(crate) kind: u16,
    pub(crate) unit: u16,
    pub(crate) weak: bool,
}

/// A relation between two forms, in the order of passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RelationRow {
    pub(crate) subject: u32,
    pub(crate) object: u32,
    pub(crate) predicate: u32,
    pub(crate) unit: u16,
}

/// Which documents each document supersedes.
pub(crate) type Supersessions = BTreeMap<DocumentId, DocumentId>;

impl Tables {
    /// The tables of passages and their facts, both in one order.
    pub(crate) fn build(
        passages: &[PassageHead],
        facts: &[Facts],
        supersessions: &Supersessions,
    ) -> Result<Self, GraphError> {
        let mut tables = Self::default();
        let numbers = tables.number_words(facts)?;
        let mut readers: BTreeMap<&AccessList, u32> = BTreeMap::new();
        let mut departments: BTreeMap<&str, u32> = BTreeMap::new();
        for (passage, facts) in passages.iter().zip(facts) {
            tables.push_facts(facts, &numbers);
            let document = tables.document(&passage.id.document);
            let next = readers.len() as u32;
            let readers = *readers.entry(&passage.access).or_insert_with(|| {
                tables.readers.push(passage.access.clone());
                next
            });
            let department = passage.department.as_deref().map(|name| {
                let next = departments.len() as u32;
                *departments.entry(name).or_insert_with(|| {
                    tables.departments.push(name.to_owned());
                    next
                })
            });
            tables.passages.push(PassageRow {
                document,
                position: passage.id.position,
                updated: passage.updated,
                readers,
                department,
                language: passage.language,
                mentions_end: tables.mentions.len() as u32,
                relations_end: tables.relations.len() as u32,
                cut: facts.cut,
            });
        }
        tables.check_size()?;
        tables.supersede(supersessions);
        Ok(tables)
    }

    fn check_size(&self) -> Result<(), GraphError> {
        let sizes = [
            ("passages", self.passages.len()),
            ("mentions", self.mentions.len()),
            ("relations", self.relations.len()),
        ];
        match sizes.iter().find(|(_, size)| *size > MAX_ROWS) {
            Some(&(what, _)) => Err(GraphError::TooLarge {
                what,
                limit: MAX_ROWS,
            }),
            None => Ok(()),
        }
    }

    /// Fills the tables of words and returns the number of each.
    fn number_words<'f>(&mut self, facts: &'f [Facts]) -> Result<Numbers<'f>, GraphError> {
        let namer = Namer::default();
        let mentions = || facts.iter().flat_map(|facts| &facts.mentions);
        let mut spellings: BTreeSet<(&str, &str)> = BTreeSet::new();
        for Mention { name, written, .. } in mentions() {
            spellings.insert((name, name));
            spellings.extend(written.as_deref().map(|written| (name.as_str(), written)));
        }
        let mut keyed: Vec<(String, &str, &str)> = spellings
            .into_iter()
            .map(|(name, written)| (namer.key(name), written, name))
            .collect();
        keyed.sort_unstable();
        let mut numbers = Numbers::default();
        for (key, written, name) in keyed {
            if self.keys.last() != Some(&key) {
                self.keys.push(key);
            }
            numbers.forms.insert((name, written), self.forms.len() as u32);
            self.forms.push(Form {
                key: self.keys.len() as u32 - 1,
                text: written.to_owned(),
                name: 0,
            });
        }
        for (&(name, _), &form) in &numbers.forms {
            self.forms[form as usize].name = numbers.forms[&(name, name)];
        }
        let kinds: BTreeSet<&Kind> = mentions().map(|mention| &mention.kind).collect();
        if kinds.len() > usize::from(u16::MAX) {
            let limit = usize::from(u16::MAX);
            return Err(GraphError::TooLarge { what: "kinds", limit });
        }
        for (kind, number) in kinds.into_iter().zip(0..) {
            numbers.kinds.insert(kind, number);
            self.kinds.push(kind.clone());
        }
        let relations = facts.iter().flat_map(|facts| &facts.relations);
        let predicates: BTreeSet<&str> = relations.map(|relation| relation.predicate.as_str()).collect();
        for (predicate, number) in predicates.into_iter().zip(0..) {
            numbers.predicates.insert(predicate, number);
            self.predicates.push(predicate.to_owned());
        }
        Ok(numbers)
    }

    fn push_facts(&mut self, facts: &Facts, numbers: &Numbers<'_>) {
        self.mentions
            .extend(facts.mentions.iter().map(|mention| MentionRow {
                form: numbers.forms[&(
                    mention.name.as_str(),
                    mention.written.as_ref().unwrap_or(&mention.name).as_str(),
                )],
                kind: numbers.kinds[&mention.kind],
                unit: mention.unit,
                weak: mention.weak,
            }));
        let known = |name: &String| numbers.forms.get(&(name.as_str(), name.as_str())).copied();
        self.relations
            .extend(facts.relations.iter().filter_map(|relation| {
                Some(RelationRow {
                    subject: known(&relation.subject)?,
                    object: known(&relation.object)?,
                    predicate: numbers.predicates[relation.predicate.as_str()],
                    unit: relation.unit,
                })
            }));
    }

    /// The number of the document `id`; passages of a document stand together.
    fn document(&mut self, id: &DocumentId) -> u32 {
        if self.documents.last().is_none_or(|last| last.id != *id) {
            self.documents.push(DocumentRow {
                id: id.clone(),
                superseded_by: Vec::new(),
            });
        }
        self.documents.len() as u32 - 1
    }

    fn supersede(&mut self, supersessions: &Supersessions) {
        let by_id: BTreeMap<DocumentId, u32> = (self.documents.iter().map(|row| row.id.clone()))
            .zip(0..)
            .collect();
        for (newer, older) in supersessions {
            if let (Some(&newer), Some(&older)) = (by_id.get(newer), by_id.get(older)) {
                self.documents[older as usize].superseded_by.push(newer);
            }
        }
    }

    /// The mentions of passage `at`.
    pub(crate) fn mentions_of(&self, at: u32) -> &[MentionRow] {
        let ends = |row: &PassageRow| row.mentions_end;
        &self.mentions[self.range(at, ends)]
    }

    /// The relations of passage `at`.
    pub(crate) fn relations_of(&self, at: u32) -> &[RelationRow] {
        let ends = |row: &PassageRow| row.relations_end;
        &self.relations[self.range(at, ends)]
    }

    fn range(&self, at: u32, end: impl Fn(&PassageRow) -> u32) -> std::ops::Range<usize> {
        let at = at as usize;
        let start = at.checked_sub(1).map_or(0, |before| end(&self.passages[before]));
        start as usize..end(&self.passages[at]) as usize
    }

    /// The id of passage `at`.
    pub(crate) fn passage_id(&self, at: u32) -> PassageId {
        let row = &self.passages[at as usize];
        PassageId {
            document: self.documents[row.document as usize].id.clone(),
            position: row.position,
        }
    }

    /// The passages that `principal` may read and `filter` keeps, in order.
    pub(crate) fn allowed(&self, principal: &Principal, filter: &Filter) -> Vec<u32> {
        let may_read: Vec<bool> = self.readers.iter().map(|list| list.allows(principal)).collect();
        let department = |number: u32| self.departments[number as usize].as_str();
        let is_allowed = |row: &PassageRow| {
            may_read[row.readers as usize]
                && filter.keeps_date(row.updated)
                && filter.keeps_language(row.language)
                && filter.keeps_department(row.department.map(department))
        };
        let rows = (0..self.passages.len() as u32).zip(&self.passages);
        rows.filter(|(_, row)| is_allowed(row))
            .map(|(at, _)| at)
            .collect()
    }

    /// Those of `allowed` whose document none of the allowed ones supersedes.
    pub(crate) fn current(&self, allowed: &[u32]) -> Vec<u32> {
        let mut readable = vec![false; self.documents.len()];
        for &at in allowed {
            readable[self.passages[at as usize].document as usize] = true;
        }
        let is_current = |document: u32| {
            let newer = &self.documents[document as usize].superseded_by;
            !newer
                .iter()
                .any(|&newer| newer != document && readable[newer as usize])
        };
        let document = |at: u32| self.passages[at as usize].document;
        allowed
            .iter()
            .copied()
            .filter(|&at| is_current(document(at)))
            .collect()
    }
}

/// The part of a passage that the tables keep.
#[derive(Debug, Clone)]
pub(crate) struct PassageHead {
    pub(crate) id: PassageId,
    updated: Option<Date>,
    department: Option<String>,
    language: Language,
    access: AccessList,
}

impl From<&Passage> for PassageHead {
    fn from(passage: &Passage) -> Self {
        Self {
            id: passage.id.clone(),
            updated: passage.updated,
            department: passage.department.clone(),
            language: passage.language,
            access: passage.access.clone(),
        }
    }
}

/// The number of each word while tables are built.
#[derive(Default)]
struct Numbers<'f> {
    /// By name, then by how it is written.
    forms: HashMap<(&'f str, &'f str), u32>,
    kinds: HashMap<&'f Kind, u16>,
    predicates: HashMap<&'f str, u32>,
}

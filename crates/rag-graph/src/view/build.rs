//! From readable passages to a view.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::links::{Link, Links, NO_PAIR};
use super::lookup::Lookup;
use super::resolve::{Resolved, Seen};
use super::{Entity, Predicate, Statement, View};
use crate::config::SearchConfig;
use crate::graph::Data;
use crate::tables::Tables;
use crate::units::TITLE;

/// Most different names in a unit of text that are all joined with each other.
const MAX_TOGETHER: usize = 12;

/// The least that a step of a path costs: one that is stated.
pub(crate) const SHORTEST_STEP: f32 = 1.0;

/// Names of a title that are joined with the names in the text.
const MAX_ABOUT: usize = 3;

impl View {
    /// The view of `passages`, numbers in the tables in order.
    pub(crate) fn new(data: Arc<Data>, passages: Vec<u32>, config: &SearchConfig) -> Self {
        let tables = &data.tables;
        let resolved = Resolved::new(tables, &passages);
        let numbered = Numbered::new(tables, &resolved.seen);
        let mut gathered = Gathered::default();
        for (&at, passage) in passages.iter().zip(0..) {
            let seen = of_passage(&resolved.seen, passage);
            gathered.stated(tables, &resolved, &numbered, at, passage);
            gathered.together(seen, &numbered);
            gathered.about(seen, &numbered);
        }
        let Gathered {
            mut statements,
            crowded,
        } = gathered;
        statements.par_sort_unstable();
        statements.dedup();
        let pairs = group(&statements);
        let nodes = numbered.entities.len() + passages.len();
        let links = links(nodes, &statements, &pairs, &resolved.seen, &numbered);
        let lookup = Lookup::new(tables, &resolved.seen, &numbered);
        Self {
            entities: numbered.entities,
            config: config.clone(),
            passages,
            statements,
            pairs,
            links,
            crowded,
            lookup,
            communities: OnceLock::new(),
            numbers: OnceLock::new(),
            data,
        }
    }
}

/// The mentions of one passage of the view.
fn of_passage(seen: &[Seen], passage: u32) -> &[Seen] {
    let start = seen.partition_point(|seen| seen.passage < passage);
    let end = seen.partition_point(|seen| seen.passage <= passage);
    &seen[start..end]
}

/// A key that no readable passage names.
const NO_ENTITY: u32 = u32::MAX;

/// The entities, and the number of each by the key that stands for it.
pub(super) struct Numbered {
    pub(super) entities: Vec<Entity>,
    /// By key; [`NO_ENTITY`] for keys without one.
    by_key: Vec<u32>,
}

impl Numbered {
    fn new(tables: &Tables, seen: &[Seen]) -> Self {
        let mut by_entity: Vec<&Seen> = seen.iter().collect();
        by_entity.par_sort_by_key(|seen| seen.key);
        let groups: Vec<&[&Seen]> = by_entity.chunk_by(|a, b| a.key == b.key).collect();
        let mut by_key = vec![NO_ENTITY; tables.keys.len()];
        for (group, number) in groups.iter().zip(0..) {
            by_key[group[0].key as usize] = number;
        }
        let entities = groups
            .par_iter()
            .map(|group| Profile::of(group).entity(tables))
            .collect();
        Self { entities, by_key }
    }

    pub(super) fn number(&self, key: u32) -> Option<u32> {
        Some(self.by_key[key as usize]).filter(|&number| number != NO_ENTITY)
    }
}

/// How an entity is named and what it is said to be, with counts.
#[derive(Default)]
struct Profile {
    forms: BTreeMap<u32, u32>,
    kinds: BTreeMap<u16, u32>,
    passages: u32,
    last: Option<u32>,
}

impl Profile {
    /// The profile of the mentions of one entity, in the order of passages.
    fn of(seen: &[&Seen]) -> Self {
        let mut profile = Self::default();
        for seen in seen {
            profile.add(seen);
        }
        profile
    }

    fn add(&mut self, seen: &Seen) {
        *self.forms.entry(seen.form).or_default() += 1;
        *self.kinds.entry(seen.kind).or_default() += 1;
        if self.last.replace(seen.passage) != Some(seen.passage) {
            self.passages += 1;
        }
    }

    /// The entity; its name is the one used most among those of the fullest form.
    fn entity(self, tables: &Tables) -> Entity {
        let text = |form: u32| tables.forms[form as usize].text.as_str();
        let words = |form: u32| text(form).split(' ').count();
        let mut names: BTreeMap<u32, u32> = BTreeMap::new();
        for (&form, &count) in &self.forms {
            *names.entry(tables.forms[form as usize].name).or_default() += count;
        }
        let by_name = |&(form, count): &(u32, u32)| (words(form).min(4), count, std::cmp::Reverse(form));
        let best = names
            .iter()
            .map(|(&form, &count)| (form, count))
            .max_by_key(by_name);
        let name = best.map_or("", |(form, _)| text(form)).to_owned();
        let spellings: BTreeSet<&str> = names
            .keys()
            .chain(self.forms.keys())
            .map(|&form| text(form))
            .collect();
        let by_kind = |&(kind, count): &(u16, u32)| {
            (
                tables.kinds[usize::from(kind)].weight(),
                count,
                std::cmp::Reverse(kind),
            )
        };
        let kinds = self.kinds.iter().map(|(&kind, &count)| (kind, count));
        let kind = kinds.max_by_key(by_kind).map_or(0, |(kind, _)| kind);
        Entity {
            aliases: spellings
                .into_iter()
                .filter(|other| *other != name)
                .map(str::to_owned)
                .collect(),
            name,
            kind: tables.kinds[usize::from(kind)].clone(),
            passages: self.passages,
        }
    }
}

/// The statements of a view while they are gathered.
#[derive(Default)]
struct Gathered {
    statements: Vec<Statement>,
    crowded: u64,
}

impl Gathered {
    fn push(&mut self, subject: u32, object: u32, predicate: Predicate, passage: u32, unit: u16) {
        if subject == object {
            return;
        }
        self.statements.push(Statement {
            pair: (subject.min(object), subject.max(object)),
            predicate,
            reversed: subject > object,
            passage,
            unit,
        });
    }

    /// What the passage states in so many words.
    fn stated(&mut self, tables: &Tables, resolved: &Resolved, numbered: &Numbered, at: u32, passage: u32) {
        let own = tables.passages[at as usize].document;
        let entity = |form| numbered.number(resolved.entity(tables, own, form));
        for relation in tables.relations_of(at) {
            if let (Some(subject), Some(object)) = (entity(relation.subject), entity(relation.object)) {
                self.push(
                    subject,
                    object,
                    Predicate::Stated(relation.predicate),
                    passage,
                    relation.unit,
                );
            }
        }
    }

    /// Names in one unit of text.
    fn together(&mut self, seen: &[Seen], numbered: &Numbered) {
        let mut start = 0;
        let mut by_unit: Vec<&Seen> = seen.iter().filter(|seen| seen.unit != TITLE).collect();
        by_unit.sort_by_key(|seen| seen.unit);
        while start < by_unit.len() {
            let unit = by_unit[start].unit;
            let len = by_unit[start..]
                .iter()
                .take_while(|seen| seen.unit == unit)
                .count();
            let mut names: Vec<u32> = Vec::new();
            for seen in &by_unit[start..start + len] {
                match numbered.number(seen.key) {
                    Some(entity) if !names.contains(&entity) => names.push(entity),
                    _ => {}
                }
            }
            self.crowded += pairs_beyond(names.len());
            names.truncate(MAX_TOGETHER);
            for (index, &one) in names.iter().enumerate() {
                for &other in &names[index + 1..] {
                    self.push(
                        one.min(other),
                        one.max(other),
                        Predicate::Together,
                        by_unit[start].passage,
                        unit,
                    );
                }
            }
            start += len;
        }
    }

    /// Names in the title with those in the text below.
    fn about(&mut self, seen: &[Seen], numbered: &Numbered) {
        let in_title = seen.iter().filter(|seen| seen.unit == TITLE);
        let titles: Vec<u32> = in_title
            .filter_map(|seen| numbered.number(seen.key))
            .take(MAX_ABOUT)
            .collect();
        for seen in seen.iter().filter(|seen| seen.unit != TITLE) {
            if let Some(entity) = numbered.number(seen.key) {
                for &title in &titles {
                    let (one, other) = (title.min(entity), title.max(entity));
                    self.push(one, other, Predicate::About, seen.passage, seen.unit);
                }
            }
        }
    }
}

/// Pairs among `names` names of which one at least is beyond [`MAX_TOGETHER`].
fn pairs_beyond(names: usize) -> u64 {
    let pairs = |n: usize| (n * n.saturating_sub(1) / 2) as u64;
    pairs(names) - pairs(names.min(MAX_TOGETHER))
}

fn group(statements: &[Statement]) -> Vec<std::ops::Range<u32>> {
    let mut end = 0;
    statements
        .chunk_by(|a, b| a.pair == b.pair)
        .map(|chunk| {
            let start = end;
            end += chunk.len() as u32;
            start..end
        })
        .collect()
}

/// What a path pays for a step, so that of two paths with as many steps the one that states more wins.
fn step_cost(predicate: Predicate) -> f32 {
    match predicate {
        Predicate::Stated(_) => SHORTEST_STEP,
        Predicate::Together => 1.2,
        Predicate::About => 1.5,
    }
}

/// Weights: what is stated counts twice what merely stands together, with diminishing returns, so that a
/// pair named together everywhere does not drown the rest. Weighing names in titles more, or rare names, moved
/// AllGold@5 on HotpotQA by no more than half a point: left out.
fn links(
    nodes: usize,
    statements: &[Statement],
    pairs: &[std::ops::Range<u32>],
    seen: &[Seen],
    numbered: &Numbered,
) -> Links {
    let weight = |statement: &Statement| match statement.predicate {
        Predicate::Stated(_) => SHORTEST_STEP,
        Predicate::Together => 0.5,
        Predicate::About => 0.25,
    };
    let between = pairs.iter().zip(0..).map(|(range, pair)| {
        let own = &statements[range.start as usize..range.end as usize];
        let sum: f32 = own.iter().map(weight).sum();
        let (a, b) = own[0].pair;
        let link = Link {
            weight: sum.ln_1p(),
            pair,
            cost: step_cost(own[0].predicate),
        };
        (a, b, link)
    });
    let first_passage = numbered.entities.len() as u32;
    let number = |seen: &Seen| Some((numbered.number(seen.key)?, first_passage + seen.passage));
    let mut named: Vec<(u32, u32)> = seen.iter().filter_map(number).collect();
    named.par_sort_unstable();
    let named = named.chunk_by(|a, b| a == b).map(|same| {
        let link = Link {
            weight: (same.len() as f32).ln_1p(),
            pair: NO_PAIR,
            cost: f32::INFINITY,
        };
        (same[0].0, same[0].1, link)
    });
    Links::new(nodes, between.chain(named))
}

//! Which mentions are of one entity, decided from the readable passages alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::extract::{ALIAS, Kind};
use crate::tables::{MentionRow, Tables};

/// A short name may be used in this many times as many documents as those that have its longer name.
const MOST_USED_ALONE: usize = 3;

/// A mention of a view's entity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// Number of the passage in the view.
    pub(super) passage: u32,
    /// The entity, as the key that stands for it.
    pub(super) key: u32,
    pub(super) form: u32,
    pub(super) kind: u16,
    pub(super) unit: u16,
}

/// The mentions that count, in the order of passages, each with its entity.
pub(super) struct Resolved {
    pub(super) seen: Vec<Seen>,
    /// The key that stands for each key, per document where a short name was resolved there.
    same: Vec<u32>,
    short: HashMap<(u32, u32), u32>,
    /// Keys that are short for another in some document: spares the look-up for all others.
    is_short: Vec<bool>,
}

impl Resolved {
    /// Resolves the mentions of `passages`.
    pub(super) fn new(tables: &Tables, passages: &[u32]) -> Self {
        let strong = strong_keys(tables, passages);
        let mut resolved = Self {
            seen: Vec::new(),
            same: aliases(tables, passages, &strong),
            short: HashMap::new(),
            is_short: vec![false; tables.keys.len()],
        };
        designations(tables, passages, &strong, &mut resolved.same);
        for document in passages.chunk_by(|&a, &b| document(tables, a) == document(tables, b)) {
            resolved.resolve_short_names(tables, document, &strong);
        }
        resolved.drop_common_short_names(tables, passages);
        let mut seen = Vec::new();
        for (&at, passage) in passages.iter().zip(0..) {
            let own = document(tables, at);
            let counted = tables
                .mentions_of(at)
                .iter()
                .filter(|m| strong[key(tables, m.form)]);
            seen.extend(counted.map(|mention| Seen {
                passage,
                key: resolved.entity(tables, own, mention.form),
                form: mention.form,
                kind: mention.kind,
                unit: mention.unit,
            }));
        }
        resolved.seen = seen;
        resolved
    }

    /// The key that stands for the entity that `form` means in document `own`.
    pub(super) fn entity(&self, tables: &Tables, own: u32, form: u32) -> u32 {
        let key = tables.forms[form as usize].key;
        let longer = self.is_short[key as usize].then(|| self.short.get(&(own, key)));
        let key = longer.flatten().copied().unwrap_or(key);
        self.same[key as usize]
    }

    /// In one document, a last name stands for the only longer name that ends in it.
    fn resolve_short_names(&mut self, tables: &Tables, passages: &[u32], strong: &[bool]) {
        let mut longer: BTreeMap<&str, Option<u32>> = BTreeMap::new();
        let mentions = || passages.iter().flat_map(|&at| tables.mentions_of(at));
        for mention in mentions().filter(|m| strong[key(tables, m.form)]) {
            let form = &tables.forms[mention.form as usize];
            let word = last_word_of_full_name(tables, mention).map(|_| {
                tables.keys[form.key as usize]
                    .rsplit(' ')
                    .next()
                    .unwrap_or_default()
            });
            let Some(word) = word else { continue };
            longer
                .entry(word)
                .and_modify(|known| *known = known.filter(|&known| known == form.key))
                .or_insert(Some(form.key));
        }
        if longer.is_empty() {
            return;
        }
        let own = document(tables, passages[0]);
        for mention in mentions() {
            let key = tables.forms[mention.form as usize].key;
            let name = tables.keys[key as usize].as_str();
            let is_plain = tables.kinds[usize::from(mention.kind)].weight() < 2;
            if let Some(&Some(long)) = longer.get(name).filter(|_| is_plain) {
                self.short.insert((own, key), long);
            }
        }
    }

    /// A short name that most documents use without a longer one means something by itself: "Brno" is not short
    /// for "Assembly Brno". It is resolved nowhere then.
    fn drop_common_short_names(&mut self, tables: &Tables, passages: &[u32]) {
        let mut resolved: HashMap<u32, usize> = HashMap::new();
        for &(_, key) in self.short.keys() {
            *resolved.entry(key).or_default() += 1;
        }
        let mut used: BTreeSet<(u32, u32)> = BTreeSet::new();
        for &at in passages {
            let keys = tables
                .mentions_of(at)
                .iter()
                .map(|m| tables.forms[m.form as usize].key);
            let own = document(tables, at);
            used.extend(
                keys.filter(|key| resolved.contains_key(key))
                    .map(|key| (key, own)),
            );
        }
        let documents = |key: u32| used.range((key, 0)..=(key, u32::MAX)).count();
        self.short
            .retain(|&(_, key), _| documents(key) <= MOST_USED_ALONE * resolved[&key]);
        for &(_, key) in self.short.keys() {
            self.is_short[key as usize] = true;
        }
    }
}

fn document(tables: &Tables, at: u32) -> u32 {
    tables.passages[at as usize].document
}

fn key(tables: &Tables, form: u32) -> usize {
    tables.forms[form as usize].key as usize
}

/// `W60`: a letter and digits, as makers name their models.
fn is_designation(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic()) && word.contains(|c: char| c.is_ascii_digit())
}

/// The keys that at least one readable passage uses as a name beyond doubt.
fn strong_keys(tables: &Tables, passages: &[u32]) -> Vec<bool> {
    let mut strong = vec![false; tables.keys.len()];
    for mention in passages.iter().flat_map(|&at| tables.mentions_of(at)) {
        strong[key(tables, mention.form)] |= !mention.weak;
    }
    strong
}

/// The last word of a name like a person's or a model's: two to four words, all with a capital.
fn last_word_of_full_name<'t>(tables: &'t Tables, mention: &MentionRow) -> Option<&'t str> {
    let form = tables.forms[mention.form as usize].text.as_str();
    let kind = tables.kinds[usize::from(mention.kind)].as_str();
    let words = form.split(' ').count();
    let is_person_like = matches!(kind, Kind::PERSON | Kind::NAME | Kind::DOCUMENT);
    let is_model = form.rsplit(' ').next().is_some_and(is_designation);
    let has_capitals = form.split(' ').all(|word| word.starts_with(char::is_uppercase));
    let last = form.rsplit(' ').next()?;
    ((is_person_like || is_model) && has_capitals && (2..=4).contains(&words)).then_some(last)
}

/// A model's designation stands for the only name in the readable passages that ends in it: `W60` for `Weir W60`.
fn designations(tables: &Tables, passages: &[u32], strong: &[bool], same: &mut [u32]) {
    let mut meanings: BTreeMap<&str, Option<u32>> = BTreeMap::new();
    let mut short: BTreeMap<&str, u32> = BTreeMap::new();
    for mention in passages.iter().flat_map(|&at| tables.mentions_of(at)) {
        let own = key(tables, mention.form);
        let name = tables.keys[own].as_str();
        let last = name.rsplit(' ').next().unwrap_or_default();
        if !strong[own] || !is_designation(last) {
            continue;
        }
        if last == name {
            short.insert(name, own as u32);
        } else if last_word_of_full_name(tables, mention).is_some() {
            meanings
                .entry(last)
                .and_modify(|known| *known = known.filter(|&known| known == own as u32))
                .or_insert(Some(own as u32));
        }
    }
    for (name, own) in short {
        if let Some(&Some(long)) = meanings.get(name) {
            same[own as usize] = same[long as usize];
        }
    }
}

/// For each key the key that stands for it: short forms that readable passages explain in one way only.
fn aliases(tables: &Tables, passages: &[u32], strong: &[bool]) -> Vec<u32> {
    let mut same: Vec<u32> = (0..tables.keys.len() as u32).collect();
    let Ok(alias) = tables
        .predicates
        .binary_search_by(|predicate| predicate.as_str().cmp(ALIAS))
    else {
        return same;
    };
    let mut meanings: BTreeMap<u32, Option<u32>> = BTreeMap::new();
    let relations = passages.iter().flat_map(|&at| tables.relations_of(at));
    for relation in relations.filter(|relation| relation.predicate as usize == alias) {
        let (long, short) = (key(tables, relation.subject), key(tables, relation.object));
        if strong[long] && strong[short] && long != short {
            meanings
                .entry(short as u32)
                .and_modify(|known| *known = known.filter(|&known| known == long as u32))
                .or_insert(Some(long as u32));
        }
    }
    for (&short, &long) in &meanings {
        // A long form that is itself short for something else would make a chain: leave it.
        if let Some(long) = long.filter(|long| !meanings.contains_key(long)) {
            same[short as usize] = long;
        }
    }
    same
}

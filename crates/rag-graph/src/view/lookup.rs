//! From words to entities: a name given by a person, and the names in a question.

use std::collections::HashMap;

use rayon::prelude::*;

use super::build::Numbered;
use super::resolve::Seen;
use super::{EntityId, View};
use crate::extract::{Kind, is_common_word, says_kind};
use crate::name::{Namer, words};
use crate::tables::Tables;

/// Most words of a name that a question is searched for.
const MAX_WORDS: usize = 8;

/// A word that more names than this have in them stands for none of them.
const MAX_PARTIAL: usize = 5;

/// A question of so few words without a capital is taken for names typed in a hurry.
const FEW_WORDS: usize = 5;

/// An entity that a question names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linked {
    /// The entity.
    pub entity: EntityId,
    /// Index of its first word in the question, and their number.
    pub place: (usize, usize),
    /// 1 when the question has its whole name, less when it has a part of it.
    pub certainty: f32,
}

/// The maps that names are looked up in.
pub(super) struct Lookup {
    pub(super) exact: HashMap<String, u32>,
    pub(super) loose: HashMap<String, Vec<u32>>,
    pub(super) words: HashMap<String, Vec<u32>>,
}

impl Lookup {
    pub(super) fn new(tables: &Tables, seen: &[Seen], numbered: &Numbered) -> Self {
        let mut forms: Vec<(u32, u32)> = seen.iter().map(|seen| (seen.form, seen.key)).collect();
        forms.sort_unstable();
        forms.dedup();
        let mut lookup = Self {
            exact: HashMap::new(),
            loose: HashMap::new(),
            words: HashMap::new(),
        };
        let keyed: Vec<(String, String)> = forms
            .par_iter()
            .map_init(Namer::default, |namer, &(form, _)| {
                let text = &tables.forms[form as usize].text;
                (namer.key(text), namer.loose_key(text))
            })
            .collect();
        for (&(form, key), (own, loose)) in forms.iter().zip(keyed) {
            let Some(entity) = numbered.number(key) else {
                continue;
            };
            if own.contains(' ') {
                for word in own.split(' ') {
                    push(&mut lookup.words, word.to_owned(), entity);
                }
            }
            push(&mut lookup.loose, loose, entity);
            // A short name that stands for longer ones in some documents stands for itself elsewhere.
            if tables.forms[form as usize].key == key {
                lookup.exact.insert(own, entity);
            } else {
                lookup.exact.entry(own).or_insert(entity);
            }
        }
        lookup
    }
}

fn push(map: &mut HashMap<String, Vec<u32>>, key: String, entity: u32) {
    let entities = map.entry(key).or_default();
    if !entities.contains(&entity) && entities.len() <= MAX_PARTIAL {
        entities.push(entity);
    }
}

impl View {
    /// The entity with this name or one of its aliases: as written, else by word stems when only one fits.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        let namer = Namer::default();
        let exact = self.lookup.exact.get(&namer.key(name)).copied();
        let loose = || match self.lookup.loose.get(&namer.loose_key(name)).map(Vec::as_slice) {
            Some(&[only]) => Some(only),
            _ => None,
        };
        exact.or_else(loose).map(EntityId)
    }

    /// The entities that `question` names, in its order, the longest name at each place.
    pub fn link(&self, question: &str) -> Vec<Linked> {
        let namer = Namer::default();
        let words: Vec<&str> = words(question).collect();
        let keys: Vec<String> = words.iter().map(|word| namer.key(word)).collect();
        let mut linked = Vec::new();
        let mut start = 0;
        while start < words.len() {
            let longest = MAX_WORDS.min(words.len() - start);
            let whole = (1..=longest)
                .rev()
                .find_map(|len| Some((self.named(&words, &keys, start, len, &namer)?, len)));
            let Some((entities, len)) = whole else {
                linked.extend(self.partial(&words, &keys, start));
                start += 1;
                continue;
            };
            let certainty = 1.0 / entities.len() as f32;
            linked.extend(entities.into_iter().map(|entity| Linked {
                entity: EntityId(entity),
                place: (start, len),
                certainty,
            }));
            start += len;
        }
        linked
    }

    /// The entities named by the `len` words from `start` on.
    fn named(
        &self,
        words: &[&str],
        keys: &[String],
        start: usize,
        len: usize,
        namer: &Namer,
    ) -> Option<Vec<u32>> {
        let exact = self.lookup.exact.get(&keys[start..start + len].join(" "));
        if len == 1 {
            let entity = *exact?;
            return self.is_meant(words, start, entity).then(|| vec![entity]);
        }
        let has_ends = !is_common_word(&keys[start]) && !is_common_word(&keys[start + len - 1]);
        let loose = || {
            let key = namer.loose_key(&words[start..start + len].join(" "));
            let entities = self
                .lookup
                .loose
                .get(&key)
                .filter(|_| has_ends && key.contains(' '))?;
            Some(entities.clone()).filter(|entities| entities.len() <= MAX_PARTIAL)
        };
        exact.map(|&entity| vec![entity]).or_else(loose)
    }

    /// A single word in lower case means a name only if it is of a known kind, or if the question has no capitals
    /// at all: "open" is not the label Open.
    fn is_meant(&self, words: &[&str], place: usize, entity: u32) -> bool {
        let word = words[place];
        let has_capital = |word: &str| word.starts_with(|c: char| !c.is_lowercase());
        if has_capital(word) && place > 0 {
            return true;
        }
        let kind = &self.entities[entity as usize].kind;
        let is_plain = matches!(kind.as_str(), Kind::NAME | Kind::DOCUMENT | Kind::ROLE);
        let is_all_lower = words.len() <= FEW_WORDS && !words.iter().skip(1).any(|word| has_capital(word));
        !is_common_word(&word.to_lowercase())
            && word.chars().count() > 3
            && (!is_plain || is_all_lower || place == 0)
    }

    /// Entities of whose name the word at `place` is a part.
    fn partial(&self, words: &[&str], keys: &[String], place: usize) -> Vec<Linked> {
        let word = words[place];
        let has_capital = word.starts_with(|c: char| c.is_uppercase() || c.is_numeric());
        let is_name_like = has_capital && place > 0 && !says_kind(&word.to_lowercase());
        let entities = self
            .lookup
            .words
            .get(&keys[place])
            .filter(|entities| entities.len() <= MAX_PARTIAL);
        let Some(entities) = entities.filter(|_| is_name_like) else {
            return Vec::new();
        };
        let certainty = 0.5 / entities.len() as f32;
        entities
            .iter()
            .map(|&entity| Linked {
                entity: EntityId(entity),
                place: (place, 1),
                certainty,
            })
            .collect()
    }
}

//! Which search a question asks for.

use rag_core::text::pieces;
use serde::{Deserialize, Serialize};

use crate::view::{EntityId, View};

/// A sort of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// It names nothing that is known: search the passages.
    Passages,
    /// What is connected with the one thing that it names.
    Neighbours,
    /// What is connected with each of the things that it names.
    Shared,
    /// How two things that it names are connected.
    Paths,
    /// What the whole is about.
    Themes,
}

/// Words that ask how things are connected; stems are compared by their beginning.
const PATH_CUES: &[&str] = &[
    "connect",
    "relat",
    "between",
    "link",
    "علاقة",
    "العلاقة",
    "يربط",
    "تربط",
    "بين",
];

/// Words that ask about the whole.
const THEME_CUES: &[&str] = &[
    "theme",
    "overview",
    "topics",
    "subjects",
    "summaris",
    "summariz",
    "المواضيع",
    "الموضوعات",
    "المحاور",
    "نظرة",
];

impl View {
    /// The sort of question that `question` is, and the entities that it names, one per place.
    pub fn route(&self, question: &str) -> (Route, Vec<EntityId>) {
        let entities = self.named_in(question);
        let words: Vec<String> = pieces(question)
            .iter()
            .map(|piece| piece.text.to_lowercase())
            .collect();
        let has = |cues: &[&str]| {
            words
                .iter()
                .any(|word| cues.iter().any(|cue| word.starts_with(cue)))
        };
        let route = if has(THEME_CUES) {
            Route::Themes
        } else {
            match entities.len() {
                0 => Route::Passages,
                1 => Route::Neighbours,
                _ if has(PATH_CUES) => Route::Paths,
                _ => Route::Shared,
            }
        };
        (route, entities)
    }

    /// The entity meant at each place of `question`: of several the surest, then the most frequent.
    fn named_in(&self, question: &str) -> Vec<EntityId> {
        let linked = self.link(question);
        let mut found: Vec<EntityId> = Vec::new();
        for place in linked.chunk_by(|a, b| a.place == b.place) {
            let passages = |id: EntityId| self.entity(id).passages;
            let best = place.iter().max_by(|a, b| {
                let by_passages = passages(a.entity).cmp(&passages(b.entity));
                a.certainty
                    .total_cmp(&b.certainty)
                    .then(by_passages)
                    .then(b.entity.cmp(&a.entity))
            });
            match best {
                Some(best) if !found.contains(&best.entity) => found.push(best.entity),
                _ => {}
            }
        }
        found
    }
}

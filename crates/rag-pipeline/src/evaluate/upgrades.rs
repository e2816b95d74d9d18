//! `eval upgrades`: what each switchable part of asking brings, measured with it off and on, all else the same.

use std::collections::BTreeMap;

use rag_chunk::ContextLine;
use rag_core::hit::Ranking;
use rag_core::progress::{Progress, Unit};
use rag_eval::answers::Label;
use rag_retrieve::{Mode, Rewrite};
use serde::Serialize;

use crate::engine::Engine;
use crate::error::PipelineError;
use crate::models::NONE;
use crate::settings::{ModelSettings, Settings};
use crate::way::Way;

/// Hits that are ranked, of which the first ten documents are looked at.
const DEPTH: usize = 30;

/// A part of asking that can be switched.
#[derive(Clone, Copy)]
pub struct Upgrade {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a few words.
    pub what: &'static str,
    /// What must be written for it.
    pub needs: Needs,
    /// Whether passages are indexed differently with it.
    pub reindexes: bool,
    /// Whether the reranker must read for it to act.
    pub reranks: bool,
    off: fn(&mut Settings),
    on: fn(&mut Settings),
}

/// What must be written before a part can act.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// Drafts to search with.
    Drafts,
    /// Descriptions of passages.
    Descriptions,
}

impl Needs {
    /// The setting that is missing, if `models` names nobody who writes it.
    fn missing(self, models: &ModelSettings) -> Option<&'static str> {
        let (setting, file) = match self {
            Self::Nothing => return None,
            Self::Drafts => ("models.drafts", &models.drafts),
            Self::Descriptions => ("models.descriptions", &models.descriptions),
        };
        (file.is_none() && models.language_model == NONE).then_some(setting)
    }
}

impl Upgrade {
    /// The upgrade of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        UPGRADES.iter().find(|upgrade| upgrade.name == name)
    }

    /// The settings with the part off, everything else as in `base`.
    pub fn off(&self, base: &Settings) -> Settings {
        let mut settings = base.clone();
        (self.off)(&mut settings);
        settings
    }

    /// The settings with the part on, everything else as in `base`.
    pub fn on(&self, base: &Settings) -> Settings {
        let mut settings = base.clone();
        (self.on)(&mut settings);
        settings
    }

    /// The way of ranking under which the part is measured.
    pub fn way(&self) -> Way {
        Way {
            mode: Mode::Hybrid,
            reranked: self.reranks,
        }
    }
}

const PLAIN: Upgrade = Upgrade {
    name: "",
    what: "",
    needs: Needs::Nothing,
    reindexes: false,
    reranks: false,
    off: |_| {},
    on: |_| {},
};

/// The parts that change which passages are found, in the order in which they act.
pub static UPGRADES: [Upgrade; 10] = [
    Upgrade {
        name: "contextual passages",
        what: "title and headings before each passage, for the index alone",
        reindexes: true,
        off: |settings| settings.chunk.context = ContextLine::None,
        on: |settings| settings.chunk.context = ContextLine::Contextual,
        ..PLAIN
    },
    Upgrade {
        name: "described passages",
        what: "a written sentence before each passage that says what it is about, for the index alone",
        needs: Needs::Descriptions,
        reindexes: true,
        off: |settings| settings.chunk.context = ContextLine::Contextual,
        on: |settings| settings.chunk.context = ContextLine::Described,
        ..PLAIN
    },
    Upgrade {
        name: "rewriting by rule",
        what: "a follow-up made standalone by the words of the turns before it",
        off: |settings| settings.retrieve.rewrite = Rewrite::Off,
        on: |settings| settings.retrieve.rewrite = Rewrite::Rule,
        ..PLAIN
    },
    Upgrade {
        name: "rewriting by draft",
        what: "a follow-up made standalone by a draft",
        needs: Needs::Drafts,
        off: |settings| settings.retrieve.rewrite = Rewrite::Off,
        on: |settings| settings.retrieve.rewrite = Rewrite::Draft,
        ..PLAIN
    },
    Upgrade {
        name: "sub-questions",
        what: "a question that asks several things taken apart",
        off: |settings| settings.retrieve.max_sub_questions = 1,
        on: |settings| settings.retrieve.max_sub_questions = 4,
        ..PLAIN
    },
    Upgrade {
        name: "HyDE",
        what: "searching with a drafted passage beside the question",
        needs: Needs::Drafts,
        off: |settings| settings.retrieve.hyde = false,
        on: |settings| settings.retrieve.hyde = true,
        ..PLAIN
    },
    Upgrade {
        name: "multi-query",
        what: "other phrasings searched for as well, and fused",
        needs: Needs::Drafts,
        off: |settings| settings.retrieve.phrasings = 0,
        on: |settings| settings.retrieve.phrasings = 3,
        ..PLAIN
    },
    Upgrade {
        name: "near-duplicates collapsed",
        what: "of passages with nearly the same words only the best kept",
        off: |settings| settings.retrieve.collapse_at = 2.0,
        on: |settings| settings.retrieve.collapse_at = 0.9,
        ..PLAIN
    },
    Upgrade {
        name: "newer first",
        what: "a document before the version that it replaces",
        reranks: true,
        off: |settings| settings.rerank.newest_first = false,
        on: |settings| settings.rerank.newest_first = true,
        ..PLAIN
    },
    Upgrade {
        name: "diversity",
        what: "passages that say something new first (MMR)",
        reranks: true,
        off: |settings| settings.rerank.diversity_weight = 1.0,
        on: |settings| settings.rerank.diversity_weight = 0.6,
        ..PLAIN
    },
];

/// Share of the relevant documents among the first three and the first ten, averaged over questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Recall {
    /// Among the first three.
    #[serde(rename = "recall@3")]
    pub at_3: f64,
    /// Among the first ten.
    #[serde(rename = "recall@10")]
    pub at_10: f64,
}

/// What an upgrade did to one kind of questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct UpgradeEffect {
    /// Number of questions.
    pub questions: usize,
    /// With the part off.
    pub off: Recall,
    /// With the part on.
    pub on: Recall,
}

/// The effect of each upgrade, by kind of question; `all` is all of them.
pub type UpgradeReport = BTreeMap<&'static str, BTreeMap<String, UpgradeEffect>>;

/// Measures `upgrades` on the questions that have an answer.
///
/// `open` gives an engine for settings that differ in how passages are indexed, as the flag says, or in how they
/// are searched. Upgrades that need drafts or descriptions are left out when `base` names nobody who writes them.
pub fn evaluate_upgrades(
    upgrades: &[Upgrade],
    base: &Settings,
    labels: &[Label],
    open: &dyn Fn(&Settings, &Upgrade) -> Result<Engine, PipelineError>,
    progress: &dyn Progress,
) -> Result<UpgradeReport, PipelineError> {
    let labels: Vec<&Label> = labels.iter().filter(|label| !label.relevant.is_empty()).collect();
    let mut report = UpgradeReport::new();
    for upgrade in upgrades {
        if let Some(setting) = upgrade.needs.missing(&base.models) {
            progress.note(&format!(
                "{} left out: nobody writes for it (set {setting} to a file, or models.language_model)",
                upgrade.name
            ));
            continue;
        }
        let off = recalls(&open(&upgrade.off(base), upgrade)?, upgrade, &labels, progress)?;
        let on = recalls(&open(&upgrade.on(base), upgrade)?, upgrade, &labels, progress)?;
        report.insert(upgrade.name, effects(&labels, &off, &on));
    }
    Ok(report)
}

fn recalls(
    engine: &Engine,
    upgrade: &Upgrade,
    labels: &[&Label],
    progress: &dyn Progress,
) -> Result<Vec<Recall>, PipelineError> {
    progress.start(upgrade.name, Some(labels.len() as u64), Unit::Items);
    let recalls = labels.iter().map(|label| {
        let ranking = engine.rank(&label.question, upgrade.way(), DEPTH)?;
        progress.advance(upgrade.name, 1);
        Ok(recall(&ranking, &label.relevant))
    });
    let recalls = recalls.collect();
    progress.finish(upgrade.name);
    recalls
}

/// A document counts at the place of its best passage, and at that of a copy of it which stands for it.
fn recall(ranking: &Ranking, relevant: &[String]) -> Recall {
    let mut places: Vec<Vec<&str>> = Vec::new();
    for hit in &ranking.hits {
        let own = hit.passage.document_id().as_str();
        if places.iter().flatten().any(|known| *known == own) {
            continue;
        }
        let copies = hit.duplicates.iter().map(|id| id.document.as_str());
        places.push(std::iter::once(own).chain(copies).collect());
    }
    let share = |most: usize| {
        let first = &places[..most.min(places.len())];
        let found = relevant
            .iter()
            .filter(|id| first.iter().flatten().any(|place| place == id));
        found.count() as f64 / relevant.len().max(1) as f64
    };
    Recall {
        at_3: share(3),
        at_10: share(10),
    }
}

fn effects(labels: &[&Label], off: &[Recall], on: &[Recall]) -> BTreeMap<String, UpgradeEffect> {
    let mut effects: BTreeMap<String, UpgradeEffect> = BTreeMap::new();
    for ((label, off), on) in labels.iter().zip(off).zip(on) {
        for kind in ["all", label.kind.as_str()] {
            let effect = effects.entry(kind.to_owned()).or_default();
            effect.questions += 1;
            effect.off.add(off);
            effect.on.add(on);
        }
    }
    for effect in effects.values_mut() {
        effect.off.divide(effect.questions);
        effect.on.divide(effect.questions);
    }
    effects
}

impl Recall {
    fn add(&mut self, other: &Self) {
        self.at_3 += other.at_3;
        self.at_10 += other.at_10;
    }

    fn divide(&mut self, by: usize) {
        self.at_3 /= by as f64;
        self.at_10 /= by as f64;
    }
}

#[cfg(test)]
mod tests {
    use rag_core::access::Principal;
    use rag_core::hit::Hit;
    use rag_core::passage::Passage;
    use rag_core::question::Question;

    use super::*;

    #[test]
    fn copies_count_at_the_place_of_the_passage_that_stands_for_them() {
        let hit = |id: &str, rank| Hit::new(rank, 1.0, Passage::new(id.parse().unwrap(), "text"));
        let mut hits: Vec<Hit> = (1..)
            .zip(["a#0", "a#1", "b#0", "c#0", "d#0"])
            .map(|(rank, id)| hit(id, rank))
            .collect();
        hits[2].duplicates = vec!["copy#0".parse().unwrap()];
        let ranking = Ranking::new(Question::new("1", "?", Principal::everyone()), hits);
        let found = recall(&ranking, &["copy".to_owned(), "d".to_owned()]);
        assert_eq!((found.at_3, found.at_10), (0.5, 1.0));
    }

    #[test]
    fn every_upgrade_changes_the_settings() {
        let base = Settings::default();
        for upgrade in &UPGRADES {
            assert_ne!(upgrade.off(&base), upgrade.on(&base), "{}", upgrade.name);
        }
    }
}

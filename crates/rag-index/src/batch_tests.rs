//! Building: what is reused, what survives a kill, what damage does.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rag_core::access::{AccessList, Principal};
use rag_core::artifact::Manifest;
use rag_core::filter::Filter;
use rag_core::progress::Silent;

use super::*;
use crate::Generation;
use crate::testing::{FakeEmbedder, passage, publish};

/// A folder with a chunk artifact, generations, and a journal.
struct Workshop {
    folder: tempfile::TempDir,
}

impl Workshop {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn build(
        &self,
        config: &Config,
        passages: &[Passage],
        name: &str,
        previous: Option<&str>,
        embedder: &FakeEmbedder,
    ) -> Result<Outcome, IndexError> {
        let previous: Vec<PathBuf> = previous.into_iter().map(|name| self.path(name)).collect();
        self.build_from(config, passages, name, &previous, embedder)
    }

    fn build_from(
        &self,
        config: &Config,
        passages: &[Passage],
        name: &str,
        previous: &[PathBuf],
        embedder: &FakeEmbedder,
    ) -> Result<Outcome, IndexError> {
        publish(&self.path("chunked"), passages);
        let tools = Tools {
            embedder,
            previous,
            journal: &self.path("embed.journal"),
            progress: &Silent,
        };
        run(config, &self.path("chunked"), &self.path(name), &tools)
    }

    fn manifest(&self, name: &str) -> Manifest {
        Artifact::open(&self.path(name), STAGE)
            .unwrap()
            .manifest()
            .clone()
    }

    fn digests(&self, name: &str) -> BTreeMap<String, Digest> {
        let outputs = self.manifest(name).outputs;
        outputs
            .into_iter()
            .map(|(name, file)| (name, file.blake3))
            .collect()
    }
}

fn some_passages() -> Vec<Passage> {
    let documents = ["a", "b", "c"].iter();
    documents
        .flat_map(|d| (0..4).map(move |p| passage(d, p, &format!("Text {p} of document {d}"))))
        .collect()
}

fn counts(reused: u64, written: u64) -> Outcome {
    Outcome {
        seen: reused + written,
        reused,
        written,
        quarantined: 0,
    }
}

#[test]
fn an_unchanged_input_is_not_touched() {
    let shop = Workshop::new();
    let (config, embedder) = (Config::default(), FakeEmbedder::new(8));
    let passages = some_passages();
    assert_eq!(
        shop.build(&config, &passages, "g", None, &embedder).unwrap(),
        counts(0, 12)
    );
    assert_eq!(
        shop.build(&config, &passages, "g", None, &embedder).unwrap(),
        counts(12, 0)
    );
    assert_eq!(embedder.embedded(), 12);
    assert!(!shop.path("embed.journal").exists());
}

#[test]
fn texts_of_several_generations_are_not_embedded_again() {
    let shop = Workshop::new();
    let (config, embedder) = (Config::default(), FakeEmbedder::new(8));
    let passages = some_passages();
    let (first, second) = passages.split_at(4);
    shop.build(&config, first, "one", None, &embedder).unwrap();
    shop.build(&config, second, "two", None, &embedder).unwrap();
    let earlier = ["one", "none", "two"].map(|name| shop.path(name));
    let mut more = passages.clone();
    more.push(passage("d", 0, "A new one"));
    let outcome = shop.build_from(&config, &more, "both", &earlier, &embedder);
    assert_eq!(outcome.unwrap(), counts(12, 1));
    let anew = shop.build(&config, &more, "anew", Some("none"), &embedder);
    assert_eq!(anew.unwrap(), counts(0, 13));
    assert_eq!(shop.digests("both"), shop.digests("anew"));
    // The second of them has the content asked for, and lends its files.
    let files = shop.build_from(&config, second, "again", &earlier, &embedder);
    assert_eq!(files.unwrap(), counts(8, 0));
    assert_eq!(shop.digests("again"), shop.digests("two"));
}

#[test]
fn one_changed_document_embeds_one_document_and_a_deleted_one_leaves_nothing() {
    let shop = Workshop::new();
    let (config, embedder) = (Config::default(), FakeEmbedder::new(8));
    let mut passages = some_passages();
    shop.build(&config, &passages, "one", None, &embedder).unwrap();
    passages.retain(|p| p.id.document.as_str() != "a");
    for p in &mut passages[..4] {
        p.text.push_str(" zebra");
    }
    assert_eq!(
        shop.build(&config, &passages, "two", Some("one"), &embedder)
            .unwrap(),
        counts(4, 4)
    );
    let generation = Generation::open(&shop.path("two"), &config.search).unwrap();
    let allowed = generation.allowed(&Principal::everyone(), &Filter::default());
    assert_eq!((generation.len(), allowed.len()), (8, 8));
    assert_eq!(generation.bm25("zebra", &allowed, 10).unwrap().len(), 4);
    assert_eq!(generation.bm25("document a", &allowed, 10).unwrap().len(), 8);
    for entry in fs_err::read_dir(shop.path("two")).unwrap().flatten() {
        if entry.path().is_file() {
            let bytes = fs_err::read(entry.path()).unwrap();
            assert!(
                !bytes.windows(15).any(|w| w == b"of document a"),
                "{:?}",
                entry.path()
            );
        }
    }
    let fresh = FakeEmbedder::new(8);
    shop.build(&config, &passages, "fresh", Some("none"), &fresh)
        .unwrap();
    assert_eq!(shop.digests("two"), shop.digests("fresh"));
}

#[test]
fn changed_access_embeds_nothing_and_takes_effect() {
    let shop = Workshop::new();
    let config = Config {
        graph: crate::GraphConfig {
            min_passages: 1,
            ..Default::default()
        },
        ..Config::default()
    };
    let embedder = FakeEmbedder::new(8);
    let mut passages = some_passages();
    shop.build(&config, &passages, "one", None, &embedder).unwrap();
    for p in &mut passages {
        p.access = AccessList::from_iter(["finance"]);
        p.updated = Some("2026-01-01".parse().unwrap());
    }
    assert_eq!(
        shop.build(&config, &passages, "two", Some("one"), &embedder)
            .unwrap(),
        counts(12, 0)
    );
    assert_eq!(embedder.embedded(), 12);
    let (one, two) = (shop.digests("one"), shop.digests("two"));
    let changed: Vec<&String> = one.keys().filter(|name| one[*name] != two[*name]).collect();
    assert_eq!(changed, [FILTERS_FILE, PASSAGES_FILE]);
    let generation = Generation::open(&shop.path("two"), &config.search).unwrap();
    assert!(
        generation
            .allowed(&Principal::everyone(), &Filter::default())
            .is_empty()
    );
    let finance = generation.allowed(&Principal::from_iter(["finance"]), &Filter::default());
    assert_eq!(generation.bm25("document", &finance, 50).unwrap().len(), 12);
}

#[test]
fn a_killed_run_is_taken_up_where_its_last_batch_ended() {
    let shop = Workshop::new();
    let config = Config {
        batch_passages: 5,
        ..Config::default()
    };
    let mut dying = FakeEmbedder::new(8);
    dying.fails_after = Some(10);
    let passages = some_passages();
    assert!(shop.build(&config, &passages, "g", None, &dying).is_err());
    assert!(!shop.path("g").exists());
    let embedder = FakeEmbedder::new(8);
    assert_eq!(
        shop.build(&config, &passages, "g", None, &embedder).unwrap(),
        counts(10, 2)
    );
    assert_eq!(embedder.embedded(), 2);
    assert!(!shop.path("embed.journal").exists());
    shop.build(&config, &passages, "undisturbed", None, &FakeEmbedder::new(8))
        .unwrap();
    assert_eq!(shop.digests("g"), shop.digests("undisturbed"));
}

#[test]
fn another_model_reuses_nothing() {
    let shop = Workshop::new();
    let config = Config::default();
    let passages = some_passages();
    shop.build(&config, &passages, "one", None, &FakeEmbedder::new(8))
        .unwrap();
    let other = FakeEmbedder::renamed(8, "other weights");
    assert_eq!(
        shop.build(&config, &passages, "two", Some("one"), &other)
            .unwrap(),
        counts(0, 12)
    );
}

#[test]
fn a_damaged_previous_generation_is_not_taken_over() {
    let shop = Workshop::new();
    let config = Config::default();
    let mut passages = some_passages();
    shop.build(&config, &passages, "one", None, &FakeEmbedder::new(8))
        .unwrap();
    let path = shop.path("one").join(VECTORS_FILE);
    let mut bytes = fs_err::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs_err::write(&path, bytes).unwrap();
    passages[0].text.push('!');
    let embedder = FakeEmbedder::new(8);
    assert_eq!(
        shop.build(&config, &passages, "two", Some("one"), &embedder)
            .unwrap(),
        counts(0, 12)
    );
}

#[test]
fn input_order_does_not_matter() {
    let shop = Workshop::new();
    let config = Config::default();
    let mut passages = some_passages();
    shop.build(&config, &passages, "one", None, &FakeEmbedder::new(8))
        .unwrap();
    passages.reverse();
    shop.build(&config, &passages, "two", None, &FakeEmbedder::new(8))
        .unwrap();
    assert_eq!(shop.digests("one"), shop.digests("two"));
}

#[test]
fn no_passages_make_a_generation_too() {
    let shop = Workshop::new();
    let config = Config {
        graph: crate::GraphConfig {
            min_passages: 0,
            ..Default::default()
        },
        ..Config::default()
    };
    shop.build(&config, &[], "g", None, &FakeEmbedder::new(8))
        .unwrap();
    let generation = Generation::open(&shop.path("g"), &config.search).unwrap();
    let allowed = generation.allowed(&Principal::everyone(), &Filter::default());
    assert!(generation.is_empty() && generation.bm25("x", &allowed, 3).unwrap().is_empty());
    assert!(generation.dense(&[0.0; 8], &allowed, 3).unwrap().is_empty());
}

//! Reading: what is found, what is refused, and that nothing gets around the allowed set.

use proptest::prelude::*;
use rag_core::access::AccessList;
use rag_core::progress::Silent;
use rag_models::Embedder;

use super::*;
use crate::testing::{FakeEmbedder, passage, publish, unit_vector};
use crate::{Config, GraphConfig, Tools, run};

const DIMENSION: usize = 16;

fn built(passages: &[Passage], config: &Config) -> (tempfile::TempDir, Generation) {
    let folder = tempfile::tempdir().unwrap();
    let chunked = folder.path().join("chunked");
    publish(&chunked, passages);
    let embedder = FakeEmbedder::new(DIMENSION);
    let tools = Tools {
        embedder: &embedder,
        previous: &[],
        journal: &folder.path().join("journal"),
        progress: &Silent,
    };
    let output = folder.path().join("g");
    run(config, &chunked, &output, &tools).unwrap();
    let generation = Generation::open(&output, &config.search).unwrap();
    (folder, generation)
}

/// A small graph that the planner always chooses.
fn with_graph() -> Config {
    Config {
        graph: GraphConfig {
            min_passages: 1,
            ..GraphConfig::default()
        },
        search: SearchConfig {
            graph_cost: 0.0,
            ..SearchConfig::default()
        },
        ..Config::default()
    }
}

fn restricted(document: &str, position: u32, groups: &[&str]) -> Passage {
    Passage {
        access: groups.iter().copied().collect::<AccessList>(),
        ..passage(document, position, &format!("Forecast {document} {position}"))
    }
}

fn everyone(generation: &Generation) -> AllowedSet {
    generation.allowed(&Principal::everyone(), &Filter::default())
}

#[test]
fn a_passage_that_is_not_allowed_is_not_read_by_any_way() {
    let passages = [
        restricted("a", 0, &["everyone"]),
        restricted("a", 1, &["finance"]),
        restricted("b", 0, &[]),
    ];
    let (_folder, generation) = built(&passages, &Config::default());
    let allowed = everyone(&generation);
    assert_eq!(allowed.ordinals().collect::<Vec<_>>(), [0]);
    assert_eq!(
        generation.passage(0, &allowed).unwrap().as_ref(),
        Some(&passages[0])
    );
    for ordinal in [1, 2, 3] {
        assert_eq!(generation.passage(ordinal, &allowed).unwrap(), None);
    }
    assert_eq!(
        generation
            .passages_of(passages[2].document_id(), &allowed)
            .unwrap(),
        Vec::<u32>::new()
    );
    let finance = generation.allowed(&Principal::from_iter(["finance"]), &Filter::default());
    let document = passages[1].document_id();
    assert_eq!(generation.passages_of(document, &finance).unwrap(), [0, 1]);
}

#[test]
fn a_set_made_by_another_generation_is_refused() {
    let (_one, open) = built(&[restricted("a", 0, &["everyone"])], &Config::default());
    let (_two, closed) = built(&[restricted("a", 0, &["finance"])], &Config::default());
    let allowed = everyone(&open);
    let query = unit_vector(DIMENSION, "x");
    assert!(matches!(
        closed.passage(0, &allowed),
        Err(IndexError::ForeignAllowedSet)
    ));
    assert!(matches!(
        closed.bm25("forecast", &allowed, 1),
        Err(IndexError::ForeignAllowedSet)
    ));
    assert!(matches!(
        closed.dense(&query, &allowed, 1),
        Err(IndexError::ForeignAllowedSet)
    ));
    assert!(
        closed
            .passages_of(&DocumentId::new("a").unwrap(), &allowed)
            .is_err()
    );
}

#[test]
fn equal_passages_come_in_the_order_of_their_ids_in_both_legs() {
    let passages: Vec<Passage> = [("b", 10), ("b", 9), ("a", 1)]
        .iter()
        .map(|&(d, p)| passage(d, p, "same"))
        .collect();
    for config in [Config::default(), with_graph()] {
        let (_folder, generation) = built(&passages, &config);
        let allowed = everyone(&generation);
        let query = unit_vector(DIMENSION, "same");
        for found in [
            generation.bm25("same", &allowed, 9).unwrap(),
            generation.dense(&query, &allowed, 9).unwrap(),
        ] {
            assert_eq!(found.iter().map(|c| c.ordinal).collect::<Vec<_>>(), [0, 1, 2]);
        }
        let ids: Vec<String> = (0..3)
            .map(|o| generation.passage(o, &allowed).unwrap().unwrap().id.to_string())
            .collect();
        assert_eq!(ids, ["a#1", "b#9", "b#10"]);
    }
}

#[test]
fn another_model_is_refused_and_both_are_named() {
    let (_folder, generation) = built(&[passage("a", 0, "x")], &Config::default());
    generation
        .check_model(FakeEmbedder::new(DIMENSION).identity())
        .unwrap();
    let error = generation
        .check_model(FakeEmbedder::renamed(DIMENSION, "new").identity())
        .unwrap_err()
        .to_string();
    assert!(
        error.matches("fake").count() == 2 && error.contains("differ in weights"),
        "{error}"
    );
}

#[test]
fn query_vectors_are_checked() {
    let (_folder, generation) = built(&[passage("a", 0, "x")], &Config::default());
    let allowed = everyone(&generation);
    let mut broken = unit_vector(DIMENSION, "x");
    broken[0] = f32::NAN;
    for bad in [vec![], vec![1.0; DIMENSION], broken] {
        assert!(matches!(
            generation.dense(&bad, &allowed, 1),
            Err(IndexError::QueryVector { .. })
        ));
    }
    assert!(
        generation
            .dense(&[0.0; DIMENSION], &allowed, 1)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn every_damaged_or_missing_file_is_noticed() {
    let passages: Vec<Passage> = (0..40).map(|p| passage("a", p, &format!("text {p}"))).collect();
    let (_folder, generation) = built(&passages, &with_graph());
    let path = generation.path().to_owned();
    let names: Vec<String> = generation.artifact.manifest().outputs.keys().cloned().collect();
    assert!(names.iter().any(|name| name == GRAPH_FILE));
    assert_eq!(generation.verify().unwrap(), names.len());
    drop(generation);
    for name in names {
        let file = path.join(&name);
        let whole = fs_err::read(&file).unwrap();
        let mut bytes = whole.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs_err::remove_file(&file).unwrap();
        assert!(
            Generation::open(&path, &SearchConfig::default()).is_err(),
            "{name} removed"
        );
        fs_err::write(&file, &bytes).unwrap();
        let error = Generation::open(&path, &SearchConfig::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(name.rsplit('/').next().unwrap()), "{error}");
        fs_err::write(&file, whole).unwrap();
    }
    Generation::open(&path, &SearchConfig::default()).unwrap();
}

/// Cosines of all passages with the query, the best `k` first.
fn brute_force(passages: &[Passage], query: &[f32], keeps: impl Fn(&Passage) -> bool, k: usize) -> Vec<u32> {
    let mut sorted: Vec<&Passage> = passages.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id));
    let scored = sorted.iter().zip(0u32..).filter(|(p, _)| keeps(p));
    let mut scored: Vec<(f32, u32)> = scored
        .map(|(p, o)| (crate::dot::dot(query, &unit_vector(DIMENSION, &p.text)), o))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().take(k).map(|(_, o)| o).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn neither_leg_finds_what_is_not_allowed_and_the_dense_leg_finds_the_nearest(
        groups in prop::collection::vec(prop::sample::select(vec!["everyone", "hr", "exec"]), 1..60),
        question in "[a-z]{3}",
    ) {
        let passages: Vec<Passage> =
            groups.iter().zip(0u32..).map(|(group, n)| restricted(&format!("d{}", n / 7), n, &[*group])).collect();
        for config in [Config::default(), with_graph()] {
            let (_folder, generation) = built(&passages, &config);
            for principal in [Principal::everyone(), Principal::from_iter(["hr"])] {
                let allowed = generation.allowed(&principal, &Filter::default());
                let query = unit_vector(DIMENSION, &question);
                let found: Vec<u32> =
                    generation.dense(&query, &allowed, 20).unwrap().iter().map(|c| c.ordinal).collect();
                let keeps = |p: &Passage| p.access.allows(&principal);
                prop_assert_eq!(&found, &brute_force(&passages, &query, keeps, 20));
                let lexical = generation.bm25("forecast", &allowed, 100).unwrap();
                prop_assert_eq!(lexical.len() as u64, allowed.len());
                for ordinal in lexical.iter().map(|c| c.ordinal).chain(found) {
                    let passage = generation.passage(ordinal, &allowed).unwrap().unwrap();
                    prop_assert!(passage.access.allows(&principal));
                }
            }
        }
    }
}

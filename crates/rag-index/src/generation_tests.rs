//! Reading: what is found, what is refused, and that nothing gets around the allowed set.

use proptest::prelude::*;
use rag_core::access::AccessList;
use rag_core::progress::Silent;
use rag_models::Embedder;

use super::*;
use crate::testing::{FakeEmbedder, passage, publish, unit_vector};
use crate::{Config, GraphConfig, Statistics, Tools, run};

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

/// The generation of what `asker` may read of `passages`, as if there were nothing else.
fn only_readable(
    passages: &[Passage],
    asker: &Principal,
    config: &Config,
) -> (tempfile::TempDir, Generation) {
    let readable: Vec<Passage> = passages
        .iter()
        .filter(|p| p.access.allows(asker))
        .cloned()
        .collect();
    built(&readable, config)
}

/// Ids and scores, bit by bit, of both legs.
fn found(
    generation: &Generation,
    asker: &Principal,
    filter: &Filter,
    statistics: Statistics,
    question: &str,
) -> Vec<Vec<(String, u32)>> {
    let allowed = generation.allowed_with(asker, filter, statistics);
    let query = unit_vector(DIMENSION, question);
    let legs = [
        generation.bm25(question, &allowed, 50).unwrap(),
        generation.dense(&query, &allowed, 50).unwrap(),
    ];
    let named = |candidate: &Candidate| {
        let passage = generation.passage(candidate.ordinal, &allowed).unwrap().unwrap();
        (passage.id.to_string(), candidate.score.to_bits())
    };
    legs.iter().map(|leg| leg.iter().map(named).collect()).collect()
}

/// What statistics over all passages give away, so that the property below cannot hold for want of a leak.
#[test]
fn scores_over_all_passages_tell_of_those_that_may_not_be_read() {
    let with = |access: &[&str], document: &str, text: &str| Passage {
        access: access.iter().copied().collect(),
        ..passage(document, 0, text)
    };
    let passages = [
        with(&["everyone"], "a", "heron budget"),
        with(&["everyone"], "b", "lunch menu"),
        with(&["exec"], "c", "heron heron takeover"),
        with(&["exec"], "d", "heron lawyers"),
    ];
    let asker = Principal::everyone();
    let (_one, whole) = built(&passages, &Config::default());
    let (_two, reduced) = only_readable(&passages, &asker, &Config::default());
    for (statistics, leaks) in [(Statistics::All, true), (Statistics::Readable, false)] {
        let of = |generation| found(generation, &asker, &Filter::default(), statistics, "heron");
        assert_eq!(of(&whole) != of(&reduced), leaks, "{statistics:?}");
    }
}

/// Passages in a language that the asker reads nothing of must not change how the question is analysed.
#[test]
fn languages_of_unreadable_passages_do_not_count() {
    let german = Passage {
        language: "de".parse().unwrap(),
        access: ["exec"].into_iter().collect(),
        ..passage("g", 0, "Rechnungen")
    };
    let passages = [passage("a", 0, "the invoices of this year"), german];
    let (_folder, generation) = built(&passages, &Config::default());
    let languages = |statistics| {
        let allowed = generation.allowed_with(&Principal::everyone(), &Filter::default(), statistics);
        allowed
            .basis()
            .map_or(generation.languages().to_vec(), |basis| basis.languages.clone())
    };
    assert_eq!(languages(Statistics::All).len(), 2);
    assert_eq!(languages(Statistics::Readable), [Language::ENGLISH]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn removing_what_may_not_be_read_changes_no_hit_and_no_score(
        texts in prop::collection::vec(
            (prop::collection::vec("heron|budget|vpn|lunch|the|2026|ERR-1", 0..8), prop::sample::select(vec!["everyone", "hr", "exec"]),
             prop::sample::select(vec!["en", "de", "ar", "und"])),
            1..30,
        ),
        words in prop::collection::vec("heron|budget|vpn|lunch|the|ERR-1", 1..5),
        dated in any::<bool>(),
    ) {
        let passages: Vec<Passage> = texts.iter().zip(0u32..).map(|((words, group, language), n)| Passage {
            language: language.parse().unwrap(),
            access: [*group].into_iter().collect(),
            updated: (n % 2 == 0).then(|| "2026-01-01".parse().unwrap()),
            ..passage(&format!("d{}", n / 3), n, &words.join(" "))
        }).collect();
        let filter = Filter { updated_after: dated.then(|| "2025-01-01".parse().unwrap()), ..Filter::default() };
        let question = words.join(" ");
        for config in [Config::default(), with_graph()] {
            let (_one, whole) = built(&passages, &config);
            for asker in [Principal::everyone(), Principal::from_iter(["hr"]), Principal::from_iter(["hr", "exec"])] {
                let (_two, reduced) = only_readable(&passages, &asker, &config);
                let of = |generation| found(generation, &asker, &filter, Statistics::Readable, &question);
                prop_assert_eq!(of(&whole), of(&reduced));
            }
        }
    }
}

//! What a question finds, and what it must never find.

use proptest::prelude::*;
use rag_core::access::{AccessList, Principal};
use rag_core::artifact::jsonl;
use rag_core::filter::Filter;
use rag_core::progress::Silent;

use super::*;
use crate::testing::{embedder, generation, passage};

fn collection() -> Vec<rag_core::passage::Passage> {
    let mut forecast = passage("fin-6", 0, "The third quarter forecast is forty million.");
    forecast.access = AccessList::from_iter(["finance"]);
    let mut old = passage("travel-2023", 0, "Business class is allowed over four hours.");
    old.updated = Some("2023-02-01".parse().unwrap());
    let mut new = passage(
        "travel-2026",
        0,
        "Business class needs the written approval of a director.",
    );
    new.updated = Some("2026-02-01".parse().unwrap());
    let mut arabic = passage("ar-1", 0, "الإجازة السنوية واحد وعشرون يوماً.");
    arabic.language = Language::ARABIC;
    vec![
        arabic,
        forecast,
        passage("it-4", 0, "ERR-4012 means the tunnel could not be established."),
        passage("it-5", 0, "ERR-4013 means the licence has run out."),
        old,
        new,
    ]
}

fn check(config: &Config, act: impl FnOnce(&Retriever<'_>)) {
    let folder = tempfile::tempdir().unwrap();
    let passages = collection();
    let embedder = embedder(&passages);
    let generation = generation(folder.path(), &passages, &embedder);
    act(&Retriever::new(&generation, &embedder, config).unwrap());
}

fn ask(text: &str, groups: &[&str]) -> Question {
    Question::new("1", text, groups.iter().copied().collect())
}

fn documents(ranking: &Ranking) -> Vec<&str> {
    ranking
        .hits
        .iter()
        .map(|hit| hit.passage.document_id().as_str())
        .collect()
}

#[test]
fn every_part_of_a_question_brings_its_passage() {
    let config = Config {
        hits: 2,
        ..Config::default()
    };
    let question = "What does ERR-4013 mean, and when is business class allowed?";
    check(&config, |retriever| {
        let ranking = retriever.search(&ask(question, &[])).unwrap();
        let mut found = documents(&ranking);
        found.sort_unstable();
        assert_eq!(found, ["it-5", "travel-2023"]);
        assert_eq!(ranking.question.parts().len(), 2);
        assert!(ranking.notes[0].starts_with("searched for: What does ERR-4013 mean | "));
    });
    let whole = Config {
        max_sub_questions: 1,
        ..config
    };
    check(&whole, |retriever| {
        let ranking = retriever.search(&ask(question, &[])).unwrap();
        assert_eq!(ranking.question.parts(), [question]);
    });
}

#[test]
fn an_identifier_is_told_from_its_twin() {
    check(&Config::default(), |retriever| {
        let ranking = retriever.search(&ask("What does ERR-4012 mean?", &[])).unwrap();
        assert_eq!(documents(&ranking)[0], "it-4");
        let first = &ranking.hits[0];
        assert_eq!(
            (
                first.rank,
                first.legs[&Leg::Bm25].rank,
                first.legs[&Leg::Dense].rank
            ),
            (1, 1, 1)
        );
    });
}

#[test]
fn a_restricted_passage_is_found_only_by_its_readers() {
    check(&Config::default(), |retriever| {
        let found = |groups: &[&str]| {
            let ranking = retriever.search(&ask("third quarter forecast", groups)).unwrap();
            documents(&ranking).contains(&"fin-6")
        };
        assert!(found(&["finance"]));
        assert!(!found(&["hr"]));
    });
}

#[test]
fn a_date_filter_removes_the_superseded_policy() {
    check(&Config::default(), |retriever| {
        let mut question = ask("business class", &[]);
        assert!(documents(&retriever.search(&question).unwrap()).contains(&"travel-2023"));
        question.filter.updated_after = Some("2025-01-01".parse().unwrap());
        assert_eq!(documents(&retriever.search(&question).unwrap()), ["travel-2026"]);
    });
}

#[test]
fn a_leg_that_cannot_serve_the_language_is_left_out_and_says_so() {
    check(&Config::default(), |retriever| {
        let ranking = retriever.search(&ask("كم يوم الإجازة السنوية؟", &[])).unwrap();
        assert_eq!(documents(&ranking), ["ar-1"]);
        let dense = ranking
            .legs
            .iter()
            .find(|report| report.leg == Leg::Dense)
            .unwrap();
        assert!(dense.left_out.as_ref().unwrap().contains("`ar`"));
        assert!(ranking.notes[0].contains("dense leg was left out"));
    });
}

#[test]
fn a_mode_uses_only_its_leg() {
    for (mode, leg) in [(Mode::Bm25, Leg::Bm25), (Mode::Dense, Leg::Dense)] {
        check(
            &Config {
                mode,
                ..Config::default()
            },
            |retriever| {
                let ranking = retriever.search(&ask("business class approval", &[])).unwrap();
                assert!(ranking.hits.iter().all(|hit| hit.legs.keys().eq([&leg])));
                assert_eq!(ranking.legs.len(), 1);
            },
        );
    }
}

#[test]
fn parents_hold_only_what_the_asker_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut passages = vec![passage("a", 0, "Open part."), passage("a", 1, "Secret part.")];
    passages[1].access = AccessList::from_iter(["exec"]);
    passages[1].span = rag_core::span::Span::new(12, 24);
    for part in &mut passages {
        part.parent = rag_core::span::Span::new(0, 24);
    }
    let embedder = embedder(&passages);
    let generation = generation(folder.path(), &passages, &embedder);
    let config = Config::default();
    let retriever = Retriever::new(&generation, &embedder, &config).unwrap();
    for (groups, text) in [(&["exec"][..], "Open part.\n\nSecret part."), (&[], "Open part.")] {
        let ranking = retriever.search(&ask("open part", groups)).unwrap();
        assert_eq!(retriever.parents(&ranking).unwrap()[0].text, text);
    }
}

/// Drafts one text of each kind.
struct Drafts;

impl Drafter for Drafts {
    fn name(&self) -> String {
        "a test".to_owned()
    }

    fn draft(&self, kind: DraftKind, _: &Question) -> Result<Vec<String>, RetrieveError> {
        Ok(vec![match kind {
            DraftKind::Standalone => "What is the forecast?".to_owned(),
            DraftKind::Phrasings(_) => "forecast".to_owned(),
            DraftKind::Passage => "The forecast of the revenue.".to_owned(),
        }])
    }
}

#[test]
fn drafts_are_searched_with_and_their_writer_is_named() {
    let base = Config {
        collapse_at: 2.0,
        ..Config::default()
    };
    for (config, note) in [
        (
            Config {
                hyde: true,
                mode: Mode::Dense,
                ..base.clone()
            },
            "passage to search with drafted by a test",
        ),
        (
            Config {
                phrasings: 2,
                ..base.clone()
            },
            "searched for as well: forecast",
        ),
        (
            Config {
                rewrite: Rewrite::Draft,
                ..base.clone()
            },
            "standalone question drafted by a test",
        ),
    ] {
        check(&config, |retriever| {
            let mut question = ask("ERR-4012", &["finance"]);
            question.history = vec!["Money?".to_owned()];
            assert!(matches!(
                retriever.search(&question),
                Err(RetrieveError::NoDrafter)
            ));
            let ranking = retriever.with_drafter(Some(&Drafts)).search(&question).unwrap();
            assert!(
                ranking.notes.iter().any(|found| found == note),
                "{:?}",
                ranking.notes
            );
            let found = ranking
                .hits
                .iter()
                .take(3)
                .any(|hit| hit.passage.text.contains("orecast"));
            assert!(found, "{note}");
            // The draft never widens what the asker may read.
            question.principal = Principal::everyone();
            let ranking = retriever.with_drafter(Some(&Drafts)).search(&question).unwrap();
            assert!(
                ranking
                    .hits
                    .iter()
                    .all(|hit| hit.passage.access.allows(&Principal::everyone()))
            );
        });
    }
}

#[test]
fn what_stands_around_a_hit_comes_with_it_but_nothing_secret() {
    let folder = tempfile::tempdir().unwrap();
    let texts = [
        "Intro words.",
        "Open part.",
        "Closing words.",
        "Secret part.",
        "Far away.",
    ];
    let mut passages: Vec<_> = (0..)
        .zip(texts)
        .map(|(at, text)| passage("a", at, text))
        .collect();
    passages[3].access = AccessList::from_iter(["exec"]);
    for part in &mut passages {
        part.parent = rag_core::span::Span::new(0, 1000);
    }
    let embedder = embedder(&passages);
    let generation = generation(folder.path(), &passages, &embedder);
    for (expand, groups, expected) in [
        (Expand::Nothing, &[][..], &[1][..]),
        (Expand::Neighbours, &[], &[0, 1, 2]),
        (Expand::Parent, &[], &[0, 1, 2, 4]),
        (Expand::Parent, &["exec"], &[0, 1, 2, 3, 4]),
    ] {
        let config = Config {
            mode: Mode::Bm25,
            expand,
            ..Config::default()
        };
        let retriever = Retriever::new(&generation, &embedder, &config).unwrap();
        let mut ranking = retriever.search(&ask("open part", groups)).unwrap();
        ranking.hits.truncate(1);
        let ranking = retriever.expand(ranking).unwrap();
        let positions: Vec<u32> = ranking.hits.iter().map(|hit| hit.passage.id.position).collect();
        assert_eq!(positions, expected, "{expand:?} {groups:?}");
    }
}

#[test]
fn the_stage_writes_hits_and_a_run_and_is_not_done_twice() {
    let folder = tempfile::tempdir().unwrap();
    let passages = collection();
    let embedder = embedder(&passages);
    let generation = generation(folder.path(), &passages, &embedder);
    let questions = folder.path().join("questions.jsonl");
    jsonl::write_all(&questions, &[ask("ERR-4012", &[]), ask("forecast", &["finance"])]).unwrap();
    let tools = crate::Tools {
        generation: &generation,
        embedder: &embedder,
        drafter: None,
        progress: &Silent,
    };
    let output = folder.path().join("retrieved");
    let config = Config::default();
    assert_eq!(
        crate::run(&config, &questions, &output, &tools).unwrap().written,
        2
    );
    let run = fs_err::read_to_string(output.join("run.trec")).unwrap();
    assert!(run.starts_with("1 Q0 it-4#0 1 "), "{run}");
    assert_eq!(
        crate::run(&config, &questions, &output, &tools).unwrap().reused,
        2
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn filters_never_leak(
        access in prop::collection::vec(prop::collection::vec(0usize..4, 0..3), 6),
        groups in prop::collection::vec(0usize..4, 0..3),
        after in prop::option::of(2020i32..2027),
    ) {
        let names = ["everyone", "finance", "hr", "exec"];
        let mut passages = collection();
        for (passage, list) in passages.iter_mut().zip(&access) {
            passage.access = list.iter().map(|&group| names[group]).collect();
        }
        let folder = tempfile::tempdir().unwrap();
        let embedder = embedder(&passages);
        let generation = generation(folder.path(), &passages, &embedder);
        let principal: Principal = groups.iter().map(|&group| names[group]).collect();
        let filter = Filter { updated_after: after.map(|y| format!("{y}-01-01").parse().unwrap()), ..Filter::default() };
        for mode in Mode::ALL {
            let config = Config { mode, ..Config::default() };
            let retriever = Retriever::new(&generation, &embedder, &config).unwrap();
            let mut question = Question::new("1", "business class forecast tunnel licence الإجازة", principal.clone());
            question.filter = filter.clone();
            let ranking = retriever.search(&question).unwrap();
            for hit in &ranking.hits {
                let at = passages.iter().position(|passage| passage.id == hit.passage.id).unwrap();
                prop_assert!(access[at].iter().any(|group| *group == 0 || groups.contains(group)));
                prop_assert!(filter.updated_after.is_none_or(|after| hit.passage.updated.is_some_and(|day| day >= after)));
            }
        }
    }
}

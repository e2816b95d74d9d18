//! Words: our BM25 leg against bm25s and tantivy's Python package, on the data set's texts and questions.

use std::collections::BTreeMap;

use rag_benches::synthetic::{self, generation_of, passage_of};
use rag_core::passage::Passage;
use rag_index::Config;
use serde::Serialize;

use super::contest::{Contest, Contestant, Outcome, Runner, rate, timed};
use super::python::number;
use super::{Bench, sample};

/// Hits of a search.
const DEPTH: usize = 10;

/// Questions of a round.
const QUESTIONS: usize = 300;

const PEERS: [&str; 2] = ["bm25s", "tantivy"];

/// What peers are given.
#[derive(Serialize)]
struct Parameters<'p> {
    passages: &'p [String],
    questions: &'p [String],
}

pub(super) fn contests(bench: &Bench<'_>) -> anyhow::Result<Vec<Outcome>> {
    let texts = bench.texts()?;
    let questions = sample(bench.questions()?, QUESTIONS);
    let passages: Vec<Passage> = (0..)
        .zip(&texts)
        .map(|(n, text)| passage_of(n, text.clone()))
        .collect();
    let folder = tempfile::tempdir()?;
    let generation = generation_of(folder.path(), &passages, &Config::default());
    let everyone = synthetic::allowed(&generation, "all");
    let count = questions.len();
    let asked = &questions;
    let mut contestants = vec![Contestant {
        name: "bm25".to_owned(),
        remarks: BTreeMap::new(),
        runner: Runner::Ours(Box::new(move || {
            timed("queries", count, || {
                for question in asked {
                    generation.bm25(question, &everyone, DEPTH)?;
                }
                Ok(())
            })
        })),
    }];
    for engine in PEERS {
        let parameters = Parameters {
            passages: &texts,
            questions: &questions,
        };
        let (peer, _) = bench.python.start("bm25", engine, &parameters)?;
        contestants.push(Contestant {
            name: engine.to_owned(),
            remarks: BTreeMap::new(),
            runner: Runner::Peer(
                peer,
                Box::new(move |said| rate("queries", count, number(said, "seconds"))),
            ),
        });
    }
    let pair = |peer: &str| {
        (
            format!("bm25_vs_{peer}"),
            "bm25".to_owned(),
            peer.to_owned(),
            "queries",
        )
    };
    Ok(vec![bench.hold(Contest {
        subject: "bm25",
        work: format!(
            "{count} questions, {} texts, {DEPTH} hits, one thread",
            texts.len()
        ),
        contestants,
        pairs: PEERS.map(pair).into(),
    })?])
}

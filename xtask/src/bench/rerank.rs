//! The candidates of one question, on the default reranker's int8 export.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rag_core::progress::Silent;
use rag_models::catalogue::DEFAULT_CROSS_ENCODER;
use rag_models::open_cross_encoder;
use serde::Serialize;

use super::contest::{Contest, Contestant, Outcome, Runner, rate, timed};
use super::encoder::{PRECISIONS, files_of, options};
use super::python::number;
use super::{Bench, sample};

/// Candidates of a question, as fusion hands them over.
const CANDIDATES: usize = 30;

/// Words of a candidate, which together with a question are some 146 tokens.
const WORDS: usize = 90;

/// What the peer is given.
#[derive(Serialize)]
struct Parameters<'p> {
    weights: PathBuf,
    tokenizer: PathBuf,
    threads: usize,
    max_tokens: usize,
    query: &'p str,
    passages: &'p [String],
}

pub(super) fn contests(bench: &Bench<'_>) -> anyhow::Result<Vec<Outcome>> {
    let cut = |text: String| text.split_whitespace().take(WORDS).collect::<Vec<_>>().join(" ");
    let mut passages = bench.texts()?;
    passages.retain(|text| text.split_whitespace().count() >= WORDS);
    let passages: Vec<String> = sample(passages, CANDIDATES).into_iter().map(cut).collect();
    anyhow::ensure!(
        passages.len() == CANDIDATES,
        "the data set has too few long texts"
    );
    let query = sample(bench.questions()?, 1).swap_remove(0);
    let borrowed: Vec<&str> = passages.iter().map(String::as_str).collect();
    let mut contestants = Vec::new();
    let mut max_tokens = 0;
    for (name, precision) in PRECISIONS {
        let options = options(bench, precision, bench.threads);
        let model = open_cross_encoder(DEFAULT_CROSS_ENCODER, &options, &Silent)?;
        model.score(&query, &borrowed)?;
        max_tokens = model.max_tokens();
        let (query, borrowed) = (&query, &borrowed);
        contestants.push(Contestant {
            name: name.to_owned(),
            remarks: BTreeMap::new(),
            runner: Runner::Ours(Box::new(move || {
                timed("questions", 1, || {
                    model.score(query, borrowed)?;
                    Ok(())
                })
            })),
        });
    }
    let [weights, tokenizer] = files_of(bench, DEFAULT_CROSS_ENCODER)?;
    let parameters = Parameters {
        weights,
        tokenizer,
        threads: bench.threads,
        max_tokens,
        query: &query,
        passages: &passages,
    };
    let (peer, ready) = bench.python.start("rerank", "onnxruntime-int8", &parameters)?;
    contestants.push(Contestant {
        name: "ort_int8".to_owned(),
        remarks: BTreeMap::new(),
        runner: Runner::Peer(
            peer,
            Box::new(|said| rate("questions", 1, number(said, "seconds"))),
        ),
    });
    let pair = |(ours, _): (&str, _)| {
        (
            format!("rerank_{ours}_vs_ort_int8"),
            ours.to_owned(),
            "ort_int8".to_owned(),
            "questions",
        )
    };
    Ok(vec![bench.hold(Contest {
        subject: "rerank",
        work: format!(
            "{CANDIDATES} candidates of one question, {:.0} tokens each with it, {DEFAULT_CROSS_ENCODER}; ours tokenise too",
            number(&ready, "tokens") / CANDIDATES as f64
        ),
        contestants,
        pairs: PRECISIONS.map(pair).into(),
    })?])
}

//! Texts to vectors, on the default embedder's weights.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use rag_core::progress::Silent;
use rag_models::bert::EncoderOptions;
use rag_models::catalogue::{self, DEFAULT_EMBEDDER, FileKind};
use rag_models::{Embedder, ModelOptions, Precision, fetch, open_embedder};
use serde::Serialize;

use super::contest::{Contest, Contestant, Outcome, Runner, rate, timed};
use super::python::number;
use super::{Bench, sample};

/// Texts that are embedded.
const TEXTS: usize = 600;

/// Questions of a round where one at a time is embedded.
const QUESTIONS: usize = 50;

/// Most tokens of such a question.
const QUESTION_TOKENS: usize = 16;

/// Our precisions, by the names that ratios have.
pub(super) const PRECISIONS: [(&str, Precision); 3] = [
    ("f32", Precision::F32),
    ("bf16", Precision::Bf16),
    ("int8", Precision::Int8),
];

/// The peers, with the name that ratios have.
const PEERS: [(&str, &str); 4] = [
    ("onnxruntime-f32", "ort_f32"),
    ("onnxruntime-int8", "ort_int8"),
    ("openvino-f32", "openvino_f32"),
    ("openvino-bf16", "openvino_bf16"),
];

/// What peers are given.
#[derive(Serialize)]
struct Parameters<'p> {
    weights: PathBuf,
    tokenizer: PathBuf,
    work: PathBuf,
    threads: usize,
    max_tokens: usize,
    texts: &'p [String],
    /// Where the peer writes its vectors, 32-bit floats.
    vectors: PathBuf,
}

/// The weights and the tokenizer of a model of the catalogue, which must have been fetched.
pub(super) fn files_of(bench: &Bench<'_>, name: &str) -> anyhow::Result<[PathBuf; 2]> {
    let entry = catalogue::find(name).with_context(|| format!("`{name}` is not in the catalogue"))?;
    let files = fetch::locate(entry, bench.fetch())?.with_context(|| format!("fetch {name} first"))?;
    let path = |kind| files.path(kind).map(ToOwned::to_owned);
    let found = path(FileKind::Weights).zip(path(FileKind::Tokenizer));
    let (weights, tokenizer) = found.context("the model has no such files")?;
    Ok([weights, tokenizer])
}

/// How a model is opened with `precision`.
pub(super) fn options(bench: &Bench<'_>, precision: Precision, threads: usize) -> ModelOptions {
    ModelOptions {
        fetch: bench.fetch().clone(),
        encoder: EncoderOptions {
            precision,
            threads,
            ..EncoderOptions::default()
        },
    }
}

pub(super) fn contests(bench: &Bench<'_>) -> anyhow::Result<Vec<Outcome>> {
    let texts = sample(bench.texts()?, TEXTS);
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedders = PRECISIONS
        .into_iter()
        .map(|(name, precision)| {
            let options = options(bench, precision, bench.threads);
            Ok((name, open_embedder(DEFAULT_EMBEDDER, &options, &Silent)?))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let exact = embedders[0].1.embed_passages(&borrowed, &Silent)?.values;
    let tokens = tokens_of(embedders[0].1.as_ref(), &texts);
    let dimension = embedders[0].1.dimension();
    let mut contestants = Vec::new();
    for (name, embedder) in &embedders {
        let own = embedder.embed_passages(&borrowed, &Silent)?.values;
        let borrowed = &borrowed;
        contestants.push(Contestant {
            name: (*name).to_owned(),
            remarks: cosines(&exact, &own, dimension),
            runner: Runner::Ours(Box::new(move || {
                timed("tokens", tokens, || {
                    embedder.embed_passages(borrowed, &Silent)?;
                    Ok(())
                })
            })),
        });
    }
    let [weights, tokenizer] = files_of(bench, DEFAULT_EMBEDDER)?;
    for (engine, name) in PEERS {
        let vectors = bench.python.work().join(format!("{engine}.f32"));
        let parameters = Parameters {
            weights: weights.clone(),
            tokenizer: tokenizer.clone(),
            work: bench.python.work().to_owned(),
            threads: bench.threads,
            max_tokens: embedders[0].1.identity().max_tokens,
            texts: &texts,
            vectors: vectors.clone(),
        };
        let (peer, _) = bench.python.start("encoder", engine, &parameters)?;
        let own: Vec<f32> = fs_err::read(&vectors)?
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            .collect();
        contestants.push(Contestant {
            name: name.to_owned(),
            remarks: cosines(&exact, &own, dimension),
            runner: Runner::Peer(
                peer,
                Box::new(move |said| rate("tokens", tokens, number(said, "seconds"))),
            ),
        });
    }
    let names = PRECISIONS.map(|(name, _)| name);
    let pairs = names.iter().flat_map(|ours| {
        PEERS.map(|(_, peer)| {
            (
                format!("{ours}_vs_{peer}"),
                (*ours).to_owned(),
                peer.to_owned(),
                "tokens",
            )
        })
    });
    let texts_contest = Contest {
        subject: "encoder",
        work: format!(
            "{TEXTS} texts, {tokens} tokens of {DEFAULT_EMBEDDER} (at most {} each), to normalised vectors; ours tokenise too, \
             the peers are given ids",
            embedders[0].1.identity().max_tokens
        ),
        contestants,
        pairs: pairs.collect(),
    };
    Ok(vec![bench.hold(texts_contest)?, one_question(bench)?])
}

/// Single short questions on one thread, ours alone: what a question waits for its vector.
fn one_question(bench: &Bench<'_>) -> anyhow::Result<Outcome> {
    let question = "How many people live in Berlin?";
    let mut contestants = Vec::new();
    for (name, precision) in PRECISIONS {
        let embedder = open_embedder(DEFAULT_EMBEDDER, &options(bench, precision, 1), &Silent)?;
        anyhow::ensure!(
            embedder.count_tokens(question) <= QUESTION_TOKENS,
            "the question is longer"
        );
        embedder.embed_query(question)?;
        contestants.push(Contestant {
            name: name.to_owned(),
            remarks: BTreeMap::new(),
            runner: Runner::Ours(Box::new(move || {
                timed("questions", QUESTIONS, || {
                    for _ in 0..QUESTIONS {
                        embedder.embed_query(question)?;
                    }
                    Ok(())
                })
            })),
        });
    }
    bench.hold(Contest {
        subject: "question",
        work: format!("one question of at most {QUESTION_TOKENS} tokens at a time, one thread"),
        contestants,
        pairs: Vec::new(),
    })
}

/// Tokens that the model reads of `texts`, special ones included.
fn tokens_of(embedder: &dyn Embedder, texts: &[String]) -> usize {
    let most = embedder.identity().max_tokens;
    let special = most - embedder.max_tokens();
    texts
        .iter()
        .map(|text| (embedder.count_tokens(text) + special).min(most))
        .sum()
}

/// The least and the mean cosine of `own` vectors with the `exact` ones.
fn cosines(exact: &[f32], own: &[f32], dimension: usize) -> BTreeMap<String, f64> {
    let cosine = |(a, b): (&[f32], &[f32])| -> f64 {
        let dot: f64 = a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
        let norm = |v: &[f32]| v.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        dot / (norm(a) * norm(b))
    };
    let rows = exact.chunks_exact(dimension).zip(own.chunks_exact(dimension));
    let all: Vec<f64> = rows.map(cosine).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let least = all.into_iter().fold(1.0, f64::min);
    BTreeMap::from([("least cosine".to_owned(), least), ("mean".to_owned(), mean)])
}

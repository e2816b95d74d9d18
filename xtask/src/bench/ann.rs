//! Nearest vectors: our graph and our scan, against libraries for approximate search.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::time::Instant;

use rag_benches::synthetic::{self, Cloud, DIMENSION};
use rag_index::{AllowedSet, Config, Generation, GraphConfig, SearchConfig};
use serde::Serialize;

use super::Bench;
use super::contest::{Contest, Contestant, Outcome, Runner, rate, timed};
use super::python::number;

/// Vectors that are searched for.
const QUERIES: usize = 200;

/// Hits of a search.
const DEPTH: usize = 10;

/// Recall that a search must reach; of the widths that do, the narrowest is timed.
const RECALL: f64 = 0.95;

/// Candidates that a search keeps, as tried.
const WIDTHS: [u32; 9] = [10, 16, 24, 32, 48, 64, 128, 256, 512];

const PEERS: [&str; 3] = ["hnswlib", "usearch", "faiss"];

/// What peers are given.
#[derive(Serialize)]
struct Parameters {
    vectors: PathBuf,
    queries: PathBuf,
    dimension: usize,
    connections: u32,
    ef_construction: u32,
    threads: usize,
    widths: [u32; WIDTHS.len()],
    recall: f64,
}

/// Our leg as the planner never may use it: always by the graph, or always by the scan.
fn forced(ef: u32, graph_cost: f32) -> SearchConfig {
    SearchConfig {
        ef,
        graph_cost,
        ..SearchConfig::default()
    }
}

pub(super) fn contests(bench: &Bench<'_>) -> anyhow::Result<Vec<Outcome>> {
    let count = bench.args.vectors.get();
    let cloud = Cloud::new(count);
    let queries: Vec<Vec<f32>> = (0..QUERIES as u64).map(|n| cloud.vector((1 << 40) + n)).collect();
    let files = ["vectors", "queries"].map(|name| bench.python.work().join(format!("{name}.f32")));
    let stored = (0..count as u64).flat_map(|n| cloud.vector(n));
    write(&files[0], stored)?;
    write(&files[1], queries.iter().flatten().copied())?;

    let folder = tempfile::tempdir()?;
    let config = Config {
        graph: GraphConfig {
            min_passages: 0,
            ..GraphConfig::default()
        },
        ..Config::default()
    };
    let started = Instant::now();
    drop(synthetic::generation(folder.path(), count, 1, &config));
    let built = started.elapsed().as_secs_f64();
    let scan = synthetic::reopen(folder.path(), &forced(1, 1e6));
    let everyone = synthetic::allowed(&scan, "all");
    let exact = queries
        .iter()
        .map(|query| found(&scan, query, &everyone))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut graph = None;
    for ef in WIDTHS {
        let generation = synthetic::reopen(folder.path(), &forced(ef, 0.0));
        let recall = recall(&generation, &queries, &everyone, &exact)?;
        graph = Some((generation, ef, recall));
        if recall >= RECALL {
            break;
        }
    }
    let mut contestants = Vec::new();
    if let Some((generation, ef, recall)) = graph {
        let remarks = BTreeMap::from([
            ("recall".to_owned(), recall),
            ("kept".to_owned(), f64::from(ef)),
            ("seconds to build the whole index".to_owned(), built),
        ]);
        contestants.push(ours("graph", remarks, generation, &everyone, &queries));
    }
    let remarks = BTreeMap::from([("recall".to_owned(), 1.0)]);
    contestants.push(ours("scan", remarks, scan, &everyone, &queries));
    for engine in PEERS {
        let parameters = Parameters {
            vectors: files[0].clone(),
            queries: files[1].clone(),
            dimension: DIMENSION,
            connections: config.graph.connections,
            ef_construction: config.graph.ef_construction,
            threads: bench.threads,
            widths: WIDTHS,
            recall: RECALL,
        };
        let (peer, ready) = bench.python.start("ann", engine, &parameters)?;
        let remarks = [
            ("recall", "recall"),
            ("kept", "width"),
            ("seconds to build", "build_seconds"),
        ];
        contestants.push(Contestant {
            name: engine.to_owned(),
            remarks: remarks
                .map(|(name, field)| (name.to_owned(), number(&ready, field)))
                .into(),
            runner: Runner::Peer(
                peer,
                Box::new(|said| rate("queries", QUERIES, number(said, "seconds"))),
            ),
        });
    }
    let pairs = ["graph", "scan"].into_iter().flat_map(|ours| {
        PEERS.map(|peer| {
            (
                format!("ann_{ours}_vs_{peer}"),
                ours.to_owned(),
                peer.to_owned(),
                "queries",
            )
        })
    });
    Ok(vec![bench.hold(Contest {
        subject: "ann",
        work: format!(
            "{DEPTH} nearest of {count} clustered unit vectors of {DIMENSION} numbers, one thread, recall at least {RECALL}"
        ),
        contestants,
        pairs: pairs.collect(),
    })?])
}

fn ours<'c>(
    name: &str,
    remarks: BTreeMap<String, f64>,
    generation: Generation,
    everyone: &'c AllowedSet,
    queries: &'c [Vec<f32>],
) -> Contestant<'c> {
    Contestant {
        name: name.to_owned(),
        remarks,
        runner: Runner::Ours(Box::new(move || {
            timed("queries", queries.len(), || {
                for query in queries {
                    generation.dense(query, everyone, DEPTH)?;
                }
                Ok(())
            })
        })),
    }
}

fn found(generation: &Generation, query: &[f32], everyone: &AllowedSet) -> anyhow::Result<HashSet<u32>> {
    let hits = generation.dense(query, everyone, DEPTH)?;
    Ok(hits.into_iter().map(|hit| hit.ordinal).collect())
}

fn recall(
    generation: &Generation,
    queries: &[Vec<f32>],
    everyone: &AllowedSet,
    exact: &[HashSet<u32>],
) -> anyhow::Result<f64> {
    let mut hits = 0;
    for (query, exact) in queries.iter().zip(exact) {
        hits += found(generation, query, everyone)?.intersection(exact).count();
    }
    let wanted: usize = exact.iter().map(HashSet::len).sum();
    Ok(hits as f64 / wanted.max(1) as f64)
}

fn write(path: &PathBuf, numbers: impl Iterator<Item = f32>) -> anyhow::Result<()> {
    let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
    Ok(fs_err::write(path, bytes)?)
}

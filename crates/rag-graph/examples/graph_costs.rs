//! What the graph costs and finds: on a synthetic collection, on a BEIR corpus, on documents with gold entities.
//!
//! ```text
//! cargo run -p rag-graph --example graph_costs -- synthetic 100000
//! cargo run -p rag-graph --example graph_costs -- corpus SCIFACT/corpus.jsonl
//! cargo run -p rag-graph --example graph_costs -- gold REDOCRED/dev.jsonl
//! ```
//!
//! `gold` expects lines with `title`, `sentences`, `entities` (`type`, `names`) and `relations` (`h`, `t`), and
//! counts an entity as found when the graph has one of its names as an entity, and a related pair as connected
//! when an edge joins its two ends.

#![expect(clippy::print_stdout, reason = "a measuring program shows what it measured")]
#![allow(clippy::unwrap_used, reason = "it stops at what it did not expect")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use rag_core::access::Principal;
use rag_core::filter::Filter;
use rag_core::passage::Passage;
use rag_core::question::Question;
use rag_graph::{Currency, Gazetteer, Graph, RuleExtractor, SearchConfig, View};
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["synthetic", size] => synthetic(size.parse().unwrap()),
        ["corpus", file] => corpus(file),
        ["gold", file] => gold(file),
        _ => println!("give: synthetic N, corpus FILE, or gold FILE"),
    }
}

fn passage(id: &str, title: &str, text: &str) -> Passage {
    let span = serde_json::json!({ "start": 0, "end": text.len() });
    serde_json::from_value(serde_json::json!({
        "id": format!("{id}#0"), "title": title, "source": id, "updated": null, "department": null, "language": "en",
        "access": ["everyone"], "span": span, "parent": span, "text": text, "tokens": 1,
    }))
    .unwrap()
}

fn built(passages: Vec<Passage>) -> (Graph, f64) {
    let started = Instant::now();
    let extractor = RuleExtractor::new(Gazetteer::default());
    let graph = Graph::from_passages(passages, &extractor, &SearchConfig::default()).unwrap();
    (graph, started.elapsed().as_secs_f64())
}

fn everyone(graph: &Graph) -> std::sync::Arc<View> {
    graph.view(&Principal::everyone(), &Filter::default(), Currency::All)
}

/// Most memory that the process had, in MiB, where the system tells.
fn peak_mib() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap_or("0");
    line.split_whitespace()
        .next()
        .and_then(|kib| kib.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

fn percentiles(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    format!("p50 {:.2} ms, p95 {:.2} ms", at(50), at(95))
}

fn timed(count: usize, mut act: impl FnMut(usize)) -> String {
    let times = (0..count).map(|index| {
        let started = Instant::now();
        act(index);
        started.elapsed().as_secs_f64() * 1e3
    });
    percentiles(times.collect())
}

fn report(graph: &Graph, seconds: f64) -> std::sync::Arc<View> {
    let started = Instant::now();
    let view = everyone(graph);
    let counts = view.counts();
    println!(
        "{} passages, {} entities, {} connections: built in {seconds:.1} s, view in {:.0} ms, peak {} MiB",
        counts.passages,
        counts.entities,
        counts.connections,
        started.elapsed().as_secs_f64() * 1e3,
        peak_mib()
    );
    view
}

/// `size` passages about names that follow Zipf's law, as names do.
fn synthetic(size: usize) {
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let names = size / 2;
    let name = |random: &mut dyn FnMut(usize) -> usize| {
        let skewed = (names as f64).powf(random(10_000) as f64 / 10_000.0) as usize;
        format!("Name{}", skewed + random(3))
    };
    let passages = (0..size).map(|at| {
        let sentences: Vec<String> = (0..4)
            .map(|_| {
                format!(
                    "Here {} requires {} beside {}.",
                    name(&mut random),
                    name(&mut random),
                    name(&mut random)
                )
            })
            .collect();
        passage(&format!("d{at}"), &name(&mut random), &sentences.join(" "))
    });
    let (graph, seconds) = built(passages.collect());
    let view = report(&graph, seconds);
    let names: Vec<String> = view.entities().map(|(_, entity)| entity.name.clone()).collect();
    let entity = |index: usize| names[index * 37 % names.len()].as_str();
    let asked = |index: usize| {
        format!(
            "What does {} have to do with {}?",
            entity(index),
            entity(index * 7 + 3)
        )
    };
    let question = |index: usize| Question::new("1", asked(index), Principal::everyone());
    println!(
        "walk to 30 passages: {}",
        timed(200, |index| drop(view.local(&question(index), &[], 30).unwrap()))
    );
    let found = |index: usize| view.find(entity(index));
    let neighbours = |index| found(index).map(|id| view.neighbours(id, 10).unwrap());
    println!("neighbours: {}", timed(200, |index| drop(neighbours(index))));
    let paths = |index: usize| Some(view.paths(found(index)?, found(index * 7 + 3)?, 1).unwrap());
    println!("paths: {}", timed(200, |index| drop(paths(index))));
    println!(
        "answers: {}",
        timed(200, |index| drop(view.answer(&asked(index), 10).unwrap()))
    );
    let started = Instant::now();
    let communities = view.communities().groups().len();
    println!(
        "{communities} communities in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    println!("peak {} MiB", peak_mib());
}

fn lines(file: &str) -> Vec<Value> {
    let text = fs_err::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn corpus(file: &str) {
    let field = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let lines = lines(file);
    let passages = lines
        .iter()
        .map(|line| passage(&field(line, "_id"), &field(line, "title"), &field(line, "text")));
    let (graph, seconds) = built(passages.collect());
    report(&graph, seconds);
}

/// Found and counted.
#[derive(Default)]
struct Share {
    found: usize,
    of: usize,
}

impl Share {
    fn count(&mut self, is_found: bool) {
        self.of += 1;
        self.found += usize::from(is_found);
    }

    fn shown(&self) -> String {
        format!(
            "{:.3} ({} of {})",
            self.found as f64 / self.of.max(1) as f64,
            self.found,
            self.of
        )
    }
}

fn gold(file: &str) {
    let mut by_type: BTreeMap<String, Share> = BTreeMap::new();
    let (mut precise, mut connected, mut stated) = (Share::default(), Share::default(), Share::default());
    for document in lines(file) {
        let sentences: Vec<&str> = document["sentences"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let text = sentences.join("\n");
        let (graph, _) = built(vec![passage("d", document["title"].as_str().unwrap(), &text)]);
        let view = everyone(&graph);
        let mut gold = BTreeSet::new();
        let mut ids = Vec::new();
        for entity in document["entities"].as_array().unwrap() {
            let names = entity["names"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str);
            let id = names.clone().find_map(|name| view.find(name));
            gold.extend(names.filter_map(|name| view.find(name)));
            by_type
                .entry(entity["type"].as_str().unwrap().to_owned())
                .or_default()
                .count(id.is_some());
            ids.push(id);
        }
        for (id, _) in view.entities() {
            precise.count(gold.contains(&id));
        }
        let end = |relation: &Value, name: &str| ids[relation[name].as_u64().unwrap() as usize];
        let pairs: BTreeSet<_> = document["relations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|relation| (end(relation, "h"), end(relation, "t")))
            .collect();
        for (head, tail) in pairs {
            let edge = head.zip(tail).and_then(|(head, tail)| {
                let name = &view.entity(tail).name;
                view.neighbours(head, 10_000)
                    .unwrap()
                    .into_iter()
                    .find(|edge| edge.other == *name)
            });
            connected.count(edge.is_some());
            let is_stated = edge.is_some_and(|edge| {
                edge.predicate != "mentioned with" && !edge.predicate.starts_with("in the")
            });
            stated.count(is_stated);
        }
    }
    for (kind, share) in &by_type {
        println!("entities {kind:5} recall {}", share.shown());
    }
    let (mut named, mut all) = (Share::default(), Share::default());
    for (kind, share) in &by_type {
        all.found += share.found;
        all.of += share.of;
        if !matches!(kind.as_str(), "TIME" | "NUM") {
            named.found += share.found;
            named.of += share.of;
        }
    }
    println!(
        "entities recall {}; without TIME and NUM {}",
        all.shown(),
        named.shown()
    );
    println!("entities precision {}", precise.shown());
    println!(
        "related pairs with an edge {}; with a stated predicate {}",
        connected.shown(),
        stated.shown()
    );
}

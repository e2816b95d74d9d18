//! Tests of the batch: that it does no work twice, and that an update is a rebuild.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use rag_core::access::Principal;
use rag_core::filter::Filter;
use rag_core::progress::Silent;

use super::*;
use crate::config::{Currency, SearchConfig};
use crate::extract::{Gazetteer, RuleExtractor};
use crate::graph::Graph;
use crate::testing::passage;

/// Texts by document; each becomes one passage per sentence.
type Corpus = BTreeMap<String, String>;

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn chunk(&self, corpus: &Corpus) {
        let passages: Vec<Passage> = corpus
            .iter()
            .flat_map(|(id, text)| {
                let sentences = text.split_inclusive(". ").enumerate();
                sentences.map(move |(at, text)| passage(&format!("{id}#{at}"), text))
            })
            .collect();
        let key = StageKey::new(stage::CHUNK, 1, &passages);
        let writer = ArtifactWriter::begin(&self.path("chunked"), key).unwrap();
        jsonl::write_all(&writer.path(PASSAGES_FILE), &passages).unwrap();
        writer.publish(Outcome::default()).unwrap();
    }

    fn parse(&self, lines: &str) {
        let writer =
            ArtifactWriter::begin(&self.path("parsed"), StageKey::new(stage::PARSE, 1, &lines)).unwrap();
        fs_err::write(writer.path(DOCUMENTS_FILE), lines).unwrap();
        writer.publish(Outcome::default()).unwrap();
    }

    fn run(&self, output: &str, extractor: &dyn Extractor, documents: Option<&Path>) -> Outcome {
        let tools = Tools {
            extractor,
            documents,
            progress: &Silent,
        };
        run(&self.path("chunked"), &self.path(output), &tools).unwrap()
    }

    fn files(&self, output: &str) -> Vec<Vec<u8>> {
        [FACTS_FILE, PASSAGES_FILE, TABLES_FILE]
            .iter()
            .map(|name| fs_err::read(self.path(output).join(name)).unwrap())
            .collect()
    }
}

fn rules() -> RuleExtractor {
    RuleExtractor::new(Gazetteer::default())
}

fn corpus(entries: &[(&str, &str)]) -> Corpus {
    entries
        .iter()
        .map(|(id, text)| ((*id).to_owned(), (*text).to_owned()))
        .collect()
}

#[test]
fn only_changed_passages_are_read_again() {
    let bench = Bench::new();
    bench.chunk(&corpus(&[
        ("a", "We know Osier requires Tarn. "),
        ("b", "Stop Weald. "),
    ]));
    let first = bench.run("graph", &rules(), None);
    assert_eq!((first.seen, first.written), (2, 2));
    assert_eq!(bench.run("graph", &rules(), None).reused, 2);
    bench.chunk(&corpus(&[
        ("a", "We know Osier requires Tarn. "),
        ("b", "Stop Nidd. "),
    ]));
    let second = bench.run("graph", &rules(), None);
    assert_eq!((second.seen, second.reused, second.written), (2, 1, 1));
}

#[test]
fn a_superseded_document_is_left_out_where_its_successor_may_be_read() {
    let bench = Bench::new();
    bench.chunk(&corpus(&[
        ("new", "We know Osier requires Tarn. "),
        ("old", "We know Osier requires Weald. "),
    ]));
    bench.parse("{\"id\":\"new\",\"supersedes\":\"old\"}\n{\"id\":\"old\"}\n");
    bench.run("graph", &rules(), Some(&bench.path("parsed")));
    let graph = Graph::open(&bench.path("graph"), &SearchConfig::default()).unwrap();
    let has_weald = |currency| {
        let view = graph.view(&Principal::everyone(), &Filter::default(), currency);
        view.find("Weald").is_some()
    };
    assert!(!has_weald(Currency::Current));
    assert!(has_weald(Currency::All));
}

/// Fails on the first passage that it sees.
struct Failing(AtomicUsize);

impl Extractor for Failing {
    fn identity(&self) -> String {
        "failing".to_owned()
    }

    fn extract(&self, passage: &Passage) -> Result<Facts, GraphError> {
        if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
            return Err(GraphError::Draft {
                passage: passage.id.clone(),
                reason: "no answer".to_owned(),
            });
        }
        rules().extract(passage)
    }
}

#[test]
fn a_failed_passage_is_counted_and_tried_again() {
    let bench = Bench::new();
    bench.chunk(&corpus(&[("a", "Stop Osier. "), ("b", "Stop Weald. ")]));
    let extractor = Failing(AtomicUsize::new(0));
    let first = bench.run("graph", &extractor, None);
    assert_eq!((first.written, first.quarantined), (1, 1));
    let second = bench.run("graph", &extractor, None);
    assert_eq!((second.reused, second.written, second.quarantined), (1, 1, 0));
}

fn changes() -> impl Strategy<Value = Vec<(String, Option<String>)>> {
    let name = prop::sample::select(vec!["Osier", "Tarn", "Weald", "Ruth Amsel", "Amsel", "PX-1"]);
    let sentence = (name.clone(), name).prop_map(|(a, b)| format!("We know {a} requires {b}. "));
    let text = prop::collection::vec(sentence, 1..4).prop_map(|sentences| sentences.concat());
    let document = prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned);
    prop::collection::vec((document, prop::option::weighted(0.8, text)), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// After any series of added, changed and removed documents the files are byte for byte those of a graph
    /// that was built at once.
    #[test]
    fn an_updated_graph_equals_a_rebuilt_one(changes in changes()) {
        let bench = Bench::new();
        let mut corpus = Corpus::new();
        for (document, text) in changes {
            match text {
                Some(text) => drop(corpus.insert(document, text)),
                None => drop(corpus.remove(&document)),
            }
            bench.chunk(&corpus);
            bench.run("updated", &rules(), None);
        }
        bench.run("rebuilt", &rules(), None);
        prop_assert_eq!(bench.files("updated"), bench.files("rebuilt"));
    }
}

//! The truncation ledger: tokens that lay beyond the embedder's, the reranker's and the context's limit.

use std::collections::BTreeSet;

use rag_core::artifact::Artifact;
use rag_core::hit::Hit;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::{Progress, Unit};
use rag_core::stage;
use rag_eval::answers::Label;
use rag_eval::audits::{Component, Cut, Of, TruncationReport};
use rag_generate::assemble;
use rag_rerank::Reranker;

use crate::engine::Engine;
use crate::error::PipelineError;
use crate::store::Store;

/// Name of the step in progress reports.
const TASK: &str = "truncation";

/// Passages handed to the reranker's tokenizer at a time.
const WINDOW: usize = 256;

/// Measures every passage of `store` against every limit, and with `labels` the passages that answer: those of the
/// documents that a label names, each with its question, and those that the context had no room for.
pub fn audit_truncation(
    store: &Store,
    engine: &Engine,
    labels: &[Label],
    progress: &dyn Progress,
) -> Result<TruncationReport, PipelineError> {
    let chunked = Artifact::open(&store.chunked(), stage::CHUNK)?;
    let passages: Vec<Passage> = chunked.json_lines(PASSAGES_FILE)?.collect::<Result<_, _>>()?;
    progress.start(TASK, Some((passages.len() + labels.len()) as u64), Unit::Items);
    let ledger = TruncationLedger {
        engine,
        passages: &passages,
        labels,
        progress,
    };
    let mut lines = ledger.embedder();
    if engine.reranks() {
        let of_reranker = |reranker: &dyn Reranker| ledger.reranker(reranker);
        lines.extend(engine.reader().with_reranker(of_reranker)?);
    }
    lines.extend(ledger.context()?);
    progress.finish(TASK);
    lines.retain(|line| line.looked_at > 0);
    Ok(TruncationReport { lines })
}

struct TruncationLedger<'l> {
    engine: &'l Engine,
    passages: &'l [Passage],
    labels: &'l [Label],
    progress: &'l dyn Progress,
}

impl TruncationLedger<'_> {
    /// Every passage that answers, once for each question.
    fn gold(&self) -> impl Iterator<Item = (&Label, Vec<&Passage>)> {
        self.labels.iter().map(|label| {
            let relevant: BTreeSet<&str> = label.relevant.iter().map(String::as_str).collect();
            let answers = |passage: &&Passage| relevant.contains(passage.document_id().as_str());
            (label, self.passages.iter().filter(answers).collect())
        })
    }

    fn embedder(&self) -> Vec<Cut> {
        let embedder = self.engine.embedder();
        let limit = embedder.max_tokens();
        let beyond = |text: &str| embedder.count_tokens(text).saturating_sub(limit);
        let line = |of| Cut::new(Component::Embedder, of, limit);
        let (mut all, mut gold, mut asked) =
            (line(Of::Passages), line(Of::GoldPassages), line(Of::Questions));
        for passage in self.passages {
            all.count(&passage.id, beyond(&passage.index_text()));
            self.progress.advance(TASK, 1);
        }
        let answering: BTreeSet<_> = self
            .gold()
            .flat_map(|(_, passages)| passages)
            .map(|p| &p.id)
            .collect();
        for passage in self
            .passages
            .iter()
            .filter(|passage| answering.contains(&passage.id))
        {
            gold.count(&passage.id, beyond(&passage.index_text()));
        }
        for label in self.labels {
            asked.count(&label.question.id, beyond(&label.question.text));
        }
        vec![all, gold, asked]
    }

    /// All passages are paired with the longest question, since room is what a question leaves.
    fn reranker(&self, reranker: &dyn Reranker) -> Vec<Cut> {
        let limit = self
            .engine
            .reader()
            .cross_encoder()
            .map_or(0, rag_models::CrossEncoder::max_tokens);
        let line = |of| Cut::new(Component::Reranker, of, limit);
        let (mut all, mut gold, mut asked) =
            (line(Of::Passages), line(Of::GoldPassages), line(Of::Questions));
        let texts = self.labels.iter().map(|label| label.question.text.as_str());
        let longest = texts.max_by_key(|text| text.len()).unwrap_or_default();
        let every: Vec<&Passage> = self.passages.iter().collect();
        read(&mut all, reranker, longest, &every);
        for (label, passages) in self.gold() {
            let question = label.question.text.as_str();
            read(&mut gold, reranker, question, &passages);
            let probe = reranker.reading(question, &every[..every.len().min(1)]);
            let cut = probe.first().map_or(0, |reading| reading.truncated_query_tokens);
            asked.count(&label.question.id, cut);
        }
        vec![all, gold, asked]
    }

    fn context(&self) -> Result<Vec<Cut>, PipelineError> {
        let engine = self.engine;
        let config = &engine.settings().generate.context;
        let count_tokens = |text: &str| engine.embedder().count_tokens(text);
        let line = |of| Cut::new(Component::Context, of, config.max_tokens);
        let (mut all, mut kept, mut gold) = (
            line(Of::Passages),
            line(Of::KeptPassages),
            line(Of::KeptGoldPassages),
        );
        let beyond = |question: &str, hits: &[Hit], hit: &Hit| {
            let context = assemble(question, hits, config, &count_tokens);
            let is_in = context.hits.iter().any(|own| own.passage.id == hit.passage.id);
            if is_in { 0 } else { count_tokens(&hit.passage.text) }
        };
        for passage in self.passages {
            let hit = Hit::new(1, 0.0, passage.clone());
            all.count(&passage.id, beyond("", std::slice::from_ref(&hit), &hit));
        }
        for label in self.labels {
            let ranking = engine.rank(&label.question, engine.way(), engine.settings().rerank.keep)?;
            let ranking = engine.expand(ranking)?;
            for hit in &ranking.hits {
                let tokens = beyond(&ranking.question.text, &ranking.hits, hit);
                kept.count(&hit.passage.id, tokens);
                if label
                    .relevant
                    .iter()
                    .any(|id| id == hit.passage.document_id().as_str())
                {
                    gold.count(&hit.passage.id, tokens);
                }
            }
            self.progress.advance(TASK, 1);
        }
        Ok(vec![all, kept, gold])
    }
}

fn read(line: &mut Cut, reranker: &dyn Reranker, question: &str, passages: &[&Passage]) {
    for passages in passages.chunks(WINDOW) {
        for (passage, reading) in passages.iter().zip(reranker.reading(question, passages)) {
            line.count(&passage.id, reading.truncated_tokens);
            line.in_windows += usize::from(reading.windows > 1);
        }
    }
}

//! Questions with their labels, and the features of every sentence that could answer them.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context as _;
use rag_core::artifact::{Artifact, jsonl};
use rag_core::hit::{HITS_FILE, Ranking};
use rag_generate::{Config, Decision, ExtractiveGenerator, Features, assemble};
use serde::Deserialize;

/// A labelled question and what could answer it.
#[derive(Clone)]
pub(crate) struct Asked {
    /// Whether the collection answers it.
    pub(crate) answerable: bool,
    /// Features of each sentence of the context, and whether it holds an accepted answer.
    pub(crate) sentences: Vec<(Features, bool)>,
}

impl Asked {
    /// Whether the sentence that `decision` likes best is right, and its log-odds.
    pub(crate) fn best(&self, decision: &Decision) -> (bool, f32) {
        self.sentences
            .iter()
            .map(|(features, is_right)| (*is_right, decision.log_odds(features)))
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((false, f32::NEG_INFINITY))
    }
}

#[derive(Deserialize)]
struct Label {
    #[serde(alias = "_id")]
    id: String,
    answers: Vec<String>,
    answerable: bool,
    #[serde(default)]
    kind: String,
}

/// Reads the rankings of the artifact at `hits` and looks at every `every`th with `generator`.
///
/// Questions that are decided otherwise are left out: small talk, those that are split into parts, and,
/// when there is a cross-encoder, those in languages that it does not serve.
pub(crate) fn read(
    hits: &Path,
    labels: &Path,
    generator: &ExtractiveGenerator<'_>,
    config: &Config,
    every: usize,
) -> anyhow::Result<Vec<Asked>> {
    let labels: HashMap<String, Label> = jsonl::Reader::<Label>::open(labels)?
        .map(|label| label.map(|label| (label.id.clone(), label)))
        .collect::<Result<_, _>>()?;
    let artifact = Artifact::open(hits, "rerank").or_else(|_| Artifact::open(hits, "retrieve"))?;
    let rankings = artifact.json_lines::<Ranking>(HITS_FILE)?;
    let mut found = Vec::new();
    for ranking in rankings.step_by(every) {
        let ranking = ranking?;
        let id = &ranking.question.id;
        let label = labels
            .get(id)
            .with_context(|| format!("question {id} has no label"))?;
        let text = &ranking.question.text;
        let is_single = ranking.question.sub_questions.is_empty() && label.kind != "small-talk";
        if !is_single || (generator.has_model() && !generator.asks_model(text)) {
            continue;
        }
        let context = assemble(text, &ranking.hits, &config.context, &|text| text.len() / 4);
        let scored = generator.rank(text, &context, &mut Vec::new())?;
        let sentences = scored
            .iter()
            .map(|scored| {
                (
                    scored.features,
                    holds_answer(scored.candidate.text(&context), &label.answers),
                )
            })
            .collect();
        found.push(Asked {
            answerable: label.answerable,
            sentences,
        });
    }
    Ok(found)
}

/// Compared without case and with white space collapsed.
fn holds_answer(text: &str, answers: &[String]) -> bool {
    let plain = |text: &str| {
        text.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase()
    };
    let text = plain(text);
    answers.iter().any(|answer| text.contains(&plain(answer)))
}

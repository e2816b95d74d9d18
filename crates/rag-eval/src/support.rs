//! Data sets that say whether a text supports a claim: for fitting and judging the check of citations.

use std::collections::HashMap;
use std::path::Path;

use rag_core::artifact::{Digest, jsonl};
use rag_core::language::Language;
use rag_core::text::Analyzer;
use serde::Deserialize;

use crate::error::EvalError;

/// The sets that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupportSet {
    /// `dev.jsonl` with claim, references and label (Li et al., 2024).
    AttributionBench,
    /// `dev.jsonl` with document, summary and label: most summaries have one edited detail (Laban et al., 2023).
    SummEdits,
    /// `verify_labels.jsonl` and `sentences.jsonl`: claims and abstracts (Wadden et al., 2020).
    SciFact,
}

impl SupportSet {
    /// Its name, as commands take it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AttributionBench => "attributionbench",
            Self::SummEdits => "summedits",
            Self::SciFact => "scifact",
        }
    }
}

impl std::str::FromStr for SupportSet {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::AttributionBench, Self::SummEdits, Self::SciFact]
            .into_iter()
            .find(|set| set.name() == name)
            .ok_or_else(|| format!("`{name}` is none of attributionbench, summedits, scifact"))
    }
}

/// What a labelled claim is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Numbers may be fitted on it.
    Fit,
    /// Figures are taken on it.
    Held,
}

/// A claim with a text, and whether the one supports the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledClaim {
    /// What it may be used for. Claims about one question or document are always of the same part.
    pub part: Part,
    /// The claim.
    pub claim: String,
    /// The text.
    pub source: String,
    /// The label.
    pub is_supported: bool,
}

/// Reads the set in `folder`: at most `limit` claims, those of the lowest digests, which is an even sample.
pub fn read(set: SupportSet, folder: &Path, limit: usize) -> Result<Vec<LabelledClaim>, EvalError> {
    let mut found = match set {
        SupportSet::AttributionBench => attributions(folder)?,
        SupportSet::SummEdits => summaries(folder)?,
        SupportSet::SciFact => abstracts(folder)?,
    };
    found.sort_by_cached_key(|row| {
        Digest::of(format!("{}\n{}", row.claim, row.source).as_bytes()).to_string()
    });
    found.truncate(limit);
    Ok(found)
}

/// Plain lexical overlap: the share of the terms of `claim` that `source` has anywhere, from 0 to 1.
pub fn overlap(claim: &str, source: &str) -> f32 {
    let analyzer = Analyzer::new(Language::detect(source));
    let (own, other) = (analyzer.term_set(claim), analyzer.term_set(source));
    own.intersection(&other).count() as f32 / own.len().max(1) as f32
}

/// The half that all claims about `group` belong to.
fn part(group: &str) -> Part {
    let digest = Digest::of(group.as_bytes()).to_string();
    if digest.as_bytes().first().is_some_and(|digit| digit % 2 == 0) {
        Part::Fit
    } else {
        Part::Held
    }
}

#[derive(Deserialize)]
struct Attribution {
    question: String,
    claim: String,
    references: Vec<String>,
    label: String,
}

fn attributions(folder: &Path) -> Result<Vec<LabelledClaim>, EvalError> {
    let rows: Vec<Attribution> = jsonl::read_all(&folder.join("dev.jsonl"))?;
    let labelled = rows.into_iter().map(|row| LabelledClaim {
        part: part(&row.question),
        claim: row.claim,
        source: row.references.join("\n\n"),
        is_supported: row.label == "attributable",
    });
    Ok(labelled.collect())
}

#[derive(Deserialize)]
struct Edited {
    doc: String,
    summary: String,
    label: String,
}

fn summaries(folder: &Path) -> Result<Vec<LabelledClaim>, EvalError> {
    let rows: Vec<Edited> = jsonl::read_all(&folder.join("dev.jsonl"))?;
    let labelled = rows.into_iter().map(|row| LabelledClaim {
        part: part(&row.doc),
        claim: row.summary,
        source: row.doc,
        is_supported: row.label == "consistent",
    });
    Ok(labelled.collect())
}

#[derive(Deserialize)]
struct Judged {
    claim: String,
    doc_id: String,
    label: String,
    rationale_sentences: Vec<usize>,
}

#[derive(Deserialize)]
struct Abstract {
    #[serde(rename = "_id")]
    id: String,
    sentences: Vec<String>,
}

/// A claim and an abstract that supports or contradicts it. What is left of a supporting abstract without the
/// sentences that support it is a text that does not.
fn abstracts(folder: &Path) -> Result<Vec<LabelledClaim>, EvalError> {
    let abstracts: Vec<Abstract> = jsonl::read_all(&folder.join("sentences.jsonl"))?;
    let abstracts: HashMap<String, Vec<String>> = abstracts
        .into_iter()
        .map(|found| (found.id, found.sentences))
        .collect();
    let rows: Vec<Judged> = jsonl::read_all(&folder.join("verify_labels.jsonl"))?;
    let mut labelled = Vec::new();
    for row in rows {
        let Some(sentences) = abstracts.get(&row.doc_id) else {
            continue;
        };
        let is_supported = row.label == "SUPPORT";
        let claim = |source: String, is_supported| LabelledClaim {
            part: part(&row.claim),
            claim: row.claim.clone(),
            source,
            is_supported,
        };
        labelled.push(claim(sentences.join(" "), is_supported));
        if is_supported {
            let others = sentences.iter().enumerate();
            let others = others.filter(|(at, _)| !row.rationale_sentences.contains(at));
            let others: Vec<&str> = others.map(|(_, sentence)| sentence.as_str()).collect();
            labelled.push(claim(others.join(" "), false));
        }
    }
    Ok(labelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each claim of the set that these files make, with its text and label.
    fn check(set: SupportSet, files: &[(&str, &str)], expected: &[(&str, &str, bool)]) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs_err::write(folder.path().join(name), text).unwrap();
        }
        let mut found = read(set, folder.path(), 10).unwrap();
        found.sort_by(|a, b| b.source.cmp(&a.source));
        let found: Vec<(&str, &str, bool)> = found
            .iter()
            .map(|row| (row.claim.as_str(), row.source.as_str(), row.is_supported))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(read(set, folder.path(), 1).unwrap().len(), 1);
    }

    #[test]
    fn each_set_is_read_in_its_own_form() {
        check(
            SupportSet::AttributionBench,
            &[(
                "dev.jsonl",
                r#"{"question":"Q","claim":"C","references":["A","B"],"label":"not attributable"}"#,
            )],
            &[("C", "A\n\nB", false)],
        );
        check(
            SupportSet::SummEdits,
            &[("dev.jsonl", r#"{"doc":"D","summary":"S","label":"consistent"}"#)],
            &[("S", "D", true)],
        );
        check(
            SupportSet::SciFact,
            &[
                ("sentences.jsonl", r#"{"_id":"7","sentences":["One.","Two."]}"#),
                (
                    "verify_labels.jsonl",
                    r#"{"claim":"C","doc_id":"7","label":"SUPPORT","rationale_sentences":[1]}"#,
                ),
            ],
            &[("C", "One. Two.", true), ("C", "One.", false)],
        );
    }

    #[test]
    fn overlap_counts_the_terms_of_the_claim() {
        assert_eq!(overlap("Blue tunnels", "A tunnel is grey. Blue it is not."), 1.0);
        assert_eq!(overlap("Blue tunnels", "A red tunnel."), 0.5);
        assert_eq!(overlap("", "A red tunnel."), 0.0);
    }

    #[test]
    fn claims_about_one_thing_stay_together_and_both_halves_are_used() {
        let parts: Vec<Part> = (0..64).map(|n| part(&format!("question {n}"))).collect();
        assert!(parts.contains(&Part::Fit) && parts.contains(&Part::Held));
        assert_eq!(part("question 1"), parts[1]);
    }
}

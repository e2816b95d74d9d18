//! How passages, answers and counts look in a terminal.

pub(crate) mod graph;

use std::fmt::Write;

use rag_core::answer::{Answer, Citation, CitationStatus};
use rag_core::diagnostic::{Diagnostic, Severity};
use rag_core::hit::{Hit, Placement, Ranking};
use rag_core::passage::Passage;

use crate::print::plain;

/// Characters of a passage that a search result shows.
const EXCERPT_CHARS: usize = 240;

/// Passages that are named when there is no answer.
const CLOSEST: usize = 3;

/// Diagnostics that are shown one by one; the rest is counted.
const SHOWN_DIAGNOSTICS: usize = 20;

/// An answer with its sources, checks and timings.
pub fn answer(answer: &Answer) -> String {
    let mut text = plain(&answer.text);
    for citation in &answer.citations {
        let _ = write!(text, "\n  {}", self::citation(citation));
    }
    if answer.abstained && !rag_generate::is_small_talk(&answer.question.text) {
        for hit in answer.passages.iter().take(CLOSEST) {
            let _ = write!(
                text,
                "\n  closest: [{}] {}",
                plain(&hit.passage.id.to_string()),
                plain(&hit.passage.title)
            );
        }
    }
    for note in &answer.notes {
        let _ = write!(text, "\n  note: {}", plain(note));
    }
    if let Some(trace) = &answer.trace {
        for (step, number) in trace.searches.iter().zip(1..) {
            let _ = write!(
                text,
                "\n  search {number}: {} · {} passages",
                plain(&step.query),
                step.hits.len()
            );
        }
    }
    let _ = write!(text, "\n  {}", timings(&answer.timings_ms));
    text
}

/// One citation: its place, its date, and whether it held.
pub fn citation(citation: &Citation) -> String {
    let status = match citation.status {
        CitationStatus::Verified => "verified",
        CitationStatus::Unsupported => "NOT SUPPORTED",
        CitationStatus::UnknownId => "NOT IN CONTEXT",
    };
    let mut place = plain(&citation.title);
    if !citation.section.is_empty() && citation.section != citation.title {
        let _ = write!(place, " · {}", plain(&citation.section));
    }
    if let Some(page) = citation.page {
        let _ = write!(place, " · page {page}");
    }
    if let Some(updated) = citation.updated {
        let _ = write!(place, " · {updated}");
    }
    format!("[{}] {place} · {status}", plain(&citation.id.to_string()))
}

/// The source of a citation: where it stands, and its passage with the quote between `>>` and `<<`.
pub fn source(cited: &Citation, passage: &Passage) -> String {
    let mut text = citation(cited);
    let _ = write!(text, "\n  {}", plain(&passage.source));
    if let Some(span) = cited.span {
        let _ = write!(text, " · bytes {} to {} of its text", span.start, span.end);
    }
    if let Some(at) = cited.bounding_box {
        let _ = write!(
            text,
            " · box {:.0} {:.0} {:.0} {:.0}",
            at.left, at.top, at.right, at.bottom
        );
    }
    let quote = cited.span.and_then(|span| {
        let (at, quote) = (passage.within(span)?, passage.quoted(span)?);
        let (before, after) = (&passage.text[..at.start], &passage.text[at.end..]);
        Some(format!("{}>>{}<<{}", plain(before), plain(quote), plain(after)))
    });
    let shown = quote.unwrap_or_else(|| plain(&passage.text));
    let _ = write!(text, "\n\n{shown}");
    text
}

/// Milliseconds per step, on one line.
pub fn timings(timings_ms: &std::collections::BTreeMap<String, f64>) -> String {
    let steps: Vec<String> = timings_ms
        .iter()
        .map(|(step, ms)| format!("{step} {ms:.1}"))
        .collect();
    format!("ms: {}", steps.join(" · "))
}

/// The hits of a ranking, each with its place in every leg.
pub fn ranking(ranking: &Ranking) -> String {
    let mut lines: Vec<String> = ranking.hits.iter().map(hit).collect();
    if lines.is_empty() {
        lines.push("No passage that this asker may read matches.".to_owned());
    }
    lines.extend(ranking.notes.iter().map(|note| format!("note: {}", plain(note))));
    lines.push(timings(&ranking.timings_ms));
    lines.join("\n")
}

fn hit(hit: &Hit) -> String {
    let mut places: Vec<String> = hit
        .legs
        .iter()
        .map(|(leg, at)| placement(&leg.to_string(), *at))
        .collect();
    places.extend(hit.fused.map(|at| placement("fused", at)));
    places.extend(hit.reranked.map(|at| placement("reranker", at)));
    let passage = &hit.passage;
    let mut title = plain(&passage.title);
    if !passage.section.is_empty() {
        let _ = write!(title, " · {}", plain(&passage.section_label()));
    }
    let excerpt: String = plain(&passage.text).chars().take(EXCERPT_CHARS).collect();
    format!(
        "{:>2}. [{}] {title}\n    {}\n    {excerpt}",
        hit.rank,
        plain(&passage.id.to_string()),
        places.join(" · ")
    )
}

fn placement(name: &str, at: Placement) -> String {
    format!("{name} #{} ({:.4})", at.rank, at.score)
}

/// Diagnostics, quarantined documents first.
pub fn diagnostics(diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| std::cmp::Reverse(d.severity));
    let mut lines: Vec<String> = sorted
        .iter()
        .take(SHOWN_DIAGNOSTICS)
        .map(|d| diagnostic(d))
        .collect();
    if sorted.len() > SHOWN_DIAGNOSTICS {
        lines.push(format!(
            "… and {} more in diagnostics.jsonl",
            sorted.len() - SHOWN_DIAGNOSTICS
        ));
    }
    lines
}

fn diagnostic(diagnostic: &Diagnostic) -> String {
    let word = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Quarantined => "quarantined",
    };
    format!(
        "{word}: {}: {} ({})",
        plain(&diagnostic.source),
        plain(&diagnostic.message),
        plain(&diagnostic.reason)
    )
}

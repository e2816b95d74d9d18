//! How entities, connections and paths look in a terminal.

use std::fmt::Write;

use rag_eval::significance::Comparison;
use rag_graph::{Answer, Connection, Entity, Evidence, Path, Summary, View};
use rag_pipeline::graph::{ConnectionReport, GraphEvaluation, GraphTimings};

use crate::print::plain;

/// Characters of a quotation that are shown.
const QUOTE_CHARS: usize = 200;

/// Sizes of a view and its `limit` most named entities.
pub(crate) fn counts(view: &View, limit: usize) -> String {
    let counts = view.counts();
    let mut text = format!(
        "{} passages · {} entities · {} connections · {} statements · {} communities",
        counts.passages,
        counts.entities,
        counts.connections,
        counts.statements,
        view.communities().groups().len()
    );
    if counts.crowded + counts.cut > 0 {
        let _ = write!(
            text,
            "\nleft out: {} pairs of crowded sentences, {} names or statements",
            counts.crowded, counts.cut
        );
    }
    let mut entities: Vec<&Entity> = view.entities().map(|(_, entity)| entity).collect();
    entities.sort_by_key(|entity| std::cmp::Reverse(entity.passages));
    for named in entities.into_iter().take(limit) {
        let _ = write!(text, "\n  {}", entity(named));
    }
    text
}

/// An entity on one line.
pub(crate) fn entity(entity: &Entity) -> String {
    let mut text = format!(
        "{} ({}, {} passages)",
        plain(&entity.name),
        plain(entity.kind.as_str()),
        entity.passages
    );
    if !entity.aliases.is_empty() {
        let _ = write!(text, ", also {}", plain(&entity.aliases.join(", ")));
    }
    text
}

/// Connections, each with its first source.
pub(crate) fn connections(connections: &[Connection]) -> String {
    if connections.is_empty() {
        return "Nothing that this asker may read connects it with anything.".to_owned();
    }
    connections.iter().map(connection).collect::<Vec<_>>().join("\n")
}

fn connection(connection: &Connection) -> String {
    let mut text = format!("  {}", plain(&connection.sentence()));
    if let Some(evidence) = connection.evidence.first() {
        let _ = write!(text, "\n      {}", self::evidence(evidence));
    }
    if connection.evidence.len() < connection.statements {
        let _ = write!(text, "  ({} statements)", connection.statements);
    }
    text
}

fn evidence(evidence: &Evidence) -> String {
    let quote: String = plain(&evidence.quote).chars().take(QUOTE_CHARS).collect();
    let day = evidence
        .updated
        .map(|day| format!(" · {day}"))
        .unwrap_or_default();
    format!("“{quote}” [{}{day}]", plain(&evidence.passage.to_string()))
}

/// Paths, step by step.
pub(crate) fn paths(paths: &[Path]) -> String {
    if paths.is_empty() {
        return "No path that this asker may read.".to_owned();
    }
    let shown = |(number, path): (usize, &Path)| format!("path {}\n{}", number + 1, connections(&path.steps));
    paths.iter().enumerate().map(shown).collect::<Vec<_>>().join("\n")
}

/// What the graph says to a question.
pub(crate) fn answer(answer: &Answer) -> String {
    let route = serde_json::to_value(answer.route).map_or(String::new(), |value| value.to_string());
    let mut text = format!(
        "{} of {}",
        route.trim_matches('"'),
        plain(&answer.named.join(", "))
    );
    if !answer.connections.is_empty() {
        let _ = write!(text, "\n{}", connections(&answer.connections));
    }
    if !answer.paths.is_empty() {
        let _ = write!(text, "\n{}", paths(&answer.paths));
    }
    for theme in &answer.themes {
        let _ = write!(text, "\n{}", summary(theme));
    }
    if answer.connections.is_empty() && answer.paths.is_empty() && answer.themes.is_empty() {
        text.push_str("\nNothing found; `search` looks through the passages themselves.");
    }
    if answer.unread > 0 {
        let _ = write!(
            text,
            "\nnote: {} weaker connections were not looked at",
            answer.unread
        );
    }
    text
}

fn summary(summary: &Summary) -> String {
    let mut text = format!(
        "  {} … ({} entities, {} passages)",
        plain(&summary.entities.join(", ")),
        summary.size,
        summary.passages
    );
    for sentence in &summary.sentences {
        let _ = write!(text, "\n      {}", evidence(sentence));
    }
    text
}

/// Shares by route, and every question that does not hold.
pub(crate) fn connection_report(report: &ConnectionReport) -> String {
    let mut text = format!(
        "{:.1} % of {} questions hold",
        report.share() * 100.0,
        report.verdicts.len()
    );
    for (route, (held, asked)) in &report.by_route {
        let _ = write!(text, "\n  {route:?}: {held} of {asked}");
    }
    for verdict in report.verdicts.iter().filter(|verdict| !verdict.holds()) {
        let _ = write!(
            text,
            "\n{}",
            plain(&serde_json::to_string(verdict).unwrap_or_default())
        );
    }
    text
}

/// What the graph changes, by way and by sort of question, and what it cost.
pub(crate) fn evaluation(report: &GraphEvaluation) -> String {
    let mut lines = vec!["with the graph, against without (p: chance alone makes as much):".to_owned()];
    for (way, metrics) in &report.comparisons {
        let of_way = metrics.iter();
        lines.extend(of_way.map(|(metric, compared)| format!("  {way} {metric}: {}", change(compared))));
    }
    lines.push("nDCG@10 by sort of question (`ask` walks along the graph where it gains):".to_owned());
    for (route, compared) in report.routes.by_route() {
        let walks = if report.routes.helps(route) {
            "walks"
        } else {
            "does not walk"
        };
        lines.push(format!("  {route:?}: {} · {walks}", change(compared)));
    }
    lines.push(timings(&report.graph));
    lines.join("\n")
}

fn change(compared: &Comparison) -> String {
    let (Some(baseline), Some(candidate)) = (compared.baseline, compared.candidate) else {
        return "no question has a value".to_owned();
    };
    let p = compared
        .decisive_p()
        .map_or_else(String::new, |p| format!(", p {p:.4}"));
    format!(
        "{baseline:.3} -> {candidate:.3} over {} questions, {} better, {} worse{p}",
        compared.pairs, compared.wins, compared.losses
    )
}

/// What the graph of a data set cost.
fn timings(timings: &GraphTimings) -> String {
    let counts = &timings.counts;
    let (median, high) = timings.walk_ms;
    format!(
        "graph: {} passages · {} entities · {} connections; built in {:.1} s, opened with a view in {:.0} ms; \
         walk p50 {median:.2} ms, p95 {high:.2} ms",
        counts.passages, counts.entities, counts.connections, timings.build_s, timings.view_ms
    )
}

//! A page for people: a picture of the most connected entities, then every entity with its edges and their
//! sources. It holds no script and loads nothing; a policy in its head forbids both.

use std::fmt::Write;

use rag_core::text::markup;

use super::layout::places;
use super::{Drawing, Edge};

const CANNOT_FAIL: &str = "writing to a string cannot fail";

/// Entities in the picture; more cannot be told apart.
const DRAWN: usize = 120;

/// Edges listed per entity.
const LISTED: usize = 40;

const WIDTH: f32 = 1100.0;
const HEIGHT: f32 = 760.0;
const MARGIN: f32 = 60.0;

const HEAD: &str = r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Entities and their connections</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222 }
svg { width: 100%; height: auto; border: 1px solid #ddd; border-radius: 8px }
svg text { font-size: 11px } svg line { stroke: #bbb }
details { border-bottom: 1px solid #eee; padding: .3rem 0 } summary { cursor: pointer }
blockquote { margin: .2rem 0 .6rem 1rem; padding-left: .6rem; border-left: 3px solid #ccc }
small { color: #666 }
@media (prefers-color-scheme: dark) { body { background: #161616; color: #ddd } svg text { fill: #ddd } svg line { stroke: #444 } }
</style></head><body>
<h1>Entities and their connections</h1>
"#;

/// The page.
pub(super) fn page(drawing: &Drawing) -> String {
    let mut out = String::from(HEAD);
    let (nodes, edges, left_out) = (drawing.nodes.len(), drawing.edges.len(), drawing.left_out);
    writeln!(
        out,
        "<p>{nodes} entities, {edges} connections; {left_out} less connected entities are not shown. \
         All of it is what one asker may read.</p>"
    )
    .expect(CANNOT_FAIL);
    picture(drawing, &mut out);
    let mut own_edges: Vec<Vec<&Edge>> = vec![Vec::new(); nodes];
    for edge in &drawing.edges {
        own_edges[edge.source].push(edge);
        own_edges[edge.target].push(edge);
    }
    for ((node, own), number) in drawing.nodes.iter().zip(own_edges).zip(0..) {
        let (name, kind) = (markup(&node.name), markup(&node.kind));
        let title = format_args!(
            "<b dir=\"auto\">{name}</b> <small>{kind} · {} passages</small>",
            node.passages
        );
        writeln!(out, "<details id=\"n{number}\"><summary>{title}</summary>").expect(CANNOT_FAIL);
        own.iter()
            .take(LISTED)
            .for_each(|edge| listed(drawing, edge, &mut out));
        if own.len() > LISTED {
            write!(out, "<p><small>… and {} more</small></p>", own.len() - LISTED).expect(CANNOT_FAIL);
        }
        out.push_str("</details>\n");
    }
    out.push_str("</body></html>\n");
    out
}

fn listed(drawing: &Drawing, edge: &Edge, out: &mut String) {
    let name = |number: usize| {
        let name = markup(&drawing.nodes[number].name);
        format!("<a href=\"#n{number}\" dir=\"auto\">{name}</a>")
    };
    let predicate = markup(&edge.connection.predicate);
    let sentence = format_args!("{} <i>{predicate}</i> {}", name(edge.source), name(edge.target));
    write!(out, "<div>{sentence}</div>").expect(CANNOT_FAIL);
    for evidence in &edge.connection.evidence {
        let (quote, title) = (markup(&evidence.quote), markup(&evidence.title));
        let id = markup(&evidence.passage.to_string());
        let day = evidence
            .updated
            .map(|day| format!(" · {day}"))
            .unwrap_or_default();
        let source = format_args!("<small>[{id}] {title}{day}</small>");
        writeln!(out, "<blockquote dir=\"auto\">{quote}<br>{source}</blockquote>").expect(CANNOT_FAIL);
    }
}

fn picture(drawing: &Drawing, out: &mut String) {
    let drawn = drawing.nodes.len().min(DRAWN);
    let edges: Vec<(usize, usize, f32)> = drawing
        .edges
        .iter()
        .filter(|edge| edge.source < drawn && edge.target < drawn)
        .map(|edge| (edge.source, edge.target, edge.connection.weight))
        .collect();
    let places: Vec<(f32, f32)> = places(drawn, &edges)
        .into_iter()
        .map(|(x, y)| {
            (
                MARGIN + x * (WIDTH - 2.0 * MARGIN),
                MARGIN + y * (HEIGHT - 2.0 * MARGIN),
            )
        })
        .collect();
    writeln!(out, "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">").expect(CANNOT_FAIL);
    for (a, b, _) in edges {
        let ((x1, y1), (x2, y2)) = (places[a], places[b]);
        let line = format_args!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>");
        writeln!(out, "{line}").expect(CANNOT_FAIL);
    }
    for ((node, (x, y)), number) in drawing.nodes.iter().zip(places).zip(0..) {
        let hue = node.community.unwrap_or(0) * 47 % 360;
        let radius = 3.0 + (node.passages as f32).sqrt().min(9.0);
        let circle = format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"hsl({hue} 60% 50%)\"/>"
        );
        let label = format_args!(
            "<text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
            x + radius + 2.0,
            markup(&node.name)
        );
        writeln!(out, "<a href=\"#n{number}\">{circle}{label}</a>").expect(CANNOT_FAIL);
    }
    out.push_str("</svg>\n");
}

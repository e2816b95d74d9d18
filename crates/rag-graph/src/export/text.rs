//! GraphML, DOT and JSON.

use std::fmt::Write;

use rag_core::text::markup;

use super::escape::dot as quoted;
use super::{Drawing, Edge};

const CANNOT_FAIL: &str = "writing to a string cannot fail";

/// Attributes: id, what they are of, name, type.
const KEYS: &[(&str, &str, &str, &str)] = &[
    ("name", "node", "name", "string"),
    ("kind", "node", "kind", "string"),
    ("passages", "node", "passages", "int"),
    ("community", "node", "community", "int"),
    ("predicate", "edge", "predicate", "string"),
    ("weight", "edge", "weight", "double"),
    ("source", "edge", "cited passage", "string"),
    ("quote", "edge", "quote", "string"),
];

/// GraphML (<http://graphml.graphdrawing.org>).
pub(super) fn graphml(drawing: &Drawing) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (id, domain, name, kind) in KEYS {
        let key =
            format_args!("<key id=\"{id}\" for=\"{domain}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>");
        writeln!(out, "{key}").expect(CANNOT_FAIL);
    }
    let note = format_args!(
        "<!-- {} entities left out -->\n<graph edgedefault=\"directed\">",
        drawing.left_out
    );
    writeln!(out, "{note}").expect(CANNOT_FAIL);
    for (number, node) in drawing.nodes.iter().enumerate() {
        write!(out, "<node id=\"n{number}\">").expect(CANNOT_FAIL);
        data(&mut out, "name", &node.name);
        data(&mut out, "kind", &node.kind);
        data(&mut out, "passages", &node.passages.to_string());
        if let Some(community) = node.community {
            data(&mut out, "community", &community.to_string());
        }
        out.push_str("</node>\n");
    }
    for edge in &drawing.edges {
        write!(
            out,
            "<edge source=\"n{}\" target=\"n{}\">",
            edge.source, edge.target
        )
        .expect(CANNOT_FAIL);
        data(&mut out, "predicate", &edge.connection.predicate);
        data(&mut out, "weight", &format!("{:.4}", edge.connection.weight));
        if let Some(evidence) = edge.connection.evidence.first() {
            data(&mut out, "source", &evidence.passage.to_string());
            data(&mut out, "quote", &evidence.quote);
        }
        out.push_str("</edge>\n");
    }
    out.push_str("</graph>\n</graphml>\n");
    out
}

fn data(out: &mut String, key: &str, value: &str) {
    write!(out, "<data key=\"{key}\">{}</data>", markup(value)).expect(CANNOT_FAIL);
}

/// Graphviz' language.
pub(super) fn dot(drawing: &Drawing) -> String {
    let mut out = format!("// {} entities left out\ndigraph entities {{\n", drawing.left_out);
    for (number, node) in drawing.nodes.iter().enumerate() {
        let label = format_args!("  n{number} [label=\"{}\"];", quoted(&node.name));
        writeln!(out, "{label}").expect(CANNOT_FAIL);
    }
    for Edge {
        source,
        target,
        connection,
    } in &drawing.edges
    {
        let cited = connection
            .evidence
            .first()
            .map_or(String::new(), |e| format!(" [{}]", e.passage));
        let label = quoted(&format!("{}{cited}", connection.predicate));
        writeln!(out, "  n{source} -> n{target} [label=\"{label}\"];").expect(CANNOT_FAIL);
    }
    out.push_str("}\n");
    out
}

/// One JSON object: `nodes`, `edges`, `left_out`.
pub(super) fn json(drawing: &Drawing) -> String {
    serde_json::to_string_pretty(drawing).expect("drawings are plain data")
}

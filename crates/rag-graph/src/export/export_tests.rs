//! Tests of exports: everything from documents is escaped, and what is not written is counted.

use rag_core::access::Principal;
use rag_core::filter::Filter;

use super::*;
use crate::config::{Currency, SearchConfig};
use crate::extract::{Extractor, Facts, Mention, Relation};
use crate::graph::Graph;
use crate::testing::passage;

/// Finds a name that is markup, since a document may hold one.
struct Hostile;

const NAME: &str = "<script>alert(\"1\")</script> & 'x'";

impl Extractor for Hostile {
    fn identity(&self) -> String {
        "hostile".to_owned()
    }

    fn extract(&self, passage: &rag_core::passage::Passage) -> Result<Facts, GraphError> {
        let mut facts = Facts::none(passage);
        for name in [NAME, "Tarn", "Weald"] {
            facts.mention(Mention {
                name: name.to_owned(),
                written: None,
                kind: crate::Kind::new("<i>"),
                unit: 1,
                weak: false,
            });
        }
        facts.relate(Relation {
            subject: NAME.to_owned(),
            predicate: "\"]; <b>".to_owned(),
            object: "Tarn".to_owned(),
            unit: 1,
        });
        Ok(facts)
    }
}

fn exported(format: Format, limit: usize) -> String {
    let graph = Graph::from_passages(vec![passage("a#0", NAME)], &Hostile, &SearchConfig::default()).unwrap();
    let view = graph.view(&Principal::everyone(), &Filter::default(), Currency::Current);
    view.export(format, limit).unwrap()
}

#[test]
fn markup_of_documents_is_escaped() {
    for format in [Format::GraphMl, Format::Html] {
        let text = exported(format, 10);
        assert!(
            !text.contains("<script") && !text.contains("<b>\"") && !text.contains("<i>\""),
            "{text}"
        );
        assert!(text.contains("&lt;script&gt;"), "{text}");
    }
    assert!(exported(Format::Dot, 10).contains("\\\"]; <b>"));
    let json: serde_json::Value = serde_json::from_str(&exported(Format::Json, 10)).unwrap();
    assert_eq!(json["nodes"].as_array().unwrap().len(), 3);
}

#[test]
fn what_is_left_out_is_counted() {
    let json: serde_json::Value = serde_json::from_str(&exported(Format::Json, 2)).unwrap();
    assert_eq!(json["left_out"], 1);
}

#[test]
fn formats_are_read_by_name() {
    assert_eq!("html".parse(), Ok(Format::Html));
    assert!("png".parse::<Format>().unwrap_err().contains("graphml"));
}

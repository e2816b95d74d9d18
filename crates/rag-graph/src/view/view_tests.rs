//! Tests of views: that they show what the passages say, and nothing of passages that an asker may not read.

use std::fmt::Write;

use proptest::prelude::*;
use rag_core::access::{AccessList, Principal};
use rag_core::filter::Filter;
use rag_core::passage::Passage;
use rag_core::question::Question;

use super::*;
use crate::config::Currency;
use crate::extract::{Gazetteer, RuleExtractor};
use crate::graph::Graph;
use crate::testing::passage;

fn graph(passages: Vec<Passage>) -> Graph {
    let extractor = RuleExtractor::new(Gazetteer::default());
    Graph::from_passages(passages, &extractor, &SearchConfig::default()).unwrap()
}

fn public_view(texts: &[(&str, &str)]) -> Arc<View> {
    let passages = texts.iter().map(|(id, text)| passage(id, text)).collect();
    graph(passages).view(&Principal::everyone(), &Filter::default(), Currency::Current)
}

/// All that a view tells, as text.
fn told(view: &View) -> String {
    let mut told = format!("{:?}\n", view.counts());
    for (id, entity) in view.entities() {
        let (is_hub, community) = (view.is_hub(id.0), view.communities().of(id));
        writeln!(told, "{entity:?} hub {is_hub} in {community:?}").unwrap();
        for edge in view.neighbours(id, 100).unwrap() {
            writeln!(told, "  {edge:?}").unwrap();
        }
    }
    let names: Vec<EntityId> = view.entities().map(|(id, _)| id).collect();
    for pair in names.windows(2) {
        writeln!(told, "{:?}", view.paths(pair[0], pair[1], 2).unwrap()).unwrap();
    }
    for text in [
        "How is Osier connected with Tarn?",
        "What does Ruth use?",
        "What are the themes?",
    ] {
        let mut ranking = view
            .local(&Question::new("1", text, Principal::everyone()), &[], 10)
            .unwrap();
        ranking.timings_ms.clear();
        writeln!(told, "{ranking:?}\n{:?}", view.answer(text, 10).unwrap()).unwrap();
    }
    told
}

#[test]
fn an_edge_is_quoted_from_its_sentence() {
    let view = public_view(&[
        ("a#0", "Nothing here. Now Osier requires Tarn."),
        ("b#0", "We saw Tarn near Osier."),
    ]);
    let osier = view.find("osier").unwrap();
    let edges = view.neighbours(osier, 10).unwrap();
    assert_eq!(
        (edges[0].other.as_str(), edges[0].predicate.as_str()),
        ("Tarn", "requires")
    );
    assert_eq!(edges[0].evidence[0].quote, "Now Osier requires Tarn.");
    assert_eq!(edges[0].evidence[1].passage.to_string(), "b#0");
    assert_eq!(edges[0].sentence(), "Osier – requires – Tarn");
}

#[test]
fn a_path_cites_every_step() {
    let view = public_view(&[
        ("a#0", "We know Osier requires Tarn."),
        ("b#0", "We know Tarn belongs to Weald."),
        ("c#0", "We know Elver uses Nidd."),
    ]);
    let find = |name: &str| view.find(name).unwrap();
    let paths = view.paths(find("Osier"), find("Weald"), 3).unwrap();
    let steps: Vec<String> = paths[0].steps.iter().map(crate::Connection::sentence).collect();
    assert_eq!(steps, ["Osier – requires – Tarn", "Tarn – part of – Weald"]);
    assert!(paths[0].steps.iter().all(|step| !step.evidence.is_empty()));
    assert_eq!(paths.len(), 1);
    assert!(view.paths(find("Osier"), find("Nidd"), 3).unwrap().is_empty());
}

#[test]
fn short_names_mean_the_long_one_of_their_document() {
    let view = public_view(&[
        ("a#0", "Yesterday Ruth Amsel came."),
        ("a#1", "Here Amsel fixed the Tarn."),
        ("b#0", "There Amsel sang."),
    ]);
    let ruth = view.entity(view.find("Ruth Amsel").unwrap());
    assert_eq!(
        (ruth.passages, ruth.aliases.as_slice()),
        (2, ["Amsel".to_owned()].as_slice())
    );
    assert_eq!(view.entity(view.find("Amsel").unwrap()).passages, 1);
}

#[test]
fn a_name_used_everywhere_is_not_short_for_a_longer_one() {
    let view = public_view(&[
        ("a#0", "We know Assembly Ghent, and Ghent."),
        ("b#0", "See Ghent."),
        ("c#0", "Meet in Ghent."),
        ("d#0", "Go to Ghent."),
    ]);
    assert_eq!(view.entity(view.find("Ghent").unwrap()).passages, 4);
}

#[test]
fn a_designation_means_the_only_model_that_has_it() {
    let view = public_view(&[
        ("a#0", "We sell the Weald W60."),
        ("b#0", "Here W60 requires Tarn."),
    ]);
    assert_eq!(view.find("W60"), view.find("Weald W60"));
    let view = public_view(&[
        ("a#0", "We sell the Weald W60 and the Nidd W60."),
        ("b#0", "Here W60 requires Tarn."),
    ]);
    assert_ne!(view.find("W60"), view.find("Weald W60"));
}

#[test]
fn an_acronym_with_two_meanings_is_neither() {
    let one = ("a#0", "See the Wide Metering Area (WMA).");
    let view = public_view(&[one, ("b#0", "Ask the WMA.")]);
    assert_eq!(view.find("WMA"), view.find("Wide Metering Area"));
    let view = public_view(&[one, ("b#0", "See the Water Mains Agency (WMA).")]);
    assert_ne!(view.find("WMA"), view.find("Wide Metering Area"));
}

#[test]
fn a_word_that_only_begins_sentences_is_no_name() {
    let view = public_view(&[("a#0", "Sluices open. Osier waits."), ("b#0", "Stop Osier.")]);
    assert!(view.find("Sluices").is_none());
    assert_eq!(view.entity(view.find("Osier").unwrap()).passages, 2);
}

#[test]
fn askers_who_read_the_same_share_a_view() {
    let graph = graph(vec![passage("a#0", "Stop Osier.")]);
    let view = |groups: &[&str]| {
        let principal: Principal = groups.iter().copied().collect();
        graph.view(&principal, &Filter::default(), Currency::Current)
    };
    assert!(Arc::ptr_eq(&view(&[]), &view(&["hr"])));
}

fn sentence() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "Osier",
        "Tarn",
        "Weald",
        "Weald W60",
        "Nidd W60",
        "W60",
        "Ruth Amsel",
        "Amsel",
        "Wide Metering Area",
        "WMA",
        "PX-1",
        "Head of Pumps",
        "Ruth",
    ]);
    let form = prop::sample::select(vec![
        "We know {a} requires {b}.",
        "{a} met {b} and {c}.",
        "See the {a} ({b}).",
        "{a} waits.",
        "Room {a}: office {b}, seats 4, good for {c}.",
        "Then {a}, {b}.",
    ]);
    (form, name.clone(), name.clone(), name)
        .prop_map(|(form, a, b, c)| form.replace("{a}", a).replace("{b}", b).replace("{c}", c))
}

fn passages() -> impl Strategy<Value = Vec<Passage>> {
    let one = (
        prop::collection::vec(sentence(), 1..4),
        prop::sample::select(vec!["Osier", "Notes", "The WMA"]),
        any::<bool>(),
        any::<bool>(),
    );
    prop::collection::vec(one, 1..12).prop_map(|drafts| {
        let mut made: Vec<Passage> = Vec::new();
        let (mut document, mut position) = (0, 0);
        for (sentences, title, goes_on, secret) in drafts {
            (document, position) = if goes_on {
                (document, position + 1)
            } else {
                (document + 1, 0)
            };
            let mut passage = passage(&format!("d{document}#{position}"), &sentences.join(" "));
            passage.title = title.to_owned();
            if secret {
                passage.access = AccessList::from_iter(["secret"]);
            }
            made.push(passage);
        }
        made
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Names, kinds, counts, weights, communities, orders, paths and quotes are those of a graph that was
    /// built without what the asker may not read.
    #[test]
    fn restricted_passages_change_nothing_for_those_who_may_not_read_them(passages in passages()) {
        let readable: Vec<Passage> = passages.iter().filter(|p| p.access.allows(&Principal::everyone())).cloned().collect();
        let view = |passages| graph(passages).view(&Principal::everyone(), &Filter::default(), Currency::Current);
        prop_assert_eq!(told(&view(passages)), told(&view(readable)));
    }
}

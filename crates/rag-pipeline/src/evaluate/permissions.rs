//! `eval permissions`: every case asked as its user, every surface searched for what they may not read, the graph
//! among them.

use std::collections::BTreeMap;

use rag_core::access::Principal;
use rag_core::artifact::Artifact;
use rag_core::document::Document;
use rag_core::filter::Filter;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::{Progress, Silent, Unit};
use rag_core::question::Question;
use rag_eval::data::{Corpus, Dataset, Distractors, ImportConfig, PermissionCase, Permissions, Readers};
use rag_eval::permissions::{Audit, Auditor, Leak, LeakKind, Text};
use rag_graph::{Currency, Format, Graph};

use super::workspace::Workspace;
use crate::engine::Engine;
use crate::error::PipelineError;
use crate::graph::{Readers as GraphReaders, open_graph, refresh_graph};
use crate::settings::Settings;
use crate::store::Store;
use crate::way::Way;

/// Passages looked at per case: deeper than any answer's context.
const DEPTH: usize = 30;

/// Entities of the whole graph that are looked at, the most connected ones.
const ENTITIES: usize = 2000;

/// How each case is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// By one search and an answer.
    Once,
    /// Step by step as well.
    ByAgentToo,
}

/// Asks every case of the data set's `acl` folder as its user and looks for text, titles and ids of
/// documents that the user may not read in hits, parents, prompt, answer, citations, receipt, trace, notes and counts,
/// in what the graph says to the case and where a walk along it leads, and in the whole graph as the user sees it; that
/// must also equal the graph of what they may read and nothing else.
pub fn audit_permissions(
    dataset: &Dataset,
    asking: Asking,
    settings: &Settings,
    workspace: &Workspace,
    progress: &dyn Progress,
) -> Result<Audit, PipelineError> {
    let permissions = Permissions::read(dataset)?;
    let import = ImportConfig {
        distractors: Distractors::LeaveOut,
        readers: Readers::Overlay,
    };
    let (engine, store) = workspace.engine_and_store(dataset, "acl", import, settings, progress)?;
    refresh_graph(settings, &store, progress)?;
    let graph = open_graph(settings, &store)?;
    let corpus = Corpus::open(dataset.folder(), Distractors::LeaveOut)?;
    let documents = corpus
        .documents(Some(&permissions))
        .collect::<Result<Vec<Document>, _>>()?;
    let cases = permissions.cases(dataset)?;
    let mut audit = Audit {
        cases: cases.len(),
        leaks: Vec::new(),
    };
    progress.start("permissions", Some(cases.len() as u64), Unit::Items);
    for (principal, cases) in by_principal(&cases) {
        let auditor = auditor(&documents, &principal);
        audit
            .leaks
            .extend(graph_leaks(&graph, settings, &store, &principal, &auditor)?);
        for case in cases {
            let asked = &case.question;
            audit.leaks.extend(leaks(&engine, &auditor, asked, asking)?);
            audit.leaks.extend(connection_leaks(&graph, &auditor, asked)?);
            progress.advance("permissions", 1);
        }
    }
    progress.finish("permissions");
    Ok(audit)
}

/// Cases of the same groups share an auditor, which is expensive to build.
fn by_principal(cases: &[PermissionCase]) -> Vec<(Principal, Vec<&PermissionCase>)> {
    let mut grouped: BTreeMap<Vec<String>, Vec<&PermissionCase>> = BTreeMap::new();
    for case in cases {
        grouped
            .entry(case.question.principal.clone().into())
            .or_default()
            .push(case);
    }
    grouped
        .into_iter()
        .map(|(groups, cases)| (Principal::from(groups), cases))
        .collect()
}

fn auditor(documents: &[Document], principal: &Principal) -> Auditor {
    let (allowed, forbidden): (Vec<&Document>, Vec<&Document>) = documents
        .iter()
        .partition(|document| document.access.allows(principal));
    Auditor::new(allowed.into_iter().map(text), forbidden.into_iter().map(text))
}

fn text(document: &Document) -> Text<'_> {
    Text {
        id: document.id.as_str(),
        title: &document.title,
        text: &document.text,
    }
}

fn leaks(
    engine: &Engine,
    auditor: &Auditor,
    question: &Question,
    asking: Asking,
) -> Result<Vec<Leak>, PipelineError> {
    let fused = Way {
        reranked: false,
        ..engine.way()
    };
    let ranking = engine.rank(question, fused, DEPTH)?;
    let parents = engine.parents(&ranking)?;
    let answer = engine.ask(question, engine.way())?;
    let mut surfaces = vec![
        ("search", serde_json::to_value(&ranking)),
        ("parents", serde_json::to_value(&parents)),
        ("prompt", serde_json::to_value(engine.prompt(&answer))),
        ("receipt", serde_json::to_value(engine.receipt(&answer))),
        ("ask", serde_json::to_value(&answer)),
    ];
    if asking == Asking::ByAgentToo {
        let answer = engine.research(question, engine.way())?;
        surfaces.push(("agent", serde_json::to_value(&answer)));
    }
    Ok(search_surfaces(auditor, question, surfaces))
}

/// Results by the surface that shows them.
type Surfaces = Vec<(&'static str, serde_json::Result<serde_json::Value>)>;

fn search_surfaces(auditor: &Auditor, question: &Question, surfaces: Surfaces) -> Vec<Leak> {
    let mut found = Vec::new();
    for (surface, value) in surfaces {
        let value = value.expect("results are plain data");
        found.extend(auditor.search_value(&question.id, surface, &value, &question.text));
    }
    found
}

/// What the graph says to a case, and where a walk from it leads.
fn connection_leaks(
    graph: &Graph,
    auditor: &Auditor,
    question: &Question,
) -> Result<Vec<Leak>, PipelineError> {
    let view = graph.view(&question.principal, &question.filter, Currency::All);
    let surfaces = vec![
        (
            "graph answer",
            serde_json::to_value(view.answer(&question.text, DEPTH)?),
        ),
        (
            "graph walk",
            serde_json::to_value(view.local(question, &[], DEPTH)?),
        ),
    ];
    Ok(search_surfaces(auditor, question, surfaces))
}

/// What `principal` sees of the whole graph, which must be the graph of the passages that they may read and no others.
fn graph_leaks(
    graph: &Graph,
    settings: &Settings,
    store: &Store,
    principal: &Principal,
    auditor: &Auditor,
) -> Result<Vec<Leak>, PipelineError> {
    let exported = |graph: &Graph| {
        let view = graph.view(principal, &Filter::default(), Currency::All);
        view.export(Format::Json, ENTITIES)
    };
    let shown = exported(graph)?;
    let readable = Artifact::open(&store.chunked(), rag_chunk::STAGE)?
        .json_lines::<Passage>(PASSAGES_FILE)?
        .filter(|passage| {
            passage
                .as_ref()
                .is_ok_and(|passage| passage.access.allows(principal))
        })
        .collect::<Result<Vec<Passage>, _>>()?;
    let readers = GraphReaders::remembered(settings, store)?;
    let alone = readers.with_extractor(settings, &Silent, |extractor| {
        Ok(Graph::from_passages(readable, extractor, &settings.graph.search)?)
    })?;
    let groups: Vec<String> = principal.clone().into();
    let case = format!("groups {}", groups.join(", "));
    let question = Question::new(case, "", principal.clone());
    let surfaces = vec![("graph", serde_json::from_str(&shown))];
    let mut leaks = search_surfaces(auditor, &question, surfaces);
    if shown != exported(&alone)? {
        leaks.push(Leak {
            case: question.id,
            surface: "graph".to_owned(),
            document: "some that they may not read".to_owned(),
            kind: LeakKind::Influence,
        });
    }
    Ok(leaks)
}

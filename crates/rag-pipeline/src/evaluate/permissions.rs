//! `eval permissions`: every case asked as its user, every surface searched for what they may not read.

use std::collections::BTreeMap;

use rag_core::access::Principal;
use rag_core::document::Document;
use rag_core::progress::{Progress, Unit};
use rag_core::question::Question;
use rag_eval::data::{Corpus, Dataset, Distractors, ImportConfig, PermissionCase, Permissions, Readers};
use rag_eval::permissions::{Audit, Auditor, Leak, Text};

use super::workspace::Workspace;
use crate::engine::Engine;
use crate::error::PipelineError;
use crate::settings::Settings;
use crate::way::Way;

/// Passages looked at per case: deeper than any answer's context.
const DEPTH: usize = 30;

/// How each case is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// By one search and an answer.
    Once,
    /// Step by step as well.
    ByAgentToo,
}

/// Asks every case of the data set's `acl` folder as its user and looks for text, titles and ids of
/// documents that the user may not read in hits, parents, prompt, answer, citations, receipt, trace, notes and counts.
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
    let engine = workspace.engine(dataset, "acl", import, settings, progress)?;
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
        for case in cases {
            audit
                .leaks
                .extend(leaks(&engine, &auditor, &case.question, asking)?);
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
    let mut found = Vec::new();
    for (surface, value) in surfaces {
        let value = value.expect("results are plain data");
        found.extend(auditor.search_value(&question.id, surface, &value, &question.text));
    }
    Ok(found)
}

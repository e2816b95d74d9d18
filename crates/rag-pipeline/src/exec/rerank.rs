//! A program as the reranker: it may reorder and drop hits, and nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactWriter, StageKey, already_done};
use rag_core::hit::{HITS_FILE, Hit, Placement, RUN_FILE, Ranking};
use rag_core::id::PassageId;
use rag_core::progress::Progress;
use rag_core::stage::{self, Outcome};

use super::program::{Call, Input};
use super::settings::Program;
use super::{ROLE, Ranked, VERSION};
use crate::error::PipelineError;
use crate::settings::Settings;

/// Lets `program` rerank the rankings of the retrieve artifact at `input`.
pub(crate) fn rerank(
    settings: &Settings,
    program: &Program,
    input: &Path,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let rankings = Artifact::open(input, stage::RETRIEVE)?;
    let key = StageKey::new(stage::RERANK, VERSION, &settings.rerank)
        .input("hits", &rankings.manifest().key)
        .model(ROLE, &program.identity()?);
    if let Some(outcome) = already_done(output, stage::RERANK, key.digest()) {
        progress.note("rerank: nothing changed, kept the hits");
        return Ok(outcome);
    }
    let call = Call::new(stage::RERANK, program, settings, progress);
    let written = call.run(&settings.rerank, &[("--in", Input::Copy(&rankings))], output)?;
    let mut lines = written.lines::<Ranked>(HITS_FILE)?;
    let writer = ArtifactWriter::begin(output, key)?;
    let mut hits = writer.json_lines::<Ranking>(HITS_FILE)?;
    let (mut trec, mut count) = (String::new(), 0);
    for ranking in rankings.json_lines::<Ranking>(HITS_FILE)? {
        let ranking = ranking?;
        let Some(line) = lines.next() else {
            return Err(call.failed(format!("left out question `{}`", ranking.question.id)));
        };
        let reranked = reordered(ranking, &line?).map_err(|reason| call.failed(reason))?;
        hits.write(&reranked)?;
        reranked.write_trec(stage::RERANK, &mut trec);
        count += 1;
    }
    if lines.next().is_some() {
        return Err(call.failed("wrote more rankings than it was given"));
    }
    hits.finish()?;
    fs_err::write(writer.path(RUN_FILE), trec)?;
    let outcome = Outcome {
        seen: count,
        written: count,
        ..Outcome::default()
    };
    writer.publish(outcome)?;
    Ok(outcome)
}

/// `ranking` in the order of `line`; the hits themselves stay those of `ranking`.
fn reordered(mut ranking: Ranking, line: &Ranked) -> Result<Ranking, String> {
    let id = &ranking.question.id;
    if let Some(fault) = line.fault(id) {
        return Err(fault);
    }
    let mut given: BTreeMap<PassageId, Hit> = std::mem::take(&mut ranking.hits)
        .into_iter()
        .map(|hit| (hit.passage.id.clone(), hit))
        .collect();
    for (rank, placed) in (1..).zip(&line.hits) {
        let Some(mut hit) = given.remove(&placed.passage.id) else {
            return Err(format!(
                "wrote passage {} for question `{id}`, which it was not given or wrote before: it may reorder and drop hits only",
                placed.passage.id
            ));
        };
        let before = Placement {
            rank: hit.rank,
            score: hit.score,
        };
        hit.fused.get_or_insert(before);
        hit.reranked = Some(Placement {
            rank,
            score: placed.score,
        });
        (hit.rank, hit.score) = (rank, placed.score);
        ranking.hits.push(hit);
    }
    Ok(ranking)
}

//! The stage as a batch: the rankings of one artifact in, reranked ones out, with a TREC run file.

use std::path::Path;

use rag_core::artifact::{Artifact, ArtifactError, ArtifactWriter, StageKey, already_done};
use rag_core::hit::{HITS_FILE, RUN_FILE, Ranking};
use rag_core::progress::{Progress, Unit};
use rag_core::stage::{self, Outcome};

use crate::config::Config;
use crate::error::RerankError;
use crate::rerank::rerank;
use crate::reranker::Reranker;

/// The stage's name.
pub const STAGE: &str = stage::RERANK;

/// Raised whenever this crate ranks differently.
pub const STAGE_VERSION: u32 = 2;

/// Reranks every ranking of the artifact at `input` (stage `retrieve`) into the artifact at `output`.
///
/// When `output` already holds the result of the same rankings, settings and reranker, nothing is done.
/// A ranking that the model refuses ends the run: it would fail the same way for the next one.
pub fn run(
    config: &Config,
    reranker: &dyn Reranker,
    input: &Path,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, RerankError> {
    config.check()?;
    let rankings = Artifact::open(input, stage::RETRIEVE)?;
    let key = StageKey::new(STAGE, STAGE_VERSION, config)
        .input("hits", &rankings.manifest().key)
        .model("reranker", &reranker.name());
    if let Some(outcome) = already_done(output, STAGE, key.digest()) {
        progress.note("rerank: nothing changed, kept the hits");
        return Ok(outcome);
    }
    let writer = ArtifactWriter::begin(output, key)?;
    let mut hits = writer.json_lines::<Ranking>(HITS_FILE)?;
    let mut trec = String::new();
    let mut outcome = Outcome::default();
    progress.start(STAGE, Some(rankings.manifest().counts.seen), Unit::Items);
    for ranking in rankings.json_lines::<Ranking>(HITS_FILE)? {
        let reranked = rerank(ranking?, reranker, config)?;
        hits.write(&reranked)?;
        reranked.write_trec(STAGE, &mut trec);
        outcome.seen += 1;
        outcome.written += 1;
        progress.advance(STAGE, 1);
    }
    progress.finish(STAGE);
    hits.finish()?;
    fs_err::write(writer.path(RUN_FILE), trec).map_err(ArtifactError::from)?;
    writer.publish(outcome)?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use rag_core::artifact::jsonl;
    use rag_core::progress::Silent;

    use super::*;
    use crate::config::Rule;
    use crate::testing::{Fixed, ranking};

    fn retrieved(folder: &Path) {
        let writer = ArtifactWriter::begin(folder, StageKey::new(stage::RETRIEVE, 1, &0)).unwrap();
        let rankings = [ranking("first question", 3), ranking("second question", 3)];
        jsonl::write_all(&writer.path(HITS_FILE), &rankings).unwrap();
        let counts = Outcome {
            seen: 2,
            written: 2,
            ..Outcome::default()
        };
        writer.publish(counts).unwrap();
    }

    #[test]
    fn rankings_are_reranked_written_and_not_done_twice() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        retrieved(&input);
        let config = Config {
            combine: Rule::Replace,
            ..Config::default()
        };
        let reranker = Fixed::new(&[1.0, 3.0, 2.0]);
        let outcome = run(&config, &reranker, &input, &output, &Silent).unwrap();
        assert_eq!((outcome.seen, outcome.written), (2, 2));
        let artifact = Artifact::open(&output, STAGE).unwrap();
        let lines: Vec<Ranking> = artifact
            .json_lines(HITS_FILE)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(lines[1].hits[0].passage.id.to_string(), "d1#0");
        let trec = fs_err::read_to_string(artifact.file(RUN_FILE).unwrap()).unwrap();
        assert_eq!(trec.lines().next(), Some("q1 Q0 d1#0 1 3 rerank"));
        assert_eq!(trec.lines().count(), 6);
        let again = run(&config, &reranker, &input, &output, &Silent).unwrap();
        assert_eq!((again.reused, again.written), (2, 0));
    }
}

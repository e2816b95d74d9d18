//! The stage as a batch: the rankings of one artifact in, checked answers out.

use std::path::Path;

use rag_core::answer::{ANSWERS_FILE, Answer};
use rag_core::artifact::{Artifact, ArtifactError, ArtifactWriter, StageKey, already_done};
use rag_core::hit::{HITS_FILE, Ranking};
use rag_core::progress::{Progress, Unit};
use rag_core::stage::{self, Outcome};

use crate::config::Config;
use crate::error::GenerateError;
use crate::generate::generate;
use crate::generator::Generator;
use crate::verify::SupportModels;

/// The stage's name.
pub const STAGE: &str = stage::GENERATE;

/// Raised whenever this crate answers differently.
pub const STAGE_VERSION: u32 = 5;

/// What is lent to [`run`].
pub struct Tools<'t> {
    /// Writes the answers; made with the same settings as are given to [`run`].
    pub generator: &'t dyn Generator,
    /// Read sentences that are not their source's own words.
    pub support: SupportModels<'t>,
    /// Counts tokens for the context's budget.
    pub count_tokens: &'t dyn Fn(&str) -> usize,
    /// Names the tokenizer behind `count_tokens`; part of the artifact's key.
    pub counter_identity: &'t str,
    /// Told how far the run is.
    pub progress: &'t dyn Progress,
}

/// Answers every question of the artifact at `input` (stage `rerank`, `expand`, or `retrieve` when nothing reranks)
/// into the artifact at `output`.
///
/// When `output` already holds the answers from the same rankings, settings and models, nothing is done.
pub fn run(
    config: &Config,
    input: &Path,
    output: &Path,
    tools: &Tools<'_>,
) -> Result<Outcome, GenerateError> {
    config.check()?;
    let rankings = open_hits(input)?;
    let key = StageKey::new(STAGE, STAGE_VERSION, config)
        .input("hits", &rankings.manifest().key)
        .model("generator", &tools.generator.name())
        .model("support", &tools.support.name())
        .model("tokenizer", tools.counter_identity);
    if let Some(outcome) = already_done(output, STAGE, key.digest()) {
        tools.progress.note("generate: nothing changed, kept the answers");
        return Ok(outcome);
    }
    let writer = ArtifactWriter::begin(output, key)?;
    let mut answers = writer.json_lines::<Answer>(ANSWERS_FILE)?;
    let mut outcome = Outcome::default();
    tools
        .progress
        .start(STAGE, Some(rankings.manifest().counts.seen), Unit::Items);
    for ranking in rankings.json_lines::<Ranking>(HITS_FILE)? {
        let (ranking, count_tokens) = (ranking?, tools.count_tokens);
        let answer = generate(&ranking, tools.generator, tools.support, config, count_tokens)?;
        answers.write(&answer)?;
        outcome.seen += 1;
        outcome.written += 1;
        tools.progress.advance(STAGE, 1);
    }
    tools.progress.finish(STAGE);
    answers.finish()?;
    writer.publish(outcome)?;
    Ok(outcome)
}

/// Opens the artifact of ranked passages at `input`: reranked, expanded, or as they were retrieved.
pub fn open_hits(input: &Path) -> Result<Artifact, ArtifactError> {
    match Artifact::open(input, stage::RERANK) {
        Err(ArtifactError::WrongStage { found, .. })
            if [stage::RETRIEVE, stage::EXPAND].contains(&found.as_str()) =>
        {
            Artifact::open(input, &found)
        }
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use rag_core::artifact::jsonl;
    use rag_core::progress::Silent;

    use super::*;
    use crate::extract::ExtractiveGenerator;
    use crate::testing::{WordOverlap, config, hit, ranking};

    fn ranked(folder: &Path, stage: &str) {
        let writer = ArtifactWriter::begin(folder, StageKey::new(stage, 1, &0)).unwrap();
        let rankings = [
            ranking("What does ERR-7 mean?", vec![hit("a#0", "ERR-7 means failed.")]),
            ranking("What does ERR-8 mean?", vec![hit("a#0", "ERR-7 means failed.")]),
        ];
        jsonl::write_all(&writer.path(HITS_FILE), &rankings).unwrap();
        writer.publish(Outcome::default()).unwrap();
    }

    #[test]
    fn rankings_are_answered_and_not_done_twice() {
        let folder = tempfile::tempdir().unwrap();
        let model = WordOverlap::default();
        let config = config();
        let generator = ExtractiveGenerator::new(Some(&model), config.extract.clone());
        let tools = Tools {
            generator: &generator,
            support: SupportModels::default(),
            count_tokens: &|text| text.len() / 4,
            counter_identity: "quarter bytes",
            progress: &Silent,
        };
        for stage in [stage::RERANK, stage::RETRIEVE] {
            let (input, output) = (
                folder.path().join(stage),
                folder.path().join(format!("{stage}-out")),
            );
            ranked(&input, stage);
            let outcome = run(&config, &input, &output, &tools).unwrap();
            assert_eq!((outcome.seen, outcome.written), (2, 2));
            let artifact = Artifact::open(&output, STAGE).unwrap();
            let answers: Vec<Answer> = artifact
                .json_lines(ANSWERS_FILE)
                .unwrap()
                .map(Result::unwrap)
                .collect();
            assert_eq!((answers[0].abstained, answers[1].abstained), (false, true));
            let again = run(&config, &input, &output, &tools).unwrap();
            assert_eq!((again.reused, again.written), (2, 0));
        }
        ranked(&folder.path().join("parse"), "parse");
        assert!(
            run(
                &config,
                &folder.path().join("parse"),
                &folder.path().join("o"),
                &tools
            )
            .is_err()
        );
    }
}

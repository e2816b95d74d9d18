//! A program as the retriever: whatever it finds is read from the generation, as the asker.

use std::path::Path;

use rag_core::artifact::{ArtifactWriter, Digest, StageKey, already_done, jsonl};
use rag_core::hit::{HITS_FILE, Hit, RUN_FILE, Ranking};
use rag_core::id::PassageId;
use rag_core::passage::Passage;
use rag_core::progress::Progress;
use rag_core::question::Question;
use rag_core::stage::{self, Outcome};
use rag_index::{AllowedSet, Generation};

use super::program::{Call, Input};
use super::settings::Program;
use super::{ROLE, Ranked, VERSION};
use crate::error::PipelineError;
use crate::settings::Settings;
use crate::stages::Searched;

/// Lets `program` search for every question.
pub(crate) fn retrieve(
    settings: &Settings,
    program: &Program,
    searched: &Searched<'_>,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let generation = Generation::open(searched.generation, &settings.index.search)?;
    let questions: Vec<Question> = jsonl::read_all(searched.questions)?;
    let asked = lines_of(&questions);
    let key = StageKey::new(stage::RETRIEVE, VERSION, &settings.retrieve)
        .input("questions", &Digest::of(asked.as_bytes()))
        .input("generation", &generation.key())
        .model(ROLE, &program.identity()?);
    if let Some(outcome) = already_done(output, stage::RETRIEVE, key.digest()) {
        progress.note("retrieve: nothing changed, kept the hits");
        return Ok(outcome);
    }
    let call = Call::new(stage::RETRIEVE, program, settings, progress);
    let own = [
        ("--in", Input::Folder(searched.generation)),
        ("--questions", Input::Text(&asked)),
    ];
    let passages = searched.passages.map(|path| ("--passages", Input::Folder(path)));
    let inputs: Vec<_> = own.into_iter().chain(passages).collect();
    // The program has the files, and could cut those that are mapped.
    drop(generation);
    let written = call.run(&settings.retrieve, &inputs, output)?;
    let generation = Generation::open(searched.generation, &settings.index.search)?;
    let mut lines = written.lines::<Ranked>(HITS_FILE)?;
    let writer = ArtifactWriter::begin(output, key)?;
    let mut hits = writer.json_lines::<Ranking>(HITS_FILE)?;
    let mut trec = String::new();
    for question in &questions {
        let Some(line) = lines.next() else {
            return Err(call.failed(format!("left out question `{}`", question.id)));
        };
        let line = line?;
        if let Some(fault) = line.fault(&question.id) {
            return Err(call.failed(fault));
        }
        let ranking = read(&call, &generation, question, &line)?;
        hits.write(&ranking)?;
        ranking.write_trec(ROLE, &mut trec);
    }
    if lines.next().is_some() {
        return Err(call.failed("wrote more rankings than there are questions"));
    }
    hits.finish()?;
    fs_err::write(writer.path(RUN_FILE), trec)?;
    let count = questions.len() as u64;
    let outcome = Outcome {
        seen: count,
        written: count,
        ..Outcome::default()
    };
    writer.publish(outcome)?;
    Ok(outcome)
}

/// The questions as JSON lines, without what their labels say is right.
fn lines_of(questions: &[Question]) -> String {
    let line = |question| serde_json::to_string(question).expect("questions are plain data") + "\n";
    questions.iter().map(line).collect()
}

/// The ranking of `line`, its passages read as the asker of `question`.
fn read(
    call: &Call<'_>,
    generation: &Generation,
    question: &Question,
    line: &Ranked,
) -> Result<Ranking, PipelineError> {
    let allowed = generation.allowed(&question.principal, &question.filter);
    let mut hits: Vec<Hit> = Vec::with_capacity(line.hits.len());
    for (rank, placed) in (1..).zip(&line.hits) {
        let id = &placed.passage.id;
        let is_new = !hits.iter().any(|hit| hit.passage.id == *id);
        match passage(generation, id, &allowed)? {
            Some(passage) if is_new => hits.push(Hit::new(rank, placed.score, passage)),
            _ => {
                return Err(call.failed(format!(
                    "wrote passage {id} for question `{}`, which there is not, its asker may not read, its filter \
                     leaves out, or was written before",
                    question.id
                )));
            }
        }
    }
    Ok(Ranking::new(question.clone(), hits))
}

fn passage(
    generation: &Generation,
    id: &PassageId,
    allowed: &AllowedSet,
) -> Result<Option<Passage>, PipelineError> {
    for ordinal in generation.passages_of(&id.document, allowed)? {
        let passage = generation.passage(ordinal, allowed)?;
        if let Some(passage) = passage.filter(|passage| passage.id == *id) {
            return Ok(Some(passage));
        }
    }
    Ok(None)
}

//! Each stage alone, with the models of the settings: from one artifact folder to the next. Where the settings name a
//! program for a stage, it stands for the box.

use std::path::Path;

use rag_chunk::ContextLine;
use rag_core::progress::Progress;
use rag_core::stage::Outcome;
use rag_parse::{Runtime, WorkerCommand};

use crate::engine::{Engine, PairReader};
use crate::error::PipelineError;
use crate::exec::{self, ProgramGenerator};
use crate::models::EmbedderTokens;
use crate::settings::Settings;
use crate::writer::Writers;

/// How files are read: by `worker`, with those engines for PDF files and scans that were fetched.
pub fn parse_runtime(settings: &Settings, worker: Option<WorkerCommand>) -> Result<Runtime, PipelineError> {
    Ok(Runtime {
        worker,
        pdfium_library: settings.models.pdfium_library()?,
        ocr_models: settings.models.ocr_models()?,
        ..Runtime::default()
    })
}

/// Parses the files below `input` into a parse artifact at `output`.
pub fn parse(
    settings: &Settings,
    input: &Path,
    output: &Path,
    worker: Option<WorkerCommand>,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let runtime = parse_runtime(settings, worker)?;
    Ok(rag_parse::run(
        &settings.parse,
        input,
        output,
        &runtime,
        progress,
    )?)
}

/// Cuts the documents of the parse artifact at `input`, in the tokens of the embedder that will read them.
pub fn chunk(
    settings: &Settings,
    input: &Path,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    if let Some(program) = &settings.exec.chunk {
        return exec::chunk(settings, program, input, output, progress);
    }
    let embedder = settings.models.open_counter(progress)?;
    let describer = match settings.chunk.context {
        ContextLine::Described => settings.models.open_describer(progress)?,
        _ => None,
    };
    let tools = rag_chunk::Tools {
        counter: &EmbedderTokens(embedder.as_ref()),
        counter_identity: &embedder.identity().tokenizer,
        describer: describer.as_deref(),
        previous: None,
        progress,
    };
    Ok(rag_chunk::run(&settings.chunk, input, output, &tools)?)
}

/// Indexes the passages of the chunk artifact at `input` into a generation at `output`.
pub fn index(
    settings: &Settings,
    input: &Path,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let embedder = settings.models.open_for_ingest(input, progress)?;
    let tools = rag_index::Tools {
        embedder: embedder.as_ref(),
        previous: &[],
        journal: &output.with_extension("journal"),
        progress,
    };
    Ok(rag_index::run(&settings.index, input, output, &tools)?)
}

/// What is searched, and for what.
#[derive(Debug, Clone, Copy)]
pub struct Searched<'s> {
    /// The index generation.
    pub generation: &'s Path,
    /// The chunk artifact that it was made of, for a program that searches; the box itself does not need it.
    pub passages: Option<&'s Path>,
    /// The questions, as JSON lines.
    pub questions: &'s Path,
}

/// Searches a generation for every question.
pub fn retrieve(
    settings: &Settings,
    searched: &Searched<'_>,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    if let Some(program) = &settings.exec.retrieve {
        return exec::retrieve(settings, program, searched, output, progress);
    }
    let engine = Engine::open_generation(searched.generation, settings, progress)?;
    let tools = rag_retrieve::Tools {
        generation: engine.generation(),
        embedder: engine.embedder(),
        drafter: engine.drafter(),
        progress,
    };
    Ok(rag_retrieve::run(
        &settings.retrieve,
        searched.questions,
        output,
        &tools,
    )?)
}

/// Reranks the rankings of the retrieve artifact at `input`.
pub fn rerank(
    settings: &Settings,
    input: &Path,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    if let Some(program) = &settings.exec.rerank {
        return exec::rerank(settings, program, input, output, progress);
    }
    let reader = PairReader::open(&settings.models, progress)?;
    let run = |reranker: &dyn rag_rerank::Reranker| {
        rag_rerank::run(&settings.rerank, reranker, input, output, progress)
    };
    Ok(reader.with_reranker(run)??)
}

/// Hands over what the settings want around each hit of the rerank (or retrieve) artifact at `input`, from the
/// generation at `generation`.
pub fn expand(
    settings: &Settings,
    generation: &Path,
    input: &Path,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let engine = Engine::open_generation(generation, settings, progress)?;
    let tools = rag_retrieve::Tools {
        generation: engine.generation(),
        embedder: engine.embedder(),
        drafter: None,
        progress,
    };
    Ok(rag_retrieve::expand_run(
        &settings.retrieve,
        input,
        output,
        &tools,
    )?)
}

/// Answers the questions of the rerank (or retrieve) artifact at `input`.
pub fn generate(
    settings: &Settings,
    input: &Path,
    output: &Path,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let writers = Writers::open(settings, progress)?;
    let run = |generator: &dyn rag_generate::Generator, count_tokens: &dyn Fn(&str) -> usize| {
        let tools = rag_generate::Tools {
            generator,
            support: writers.support_models(),
            count_tokens,
            counter_identity: writers.counter_identity(),
            progress,
        };
        rag_generate::run(&settings.generate, input, output, &tools)
    };
    match &settings.exec.generate {
        Some(program) => {
            let generator = ProgramGenerator::new(settings, program, input, output, progress)?;
            Ok(run(&generator, &|text| writers.count_tokens(text))?)
        }
        None => Ok(writers.with_generator(run)??),
    }
}

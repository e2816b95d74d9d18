//! A program as the generator: what it writes are drafts, checked like those of any other.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rag_core::answer::ANSWERS_FILE;
use rag_core::progress::Progress;
use rag_core::question::Question;
use rag_core::stage;
use rag_generate::{Context, Draft, GenerateError, Generator, open_hits};
use serde::Deserialize;

use super::QuestionRef;
use super::program::{Call, Input};
use super::settings::Program;
use crate::error::PipelineError;
use crate::settings::Settings;

/// Longest answer that is checked, in bytes: each of its sentences is held against the context.
const MOST_ANSWER_BYTES: usize = 16 << 10;

/// An answer as a program writes it; the rest of the line is not looked at.
#[derive(Debug, Deserialize)]
struct Answered {
    question: QuestionRef,
    answer: String,
    confidence: Option<f32>,
}

/// Answers of a program, which is run when the first is asked for.
pub(crate) struct ProgramGenerator<'p> {
    settings: &'p Settings,
    program: &'p Program,
    identity: String,
    /// The artifact that is answered, and beside what the program may write.
    input: &'p Path,
    output: &'p Path,
    progress: &'p dyn Progress,
    drafts: Mutex<Option<HashMap<String, Draft>>>,
}

impl<'p> ProgramGenerator<'p> {
    /// The generator that runs `program` on the rankings at `input`.
    pub(crate) fn new(
        settings: &'p Settings,
        program: &'p Program,
        input: &'p Path,
        output: &'p Path,
        progress: &'p dyn Progress,
    ) -> Result<Self, PipelineError> {
        Ok(Self {
            settings,
            program,
            identity: program.identity()?,
            input,
            output,
            progress,
            drafts: Mutex::new(None),
        })
    }

    fn call(&self) -> Call<'_> {
        Call::new(stage::GENERATE, self.program, self.settings, self.progress)
    }

    /// Runs the program; its drafts by question.
    fn run(&self) -> Result<HashMap<String, Draft>, PipelineError> {
        let call = self.call();
        let hits = open_hits(self.input)?;
        let written = call.run(
            &self.settings.generate,
            &[("--in", Input::Copy(&hits))],
            self.output,
        )?;
        let mut drafts = HashMap::new();
        for line in written.lines::<Answered>(ANSWERS_FILE)? {
            let line = line?;
            let is_share = |confidence: f32| (0.0..=1.0).contains(&confidence);
            if !line.confidence.is_none_or(is_share) {
                return Err(call.failed(format!(
                    "wrote a confidence for question `{}` that is not from 0 to 1",
                    line.question.id
                )));
            }
            if line.answer.len() > MOST_ANSWER_BYTES {
                return Err(call.failed(format!(
                    "answered question `{}` with more than {MOST_ANSWER_BYTES} bytes",
                    line.question.id
                )));
            }
            let draft = Draft {
                text: line.answer,
                confidence: line.confidence,
                ..Draft::declined()
            };
            if drafts.insert(line.question.id.clone(), draft).is_some() {
                return Err(call.failed(format!("answered question `{}` twice", line.question.id)));
            }
        }
        Ok(drafts)
    }

    fn draft_of(&self, question: &str) -> Result<Draft, PipelineError> {
        let mut drafts = self.drafts.lock().unwrap_or_else(PoisonError::into_inner);
        if drafts.is_none() {
            *drafts = Some(self.run()?);
        }
        let draft = drafts.as_mut().and_then(|drafts| drafts.remove(question));
        draft.ok_or_else(|| self.call().failed(format!("left out question `{question}`")))
    }
}

impl Generator for ProgramGenerator<'_> {
    fn name(&self) -> String {
        self.identity.clone()
    }

    fn draft(&self, question: &Question, _: &Context) -> Result<Draft, GenerateError> {
        self.draft_of(&question.id)
            .map_err(|error| GenerateError::Generator(Box::new(error)))
    }

    /// A program answers whole questions; whether it could answer a part is not known.
    fn answers(&self, _: &str, _: &Context) -> Result<bool, GenerateError> {
        Ok(false)
    }
}

//! One worker for callers that read single files, as measuring does.

use std::path::Path;

use super::process::Process;
use super::{Job, Setup, parse_file};
use crate::config::{Config, Runtime};
use crate::document::{Given, Parsed, Parser};
use crate::error::{Failure, ParseError};

/// Reads one file after the other, in a child process when [`Runtime::worker`] names one.
#[derive(Debug)]
pub struct Reader {
    worker: Worker,
}

#[derive(Debug)]
enum Worker {
    Child(Box<Process>),
    InPlace(Box<Parser>, u64),
}

impl Reader {
    /// Makes a reader; of `runtime` the worker command and the engines are used.
    pub fn new(config: &Config, runtime: &Runtime) -> Self {
        let worker = match &runtime.worker {
            Some(command) => {
                let setup = Setup {
                    config: config.clone(),
                    pdfium_library: runtime.pdfium_library.clone(),
                    ocr_models: runtime.ocr_models.clone(),
                    command: Some(command.clone()),
                };
                Worker::Child(Box::new(Process::new(setup, command.clone())))
            }
            None => Worker::InPlace(
                Box::new(
                    Parser::new(config.clone(), runtime.pdfium_library.as_deref())
                        .with_ocr_models(runtime.ocr_models.as_ref()),
                ),
                config.limits.max_file_bytes,
            ),
        };
        Self { worker }
    }

    /// Reads the file at `path`, which goes by the name `source`. The outer error means that no worker can
    /// be started.
    pub fn read(&mut self, path: &Path, source: &str) -> Result<Result<Parsed, Failure>, ParseError> {
        let job = Job {
            path: path.to_owned(),
            source: source.to_owned(),
            given: Given::default(),
        };
        let result = match &mut self.worker {
            Worker::Child(process) => process.parse(&job)?,
            Worker::InPlace(parser, max_bytes) => parse_file(parser, &job, *max_bytes),
        };
        Ok(result.outcome)
    }
}

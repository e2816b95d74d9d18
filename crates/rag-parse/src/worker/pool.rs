//! Several workers that take jobs in order and give back results in any.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::process::Process;
use super::{Job, JobResult, Setup, parse_file};
use crate::document::Parser;
use crate::error::ParseError;

/// Stack of a thread that parses inside this process.
const STACK_BYTES: usize = 16 << 20;

/// A finished job: its number, and its result.
pub(crate) type Finished = (usize, Result<JobResult, ParseError>);

/// Threads that parse, each with its child process or its own parser.
#[derive(Debug)]
pub(crate) struct Pool {
    jobs: Option<Sender<(usize, Job)>>,
    finished: Receiver<Finished>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `workers` threads.
    pub(crate) fn start(setup: &Setup, workers: usize) -> Result<Self, ParseError> {
        let (jobs, queue) = channel::<(usize, Job)>();
        let (sender, finished) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let mut threads = Vec::new();
        for number in 0..workers {
            let (queue, sender, setup) = (Arc::clone(&queue), sender.clone(), setup.clone());
            let builder = std::thread::Builder::new()
                .name(format!("parse-{number}"))
                .stack_size(STACK_BYTES);
            threads.push(builder.spawn(move || work(&setup, &queue, &sender))?);
        }
        Ok(Self {
            jobs: Some(jobs),
            finished,
            threads,
        })
    }

    /// Queues a job under the caller's `number`.
    pub(crate) fn submit(&self, number: usize, job: Job) {
        let jobs = self
            .jobs
            .as_ref()
            .expect("the queue is open until the pool is dropped");
        // Fails only when every thread is gone; `next` then says so.
        let _ = jobs.send((number, job));
    }

    /// Waits for the next finished job; `None` when every thread is gone.
    pub(crate) fn next(&self) -> Option<Finished> {
        self.finished.recv().ok()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn work(setup: &Setup, queue: &Mutex<Receiver<(usize, Job)>>, sender: &Sender<Finished>) {
    let mut worker = Worker::new(setup);
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, job)) = next else {
            return;
        };
        if sender.send((number, worker.parse(&job))).is_err() {
            return;
        }
    }
}

enum Worker {
    Child(Box<Process>),
    InPlace(Box<Parser>, u64),
}

impl Worker {
    fn new(setup: &Setup) -> Self {
        if let Some(command) = &setup.command {
            return Self::Child(Box::new(Process::new(setup.clone(), command.clone())));
        }
        let parser = Parser::new(setup.config.clone(), setup.pdfium_library.as_deref())
            .with_ocr_models(setup.ocr_models.as_ref());
        Self::InPlace(Box::new(parser), setup.config.limits.max_file_bytes)
    }

    fn parse(&mut self, job: &Job) -> Result<JobResult, ParseError> {
        match self {
            Self::Child(process) => process.parse(job),
            Self::InPlace(parser, max_bytes) => Ok(parse_file(parser, job, *max_bytes)),
        }
    }
}

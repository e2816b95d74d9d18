//! The parent's side of one child process: started when needed, ended at the time limit, replaced after death.

use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::{Hello, Job, JobResult, PROTOCOL, Ready, Setup, frame};
use crate::config::WorkerCommand;
use crate::error::{Failure, ParseError};

/// Time that a child may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// Files after which a child is replaced, so that what engines leak stays small.
const FILES_PER_PROCESS: usize = 500;

/// How often, and how long apart, a dying child is asked for its exit status.
const DEATH_POLLS: u32 = 50;
const DEATH_POLL: Duration = Duration::from_millis(2);

/// One worker's child process, which may not be running at the moment.
#[derive(Debug)]
pub(super) struct Process {
    setup: Setup,
    command: WorkerCommand,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    input: ChildStdin,
    results: Receiver<JobResult>,
    files: usize,
}

impl Process {
    pub(super) fn new(setup: Setup, command: WorkerCommand) -> Self {
        Self {
            setup,
            command,
            running: None,
        }
    }

    /// Parses one file. Death and timeout of the child are failures of the file; an error means that
    /// no child can be started at all.
    pub(super) fn parse(&mut self, job: &Job) -> Result<JobResult, ParseError> {
        if job.path.to_str().is_none() {
            let message = "its name is not UTF-8; rename it";
            return Ok(JobResult::lost(Failure::lasting("unreadable", message)));
        }
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start()?,
        };
        if frame::write(&mut running.input, job).is_err() {
            return Ok(JobResult::lost(self.death(running.end())));
        }
        let timeout = Duration::from_millis(self.setup.config.limits.file_timeout_ms);
        match running.results.recv_timeout(timeout) {
            Ok(result) => {
                running.files += 1;
                if running.files < FILES_PER_PROCESS {
                    self.running = Some(running);
                }
                Ok(result)
            }
            Err(RecvTimeoutError::Timeout) => {
                drop(running);
                let message = format!(
                    "parsing took longer than {} ms and was ended; raise `file_timeout_ms` if the file is worth it",
                    self.setup.config.limits.file_timeout_ms
                );
                Ok(JobResult::lost(Failure::transient("timeout", message)))
            }
            Err(RecvTimeoutError::Disconnected) => Ok(JobResult::lost(self.death(running.end()))),
        }
    }

    fn death(&self, status: Option<ExitStatus>) -> Failure {
        let limits = &self.setup.config.limits;
        let how = status.map_or_else(
            || "for an unknown reason".to_owned(),
            |status| format!("({status})"),
        );
        let message = format!(
            "the parser process died {how}; it may use {} MiB of memory and {} s of processor time for one file",
            limits.worker_memory_bytes >> 20,
            limits.file_cpu_seconds
        );
        Failure::transient("crashed", message)
    }

    fn start(&self) -> Result<Running, ParseError> {
        let broken = |reason: String| ParseError::Worker {
            program: self.command.program.clone(),
            reason,
        };
        let mut child = Command::new(&self.command.program)
            .args(&self.command.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| broken(error.to_string()))?;
        let input = child.stdin.take().expect("the input was asked to be piped");
        let mut output = child.stdout.take().expect("the output was asked to be piped");
        let (ready_sender, ready) = channel();
        let (sender, results) = channel();
        std::thread::spawn(move || {
            if let Ok(Some(answer)) = frame::read::<Ready>(&mut output) {
                let _ = ready_sender.send(answer.protocol);
            }
            drop(ready_sender);
            while let Ok(Some(result)) = frame::read(&mut output) {
                if sender.send(result).is_err() {
                    break;
                }
            }
        });
        let mut running = Running {
            child,
            input,
            results,
            files: 0,
        };
        let hello = Hello {
            protocol: PROTOCOL,
            config: self.setup.config.clone(),
            pdfium_library: self.setup.pdfium_library.clone(),
            ocr_models: self.setup.ocr_models.clone(),
        };
        frame::write(&mut running.input, &hello).map_err(|error| broken(error.to_string()))?;
        match ready.recv_timeout(START_TIMEOUT) {
            Ok(PROTOCOL) => Ok(running),
            Ok(other) => Err(broken(format!("it speaks protocol {other}, not {PROTOCOL}"))),
            Err(_) => Err(broken("it gave no answer when it was started".to_owned())),
        }
    }
}

impl Running {
    /// Ends the child and says how it ended. A child that died by itself closes its output a moment
    /// before it can be waited for, and is given that moment to say what it died of.
    fn end(mut self) -> Option<ExitStatus> {
        for _ in 0..DEATH_POLLS {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(DEATH_POLL);
        }
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

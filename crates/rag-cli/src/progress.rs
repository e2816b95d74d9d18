//! Draws progress bars on stderr; without a terminal there, one plain line per finished step.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rag_core::progress::{Progress, Unit};

/// Steps shorter than this leave no line when there is no terminal.
const WORTH_A_LINE: Duration = Duration::from_secs(1);

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// Bars and notes.
    Normal,
    /// Neither; errors only.
    Quiet,
}

/// The command line's progress sink.
pub struct Terminal {
    verbosity: Verbosity,
    draws: bool,
    bars: MultiProgress,
    steps: Mutex<HashMap<String, Step>>,
}

struct Step {
    bar: ProgressBar,
    started: Instant,
}

impl Terminal {
    /// A sink that draws on stderr.
    pub fn new(verbosity: Verbosity) -> Self {
        Self {
            verbosity,
            draws: std::io::stderr().is_terminal(),
            bars: MultiProgress::new(),
            steps: Mutex::new(HashMap::new()),
        }
    }

    fn with_step(&self, task: &str, act: impl FnOnce(&Step)) {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(step) = steps.get(task) {
            act(step);
        }
    }

    fn line(&self, text: &str) {
        if self.verbosity == Verbosity::Normal {
            let _ = self.bars.println(text);
            if !self.draws {
                crate::print::to_stderr(text);
            }
        }
    }
}

fn style(total: Option<u64>, unit: Unit) -> ProgressStyle {
    let template = match (total, unit) {
        (Some(_), Unit::Items) => "{msg:24} {bar:30} {pos}/{len} {eta}",
        (None, Unit::Items) => "{msg:24} {spinner} {pos}",
        (Some(_), Unit::Bytes) => "{msg:24} {bar:30} {bytes}/{total_bytes} {eta}",
        (None, Unit::Bytes) => "{msg:24} {spinner} {bytes}",
    };
    ProgressStyle::with_template(template).expect("a fixed template")
}

impl Progress for Terminal {
    fn start(&self, task: &str, total: Option<u64>, unit: Unit) {
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        let bar = self
            .bars
            .add(total.map_or_else(ProgressBar::new_spinner, ProgressBar::new));
        bar.set_style(style(total, unit));
        bar.set_message(task.to_owned());
        let step = Step {
            bar,
            started: Instant::now(),
        };
        self.steps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(task.to_owned(), step);
    }

    fn advance(&self, task: &str, amount: u64) {
        self.with_step(task, |step| step.bar.inc(amount));
    }

    fn finish(&self, task: &str) {
        let step = self
            .steps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(task);
        let Some(step) = step else { return };
        step.bar.finish_and_clear();
        let took = step.started.elapsed();
        if !self.draws && took >= WORTH_A_LINE {
            self.line(&format!(
                "{task}: {} in {:.1} s",
                step.bar.position(),
                took.as_secs_f64()
            ));
        }
    }

    fn note(&self, message: &str) {
        self.line(message);
    }
}

//! What each box of a run cost: time, processor, bytes, memory, tokens.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use rag_core::artifact::replace_file;
use rag_eval::answers::Costs;
use serde::{Deserialize, Serialize};

use crate::error::PipelineError;

/// The file's name.
const LEDGER_FILE: &str = "ledger.json";

/// What one box cost. A field is `None` where the operating system does not tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Key of the artifact that was made.
    pub key: String,
    /// Whether the artifact was there from before; the figures are then those of the run that made it.
    pub reused: bool,
    /// Milliseconds from begin to end.
    pub wall_ms: f64,
    /// Milliseconds of processor time, of all threads.
    pub cpu_ms: Option<f64>,
    /// Bytes read from files.
    pub read_bytes: Option<u64>,
    /// Bytes written to files.
    pub written_bytes: Option<u64>,
    /// Most memory that the process had at once until then, in bytes.
    pub peak_memory_bytes: Option<u64>,
    /// Items that the box went through.
    pub items: u64,
}

/// The costs of a run, by stage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// Cost by stage.
    pub stages: BTreeMap<String, Cost>,
    /// Milliseconds by step, and tokens, over the questions.
    pub per_question: Costs,
}

impl Ledger {
    /// Reads the ledger in the folder `run`; an empty one when there is none.
    pub fn read(run: &Path) -> Result<Self, PipelineError> {
        match fs_err::read(run.join(LEDGER_FILE)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            bytes => Ok(serde_json::from_slice(&bytes?).unwrap_or_default()),
        }
    }

    /// Writes the ledger into the folder `run`.
    pub(super) fn write(&self, run: &Path) -> Result<(), PipelineError> {
        let text = serde_json::to_vec_pretty(self).expect("costs are plain data");
        Ok(replace_file(&run.join(LEDGER_FILE), &text)?)
    }

    /// Milliseconds of all boxes together.
    pub fn wall_ms(&self) -> f64 {
        self.stages.values().map(|cost| cost.wall_ms).sum()
    }
}

/// Counters of this process at one moment.
pub(super) struct Meter {
    started: Instant,
    cpu_ms: Option<f64>,
    transferred: Option<(u64, u64)>,
}

impl Meter {
    /// Begins to measure.
    pub(super) fn begin() -> Self {
        Self {
            started: Instant::now(),
            cpu_ms: system::cpu_ms(),
            transferred: system::transferred(),
        }
    }

    /// The cost since then.
    pub(super) fn end(self, key: String, items: u64) -> Cost {
        let now = system::transferred();
        let since = |pick: fn((u64, u64)) -> u64| {
            let (now, then) = (now.map(pick)?, self.transferred.map(pick)?);
            Some(now.saturating_sub(then))
        };
        Cost {
            key,
            reused: false,
            wall_ms: self.started.elapsed().as_secs_f64() * 1e3,
            cpu_ms: system::cpu_ms().zip(self.cpu_ms).map(|(now, then)| now - then),
            read_bytes: since(|(read, _)| read),
            written_bytes: since(|(_, written)| written),
            peak_memory_bytes: system::peak_memory(),
            items,
        }
    }
}

/// What Linux tells about this process below `/proc/self`; nothing elsewhere.
mod system {
    use fs_err::read_to_string;

    /// Linux counts in hundredths of a second in files that programs read, whatever its own clock.
    const MS_PER_TICK: f64 = 10.0;

    /// Milliseconds of processor time, user and system, of all threads, those that ended among them.
    pub(super) fn cpu_ms() -> Option<f64> {
        let text = read_to_string("/proc/self/stat").ok()?;
        // The second field is the program's name in parentheses and may hold anything.
        let fields: Vec<&str> = text[text.rfind(')')? + 1..].split_whitespace().collect();
        let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(ticks as f64 * MS_PER_TICK)
    }

    /// Bytes read and written by system calls.
    pub(super) fn transferred() -> Option<(u64, u64)> {
        let text = read_to_string("/proc/self/io").ok()?;
        Some((field(&text, "rchar:")?, field(&text, "wchar:")?))
    }

    /// Most resident memory so far, in bytes.
    pub(super) fn peak_memory() -> Option<u64> {
        let text = read_to_string("/proc/self/status").ok()?;
        Some(field(&text, "VmHWM:")? * 1024)
    }

    fn field(text: &str, name: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_costs_time_and_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let meter = Meter::begin();
        fs_err::write(folder.path().join("file"), vec![1; 100_000]).unwrap();
        let cost = meter.end("key".into(), 1);
        assert!(cost.wall_ms > 0.0);
        if cfg!(target_os = "linux") {
            assert!(cost.written_bytes.unwrap() >= 100_000);
            assert!(cost.peak_memory_bytes.unwrap() > 1 << 20);
            assert!(cost.cpu_ms.unwrap() >= 0.0);
        }
    }
}

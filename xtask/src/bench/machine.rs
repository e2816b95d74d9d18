//! What the figures were taken on.

use std::fmt;

use rag_models::bert::InstructionSet;
use serde::Serialize;

/// The machine, as far as it decides speed.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Machine {
    /// The processor's name.
    processor: String,
    /// Processors that this process may use.
    processors: usize,
    /// Memory, in bytes.
    memory_bytes: u64,
    /// The best instruction set that our kernels find.
    instructions: String,
    /// The operating system.
    system: String,
}

impl Machine {
    /// This machine; what the operating system does not tell is `unknown` or 0.
    pub(super) fn describe() -> Self {
        let field = |file: &str, name: &str| {
            let text = fs_err::read_to_string(file).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split_once(':'))
                .map(|(_, value)| value.trim().to_owned())
        };
        let kilobytes = field("/proc/meminfo", "MemTotal").and_then(|value| {
            value
                .split_whitespace()
                .next()
                .and_then(|digits| digits.parse().ok())
        });
        Self {
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: kilobytes.unwrap_or(0_u64) * 1024,
            instructions: format!("{:?}", InstructionSet::detect()),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} processors, {} GB, {}, {}",
            self.processor,
            self.processors,
            self.memory_bytes / 1_000_000_000,
            self.instructions,
            self.system
        )
    }
}

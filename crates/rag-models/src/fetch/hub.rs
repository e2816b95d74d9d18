//! The model hub as a source, through `hf-hub`, with the two things it lacks: a limit on how long the hub
//! may take to answer, and one on how long a transfer may stand still.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use fs_err as fs;
use hf_hub::api::sync::{Api, ApiBuilder};
use rag_core::progress::{Progress, Unit};

use super::FetchError;
use super::cache::Cache;
use super::config::HubConfig;
use crate::catalogue::{HubFile, ModelFile};

/// The hub, for one model.
pub(super) struct Hub<'h> {
    config: &'h HubConfig,
    cache_folder: PathBuf,
    repository: &'h str,
}

/// What came of asking the hub.
pub(super) enum HubOutcome {
    /// The file is in our cache now.
    Got(PathBuf),
    /// The hub cannot deliver this file; the reason is worth a line.
    Passed(String),
    /// The hub does not answer at all, so it need not be asked again.
    Unreachable(String),
}

/// What the transfer's thread reports.
enum Event {
    Announced(Announcement),
    Bytes(u64),
    Done(PathBuf),
    Failed(String),
}

/// Size and digest as the hub announces them.
struct Announcement {
    bytes: u64,
    etag: String,
}

impl<'h> Hub<'h> {
    pub(super) fn new(config: &'h HubConfig, cache_root: &Path, repository: &'h str) -> Self {
        let cache_folder = config.cache.clone().unwrap_or_else(|| cache_root.join("hub"));
        Self {
            config,
            cache_folder,
            repository,
        }
    }

    /// The file, if it lies in the hub's cache folder already (put there by any program).
    pub(super) fn cached(&self, file: &ModelFile, cache: &Cache) -> Option<PathBuf> {
        let (HubFile::Same(name) | HubFile::Candidate(name)) = file.hub else {
            return None;
        };
        let path = hf_hub::Cache::new(self.cache_folder.clone())
            .model(self.repository.to_owned())
            .get(name)?;
        // Another revision of the file is no error here: the sources that follow have the pinned one.
        let mut source = fs::File::open(&path).ok()?;
        cache.admit(file, "the hub's cache", &mut source).ok()
    }

    /// Downloads the file into the hub's cache folder and admits it to ours.
    pub(super) fn download(
        &self,
        file: &ModelFile,
        cache: &Cache,
        progress: &dyn Progress,
    ) -> Result<HubOutcome, FetchError> {
        let name = match file.hub {
            HubFile::Same(name) | HubFile::Candidate(name) => name,
            HubFile::None => {
                return Ok(HubOutcome::Passed(format!(
                    "the hub has no copy of this {}",
                    file.name
                )));
            }
        };
        let task = format!("{} {}", self.repository, file.name);
        let outcome = self.transfer(name, file, progress, &task);
        progress.finish(&task);
        let path = match outcome? {
            HubOutcome::Got(path) => path,
            other => return Ok(other),
        };
        let mut source = fs::File::open(&path).map_err(|source| cache.error(source))?;
        match cache.admit(file, &self.config.endpoint, &mut source) {
            Ok(admitted) => Ok(HubOutcome::Got(admitted)),
            Err(error) => {
                forget(&path);
                Err(error)
            }
        }
    }

    /// Runs the transfer on a thread of its own and watches it: `hf-hub` waits for ever on a dead line.
    fn transfer(
        &self,
        name: &'static str,
        file: &ModelFile,
        progress: &dyn Progress,
        task: &str,
    ) -> Result<HubOutcome, FetchError> {
        let mut builder = ApiBuilder::new()
            .with_endpoint(self.config.endpoint.clone())
            .with_cache_dir(self.cache_folder.clone())
            .with_progress(false);
        if let Some(token) = &self.config.token {
            builder = builder.with_token(Some(token.0.clone()));
        }
        let api = match builder.build() {
            Ok(api) => api,
            Err(error) => return Ok(HubOutcome::Passed(error.to_string())),
        };
        let repository = self.repository.to_owned();
        let (sender, events) = channel();
        std::thread::spawn(move || run_transfer(&api, repository, name, &sender));
        self.watch(&events, file, progress, task)
    }

    fn watch(
        &self,
        events: &Receiver<Event>,
        file: &ModelFile,
        progress: &dyn Progress,
        task: &str,
    ) -> Result<HubOutcome, FetchError> {
        let mut patience = Duration::from_millis(self.config.answer_timeout_ms);
        let mut answered = false;
        let mut received = 0;
        loop {
            match events.recv_timeout(patience) {
                Ok(Event::Announced(announced)) => {
                    if let Some(outcome) = self.judge(&announced, file)? {
                        return Ok(outcome);
                    }
                    answered = true;
                    patience = Duration::from_millis(self.config.stall_timeout_ms);
                    progress.start(task, Some(file.bytes), Unit::Bytes);
                }
                Ok(Event::Bytes(bytes)) => {
                    received += bytes;
                    if received > file.bytes {
                        return Ok(HubOutcome::Passed(format!(
                            "{} sends more than it announced",
                            self.config.endpoint
                        )));
                    }
                    progress.advance(task, bytes);
                }
                Ok(Event::Done(path)) => return Ok(HubOutcome::Got(path)),
                Ok(Event::Failed(reason)) if answered || reason.contains("http status") => {
                    return Ok(HubOutcome::Passed(format!("{}: {reason}", self.config.endpoint)));
                }
                Ok(Event::Failed(reason)) => {
                    return Ok(HubOutcome::Unreachable(format!(
                        "{} cannot be reached: {reason}",
                        self.config.endpoint
                    )));
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Ok(HubOutcome::Unreachable(format!(
                        "{} gave no answer within {} ms",
                        self.config.endpoint,
                        patience.as_millis()
                    )));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(HubOutcome::Passed(format!(
                        "the transfer from {} broke off",
                        self.config.endpoint
                    )));
                }
            }
        }
    }

    /// Decides by the announcement whether the download is worth starting.
    fn judge(&self, announced: &Announcement, file: &ModelFile) -> Result<Option<HubOutcome>, FetchError> {
        let is_sha256 = announced.etag.len() == 64 && announced.etag.bytes().all(|b| b.is_ascii_hexdigit());
        let other_digest = is_sha256 && announced.etag != file.sha256;
        if !other_digest && announced.bytes == file.bytes {
            return Ok(None);
        }
        if let HubFile::Candidate(name) = file.hub {
            return Ok(Some(HubOutcome::Passed(format!(
                "{} has another {name} than the pinned one",
                self.config.endpoint
            ))));
        }
        Err(FetchError::WrongDigest {
            file: file.name.to_owned(),
            from: format!(
                "{} (as announced, {} bytes of {} expected)",
                self.config.endpoint, announced.bytes, file.bytes
            ),
            expected: file.sha256.to_owned(),
            got: announced.etag.clone(),
        })
    }
}

fn run_transfer(api: &Api, repository: String, name: &str, events: &Sender<Event>) {
    let repository = api.model(repository);
    // A receiver that is gone has given up on us; what is left to say interests nobody.
    let tell = |event| events.send(event).is_ok();
    let announced = match announcement(api, &repository.url(name)) {
        Ok(announced) => announced,
        Err(reason) => {
            tell(Event::Failed(reason));
            return;
        }
    };
    if !tell(Event::Announced(announced)) {
        return;
    }
    let result = repository.download_with_progress(name, Reporter(events.clone()));
    tell(match result {
        Ok(path) => Event::Done(path),
        Err(error) => Event::Failed(error.to_string()),
    });
}

fn announcement(api: &Api, address: &str) -> Result<Announcement, String> {
    let found = api.metadata(address).map_err(|error| error.to_string())?;
    // Both become parts of a path.
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if !plain(found.etag()) || !plain(found.commit_hash()) {
        return Err("the answer names a file version that is no plain word".into());
    }
    Ok(Announcement {
        bytes: found.size() as u64,
        etag: found.etag().to_owned(),
    })
}

/// Passes `hf-hub`'s progress on.
struct Reporter(Sender<Event>);

impl hf_hub::api::Progress for Reporter {
    fn init(&mut self, _size: usize, _filename: &str) {}

    fn update(&mut self, size: usize) {
        let _ = self.0.send(Event::Bytes(size as u64));
    }

    fn finish(&mut self) {}
}

/// Removes a wrong file from the hub's cache: the pointer and what it points to.
fn forget(pointer: &Path) {
    if let Ok(blob) = fs::canonicalize(pointer) {
        let _ = fs::remove_file(blob);
    }
    let _ = fs::remove_file(pointer);
}

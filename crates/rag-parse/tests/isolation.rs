//! Parsing in child processes: what a hostile file does to its worker costs one diagnostic.
//!
//! This program is its own worker, so it has no test harness: started with `--worker` it parses, and
//! plays dead or hangs when it is told to parse a file of such a name.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test program, though without the test harness"
)]

use rag_core::document::DOCUMENTS_FILE;
use std::io::Read;
use std::path::{Path, PathBuf};

use rag_core::artifact::Artifact;
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic};
use rag_core::progress::Silent;
use rag_core::stage::Outcome;
use rag_parse::{Config, ParseError, Runtime, STAGE, WorkerCommand, run};

fn main() {
    if std::env::args().any(|arg| arg == "--worker") {
        let input = Trap {
            input: std::io::stdin(),
        };
        rag_parse::worker::worker_main(input, std::io::stdout()).expect("the parent speaks the protocol");
        return;
    }
    deaths_and_hangs_cost_one_file_each();
    memory_is_bounded();
    children_write_what_the_parent_would();
    a_command_that_is_no_worker_is_named();
    println!("isolation: ok");
}

/// Passes the input on, but dies or hangs when the name of a file says so.
struct Trap<R> {
    input: R,
}

impl<R: Read> Read for Trap<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(buffer)?;
        let seen = String::from_utf8_lossy(&buffer[..read]);
        if seen.contains("dies.md") {
            std::process::abort();
        }
        while seen.contains("hangs.md") {
            std::thread::park();
        }
        Ok(read)
    }
}

fn worker() -> WorkerCommand {
    let program = std::env::current_exe().expect("this program has a path");
    WorkerCommand {
        program,
        args: vec!["--worker".to_owned()],
    }
}

struct Case {
    root: tempfile::TempDir,
}

impl Case {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join("in").join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn run(
        &self,
        config: &Config,
        worker: Option<WorkerCommand>,
        output: &str,
    ) -> Result<Outcome, ParseError> {
        let runtime = Runtime {
            workers: 2,
            worker,
            ..Runtime::default()
        };
        run(config, &self.path("in"), &self.path(output), &runtime, &Silent)
    }
}

fn reasons(output: &Path) -> Vec<(String, String)> {
    let artifact = Artifact::open(output, STAGE).unwrap();
    let diagnostics = artifact
        .json_lines::<Diagnostic>(DIAGNOSTICS_FILE)
        .unwrap()
        .map(Result::unwrap);
    diagnostics
        .map(|diagnostic| (diagnostic.source, diagnostic.reason))
        .collect()
}

fn deaths_and_hangs_cost_one_file_each() {
    let case = Case::new(&[
        ("a.md", "Text a."),
        ("b-dies.md", "x"),
        ("c.md", "Text c."),
        ("d-hangs.md", "x"),
        ("e-dies.md", "x"),
        ("f.md", "Text f."),
    ]);
    let mut config = Config::default();
    config.limits.file_timeout_ms = 2_000;
    let outcome = case.run(&config, Some(worker()), "out").unwrap();
    assert_eq!(
        outcome,
        Outcome {
            seen: 6,
            reused: 0,
            written: 3,
            quarantined: 3
        }
    );
    let expected = [
        ("b-dies.md", "crashed"),
        ("d-hangs.md", "timeout"),
        ("e-dies.md", "crashed"),
    ];
    let expected = expected.map(|(source, reason)| (source.to_owned(), reason.to_owned()));
    assert_eq!(reasons(&case.path("out")), expected);
}

fn memory_is_bounded() {
    let big = "word ".repeat(40 << 20);
    let case = Case::new(&[("big.txt", &big), ("small.md", "Text.")]);
    let mut config = Config::default();
    config.limits.max_file_bytes = 1 << 30;
    config.limits.worker_memory_bytes = 160 << 20;
    let outcome = case.run(&config, Some(worker()), "out").unwrap();
    assert_eq!((outcome.written, outcome.quarantined), (1, 1));
    assert_eq!(
        reasons(&case.path("out")),
        [("big.txt".to_owned(), "crashed".to_owned())]
    );
}

fn children_write_what_the_parent_would() {
    let case = Case::new(&[
        ("a.md", "# A\n\n| K | V |\n|---|---|\n| 1 | 2 |"),
        ("b.html", "<h1>B</h1><p>Text</p>"),
        ("c.txt", ""),
    ]);
    let config = Config::default();
    case.run(&config, Some(worker()), "isolated").unwrap();
    case.run(&config, None, "in-process").unwrap();
    for name in [DOCUMENTS_FILE, DIAGNOSTICS_FILE] {
        let read = |output: &str| fs_err::read(case.path(output).join(name)).unwrap();
        assert_eq!(read("isolated"), read("in-process"), "{name}");
    }
}

fn a_command_that_is_no_worker_is_named() {
    let case = Case::new(&[("a.md", "Text.")]);
    for program in ["/no/such/program", "true"] {
        let command = WorkerCommand {
            program: PathBuf::from(program),
            args: Vec::new(),
        };
        let error = case
            .run(&Config::default(), Some(command), "out")
            .unwrap_err()
            .to_string();
        assert!(error.contains(program), "{error}");
    }
}

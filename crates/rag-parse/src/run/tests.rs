//! Tests of whole runs over small folders, parsed inside the process.

use std::path::{Path, PathBuf};

use rag_core::artifact::Artifact;
use rag_core::diagnostic::{Diagnostic, Severity};
use rag_core::document::Document;
use rag_core::progress::Silent;
use rag_core::stage::Outcome;

use super::{DIAGNOSTICS_FILE, DOCUMENTS_FILE, STAGE, run};
use crate::config::{Config, Runtime};

struct Folder {
    root: tempfile::TempDir,
}

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self {
            root: tempfile::tempdir().unwrap(),
        };
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn input(&self) -> PathBuf {
        self.root.path().join("in")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.input().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    fn remove(&self, name: &str) {
        fs_err::remove_file(self.input().join(name)).unwrap();
    }

    fn runtime(&self) -> Runtime {
        Runtime {
            workers: 2,
            state_dir: Some(self.root.path().join("state")),
            ..Runtime::default()
        }
    }

    fn run(&self) -> Outcome {
        self.run_with(&Config::default(), &self.runtime())
    }

    fn run_with(&self, config: &Config, runtime: &Runtime) -> Outcome {
        run(config, &self.input(), &self.output(), runtime, &Silent).unwrap()
    }

    fn output(&self) -> PathBuf {
        self.root.path().join("out")
    }

    fn documents(&self) -> Vec<Document> {
        let artifact = Artifact::open(&self.output(), STAGE).unwrap();
        artifact
            .json_lines(DOCUMENTS_FILE)
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    fn sources(&self) -> Vec<String> {
        self.documents()
            .into_iter()
            .map(|document| document.source)
            .collect()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let artifact = Artifact::open(&self.output(), STAGE).unwrap();
        artifact
            .json_lines(DIAGNOSTICS_FILE)
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    fn reasons(&self) -> Vec<(String, String)> {
        self.diagnostics()
            .into_iter()
            .map(|d| (d.source, d.reason))
            .collect()
    }

    fn bytes(&self) -> Vec<u8> {
        fs_err::read(self.output().join(DOCUMENTS_FILE)).unwrap()
    }
}

fn outcome(seen: u64, reused: u64, written: u64, quarantined: u64) -> Outcome {
    Outcome {
        seen,
        reused,
        written,
        quarantined,
    }
}

const THREE: &[(&str, &str)] = &[
    ("b.md", "# B\n\nText b."),
    ("a/x.txt", "Text of x."),
    ("a.csv", "K,V\n1,2\n"),
];

#[test]
fn documents_come_in_path_order_and_an_unchanged_folder_does_no_work() {
    let folder = Folder::new(THREE);
    assert_eq!(folder.run(), outcome(3, 0, 3, 0));
    assert_eq!(folder.sources(), ["a.csv", "a/x.txt", "b.md"]);
    let first = folder.bytes();
    assert_eq!(folder.run(), outcome(3, 3, 0, 0));
    assert_eq!(folder.bytes(), first);
}

#[test]
fn one_changed_file_costs_one_file_and_a_deleted_one_is_gone() {
    let folder = Folder::new(THREE);
    folder.run();
    folder.write("b.md", "# B\n\nOther text.");
    assert_eq!(folder.run(), outcome(3, 2, 1, 0));
    folder.remove("a.csv");
    assert_eq!(folder.run(), outcome(2, 2, 0, 0));
    assert_eq!(folder.sources(), ["a/x.txt", "b.md"]);
}

#[test]
fn runs_over_the_same_files_give_the_same_bytes() {
    let (one, two) = (Folder::new(THREE), Folder::new(&[]));
    one.run();
    for (name, text) in THREE.iter().rev() {
        two.write(name, text);
        two.run();
    }
    assert_eq!(one.bytes(), two.bytes());
}

#[test]
fn a_changed_sidecar_or_folder_default_changes_its_documents_only() {
    let folder = Folder::new(THREE);
    folder.run();
    folder.write("a/_defaults.meta.toml", "access = ['hr']\ndepartment = 'HR'\n");
    assert_eq!(folder.run(), outcome(3, 2, 1, 0));
    folder.write("a/x.txt.meta.toml", "access = ['exec']\n");
    assert_eq!(folder.run(), outcome(3, 2, 1, 0));
    let groups = |document: &Document| document.access.groups().map(str::to_owned).collect::<Vec<_>>();
    let documents = folder.documents();
    assert_eq!(
        documents.iter().map(groups).collect::<Vec<_>>(),
        [["everyone"], ["exec"], ["everyone"]]
    );
    assert_eq!(documents[1].department.as_deref(), Some("HR"));
}

#[test]
fn bad_files_are_quarantined_and_the_rest_goes_on() {
    let folder = Folder::new(THREE);
    folder.write("empty.md", "");
    fs_err::write(folder.input().join("image.png"), b"\x89PNG\r\n").unwrap();
    fs_err::write(folder.input().join("binary.dat"), [0u8, 1, 2, 3, 4].repeat(100)).unwrap();
    folder.write("front.md", "---\naccess: [hr\n---\nSecret");
    folder.write("side.md", "Secret");
    folder.write("side.md.meta.toml", "access = [");
    folder.write("closed/_defaults.meta.toml", "access = 7");
    folder.write("closed/deep/file.md", "Secret");
    folder.write("lost.md.meta.toml", "access = ['hr']");
    folder.write(".hidden.md", "x");
    folder.write(".git/config", "x");
    assert_eq!(folder.run(), outcome(9, 0, 3, 6));
    let expected = [
        ("binary.dat", "binary"),
        ("closed/_defaults.meta.toml", "metadata"),
        ("closed/deep/file.md", "metadata"),
        ("empty.md", "empty"),
        ("front.md", "metadata"),
        ("image.png", "unsupported"),
        ("lost.md.meta.toml", "orphan-sidecar"),
        ("side.md", "metadata"),
    ];
    let found = folder.reasons();
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(source, reason)| (source.as_str(), reason.as_str()))
        .collect();
    assert_eq!(found, expected);
    // Nothing is tried again, and the count stays.
    assert_eq!(folder.run(), outcome(9, 3, 0, 6));
    folder.write("new.md", "New text.");
    assert_eq!(folder.run(), outcome(10, 3, 1, 6));
}

#[test]
fn the_second_file_of_an_id_is_quarantined_until_the_first_is_gone() {
    let text = "---\nid: same\n---\nText.";
    let folder = Folder::new(&[("a.md", text), ("b.md", text)]);
    assert_eq!(folder.run(), outcome(2, 0, 1, 1));
    assert_eq!(folder.reasons(), [("b.md".to_owned(), "duplicate-id".to_owned())]);
    assert!(folder.diagnostics()[0].message.contains("a.md"));
    folder.remove("a.md");
    assert_eq!(folder.run(), outcome(1, 0, 1, 0));
    assert_eq!(folder.sources(), ["b.md"]);
}

#[test]
fn a_run_that_did_not_publish_is_taken_up_from_its_journal() {
    let folder = Folder::new(THREE);
    folder.run();
    // An output that cannot be replaced ends the run after all files were parsed.
    fs_err::remove_dir_all(folder.output()).unwrap();
    folder.write("../out/precious", "not an artifact");
    let result = run(
        &Config::default(),
        &folder.input(),
        &folder.output(),
        &folder.runtime(),
        &Silent,
    );
    assert!(result.is_err());
    fs_err::remove_dir_all(folder.output()).unwrap();
    assert_eq!(folder.run(), outcome(3, 3, 0, 0));
    assert!(!folder.root.path().join("state/parse.journal").exists());
    let names = fs_err::read_dir(folder.root.path()).unwrap().count();
    assert_eq!(names, 3, "in, out and state, no drafts");
}

#[test]
fn other_settings_parse_everything_again() {
    let folder = Folder::new(THREE);
    folder.run();
    let mut config = Config::default();
    config.limits.max_blocks = 1;
    assert_eq!(folder.run_with(&config, &folder.runtime()), outcome(3, 0, 3, 0));
    assert_eq!(folder.diagnostics()[0].severity, Severity::Warning);
}

#[test]
fn a_damaged_previous_output_is_done_without() {
    let folder = Folder::new(THREE);
    folder.run();
    let path = folder.output().join(DOCUMENTS_FILE);
    let mut bytes = fs_err::read(&path).unwrap();
    bytes[10] ^= 1;
    fs_err::write(&path, bytes).unwrap();
    assert_eq!(folder.run(), outcome(3, 0, 3, 0));
}

#[test]
fn a_store_inside_the_input_is_not_parsed() {
    let folder = Folder::new(THREE);
    let inside = folder.input().join("store");
    let runtime = Runtime {
        state_dir: Some(inside.join("state")),
        ..Runtime::default()
    };
    for _ in 0..2 {
        let seen = run(
            &Config::default(),
            &folder.input(),
            &inside.join("documents"),
            &runtime,
            &Silent,
        )
        .unwrap()
        .seen;
        assert_eq!(seen, 3);
    }
}

#[test]
fn a_missing_input_is_named() {
    let folder = Folder::new(&[]);
    let error = run(
        &Config::default(),
        Path::new("no/such/folder"),
        &folder.output(),
        &Runtime::default(),
        &Silent,
    );
    assert!(error.unwrap_err().to_string().contains("no/such/folder"));
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_reported_and_not_followed() {
    let folder = Folder::new(THREE);
    folder.write("../outside/secret.md", "Secret.");
    std::os::unix::fs::symlink(folder.root.path().join("outside"), folder.input().join("link")).unwrap();
    std::os::unix::fs::symlink(
        folder.root.path().join("outside/secret.md"),
        folder.input().join("s.md"),
    )
    .unwrap();
    assert_eq!(folder.run(), outcome(3, 0, 3, 0));
    let reasons: Vec<String> = folder.reasons().into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, ["symlink", "symlink"]);
}

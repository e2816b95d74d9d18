//! Tests of whole runs over small folders, parsed inside the process.

use std::path::{Path, PathBuf};

use rag_core::artifact::Artifact;
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic, Severity};
use rag_core::document::{DOCUMENTS_FILE, Document};
use rag_core::progress::Silent;
use rag_core::stage::Outcome;

use super::{STAGE, run};
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
    assert_eq!(folder.run(), outcome(10, 0, 3, 7));
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
    assert_eq!(folder.run(), outcome(10, 3, 0, 7));
    folder.write("new.md", "New text.");
    assert_eq!(folder.run(), outcome(11, 3, 1, 7));
}

#[test]
fn paths_that_make_the_same_id_are_told_apart() {
    let folder = Folder::new(&[("a b.md", "One."), ("a-b.md", "Two."), ("a\tb.md", "Three.")]);
    assert_eq!(folder.run(), outcome(3, 0, 3, 0));
    let ids = |folder: &Folder| -> Vec<(String, String)> {
        let documents = folder.documents();
        documents
            .into_iter()
            .map(|d| (d.source, d.id.to_string()))
            .collect()
    };
    let found = ids(&folder);
    let of = |source: &str| {
        found
            .iter()
            .find(|(at, _)| at == source)
            .map(|(_, id)| id.clone())
            .unwrap()
    };
    assert_eq!(of("a-b.md"), "a-b.md");
    assert!(of("a b.md").starts_with("a-b.md-") && of("a\tb.md").starts_with("a-b.md-"));
    // When the others are gone, the one that is left has it, although its document is taken over.
    folder.remove("a-b.md");
    folder.remove("a\tb.md");
    assert_eq!(folder.run(), outcome(1, 1, 0, 0));
    assert_eq!(ids(&folder), [("a b.md".to_owned(), "a-b.md".to_owned())]);
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

/// The sources that were quarantined, and the reasons.
fn quarantined(folder: &Folder) -> Vec<(String, String)> {
    let diagnostics = folder.diagnostics().into_iter();
    let lost = diagnostics.filter(|d| d.severity == Severity::Quarantined);
    lost.map(|d| (d.source, d.reason)).collect()
}

#[test]
fn stores_and_artifacts_below_the_documents_do_not_become_public_documents() {
    let folder = Folder::new(THREE);
    folder.run();
    // What an earlier run wrote about restricted documents, kept below the documents under any name.
    let inside = folder.input().join("old/backup");
    fs_err::create_dir_all(folder.input().join("old")).unwrap();
    fs_err::rename(folder.output(), &inside).unwrap();
    folder.write("kept/store.json", "{\"layout\": 1, \"source\": \"/x\"}");
    folder.write("kept/work/notes.txt", "Secret.");
    folder.write("site/manifest.json", "{\"name\": \"App\"}");
    folder.write("site/page.txt", "Public.");
    folder.run();
    assert_eq!(
        folder.sources(),
        ["a.csv", "a/x.txt", "b.md", "site/manifest.json", "site/page.txt"]
    );
    let expected = ["kept", "old/backup"].map(|source| (source.to_owned(), "own-output".to_owned()));
    assert_eq!(folder.reasons(), expected);
}

#[test]
fn a_store_an_artifact_and_what_is_inside_are_refused_as_documents() {
    let folder = Folder::new(THREE);
    folder.run();
    folder.write("../store/store.json", "{\"layout\": 1, \"source\": \"/x\"}");
    folder.write("../store/work/parse.journal", "Secret.");
    for name in ["out", "store", "store/work"] {
        let input = folder.root.path().join(name);
        let output = folder.root.path().join("again");
        let error = run(&Config::default(), &input, &output, &folder.runtime(), &Silent).unwrap_err();
        assert!(
            error.to_string().contains("folder of the original files"),
            "{name}: {error}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_sidecar_that_is_no_plain_file_does_not_make_its_documents_public() {
    let folder = Folder::new(&[]);
    folder.write("../elsewhere.toml", "access = ['hr']");
    let names = ["a.txt.meta.toml", "d/_defaults.meta.toml"];
    let elsewhere = folder.root.path().join("elsewhere.toml");
    let link = |path: &Path| std::os::unix::fs::symlink(&elsewhere, path).unwrap();
    let dangling = |path: &Path| std::os::unix::fs::symlink("nowhere", path).unwrap();
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    let directory = |path: &Path| {
        fs_err::create_dir(path).unwrap();
        fs_err::write(path.join("inner.txt"), "Secret.").unwrap();
    };
    let makers: [&dyn Fn(&Path); 4] = [&link, &dangling, &pipe, &directory];
    for make in makers {
        folder.write("a.txt", "Secret.");
        folder.write("d/deep/b.txt", "Secret.");
        folder.write("c.txt", "Public.");
        for name in names {
            make(&folder.input().join(name));
        }
        assert_eq!(folder.run(), outcome(3, 0, 1, 2));
        assert_eq!(folder.sources(), ["c.txt"]);
        let expected = ["a.txt", "d/deep/b.txt"].map(|source| (source.to_owned(), "metadata".to_owned()));
        assert_eq!(quarantined(&folder), expected);
        fs_err::remove_dir_all(folder.input()).unwrap();
        fs_err::remove_dir_all(folder.output()).unwrap();
    }
}

const EVERY: &[&str] = &["a28.txt", "r\u{e9}sum\u{e9}.txt", "sub/b.txt"];

#[test]
fn a_misnamed_or_left_over_sidecar_does_not_leave_its_documents_public() {
    let cases: &[(&str, &[&str])] = &[
        ("a28.meta.toml", &["a28.txt"]),
        ("A28.txt.meta.toml", &["a28.txt"]),
        ("a28.docx.meta.toml", &["a28.txt"]),
        ("a28.META.toml", &["a28.txt"]),
        ("a28.txt.Meta.TOML", &["a28.txt"]),
        ("a28.meta.yaml", &["a28.txt"]),
        ("a28.txt.meta.json", &["a28.txt"]),
        ("a28.txt.meta", &["a28.txt"]),
        ("a28.txt.metadata.yml", &["a28.txt"]),
        ("a28.txt_meta.toml", &["a28.txt"]),
        ("a28.txt.meta.toml.txt", &["a28.txt"]),
        ("a28.txt.meta.toml~", &["a28.txt"]),
        ("a28.txt.toml", &["a28.txt"]),
        ("a28.txt.mata.toml", &["a28.txt"]),
        (".a28.txt.meta.toml", &["a28.txt"]),
        ("re\u{301}sume\u{301}.txt.meta.toml", &["r\u{e9}sum\u{e9}.txt"]),
        ("_Defaults.meta.toml", EVERY),
        ("defaults.meta.toml", EVERY),
        ("_default.meta.toml", EVERY),
        ("_defaults.toml", EVERY),
        ("_defaults.meta.yaml", EVERY),
        ("_defaults.meta.toml.bak", EVERY),
        (".meta.toml", EVERY),
        ("meta.toml", EVERY),
    ];
    for (name, expected) in cases {
        let folder = Folder::new(&[("in.txt", "Public.")]);
        for source in EVERY {
            folder.write(&format!("x/{source}"), "Secret.");
        }
        folder.run();
        folder.write(&format!("x/{name}"), "access = ['hr']");
        let lost = expected.len() as u64;
        assert_eq!(folder.run(), outcome(4, 4 - lost, 0, lost), "{name}");
        let expected = expected
            .iter()
            .map(|source| (format!("x/{source}"), "sidecar".to_owned()));
        assert_eq!(quarantined(&folder), expected.collect::<Vec<_>>(), "{name}");
        // The documents are back as soon as the sidecar is gone.
        folder.remove(&format!("x/{name}"));
        assert_eq!(folder.run(), outcome(4, 4 - lost, lost, 0), "{name}");
    }
}

#[test]
fn a_sidecar_that_fits_nothing_counts_as_quarantined() {
    for name in ["gone.txt.meta.toml", "gone.meta.yaml", "gone.META.toml"] {
        let folder = Folder::new(&[("a.txt", "Public."), (name, "access = ['hr']")]);
        assert_eq!(folder.run(), outcome(2, 0, 1, 1), "{name}");
        assert_eq!(
            quarantined(&folder),
            [(name.to_owned(), "orphan-sidecar".to_owned())]
        );
    }
}

#[test]
fn a_copy_of_a_sidecar_that_is_there_and_ordinary_files_withhold_nothing() {
    let folder = Folder::new(&[
        ("a.txt", "Text."),
        ("a.txt.meta.toml", "access = ['hr']"),
        ("a.txt.meta.toml~", "access = ['everyone']"),
        ("_defaults.meta.toml", "department = 'HR'"),
        ("._a.txt.meta.toml", "resource fork"),
        ("pyproject.toml", "[project]"),
        ("pyproject.md", "Text."),
        ("meta.txt", "Text about meta."),
        ("defaults.toml", "x = 1"),
    ]);
    assert_eq!(folder.run(), outcome(5, 0, 5, 0));
    assert_eq!(
        folder.reasons(),
        [("a.txt.meta.toml~".to_owned(), "misnamed-sidecar".to_owned())]
    );
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

//! What a second run takes over, and what it must not.

use rag_core::access::AccessList;
use rag_core::artifact::jsonl;
use rag_core::diagnostic::{DIAGNOSTICS_FILE, Diagnostic};
use rag_core::document::BlockKind::Paragraph;
use rag_core::id::DocumentId;
use rag_core::passage::{PASSAGES_FILE, Passage};
use rag_core::progress::Silent;

use super::*;
use crate::testing::document;
use crate::tokens::Words;

fn named(id: &str, text: &str) -> Document {
    Document {
        id: DocumentId::new(id).unwrap(),
        ..document(&[(Paragraph, text, &[])])
    }
}

/// Publishes `documents` as a parse artifact.
fn publish(input: &Path, documents: &[Document]) {
    let key = StageKey::new(stage::PARSE, 1, &documents);
    let writer = ArtifactWriter::begin(input, key).unwrap();
    jsonl::write_all(&writer.path(DOCUMENTS_FILE), documents).unwrap();
    writer.publish(Outcome::default()).unwrap();
}

fn tools(counter: &dyn TokenCounter) -> Tools<'_> {
    Tools {
        counter,
        counter_identity: "words",
        describer: None,
        previous: None,
        progress: &Silent,
    }
}

/// Publishes `documents` and cuts them.
fn chunk(folder: &Path, documents: &[Document], config: &Config) -> Outcome {
    let input = folder.join("documents");
    publish(&input, documents);
    run(config, &input, &folder.join("passages"), &tools(&Words)).unwrap()
}

fn passages(folder: &Path) -> Vec<Passage> {
    let artifact = Artifact::open(&folder.join("passages"), STAGE).unwrap();
    artifact
        .json_lines(PASSAGES_FILE)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

fn counts(outcome: Outcome) -> [u64; 4] {
    [outcome.seen, outcome.reused, outcome.written, outcome.quarantined]
}

#[test]
fn unchanged_documents_are_taken_over_and_changed_ones_cut_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::default();
    let mut documents = vec![named("a", "One. Two."), named("b", "Three."), named("c", "Four.")];
    assert_eq!(counts(chunk(folder.path(), &documents, &config)), [3, 0, 3, 0]);
    assert_eq!(counts(chunk(folder.path(), &documents, &config)), [3, 3, 0, 0]);

    documents[0].access = AccessList::from_iter(["finance"]);
    documents[1] = named("b", "Another text.");
    documents.remove(2);
    assert_eq!(counts(chunk(folder.path(), &documents, &config)), [2, 1, 1, 0]);
    let found = passages(folder.path());
    let texts: Vec<&str> = found.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(texts, ["One. Two.", "Another text."]);
    assert_eq!(found[0].access, documents[0].access);
}

#[test]
fn other_settings_take_nothing_over() {
    let folder = tempfile::tempdir().unwrap();
    let documents = [named("a", "One. Two.")];
    chunk(folder.path(), &documents, &Config::default());
    let config = Config {
        max_tokens: 16,
        ..Config::default()
    };
    assert_eq!(counts(chunk(folder.path(), &documents, &config)), [1, 0, 1, 0]);
}

#[test]
fn a_damaged_earlier_artifact_is_cut_again() {
    let folder = tempfile::tempdir().unwrap();
    let documents = [named("a", "One. Two.")];
    chunk(folder.path(), &documents, &Config::default());
    fs_err::write(folder.path().join("passages").join(PASSAGES_FILE), "{}").unwrap();
    assert_eq!(
        counts(chunk(folder.path(), &documents, &Config::default())),
        [1, 0, 1, 0]
    );
    assert_eq!(passages(folder.path()).len(), 1);
}

/// Refuses to count a marked document, as a tokenizer that dies would.
struct Mortal;

impl TokenCounter for Mortal {
    fn count(&self, text: &str) -> usize {
        Words.count(text)
    }

    fn offsets(&self, text: &str) -> Vec<(usize, usize)> {
        assert!(!text.contains("Deadly"), "killed");
        Words.offsets(text)
    }
}

#[test]
fn a_killed_run_is_taken_up_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut documents: Vec<Document> = (0..=BATCH)
        .map(|n| named(&format!("d{n}"), "One. Two."))
        .collect();
    documents[BATCH].text.replace_range(.., "Deadly...");
    let input = folder.path().join("documents");
    publish(&input, &documents);
    let output = folder.path().join("passages");
    let run_with = |counter: &dyn TokenCounter| run(&Config::default(), &input, &output, &tools(counter));

    let killed = std::panic::catch_unwind(|| run_with(&Mortal).map(counts));
    assert!(killed.is_err() && !output.exists());
    let reused = BATCH as u64;
    assert_eq!(counts(run_with(&Words).unwrap()), [reused + 1, reused, 1, 0]);
    assert_eq!(passages(folder.path()).len(), BATCH + 1);
    assert!(!folder.path().join(".passages.journal").exists());
}

#[test]
fn bad_documents_are_left_out_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut bad = named("b", "Two.");
    bad.blocks[0].span.end = 99;
    let documents = [named("a", "One."), bad, named("a", "Three.")];
    assert_eq!(
        counts(chunk(folder.path(), &documents, &Config::default())),
        [3, 0, 1, 2]
    );
    let artifact = Artifact::open(&folder.path().join("passages"), STAGE).unwrap();
    let found: Vec<Diagnostic> = artifact
        .json_lines(DIAGNOSTICS_FILE)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let reasons: Vec<&str> = found.iter().map(|d| d.reason.as_str()).collect();
    assert_eq!(reasons, ["bad-block", "duplicate-id"]);
}

#[test]
fn splits_are_reported_again_when_the_document_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config {
        max_tokens: 8,
        ..Config::default()
    };
    let long = named("a", "a b c d e f g h i j k l.");
    chunk(folder.path(), std::slice::from_ref(&long), &config);
    assert_eq!(
        counts(chunk(folder.path(), &[long, named("b", "One.")], &config)),
        [2, 1, 1, 0]
    );
    let artifact = Artifact::open(&folder.path().join("passages"), STAGE).unwrap();
    let found: Vec<Diagnostic> = artifact
        .json_lines(DIAGNOSTICS_FILE)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert!(found[0].message.contains("1 sentences"), "{}", found[0].message);
}

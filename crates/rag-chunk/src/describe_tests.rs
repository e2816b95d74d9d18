//! What a description adds, how often it is asked for, and what is forgotten.

use std::sync::Mutex;

use rag_core::artifact::{Artifact, ArtifactWriter, StageKey};
use rag_core::document::BlockKind::Paragraph;
use rag_core::document::DOCUMENTS_FILE;
use rag_core::passage::PASSAGES_FILE;
use rag_core::progress::Silent;
use rag_core::stage::{self, Outcome};

use super::*;
use crate::batch::{STAGE, Tools, run};
use crate::config::ContextLine;
use crate::testing::document;
use crate::tokens::Words;

/// Says the same of every passage and remembers which it was asked about.
struct Says(&'static str, Mutex<Vec<String>>);

impl Says {
    fn new(text: &'static str) -> Self {
        Self(text, Mutex::default())
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.1.lock().unwrap())
    }
}

impl Describer for Says {
    fn name(&self) -> String {
        self.0.to_owned()
    }

    fn describe(&self, asked: &Undescribed<'_>) -> Result<Option<String>, DescriberError> {
        if self.0 == "fails" {
            return Err("the server is away".into());
        }
        self.1.lock().unwrap().push(asked.passage.text.clone());
        Ok(Some(self.0.to_owned()))
    }
}

fn documents(texts: &[(&str, &str)]) -> Vec<Document> {
    let make = |(id, text): &(&str, &str)| Document {
        id: DocumentId::new(*id).unwrap(),
        ..document(&[(Paragraph, text, &[])])
    };
    texts.iter().map(make).collect()
}

fn config() -> Config {
    Config {
        context: ContextLine::Described,
        max_tokens: 40,
        description_tokens: 6,
        ..Config::default()
    }
}

/// Cuts `documents`, and gives the context line of each passage.
fn chunk(
    folder: &Path,
    documents: &[Document],
    describer: Option<&dyn Describer>,
) -> Result<Vec<String>, ChunkError> {
    let (input, output) = (folder.join("documents"), folder.join("passages"));
    let key = StageKey::new(stage::PARSE, 1, &documents);
    let writer = ArtifactWriter::begin(&input, key).unwrap();
    jsonl::write_all(&writer.path(DOCUMENTS_FILE), documents).unwrap();
    writer.publish(Outcome::default()).unwrap();
    let tools = Tools {
        counter: &Words,
        counter_identity: "words",
        describer,
        previous: None,
        progress: &Silent,
    };
    run(&config(), &input, &output, &tools)?;
    let passages = Artifact::open(&output, STAGE)?.json_lines::<Passage>(PASSAGES_FILE)?;
    Ok(passages.map(|passage| passage.unwrap().context).collect())
}

#[test]
fn each_passage_gets_its_sentence_and_none_is_written_twice() {
    let folder = tempfile::tempdir().unwrap();
    let says = Says::new("\n\"About billing.\"\nMore.");
    let both = documents(&[("a", "It is 30 days."), ("b", "It is free.")]);
    let lines = chunk(folder.path(), &both, Some(&says)).unwrap();
    assert_eq!(lines, ["Billing (Finance): About billing."; 2]);
    assert_eq!(says.asked().len(), 2);

    let changed = documents(&[("a", "It is 30 days."), ("b", "It is dear.")]);
    chunk(folder.path(), &changed, Some(&says)).unwrap();
    assert_eq!(says.asked(), ["It is dear."]);

    // Even where the passages themselves are lost, their sentences are not.
    fs_err::remove_dir_all(folder.path().join("passages")).unwrap();
    chunk(folder.path(), &both, Some(&says)).unwrap();
    assert_eq!(says.asked(), Vec::<String>::new());

    // Another describer writes anew.
    let other = Says::new("Of something else.");
    let lines = chunk(folder.path(), &both, Some(&other)).unwrap();
    assert_eq!(lines, ["Billing (Finance): Of something else."; 2]);
}

#[test]
fn sentences_about_documents_that_are_gone_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let says = Says::new("A secret subject.");
    chunk(
        folder.path(),
        &documents(&[("a", "Secret."), ("b", "Plain.")]),
        Some(&says),
    )
    .unwrap();
    let cache = folder.path().join(".passages.descriptions");
    let before = fs_err::metadata(&cache).unwrap().len();
    chunk(folder.path(), &documents(&[("b", "Plain.")]), Some(&says)).unwrap();
    assert!(fs_err::metadata(&cache).unwrap().len() < before);
}

#[test]
fn a_long_sentence_is_cut_to_its_room_and_counted() {
    let mut passage = Passage::new("a#0".parse().unwrap(), "It is 30 days.");
    passage.tokens = 4;
    append(
        "one two three four five six seven",
        &mut passage,
        &config(),
        &Words,
    );
    assert_eq!(
        (passage.context.as_str(), passage.tokens),
        ("one two three four five", 9)
    );
    append("", &mut passage, &config(), &Words);
    assert_eq!(passage.tokens, 9);
}

#[test]
fn without_a_describer_or_with_one_that_fails_the_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let documents = documents(&[("a", "It is 30 days.")]);
    let missing = chunk(folder.path(), &documents, None).unwrap_err();
    assert!(missing.to_string().contains("models.descriptions"), "{missing}");
    let failed = chunk(folder.path(), &documents, Some(&Says::new("fails"))).unwrap_err();
    assert!(failed.to_string().contains("a#0"), "{failed}");
}

#[test]
fn a_file_describes_the_passages_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("descriptions.jsonl");
    fs_err::write(
        &path,
        "{\"passage\":\"a#0\",\"sentence\":\"The notice period.\"}\n",
    )
    .unwrap();
    let file = FileDescriber::open(&path).unwrap();
    let both = documents(&[("a", "It is 30 days."), ("b", "It is free.")]);
    let lines = chunk(folder.path(), &both, Some(&file)).unwrap();
    assert_eq!(
        lines,
        ["Billing (Finance): The notice period.", "Billing (Finance)"]
    );
    assert!(file.name().starts_with("descriptions of descriptions.jsonl "));
}

#[test]
fn data_shows_the_passage_in_its_surroundings() {
    let document = document(&[
        (Paragraph, "It is 30 days.", &["Notice"]),
        (Paragraph, "Résumé.", &["Notice"]),
    ]);
    let mut passage = Passage::new("a#0".parse().unwrap(), "It is 30 days.");
    passage.parent = rag_core::span::Span::new(0, document.text.len());
    let asked = Undescribed {
        passage: &passage,
        surroundings: surroundings(&document, &passage),
    };
    assert!(asked.surroundings.ends_with("Résumé."));
    assert!(asked.data().contains("\"passage\":\"It is 30 days.\""));
}

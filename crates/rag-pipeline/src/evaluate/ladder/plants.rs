//! The planted losses: four facts, and for each box a way to lose them.

use rag_core::access::Principal;
use rag_core::question::Question;
use rag_eval::answers::Label;
use rag_eval::diagnosis::Rung;

use super::Plant;
use crate::models::{LEXICAL, TFIDF};
use crate::settings::Settings;

/// Something to know, and the question that asks for it.
struct Fact {
    /// Id of the document that states it.
    id: &'static str,
    /// The document's title.
    title: &'static str,
    /// The sentence that states it.
    states: &'static str,
    question: &'static str,
    /// What an answer must say.
    answer: &'static str,
}

const FACTS: [Fact; 4] = [
    Fact {
        id: "heron-pump",
        title: "Heron pump",
        states: "The pressure of the Heron pump is limited to 87 bar.",
        question: "What is the pressure of the Heron pump limited to?",
        answer: "87 bar",
    },
    Fact {
        id: "quarry-badge",
        title: "Quarry badge",
        states: "The badge for the quarry costs 12 crowns.",
        question: "How much costs the badge for the quarry?",
        answer: "12 crowns",
    },
    Fact {
        id: "night-ferry",
        title: "Night ferry",
        states: "The night ferry leaves berth seven at 22:40.",
        question: "When does the night ferry leave berth seven?",
        answer: "22:40",
    },
    Fact {
        id: "orchid-room",
        title: "Orchid room",
        states: "The orchid room seats 31 people at tables.",
        question: "How many people does the orchid room seat at tables?",
        answer: "31 people",
    },
];

/// Everything that is planted.
pub(super) fn all() -> Vec<Plant> {
    vec![
        plant(None, |_, _| {}),
        plant(Some(Rung::Corpus), |fact, files| {
            files.retain(|file| file.id != fact.id);
        }),
        plant(Some(Rung::Parsing), |fact, files| unreadable(fact, files)),
        spread_out(),
        filtered(),
        plant(Some(Rung::Candidates), outshone).with(|settings| {
            settings.retrieve.candidates_per_leg = 1;
        }),
        plant(Some(Rung::Fusion), outshone).with(|settings| settings.retrieve.hits = 1),
        plant(Some(Rung::Reranking), outshone).with(|settings| settings.rerank.keep = 1),
        plant(Some(Rung::Budget), outshone).with(|settings| settings.generate.context.max_tokens = 64),
        plant(Some(Rung::Unused), |_, _| {}).with(|settings| {
            settings.generate.extract.without_cross_encoder.threshold = 1.0;
        }),
        plant(Some(Rung::Uncited), told_elsewhere).with(|settings| settings.retrieve.collapse_at = 2.0),
        plant(Some(Rung::WrongOrStale), outdated).with(|settings| {
            settings.rerank.newest_first = false;
            settings.generate.extract.newer_version_margin = 0.0;
            settings.generate.extract.newer_margin = 0.0;
        }),
        unanswerable(),
    ]
}

/// A document to be written as a Markdown file.
struct File {
    id: String,
    /// Ending of the file's name.
    ending: &'static str,
    /// Further lines of the front matter.
    matter: String,
    title: String,
    body: String,
}

impl File {
    fn new(id: &str, title: &str, body: &str) -> Self {
        Self {
            id: id.to_owned(),
            ending: "md",
            matter: "access: [everyone]\n".to_owned(),
            title: title.to_owned(),
            body: body.to_owned(),
        }
    }

    fn written(&self) -> (String, Vec<u8>) {
        let Self {
            id,
            title,
            matter,
            body,
            ..
        } = self;
        let text = format!("---\nid: {id}\ntitle: {title}\n{matter}---\n\n# {title}\n\n{body}\n");
        (format!("{id}.{}", self.ending), text.into_bytes())
    }
}

/// Documents that answer nothing, so that there is something to search.
fn filler() -> Vec<File> {
    let subjects = [
        "Harbour crane",
        "Salt store",
        "Rope works",
        "Signal tower",
        "Fish market",
        "Dry dock",
    ];
    let file = |subject: &&str| {
        let id = subject.to_lowercase().replace(' ', "-");
        let body =
            format!("The {subject} opens in spring. Ask the warden for its key. Visitors wait outside.");
        File::new(&id, subject, &body)
    };
    subjects.iter().map(file).collect()
}

/// The four facts in a collection of which `spoil` changes the files, once for each fact.
fn plant(rung: Option<Rung>, spoil: impl Fn(&Fact, &mut Vec<File>)) -> Plant {
    let mut files = filler();
    files.extend(
        FACTS
            .iter()
            .map(|fact| File::new(fact.id, fact.title, fact.states)),
    );
    for fact in &FACTS {
        spoil(fact, &mut files);
    }
    Plant {
        rung,
        files: files.iter().map(File::written).collect(),
        settings: settings(),
        labels: FACTS.iter().map(label).collect(),
    }
}

impl Plant {
    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }
}

/// Settings that need no weights.
fn settings() -> Settings {
    let mut settings = Settings::default();
    TFIDF.clone_into(&mut settings.models.embedder);
    LEXICAL.clone_into(&mut settings.models.reranker);
    settings.generate.extract.without_cross_encoder.threshold = 0.3;
    settings
}

fn label(fact: &Fact) -> Label {
    Label {
        question: Question::new(fact.id, fact.question, Principal::everyone()),
        kind: "planted".to_owned(),
        relevant: vec![fact.id.to_owned()],
        answers: vec![fact.answer.to_owned()],
        parts: Vec::new(),
        answerable: true,
    }
}

fn of<'f>(fact: &Fact, files: &'f mut [File]) -> &'f mut File {
    files
        .iter_mut()
        .find(|file| file.id == fact.id)
        .expect("every fact has its file")
}

/// Two files are no archives although they say so, in two the figures are garbled.
fn unreadable(fact: &Fact, files: &mut [File]) {
    let file = of(fact, files);
    if fact.id.len().is_multiple_of(2) {
        file.ending = "docx";
    } else {
        file.body = file.body.replace(char::is_numeric, "\u{FFFD}");
    }
}

/// What is accepted is longer than a passage.
fn spread_out() -> Plant {
    let long = |fact: &Fact| {
        let opening = fact.states.trim_end_matches('.');
        format!(
            "{opening}, as the harbour office has written down for everybody who works here or visits us in summer"
        )
    };
    let mut plant = plant(Some(Rung::Splitting), |fact, files| {
        of(fact, files).body = long(fact);
    })
    .with(|settings| {
        settings.chunk.kind = rag_chunk::Kind::Fixed;
        settings.chunk.max_tokens = 12;
        settings.chunk.overlap_tokens = 0;
        settings.chunk.context = rag_chunk::ContextLine::None;
    });
    for (label, fact) in plant.labels.iter_mut().zip(&FACTS) {
        label.answers = vec![long(fact)];
    }
    plant
}

/// Passages that the asker or their filter leaves out.
fn filtered() -> Plant {
    let mut plant = plant(Some(Rung::Filter), |fact, files| {
        let file = of(fact, files);
        let matter = match fact.id {
            "heron-pump" => "access: [engineers]\n",
            "quarry-badge" => "access: [everyone]\nupdated: 2019-05-01\n",
            "night-ferry" => "access: [everyone]\ndepartment: Ferries\n",
            _ => "access: []\n",
        };
        matter.clone_into(&mut file.matter);
    });
    for label in &mut plant.labels {
        let filter = &mut label.question.filter;
        match label.question.id.as_str() {
            "quarry-badge" => filter.updated_after = "2024-01-01".parse().ok(),
            "night-ferry" => filter.departments = vec!["Rooms".to_owned()],
            _ => {}
        }
    }
    plant
}

/// A document that has all words of the question and no answer, and is longer than the one that has it.
fn outshone(fact: &Fact, files: &mut Vec<File>) {
    let id = format!("about-{}", fact.id);
    let body = format!("{0} {0} That is often asked.", fact.question);
    files.push(File::new(&id, fact.question, &body));
    let file = of(fact, files);
    "Harbour".clone_into(&mut file.title);
    file.body = format!(
        "{} Boats come and go here all day long. Gulls cry. The water is cold. Tar smells. Ropes creak. Bells ring. \
         Nets dry on poles along the quay, and cats wait below them for what falls out.",
        fact.states
    );
}

/// Another document says the same and comes first.
fn told_elsewhere(fact: &Fact, files: &mut Vec<File>) {
    let id = format!("a-{}", fact.id);
    files.push(File::new(&id, fact.question, fact.states));
    "Harbour".clone_into(&mut of(fact, files).title);
}

/// An older version says something else, in the words of the question.
fn outdated(fact: &Fact, files: &mut Vec<File>) {
    let id = format!("old-{}", fact.id);
    let mut old = File::new(&id, fact.title, &fact.states.replace(char::is_numeric, "9"));
    old.matter.push_str("updated: 2020-01-01\n");
    files.push(old);
    let file = of(fact, files);
    file.body = format!("It is {} now.", fact.answer);
    file.matter = format!("access: [everyone]\nupdated: 2026-01-01\nsupersedes: {id}\n");
}

/// Questions that look as if a document answered them.
fn unanswerable() -> Plant {
    let mut plant = plant(Some(Rung::WrongOrStale), |_, _| {});
    for label in &mut plant.labels {
        label.answerable = false;
        label.relevant.clear();
        label.answers.clear();
    }
    plant
}

//! One planted loss per rung, and the right answers that are no loss.

use rag_core::access::{AccessList, Principal};
use rag_core::answer::{DECLINED, Usage, Verification};
use rag_core::document::TextBuilder;
use rag_core::hit::Placement;
use rag_core::id::DocumentId;
use rag_core::language::Language;

use super::*;

const TEXT: &str = "Staff get 27 days of leave.";

/// A question whose answer stands in `leave#0`, and all that the boxes handed on about it.
struct Case {
    label: Label,
    documents: Vec<Document>,
    diagnostics: Vec<Diagnostic>,
    passages: Vec<Passage>,
    candidates: Vec<Hit>,
    fused: Vec<Hit>,
    kept: Vec<Hit>,
    answer: Answer,
}

fn document(id: &str, text: &str) -> Document {
    let mut builder = TextBuilder::default();
    builder.push(rag_core::document::BlockKind::Paragraph, text);
    let (text, blocks) = builder.finish();
    Document {
        id: DocumentId::new(id).unwrap(),
        title: id.to_owned(),
        source: format!("hr/{id}.md"),
        media_type: "text/markdown".to_owned(),
        department: None,
        updated: None,
        language: Language::ENGLISH,
        access: AccessList::public(),
        supersedes: None,
        metadata: BTreeMap::new(),
        content_digest: String::new(),
        pages: None,
        text,
        blocks,
    }
}

fn hit(id: &str, text: &str, rank: u32) -> Hit {
    let mut passage = Passage::new(id.parse().unwrap(), text);
    passage.access = AccessList::public();
    let mut hit = Hit::new(rank, 1.0, passage);
    hit.legs.insert(Leg::Bm25, Placement { rank, score: 1.0 });
    hit
}

fn citation(id: &str, quote: &str) -> Citation {
    let id: PassageId = id.parse().unwrap();
    Citation {
        document: id.document.clone(),
        id,
        title: String::new(),
        section: String::new(),
        page: None,
        bounding_box: None,
        updated: None,
        quote: quote.to_owned(),
        span: None,
        claim: quote.to_owned(),
        status: CitationStatus::Verified,
        support: None,
    }
}

/// Everything went well.
fn right() -> Case {
    let mut question = Question::new("q", "How many days of leave do staff get?", Principal::everyone());
    question.filter = rag_core::filter::Filter::default();
    let hits = vec![hit("cats#0", "Cats purr.", 1), hit("leave#0", TEXT, 2)];
    Case {
        label: Label {
            question: question.clone(),
            kind: "plain".into(),
            relevant: vec!["leave".into()],
            answers: vec!["27 days".into()],
            parts: Vec::new(),
            answerable: true,
        },
        documents: vec![document("leave", TEXT)],
        diagnostics: Vec::new(),
        passages: vec![hits[1].passage.clone()],
        candidates: hits.clone(),
        fused: hits.clone(),
        kept: hits.clone(),
        answer: Answer {
            question,
            text: format!("{TEXT} [leave#0]"),
            abstained: false,
            confidence: 0.9,
            citations: vec![citation("leave#0", TEXT)],
            verification: Verification::default(),
            repairs: Vec::new(),
            generator: "test".into(),
            trace: None,
            passages: hits,
            legs: Vec::new(),
            notes: Vec::new(),
            usage: Usage::default(),
            timings_ms: BTreeMap::new(),
        },
    }
}

fn decline(answer: &mut Answer) {
    DECLINED.clone_into(&mut answer.text);
    answer.abstained = true;
    answer.citations.clear();
}

/// The diagnosis once `spoil` has made one box lose the answer.
fn diagnosed(spoil: impl FnOnce(&mut Case)) -> Diagnosis {
    let mut case = right();
    spoil(&mut case);
    let documents: Vec<&Document> = case.documents.iter().collect();
    let passages: Vec<&Passage> = case.passages.iter().collect();
    diagnose(&Trail {
        label: &case.label,
        searched: &case.label.question,
        documents: &documents,
        diagnostics: &case.diagnostics,
        passages: &passages,
        candidates: &case.candidates,
        fused: &case.fused,
        kept: &case.kept,
        answer: &case.answer,
    })
}

/// Checks the rung, and that the evidence says `says`.
fn check(rung: Rung, says: &str, spoil: impl FnOnce(&mut Case)) {
    let found = diagnosed(spoil);
    assert_eq!(
        (found.rung, found.class),
        (Some(rung), rung.class()),
        "{:?}",
        found.evidence
    );
    let evidence = found.evidence.join("\n");
    assert!(evidence.contains(says), "{rung}: {evidence}");
}

#[test]
fn a_right_answer_and_a_right_refusal_are_no_loss() {
    let found = diagnosed(|_| {});
    assert_eq!((found.rung, found.class), (None, Class::Ok));
    assert_eq!(found.sought, ["leave#0".parse().unwrap()]);
    let refused = diagnosed(|case| {
        case.label.answerable = false;
        case.label.relevant.clear();
        decline(&mut case.answer);
    });
    assert_eq!(refused.rung, None);
}

#[test]
fn each_box_is_blamed_for_what_it_lost() {
    check(Rung::Corpus, "none of the documents", |case| {
        decline(&mut case.answer);
        (case.documents, case.passages) = (Vec::new(), Vec::new());
    });
    check(Rung::Parsing, "password", |case| {
        decline(&mut case.answer);
        (case.documents, case.passages) = (Vec::new(), Vec::new());
        case.diagnostics.push(Diagnostic {
            source: "hr/leave.pdf".into(),
            severity: Severity::Quarantined,
            reason: "encrypted".into(),
            message: "it needs a password".into(),
        });
    });
    check(Rung::Parsing, "none of the accepted", |case| {
        decline(&mut case.answer);
        case.documents = vec![document("leave", "Staff get z7 dqys of leave.")];
    });
    check(Rung::Splitting, "none of its passages", |case| {
        decline(&mut case.answer);
        case.passages[0].text = "Staff get 27".into();
    });
    check(Rung::Filter, "may not read", |case| {
        decline(&mut case.answer);
        case.passages[0].access = AccessList::from_iter(["hr"]);
    });
    check(Rung::Filter, "date filter", |case| {
        decline(&mut case.answer);
        case.label.question.filter.updated_after = Some("2026-01-01".parse().unwrap());
    });
    check(Rung::Candidates, "no leg brought leave#0", |case| {
        decline(&mut case.answer);
        for hits in [
            &mut case.candidates,
            &mut case.fused,
            &mut case.kept,
            &mut case.answer.passages,
        ] {
            hits.truncate(1);
        }
    });
    check(Rung::Fusion, "bm25 rank 2", |case| {
        decline(&mut case.answer);
        for hits in [&mut case.fused, &mut case.kept, &mut case.answer.passages] {
            hits.truncate(1);
        }
    });
    check(Rung::Reranking, "1 hits are kept", |case| {
        decline(&mut case.answer);
        case.kept.truncate(1);
        case.answer.passages.truncate(1);
    });
    check(Rung::Budget, "were left out", |case| {
        decline(&mut case.answer);
        case.answer.passages.truncate(1);
    });
    check(Rung::Unused, "declined with confidence", |case| {
        decline(&mut case.answer);
    });
    check(Rung::Unused, "cited: cats#0", |case| {
        case.answer.text = "Cats purr. [cats#0]".into();
        case.answer.citations = vec![citation("cats#0", "Cats purr.")];
    });
    check(Rung::Uncited, "cited: cats#0", |case| {
        case.answer.citations = vec![citation("cats#0", "27 days")];
    });
    check(Rung::WrongOrStale, "cited: leave#0", |case| {
        case.answer.text = "Leave is long. [leave#0]".into();
    });
    check(Rung::WrongOrStale, "was replaced", |case| {
        case.answer.text = "Staff get 25 days. [leave-2025#0]".into();
        case.answer.citations = vec![citation("leave-2025#0", "Staff get 25 days.")];
        case.documents[0].supersedes = Some(DocumentId::new("leave-2025").unwrap());
    });
    check(Rung::WrongOrStale, "was not declined", |case| {
        case.label.answerable = false;
    });
}

#[test]
fn of_several_parts_the_first_lost_one_decides() {
    let found = diagnosed(|case| {
        case.label.parts = vec![vec!["27 days".into()], vec!["Head of HR".into()]];
        case.documents[0].text.push_str(" The Head of HR approves.");
    });
    // The first part is answered; the other is in the document and in no passage.
    assert_eq!(found.rung, Some(Rung::Splitting));
}

#[test]
fn a_copy_that_stands_for_the_passage_counts() {
    let found = diagnosed(|case| {
        decline(&mut case.answer);
        for hits in [
            &mut case.candidates,
            &mut case.fused,
            &mut case.kept,
            &mut case.answer.passages,
        ] {
            hits.truncate(1);
            hits[0].duplicates = vec!["leave#0".parse().unwrap()];
        }
    });
    assert_eq!(found.rung, Some(Rung::Unused));
}

#[test]
fn yes_and_no_are_looked_for_in_no_source() {
    let found = diagnosed(|case| {
        case.label.answers = vec!["yes".into()];
        decline(&mut case.answer);
    });
    assert_eq!(found.rung, Some(Rung::Unused));
}

#[test]
fn a_passage_that_came_with_another_hit_was_lost_by_no_leg() {
    let found = diagnosed(|case| {
        decline(&mut case.answer);
        case.candidates.truncate(1);
        case.fused.truncate(1);
    });
    assert_eq!(found.rung, Some(Rung::Unused));
}

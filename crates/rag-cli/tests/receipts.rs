//! An answer's receipt as a user checks it, and what becomes of one that was changed. No model weights are needed.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;

use serde_json::{Value, json};
use support::{Site, lines};

const SETTINGS: &str = "[models]\nembedder = \"tfidf\"\nreranker = \"lexical\"\n";

/// A site with an answer and its receipt.
fn site() -> (Site, Value) {
    let site = Site::new(SETTINGS);
    site.document(
        "leave.md",
        "# Leave\n\nStaff get 27 days of leave a year. Unused days are not paid out.\n",
    );
    site.json(&["ingest", "docs", "--store", "kb", "--json"]);
    let question = "How many days of leave do staff get a year?";
    let answer = site.run(&[
        "ask",
        question,
        "--store",
        "kb",
        "--receipt",
        "receipt.json",
        "--json",
    ]);
    fs_err::write(site.path("answer.json"), &answer.stdout).unwrap();
    let receipt = serde_json::from_slice(&fs_err::read(site.path("receipt.json")).unwrap()).unwrap();
    (site, receipt)
}

/// The exit code of `arguments`, and all that was printed.
fn run(site: &Site, arguments: &[&str]) -> (Option<i32>, String) {
    let output = site.run(arguments);
    (
        output.status.code(),
        lines(&output.stdout) + &lines(&output.stderr),
    )
}

fn write(site: &Site, value: &Value) {
    fs_err::write(site.path("changed.json"), format!("\u{feff}{value}")).unwrap();
}

#[test]
fn an_answer_shows_its_source_and_its_receipt_holds() {
    let (site, receipt) = site();
    let (code, printed) = run(&site, &["cite", "answer.json", "1"]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(
        printed.contains(">>Staff get 27 days of leave a year.<<"),
        "{printed}"
    );
    write(&site, &receipt);
    let (code, printed) = run(&site, &["check", "changed.json"]);
    assert_eq!(
        (code, printed.contains("the receipt holds: 1 citations")),
        (Some(0), true),
        "{printed}"
    );
}

#[test]
fn a_changed_receipt_neither_holds_nor_shows_a_quote() {
    let changes: [fn(&mut Value); 5] = [
        |receipt| receipt["citations"][0]["quote"] = json!("Staff get 28 days of leave a year."),
        |receipt| receipt["citations"][0]["span"] = json!({"start": u64::MAX - 3, "end": u64::MAX}),
        |receipt| receipt["sources"][0]["passage"]["span"] = json!({"start": u64::MAX - 3, "end": u64::MAX}),
        |receipt| receipt["sources"][0]["passage"]["text"] = json!("Staff get 28 days of leave a year."),
        |receipt| receipt["sources"][0]["passage"]["span"]["end"] = json!(1_000_000),
    ];
    for (number, change) in changes.iter().enumerate() {
        let (site, mut receipt) = site();
        change(&mut receipt);
        write(&site, &receipt);
        for arguments in [&["check", "changed.json"][..], &["cite", "changed.json", "1"]] {
            let (code, printed) = run(&site, arguments);
            assert_eq!(code, Some(1), "change {number} {arguments:?}: {printed}");
            assert!(!printed.contains("panicked"), "{printed}");
        }
    }
}

#[test]
fn a_score_that_only_the_receipt_vouches_for_is_told() {
    let (site, mut receipt) = site();
    let claim = "Leave of staff in days is what a year gets";
    let citation = &mut receipt["citations"][0];
    citation["claim"] = json!(claim);
    citation["support"] = json!({"score": 0.99, "basis": "models"});
    let id = citation["id"].clone();
    receipt["answer"] = json!(format!("{claim} [{}]", id.as_str().unwrap()));
    write(&site, &receipt);
    let (code, printed) = run(&site, &["check", "changed.json"]);
    assert_eq!(code, Some(3), "{printed}");
    assert!(
        printed.contains("as far as it was checked") && printed.contains("--models"),
        "{printed}"
    );
    let (code, printed) = run(&site, &["check", "changed.json", "--models"]);
    assert_eq!(
        (code, printed.contains("models.reranker")),
        (Some(1), true),
        "{printed}"
    );
}

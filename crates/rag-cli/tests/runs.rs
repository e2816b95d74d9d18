//! Runs as a user meets them: made, diagnosed, compared, gated, walked back. No model weights are needed.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;

use serde_json::Value;
use support::{Site, lines};

/// The extractive generator gives whatever answer it finds best.
const SETTINGS: &str = "[models]\nembedder = \"tfidf\"\nreranker = \"lexical\"\n\
    [generate.extract.without_cross_encoder]\nthreshold = 0.2\n";

const QUESTIONS: &str = r#"{"id":"leave","question":"How many days of leave do staff get?","kind":"plain","relevant":["leave"],"answers":["27 days"],"answerable":true}
{"id":"pay/2","question":"What is the board paid?","kind":"restricted","relevant":["pay"],"answers":["EUR 900"],"answerable":true}
{"id":"moon","question":"Who painted the <b>moon</b>?","kind":"unanswerable","answerable":false}
"#;

/// A store of three documents, one of them for the board alone, and questions.
fn site() -> Site {
    let site = Site::new(SETTINGS);
    site.document(
        "leave.md",
        "---\nid: leave\n---\n\n# Leave\n\nStaff get 27 days of leave.\n",
    );
    site.document(
        "pay.md",
        "---\nid: pay\naccess: [board]\n---\n\n# Pay\n\nThe board is paid EUR 900.\n",
    );
    site.document("cats.md", "# Cats\n\nCats purr and sleep.\n");
    fs_err::write(site.path("questions.jsonl"), QUESTIONS).unwrap();
    site.json(&["ingest", "docs", "--store", "kb", "--json"]);
    site
}

fn run(site: &Site, folder: &str, more: &[&str]) -> Value {
    let mut arguments = vec![
        "run",
        "--questions",
        "questions.jsonl",
        "--store",
        "kb",
        "--out",
        folder,
        "--json",
    ];
    arguments.extend(more);
    site.json(&arguments)
}

/// Runs the binary, which must fail and say `says`.
fn refused(site: &Site, arguments: &[&str], says: &str) {
    let output = site.run(arguments);
    let errors = lines(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
    assert!(errors.contains(says), "{arguments:?}: {errors}");
}

#[test]
fn a_run_is_diagnosed_from_what_it_left_on_disk() {
    let site = site();
    let metrics = run(&site, "runs/a", &[]);
    assert_eq!(metrics["questions"], 3);
    // Nothing answers the last question, so it has no rank, which is not a rank of 0.
    assert_eq!(metrics["means"]["nDCG@10"]["not_computed"], 1);
    let report = site.json(&["diagnose", "runs/a", "--json"]);
    let found: Vec<(&str, Option<&str>)> = report["diagnoses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| (found["id"].as_str().unwrap(), found["rung"].as_str()))
        .collect();
    assert_eq!(
        found,
        [("leave", None), ("pay/2", Some("filter")), ("moon", None)]
    );
    let evidence = report["diagnoses"][1]["evidence"][0].as_str().unwrap();
    assert_eq!(evidence, "the asker may not read pay#0");
    // Put in where it was lost, the passage makes the answer right: permissions are what to look at.
    assert_eq!(
        report["mended"]["filter"],
        serde_json::json!({"hits": 1, "of": 1})
    );

    let again = site.run(&[
        "run",
        "--questions",
        "questions.jsonl",
        "--store",
        "kb",
        "--out",
        "runs/a",
    ]);
    assert!(
        lines(&again.stderr).contains("kept the answers"),
        "{}",
        lines(&again.stderr)
    );
    let ledger: Value =
        serde_json::from_slice(&fs_err::read(site.path("runs/a/ledger.json")).unwrap()).unwrap();
    assert_eq!(ledger["stages"]["generate"]["reused"], true);
}

#[test]
fn pages_hold_no_markup_of_questions() {
    let site = site();
    fs_err::write(
        site.path("questions.jsonl"),
        r#"{"id":"x","question":"Who painted the <b>moon</b>?","kind":"plain","relevant":["moon"],"answers":["Ann"],"answerable":true}"#,
    )
    .unwrap();
    run(&site, "runs/a", &[]);
    let output = site.run(&["report", "runs/a", "--out", "report"]);
    assert!(output.status.success(), "{}", lines(&output.stderr));
    let page = fs_err::read_to_string(site.path("report/run-1/question-0001.html")).unwrap();
    assert!(
        page.contains("&lt;b&gt;moon") && !page.contains("<b>moon"),
        "{page}"
    );
    assert!(page.contains("not in the corpus"));
    assert!(site.path("report/wrong-answers.svg").is_file());
}

#[test]
fn a_worse_run_is_told_and_kept_out() {
    let site = site();
    run(&site, "runs/good", &[]);
    fs_err::write(
        site.path("strict.toml"),
        SETTINGS.replace("threshold = 0.2", "threshold = 1.0"),
    )
    .unwrap();
    run(&site, "runs/bad", &["--config", "strict.toml"]);
    let diff = site.json(&["diff", "runs/good", "runs/bad", "--json"]);
    assert_eq!(diff["questions"][0]["effect"], "hurt");
    let causes = diff["causes"].as_array().unwrap();
    let name = "generate.extract.without_cross_encoder.threshold";
    assert!(causes.iter().any(|cause| cause["name"] == name), "{causes:?}");
    // Three questions cannot show that it is no chance, and the gate says so instead of failing.
    let gate = site.json(&["gate", "runs/bad", "--baseline", "runs/good", "--json"]);
    assert_eq!(gate["right"]["verdict"]["verdict"], "too_few");
    let same = site.json(&["diff", "runs/good", "runs/good", "--json"]);
    assert_eq!(same["causes"], serde_json::json!([]));
    refused(
        &site,
        &["gate", "runs/bad", "--baseline", "runs/good", "--metric", "nDGC"],
        "has no metric `nDGC`",
    );
}

#[test]
fn an_answer_is_walked_back_to_its_file() {
    let site = site();
    run(&site, "runs/a", &[]);
    let traced = site.json(&["why", "runs/a", "--question", "leave", "--json"]);
    assert_eq!(traced["citation"]["quote"], "Staff get 27 days of leave.");
    assert_eq!(
        (&traced["file"]["state"], &traced["passage"]["has_quote"]),
        (&"unchanged".into(), &true.into())
    );
    let bytes = fs_err::read(site.path("docs/leave.md")).unwrap();
    let at = |end: &str| usize::try_from(traced["file"]["bytes"][end].as_u64().unwrap()).unwrap();
    assert_eq!(&bytes[at("start")..at("end")], b"Staff get 27 days of leave.");

    site.document(
        "leave.md",
        "---\nid: leave\n---\n\n# Leave\n\nStaff get 30 days of leave.\n",
    );
    let traced = site.json(&["why", "runs/a", "--question", "leave", "--json"]);
    assert_eq!(traced["file"]["state"], "changed");
    refused(
        &site,
        &["why", "runs/a", "--question", "nobody"],
        "has no question `nobody`",
    );

    // Once the store is another, the run says so instead of mixing both.
    site.json(&["ingest", "docs", "--store", "kb", "--json"]);
    refused(&site, &["diagnose", "runs/a"], "changed since the run");
}

#[test]
fn what_is_no_run_is_left_alone() {
    let site = site();
    refused(&site, &["diagnose", "nowhere"], "no finished run");
    refused(
        &site,
        &[
            "run",
            "--questions",
            "questions.jsonl",
            "--store",
            "kb",
            "--out",
            "docs",
        ],
        "holds other files",
    );
    fs_err::write(site.path("empty.jsonl"), "").unwrap();
    refused(
        &site,
        &[
            "run",
            "--questions",
            "empty.jsonl",
            "--store",
            "kb",
            "--out",
            "runs/e",
        ],
        "no labelled questions",
    );
    run(&site, "runs/a", &[]);
    fs_err::write(site.path("runs/a/rag.lock"), "version = 9").unwrap();
    refused(&site, &["diagnose", "runs/a"], "rag.lock");
}

#[test]
fn a_run_that_was_changed_or_cut_short_is_refused() {
    let site = site();
    run(&site, "runs/a", &[]);
    run(&site, "runs/b", &[]);
    let spoilt = [
        ("labels.jsonl", "questions changed"),
        ("per_query.jsonl", "figures changed"),
    ];
    for (name, says) in spoilt {
        let path = site.path("runs/a").join(name);
        let text = fs_err::read_to_string(&path).unwrap();
        fs_err::write(&path, text.replace("leave", "Leave").replace("1.0", "0.5")).unwrap();
        refused(&site, &["gate", "runs/a", "--baseline", "runs/b"], says);
        fs_err::write(&path, text).unwrap();
    }
    // Answers of another run are not this one's.
    fs_err::write(site.path("strict.toml"), SETTINGS.replace("0.2", "1.0")).unwrap();
    run(&site, "runs/c", &["--config", "strict.toml"]);
    fs_err::remove_dir_all(site.path("runs/a/answered")).unwrap();
    fs_err::rename(site.path("runs/c/answered"), site.path("runs/a/answered")).unwrap();
    refused(&site, &["diagnose", "runs/a"], "generate artifact changed");
    // A run that fails on the way is no run.
    let long = "x".repeat(70_000);
    fs_err::write(
        site.path("long.jsonl"),
        format!("{{\"id\":\"x\",\"question\":\"{long}\",\"answerable\":false}}\n"),
    )
    .unwrap();
    let failed = site.run(&[
        "run",
        "--questions",
        "long.jsonl",
        "--store",
        "kb",
        "--out",
        "runs/b",
    ]);
    assert_eq!(failed.status.code(), Some(1));
    refused(
        &site,
        &["gate", "runs/b", "--baseline", "runs/c"],
        "no finished run",
    );
    // Made again, it is one.
    run(&site, "runs/b", &[]);
    assert_eq!(site.run(&["diagnose", "runs/b"]).status.code(), Some(0));
}

#[test]
fn labels_of_a_user_are_not_overwritten_and_ids_are_told_apart() {
    let site = site();
    fs_err::create_dir(site.path("mine")).unwrap();
    fs_err::write(site.path("mine/labels.jsonl"), QUESTIONS).unwrap();
    let into_mine = [
        "run",
        "--questions",
        "mine/labels.jsonl",
        "--store",
        "kb",
        "--limit",
        "1",
        "--out",
        "mine",
    ];
    refused(&site, &into_mine, "holds other files");
    assert_eq!(
        fs_err::read_to_string(site.path("mine/labels.jsonl")).unwrap(),
        QUESTIONS
    );
    fs_err::write(site.path("twice.jsonl"), QUESTIONS.replace("moon\"", "leave\"")).unwrap();
    let twice = [
        "run",
        "--questions",
        "twice.jsonl",
        "--store",
        "kb",
        "--out",
        "runs/t",
    ];
    refused(&site, &twice, "two questions have the id `leave`");
    let inside = [
        "run",
        "--questions",
        "questions.jsonl",
        "--store",
        "kb",
        "--out",
        "kb/runs",
    ];
    refused(&site, &inside, "belongs to a store");
}

#[test]
fn the_lock_of_a_run_sends_nothing_and_runs_nothing() {
    let site = site();
    run(&site, "runs/a", &[]);
    let path = site.path("runs/a/rag.lock");
    let lock = fs_err::read_to_string(&path).unwrap();
    let changes = [
        (
            "language_model = \"none\"",
            "language_model = \"openai\"",
            "sends documents",
        ),
        (
            "program = \"tesseract\"",
            "program = \"/bin/sh\"",
            "names a program",
        ),
    ];
    for (from, to, says) in changes {
        assert!(lock.contains(from), "{from}");
        fs_err::write(&path, lock.replace(from, to)).unwrap();
        refused(&site, &["diagnose", "runs/a"], says);
        refused(&site, &["report", "runs/a", "--out", "report"], says);
        refused(&site, &["repro", "runs/a"], says);
    }
    fs_err::write(&path, vec![0; 5 << 20]).unwrap();
    refused(&site, &["diagnose", "runs/a"], "longer than");
}

#[test]
fn settings_that_lie_in_the_folder_run_and_send_nothing() {
    let site = site();
    let changes = [
        "[parse.ocr]\nprogram = \"/bin/sh\"\n",
        "[models.fetch.hub]\nendpoint = \"http://127.0.0.1:9\"\n",
    ];
    for change in changes {
        let settings = format!("{SETTINGS}{change}");
        fs_err::write(site.path("rag.toml"), &settings).unwrap();
        refused(&site, &["ask", "Why?", "--store", "kb"], "if you trust it");
        let named = site.run(&["ask", "Why?", "--store", "kb", "--config", "rag.toml"]);
        assert_eq!(named.status.code(), Some(0), "{}", lines(&named.stderr));
    }
}

#[test]
fn runs_and_reports_are_private_and_no_documents() {
    let site = site();
    run(&site, "docs/run", &[]);
    assert!(
        site.run(&["report", "docs/run", "--out", "docs/report"])
            .status
            .success()
    );
    #[cfg(unix)]
    for folder in ["docs/run", "docs/report", "docs/report/run-1"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs_err::metadata(site.path(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{folder}");
    }
    fs_err::create_dir(site.path("site")).unwrap();
    fs_err::write(site.path("site/index.html"), "mine").unwrap();
    refused(
        &site,
        &["report", "docs/run", "--out", "site"],
        "holds other files",
    );
    let report = site.json(&["ingest", "docs", "--store", "kb", "--json"]);
    assert_eq!(report["documents"]["seen"].as_u64(), Some(3), "{report}");
}

#[test]
fn a_citation_of_another_document_than_its_passage_is_not_followed() {
    let site = site();
    run(&site, "runs/a", &[]);
    let mut answer = site.json(&[
        "ask",
        "How many days of leave do staff get?",
        "--store",
        "kb",
        "--json",
    ]);
    answer["citations"][0]["document"] = "pay".into();
    fs_err::write(site.path("answer.json"), answer.to_string()).unwrap();
    let output = site.run(&["why", "answer.json", "--store", "kb"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        !lines(&output.stdout).contains("Pay"),
        "{}",
        lines(&output.stdout)
    );
}

#[test]
fn files_of_other_tools_are_read_and_written() {
    let site = site();
    run(&site, "runs/a", &[]);
    for form in ["ragchecker", "ragas", "ragas-lines", "csv"] {
        let output = site.run(&["eval", "export", "runs/a", "--form", form, "--out", form]);
        assert!(output.status.success(), "{form}: {}", lines(&output.stderr));
        let read = site.json(&["eval", "records", form, "--json"]);
        assert_eq!(
            (&read["answers"], &read["metrics"]["correct"]["computed"]),
            (&3.into(), &2.into()),
            "{form}"
        );
    }
    fs_err::write(site.path("run.trec"), "q1 Q0 a 1 0.9 x\nq1 Q0 b 2 0.8 x\n").unwrap();
    fs_err::write(site.path("other.trec"), "q1 Q0 b 1 0.9 x\n").unwrap();
    fs_err::write(site.path("qrels.tsv"), "query-id\tcorpus-id\tscore\nq1\tb\t1\n").unwrap();
    let arguments = [
        "eval",
        "trec",
        "--run",
        "run.trec",
        "--qrels",
        "qrels.tsv",
        "--metric",
        "RR@10,nDCG@10",
    ];
    let measured = site.json(&[&arguments[..], &["--baseline", "other.trec", "--json"]].concat());
    assert_eq!(measured["metrics"]["RR@10"]["mean"], 0.5);
    assert_eq!(measured["comparisons"]["RR@10"]["losses"], 1);
    // A run of passages names no document as the judgements do, which is no rank of 0.
    fs_err::write(site.path("run.trec"), "q1 Q0 b#3 1 0.9 x\n").unwrap();
    refused(&site, &arguments, "--passages");
    let measured = site.json(&[&arguments[..], &["--passages", "--json"]].concat());
    assert_eq!(measured["metrics"]["RR@10"]["mean"], 1.0);
}

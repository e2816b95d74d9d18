//! Experiments as a user runs them, the two that come with the project among them, and runs repeated from their lock.
//! No model weights are needed; the second example needs python3.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;
mod tried;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;
use support::{Site, lines};
use tried::{experiment, fates, program, site};

/// An experiment that comes with the project.
fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("experiments").join(name).to_string_lossy().into_owned()
}

#[test]
fn the_chunker_example_parses_once_and_does_nothing_twice() {
    let site = Site::new("");
    let example = example("chunkers.toml");
    let run = [
        "experiment",
        "run",
        &example,
        "--limit",
        "40",
        "--json",
        "--quiet",
    ];
    let report = site.json(&run);
    assert_eq!(fates(&report, "parse"), ["made", "reused", "reused"]);
    assert_eq!(fates(&report, "chunk"), ["made", "made", "made"]);
    for row in report["compared"].as_array().unwrap() {
        let found = row["figures"][1].as_f64().unwrap();
        assert!(found > 0.8, "{row}");
    }
    let again = site.json(&run);
    for stage in ["parse", "chunk", "index", "retrieve", "rerank", "generate"] {
        assert_eq!(fates(&again, stage), ["reused"; 3], "{stage}");
    }
    let figures = |report: &Value| -> Vec<Value> {
        let rows = report["compared"].as_array().unwrap().iter();
        rows.map(|row| row["figures"].clone()).collect()
    };
    assert_eq!(figures(&report), figures(&again));
}

#[test]
fn the_reranker_example_runs_a_program_and_reorders() {
    let site = Site::new("");
    let example = example("reranker.toml");
    let run = [
        "experiment",
        "run",
        &example,
        "--limit",
        "40",
        "--json",
        "--quiet",
    ];
    let output = site.run(&run);
    assert!(
        output.status.success(),
        "is python3 installed? {}",
        lines(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Retrieval is the same for all four; the program does not look at models.reranker.
    assert_eq!(fates(&report, "retrieve"), ["made", "reused", "reused", "reused"]);
    let run_of = |place: usize| {
        let variant = &report["variants"][place];
        PathBuf::from(variant["run"].as_str().unwrap())
    };
    assert!(!run_of(0).join("reranked").exists());
    let (inside, outside) = (run_of(1), run_of(2));
    let trec = |run: &Path| fs_err::read_to_string(run.join("reranked/run.trec")).unwrap();
    assert_ne!(trec(&inside), trec(&outside));
    let found = report["compared"][2]["figures"][1].as_f64().unwrap();
    assert!(found > 0.8, "{report}");
    assert_eq!(fates(&site.json(&run), "generate"), ["reused"; 4]);
}

#[test]
fn a_variant_that_fails_does_not_stop_the_rest() {
    let site = site();
    experiment(
        &site,
        "[experiment.grid]\n\"chunk.kind\" = [\"nonsense\", \"sentence\"]\n\"rerank.keep\" = [0, 3]\n",
    );
    let output = site.run(&["experiment", "run", "tries"]);
    assert_eq!(output.status.code(), Some(3), "{}", lines(&output.stderr));
    let errors = lines(&output.stderr);
    assert!(
        errors.contains("nonsense") && errors.contains("rerank.keep"),
        "{errors}"
    );
    let table = lines(&output.stdout);
    assert!(
        table.contains("tries: chunk.kind=sentence rerank.keep=3"),
        "{table}"
    );
    experiment(&site, "[experiment.grid]\n\"chunk.kind\" = [\"nonsense\"]\n");
    assert_eq!(site.run(&["experiment", "run", "tries"]).status.code(), Some(1));
}

#[test]
fn experiments_are_listed_with_what_they_are_about() {
    let site = site();
    fs_err::write(
        site.path("experiments/one.toml"),
        "[experiment]\ndescription = \"About one thing\"\n",
    )
    .unwrap();
    fs_err::write(site.path("experiments/two.toml"), "[experiment]\nx = 1\n").unwrap();
    let output = site.run(&["experiment", "list"]);
    let listed = lines(&output.stdout);
    assert!(
        listed.contains("one") && listed.contains("About one thing"),
        "{listed}"
    );
    assert!(
        listed.contains("two") && listed.contains("cannot be read"),
        "{listed}"
    );
    let missing = site.run(&["experiment", "run", "three"]);
    assert!(lines(&missing.stderr).contains("experiment list"));
}

#[test]
fn a_folder_with_other_things_is_not_worked_in_and_fresh_shares_nothing() {
    let site = site();
    experiment(&site, "[experiment.grid]\n\"chunk.max_tokens\" = [100, 200]\n");
    let foreign = site.run(&["experiment", "run", "tries", "--work", "docs"]);
    assert!(
        lines(&foreign.stderr).contains("--work"),
        "{}",
        lines(&foreign.stderr)
    );
    let run = ["experiment", "run", "tries", "--json"];
    assert_eq!(fates(&site.json(&run), "parse"), ["made", "reused"]);
    let fresh = [&run[..], &["--fresh"]].concat();
    assert_eq!(fates(&site.json(&fresh), "parse"), ["made", "made"]);
    assert_eq!(fates(&site.json(&run), "generate"), ["reused", "reused"]);
}

#[test]
fn changed_documents_are_noticed() {
    let site = site();
    experiment(&site, "");
    let run = ["experiment", "run", "tries", "--json"];
    let right = |report: &Value| report["compared"][0]["figures"][0].as_f64().unwrap();
    assert!(right(&site.json(&run)) > 0.9);
    site.document(
        "vpn.md",
        "# VPN\n\nERR-4012 means that the certificate was refused.\n",
    );
    assert!(right(&site.json(&run)) < 0.9);
}

#[test]
fn experiments_of_one_name_are_not_run_together() {
    let site = site();
    experiment(&site, "");
    fs_err::copy(site.path("experiments/tries.toml"), site.path("docs/tries.toml")).unwrap();
    for pair in [["tries", "tries"], ["tries", "docs/tries.toml"]] {
        let output = site.run(&["experiment", "run", pair[0], pair[1]]);
        assert_eq!(output.status.code(), Some(1));
        assert!(lines(&output.stderr).contains("rename a file"));
    }
}

#[test]
fn a_report_compares_runs_of_the_same_questions_only() {
    let site = site();
    experiment(&site, "");
    let run_of = |limit: &str| {
        let report = site.json(&["experiment", "run", "tries", "--json", "--limit", limit]);
        report["variants"][0]["run"].as_str().unwrap().to_owned()
    };
    let all = run_of("3");
    fs_err::rename(&all, site.path("earlier")).unwrap();
    let one = run_of("1");
    let output = site.run(&["report", "earlier", &one, "--out", "pages"]);
    assert!(
        lines(&output.stderr).contains("different questions"),
        "{}",
        lines(&output.stderr)
    );
    // The file behind a citation is found from an experiment's run as from a store's.
    let why = site.run(&["why", "earlier", "--question", "q1"]);
    let said = lines(&why.stdout);
    assert!(said.contains("docs/vpn.md, unchanged since"), "{said}");
}

#[test]
fn a_run_repeats_with_one_thread_and_with_two_and_a_difference_fails() {
    let site = site();
    assert!(site.run(&["ingest", "docs", "--store", "kb"]).status.success());
    let ask = [
        "run",
        "--questions",
        "questions.jsonl",
        "--store",
        "kb",
        "--out",
        "asked",
    ];
    assert!(site.run(&ask).status.success());
    for threads in ["1", "2"] {
        let output = site.run(&["repro", "asked", "--threads", threads]);
        let said = lines(&output.stdout);
        assert!(output.status.success(), "{said} {}", lines(&output.stderr));
        assert_eq!(said.matches("identical").count(), 5, "{said}");
    }
    let lock = fs_err::read_to_string(site.path("asked/rag.lock")).unwrap();
    let line = lock.lines().find(|line| line.contains("run.trec")).unwrap();
    let (name, _) = line.split_once(" = ").unwrap();
    let other = format!("{name} = \"{}\"", "0".repeat(64));
    fs_err::write(site.path("asked/rag.lock"), lock.replace(line, &other)).unwrap();
    let output = site.run(&["repro", "asked"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        lines(&output.stdout).contains("DIFFERS"),
        "{}",
        lines(&output.stdout)
    );
    site.document("vpn.md", "# VPN\n\nERR-4012 is gone.\n");
    site.run(&["ingest", "docs", "--store", "kb"]);
    let output = site.run(&["repro", "asked"]);
    assert!(
        lines(&output.stderr).contains("any more, which the run was made from"),
        "{}",
        lines(&output.stderr)
    );
}

#[test]
fn programs_of_a_lock_run_only_when_it_is_trusted() {
    let site = site();
    program(
        &site,
        "while [ $# -gt 0 ]; do case $1 in --in) i=$2;; --out) o=$2;; esac; shift; done\ncp $i/hits.jsonl $o/",
    );
    experiment(&site, "[exec]\nrerank = \"./program\"\n");
    let report = site.json(&["experiment", "run", "tries", "--json"]);
    let run = report["variants"][0]["run"].as_str().unwrap();
    let refused = site.run(&["repro", run]);
    assert!(
        lines(&refused.stderr).contains("--trust"),
        "{}",
        lines(&refused.stderr)
    );
    let repeated = site.run(&["repro", run, "--trust"]);
    assert!(repeated.status.success(), "{}", lines(&repeated.stderr));
    program(&site, "[ -z \"$ANTHROPIC_API_KEY\" ] && exit 7");
    let mut with_key = site.command(&["experiment", "run", "tries"]);
    let output = with_key.env("ANTHROPIC_API_KEY", "secret").output().unwrap();
    assert!(
        lines(&output.stderr).contains("exit status: 7"),
        "the program saw a key"
    );
}

#[test]
fn a_killed_experiment_goes_on_where_it_ended() {
    let site = site();
    for number in 0..60 {
        let text = format!("# Unit {number}\n\nGateway {number} is restarted with the red key.\n");
        site.document(&format!("unit-{number}.md"), text);
    }
    experiment(
        &site,
        "[experiment.grid]\n\"chunk.max_tokens\" = [100, 200]\n\"rerank.keep\" = [2, 3]\n",
    );
    let run = |work: &str| site.json(&["experiment", "run", "tries", "--json", "--work", work]);
    let figures = |report: &Value| -> Vec<Value> {
        let rows = report["compared"].as_array().unwrap().iter();
        rows.map(|row| row["figures"].clone()).collect()
    };
    let started = Instant::now();
    let expected = figures(&run("whole"));
    let undisturbed = started.elapsed();
    let mut resumed = 0;
    for eighth in [2, 4, 6, 7] {
        let work = format!("killed-{eighth}");
        let mut child = site
            .command(&["experiment", "run", "tries", "--work", &work])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = started.elapsed() + undisturbed * eighth / 8;
        while started.elapsed() < deadline && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let report = run(&work);
        assert_eq!(figures(&report), expected, "killed after {eighth} eighths");
        resumed += u32::from(fates(&report, "parse")[0] == "reused");
    }
    assert!(resumed > 0, "no run took anything over");
}

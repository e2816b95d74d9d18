//! Experiments as a user runs them, the two that come with the project among them, and runs repeated from their lock.
//! No model weights are needed; the second example needs python3.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;
use support::{Site, lines};

const SETTINGS: &str = "[models]\nembedder = \"tfidf\"\nreranker = \"lexical\"\n";

const QUESTIONS: &str = r#"{"id":"q1","question":"What does ERR-4012 mean?","relevant":["vpn.md"],"answers":["tunnel could not be established"],"answerable":true}
{"id":"q2","question":"What does ERR-4013 mean?","relevant":["licence.md"],"answers":["licence has run out"],"answerable":true}
{"id":"q3","question":"How is the revenue forecast?","groups":["everyone"],"relevant":[],"answers":[],"answerable":false}
"#;

/// An experiment that comes with the project.
fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("experiments").join(name).to_string_lossy().into_owned()
}

/// A few documents with questions.
fn site() -> Site {
    let site = Site::new(SETTINGS);
    site.document(
        "vpn.md",
        "# VPN\n\nERR-4012 means that the tunnel could not be established.\n",
    );
    site.document(
        "licence.md",
        "# Licence\n\nERR-4013 means that the licence has run out.\n",
    );
    site.document(
        "forecast.md",
        "---\nid: fin-6\naccess: [finance]\n---\n\nThe revenue forecast is forty-one million.\n",
    );
    fs_err::write(site.path("questions.jsonl"), QUESTIONS).unwrap();
    fs_err::create_dir(site.path("experiments")).unwrap();
    site
}

/// Writes the experiment `tries` over the site's documents.
fn experiment(site: &Site, text: &str) {
    let described = "[experiment]\nsource = \"../docs\"\nquestions = \"../questions.jsonl\"\n";
    fs_err::write(site.path("experiments/tries.toml"), format!("{described}{text}")).unwrap();
}

/// Puts `script` where an experiment finds it as `./program`.
fn program(site: &Site, script: &str) {
    let path = site.path("experiments/program");
    fs_err::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs_err::set_permissions(&path, mode).unwrap();
    }
}

/// What became of a stage of each variant.
fn fates(report: &Value, stage: &str) -> Vec<String> {
    let variants = report["variants"].as_array().unwrap().iter();
    let fate = |variant: &Value| {
        let mut steps = variant["steps"].as_array().unwrap().iter();
        let step = steps.find(|step| step["stage"] == stage).unwrap();
        step["fate"].as_str().unwrap().to_owned()
    };
    variants.map(fate).collect()
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
fn what_a_program_does_wrong_is_refused_and_named() {
    let site = site();
    let copy = "while [ $# -gt 0 ]; do case $1 in --in) i=$2;; --out) o=$2;; esac; shift; done\n";
    let cases = [
        ("rerank", "exit 7".to_owned(), "exit status: 7"),
        (
            "rerank",
            "echo 'out of order' >&2; exit 1".to_owned(),
            "out of order",
        ),
        ("rerank", "exit 0".to_owned(), "without writing hits.jsonl"),
        ("rerank", format!("{copy}echo '{{}}' > $o/hits.jsonl"), "line 1"),
        (
            "rerank",
            format!("{copy}head -1 $i/hits.jsonl > $o/hits.jsonl"),
            "left out question `q2`",
        ),
        (
            "rerank",
            format!("{copy}cat $i/hits.jsonl $i/hits.jsonl > $o/hits.jsonl"),
            "more rankings",
        ),
        (
            "rerank",
            format!("{copy}sed 's/\"id\":\"vpn.md#0\"/\"id\":\"fin-6#0\"/' $i/hits.jsonl > $o/hits.jsonl"),
            "reorder and drop hits only",
        ),
        (
            "rerank",
            format!("{copy}ln -s $i/hits.jsonl $o/hits.jsonl"),
            "something else than a file",
        ),
        (
            "rerank",
            format!("{copy}head -c 300000 /dev/zero > $o/hits.jsonl; while :; do :; done"),
            "max_output_bytes",
        ),
        ("rerank", "while :; do :; done".to_owned(), "time_limit_s"),
        (
            "retrieve",
            format!(
                "{copy}echo '{{\"question\":{{\"id\":\"q1\"}},\"hits\":[{{\"score\":1,\"passage\":{{\"id\":\"fin-6#0\"}}}}]}}' > $o/hits.jsonl"
            ),
            "its asker may not read",
        ),
        (
            "chunk",
            format!(
                "{copy}echo '{{\"id\":\"fin-6#0\",\"span\":{{\"start\":0,\"end\":3}},\"text\":\"Tho\"}}' > $o/passages.jsonl"
            ),
            "not what stands at its span",
        ),
        (
            "chunk",
            format!(
                "{copy}echo '{{\"id\":\"none#0\",\"span\":{{\"start\":0,\"end\":3}},\"text\":\"The\"}}' > $o/passages.jsonl"
            ),
            "there is not",
        ),
        (
            "generate",
            format!("{copy}: > $o/answers.jsonl"),
            "left out question `q1`",
        ),
    ];
    for (stage, script, named) in cases {
        program(&site, &script);
        experiment(
            &site,
            &format!("[exec]\n{stage} = \"./program\"\ntime_limit_s = 1\nmax_output_bytes = 200000\n"),
        );
        let output = site.run(&["experiment", "run", "tries"]);
        let errors = lines(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{script}: {errors}");
        assert!(
            errors.contains(named) && errors.contains("./program"),
            "{script}: {errors}"
        );
    }
    experiment(&site, "[exec]\nrerank = \"./nothing\"\n");
    let output = site.run(&["experiment", "run", "tries"]);
    assert!(lines(&output.stderr).contains("cannot be started"));
}

#[test]
fn answers_of_a_program_are_checked_like_any_other() {
    let site = site();
    let answers = [
        r#"{"question":{"id":"q1"},"answer":"ERR-4012 means that the tunnel could not be established. [vpn.md#0]"}"#,
        r#"{"question":{"id":"q2"},"answer":"The moon is made of green cheese. [licence.md#0]"}"#,
        r#"{"question":{"id":"q3"},"answer":"The revenue forecast is forty-one million. [fin-6#0]"}"#,
    ];
    fs_err::write(site.path("experiments/answers"), answers.join("\n")).unwrap();
    program(
        &site,
        "while [ $# -gt 0 ]; do case $1 in --out) o=$2;; esac; shift; done\ncp answers $o/answers.jsonl",
    );
    experiment(&site, "[exec]\ngenerate = \"./program\"\n");
    let report = site.json(&["experiment", "run", "tries", "--json"]);
    let run = PathBuf::from(report["variants"][0]["run"].as_str().unwrap());
    let text = fs_err::read_to_string(run.join("answered/answers.jsonl")).unwrap();
    let said: Vec<String> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["answer"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(
        said[0],
        "ERR-4012 means that the tunnel could not be established. [vpn.md#0]"
    );
    assert_eq!(said[1..], ["I don't know based on the provided sources."; 2]);
}

#[test]
fn a_program_can_cut_documents_and_search() {
    let site = site();
    program(
        &site,
        "while [ $# -gt 0 ]; do case $1 in --passages) p=$2;; --questions) q=$2;; --out) o=$2;; esac; shift; done\n\
         id=$(sed -n 's/.*\"id\":\"\\(vpn.md#[0-9]*\\)\".*/\\1/p' $p/passages.jsonl | head -1)\n\
         sed \"s/.*\\\"id\\\":\\\"\\(q[0-9]\\)\\\".*/{\\\"question\\\":{\\\"id\\\":\\\"\\1\\\"},\\\"hits\\\":[{\\\"score\\\":1,\\\"passage\\\":{\\\"id\\\":\\\"$id\\\"}}]}/\" $q > $o/hits.jsonl",
    );
    experiment(&site, "[exec]\nretrieve = \"./program\"\n");
    let report = site.json(&["experiment", "run", "tries", "--json"]);
    let run = PathBuf::from(report["variants"][0]["run"].as_str().unwrap());
    let trec = fs_err::read_to_string(run.join("retrieved/run.trec")).unwrap();
    assert_eq!(trec.lines().next(), Some("q1 Q0 vpn.md#0 1 1 program"));
    assert_eq!(trec.lines().count(), 3);
}

/// The arguments of a program by name, in the shell.
const ARGUMENTS: &str = "while [ $# -gt 0 ]; do case $1 in --in) i=$2;; --out) o=$2;; --questions) q=$2;; \
                         esac; shift; done\n";

#[test]
fn a_program_ends_with_all_that_it_started() {
    let site = site();
    program(&site, "(sleep 3; echo alive > survived) & while :; do :; done");
    experiment(&site, "[exec]\nrerank = \"./program\"\ntime_limit_s = 1\n");
    let output = site.run(&["experiment", "run", "tries"]);
    assert!(lines(&output.stderr).contains("time_limit_s"));
    std::thread::sleep(std::time::Duration::from_secs(4));
    assert!(!site.path("experiments/survived").exists());
}

#[test]
fn a_program_sees_no_labels_and_no_secrets_and_spoils_nothing() {
    let site = site();
    program(
        &site,
        &format!(
            "{ARGUMENTS}cat $q > asked; env > environment; \
             sed 's/.*\"id\":\"\\(q[0-9]\\)\".*/{{\"question\":{{\"id\":\"\\1\"}},\"hits\":[]}}/' $q > $o/hits.jsonl"
        ),
    );
    experiment(&site, "[exec]\nretrieve = \"./program\"\n");
    let output = site
        .command(&["experiment", "run", "tries"])
        .env("SOME_API_KEY", "hush")
        .env("HF_TOKEN", "hush")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", lines(&output.stderr));
    let asked = fs_err::read_to_string(site.path("experiments/asked")).unwrap();
    assert!(
        asked.contains("ERR-4012") && asked.contains("everyone"),
        "{asked}"
    );
    for label in ["relevant", "answerable", "tunnel", "vpn.md"] {
        assert!(!asked.contains(label), "{label}: {asked}");
    }
    let environment = fs_err::read_to_string(site.path("experiments/environment")).unwrap();
    assert!(
        environment.contains("PATH=") && !environment.contains("hush"),
        "{environment}"
    );

    program(
        &site,
        &format!("{ARGUMENTS}cp $i/hits.jsonl $o/; echo spoilt > $i/hits.jsonl"),
    );
    experiment(&site, "[exec]\nrerank = \"./program\"\n");
    let report = site.json(&["experiment", "run", "tries", "--json"]);
    let run = report["variants"][0]["run"].as_str().unwrap();
    let hits = fs_err::read_to_string(Path::new(run).join("retrieved/hits.jsonl")).unwrap();
    assert!(hits.contains("ERR-4012") && !hits.contains("spoilt"));
    assert!(
        site.run(&["report", run, "--trust", "--out", "pages"])
            .status
            .success()
    );
}

#[test]
fn a_program_is_another_when_a_file_that_it_names_changes() {
    let site = site();
    program(&site, &format!("{ARGUMENTS}cp $i/hits.jsonl $o/"));
    fs_err::write(site.path("experiments/weights"), "1").unwrap();
    experiment(
        &site,
        "[exec.rerank]\ncommand = [\"./program\"]\nfiles = [\"weights\"]\n",
    );
    let run = ["experiment", "run", "tries", "--json"];
    assert_eq!(fates(&site.json(&run), "rerank"), ["made"]);
    assert_eq!(fates(&site.json(&run), "rerank"), ["reused"]);
    fs_err::write(site.path("experiments/weights"), "2").unwrap();
    assert_eq!(fates(&site.json(&run), "rerank"), ["made"]);

    for (table, named) in [
        (
            "[exec.rerank]\ncommand = [\"./program\"]\ntimelimit = 1\n",
            "timelimit",
        ),
        ("[exec]\nrerank = 5\n", "a program: its path"),
        ("[exec]\nrerank = []\n", "begins with its path"),
        (
            "[exec.rerank]\ncommand = [\"./program\"]\nfolder = \"gone\"\n",
            "no folder to run in",
        ),
    ] {
        experiment(&site, table);
        let output = site.run(&["experiment", "run", "tries"]);
        assert!(
            lines(&output.stderr).contains(named),
            "{table}: {}",
            lines(&output.stderr)
        );
    }
}

#[test]
fn a_chunker_that_makes_nothing_fails_its_variant() {
    let site = site();
    program(&site, &format!("{ARGUMENTS}: > $o/passages.jsonl"));
    experiment(&site, "[exec]\nchunk = \"./program\"\n");
    let output = site.run(&["experiment", "run", "tries"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        lines(&output.stderr).contains("no passage was made"),
        "{}",
        lines(&output.stderr)
    );
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
fn settings_that_lie_in_the_folder_name_no_programs() {
    let site = site();
    let settings = format!("{SETTINGS}[exec]\nrerank = \"./program\"\n");
    fs_err::write(site.path("rag.toml"), settings).unwrap();
    experiment(&site, "");
    let refused = site.run(&["experiment", "run", "tries"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(lines(&refused.stderr).contains("names a program to run (exec)"));
    program(&site, "exit 7");
    fs_err::create_dir(site.path("elsewhere")).unwrap();
    fs_err::rename(site.path("experiments/program"), site.path("program")).unwrap();
    let named = site.run(&["experiment", "run", "tries", "--config", "rag.toml"]);
    assert!(
        lines(&named.stderr).contains("exit status: 7"),
        "{}",
        lines(&named.stderr)
    );
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

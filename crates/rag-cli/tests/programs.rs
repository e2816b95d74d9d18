//! Programs in place of a box, as experiments start them: what they are given, what they may do, and what is refused.
//! No model weights are needed.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;
mod tried;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::lines;
use tried::{SETTINGS, experiment, fates, program, site};

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

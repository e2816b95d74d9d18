//! What ingesting, changing, deleting and damaging do, as a user sees them. No model weights are needed.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;

use rag_models::tfidf::{Synonyms, TfIdfConfig, TfIdfEmbedder};
use serde_json::Value;
use support::{Site, lines};

const SETTINGS: &str = "[models]\nembedder = \"tfidf\"\nreranker = \"lexical\"\n";

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
        "---\nid: fin-6\ntitle: Forecast\naccess: [finance]\n---\n\nThird quarter revenue is forecast at forty-one million.\n",
    );
    site
}

fn ingest(site: &Site) -> Value {
    site.json(&["ingest", "docs", "--store", "kb", "--json"])
}

fn counts(report: &Value, stage: &str) -> (u64, u64) {
    (
        report[stage]["reused"].as_u64().unwrap(),
        report[stage]["written"].as_u64().unwrap(),
    )
}

fn found(site: &Site, question: &str, groups: &str) -> String {
    site.json(&["search", question, "--store", "kb", "--groups", groups, "--json"])
        .to_string()
}

#[test]
fn an_unchanged_tree_does_no_work_and_one_changed_file_costs_one_file() {
    let site = site();
    assert_eq!(counts(&ingest(&site), "documents"), (0, 3));
    let again = ingest(&site);
    assert_eq!(
        (counts(&again, "documents"), counts(&again, "vectors")),
        ((3, 0), (3, 0))
    );
    site.document("vpn.md", "# VPN\n\nERR-4012 means that the tunnel was refused.\n");
    assert_eq!(counts(&ingest(&site), "documents"), (2, 1));
    assert!(found(&site, "ERR-4012", "").contains("tunnel was refused"));
}

#[test]
fn a_removed_file_leaves_nothing_behind() {
    let site = site();
    ingest(&site);
    fs_err::remove_file(site.path("docs/licence.md")).unwrap();
    ingest(&site);
    assert!(!found(&site, "licence ERR-4013", "").contains("run out"));
    let mut pending = vec![site.path("kb")];
    while let Some(folder) = pending.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let bytes = fs_err::read(&path).unwrap();
                assert!(
                    !bytes.windows(11).any(|w| w == b"has run out"),
                    "{}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn changed_access_takes_effect_and_embeds_nothing() {
    let site = site();
    ingest(&site);
    assert!(found(&site, "revenue forecast", "finance").contains("forty-one"));
    assert!(!found(&site, "revenue forecast", "hr").contains("forty-one"));
    let text = fs_err::read_to_string(site.path("docs/forecast.md")).unwrap();
    site.document("forecast.md", text.replace("[finance]", "[hr]"));
    assert_eq!(counts(&ingest(&site), "vectors"), (3, 0));
    assert!(!found(&site, "revenue forecast", "finance").contains("forty-one"));
    assert!(found(&site, "revenue forecast", "hr").contains("forty-one"));
}

#[test]
fn a_deleted_document_stays_out_until_it_is_restored() {
    let site = site();
    ingest(&site);
    assert!(site.run(&["delete", "vpn.md", "--store", "kb"]).status.success());
    assert!(!found(&site, "ERR-4012 tunnel", "").contains("established"));
    ingest(&site);
    assert!(!found(&site, "ERR-4012 tunnel", "").contains("established"));
    assert!(
        site.run(&["delete", "vpn.md", "--store", "kb", "--restore"])
            .status
            .success()
    );
    assert!(found(&site, "ERR-4012 tunnel", "").contains("established"));
    let unknown = site.run(&["delete", "nothing", "--store", "kb"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(lines(&unknown.stderr).contains("no document `nothing`"));
}

#[test]
fn bad_files_are_diagnosed_and_the_rest_is_ingested() {
    let site = site();
    site.document("empty.md", "");
    site.document("binary.txt", [0u8, 1, 2, 3, 255, 254, 0, 0, 7]);
    site.document("broken.docx", "not a zip file");
    site.document(
        "twin.md",
        "---\nid: fin-6\naccess: [finance]\n---\nAnother one.\n",
    );
    let output = site.run(&["ingest", "docs", "--store", "kb"]);
    assert_eq!(output.status.code(), Some(3), "{}", lines(&output.stderr));
    let diagnostics = lines(&output.stderr);
    for name in ["empty.md", "binary.txt", "broken.docx", "twin.md"] {
        assert!(diagnostics.contains(name), "{name} is not in {diagnostics}");
    }
    assert!(found(&site, "ERR-4012", "").contains("established"));
}

#[test]
fn errors_name_the_thing_and_the_next_step() {
    let site = site();
    let missing = site.run(&["ask", "What?", "--store", "kb"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(
        lines(&missing.stderr).contains("ingest DIR --store"),
        "{}",
        lines(&missing.stderr)
    );
    assert_eq!(site.run(&["ask"]).status.code(), Some(2));
    assert_eq!(
        site.run(&["search", "x", "--store", "kb", "--mode", "hybird"])
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        site.run(&["search", "x", "--store", "kb", "--updated-after", "soon"])
            .status
            .code(),
        Some(2)
    );
    ingest(&site);
    let other = site.path("other");
    fs_err::create_dir(&other).unwrap();
    let replaced = site.run(&["ingest", "other", "--store", "kb"]);
    assert!(
        lines(&replaced.stderr).contains("use another store"),
        "{}",
        lines(&replaced.stderr)
    );
}

#[test]
fn a_damaged_file_of_a_generation_is_found_by_its_digest() {
    let site = site();
    ingest(&site);
    let current = fs_err::read_to_string(site.path("kb/CURRENT")).unwrap();
    let vectors = site
        .path("kb/generations")
        .join(current.trim())
        .join("vectors.safetensors");
    let mut bytes = fs_err::read(&vectors).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs_err::write(&vectors, bytes).unwrap();
    for arguments in [&["verify", "kb"][..], &["search", "x", "--store", "kb"]] {
        let output = site.run(arguments);
        assert_eq!(output.status.code(), Some(1));
        let message = lines(&output.stderr);
        assert!(
            message.contains("vectors.safetensors") && message.contains("damaged"),
            "{message}"
        );
    }
}

#[test]
fn a_second_writer_is_told_who_writes() {
    let site = site();
    ingest(&site);
    let _lock = rag_core::artifact::StoreLock::acquire(&site.path("kb/LOCK")).unwrap();
    let output = site.run(&["ingest", "docs", "--store", "kb"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        lines(&output.stderr).contains("is being written by process"),
        "{}",
        lines(&output.stderr)
    );
}

#[test]
fn an_index_refuses_questions_of_another_model() {
    let site = site();
    ingest(&site);
    let model = site.path("other-model");
    fs_err::create_dir(&model).unwrap();
    let table = TfIdfEmbedder::fit(["other words"], Synonyms::default(), TfIdfConfig::default());
    fs_err::write(
        model.join("tfidf.json"),
        table.unwrap().table().to_json().unwrap(),
    )
    .unwrap();
    fs_err::write(
        site.path("rag.toml"),
        "[models]\nembedder = \"other-model\"\nreranker = \"none\"\n",
    )
    .unwrap();
    let output = site.run(&["search", "tunnel", "--store", "kb"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        lines(&output.stderr).contains("ingest again"),
        "{}",
        lines(&output.stderr)
    );
}

#[test]
fn stages_run_alone_and_meet_on_disk() {
    let site = site();
    fs_err::write(
        site.path("questions.jsonl"),
        "{\"id\":\"1\",\"question\":\"What does ERR-4012 mean?\"}\n{\"id\":\"2\",\"question\":\"third quarter revenue\",\"groups\":[\"finance\"]}\n",
    )
    .unwrap();
    let steps: &[&[&str]] = &[
        &["parse", "--in", "docs", "--out", "1"],
        &["chunk", "--in", "1", "--out", "2"],
        &["index", "--in", "2", "--out", "gen/3"],
        &[
            "retrieve",
            "--in",
            "gen/3",
            "--questions",
            "questions.jsonl",
            "--out",
            "4",
        ],
        &["rerank", "--in", "4", "--out", "5"],
        &["generate", "--in", "5", "--out", "6"],
    ];
    for _ in 0..2 {
        for step in steps {
            let output = site.run(step);
            assert!(output.status.success(), "{step:?}: {}", lines(&output.stderr));
        }
    }
    let answers = fs_err::read_to_string(site.path("6/answers.jsonl")).unwrap();
    assert_eq!(answers.lines().count(), 2);
    assert!(answers.contains("vpn.md#0"), "{answers}");
    let wrong = site.run(&["chunk", "--in", "2", "--out", "7"]);
    assert!(
        lines(&wrong.stderr).contains("written by stage `chunk`"),
        "{}",
        lines(&wrong.stderr)
    );
}

#[test]
fn an_empty_or_endless_question_is_wrong_usage() {
    let site = site();
    ingest(&site);
    let long = "why ".repeat(30_000);
    for question in ["", "  ", &long] {
        for command in ["ask", "search"] {
            let output = site.run(&[command, question, "--store", "kb"]);
            assert_eq!(output.status.code(), Some(2), "{}", lines(&output.stderr));
        }
    }
}

#[test]
fn a_forgotten_settings_file_does_not_open_a_closed_collection() {
    let site = site();
    let closed = format!("{SETTINGS}[parse]\ndefault_access = []\n");
    fs_err::write(site.path("closed.toml"), closed).unwrap();
    let config = ["--config", "closed.toml"];
    let first = site.run(&["ingest", "docs", "--store", "kb", config[0], config[1]]);
    assert!(first.status.success(), "{}", lines(&first.stderr));
    let forgotten = site.run(&["ingest", "docs", "--store", "kb"]);
    assert_eq!(forgotten.status.code(), Some(1));
    let message = lines(&forgotten.stderr);
    assert!(message.contains("parse.default_access"), "{message}");
    assert!(!found(&site, "ERR-4012 tunnel", "").contains("established"));
}

#[test]
fn a_folder_with_somebody_elses_manifest_is_not_replaced() {
    let site = site();
    fs_err::create_dir(site.path("extension")).unwrap();
    fs_err::write(site.path("extension/manifest.json"), "{\"name\":\"extension\"}").unwrap();
    fs_err::write(site.path("extension/thesis.md"), "years of work").unwrap();
    let output = site.run(&["parse", "--in", "docs", "--out", "extension"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        lines(&output.stderr).contains("other files"),
        "{}",
        lines(&output.stderr)
    );
    assert!(site.path("extension/thesis.md").exists());
    assert!(
        site.run(&["parse", "--in", "docs", "--out", "1"])
            .status
            .success()
    );
    let onto_itself = site.run(&["chunk", "--in", "1", "--out", "1"]);
    assert!(
        lines(&onto_itself.stderr).contains("stage `parse`"),
        "{}",
        lines(&onto_itself.stderr)
    );
}

#[test]
fn artifacts_that_lost_their_manifest_are_built_again() {
    let site = site();
    ingest(&site);
    let current = fs_err::read_to_string(site.path("kb/CURRENT")).unwrap();
    for lost in [
        format!("generations/{}", current.trim()),
        "parsed".into(),
        "chunked".into(),
    ] {
        fs_err::remove_file(site.path(&format!("kb/{lost}/manifest.json"))).unwrap();
        ingest(&site);
        assert!(found(&site, "ERR-4012", "").contains("established"), "{lost}");
    }
}

#[test]
fn an_emptied_folder_does_not_empty_the_store() {
    let site = site();
    ingest(&site);
    fs_err::remove_dir_all(site.path("docs")).unwrap();
    fs_err::create_dir(site.path("docs")).unwrap();
    let output = site.run(&["ingest", "docs", "--store", "kb"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        lines(&output.stderr).contains("is it mounted"),
        "{}",
        lines(&output.stderr)
    );
    assert!(found(&site, "ERR-4012", "").contains("established"));
}

#[test]
fn a_settings_file_found_in_a_folder_runs_no_program() {
    let site = site();
    fs_err::write(
        site.path("rag.toml"),
        format!("{SETTINGS}[models.fetch.mirror]\npython = \"./evil.sh\"\n"),
    )
    .unwrap();
    let output = site.run(&["ingest", "docs", "--store", "kb"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        lines(&output.stderr).contains("--config"),
        "{}",
        lines(&output.stderr)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_could_not_be_written_is_a_failure() {
    let site = site();
    ingest(&site);
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = site
        .command(&["search", "tunnel", "--store", "kb", "--json"])
        .stdout(full.into_parts().0)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        lines(&output.stderr).contains("could not be written"),
        "{}",
        lines(&output.stderr)
    );
}

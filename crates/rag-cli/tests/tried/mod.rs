//! A site with documents, questions and an experiment over them.

use serde_json::Value;

use crate::support::Site;

/// Settings that need no weights.
pub(crate) const SETTINGS: &str = "[models]\nembedder = \"tfidf\"\nreranker = \"lexical\"\n";

const QUESTIONS: &str = r#"{"id":"q1","question":"What does ERR-4012 mean?","relevant":["vpn.md"],"answers":["tunnel could not be established"],"answerable":true}
{"id":"q2","question":"What does ERR-4013 mean?","relevant":["licence.md"],"answers":["licence has run out"],"answerable":true}
{"id":"q3","question":"How is the revenue forecast?","groups":["everyone"],"relevant":[],"answers":[],"answerable":false}
"#;

/// A few documents with questions.
pub(crate) fn site() -> Site {
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
pub(crate) fn experiment(site: &Site, text: &str) {
    let described = "[experiment]\nsource = \"../docs\"\nquestions = \"../questions.jsonl\"\n";
    fs_err::write(site.path("experiments/tries.toml"), format!("{described}{text}")).unwrap();
}

/// Puts `script` where an experiment finds it as `./program`.
pub(crate) fn program(site: &Site, script: &str) {
    let path = site.path("experiments/program");
    fs_err::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs_err::set_permissions(&path, mode).unwrap();
    }
}

/// What became of a stage of each variant.
pub(crate) fn fates(report: &Value, stage: &str) -> Vec<String> {
    let variants = report["variants"].as_array().unwrap().iter();
    let fate = |variant: &Value| {
        let mut steps = variant["steps"].as_array().unwrap().iter();
        let step = steps.find(|step| step["stage"] == stage).unwrap();
        step["fate"].as_str().unwrap().to_owned()
    };
    variants.map(fate).collect()
}

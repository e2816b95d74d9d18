//! A killed ingest loses nothing: the next run finishes the job and gives the same index.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod support;

use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;
use support::{Site, lines};

const DOCUMENTS: usize = 150;
const MOMENTS: u32 = 20;

/// What a reader can tell of a store: passages and their places for some questions.
fn observed(site: &Site, store: &str) -> Vec<Value> {
    let questions = [
        "gateway 17 restart",
        "licence of pump 80",
        "valve 3",
        "supplier contract",
    ];
    let search = |question: &&str| {
        let mut found = site.json(&["search", question, "--store", store, "--json", "-k", "20"]);
        found.as_object_mut().unwrap().remove("timings_ms");
        found
    };
    questions.iter().map(search).collect()
}

/// Pseudo-random but the same in every run.
fn fraction(number: u32) -> f64 {
    f64::from(number.wrapping_mul(2_654_435_761) >> 8) / f64::from(1u32 << 24)
}

#[test]
fn an_ingest_killed_at_twenty_moments_ends_like_an_undisturbed_one() {
    let site = Site::new("[models]\nembedder = \"tfidf\"\nreranker = \"none\"\n");
    for number in 0..DOCUMENTS {
        let text = format!(
            "# Unit {number}\n\nGateway {number} is restarted with the red key. The licence of pump {number} \
             ends in {}.\n\n## Service\n\nValve {} has a supplier contract.\n",
            2020 + number % 9,
            number % 40
        );
        site.document(&format!("unit-{number:03}.md"), &text);
    }
    let started = Instant::now();
    site.json(&["ingest", "docs", "--store", "whole", "--json"]);
    let undisturbed = started.elapsed();
    let expected = observed(&site, "whole");

    let mut resumed = 0;
    for moment in 0..MOMENTS {
        let store = format!("killed-{moment}");
        let mut child = site
            .command(&["ingest", "docs", "--store", &store])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let at = undisturbed.mul_f64(fraction(moment + 1));
        let deadline = Instant::now() + at;
        while Instant::now() < deadline && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let report = site.json(&["ingest", "docs", "--store", &store, "--json"]);
        resumed += u32::from(report["documents"]["reused"].as_u64().unwrap() > 0);
        assert_eq!(observed(&site, &store), expected, "killed after {at:?}");
        let checked = site.run(&["verify", &store]);
        assert!(checked.status.success(), "{}", lines(&checked.stderr));
    }
    assert!(resumed > 0, "no run took finished documents over");
}

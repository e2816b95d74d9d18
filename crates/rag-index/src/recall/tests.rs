//! The audit tells a graph that loses passages from a scan that does not.

use rag_core::passage::Passage;
use rag_core::progress::Silent;

use super::*;
use crate::config::SearchConfig;
use crate::testing::{FakeEmbedder, passage, publish};
use crate::{Tools, run};

fn synthetic(index: &Config, config: &RecallConfig) -> RecallReport {
    let scratch = tempfile::tempdir().unwrap();
    of_synthetic(2_000, index, config, scratch.path(), &Silent).unwrap()
}

fn few() -> RecallConfig {
    RecallConfig {
        bands: vec![0.5, 0.05, 0.001],
        queries: 20,
        ..RecallConfig::default()
    }
}

#[test]
fn a_scan_finds_all_and_every_way_of_drawing_is_audited() {
    let report = synthetic(&Config::default(), &few());
    assert_eq!(
        (report.passages, report.graph),
        (2_000, GraphOrigin::BuiltForTheAudit)
    );
    assert_eq!(report.bands.len(), 9);
    for band in &report.bands {
        // Of two allowed passages none may have a positive cosine: then there is nothing to find.
        assert!(band.searches >= 10 && band.scanned == band.searches, "{band:?}");
        assert_eq!(band.as_used, Some(1.0), "{band:?}");
        assert_eq!(band.allowed, (2_000.0 * band.selectivity).round() as u64);
    }
}

/// A planner that always trusts a graph which keeps few candidates loses much under a narrow filter.
#[test]
fn a_planner_that_trusts_a_poor_graph_is_found_out() {
    let index = Config {
        graph: GraphConfig {
            min_passages: 1,
            connections: 2,
            ef_construction: 8,
        },
        search: SearchConfig {
            ef: 10,
            graph_cost: 0.0,
            ..SearchConfig::default()
        },
        ..Config::default()
    };
    let report = synthetic(&index, &few());
    assert_eq!(report.graph, GraphOrigin::Own);
    for band in &report.bands {
        assert_eq!((band.scanned, band.as_used), (0, band.graph), "{band:?}");
    }
    assert!(
        report.bands.iter().any(|band| band.as_used < Some(0.9)),
        "{report:?}"
    );
}

#[test]
fn the_same_seed_draws_the_same_and_settings_are_checked() {
    let scratch = tempfile::tempdir().unwrap();
    let audit =
        |config: &RecallConfig| of_synthetic(500, &Config::default(), config, scratch.path(), &Silent);
    assert_eq!(audit(&few()).unwrap(), audit(&few()).unwrap());
    for bad in [vec![], vec![0.0], vec![1.5], vec![f64::NAN]] {
        assert!(audit(&RecallConfig { bands: bad, ..few() }).is_err());
    }
}

#[test]
fn a_generation_is_audited_by_its_own_documents_and_departments() {
    let folder = tempfile::tempdir().unwrap();
    let passages: Vec<Passage> = (0..120u32)
        .map(|n| Passage {
            department: (n < 60).then(|| "Finance".to_owned()),
            ..passage(&format!("d{:02}", n / 6), n, &format!("text {n}"))
        })
        .collect();
    let chunked = folder.path().join("chunked");
    publish(&chunked, &passages);
    let tools = Tools {
        embedder: &FakeEmbedder::new(16),
        previous: &[],
        journal: &folder.path().join("journal"),
        progress: &Silent,
    };
    let output = folder.path().join("g");
    run(&Config::default(), &chunked, &output, &tools).unwrap();
    let generation = Generation::open(&output, &SearchConfig::default()).unwrap();
    let field = Field::of_generation(&generation).unwrap();
    assert_eq!((field.documents.len(), field.departments.len()), (20, 2));
    let set = field.draw(Draw::Departments, 0.5, &mut Random::of(&[7]));
    let ordinals: Vec<u32> = set.ordinals().collect();
    assert!(ordinals == (0..60).collect::<Vec<_>>() || ordinals == (60..120).collect::<Vec<_>>());
    let given = Queries::Given(vec![crate::testing::unit_vector(16, "question")]);
    for queries in [Queries::NearStored, given] {
        let build = GraphConfig::default();
        let report = of_generation(&generation, &queries, &few(), &build, folder.path(), &Silent).unwrap();
        assert!(
            report
                .bands
                .iter()
                .all(|band| band.as_used.is_none_or(|recall| recall == 1.0)),
            "{report:?}"
        );
    }
    let wrong = Queries::Given(vec![vec![1.0]]);
    assert!(
        of_generation(
            &generation,
            &wrong,
            &few(),
            &GraphConfig::default(),
            folder.path(),
            &Silent
        )
        .is_err()
    );
}

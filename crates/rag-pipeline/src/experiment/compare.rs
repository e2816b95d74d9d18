//! Variants side by side.

use std::collections::BTreeMap;

use rag_eval::significance::{Comparison, SignificanceConfig, Values, correct};
use serde::Serialize;

use super::workshop::VariantReport;
use crate::error::PipelineError;
use crate::run::{RIGHT, Run};

/// What is compared, in the order of [`Figures`].
pub const FIGURES: [&str; 4] = [RIGHT, "R@10", "nDCG@10", AUROC];

/// The figure that questions do not have one by one.
const AUROC: &str = "AUROC";

/// A value for each of [`FIGURES`]; `None` where it could not be computed.
pub type Figures = [Option<f64>; FIGURES.len()];

/// One variant in comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The experiment.
    pub experiment: String,
    /// The variant.
    pub variant: String,
    /// Its figures.
    pub figures: Figures,
    /// The figures less those of the first variant that was asked the same questions; `None` for that one.
    pub against_first: Option<Figures>,
    /// The same question by question, by figure: whether a difference is more than chance. Corrected for the number of
    /// variants.
    pub tests: BTreeMap<&'static str, Comparison>,
    /// Seconds that it took now.
    pub seconds: f64,
}

/// Compares each variant with the first one that was asked the same questions.
pub fn compare(reports: &[VariantReport]) -> Result<Vec<Compared>, PipelineError> {
    compare_by(reports, |report, metric| Run::open(&report.run)?.values(metric))
}

/// As [`compare`], with the questions' values of a metric from `values`.
fn compare_by(
    reports: &[VariantReport],
    values: impl Fn(&VariantReport, &str) -> Result<Values, PipelineError>,
) -> Result<Vec<Compared>, PipelineError> {
    let mut all = Vec::with_capacity(reports.len());
    for (place, report) in reports.iter().enumerate() {
        let figures = figures(report);
        let first = reports
            .iter()
            .position(|other| other.questions == report.questions);
        let first = first.filter(|first| *first != place).map(|first| &reports[first]);
        let mut tests = BTreeMap::new();
        for metric in FIGURES.into_iter().filter(|metric| *metric != AUROC) {
            let Some(first) = first else { continue };
            let config = SignificanceConfig::default();
            let (before, after) = (values(first, metric)?, values(report, metric)?);
            tests.insert(metric, rag_eval::significance::compare(&before, &after, &config));
        }
        all.push(Compared {
            experiment: report.experiment.clone(),
            variant: report.variant.clone(),
            figures,
            against_first: first.map(|first| less(figures, self::figures(first))),
            tests,
            seconds: report.seconds,
        });
    }
    for metric in FIGURES {
        correct(all.iter_mut().filter_map(|row| row.tests.get_mut(metric)));
    }
    Ok(all)
}

fn figures(report: &VariantReport) -> Figures {
    FIGURES.map(|name| match name {
        AUROC => report.metrics.auroc,
        name => report.metrics.means.get(name)?.mean,
    })
}

fn less(figures: Figures, first: Figures) -> Figures {
    let mut place = 0;
    figures.map(|figure| {
        let difference = figure.zip(first[place]).map(|(figure, first)| figure - first);
        place += 1;
        difference
    })
}

#[cfg(test)]
mod tests {
    use rag_eval::retrieval::Summary;

    use super::*;
    use crate::run::RunMetrics;

    fn report(variant: &str, questions: &str, right: Option<f64>) -> VariantReport {
        VariantReport {
            experiment: "e".into(),
            variant: variant.into(),
            run: "run".into(),
            questions: questions.into(),
            steps: Vec::new(),
            seconds: 1.0,
            metrics: RunMetrics {
                questions: 8,
                means: BTreeMap::from([(RIGHT.to_owned(), Summary::of([right]))]),
                auroc: Some(0.5),
            },
        }
    }

    /// Values of eight questions, each the figure of the variant.
    fn values(report: &VariantReport, metric: &str) -> Values {
        let value = report.metrics.means.get(metric).and_then(|summary| summary.mean);
        (0..8).map(|n| (format!("q{n}"), value)).collect()
    }

    #[test]
    fn each_is_compared_with_the_first_of_the_same_questions() {
        let reports = [
            report("a", "one", Some(0.5)),
            report("b", "two", Some(0.1)),
            report("c", "one", Some(0.75)),
            report("d", "two", None),
            report("e", "one", Some(0.5)),
        ];
        let compared = compare_by(&reports, |report, metric| Ok(values(report, metric))).unwrap();
        let differences: Vec<Option<Option<f64>>> = compared
            .iter()
            .map(|row| row.against_first.map(|figures| figures[0]))
            .collect();
        let expected = [None, None, Some(Some(0.25)), Some(None), Some(Some(0.0))];
        assert_eq!(differences, expected);
        let corrected = |place: usize| compared[place].tests[RIGHT].p_corrected;
        // Two of 2^8 swaps, times two comparisons; no pair has no p.
        assert_eq!(
            (corrected(2), corrected(3), corrected(4)),
            (Some(4.0 / 256.0), None, Some(1.0))
        );
        assert!(compared[0].tests.is_empty());
    }
}

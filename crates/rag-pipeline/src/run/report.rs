//! Several runs on the same questions as one report: figures, a table, and the diagnosis of each.

use std::collections::BTreeMap;

use rag_core::hit::Ranking;
use rag_core::progress::Progress;
use rag_eval::answers::{AbstentionCurve, Label, abstention_curve, score_answers};
use rag_eval::diagnosis::{DiagnosisReport, Rung, report_pages};
use rag_eval::figures::{self, RankPair, Series, Tradeoff};
use rag_eval::report::{ReportedFigure, ReportedRun, report_page};
use rag_eval::retrieval::Metric;

use super::measure::{HEADLINE, RIGHT, evaluate, qrels};
use super::{Ledger, Run, Trust, diagnose_run};
use crate::error::PipelineError;
use crate::settings::ModelSettings;

/// Depths at which recall is drawn.
const DEPTHS: [usize; 8] = [1, 2, 3, 5, 10, 15, 20, 30];

/// The kind of question whose answers do not name what they are about, for which passages are drawn before and after.
const CONTEXTUAL: &str = "contextual";

/// A file of the report: its path within it, and its text.
pub type ReportFile = (String, String);

/// The report on `runs`, each with its name. The first is compared with the last where a figure shows two.
pub fn report_runs(
    runs: &[(String, Run)],
    here: &ModelSettings,
    trust: Trust,
    progress: &dyn Progress,
) -> Result<Vec<ReportFile>, PipelineError> {
    if runs
        .windows(2)
        .any(|pair| pair[0].1.lock().questions != pair[1].1.lock().questions)
    {
        return Err(PipelineError::OtherQuestions);
    }
    let mut read = Vec::with_capacity(runs.len());
    for (name, run) in runs {
        let diagnosis = diagnose_run(run, &run.settings(here, trust)?, progress)?;
        read.push(Read::of(name, run, diagnosis)?);
    }
    let drawn = draw(&read);
    let mut files = Vec::new();
    let mut reported = Vec::new();
    for (number, run) in (1..).zip(read) {
        let folder = format!("run-{number}");
        for (name, page) in report_pages(&run.name, &run.diagnosis) {
            files.push((format!("{folder}/{name}"), page));
        }
        reported.push(ReportedRun {
            name: run.name,
            folder,
            metrics: run.metrics,
            diagnosis: run.diagnosis,
        });
    }
    files.push(("index.html".to_owned(), report_page(&reported, &drawn)));
    files.extend(drawn.into_iter().map(|figure| (figure.file, figure.svg)));
    Ok(files)
}

/// What a report takes of a run.
struct Read {
    name: String,
    labels: Vec<Label>,
    retrieved: Vec<Ranking>,
    kept: Vec<Ranking>,
    diagnosis: DiagnosisReport,
    metrics: Vec<(String, Option<f64>)>,
    abstention: AbstentionCurve,
    /// Mean milliseconds per question.
    cost_ms: f64,
}

impl Read {
    fn of(name: &str, run: &Run, diagnosis: DiagnosisReport) -> Result<Self, PipelineError> {
        let labels = run.labels()?;
        let measured = run.metrics()?;
        let mean = |metric: &str| measured.means.get(metric).and_then(|summary| summary.mean);
        let mut metrics: Vec<(String, Option<f64>)> = HEADLINE
            .iter()
            .map(|metric| ((*metric).to_owned(), mean(metric)))
            .collect();
        metrics.push(("AUROC".to_owned(), measured.auroc));
        let scored = score_answers(&labels, &run.answers()?);
        Ok(Self {
            name: name.to_owned(),
            retrieved: run.retrieved()?,
            kept: run.kept()?,
            diagnosis,
            metrics,
            abstention: abstention_curve(&scored.verdicts),
            cost_ms: Ledger::read(run.root())?.wall_ms() / labels.len().max(1) as f64,
            labels,
        })
    }

    fn mean(&self, metric: &str) -> Option<f64> {
        self.metrics
            .iter()
            .find(|(name, _)| name == metric)
            .and_then(|(_, mean)| *mean)
    }
}

fn draw(runs: &[Read]) -> Vec<ReportedFigure> {
    let figure = |file: &str, caption: &str, svg: String| ReportedFigure {
        file: file.to_owned(),
        caption: caption.to_owned(),
        svg,
    };
    let mut drawn = vec![
        figure(
            "recall.svg",
            "Share of the relevant documents among the first k, averaged over the questions that have an answer: as the legs' rankings \
             were fused, and as the reranker ordered those that it kept, which is where its line ends.",
            figures::recall_at_k("", &runs.iter().flat_map(recall).collect::<Vec<_>>()),
        ),
        figure(
            "wrong-answers.svg",
            "Number of questions that were lost, by the first box that lost them.",
            figures::wrong_answers(
                "",
                &Rung::ALL.map(Rung::meaning),
                &runs.iter().map(lost).collect::<Vec<_>>(),
            ),
        ),
        figure(
            "abstention.svg",
            "What declining buys: the surer an answer must be, the fewer are given, and the more of those are right.",
            figures::abstention(
                "",
                &runs
                    .iter()
                    .map(|run| (run.name.clone(), &run.abstention))
                    .collect::<Vec<_>>(),
            ),
        ),
        figure(
            "cost.svg",
            "Quality against cost; marked are the runs that no other one beats in both. Neither axis begins at 0.",
            figures::quality_against_cost(
                "",
                "milliseconds per question",
                "share of questions answered or declined rightly",
                &runs.iter().filter_map(tradeoff).collect::<Vec<_>>(),
            ),
        ),
    ];
    if let [first, .., last] = runs {
        let pairs = fix_ranks(first, last);
        if !pairs.is_empty() {
            let methods = [first.name.clone(), last.name.clone()];
            drawn.push(figure(
                "fix-ranks.svg",
                "Rank of the first passage of a document that answers, by the first run and the last, for questions of the kind \
                 `contextual`: what answers them does not say what it is about, as \u{201c}It costs EUR 52\u{201d} does not.",
                figures::fix_ranks("", methods, &pairs),
            ));
        }
    }
    drawn
}

fn recall(run: &Read) -> Vec<Series> {
    let relevant = qrels(&run.labels);
    let of = |name: String, rankings: &[Ranking]| {
        let metrics = DEPTHS.map(Metric::Recall);
        let means = evaluate(rankings, &relevant, &metrics).means();
        let deepest = rankings
            .iter()
            .map(|ranking| ranking.hits.len())
            .max()
            .unwrap_or(0);
        let points = DEPTHS.into_iter().zip(metrics);
        Series {
            name,
            points: points
                .filter(|(depth, _)| *depth <= deepest)
                .map(|(depth, metric)| (depth as f64, means.get(&metric.to_string()).copied().flatten()))
                .collect(),
        }
    };
    let mut series = vec![of(run.name.clone(), &run.retrieved)];
    let is_reranked = run
        .kept
        .iter()
        .flat_map(|ranking| &ranking.hits)
        .any(|hit| hit.reranked.is_some());
    if is_reranked {
        series.push(of(format!("reranked: {}", run.name), &run.kept));
    }
    series
}

fn lost(run: &Read) -> (String, BTreeMap<String, usize>) {
    let counts = run
        .diagnosis
        .all
        .by_rung
        .iter()
        .map(|(rung, count)| (rung.meaning().to_owned(), *count));
    (run.name.clone(), counts.collect())
}

/// `None` for a run without a share of right questions.
fn tradeoff(run: &Read) -> Option<Tradeoff> {
    Some(Tradeoff {
        name: run.name.clone(),
        cost: run.cost_ms,
        quality: run.mean(RIGHT)?,
    })
}

fn fix_ranks(first: &Read, last: &Read) -> Vec<RankPair> {
    let rank = |run: &Read, label: &Label| {
        let mut rankings = run.retrieved.iter();
        let ranking = rankings.find(|ranking| ranking.question.id == label.question.id)?;
        label.first_relevant(ranking).map(|rank| rank as usize)
    };
    let labels = first
        .labels
        .iter()
        .filter(|label| label.kind == CONTEXTUAL && !label.relevant.is_empty());
    labels
        .map(|label| RankPair {
            name: label.question.text.clone(),
            ranks: [rank(first, label), rank(last, label)],
        })
        .collect()
}

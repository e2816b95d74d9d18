//! `eval support`: whether the check of citations tells supported from unsupported claims, and the fit behind it.

use std::path::PathBuf;

use anyhow::Context as _;
use rag_core::answer::SupportBasis;
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::progress::{Progress, Unit};
use rag_eval::binary::{Scored, auroc, balanced_accuracy, best_threshold, calibration_error};
use rag_eval::logistic::{self, Row};
use rag_eval::support::{LabelledClaim, Part, SupportSet, overlap, read};
use rag_generate::{Judged, SupportDecision, SupportFeatures, SupportModels, SupportScorer, VerifyConfig};
use rag_models::{CrossEncoder, Embedder, ModelOptions, open_embedder};

use crate::Done;
use crate::context::Context;
use crate::print::to_stdout;

/// Weights of the features, and the bias.
const SIZE: usize = 6;

/// Strength of the penalty on weights, in rows; each set counts as 1000.
const RIDGE: f64 = 1.0;

/// Arguments of `eval support`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// A data set's folder; once per data set.
    #[arg(long, value_name = "DIR", required = true)]
    dataset: Vec<PathBuf>,
    /// Its form: attributionbench, summedits or scifact; once per data set, in the same order.
    #[arg(long, value_name = "KIND", required = true)]
    kind: Vec<SupportSet>,
    /// Most claims that are taken of a data set.
    #[arg(long, value_name = "N", default_value_t = 500)]
    limit: usize,
    /// Fit the decision to the first halves of the data sets, judge that one, and print it as settings.
    #[arg(long)]
    refit: bool,
}

/// Whether facts agree and enough terms are shared for the models to be asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Facts {
    Agree,
    Differ,
}

/// A labelled claim with all that decides about it.
struct Measured {
    part: Part,
    is_supported: bool,
    /// Share of its terms that stand anywhere in the text.
    overlap: f32,
    /// What the rule without models finds.
    by_terms: Judged,
    facts: Facts,
    features: SupportFeatures,
}

pub(crate) fn run(args: &Args, context: &Context) -> anyhow::Result<Done> {
    anyhow::ensure!(
        args.dataset.len() == args.kind.len(),
        "give one --kind for each --dataset"
    );
    let models = &context.settings.models;
    let cross_encoder = models
        .open_cross_encoder(&context.progress)?
        .context("the settings name no cross-encoder; set models.reranker to one")?;
    let mut options = ModelOptions::default();
    options.fetch.clone_from(&models.fetch);
    let embedder = open_embedder(&models.embedder, &options, &context.progress)?;
    let reader = Reader::new(
        &context.settings.generate.verify,
        cross_encoder.as_ref(),
        embedder.as_ref(),
    );
    let mut sets = Vec::new();
    for (folder, kind) in args.dataset.iter().zip(&args.kind) {
        let claims = read(*kind, folder, args.limit)?;
        let step = format!("reading {}", kind.name());
        context
            .progress
            .start(&step, Some(claims.len() as u64), Unit::Items);
        let mut measured = Vec::new();
        for claim in &claims {
            measured.extend(reader.measure(claim)?);
            context.progress.advance(&step, 1);
        }
        context.progress.finish(&step);
        print_left_out(*kind, claims.len() - measured.len());
        sets.push((*kind, measured));
    }
    let decision = if args.refit {
        fit(&sets, &reader.config.models)
    } else {
        reader.config.models.clone()
    };
    for (kind, measured) in &sets {
        report(*kind, measured, &decision);
    }
    if args.refit {
        to_stdout(&serde_json::to_string_pretty(&decision)?);
    }
    Ok(Done::Complete)
}

fn print_left_out(kind: SupportSet, left_out: usize) {
    if left_out > 0 {
        to_stdout(&format!(
            "{}: {left_out} claims left out, their text is empty or of a language that the models do not serve",
            kind.name()
        ));
    }
}

/// Measures claims with the models.
struct Reader<'m> {
    /// The settings, with the names of the models at hand.
    config: VerifyConfig,
    /// The settings, but as few terms as models need are enough: what then does not hold, no model is asked about.
    lenient: VerifyConfig,
    models: SupportModels<'m>,
}

impl<'m> Reader<'m> {
    fn new(config: &VerifyConfig, cross_encoder: &'m dyn CrossEncoder, embedder: &'m dyn Embedder) -> Self {
        let mut config = config.clone();
        config
            .models
            .cross_encoder
            .clone_from(&cross_encoder.identity().name);
        config.models.embedder.clone_from(&embedder.identity().name);
        let lenient = VerifyConfig {
            min_support: config.models.min_terms,
            ..config.clone()
        };
        Self {
            config,
            lenient,
            models: SupportModels {
                cross_encoder: Some(cross_encoder),
                embedder: Some(embedder),
            },
        }
    }

    /// All about `row`; `None` when there is nothing to compare or the models do not serve its language.
    fn measure(&self, row: &LabelledClaim) -> anyhow::Result<Option<Measured>> {
        let mut passage = Passage::new("source#0".parse()?, row.source.clone());
        passage.language = Language::detect(&row.source);
        let none = SupportModels::default();
        let by_terms = SupportScorer::new(&self.config, none).judge(&row.claim, &passage)?;
        let lenient = SupportScorer::new(&self.lenient, none).judge(&row.claim, &passage)?;
        let scorer = SupportScorer::new(&self.config, self.models);
        let features = scorer.features(&row.claim, &passage)?;
        let (Some(by_terms), Some(lenient), Some(features)) = (by_terms, lenient, features) else {
            return Ok(None);
        };
        Ok(Some(Measured {
            part: row.part,
            is_supported: row.is_supported,
            overlap: overlap(&row.claim, &row.source),
            facts: if lenient.holds {
                Facts::Agree
            } else {
                Facts::Differ
            },
            by_terms,
            features,
        }))
    }
}

impl Measured {
    /// The scorer's probability.
    fn probability(&self, decision: &SupportDecision) -> f32 {
        if self.by_terms.support.basis == SupportBasis::Verbatim {
            return 1.0;
        }
        decision.probability(&self.features)
    }

    /// The probability, or 0 when a fact disagrees: what the check decides by.
    fn checked(&self, decision: &SupportDecision) -> f32 {
        match self.facts {
            Facts::Agree => self.probability(decision),
            Facts::Differ => 0.0,
        }
    }
}

type Sets = [(SupportSet, Vec<Measured>)];

fn of(part: Part, measured: &[Measured]) -> impl Iterator<Item = &Measured> {
    measured.iter().filter(move |row| row.part == part)
}

/// Fits bias and weights to the claims of the first halves whose facts agree, then the threshold. Each set, and
/// within it each label, weighs the same.
fn fit(sets: &Sets, start: &SupportDecision) -> SupportDecision {
    let mut rows: Vec<Row<SIZE>> = Vec::new();
    for (_, measured) in sets {
        let used: Vec<&Measured> = of(Part::Fit, measured)
            .filter(|row| row.facts == Facts::Agree)
            .collect();
        for row in &used {
            let alike = used.iter().filter(|other| other.is_supported == row.is_supported);
            let mut values = [1.0; SIZE];
            for (value, feature) in values.iter_mut().zip(row.features.values()) {
                *value = f64::from(feature);
            }
            rows.push(Row {
                values,
                is_positive: row.is_supported,
                weight: 500.0 / alike.count() as f64,
            });
        }
    }
    let [weights @ .., bias] = logistic::fit(&rows, RIDGE).map(|value| (value * 1e3).round() as f32 / 1e3);
    let mut decision = SupportDecision {
        bias,
        weights: SupportFeatures::from_values(weights),
        ..start.clone()
    };
    decision.threshold = threshold(sets, &decision);
    decision
}

/// The threshold, in steps of 0.01, with the greatest mean balanced accuracy of the check on the first halves.
fn threshold(sets: &Sets, decision: &SupportDecision) -> f32 {
    let scored: Vec<Vec<Scored>> = sets
        .iter()
        .map(|(_, measured)| {
            of(Part::Fit, measured)
                .map(|row| (row.checked(decision), row.is_supported))
                .collect()
        })
        .collect();
    let reached = |threshold: f32| -> f64 {
        let each = scored.iter().filter_map(|set| balanced_accuracy(set, threshold));
        each.sum()
    };
    let steps = (1..100u8).map(|step| f32::from(step) / 100.0);
    steps
        .max_by(|a, b| reached(*a).total_cmp(&reached(*b)))
        .unwrap_or(decision.threshold)
}

/// Prints the figures of the second half of a set.
fn report(kind: SupportSet, measured: &[Measured], decision: &SupportDecision) {
    let held: Vec<&Measured> = of(Part::Held, measured).collect();
    let supported = held.iter().filter(|row| row.is_supported).count();
    to_stdout(&format!(
        "{}: {} held claims, {supported} supported",
        kind.name(),
        held.len()
    ));
    let score = |by: &dyn Fn(&Measured) -> f32| -> Vec<Scored> {
        held.iter().map(|row| (by(row), row.is_supported)).collect()
    };
    let fitted: Vec<Scored> = of(Part::Fit, measured)
        .map(|row| (row.overlap, row.is_supported))
        .collect();
    let (slope, bias) = curve(&fitted);
    let as_probability = |overlap: f32| 1.0 / (1.0 + (-(slope * overlap + bias)).exp());
    let plain = best_threshold(&fitted).map_or(0.5, as_probability);
    print(
        "plain lexical overlap",
        &score(&|row| as_probability(row.overlap)),
        plain,
    );
    print(
        "shared terms and facts (no models)",
        &score(&|row| if row.by_terms.holds { 1.0 } else { 0.0 }),
        0.5,
    );
    print(
        "scorer",
        &score(&|row| row.probability(decision)),
        decision.threshold,
    );
    print(
        "scorer and facts",
        &score(&|row| row.checked(decision)),
        decision.threshold,
    );
}

/// Slope and bias that make overlaps probabilities.
fn curve(fitted: &[Scored]) -> (f32, f32) {
    let rows: Vec<Row<2>> = fitted
        .iter()
        .map(|(overlap, is_positive)| Row {
            values: [f64::from(*overlap), 1.0],
            is_positive: *is_positive,
            weight: 1.0,
        })
        .collect();
    let [slope, bias] = logistic::fit(&rows, RIDGE);
    (slope as f32, bias as f32)
}

fn print(name: &str, scored: &[Scored], threshold: f32) {
    let cell = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
    to_stdout(&format!(
        "  {name:36} balanced accuracy {}  AUROC {}  ECE {}",
        cell(balanced_accuracy(scored, threshold)),
        cell(auroc(scored)),
        cell(calibration_error(scored)),
    ));
}

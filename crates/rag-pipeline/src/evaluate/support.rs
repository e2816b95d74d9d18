//! The check of citations measured on labelled claims, and the fit behind its decision.

use std::path::PathBuf;

use rag_core::answer::SupportBasis;
use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::progress::{Progress, Unit};
use rag_eval::binary::{Scored, auroc, balanced_accuracy, best_threshold, calibration_error};
use rag_eval::logistic::{self, Row};
use rag_eval::support::{LabelledClaim, Part, SupportSet, overlap, read};
use rag_generate::{Judged, SupportDecision, SupportFeatures, SupportModels, SupportScorer, VerifyConfig};
use rag_models::{CrossEncoder, Embedder};
use serde::Serialize;

use crate::error::PipelineError;
use crate::settings::Settings;

/// Weights of the features, and the bias.
const SIZE: usize = 6;

/// Strength of the penalty on weights, in rows; each set counts as 1000.
const RIDGE: f64 = 1.0;

/// What is measured.
#[derive(Debug, Clone)]
pub struct SupportEvaluation {
    /// The data sets, each with its folder.
    pub sets: Vec<(SupportSet, PathBuf)>,
    /// Most claims that are taken of each.
    pub limit: usize,
    /// Fits the decision to the first halves of the data sets, and judges that one.
    pub refit: bool,
}

/// How well the check tells supported from unsupported claims.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SupportReport {
    /// A report for each data set.
    pub sets: Vec<SetReport>,
    /// The decision that was judged.
    pub decision: SupportDecision,
}

/// The figures of one data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetReport {
    /// Its name.
    pub set: &'static str,
    /// Claims left out: their text is empty or of a language that the models do not serve.
    pub left_out: usize,
    /// Claims of the second half, which nothing was fitted to.
    pub held: usize,
    /// Those of them that are supported.
    pub supported: usize,
    /// The figures on the second half, of the check and of what it is compared with.
    pub methods: Vec<MethodFigures>,
}

/// The figures of one way to decide.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodFigures {
    /// What it is.
    pub method: &'static str,
    /// Mean of the shares of supported and unsupported claims that it tells rightly.
    pub balanced_accuracy: Option<f64>,
    /// Chance that a supported claim is scored above an unsupported one.
    pub auroc: Option<f64>,
    /// Expected calibration error of its probability.
    pub calibration_error: Option<f64>,
}

/// Measures the check of citations with the cross-encoder and the embedder of `settings`.
pub fn evaluate_support(
    evaluation: &SupportEvaluation,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<SupportReport, PipelineError> {
    let models = &settings.models;
    let cross_encoder = models
        .open_cross_encoder(progress)?
        .ok_or(PipelineError::NoCrossEncoder)?;
    let embedder = models.open_fixed_embedder(progress)?;
    let judges = Judges::new(
        &settings.generate.verify,
        cross_encoder.as_ref(),
        embedder.as_ref(),
    );
    let mut sets = Vec::new();
    for (set, folder) in &evaluation.sets {
        let claims = read(*set, folder, evaluation.limit)?;
        let step = format!("reading {}", set.name());
        progress.start(&step, Some(claims.len() as u64), Unit::Items);
        let mut measured = Vec::new();
        for claim in &claims {
            measured.extend(judges.measure(claim)?);
            progress.advance(&step, 1);
        }
        progress.finish(&step);
        sets.push(MeasuredSet {
            set: *set,
            left_out: claims.len() - measured.len(),
            claims: measured,
        });
    }
    let decision = if evaluation.refit {
        fit(&sets, &judges.config.models)
    } else {
        judges.config.models.clone()
    };
    Ok(SupportReport {
        sets: sets.iter().map(|set| set.report(&decision)).collect(),
        decision,
    })
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

/// The claims of one data set.
struct MeasuredSet {
    set: SupportSet,
    left_out: usize,
    claims: Vec<Measured>,
}

/// Measures claims with the models.
struct Judges<'m> {
    /// The settings, with the names of the models at hand.
    config: VerifyConfig,
    /// The settings, but as few terms as models need are enough: what then does not hold, no model is asked about.
    lenient: VerifyConfig,
    models: SupportModels<'m>,
}

impl<'m> Judges<'m> {
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
    fn measure(&self, row: &LabelledClaim) -> Result<Option<Measured>, PipelineError> {
        let id = "source#0".parse().expect("this is a passage's id");
        let mut passage = Passage::new(id, row.source.clone());
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

impl MeasuredSet {
    fn of(&self, part: Part) -> impl Iterator<Item = &Measured> {
        self.claims.iter().filter(move |row| row.part == part)
    }

    /// The figures of the second half.
    fn report(&self, decision: &SupportDecision) -> SetReport {
        let held: Vec<&Measured> = self.of(Part::Held).collect();
        let figures = |method, threshold, by: &dyn Fn(&Measured) -> f32| {
            let scored: Vec<Scored> = held.iter().map(|row| (by(row), row.is_supported)).collect();
            MethodFigures {
                method,
                balanced_accuracy: balanced_accuracy(&scored, threshold),
                auroc: auroc(&scored),
                calibration_error: calibration_error(&scored),
            }
        };
        let fitted: Vec<Scored> = self
            .of(Part::Fit)
            .map(|row| (row.overlap, row.is_supported))
            .collect();
        let (slope, bias) = curve(&fitted);
        let as_probability = |overlap: f32| 1.0 / (1.0 + (-(slope * overlap + bias)).exp());
        let plain = best_threshold(&fitted).map_or(0.5, as_probability);
        SetReport {
            set: self.set.name(),
            left_out: self.left_out,
            held: held.len(),
            supported: held.iter().filter(|row| row.is_supported).count(),
            methods: vec![
                figures("plain lexical overlap", plain, &|row| as_probability(row.overlap)),
                figures("shared terms and facts (no models)", 0.5, &|row| {
                    if row.by_terms.holds { 1.0 } else { 0.0 }
                }),
                figures("scorer", decision.threshold, &|row| row.probability(decision)),
                figures("scorer and facts", decision.threshold, &|row| {
                    row.checked(decision)
                }),
            ],
        }
    }
}

/// Fits bias and weights to the claims of the first halves whose facts agree, then the threshold. Each set, and
/// within it each label, weighs the same.
fn fit(sets: &[MeasuredSet], start: &SupportDecision) -> SupportDecision {
    let mut rows: Vec<Row<SIZE>> = Vec::new();
    for set in sets {
        let used: Vec<&Measured> = set
            .of(Part::Fit)
            .filter(|row| row.facts == Facts::Agree)
            .collect();
        let weight_of = |label: bool| {
            let alike = used.iter().filter(|row| row.is_supported == label).count();
            500.0 / alike as f64
        };
        let weights = [false, true].map(weight_of);
        for row in &used {
            let mut values = [1.0; SIZE];
            for (value, feature) in values.iter_mut().zip(row.features.values()) {
                *value = f64::from(feature);
            }
            rows.push(Row {
                values,
                is_positive: row.is_supported,
                weight: weights[usize::from(row.is_supported)],
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
fn threshold(sets: &[MeasuredSet], decision: &SupportDecision) -> f32 {
    let scored: Vec<Vec<Scored>> = sets
        .iter()
        .map(|set| {
            set.of(Part::Fit)
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

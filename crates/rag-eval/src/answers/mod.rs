//! Scoring answers against labels: right and cited, or rightly declined; what declining buys; what it cost.

mod abstention;
mod citation;
mod cost;
mod label;
mod matching;
mod metric;
mod overlap;
mod score;
#[cfg(test)]
mod testing;

pub use abstention::{AbstentionCurve, CoveragePoint, abstention_curve};
pub use cost::{Costs, Spread, costs};
pub use label::Label;
pub use matching::{contains_answer, normalise};
pub use metric::AnswerMetric;
pub use overlap::{Overlap, overlap};
pub use score::{AnswerReport, AnswerScores, Rate, TradeOff, Verdict, judge, score_answers, trade_off};

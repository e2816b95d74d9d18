//! Scoring answers against labels: right and cited, or rightly declined.

mod label;
mod matching;
mod score;

pub use label::Label;
pub use matching::{contains_answer, normalise};
pub use score::{AnswerReport, AnswerScores, Rate, TradeOff, Verdict, score_answers, trade_off};

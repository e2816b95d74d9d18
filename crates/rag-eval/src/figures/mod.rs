//! Figures as SVG: readable in black and white, axes with units, the same bytes for the same data.
//!
//! [`recall_at_k`], [`wrong_answers`], [`fix_ranks`], [`abstention`], [`quality_against_cost`] and
//! [`filtered_recall`] are the figures of a report; [`line_chart`], [`stacked_bars`], [`rank_pairs`] and
//! [`pareto`] draw any data of their kind.
//!
//! Drawn here rather than by plotters, whose SVG backend (0.3.7) has neither dash patterns nor hatches, which
//! are what tells series apart in black and white.
//!
//! ```
//! use rag_eval::figures::{Series, recall_at_k};
//!
//! let bm25 = Series {
//!     name: "bm25".to_owned(),
//!     points: vec![(1.0, Some(0.52)), (5.0, Some(0.73)), (10.0, None)],
//! };
//! let svg = recall_at_k("300 questions", &[bm25]);
//! assert!(svg.starts_with("<svg") && svg.contains("300 questions"));
//! ```

mod axis;
mod bars;
mod frame;
mod lines;
mod pairs;
mod pareto;
mod standard;
#[cfg(test)]
mod standard_tests;
mod style;
mod svg;

pub use axis::{Axis, Scale, TickFormat};
pub use bars::{StackedBars, stacked_bars};
pub use lines::{LineChart, Series, line_chart};
pub use pairs::{RankPair, RankPairs, rank_pairs};
pub use pareto::{Pareto, Tradeoff, pareto};
pub use standard::{
    abstention, filtered_recall, fix_ranks, quality_against_cost, recall_at_k, wrong_answers,
};

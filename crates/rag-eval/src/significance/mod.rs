//! Whether one system is better than another on the same questions, or only luckier.
//!
//! ```
//! use rag_eval::significance::{SignificanceConfig, Values, compare};
//!
//! let values = |all: [f64; 8]| -> Values {
//!     all.iter().enumerate().map(|(n, &value)| (format!("q{n}"), Some(value))).collect()
//! };
//! let baseline = values([0.2, 0.5, 0.1, 0.4, 0.3, 0.0, 0.6, 0.5]);
//! let candidate = values([0.4, 0.6, 0.5, 0.5, 0.6, 0.2, 0.9, 0.5]);
//! let comparison = compare(&baseline, &candidate, &SignificanceConfig::default());
//! assert_eq!((comparison.wins, comparison.ties, comparison.losses), (7, 1, 0));
//! // Of the 2^7 ways to swap the seven differences, two are as one-sided as this one.
//! assert_eq!(comparison.p, Some(2.0 / 128.0));
//! ```
//!
//! Everything is deterministic given the seed. What a comparison does not have (a `p` of no pairs, an
//! interval of one) is `None`, never 0.

mod bootstrap;
mod comparison;
mod gate;
mod holm;
mod pairs;
mod randomisation;
mod slices;

pub use bootstrap::Interval;
pub use comparison::{Comparison, SignificanceConfig, TestMethod, compare};
pub use gate::{Gate, GateVerdict};
pub use holm::{correct, holm};
pub use pairs::{LeftOut, Values};
pub use slices::{Slices, compare_slices};

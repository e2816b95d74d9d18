//! Measuring rankings against judgements: metrics, qrels and run files.

mod evaluation;
mod lines;
mod metric;
mod qrels;
#[cfg(test)]
mod reference;
mod run;

pub use evaluation::{Evaluation, QueryValues, RetrievalReport, Summary};
pub use metric::{Metric, default_metrics};
pub use qrels::Qrels;
pub use run::{Run, Scored};

//! Experiments: variants of the settings, tried on the same questions over shared artifacts, and compared.
//!
//! An [`Experiment`] is a file over `rag.toml`, with a table `[experiment]` that says of what documents which questions
//! are asked, and what is varied. A [`Workshop`] makes each variant's artifacts, or takes those over that are there:
//! an artifact stands in a folder named by what decides it, so variants share whatever they have in common, and a
//! killed run is taken up where it ended. [`compare`] puts the figures side by side, and says which differences are more
//! than chance.

mod compare;
mod plan;
mod workshop;

pub use compare::{Compared, FIGURES, Figures, compare};
pub use plan::{Experiment, Listed, Material, Variant, list};
pub use workshop::{Benchmark, Fate, Step, VariantReport, Workshop};

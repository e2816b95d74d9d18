//! The arithmetic of the standing checks: what was observed goes in, what it amounts to comes out.
//!
//! [`compare`] says on which surfaces two observations of a question differ, and [`InterferenceReport`] by how much;
//! [`Cut`] adds up text that a limit kept from being read; [`LegHealth`] tells a leg that searched from one that was
//! dead.

mod interference;
mod legs;
mod truncation;

pub use interference::{Difference, InterferenceReport, Observed, Surface, SurfaceDifference, compare};
pub use legs::{LegHealth, LegObservation, LegsReport, Silence, SilentLeg};
pub use truncation::{Component, Cut, Of, TruncationReport, Worst};

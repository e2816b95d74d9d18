//! Criterion benches of the hot paths.

pub mod synthetic;

//! What cutting had to break, counted so that nothing is cut silently.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Counts of one document, or of a whole run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Passages made.
    pub passages: u64,
    /// Sentences (or lines of code) longer than the limit, split between words or tokens.
    pub split_sentences: u64,
    /// Table rows longer than the limit, split the same way.
    pub split_rows: u64,
    /// Context lines cut because they would have taken more than half of the limit.
    pub shortened_contexts: u64,
    /// Headings without any text below them, which became passages of their own.
    pub lone_headings: u64,
}

impl Counts {
    /// True when text was split or shortened, which a person should hear about.
    pub fn lost_wholeness(&self) -> bool {
        self.split_sentences + self.split_rows + self.shortened_contexts > 0
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passages += other.passages;
        self.split_sentences += other.split_sentences;
        self.split_rows += other.split_rows;
        self.shortened_contexts += other.shortened_contexts;
        self.lone_headings += other.lone_headings;
    }
}

//! The permission audit: is anything that an asker may not read in what they were shown?

mod audit;
#[cfg(test)]
pub(crate) mod testing;
mod words;

pub use audit::{Audit, Auditor, Leak, LeakKind, Text};

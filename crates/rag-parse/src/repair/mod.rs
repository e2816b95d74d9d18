//! Repair of text that was extracted from pages, one step per module, each of use on its own.
//!
//! | step | what it mends |
//! |---|---|
//! | [`furniture`] | running headers and footers, page numbers |
//! | [`hyphens`] | words cut at the end of a line |
//! | [`unwrap`] | paragraphs broken into lines |
//! | [`columns`] | tables whose columns survive only as runs of spaces |

pub mod columns;
pub mod furniture;
pub mod hyphens;
pub mod unwrap;

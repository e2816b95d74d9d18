//! How well files were read: text, order, tables and speed against a corpus of files.
//!
//! A corpus is a folder with `manifest.tsv` (columns `file`, `tags`, `gt`), `files/` and `gt/` (ground
//! truth in Markdown, plain text, CSV, pandoc's native form, or the XML of the ICDAR 2013 table
//! competition). Tags choose what a file is scored for; no file is treated by its name.
//!
//! | figure | what it is |
//! |---|---|
//! | `word_f1` | mean over PDF files of the F1 of the bag of words against the [`consensus`] of three engines (libpdfium's characters, hayro's characters, `pdftotext`; of two where one is missing), furniture and hidden text kept. Left out are files on which the engines agree on fewer than [`MIN_CONSENSUS`] words or on less than half of what one of them finds, and those with pages whose text no engine can read (they are recognised, or named in a diagnostic) |
//! | `gt_word_f1` | mean over PDF files with a ground truth text, scans left out, of the F1 of the bag of words. A ground truth whose own F1 with the consensus is below 0.7 is left out: it is an excerpt, or its words run together |
//! | `gt_sequence` | the same files: mean of [`sequence_similarity`] of the words |
//! | `rows_intact` | of all ground truth table rows with several filled cells (PDF files, scans left out), the share whose words stand, in order, in one line of ours that has at most twice as many words and four ([`intact_rows`]) |
//! | `adjacency_f1` | mean over the files with competition tables of the F1 of the cell neighbourhoods on the pages that have tables there: precision counts tables that are none |
//! | `order` | mean over PDF files whose tags name columns of the share of neighbouring words (pairs) that stay neighbours: those of the ground truth text, else those that most engines agree on |
//! | `ocr_word_f1` | mean over scans with a ground truth text of the F1 of the bag of words; a scan that repeats one page is compared page by page where that is better. `ocr_by_engine` has the same for each engine that is here |
//! | `office_word_f1` | mean over the other files with ground truth of the F1 of the bag of words |
//! | `cases_right` | of the [`Cases`] whose files are in the corpus, whatever their names, those whose every check holds |
//! | `crashes` | files on which the reader died, passed the time limit of ten seconds (a minute for scans, whose pages are recognised) or the memory limit of 1 GiB |
//! | `pages_per_second` | pages through seconds in one worker process, over the PDF files of eight pages and more |
//!
//! A table counts as its header once and the values of each row: the sentences made of its rows repeat
//! the header, which is no text of the file.

mod cases;
mod manifest;
mod score;
mod tables;
pub mod truth;
mod words;

pub use cases::{Case, Cases};
pub use manifest::{Corpus, Entry};
pub use score::{FileScores, MIN_CONSENSUS, ParseScores, Read, Reference, score};
pub use tables::{Grid, GridCell, document_grids, intact_rows};
pub use words::{Bag, bag, consensus, f1, pairs, recall, sequence_similarity, words};

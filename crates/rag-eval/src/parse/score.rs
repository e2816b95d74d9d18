//! One file's scores, and the figures of a corpus.

use std::collections::{BTreeMap, BTreeSet};

use rag_core::document::{BlockKind, Document};
use serde::Serialize;

use super::cases::Case;
use super::manifest::Entry;
use super::tables::{document_grids, intact_rows};
use super::truth::Truth;
use super::words::{Bag, bag, consensus, f1, pairs, recall, sequence_similarity, words};

/// Fewest words that engines must agree on for a file to count for `word_f1`.
pub const MIN_CONSENSUS: usize = 5;

/// Least share of the words of the engine that finds most, for what engines agree on to be a consensus.
const MIN_AGREEMENT: f64 = 0.5;

/// Least F1 of a ground truth text and what engines agree on, for it to be a truth about the whole file.
const MIN_LIKENESS: f64 = 0.7;

/// Reasons of pages whose text no engine can read right.
const UNUSABLE: [&str; 3] = ["unmapped-text", "garbled-text", "hidden-text"];

/// Fewest pages of the files whose pages per second count: opening a file costs as much as a page.
const MIN_TIMED_PAGES: u32 = 8;

/// What engines say about a PDF file: its text, one per engine.
#[derive(Debug, Clone, Default)]
pub struct Reference {
    /// The texts; of engines that could not read the file there is none.
    pub texts: Vec<String>,
}

/// What became of a file.
#[derive(Debug, Clone, Default)]
pub struct Read {
    /// The document, if there is one.
    pub document: Option<Document>,
    /// The same with furniture and hidden text kept; PDF only.
    pub whole: Option<Document>,
    /// Why there is none, or what was lost: reasons in a word.
    pub reasons: Vec<String>,
    /// Seconds that reading took.
    pub seconds: f64,
}

impl Read {
    /// True when the reader died or passed a limit.
    pub fn is_crashed(&self) -> bool {
        self.reasons
            .iter()
            .any(|reason| matches!(reason.as_str(), "crashed" | "timeout"))
    }
}

/// The scores of one file; `None` where a score does not apply.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FileScores {
    /// The file.
    pub file: String,
    /// Pages of its document.
    pub pages: u32,
    /// Seconds that reading took.
    pub seconds: f64,
    /// Reasons of its diagnostics.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// True when the reader died or passed a limit.
    pub crashed: bool,
    /// F1 against what engines agree on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word_f1: Option<f64>,
    /// F1 against the ground truth of a PDF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gt_word_f1: Option<f64>,
    /// Likeness of its sequence to the ground truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gt_sequence: Option<f64>,
    /// Rows that are intact, and rows of the ground truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_intact: Option<(usize, usize)>,
    /// F1 of cell neighbourhoods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjacency_f1: Option<f64>,
    /// Share of neighbouring words that stay neighbours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<f64>,
    /// F1 of a scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_word_f1: Option<f64>,
    /// F1 of a scan by each engine for text recognition.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ocr_by_engine: BTreeMap<String, f64>,
    /// F1 of a file that is no PDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub office_word_f1: Option<f64>,
}

/// The figures of a corpus; see the [module](super) for what each is. `None` when no file has the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ParseScores {
    /// Mean F1 against what engines agree on.
    pub word_f1: Option<f64>,
    /// Mean F1 against ground truth, PDF.
    pub gt_word_f1: Option<f64>,
    /// Mean likeness of sequence, PDF.
    pub gt_sequence: Option<f64>,
    /// Share of table rows that are intact.
    pub rows_intact: Option<f64>,
    /// Mean F1 of cell neighbourhoods.
    pub adjacency_f1: Option<f64>,
    /// Mean share of neighbouring words that stay neighbours, in columns.
    pub order: Option<f64>,
    /// Mean F1 of scans.
    pub ocr_word_f1: Option<f64>,
    /// The same by each engine for text recognition, whatever the settings choose.
    pub ocr_by_engine: BTreeMap<String, f64>,
    /// Mean F1 of the other formats.
    pub office_word_f1: Option<f64>,
    /// Files on which the reader died or passed a limit.
    pub crashes: usize,
    /// Pages through seconds, one worker.
    pub pages_per_second: Option<f64>,
    /// Engines that the consensus is of.
    pub engines: Vec<String>,
    /// Pages per second of two workers through those of one; `None` when not measured.
    pub two_workers: Option<f64>,
    /// Cases that read right.
    pub cases_right: usize,
    /// The cases of the files that were read.
    pub cases: Vec<Case>,
    /// The scores of each file.
    pub files: Vec<FileScores>,
}

/// Scores one file.
pub fn score(entry: &Entry, read: &Read, truth: &Truth, reference: &Reference) -> FileScores {
    let mut scores = FileScores {
        file: entry.file.clone(),
        pages: read.document.as_ref().and_then(|d| d.pages).unwrap_or(0),
        seconds: read.seconds,
        reasons: read.reasons.clone(),
        crashed: read.is_crashed(),
        ..FileScores::default()
    };
    let lines = read.document.as_ref().map(lines).unwrap_or_default();
    let found: Vec<String> = lines.iter().flatten().cloned().collect();
    let agreed = agreed(reference);
    if let Some(text) = truth
        .text
        .as_ref()
        .filter(|text| is_of_this_text(text, agreed.as_ref()))
    {
        score_text(&mut scores, entry, read.document.as_ref(), &found, &words(text));
    }
    if entry.is_pdf() && !entry.is_scan() {
        score_tables(&mut scores, read.document.as_ref(), &lines, truth);
        score_reference(&mut scores, entry, read, &found, reference, agreed.as_ref());
    } else if truth.text.is_none() && !truth.grids.is_empty() && !entry.is_pdf() {
        let wanted = truth.grids.iter().flat_map(|grid| &grid.cells);
        scores.office_word_f1 = f1(&bag(found), &bag(wanted.flat_map(|cell| words(&cell.text))));
    }
    scores
}

fn score_text(
    scores: &mut FileScores,
    entry: &Entry,
    document: Option<&Document>,
    found: &[String],
    wanted: &[String],
) {
    let (bag_found, bag_wanted) = (bag(found.to_vec()), bag(wanted.to_vec()));
    if !entry.is_pdf() {
        scores.office_word_f1 = f1(&bag_found, &bag_wanted);
    } else if entry.is_scan() {
        let whole = f1(&bag_found, &bag_wanted);
        let by_page = document.and_then(|document| mean_page_f1(document, &bag_wanted));
        scores.ocr_word_f1 = whole.map(|whole| whole.max(by_page.unwrap_or(0.0)));
    } else {
        scores.gt_word_f1 = f1(&bag_found, &bag_wanted);
        scores.gt_sequence = sequence_similarity(found, wanted);
        if entry.has_columns() {
            scores.order = recall(&pairs(found), &pairs(wanted));
        }
    }
}

/// The mean over all pages of the F1 against the one page that is wanted.
fn mean_page_f1(document: &Document, wanted: &Bag) -> Option<f64> {
    let pages = document.pages.filter(|pages| *pages > 0)?;
    let total: f64 = (1..=pages)
        .filter_map(|page| {
            let blocks = document.blocks.iter().filter(|block| block.page == Some(page));
            let found = blocks.flat_map(|block| words(document.block_text(block)));
            f1(&bag(found), wanted)
        })
        .sum();
    Some(total / f64::from(pages))
}

fn score_tables(scores: &mut FileScores, document: Option<&Document>, lines: &[Vec<String>], truth: &Truth) {
    let wanted: Vec<Vec<Vec<String>>> = truth
        .grids
        .iter()
        .flat_map(super::tables::Grid::row_words)
        .collect();
    if !wanted.is_empty() {
        scores.rows_intact = Some((intact_rows(lines, &wanted), wanted.len()));
    }
    let pages: BTreeSet<u32> = truth.grids.iter().filter_map(|grid| grid.page).collect();
    if pages.is_empty() {
        return;
    }
    let sum = |bags: &mut dyn Iterator<Item = Bag>| {
        let mut all = Bag::new();
        for (key, count) in bags.flatten() {
            *all.entry(key).or_default() += count;
        }
        all
    };
    let grids = document.map(document_grids).unwrap_or_default();
    let ours = grids
        .iter()
        .filter(|grid| grid.page.is_some_and(|page| pages.contains(&page)));
    let found = sum(&mut ours.map(super::tables::Grid::adjacencies));
    let wanted = sum(&mut truth.grids.iter().map(super::tables::Grid::adjacencies));
    scores.adjacency_f1 = f1(&found, &wanted);
}

/// The words that most engines agree on; nothing when there are too few engines or words, or when one
/// engine finds more than twice as many: the others then lack what the file needs, such as the character
/// maps of its script, or see its words elsewhere.
fn agreed(reference: &Reference) -> Option<Bag> {
    let bags: Vec<Bag> = reference.texts.iter().map(|text| bag(words(text))).collect();
    let total = |bag: &Bag| bag.values().sum::<usize>();
    let most = bags.iter().map(total).max().unwrap_or_default();
    let agreed = consensus(&bags);
    let count = total(&agreed);
    (bags.len() > 1 && count >= MIN_CONSENSUS && count as f64 >= MIN_AGREEMENT * most as f64)
        .then_some(agreed)
}

/// False when a ground truth has other words than the file by all engines: it is an excerpt, or its words
/// run together.
fn is_of_this_text(text: &str, agreed: Option<&Bag>) -> bool {
    let likeness = agreed.and_then(|agreed| f1(&bag(words(text)), agreed));
    likeness.is_none_or(|likeness| likeness >= MIN_LIKENESS)
}

fn score_reference(
    scores: &mut FileScores,
    entry: &Entry,
    read: &Read,
    found: &[String],
    reference: &Reference,
    agreed: Option<&Bag>,
) {
    // What engines agree on about pages without usable text is noise, which recognition does not repeat.
    let is_recognised = |document: &Document| document.metadata.contains_key("ocr_pages");
    let is_noise = read.whole.as_ref().is_some_and(is_recognised)
        || read
            .reasons
            .iter()
            .any(|reason| UNUSABLE.contains(&reason.as_str()));
    let Some(agreed) = agreed.filter(|_| !is_noise) else {
        return;
    };
    let whole = read.whole.as_ref().map(lines).unwrap_or_default();
    scores.word_f1 = f1(&bag(whole.into_iter().flatten()), agreed);
    if entry.has_columns() && scores.order.is_none() {
        let texts: Vec<Vec<String>> = reference.texts.iter().map(|text| words(text)).collect();
        let agreed = consensus(&texts.iter().map(|text| pairs(text)).collect::<Vec<Bag>>());
        scores.order = recall(&pairs(found), &agreed);
    }
}

/// The words of a document line by line: blocks, and of tables the header once and the values of rows.
fn lines(document: &Document) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let mut header: Vec<Vec<String>> = Vec::new();
    for block in &document.blocks {
        if block.kind != BlockKind::TableRow || block.cells.is_empty() {
            lines.push(words(document.block_text(block)));
            header.clear();
            continue;
        }
        let levels: Vec<Vec<String>> = block
            .cells
            .iter()
            .map(rag_core::document::Cell::header_levels)
            .collect();
        if levels != header {
            lines.extend(header_lines(&levels));
            header = levels;
        }
        let own = block.cells.iter().filter(|cell| !cell.repeated);
        lines.push(own.flat_map(|cell| words(&cell.value)).collect());
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// The levels of a header, each a line; the same text over neighbouring columns counts once.
fn header_lines(levels: &[Vec<String>]) -> Vec<Vec<String>> {
    let depth = levels.iter().map(Vec::len).max().unwrap_or_default();
    let line = |level: usize| {
        let mut texts: Vec<&str> = Vec::new();
        for path in levels {
            let at = (level + path.len()).checked_sub(depth);
            let text = at.and_then(|at| path.get(at)).map_or("", String::as_str);
            if level + 1 == depth || texts.last() != Some(&text) {
                texts.push(text);
            }
        }
        texts.into_iter().flat_map(words).collect::<Vec<String>>()
    };
    (0..depth).map(line).collect()
}

impl ParseScores {
    /// The figures of the files' scores.
    pub fn of(files: Vec<FileScores>, cases: Vec<Case>, engines: Vec<String>) -> Self {
        let mean = |value: fn(&FileScores) -> Option<f64>| {
            let values: Vec<f64> = files.iter().filter_map(value).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let rows = files.iter().filter_map(|file| file.rows_intact);
        let (intact, all) = rows.fold((0, 0), |sum, rows| (sum.0 + rows.0, sum.1 + rows.1));
        let timed = files
            .iter()
            .filter(|file| file.pages >= MIN_TIMED_PAGES && !file.crashed);
        let (pages, seconds) = timed.fold((0, 0.0), |sum, file| (sum.0 + file.pages, sum.1 + file.seconds));
        Self {
            word_f1: mean(|file| file.word_f1),
            gt_word_f1: mean(|file| file.gt_word_f1),
            gt_sequence: mean(|file| file.gt_sequence),
            rows_intact: (all > 0).then(|| intact as f64 / all as f64),
            adjacency_f1: mean(|file| file.adjacency_f1),
            order: mean(|file| file.order),
            ocr_word_f1: mean(|file| file.ocr_word_f1),
            ocr_by_engine: by_engine(&files),
            office_word_f1: mean(|file| file.office_word_f1),
            crashes: files.iter().filter(|file| file.crashed).count(),
            pages_per_second: (seconds > 0.0).then(|| f64::from(pages) / seconds),
            engines,
            two_workers: None,
            cases_right: cases.iter().filter(|case| case.right).count(),
            cases,
            files,
        }
    }
}

/// The mean F1 of each engine for text recognition.
fn by_engine(files: &[FileScores]) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (engine, score) in files.iter().flat_map(|file| &file.ocr_by_engine) {
        let sum = sums.entry(engine.clone()).or_default();
        *sum = (sum.0 + score, sum.1 + 1.0);
    }
    sums.into_iter()
        .map(|(engine, (sum, count))| (engine, sum / count))
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use rag_core::document::{Cell, TextBuilder};

    pub(in crate::parse) fn table(rows: &[&[(&str, &str)]]) -> Document {
        let mut builder = TextBuilder::default();
        for row in rows {
            let block = builder.push(BlockKind::TableRow, "a sentence");
            block.page = Some(1);
            block.cells = row
                .iter()
                .map(|(header, value)| Cell {
                    header: (*header).to_owned(),
                    value: (*value).to_owned(),
                    ..Cell::default()
                })
                .collect();
        }
        let (text, blocks) = builder.finish();
        let json = serde_json::json!({
            "id": "a", "title": "", "source": "", "media_type": "", "department": null, "updated": null,
            "language": "en", "access": [], "content_digest": "", "pages": 1, "text": text, "blocks": blocks,
        });
        serde_json::from_value(json).unwrap()
    }

    fn entry(file: &str, tags: &str) -> Entry {
        Entry {
            file: file.to_owned(),
            tags: tags.to_owned(),
            truth: Vec::new(),
        }
    }

    #[test]
    fn a_table_counts_with_its_header_once() {
        let document = table(&[
            &[("Grade", "G1"), ("Cap", "145")],
            &[("Grade", "G2"), ("Cap", "182")],
        ]);
        assert_eq!(lines(&document), [["grade", "cap"], ["g1", "145"], ["g2", "182"]]);
        let rows =
            [["Grade", "Cap"], ["G1", "145"], ["G2", "182"]].map(|row| row.map(str::to_owned).to_vec());
        let truth = Truth {
            text: None,
            grids: vec![super::super::Grid::of_rows(&rows, Some(1))],
        };
        let read = Read {
            document: Some(document),
            ..Read::default()
        };
        let scores = score(&entry("a.pdf", "table"), &read, &truth, &Reference::default());
        assert_eq!(
            (scores.rows_intact, scores.adjacency_f1),
            (Some((3, 3)), Some(1.0))
        );
    }

    #[test]
    fn engines_that_disagree_are_no_reference() {
        let reference = |texts: [&str; 3]| Reference {
            texts: texts.map(str::to_owned).to_vec(),
        };
        let all = "one two three four five six seven eight nine ten eleven";
        assert!(agreed(&reference([all, all, "one"])).is_some());
        let few = "one two three four five";
        assert_eq!(agreed(&reference([all, few, few])), None);
    }

    #[test]
    fn a_file_without_a_document_scores_nothing_and_counts() {
        let read = Read {
            reasons: vec!["crashed".to_owned()],
            ..Read::default()
        };
        let truth = Truth {
            text: Some("some text".to_owned()),
            grids: Vec::new(),
        };
        let scores = score(&entry("a.docx", ""), &read, &truth, &Reference::default());
        assert_eq!((scores.office_word_f1, scores.crashed), (Some(0.0), true));
        let figures = ParseScores::of(vec![scores], Vec::new(), Vec::new());
        assert_eq!(
            (figures.crashes, figures.office_word_f1, figures.word_f1),
            (1, Some(0.0), None)
        );
    }
}

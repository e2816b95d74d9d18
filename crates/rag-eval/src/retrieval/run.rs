//! Runs: the ranked documents of each query, in and out of TREC's run files.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;
use std::path::Path;

use rag_core::hit::Ranking;
use rag_core::id::DocumentId;

use super::lines::{columns, for_each_line, separator};
use crate::error::EvalError;

/// A document and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The document's id as the qrels know it.
    pub document: String,
    /// Higher is better. trec_eval keeps scores in 32 bits, so scores that are equal there tie.
    pub score: f32,
}

/// Ranked documents by query.
///
/// The order is trec_eval's, whatever order they came in: by score, and among equal scores by
/// document id from the last to the first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run(BTreeMap<String, Vec<Scored>>);

impl Run {
    /// Reads a TREC run file: `query Q0 document rank score tag`, separated by tabs or white space, the
    /// tag optional. The ranks written are ignored, as trec_eval does; a document that a query lists
    /// twice is an error, as there.
    pub fn read_trec(path: &Path) -> Result<Self, EvalError> {
        let mut best: BTreeMap<String, BTreeMap<String, f32>> = BTreeMap::new();
        for_each_line(path, |_, line| {
            let columns = columns(line, &[5, 6]);
            let ([query, _, document, _, score] | [query, _, document, _, score, _]) = columns[..] else {
                return Err(format!("{} columns where 6 are expected", columns.len()));
            };
            let score = parse_score(score).ok_or_else(|| format!("the score `{score}` is not a number"))?;
            match best
                .entry(query.to_owned())
                .or_default()
                .entry(document.to_owned())
            {
                Entry::Vacant(free) => free.insert(score),
                Entry::Occupied(_) => return Err(format!("{document} is listed twice for query {query}")),
            };
            Ok(())
        })?;
        let mut run = Self::default();
        for (query, documents) in best {
            run.insert(query, documents);
        }
        Ok(run)
    }

    /// Collapses passages to documents, each with its best passage's score; `name` gives a document
    /// the id that the qrels know.
    pub fn from_rankings<'r>(
        rankings: impl IntoIterator<Item = &'r Ranking>,
        name: impl Fn(&DocumentId) -> String,
    ) -> Self {
        let mut run = Self::default();
        for ranking in rankings {
            let scored = ranking
                .hits
                .iter()
                .map(|hit| (name(hit.passage.document_id()), hit.score));
            run.insert(ranking.question.id.clone(), scored);
        }
        run
    }

    /// Sets the documents of `query`. One that is given several times keeps its greatest score.
    pub fn insert(&mut self, query: String, documents: impl IntoIterator<Item = (String, f32)>) {
        let mut best: BTreeMap<String, f32> = BTreeMap::new();
        for (document, score) in documents {
            // Minus zero ties with zero.
            let score = score + 0.0;
            let kept = best.entry(document).or_insert(score);
            *kept = kept.max(score);
        }
        let mut ranked: Vec<Scored> = best
            .into_iter()
            .map(|(document, score)| Scored { document, score })
            .collect();
        ranked.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| b.document.cmp(&a.document))
        });
        self.0.insert(query, ranked);
    }

    /// The run with each document under another id; of those that become one, the best score counts.
    #[must_use]
    pub fn collapsed(&self, name: impl Fn(&str) -> &str) -> Self {
        let mut run = Self::default();
        for (query, documents) in &self.0 {
            let renamed = documents
                .iter()
                .map(|scored| (name(&scored.document).to_owned(), scored.score));
            run.insert(query.clone(), renamed);
        }
        run
    }

    /// The documents of `query`, best first; none when the run lacks it.
    pub fn of(&self, query: &str) -> Option<&[Scored]> {
        self.0.get(query).map(Vec::as_slice)
    }

    /// The queries, in order.
    pub fn queries(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when the run has no query.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes a TREC run file; `tag`, one word, names the run. Scores are written so that they read back
    /// equal; columns are separated by tabs where an id has spaces.
    pub fn write_trec(&self, path: &Path, tag: &str) -> Result<(), EvalError> {
        let documents = self.0.values().flatten().map(|scored| scored.document.as_str());
        let ids = self.queries().chain(documents).chain([tag]);
        let s = separator(path, ids)?;
        let mut file = std::io::BufWriter::new(fs_err::File::create(path)?);
        for (query, documents) in &self.0 {
            for (index, Scored { document, score }) in documents.iter().enumerate() {
                let rank = index + 1;
                writeln!(file, "{query}{s}Q0{s}{document}{s}{rank}{s}{score}{s}{tag}")?;
            }
        }
        Ok(file.flush()?)
    }
}

/// A score, read in 64 bits and kept in 32 as trec_eval does, so that the same scores tie.
fn parse_score(text: &str) -> Option<f32> {
    let score: f64 = text.parse().ok()?;
    (!score.is_nan()).then_some(score as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(run: &Run, query: &str) -> Vec<String> {
        run.of(query)
            .unwrap()
            .iter()
            .map(|s| s.document.clone())
            .collect()
    }

    #[test]
    fn equal_scores_go_from_the_last_id_to_the_first() {
        let mut run = Run::default();
        let scores = [("a", 0.5), ("c", 0.5), ("b", 0.5), ("d", 0.1), ("e", 0.9)];
        run.insert("q".to_owned(), scores.map(|(id, score)| (id.to_owned(), score)));
        assert_eq!(order(&run, "q"), ["e", "c", "b", "a", "d"]);
    }

    #[test]
    fn passages_of_a_document_collapse_to_the_best() {
        let mut run = Run::default();
        let scores = [("a", 0.2), ("b", 0.5), ("a", 0.9)];
        run.insert("q".to_owned(), scores.map(|(id, score)| (id.to_owned(), score)));
        assert_eq!(order(&run, "q"), ["a", "b"]);
        assert_eq!(run.of("q").unwrap()[0].score, 0.9);
    }

    #[test]
    fn ranks_in_the_file_are_ignored_and_bad_lines_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.trec");
        fs_err::write(&path, "q Q0 a 1 0.1 t\nq Q0 b 2 0.7 t\n").unwrap();
        assert_eq!(order(&Run::read_trec(&path).unwrap(), "q"), ["b", "a"]);
        for bad in [
            "q Q0 a 1",
            "q Q0 a 1 x t",
            "q Q0 a 1 NaN t",
            "q Q0 a 1 1 t and more",
            "q Q0 a 1 1 t\nq Q0 a 2 1 t",
        ] {
            fs_err::write(&path, bad).unwrap();
            assert!(Run::read_trec(&path).is_err(), "{bad}");
        }
    }

    #[test]
    fn runs_of_other_tools_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.trec");
        let expected = [("a", 2.5), ("b", 1e-3)];
        for text in [
            "q Q0 a 1 2.5 t\nq Q0 b 2 1e-3 t\n",
            "\u{feff}q\tQ0\ta\t1\t2.5\tBM25 (k1 0.9)\r\nq\tQ0\tb\t2\t0.001\tt\r\n\r\n",
            "  q   Q0  a  1  +2.5\nq iter b 0 .001",
        ] {
            fs_err::write(&path, text).unwrap();
            let run = Run::read_trec(&path).unwrap();
            let read: Vec<_> = run
                .of("q")
                .unwrap()
                .iter()
                .map(|s| (s.document.as_str(), s.score))
                .collect();
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn an_id_that_no_line_could_hold_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for id in ["", "a\tb", "a\n", " a"] {
            let mut run = Run::default();
            run.insert("q".to_owned(), [(id.to_owned(), 1.0)]);
            assert!(run.write_trec(&folder.path().join("run"), "t").is_err(), "{id:?}");
        }
    }

    proptest! {
        #[test]
        fn runs_read_back_as_they_were_written(scores in prop::collection::btree_map("[a-z]([a-z ]{0,2}[a-zé])?", -1e6f32..1e6, 0..20)) {
            let mut run = Run::default();
            if !scores.is_empty() {
                run.insert("q".to_owned(), scores);
            }
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("run.trec");
            run.write_trec(&path, "test").unwrap();
            prop_assert_eq!(Run::read_trec(&path).unwrap(), run);
        }
    }
}

//! Runs: the ranked documents of each query, in and out of TREC's run files.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;
use std::path::Path;

use rag_core::hit::Ranking;
use rag_core::id::DocumentId;

use super::lines::for_each_line;
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
    /// Reads a TREC run file: `query Q0 document rank score tag`. The ranks written are ignored, as
    /// trec_eval does.
    pub fn read_trec(path: &Path) -> Result<Self, EvalError> {
        let mut best: BTreeMap<String, BTreeMap<String, f32>> = BTreeMap::new();
        for_each_line(path, |_, line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let &[query, _, document, _, score, ..] = columns.as_slice() else {
                return Err(format!("{} columns where 6 are expected", columns.len()));
            };
            let score: f32 = score
                .parse()
                .ok()
                .filter(|score: &f32| !score.is_nan())
                .ok_or_else(|| format!("the score `{score}` is not a number"))?;
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

    /// Writes a TREC run file; `tag` names the run. Scores are written so that they read back equal.
    pub fn write_trec(&self, path: &Path, tag: &str) -> Result<(), EvalError> {
        let mut file = std::io::BufWriter::new(fs_err::File::create(path)?);
        for (query, documents) in &self.0 {
            for (index, Scored { document, score }) in documents.iter().enumerate() {
                writeln!(file, "{query} Q0 {document} {} {score} {tag}", index + 1)?;
            }
        }
        Ok(file.flush()?)
    }
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
            "q Q0 a 1 1 t\nq Q0 a 2 1 t",
        ] {
            fs_err::write(&path, bad).unwrap();
            assert!(Run::read_trec(&path).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn runs_read_back_as_they_were_written(scores in prop::collection::btree_map("[a-z]{1,3}", -1e6f32..1e6, 0..20)) {
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

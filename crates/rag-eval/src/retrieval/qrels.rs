//! Judgements: which documents are relevant to which queries, and how much.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use super::lines::{columns, for_each_line, separator};
use crate::error::EvalError;

/// Gains by query and document. A document that is not listed was not judged and counts as 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Qrels(BTreeMap<String, BTreeMap<String, i32>>);

impl Qrels {
    /// Reads a qrels file: BEIR's three columns `query document gain` with or without their header
    /// line, or TREC's four `query iteration document gain`, separated by tabs or white space. Two
    /// different gains for one document are an error.
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        let mut qrels = Self::default();
        for_each_line(path, |number, line| {
            let columns = columns(line, &[3, 4]);
            let ([query, document, gain] | [query, _, document, gain]) = columns[..] else {
                return Err(format!("{} columns where 3 or 4 are expected", columns.len()));
            };
            let gain = match parse_gain(gain) {
                Some(gain) => gain,
                None if number == 1 => return Ok(()),
                None => return Err(format!("the gain `{gain}` is not a whole number")),
            };
            let earlier = qrels.of(query).and_then(|documents| documents.get(document));
            if let Some(earlier) = earlier.filter(|&&earlier| earlier != gain) {
                return Err(format!(
                    "{document} has the gain {earlier} for query {query} in an earlier line"
                ));
            }
            qrels.insert(query, document, gain);
            Ok(())
        })?;
        Ok(qrels)
    }

    /// Writes TREC's four columns, in order of query and document, separated by tabs where an id has
    /// spaces.
    pub fn write_trec(&self, path: &Path) -> Result<(), EvalError> {
        let documents = self.0.values().flat_map(BTreeMap::keys);
        let s = separator(path, self.0.keys().chain(documents).map(String::as_str))?;
        let mut file = std::io::BufWriter::new(fs_err::File::create(path)?);
        for (query, documents) in &self.0 {
            for (document, gain) in documents {
                writeln!(file, "{query}{s}0{s}{document}{s}{gain}")?;
            }
        }
        Ok(file.flush()?)
    }

    /// Adds a judgement, in place of an earlier one.
    pub fn insert(&mut self, query: &str, document: &str, gain: i32) {
        let documents = self.0.entry(query.to_owned()).or_default();
        documents.insert(document.to_owned(), gain);
    }

    /// The judgements of a query; none when it is not there.
    pub fn of(&self, query: &str) -> Option<&BTreeMap<String, i32>> {
        self.0.get(query)
    }

    /// The relevant documents of a query, in order of their ids.
    pub fn relevant<'q>(&'q self, query: &str) -> impl Iterator<Item = &'q str> {
        let documents = self.0.get(query).into_iter().flatten();
        documents
            .filter(|&(_, &gain)| gain > 0)
            .map(|(document, _)| document.as_str())
    }

    /// The queries, in order.
    pub fn queries(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True when nothing was judged.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A gain as a whole number; some sets write `1.0`.
fn parse_gain(text: &str) -> Option<i32> {
    let whole = text
        .split_once('.')
        .filter(|(_, rest)| rest.bytes().all(|b| b == b'0'));
    whole.map_or(text, |(whole, _)| whole).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_trec_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qrels");
        let forms = [
            "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1.0\n",
            "q1 0 d1 2\nq1 0 d2 0\n\nq2 0 d1 1",
            "q1\td1\t2\r\nq1\td2\t0\r\nq2\td1\t1\r\n",
            "\u{feff}q1\t0\td1\t2\nq1\t0\td2\t0\nq2 Q0  d1 1\nq2 Q0 d1 1\n",
        ];
        for form in forms {
            fs_err::write(&path, form).unwrap();
            let qrels = Qrels::read(&path).unwrap();
            assert_eq!(qrels.relevant("q1").collect::<Vec<_>>(), ["d1"], "{form}");
            assert_eq!((qrels.len(), qrels.of("q2").unwrap()["d1"]), (2, 1));
            qrels.write_trec(&path).unwrap();
            assert_eq!(Qrels::read(&path).unwrap(), qrels);
        }
    }

    #[test]
    fn ids_with_spaces_stand_between_tabs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qrels");
        fs_err::write(&path, "query-id\tcorpus-id\tscore\nq\tRule 7 [b]\t1\n").unwrap();
        let qrels = Qrels::read(&path).unwrap();
        assert_eq!(qrels.relevant("q").collect::<Vec<_>>(), ["Rule 7 [b]"]);
        qrels.write_trec(&path).unwrap();
        assert_eq!(Qrels::read(&path).unwrap(), qrels);
    }

    #[test]
    fn a_bad_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qrels");
        for bad in ["q d 1\nq e x", "q d 1\nq", "q d 1\nq d 2", "q d 1\nq e 1.5"] {
            fs_err::write(&path, bad).unwrap();
            let message = Qrels::read(&path).unwrap_err().to_string();
            assert!(message.contains("line 2"), "{message}");
        }
    }
}

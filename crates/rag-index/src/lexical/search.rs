//! BM25 as Robertson and Zaragoza (2009) give it, with Lucene's inverse document frequency.
//!
//! score(q, p) = Σ ln(1 + (N − df + ½) / (df + ½)) · tf / (tf + k1 · (1 − b + b · |p| / average))
//!
//! over the question's terms, a repeated term counting each time. The factor k1 + 1 of the original is
//! left out, as in Lucene: it changes no order.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rag_core::language::Language;
use rag_core::text::query_terms;
use tantivy::directory::MmapDirectory;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Index, SegmentReader, Term};

use super::{LENGTH, TERMS, failed, indexed};
use crate::allowed::{AllowedSet, Basis};
use crate::config::SearchConfig;
use crate::error::IndexError;
use crate::top::{Candidate, Top};

/// Terms of the longest question that is searched for; a page of text has some hundreds.
const MAX_QUERY_TERMS: usize = 4_096;

/// Allowed sets that are smaller than one passage in this many are walked; for larger ones all scores
/// are, which is faster as most of them are not good enough to be looked up.
const WALK_BELOW: u64 = 16;

/// The lexical index of an open generation.
pub(crate) struct Lexical {
    path: PathBuf,
    /// None when there are no passages.
    segment: Option<SegmentReader>,
    terms: Option<Field>,
    /// Number of terms, by ordinal.
    lengths: Vec<u32>,
    formula: Formula,
    /// k1 · (1 − b + b · |p| / average), by ordinal, with the average over all passages.
    saturation: Vec<f32>,
}

/// The two constants.
#[derive(Debug, Clone, Copy)]
struct Formula {
    k1: f64,
    b: f64,
}

impl Lexical {
    /// Opens the folder at `path`, which must hold `passages` passages.
    pub(crate) fn open(path: &Path, passages: usize, config: &SearchConfig) -> Result<Self, IndexError> {
        let directory = MmapDirectory::open(path).map_err(failed(path, "opening the folder"))?;
        let index = Index::open(directory).map_err(failed(path, "opening the lexical index"))?;
        let segments = index
            .searchable_segments()
            .map_err(failed(path, "listing its segment"))?;
        let segment = match segments.as_slice() {
            [] => None,
            [segment] => Some(SegmentReader::open(segment).map_err(failed(path, "opening its segment"))?),
            _ => return Err(IndexError::damaged(path, "it has more than one segment")),
        };
        let lengths = segment.as_ref().map_or(Ok(Vec::new()), lengths);
        let lengths = lengths.map_err(failed(path, "reading the passages' lengths"))?;
        if lengths.len() != passages {
            let reason = format!(
                "it holds {} passages where {passages} are expected",
                lengths.len()
            );
            return Err(IndexError::damaged(path, reason));
        }
        let formula = Formula {
            k1: f64::from(config.k1),
            b: f64::from(config.b),
        };
        let average = average(lengths.iter().copied());
        let saturation = lengths.iter().map(|&length| formula.saturation(length, average));
        Ok(Self {
            path: path.to_owned(),
            terms: index.schema().get_field(TERMS).ok(),
            segment,
            formula,
            saturation: saturation.collect(),
            lengths,
        })
    }

    /// The `k` best allowed passages for `question`, analysed in each of `languages`.
    pub(crate) fn search(
        &self,
        question: &str,
        languages: &[Language],
        allowed: &AllowedSet,
        k: usize,
    ) -> Result<Vec<Candidate>, IndexError> {
        let weights = counted(query_terms(question, languages).into_iter().map(indexed));
        if weights.len() > MAX_QUERY_TERMS {
            return Err(IndexError::LongQuestion {
                terms: weights.len(),
                most: MAX_QUERY_TERMS,
            });
        }
        if allowed.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let scores = match allowed.basis() {
            Some(basis) if basis.ordinals.len() < self.lengths.len() as u64 => {
                self.scores_among(&weights, basis)
            }
            // Whoever may read everything gets the same from the counts at hand.
            _ => self.scores(&weights),
        };
        let scores = scores.map_err(failed(&self.path, "reading postings"))?;
        Ok(best(&scores, allowed, k))
    }

    /// The scores of all passages, term by term in the order of the question, so that the same question
    /// adds the same numbers in the same order.
    fn scores(&self, weights: &[(String, u32)]) -> std::io::Result<Vec<f32>> {
        let mut scores = vec![0f32; self.saturation.len()];
        let (Some(segment), Some(field)) = (&self.segment, self.terms) else {
            return Ok(scores);
        };
        let index = segment.inverted_index(field).map_err(std::io::Error::other)?;
        for (text, count) in weights {
            let term = Term::from_field_text(field, text);
            if let Some(postings) = index.read_block_postings(&term, IndexRecordOption::WithFreqs)? {
                let weight = *count as f32 * idf(self.saturation.len(), postings.doc_freq());
                self.add(postings, weight, &mut scores);
            }
        }
        Ok(scores)
    }

    /// As [`Lexical::scores`], of the passages of `basis` alone and as if there were no others: the same numbers as
    /// an index of only these gives, bit by bit.
    fn scores_among(&self, weights: &[(String, u32)], basis: &Basis) -> std::io::Result<Vec<f32>> {
        let mut scores = vec![0f32; self.lengths.len()];
        let (Some(segment), Some(field)) = (&self.segment, self.terms) else {
            return Ok(scores);
        };
        let index = segment.inverted_index(field).map_err(std::io::Error::other)?;
        let members = Members::new(basis, self.lengths.len());
        let among = basis.ordinals.len() as usize;
        let average = average(
            basis
                .ordinals
                .iter()
                .filter_map(|at| self.lengths.get(at as usize).copied()),
        );
        let mut found: Vec<(u32, u32)> = Vec::new();
        for (text, count) in weights {
            let term = Term::from_field_text(field, text);
            let Some(mut postings) = index.read_block_postings(&term, IndexRecordOption::WithFreqs)? else {
                continue;
            };
            found.clear();
            while postings.block_len() > 0 {
                let block = postings
                    .docs()
                    .iter()
                    .copied()
                    .zip(postings.freqs().iter().copied());
                found.extend(block.filter(|&(passage, _)| members.contains(passage)));
                postings.advance();
            }
            let weight = *count as f32 * idf(among, found.len() as u32);
            for &(passage, frequency) in &found {
                let saturation = self.formula.saturation(self.lengths[passage as usize], average);
                let frequency = frequency as f32;
                scores[passage as usize] += weight * frequency / (frequency + saturation);
            }
        }
        Ok(scores)
    }

    fn add(&self, mut postings: BlockSegmentPostings, weight: f32, scores: &mut [f32]) {
        while postings.block_len() > 0 {
            for (&passage, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                let frequency = frequency as f32;
                let (Some(score), Some(saturation)) = (
                    scores.get_mut(passage as usize),
                    self.saturation.get(passage as usize),
                ) else {
                    continue;
                };
                *score += weight * frequency / (frequency + saturation);
            }
            postings.advance();
        }
    }
}

/// Each text once, in the order of first occurrence, with how often it occurs.
fn counted(texts: impl Iterator<Item = String>) -> Vec<(String, u32)> {
    let mut places = HashMap::new();
    let mut counted: Vec<(String, u32)> = Vec::new();
    for text in texts {
        let place = *places.entry(text.clone()).or_insert(counted.len());
        if place == counted.len() {
            counted.push((text, 0));
        }
        counted[place].1 += 1;
    }
    counted
}

fn best(scores: &[f32], allowed: &AllowedSet, k: usize) -> Vec<Candidate> {
    let mut top = Top::new(k);
    if allowed.len() * WALK_BELOW < scores.len() as u64 {
        for ordinal in allowed.ordinals() {
            let score = scores.get(ordinal as usize).copied().unwrap_or_default();
            if score > 0.0 {
                top.offer(Candidate { ordinal, score });
            }
        }
        return top.into_sorted();
    }
    for (&score, ordinal) in scores.iter().zip(0..) {
        let candidate = Candidate { ordinal, score };
        if score > 0.0 && top.wants(candidate) && allowed.contains(ordinal) {
            top.offer(candidate);
        }
    }
    top.into_sorted()
}

fn idf(passages: usize, with_term: u32) -> f32 {
    let (all, with) = (passages as f64, f64::from(with_term));
    ((all - with + 0.5) / (with + 0.5)).ln_1p() as f32
}

impl Formula {
    fn saturation(self, length: u32, average: f64) -> f32 {
        (self.k1 * (1.0 - self.b + self.b * f64::from(length) / average)) as f32
    }
}

/// The average length, at least 1.
fn average(lengths: impl Iterator<Item = u32>) -> f64 {
    let (total, count) = lengths.fold((0u64, 0u64), |(total, count), length| {
        (total + u64::from(length), count + 1)
    });
    (total as f64 / count.max(1) as f64).max(1.0)
}

/// Membership, one bit a passage: asked for every posting, where a compressed bitmap would be searched each time.
struct Members(Vec<u64>);

impl Members {
    fn new(basis: &Basis, passages: usize) -> Self {
        let mut words = vec![0u64; passages.div_ceil(64)];
        for ordinal in basis
            .ordinals
            .iter()
            .take_while(|&ordinal| (ordinal as usize) < passages)
        {
            words[ordinal as usize / 64] |= 1 << (ordinal % 64);
        }
        Self(words)
    }

    fn contains(&self, ordinal: u32) -> bool {
        let word = self.0.get(ordinal as usize / 64).copied().unwrap_or_default();
        word & (1 << (ordinal % 64)) != 0
    }
}

fn lengths(segment: &SegmentReader) -> tantivy::Result<Vec<u32>> {
    let column = segment.fast_fields().u64(LENGTH)?.first_or_default_col(0);
    let mut lengths = vec![0; segment.max_doc() as usize];
    column.get_range(0, &mut lengths);
    // A passage has fewer terms than bytes, and is far below four gigabytes.
    Ok(lengths
        .into_iter()
        .map(|length| u32::try_from(length).unwrap_or(u32::MAX))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::super::{Writer, analyze};
    use super::*;
    use rag_core::artifact::Digest;
    use roaring::RoaringBitmap;

    const TEXTS: &[&str] = &[
        "ERR-4012 means the VPN tunnel failed; the VPN client is old",
        "ERR-4013 means the certificate expired",
        "Reset the VPN password in the portal",
        "",
        "السياسة الجديدة للإجازات ﷺ",
        "tunnel tunnel tunnel works works beside the old mine",
    ];

    fn key() -> Digest {
        Digest::of(b"generation")
    }

    fn allowed(ordinals: impl IntoIterator<Item = u32>) -> AllowedSet {
        AllowedSet::new(key(), RoaringBitmap::from_iter(ordinals))
    }

    fn index(texts: &[&str], config: &SearchConfig) -> (tempfile::TempDir, Lexical) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lexical");
        let mut writer = Writer::create(&path).unwrap();
        for text in texts {
            writer.push(&analyze(Language::ENGLISH, text)).unwrap();
        }
        writer.finish(key()).unwrap();
        let lexical = Lexical::open(&path, texts.len(), config).unwrap();
        (folder, lexical)
    }

    /// The formula, spelt out.
    fn reference(texts: &[&str], question: &str, config: &SearchConfig) -> Vec<f64> {
        let terms: Vec<Vec<String>> = texts.iter().map(|t| analyze(Language::ENGLISH, t)).collect();
        let average = terms.iter().map(Vec::len).sum::<usize>() as f64 / terms.len() as f64;
        let (k1, b, n) = (f64::from(config.k1), f64::from(config.b), terms.len() as f64);
        let score = |passage: &Vec<String>| {
            let of_term = |q: String| {
                let df = terms.iter().filter(|other| other.contains(&q)).count() as f64;
                let tf = passage.iter().filter(|&t| *t == q).count() as f64;
                if tf == 0.0 {
                    return 0.0;
                }
                let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln();
                idf * tf / (tf + k1 * (1.0 - b + b * passage.len() as f64 / average))
            };
            analyze(Language::ENGLISH, question)
                .into_iter()
                .map(of_term)
                .sum()
        };
        terms.iter().map(score).collect()
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        let questions = [
            "what is ERR-4012",
            "vpn tunnel",
            "tunnel tunnel VPN",
            "إجازات ﷺ",
            "nothing here",
        ];
        for (k1, b) in [(0.9, 0.4), (1.2, 0.75), (0.0, 0.0), (2.0, 1.0)] {
            let config = SearchConfig {
                k1,
                b,
                ..SearchConfig::default()
            };
            let (_folder, lexical) = index(TEXTS, &config);
            for question in questions {
                let expected = reference(TEXTS, question, &config);
                let found = lexical
                    .search(question, &[Language::ENGLISH], &allowed(0..6), 10)
                    .unwrap();
                assert_eq!(
                    found.len(),
                    expected.iter().filter(|s| **s > 0.0).count(),
                    "{question}"
                );
                for c in found {
                    assert!(
                        (f64::from(c.score) - expected[c.ordinal as usize]).abs() < 1e-5,
                        "{question} {c:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn only_allowed_passages_are_found_in_either_way_of_walking() {
        let texts: Vec<&str> = std::iter::repeat_n("same words", 100).collect();
        let (_folder, lexical) = index(&texts, &SearchConfig::default());
        for ordinals in [vec![7, 3], (0..100).step_by(2).collect()] {
            let found = lexical
                .search("words", &[], &allowed(ordinals.clone()), 50)
                .unwrap();
            let mut expected = ordinals;
            expected.sort_unstable();
            assert_eq!(found.iter().map(|c| c.ordinal).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn an_index_of_nothing_finds_nothing() {
        let (_folder, lexical) = index(&[], &SearchConfig::default());
        assert!(lexical.search("x", &[], &allowed([]), 5).unwrap().is_empty());
    }

    #[test]
    fn a_question_beyond_the_limit_is_refused() {
        let (_folder, lexical) = index(TEXTS, &SearchConfig::default());
        let words: Vec<String> = (0..5_000).map(|n| format!("word{n}")).collect();
        let error = lexical
            .search(&words.join(" "), &[], &allowed([0]), 5)
            .unwrap_err();
        assert!(matches!(error, IndexError::LongQuestion { .. }), "{error}");
    }
}

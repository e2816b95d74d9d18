//! Receipts: an answer with its sources, from which anybody can check it again without the index.

use rag_core::access::AccessList;
use rag_core::answer::{Answer, Citation, CitationStatus, SupportBasis};
use rag_core::artifact::Digest;
use rag_core::hit::Hit;
use rag_core::passage::Passage;
use serde::{Deserialize, Serialize};

use crate::context::{Context, ContextConfig, assemble};
use crate::verify::{SupportScorer, VerifyConfig, verify};

/// Form of the file that is written and read.
const VERSION: u32 = 2;

/// What was answered, from what, and how it was checked.
///
/// It holds the whole text of every cited passage, and neither who asked nor who may read the passages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Form of this file.
    pub version: u32,
    /// The question.
    pub question: String,
    /// The answer with its markers.
    pub answer: String,
    /// Who wrote it.
    pub generator: String,
    /// When a passage supports a sentence.
    pub verify: VerifyConfig,
    /// What each sentence cites.
    pub citations: Vec<Citation>,
    /// The cited passages.
    pub sources: Vec<ReceiptSource>,
}

/// A cited passage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptSource {
    /// Digest of its text: compare it with that of the original.
    pub blake3: Digest,
    /// The passage, without the groups that may read it.
    pub passage: Passage,
}

impl Receipt {
    /// The receipt of `answer`, which was checked under `verify`.
    pub fn of(answer: &Answer, verify: &VerifyConfig) -> Self {
        let cited = |hit: &&Hit| {
            answer
                .citations
                .iter()
                .any(|citation| citation.id == hit.passage.id)
        };
        let sources = answer.passages.iter().filter(cited).map(|hit| ReceiptSource {
            blake3: Digest::of(hit.passage.text.as_bytes()),
            passage: Passage {
                access: AccessList::default(),
                ..hit.passage.clone()
            },
        });
        Self {
            version: VERSION,
            question: answer.question.text.clone(),
            answer: answer.text.clone(),
            generator: answer.generator.clone(),
            verify: verify.clone(),
            citations: answer.citations.clone(),
            sources: sources.collect(),
        }
    }

    /// Checks everything that can be without the index, and returns what does not hold; nothing when all does.
    ///
    /// Each source must have its digest, each quote must stand in its source at its place, and checking the
    /// answer against the sources anew must verify every citation. No model is asked: a score that models gave is
    /// believed where the facts agree, see [`on_models`](Self::on_models).
    pub fn check(&self) -> Vec<String> {
        if self.version != VERSION {
            return vec![format!(
                "the receipt has version {}, this program reads {VERSION}",
                self.version
            )];
        }
        let mut problems: Vec<String> = self.sources.iter().filter_map(altered).collect();
        problems.extend(
            self.citations
                .iter()
                .filter_map(|citation| self.misquoted(citation)),
        );
        let scorer = SupportScorer::recorded(&self.verify, &self.citations);
        let (citations, verification) = match verify(&self.answer, &self.context(), &scorer) {
            Ok(found) => found,
            Err(error) => {
                problems.push(error.to_string());
                return problems;
            }
        };
        problems.extend(
            verification
                .unknown_ids
                .iter()
                .map(|id| format!("no source is {id}")),
        );
        let unsupported = verification.unsupported.iter();
        problems.extend(unsupported.map(|sentence| format!("no source supports: {sentence}")));
        if citations != self.citations {
            problems.push("the citations are not those that a new check gives".to_owned());
        }
        problems
    }

    /// The citations that rest on the score of models, which [`check`](Self::check) does not compute again.
    pub fn on_models(&self) -> impl Iterator<Item = &Citation> {
        let is_read = |citation: &&Citation| {
            citation
                .support
                .is_some_and(|support| support.basis == SupportBasis::Models)
        };
        self.citations.iter().filter(is_read)
    }

    /// The source of a citation.
    pub fn source(&self, citation: &Citation) -> Option<&Passage> {
        let mut passages = self.sources.iter().map(|source| &source.passage);
        passages.find(|passage| passage.id == citation.id)
    }

    fn context(&self) -> Context {
        let hits: Vec<Hit> = (1..)
            .zip(&self.sources)
            .map(|(rank, source)| Hit::new(rank, 0.0, source.passage.clone()))
            .collect();
        let everything = ContextConfig {
            max_tokens: usize::MAX,
        };
        assemble(&self.question, &hits, &everything, &str::len)
    }

    fn misquoted(&self, citation: &Citation) -> Option<String> {
        let passage = self.source(citation)?;
        let start = passage.span.start;
        let place = citation.span.and_then(|span| {
            let (from, to) = (span.start.checked_sub(start)?, span.end.checked_sub(start)?);
            passage.text.get(from..to)
        });
        let is_verified = citation.status == CitationStatus::Verified;
        (is_verified && place != Some(&citation.quote)).then(|| {
            format!(
                "{} does not have these words at their place: {}",
                citation.id, citation.quote
            )
        })
    }
}

fn altered(source: &ReceiptSource) -> Option<String> {
    let is_same = Digest::of(source.passage.text.as_bytes()) == source.blake3;
    (!is_same).then(|| {
        format!(
            "the text of {} is not the one that was digested",
            source.passage.id
        )
    })
}

#[cfg(test)]
mod tests {
    use rag_core::answer::SupportScore;

    use super::*;
    use crate::config::Config;
    use crate::extract::ExtractiveGenerator;
    use crate::testing::{WordOverlap, config, hit, ranking};
    use crate::verify::SupportModels;

    fn receipt() -> Receipt {
        let mut secret = hit("hr-1#0", "Staff get 27 days of leave. Days are not paid out.");
        secret.passage.access = AccessList::from_iter(["hr"]);
        secret.passage.span = rag_core::span::Span::new(100, 150);
        let hits = vec![secret, hit("it-1#0", "Cats purr.")];
        let model = WordOverlap::default();
        let generator = ExtractiveGenerator::new(Some(&model), config().extract);
        let asked = ranking("How many days of leave do staff get?", hits);
        let models = SupportModels::default();
        let answer = crate::generate(&asked, &generator, models, &config(), &|text| text.len() / 4).unwrap();
        assert!(!answer.abstained);
        Receipt::of(&answer, &Config::default().verify)
    }

    #[test]
    fn an_untouched_receipt_holds_and_tells_no_groups() {
        let receipt = receipt();
        assert_eq!(receipt.check(), Vec::<String>::new());
        assert_eq!(receipt.sources.len(), 1);
        let json = serde_json::to_string(&receipt).unwrap();
        assert!(!json.contains("\"hr\""), "{json}");
        let read: Receipt = serde_json::from_str(&json).unwrap();
        assert_eq!(read.check(), Vec::<String>::new());
    }

    #[test]
    fn every_change_is_found() {
        let changes: [fn(&mut Receipt); 6] = [
            |receipt| receipt.answer = receipt.answer.replace("27", "28"),
            |receipt| receipt.sources[0].passage.text = "Staff get 28 days of leave.".into(),
            |receipt| receipt.citations[0].quote = "Staff get 28 days of leave.".into(),
            |receipt| receipt.citations.clear(),
            |receipt| receipt.sources.clear(),
            |receipt| receipt.version = 1,
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut receipt = receipt();
            change(&mut receipt);
            assert!(!receipt.check().is_empty(), "change {number}");
        }
    }

    #[test]
    fn a_score_of_models_is_believed_and_told() {
        let mut receipt = receipt();
        let claim = "Wholly other words tell of leave of staff";
        receipt.answer = format!("{claim} [hr-1#0]");
        receipt.citations[0].claim = claim.to_owned();
        receipt.citations[0].support = Some(SupportScore {
            score: 0.9,
            basis: SupportBasis::Models,
        });
        assert_eq!(receipt.check(), Vec::<String>::new());
        assert_eq!(receipt.on_models().count(), 1);
        for (score, claim) in [
            (0.1, claim),
            (7.0, claim),
            (f32::NAN, claim),
            (0.9, "28 days of leave of staff"),
        ] {
            let mut other = receipt.clone();
            other.answer = format!("{claim} [hr-1#0]");
            other.citations[0].claim = claim.to_owned();
            other.citations[0].support = Some(SupportScore {
                score,
                basis: SupportBasis::Models,
            });
            assert!(!other.check().is_empty(), "{score} {claim}");
        }
    }
}

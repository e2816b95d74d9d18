//! Receipts: an answer with its sources, from which anybody can check it again without the index.

use rag_core::access::AccessList;
use rag_core::answer::{Answer, Citation, CitationStatus, SupportBasis};
use rag_core::artifact::Digest;
use rag_core::hit::Hit;
use rag_core::passage::Passage;
use rag_models::ModelError;
use serde::{Deserialize, Serialize};

use crate::context::{Context, ContextConfig, assemble};
use crate::verify::{SupportModels, SupportScorer, VerifyConfig, verify};

/// Form of the file that is written and read.
const VERSION: u32 = 3;

/// How far a score of models may lie from the one in a receipt: other processors round otherwise.
const SCORE_TOLERANCE: f32 = 0.02;

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
    /// Digest of the passage as JSON.
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
        let sources = answer.passages.iter().filter(cited).map(|hit| {
            let passage = Passage {
                access: AccessList::default(),
                ..hit.passage.clone()
            };
            ReceiptSource {
                blake3: digest(&passage),
                passage,
            }
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
    /// It must have been checked by the rules `own`, which are the checker's: a receipt may not bring a milder measure of
    /// its own. Each source must have its digest, each quote must stand in its source at its place, and checking the
    /// answer against the sources anew must verify every citation. `models` compute their scores again; without
    /// them a score that models gave is believed where the facts agree, see [`on_models`](Self::on_models). Fails
    /// when a model does.
    pub fn check(
        &self,
        own: &VerifyConfig,
        models: Option<SupportModels<'_>>,
    ) -> Result<Vec<String>, ModelError> {
        if self.version != VERSION {
            return Ok(vec![format!(
                "the receipt has version {}, this program reads {VERSION}",
                self.version
            )]);
        }
        let mut problems = self.sources_problems();
        if self.verify != *own {
            problems.push(
                "it was checked by other rules than those of your settings (generate.verify)".to_owned(),
            );
        }
        let scorer = match models {
            Some(models) => SupportScorer::new(own, models),
            None => SupportScorer::recorded(own, &self.citations),
        };
        let (citations, verification) = verify(&self.answer, &self.context(), &scorer)?;
        problems.extend(
            verification
                .unknown_ids
                .iter()
                .map(|id| format!("no source is {id}")),
        );
        let unsupported = verification.unsupported.iter();
        problems.extend(unsupported.map(|sentence| format!("no source supports: {sentence}")));
        let is_same = |(own, found): (&Citation, &Citation)| is_same(own, found);
        if citations.len() != self.citations.len() || !self.citations.iter().zip(&citations).all(is_same) {
            problems.push("the citations are not those that a new check gives".to_owned());
        }
        Ok(problems)
    }

    /// What does not hold of the sources, and of the quotes from them.
    pub fn sources_problems(&self) -> Vec<String> {
        let quotes = self.citations.iter().filter_map(|citation| {
            let passage = self.source(citation)?;
            misquoted(citation, passage)
        });
        self.sources.iter().filter_map(altered).chain(quotes).collect()
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
}

/// Says that the quote of a verified citation does not stand in `passage` at its place, if so.
pub fn misquoted(citation: &Citation, passage: &Passage) -> Option<String> {
    let place = citation.span.and_then(|span| passage.quoted(span));
    let is_verified = citation.status == CitationStatus::Verified;
    (is_verified && place != Some(&citation.quote)).then(|| {
        format!(
            "{} does not have these words at their place: {}",
            citation.id, citation.quote
        )
    })
}

fn altered(source: &ReceiptSource) -> Option<String> {
    let passage = &source.passage;
    if digest(passage) != source.blake3 {
        return Some(format!("{} is not the passage that was digested", passage.id));
    }
    (passage.span.len() != passage.text.len()).then(|| {
        format!(
            "the text of {} is {} bytes long and its place in the document {}",
            passage.id,
            passage.text.len(),
            passage.span.len()
        )
    })
}

fn digest(passage: &Passage) -> Digest {
    Digest::of(&serde_json::to_vec(passage).expect("a passage is plain data"))
}

/// The same citation, but for what rounding makes of a score that models gave.
fn is_same(own: &Citation, found: &Citation) -> bool {
    let by_models = |citation: &Citation| {
        let support = citation
            .support
            .filter(|support| support.basis == SupportBasis::Models);
        support.map(|support| support.score)
    };
    match (by_models(own), by_models(found)) {
        (Some(one), Some(other)) if (one - other).abs() <= SCORE_TOLERANCE => {
            *found
                == Citation {
                    support: found.support,
                    ..own.clone()
                }
        }
        _ => own == found,
    }
}

#[cfg(test)]
mod tests {
    use rag_core::answer::SupportScore;
    use rag_models::{CrossEncoder as _, Embedder as _};

    use super::*;
    use crate::config::Config;
    use crate::extract::ExtractiveGenerator;
    use crate::testing::{Letters, WordOverlap, config, hit, ranking};

    fn receipt() -> Receipt {
        let mut secret = hit("hr-1#0", "Staff get 27 days of leave. Days are not paid out.");
        secret.passage.access = AccessList::from_iter(["hr"]);
        secret.passage.span = rag_core::span::Span::new(100, 100 + secret.passage.text.len());
        let hits = vec![secret, hit("it-1#0", "Cats purr.")];
        let model = WordOverlap::default();
        let generator = ExtractiveGenerator::new(Some(&model), config().extract);
        let asked = ranking("How many days of leave do staff get?", hits);
        let models = SupportModels::default();
        let answer = crate::generate(&asked, &generator, models, &config(), &|text| text.len() / 4).unwrap();
        assert!(!answer.abstained);
        Receipt::of(&answer, &Config::default().verify)
    }

    /// What does not hold without models.
    fn check(receipt: &Receipt) -> Vec<String> {
        receipt.check(&Config::default().verify, None).unwrap()
    }

    #[test]
    fn an_untouched_receipt_holds_and_tells_no_groups() {
        let receipt = receipt();
        assert_eq!(check(&receipt), Vec::<String>::new());
        assert_eq!(receipt.sources.len(), 1);
        let json = serde_json::to_string(&receipt).unwrap();
        assert!(!json.contains("\"hr\""), "{json}");
        let read: Receipt = serde_json::from_str(&json).unwrap();
        assert_eq!(check(&read), Vec::<String>::new());
    }

    #[test]
    fn every_change_is_found() {
        let changes: [fn(&mut Receipt); 10] = [
            |receipt| receipt.answer = receipt.answer.replace("27", "28"),
            |receipt| receipt.sources[0].passage.text = "Staff get 28 days of leave.".into(),
            |receipt| receipt.citations[0].quote = "Staff get 28 days of leave.".into(),
            |receipt| receipt.citations.clear(),
            |receipt| receipt.sources.clear(),
            |receipt| receipt.version = 1,
            |receipt| receipt.sources[0].passage.title = "99 days".into(),
            |receipt| receipt.verify.min_support = 0.0,
            |receipt| receipt.sources[0].passage.span.end += 1,
            |receipt| receipt.sources[0].passage.span = rag_core::span::Span::new(usize::MAX - 9, usize::MAX),
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut receipt = receipt();
            change(&mut receipt);
            assert!(!check(&receipt).is_empty(), "change {number}");
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
        assert_eq!(check(&receipt), Vec::<String>::new());
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
            assert!(!check(&other).is_empty(), "{score} {claim}");
        }
    }

    #[test]
    fn models_that_are_at_hand_compute_their_scores_again() {
        let (reader, embedder) = (WordOverlap::default(), Letters::default());
        let models = SupportModels {
            cross_encoder: Some(&reader),
            embedder: Some(&embedder),
        };
        let mut receipt = receipt();
        let decision = &mut receipt.verify.models;
        decision.cross_encoder.clone_from(&reader.identity().name);
        decision.embedder.clone_from(&embedder.identity().name);
        decision.threshold = 0.0;
        receipt.answer = "Leave days that staff get: 27 [hr-1#0]".into();
        let scorer = SupportScorer::new(&receipt.verify, models);
        receipt.citations = verify(&receipt.answer, &receipt.context(), &scorer).unwrap().0;
        assert_eq!(receipt.on_models().count(), 1);
        assert_eq!(
            receipt.check(&receipt.verify, Some(models)).unwrap(),
            Vec::<String>::new()
        );
        receipt.citations[0].support.as_mut().unwrap().score += 2.0 * SCORE_TOLERANCE;
        let problems = receipt.check(&receipt.verify, Some(models)).unwrap();
        assert_eq!(problems, ["the citations are not those that a new check gives"]);
    }
}

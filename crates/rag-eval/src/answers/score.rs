//! What became of each labelled question, and the shares that follow.

use std::collections::{BTreeMap, HashMap, HashSet};

use rag_core::answer::{Answer, CitationStatus};
use serde::{Deserialize, Serialize};

use super::citation::{citation_scores, faithfulness};
use super::label::Label;
use super::metric;
use super::overlap::overlap;
use crate::binary::auroc;
use crate::retrieval::Summary;

/// How many documents from the top are looked at for a relevant one.
const RETRIEVAL_DEPTH: usize = 3;

/// A share: how many of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Those for which it holds.
    pub hits: usize,
    /// All for which it could be said.
    pub of: usize,
}

impl Rate {
    /// The share from 0 to 1, or `None` when there was nothing to look at.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    fn count(&mut self, holds: Option<bool>) {
        if let Some(holds) = holds {
            self.of += 1;
            self.hits += usize::from(holds);
        }
    }
}

/// What became of one labelled question. A field is `None` where the question does not ask for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The question's id.
    pub question: String,
    /// The question's kind.
    pub kind: String,
    /// How sure the generator was that the sources answer it.
    pub confidence: f32,
    /// Rank of the first relevant document among the documents of the context, from 1; `None` also
    /// when it is not there.
    pub relevant_rank: Option<usize>,
    /// Whether a relevant document is among the first three; only for answerable questions.
    pub retrieved: Option<bool>,
    /// Whether the answer contains an accepted text; only for answerable questions.
    pub correct: Option<bool>,
    /// Whether the answer is an accepted text, in SQuAD's form; only for answerable questions that have
    /// one. False when declined.
    pub exact_match: Option<bool>,
    /// Greatest token F1 with an accepted text, from 0 to 1; only for answerable questions that have one.
    /// 0 when declined.
    pub token_f1: Option<f64>,
    /// Whether a verified citation names a relevant document; only for answerable questions.
    pub cited: Option<bool>,
    /// Share of the cited passages that were verified and are relevant; `None` when nothing is cited.
    pub citation_precision: Option<f64>,
    /// Share of the relevant documents that a verified citation names; only for answerable questions.
    pub citation_recall: Option<f64>,
    /// Share of the answer's sentences that a verified citation vouches for; `None` when declined.
    pub faithfulness: Option<f64>,
    /// Whether an unanswerable question was declined; only for those.
    pub declined_rightly: Option<bool>,
    /// Whether an answerable question was declined; only for those.
    pub declined_wrongly: Option<bool>,
}

impl Verdict {
    /// Whether the answer is right as a whole: it has an accepted text and a verified citation names a relevant
    /// document, or nothing answers the question and it was declined.
    ///
    /// A label that accepts no text, or names no document, does not ask for that half; `None` when it asks for neither.
    pub fn right(&self) -> Option<bool> {
        if self.declined_rightly.is_some() {
            return self.declined_rightly;
        }
        let asked = [self.correct, self.cited].into_iter().flatten();
        let met = asked.reduce(|one, other| one && other)?;
        Some(met && self.declined_wrongly != Some(true))
    }
}

/// Shares over a set of labelled questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerScores {
    /// Answerable questions with a relevant document among the first three.
    pub retrieval_top3: Rate,
    /// Answerable questions whose answer is right and cites a relevant document.
    pub answerable_correct_cited: Rate,
    /// Answerable questions whose answer is right.
    pub answerable_correct: Rate,
    /// Unanswerable questions that were declined.
    pub declined_right: Rate,
    /// Answerable questions that were declined.
    pub declined_wrong: Rate,
}

/// The result of [`score_answers`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerReport {
    /// Over all questions.
    pub all: AnswerScores,
    /// By kind of question.
    pub by_kind: BTreeMap<String, AnswerScores>,
    /// How well confidence tells answerable from unanswerable questions: the chance that an
    /// answerable one has the higher confidence (area under the ROC curve). `None` when all
    /// questions are of one sort.
    pub auroc: Option<f64>,
    /// Mean and counts by [`AnswerMetric`](super::AnswerMetric).
    #[serde(default)]
    pub means: BTreeMap<String, Summary>,
    /// Ids of labelled questions without an answer; they are in no share.
    pub missing: Vec<String>,
    /// What became of each question, in the order of the labels.
    pub verdicts: Vec<Verdict>,
}

/// What a threshold on confidence would give: one row of a trade-off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TradeOff {
    /// Answers with at least this confidence are given.
    pub threshold: f32,
    /// Answerable questions that are given a right answer.
    pub right_given: Rate,
    /// Unanswerable questions that are declined.
    pub declined: Rate,
    /// Given answers that are right.
    pub right_among_given: Rate,
}

/// The trade-off of thresholds from 0.05 to 0.95 over `verdicts` of answers that were given whatever the
/// confidence.
pub fn trade_off(verdicts: &[Verdict]) -> Vec<TradeOff> {
    let row = |step: u8| {
        let threshold = f32::from(step) * 0.05;
        let mut row = TradeOff {
            threshold,
            right_given: Rate::default(),
            declined: Rate::default(),
            right_among_given: Rate::default(),
        };
        for verdict in verdicts {
            let gives = verdict.confidence >= threshold;
            let is_right = verdict.correct == Some(true);
            row.right_given.count(verdict.correct.map(|right| right && gives));
            row.declined.count(verdict.declined_rightly.map(|_| !gives));
            row.right_among_given.count(gives.then_some(is_right));
        }
        row
    };
    (1..20).map(row).collect()
}

/// Compares `answers` with `labels` by question id.
pub fn score_answers(labels: &[Label], answers: &[Answer]) -> AnswerReport {
    let by_id: HashMap<&str, &Answer> = answers
        .iter()
        .map(|answer| (answer.question.id.as_str(), answer))
        .collect();
    let mut report = AnswerReport::default();
    let mut confidences = Vec::new();
    for label in labels {
        let Some(answer) = by_id.get(label.question.id.as_str()) else {
            report.missing.push(label.question.id.clone());
            continue;
        };
        let verdict = judge(label, answer);
        let kind = report.by_kind.entry(label.kind.clone()).or_default();
        kind.count(&verdict);
        report.all.count(&verdict);
        report.verdicts.push(verdict);
        confidences.push((answer.confidence, label.answerable));
    }
    report.auroc = auroc(&confidences);
    report.means = metric::means(&report.verdicts);
    report
}

impl AnswerScores {
    fn count(&mut self, verdict: &Verdict) {
        let both = verdict
            .correct
            .zip(verdict.cited)
            .map(|(correct, cited)| correct && cited);
        self.retrieval_top3.count(verdict.retrieved);
        self.answerable_correct_cited.count(both);
        self.answerable_correct.count(verdict.correct);
        self.declined_right.count(verdict.declined_rightly);
        self.declined_wrong.count(verdict.declined_wrongly);
    }
}

/// What became of the question of `label`, which `answer` answers.
pub fn judge(label: &Label, answer: &Answer) -> Verdict {
    let relevant: HashSet<&str> = label.relevant.iter().map(String::as_str).collect();
    let relevant_rank = documents(answer)
        .iter()
        .position(|id| relevant.contains(id))
        .map(|index| index + 1);
    let is_cited = answer.citations.iter().any(|citation| {
        citation.status == CitationStatus::Verified && relevant.contains(citation.document.as_str())
    });
    let for_answerable = |holds: bool| label.answerable.then_some(holds);
    let with_documents = |holds: bool| for_answerable(holds).filter(|_| !relevant.is_empty());
    let said = label
        .accepts(&answer.text)
        .map(|accepted| accepted && !answer.abstained);
    let accepted = label.answers.iter().map(String::as_str);
    let words = overlap(&answer.text, accepted).filter(|_| label.answerable);
    let cited = citation_scores(&label.relevant, answer);
    Verdict {
        question: label.question.id.clone(),
        kind: label.kind.clone(),
        confidence: answer.confidence,
        relevant_rank,
        retrieved: with_documents(relevant_rank.is_some_and(|rank| rank <= RETRIEVAL_DEPTH)),
        correct: said.filter(|_| label.answerable),
        exact_match: words.map(|words| words.is_exact && !answer.abstained),
        token_f1: words.map(|words| if answer.abstained { 0.0 } else { words.f1 }),
        cited: with_documents(is_cited),
        citation_precision: cited.precision.filter(|_| label.answerable),
        citation_recall: cited.recall.filter(|_| label.answerable),
        faithfulness: faithfulness(answer),
        declined_rightly: (!label.answerable).then_some(answer.abstained),
        declined_wrongly: for_answerable(answer.abstained),
    }
}

/// The documents of the answer's context, each once, best first.
fn documents(answer: &Answer) -> Vec<&str> {
    let mut seen = HashSet::new();
    let ids = answer
        .passages
        .iter()
        .map(|hit| hit.passage.document_id().as_str());
    ids.filter(|id| seen.insert(*id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permissions::testing::hit;
    use rag_core::access::Principal;
    use rag_core::answer::{Citation, DECLINED, Usage, Verification};
    use rag_core::question::Question;

    fn label(id: &str, answerable: bool) -> Label {
        Label {
            question: Question::new(id, "?", Principal::everyone()),
            kind: "plain".to_owned(),
            relevant: if answerable {
                vec!["good".to_owned()]
            } else {
                Vec::new()
            },
            answers: if answerable {
                vec!["5 days".to_owned()]
            } else {
                Vec::new()
            },
            parts: Vec::new(),
            answerable,
        }
    }

    fn answer(id: &str, text: &str, documents: &[&str], cited: Option<(&str, CitationStatus)>) -> Answer {
        let hits: Vec<_> = documents.iter().map(|document| hit(document, "text")).collect();
        let citations = cited.into_iter().map(|(document, status)| {
            let passage = hit(document, "text").passage;
            Citation {
                id: passage.id.clone(),
                document: passage.id.document,
                title: passage.title,
                section: String::new(),
                page: None,
                bounding_box: None,
                updated: None,
                quote: String::new(),
                span: None,
                claim: String::new(),
                status,
                support: None,
            }
        });
        Answer {
            question: Question::new(id, "?", Principal::everyone()),
            text: text.to_owned(),
            abstained: text == DECLINED,
            confidence: if text == DECLINED { 0.1 } else { 0.9 },
            citations: citations.collect(),
            verification: Verification::default(),
            repairs: Vec::new(),
            generator: String::new(),
            trace: None,
            passages: hits,
            legs: Vec::new(),
            notes: Vec::new(),
            usage: Usage::default(),
            timings_ms: BTreeMap::new(),
        }
    }

    #[test]
    fn a_threshold_trades_right_answers_for_declined_questions() {
        let labels = [label("sure", true), label("unsure", true), label("none", false)];
        let says = |id: &str, confidence| Answer {
            confidence,
            ..answer(id, "It takes 5 days.", &["good"], None)
        };
        let answers = [says("sure", 0.9), says("unsure", 0.2), says("none", 0.4)];
        let rows = trade_off(&score_answers(&labels, &answers).verdicts);
        let at = |step: usize| {
            let row = &rows[step - 1];
            (
                row.right_given.share(),
                row.declined.share(),
                row.right_among_given.share(),
            )
        };
        assert_eq!(at(2), (Some(1.0), Some(0.0), Some(2.0 / 3.0)));
        assert_eq!(at(10), (Some(0.5), Some(1.0), Some(1.0)));
    }

    #[test]
    fn each_question_gets_its_verdict() {
        use CitationStatus::{Unsupported, Verified};
        let labels = [
            label("right", true),
            label("wrong text", true),
            label("wrong source", true),
            label("unsupported", true),
            label("declined", true),
            label("rightly declined", false),
            label("made up", false),
            label("not asked", true),
        ];
        let answers = [
            answer(
                "right",
                "It takes 5 days.",
                &["x", "x", "y", "good"],
                Some(("good", Verified)),
            ),
            answer(
                "wrong text",
                "It takes 6 days.",
                &["good"],
                Some(("good", Verified)),
            ),
            answer(
                "wrong source",
                "5 days",
                &["a", "b", "c", "good"],
                Some(("a", Verified)),
            ),
            answer("unsupported", "5 days", &[], Some(("good", Unsupported))),
            answer("declined", DECLINED, &["good"], None),
            answer("rightly declined", DECLINED, &[], None),
            answer("made up", "5 days", &["a"], Some(("a", Verified))),
        ];
        let report = score_answers(&labels, &answers);
        let rate = |hits, of| Rate { hits, of };
        assert_eq!(report.all.retrieval_top3, rate(3, 5));
        assert_eq!(report.all.answerable_correct, rate(3, 5));
        assert_eq!(report.all.answerable_correct_cited, rate(1, 5));
        assert_eq!(report.all.declined_right, rate(1, 2));
        assert_eq!(report.all.declined_wrong, rate(1, 5));
        assert_eq!(report.missing, ["not asked"]);
        assert_eq!(report.by_kind["plain"], report.all);
        assert_eq!(report.verdicts[0].relevant_rank, Some(3));
        let means = |name: &str| {
            let summary = report.means[name];
            (summary.mean, summary.computed, summary.not_computed)
        };
        assert_eq!(means("correct"), (Some(0.6), 5, 2));
        assert_eq!(means("exact_match"), (Some(0.4), 5, 2));
        // Tokens in common: 2 of 4 and 2, 1 of 4 and 2, all, all, none as declined.
        assert_eq!(means("f1").0, Some((2.0 / 3.0 + 1.0 / 3.0 + 2.0) / 5.0));
        assert_eq!(means("citation_precision"), (Some(0.5), 4, 3));
        assert_eq!(means("citation_recall"), (Some(0.4), 5, 2));
        assert_eq!(means("declined_rightly"), (Some(0.5), 2, 5));
    }

    type Case<'c> = (&'c [(f32, bool)], Option<f64>);

    #[test]
    fn the_area_under_the_curve_counts_ordered_pairs() {
        let cases: &[Case<'_>] = &[
            (&[(0.9, true), (0.1, false)], Some(1.0)),
            (&[(0.1, true), (0.9, false)], Some(0.0)),
            (&[(0.5, true), (0.5, false)], Some(0.5)),
            // Of four pairs three are in order.
            (
                &[(0.9, true), (0.4, true), (0.6, false), (0.1, false)],
                Some(0.75),
            ),
            (&[(0.9, true)], None),
            (&[], None),
        ];
        for (scored, expected) in cases {
            assert_eq!(auroc(scored), *expected, "{scored:?}");
        }
    }

    #[test]
    fn a_share_of_nothing_is_no_share() {
        assert_eq!(Rate::default().share(), None);
        assert_eq!(Rate { hits: 1, of: 4 }.share(), Some(0.25));
    }
}

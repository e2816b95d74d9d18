//! What the boxes handed on about one question, and the climb.

use std::collections::{BTreeMap, HashSet};

use rag_core::answer::{Answer, Citation, CitationStatus};
use rag_core::diagnostic::{Diagnostic, Severity};
use rag_core::document::Document;
use rag_core::hit::{Hit, Leg};
use rag_core::id::{DocumentId, PassageId};
use rag_core::passage::Passage;
use rag_core::question::Question;
use serde::{Deserialize, Serialize};

use super::rung::{Class, Rung};
use crate::answers::{Label, contains_answer, judge};

/// Accepted texts that no source states in so many words.
const POLAR: [&str; 4] = ["yes", "no", "true", "false"];

/// What each box handed on about one question.
#[derive(Debug, Clone, Copy)]
pub struct Trail<'t> {
    /// The question and what is right.
    pub label: &'t Label,
    /// The question as it was searched for: standalone, taken apart.
    pub searched: &'t Question,
    /// Those of the label's relevant documents that the collection has.
    pub documents: &'t [&'t Document],
    /// What the parse stage lost.
    pub diagnostics: &'t [Diagnostic],
    /// The passages of those documents.
    pub passages: &'t [&'t Passage],
    /// All candidates of the legs, with their place in each.
    pub candidates: &'t [Hit],
    /// The hits after fusion.
    pub fused: &'t [Hit],
    /// The hits that were handed to the generator.
    pub kept: &'t [Hit],
    /// The answer, with the passages of its context.
    pub answer: &'t Answer,
}

/// What became of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// The question's id.
    pub id: String,
    /// The question.
    pub question: String,
    /// Its kind.
    pub kind: String,
    /// Retrieval miss, generation miss, or ok.
    pub class: Class,
    /// The first rung that lost the answer; `None` when the answer is right.
    pub rung: Option<Rung>,
    /// What was seen there, one sentence each.
    pub evidence: Vec<String>,
    /// The passages that have the answer.
    pub sought: Vec<PassageId>,
    /// Whether the answer becomes right when such a passage is put in at this rung; `None` when there is none to put
    /// in, or the answer was right.
    pub mended: Option<bool>,
    /// What was answered.
    pub answer: String,
    /// What is accepted.
    pub accepted: Vec<String>,
}

/// Where the climb ended, and why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    /// The rung.
    rung: Rung,
    /// What was seen there.
    evidence: Vec<String>,
}

/// Climbs the trail of one question (see [`is_right`]).
///
/// A question of several parts is lost where the first of its missing parts was lost.
pub fn diagnose(trail: &Trail<'_>) -> Diagnosis {
    let (label, answer) = (trail.label, trail.answer);
    let finding = trail.find();
    let sought = trail.needs().into_iter().flat_map(|need| trail.sought(&need));
    let mut sought: Vec<PassageId> = sought.map(|passage| passage.id.clone()).collect();
    sought.sort();
    sought.dedup();
    Diagnosis {
        id: label.question.id.clone(),
        question: label.question.text.clone(),
        kind: label.kind.clone(),
        class: finding.as_ref().map_or(Class::Ok, |found| found.rung.class()),
        rung: finding.as_ref().map(|found| found.rung),
        evidence: finding.map(|found| found.evidence).unwrap_or_default(),
        sought,
        mended: None,
        answer: answer.text.clone(),
        accepted: label
            .parts
            .iter()
            .flatten()
            .chain(&label.answers)
            .cloned()
            .collect(),
    }
}

/// Whether `answer` is right, as [`Verdict::right`](crate::answers::Verdict::right) says; one that nothing can be said
/// about is not wrong.
pub fn is_right(label: &Label, answer: &Answer) -> bool {
    judge(label, answer).right() != Some(false)
}

/// Whether a citation that holds names one of `documents`.
fn cites_one_of(answer: &Answer, documents: &[String]) -> bool {
    holding(answer).any(|citation| documents.iter().any(|id| id == citation.document.as_str()))
}

/// The citations that hold.
fn holding(answer: &Answer) -> impl Iterator<Item = &Citation> {
    answer
        .citations
        .iter()
        .filter(|citation| citation.status == CitationStatus::Verified)
}

/// Those of `passages` that have what `label` accepts, or all of them when it names no text that could be looked for.
pub fn sought_passages<'p>(label: &Label, passages: &[&'p Passage]) -> Vec<&'p Passage> {
    let needs = needs(label);
    let has = |passage: &Passage| needs.iter().any(|need| need.is_met_by(&passage.text));
    passages.iter().copied().filter(|passage| has(passage)).collect()
}

/// One thing that an answer must say: any of these texts, or, of none, anything from a relevant document.
struct Need(Vec<String>);

impl Need {
    fn is_met_by(&self, text: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|accepted| contains_answer(text, accepted))
    }
}

/// What an answer to `label` must say.
fn needs(label: &Label) -> Vec<Need> {
    let stated = |texts: &[String]| {
        let is_polar = |text: &String| POLAR.contains(&text.trim().to_lowercase().as_str());
        Need(texts.iter().filter(|text| !is_polar(text)).cloned().collect())
    };
    if label.parts.is_empty() {
        vec![stated(&label.answers)]
    } else {
        label.parts.iter().map(|part| stated(part)).collect()
    }
}

impl<'t> Trail<'t> {
    fn needs(&self) -> Vec<Need> {
        needs(self.label)
    }

    /// The first rung that lost what the answer lacks.
    fn find(&self) -> Option<Finding> {
        let (label, answer) = (self.label, self.answer);
        if is_right(label, answer) {
            return None;
        }
        if !label.answerable {
            return Some(self.answered_nothing());
        }
        let is_said = label.accepts(&answer.text).unwrap_or(!answer.abstained);
        let needs = self.needs();
        let missing: Vec<&Need> = needs
            .iter()
            .filter(|need| answer.abstained || !need.is_met_by(&answer.text))
            .collect();
        let missing = if missing.is_empty() {
            needs.iter().collect()
        } else {
            missing
        };
        let findings = missing.into_iter().map(|need| self.climb(need, is_said));
        findings.min_by_key(|finding| finding.rung)
    }

    fn climb(&self, need: &Need, is_said: bool) -> Finding {
        let lost = |rung: Rung, evidence: Vec<String>| Finding { rung, evidence };
        if self.documents.is_empty() {
            return self.no_document();
        }
        let names: Vec<&str> = self
            .documents
            .iter()
            .map(|document| document.id.as_str())
            .collect();
        if !self
            .documents
            .iter()
            .any(|document| need.is_met_by(&document.text))
        {
            if let Some(unread) = self.unread() {
                return unread;
            }
            let sources = self.documents.iter().map(|document| document.source.as_str());
            let losses = self.losses_of(&sources.collect::<Vec<_>>());
            let what = format!(
                "the text of {} has none of the accepted answers in these words: garbled, or the label words it otherwise",
                names.join(", ")
            );
            return lost(Rung::Parsing, std::iter::once(what).chain(losses).collect());
        }
        let sought = self.sought(need);
        if sought.is_empty() {
            let what = format!("{} has the answer, none of its passages does", names.join(", "));
            return lost(Rung::Splitting, vec![what]);
        }
        let readable: Vec<&Passage> = sought
            .iter()
            .copied()
            .filter(|passage| self.may_be_found(passage))
            .collect();
        if readable.is_empty() {
            return lost(
                Rung::Filter,
                sought.iter().map(|passage| self.why_filtered(passage)).collect(),
            );
        }
        let ids: HashSet<&PassageId> = readable.iter().map(|passage| &passage.id).collect();
        let stages = [
            (Rung::Candidates, self.candidates),
            (Rung::Fusion, self.fused),
            (Rung::Reranking, self.kept),
            (Rung::Budget, self.answer.passages.as_slice()),
        ];
        // What a later box has, an earlier one did not lose, however it came there: a section handed over with a hit
        // brings passages that no leg found.
        let has_it = |hits: &[Hit]| hits.iter().any(|hit| stands_for(hit, &ids));
        let passed = stages
            .iter()
            .rposition(|(_, hits)| has_it(hits))
            .map_or(0, |last| last + 1);
        match stages.get(passed) {
            Some((rung, _)) => lost(*rung, self.places(&ids, *rung)),
            None => self.in_context(&ids, is_said),
        }
    }

    /// The passages that meet `need`.
    fn sought(&self, need: &Need) -> Vec<&'t Passage> {
        self.passages
            .iter()
            .copied()
            .filter(|passage| need.is_met_by(&passage.text))
            .collect()
    }

    fn no_document(&self) -> Finding {
        self.unread().unwrap_or_else(|| Finding {
            rung: Rung::Corpus,
            evidence: vec![format!(
                "the collection has none of the documents that answer it: {}",
                self.label.relevant.join(", ")
            )],
        })
    }

    /// Relevant documents that were left out when they were parsed.
    fn unread(&self) -> Option<Finding> {
        let is_absent = |id: &&String| !self.documents.iter().any(|document| document.id.as_str() == **id);
        let absent: Vec<&String> = self.label.relevant.iter().filter(is_absent).collect();
        let evidence: Vec<String> = self
            .diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Quarantined)
            .filter(|found| absent.iter().any(|id| is_source_of(&found.source, id)))
            .map(|found| format!("{} was left out: {}", found.source, found.message))
            .collect();
        (!evidence.is_empty()).then_some(Finding {
            rung: Rung::Parsing,
            evidence,
        })
    }

    fn losses_of(&self, sources: &[&str]) -> Vec<String> {
        let own = self
            .diagnostics
            .iter()
            .filter(|found| sources.contains(&found.source.as_str()));
        own.map(|found| format!("{}: {}", found.source, found.message))
            .collect()
    }

    fn may_be_found(&self, passage: &Passage) -> bool {
        let question = &self.label.question;
        question.filter.keeps(passage, &question.principal)
    }

    fn why_filtered(&self, passage: &Passage) -> String {
        let (filter, id) = (&self.label.question.filter, &passage.id);
        if !passage.access.allows(&self.label.question.principal) {
            return format!("the asker may not read {id}");
        }
        if !filter.keeps_date(passage.updated) {
            let day = passage
                .updated
                .map_or_else(|| "no date".to_owned(), |day| day.to_string());
            return format!("the date filter excludes {id} ({day})");
        }
        if !filter.keeps_language(passage.language) {
            return format!("the language filter excludes {id} ({})", passage.language);
        }
        format!("the department filter excludes {id}")
    }

    /// Where the passages stand in the boxes up to `rung`.
    fn places(&self, ids: &HashSet<&PassageId>, rung: Rung) -> Vec<String> {
        let mut evidence = Vec::new();
        for hit in self.candidates.iter().filter(|hit| stands_for(hit, ids)) {
            let legs: BTreeMap<Leg, u32> = hit.legs.iter().map(|(leg, place)| (*leg, place.rank)).collect();
            let legs: Vec<String> = legs
                .iter()
                .map(|(leg, rank)| format!("{leg} rank {rank}"))
                .collect();
            evidence.push(format!(
                "{}: {}, fused rank {}",
                hit.passage.id,
                legs.join(", "),
                hit.rank
            ));
        }
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        match rung {
            Rung::Candidates => {
                let legs = self.answer.legs.iter().map(|report| match &report.left_out {
                    Some(reason) => format!("the {} leg was left out: {reason}", report.leg),
                    None => format!("the {} leg brought {} candidates", report.leg, report.candidates),
                });
                evidence.push(format!("no leg brought {}", ids.join(", ")));
                evidence.extend(legs);
                if self.searched.text != self.label.question.text {
                    evidence.push(format!("searched for: {}", self.searched.text));
                }
            }
            Rung::Fusion => evidence.push(format!("{} hits are kept after fusion", self.fused.len())),
            Rung::Reranking => evidence.push(format!("{} hits are kept after reranking", self.kept.len())),
            _ => evidence.push(format!(
                "{} passages fit into the context of {} tokens, {} were left out",
                self.answer.passages.len(),
                self.answer.usage.context_tokens,
                self.answer.usage.passages_left_out
            )),
        }
        evidence
    }

    /// The passage was in the context: was it used, and was it cited?
    fn in_context(&self, ids: &HashSet<&PassageId>, is_said: bool) -> Finding {
        let place = self.answer.passages.iter().position(|hit| stands_for(hit, ids));
        let mut evidence = vec![match place {
            Some(place) => format!(
                "passage {} of {} in the context has the answer",
                place + 1,
                self.answer.passages.len()
            ),
            None => "the answer says what is accepted".to_owned(),
        }];
        evidence.extend(self.answer.repairs.iter().map(|repair| {
            let fate = if repair.instead.is_empty() {
                "was withheld"
            } else {
                "was given another source"
            };
            format!(
                "a sentence {fate} when its citation did not hold: {}",
                repair.sentence
            )
        }));
        if self.answer.abstained {
            evidence.push(format!(
                "it was declined with confidence {:.2}",
                self.answer.confidence
            ));
            return Finding {
                rung: Rung::Unused,
                evidence,
            };
        }
        let cited: Vec<String> = holding(self.answer)
            .map(|citation| citation.id.to_string())
            .collect();
        evidence.push(format!(
            "cited: {}",
            if cited.is_empty() {
                "nothing".to_owned()
            } else {
                cited.join(", ")
            }
        ));
        if is_said {
            return Finding {
                rung: Rung::Uncited,
                evidence,
            };
        }
        if let Some(stale) = self.cites_replaced() {
            evidence.push(format!(
                "{} was replaced by a document that answers it",
                stale.document
            ));
            return Finding {
                rung: Rung::WrongOrStale,
                evidence,
            };
        }
        let rung = if cites_one_of(self.answer, &self.label.relevant) {
            Rung::WrongOrStale
        } else {
            Rung::Unused
        };
        Finding { rung, evidence }
    }

    fn answered_nothing(&self) -> Finding {
        let cited = holding(self.answer).map(|citation| format!("{} says: {}", citation.id, citation.quote));
        let what = "nothing that the asker may read answers it, and it was not declined".to_owned();
        Finding {
            rung: Rung::WrongOrStale,
            evidence: std::iter::once(what).chain(cited).collect(),
        }
    }

    /// A citation of a document that one of the relevant ones replaces.
    fn cites_replaced(&self) -> Option<&'t Citation> {
        let replaced = |citation: &&Citation| {
            self.documents
                .iter()
                .any(|document| document.supersedes.as_ref() == Some(&citation.document))
        };
        holding(self.answer).find(replaced)
    }
}

/// Whether the hit is one of `ids`, or was kept in favour of one that says the same.
fn stands_for(hit: &Hit, ids: &HashSet<&PassageId>) -> bool {
    ids.contains(&hit.passage.id) || hit.duplicates.iter().any(|id| ids.contains(id))
}

/// Whether a document of this id would come from the file `source`, whose name without its ending is the id when the
/// file does not say another.
fn is_source_of(source: &str, id: &str) -> bool {
    let name = source.rsplit('/').next().unwrap_or(source);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.eq_ignore_ascii_case(id) || DocumentId::from_path_like(source).as_str() == id
}

#[cfg(test)]
#[path = "trail_tests.rs"]
mod tests;

//! Non-interference: does what an asker is shown change when all that they may not read is removed?

use std::collections::BTreeMap;
use std::fmt;

use rag_core::answer::Answer;
use rag_core::hit::{Leg, Placement, Ranking};
use rag_core::id::PassageId;
use serde::Serialize;
use serde_json::Value;

/// Differences that a report keeps one by one; all are counted.
const KEPT: usize = 200;

/// All that one asking of a question showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// All that the legs brought, fused, none dropped.
    pub candidates: Ranking,
    /// The passages that were handed to the generator.
    pub kept: Ranking,
    /// The answer.
    pub answer: Answer,
}

/// Where a difference shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The candidates of lexical search.
    Bm25Leg,
    /// The candidates of vector search.
    DenseLeg,
    /// The candidates of the graph.
    GraphLeg,
    /// The order after fusion.
    Fused,
    /// The passages handed to the generator.
    Kept,
    /// The text of the answer.
    AnswerText,
    /// The rest of the answer: confidence, citations, notes, usage.
    AnswerRecord,
}

impl From<Leg> for Surface {
    fn from(leg: Leg) -> Self {
        match leg {
            Leg::Bm25 => Self::Bm25Leg,
            Leg::Dense => Self::DenseLeg,
            Leg::Graph => Self::GraphLeg,
        }
    }
}

impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bm25Leg => "bm25 leg",
            Self::DenseLeg => "dense leg",
            Self::GraphLeg => "graph leg",
            Self::Fused => "fused hits",
            Self::Kept => "kept hits",
            Self::AnswerText => "answer text",
            Self::AnswerRecord => "answer record",
        })
    }
}

/// How one surface of one question differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The question's id.
    pub question: String,
    /// The asker's groups.
    pub groups: Vec<String>,
    /// Where it shows.
    pub surface: Surface,
    /// Passages that are there only once, or in another place, or with another score.
    pub passages: usize,
    /// The greatest difference of a score, in the surface's own units.
    pub score: f64,
    /// The same as a share of the score.
    pub share: f64,
    /// The greatest number of places that a passage moved.
    pub places: u32,
    /// What differs, for a person.
    pub detail: String,
}

/// Everything in which the two observations of one question differ, timings apart.
pub fn compare(whole: &Observed, alone: &Observed) -> Vec<Difference> {
    let mut found = Vec::new();
    for leg in [Leg::Bm25, Leg::Dense, Leg::Graph] {
        let of_leg = |ranking: &Ranking| placements(ranking, |hit| hit.legs.get(&leg).copied());
        let (a, b) = (of_leg(&whole.candidates), of_leg(&alone.candidates));
        let reports = |ranking: &Ranking| ranking.legs.iter().find(|report| report.leg == leg).cloned();
        let same_report = reports(&whole.candidates) == reports(&alone.candidates);
        found.extend(of_places(whole, leg.into(), &a, &b, same_report));
    }
    for (surface, a, b) in [
        (Surface::Fused, &whole.candidates, &alone.candidates),
        (Surface::Kept, &whole.kept, &alone.kept),
    ] {
        let places = |ranking: &Ranking| {
            placements(ranking, |hit| {
                Some(Placement {
                    rank: hit.rank,
                    score: hit.score,
                })
            })
        };
        let same = untimed(a) == untimed(b);
        found.extend(of_places(whole, surface, &places(a), &places(b), same));
    }
    found.extend(of_answers(whole, alone));
    found
}

type Places = BTreeMap<PassageId, Placement>;

fn placements(ranking: &Ranking, place: impl Fn(&rag_core::hit::Hit) -> Option<Placement>) -> Places {
    let hits = ranking.hits.iter();
    hits.filter_map(|hit| Some((hit.passage.id.clone(), place(hit)?)))
        .collect()
}

/// `is_same` says whether all else that the surface shows is the same.
fn of_places(
    whole: &Observed,
    surface: Surface,
    a: &Places,
    b: &Places,
    is_same: bool,
) -> Option<Difference> {
    let mut difference = difference(whole, surface);
    for id in a.keys().chain(b.keys().filter(|id| !a.contains_key(*id))) {
        let (one, other) = (a.get(id), b.get(id));
        if one.copied().map(bits) == other.copied().map(bits) {
            continue;
        }
        difference.passages += 1;
        if let (Some(one), Some(other)) = (one, other) {
            let gap = (f64::from(one.score) - f64::from(other.score)).abs();
            difference.score = difference.score.max(gap);
            let size = f64::from(one.score.abs().max(other.score.abs()));
            difference.share = difference.share.max(if size > 0.0 { gap / size } else { 0.0 });
            difference.places = difference.places.max(one.rank.abs_diff(other.rank));
        }
    }
    if difference.passages == 0 && is_same {
        return None;
    }
    difference.detail = match difference.passages {
        0 => "the passages are the same, what is reported beside them is not".to_owned(),
        count => format!(
            "{count} passages; scores differ by up to {:.4} ({:.1} %), places by up to {}",
            difference.score,
            difference.share * 100.0,
            difference.places
        ),
    };
    Some(difference)
}

fn bits(place: Placement) -> (u32, u32) {
    (place.rank, place.score.to_bits())
}

fn of_answers(whole: &Observed, alone: &Observed) -> Vec<Difference> {
    let mut found = Vec::new();
    let (a, b) = (&whole.answer, &alone.answer);
    if a.text != b.text {
        found.push(Difference {
            detail: "the text differs".to_owned(),
            ..difference(whole, Surface::AnswerText)
        });
    }
    let fields = differing_fields(&record(a), &record(b));
    if !fields.is_empty() {
        found.push(Difference {
            score: f64::from((a.confidence - b.confidence).abs()),
            detail: format!("differs in {}", fields.join(", ")),
            ..difference(whole, Surface::AnswerRecord)
        });
    }
    found
}

fn difference(whole: &Observed, surface: Surface) -> Difference {
    let question = &whole.candidates.question;
    Difference {
        question: question.id.clone(),
        groups: question.principal.groups().map(str::to_owned).collect(),
        surface,
        passages: 0,
        score: 0.0,
        share: 0.0,
        places: 0,
        detail: String::new(),
    }
}

fn untimed(ranking: &Ranking) -> Value {
    let ranking = Ranking {
        timings_ms: BTreeMap::new(),
        ..ranking.clone()
    };
    serde_json::to_value(ranking).expect("rankings are plain data")
}

/// The answer without its text, without its passages, which are the kept hits, and without timings.
fn record(answer: &Answer) -> Value {
    let mut value = serde_json::to_value(answer).expect("answers are plain data");
    if let Value::Object(fields) = &mut value {
        for name in ["answer", "passages", "timings_ms"] {
            fields.remove(name);
        }
    }
    value
}

fn differing_fields(a: &Value, b: &Value) -> Vec<String> {
    let (Value::Object(a), Value::Object(b)) = (a, b) else {
        return Vec::new();
    };
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    names
        .filter(|name| a.get(*name) != b.get(*name))
        .cloned()
        .collect()
}

/// What removing unreadable passages changed, over all questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct InterferenceReport {
    /// Questions asked.
    pub questions: usize,
    /// Those whose asker may not read everything, so that something was removed.
    pub restricted: usize,
    /// Those with any difference.
    pub differing: usize,
    /// What differed, by where it shows.
    pub surfaces: BTreeMap<Surface, SurfaceDifference>,
    /// The first differences one by one.
    pub differences: Vec<Difference>,
}

/// How much one surface differed, over all questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SurfaceDifference {
    /// Questions in which it did.
    pub questions: usize,
    /// The greatest difference of a score.
    pub worst_score: f64,
    /// The greatest difference as a share of the score.
    pub worst_share: f64,
    /// The most places that a passage moved.
    pub worst_places: u32,
}

impl InterferenceReport {
    /// Counts a question whose asker may read everything.
    pub fn unrestricted(&mut self) {
        self.questions += 1;
    }

    /// Counts a question that was asked twice, with what [`compare`] found.
    pub fn compared(&mut self, differences: Vec<Difference>) {
        self.questions += 1;
        self.restricted += 1;
        self.differing += usize::from(!differences.is_empty());
        for difference in differences {
            let surface = self.surfaces.entry(difference.surface).or_default();
            surface.questions += 1;
            surface.worst_score = surface.worst_score.max(difference.score);
            surface.worst_share = surface.worst_share.max(difference.share);
            surface.worst_places = surface.worst_places.max(difference.places);
            if self.differences.len() < KEPT {
                self.differences.push(difference);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rag_core::access::Principal;
    use rag_core::hit::{Hit, LegReport};
    use rag_core::passage::Passage;
    use rag_core::question::Question;

    use super::*;

    fn answer(text: &str) -> Answer {
        let answer = serde_json::json!({
            "question": {"id": "q", "question": "?", "groups": ["everyone"]},
            "answer": text, "abstained": false, "confidence": 0.5, "citations": [],
            "verification": {"unknown_ids": [], "unsupported": []},
            "passages": [], "usage": {}, "timings_ms": {},
        });
        serde_json::from_value(answer).unwrap()
    }

    fn observed(scores: &[(&str, f32)], text: &str) -> Observed {
        let question = Question::new("q", "What?", Principal::everyone());
        let hits = scores.iter().zip(1..).map(|(&(id, score), rank)| {
            let mut hit = Hit::new(rank, 1.0 / rank as f32, Passage::new(id.parse().unwrap(), "text"));
            hit.legs.insert(Leg::Bm25, Placement { rank, score });
            hit
        });
        let mut ranking = Ranking::new(question, hits.collect());
        ranking.legs.push(LegReport {
            leg: Leg::Bm25,
            candidates: scores.len() as u32,
            left_out: None,
        });
        ranking.timings_ms.insert("bm25".into(), f64::from(scores[0].1));
        Observed {
            kept: ranking.clone(),
            candidates: ranking,
            answer: answer(text),
        }
    }

    fn surfaces(a: &Observed, b: &Observed) -> Vec<Surface> {
        compare(a, b)
            .into_iter()
            .map(|difference| difference.surface)
            .collect()
    }

    #[test]
    fn the_same_is_the_same_whatever_the_clock_says() {
        let (a, mut b) = (
            observed(&[("a#0", 2.0)], "Yes."),
            observed(&[("a#0", 2.0)], "Yes."),
        );
        b.candidates.timings_ms.insert("bm25".into(), 9.0);
        b.answer.timings_ms.insert("total".into(), 9.0);
        assert_eq!(compare(&a, &b), []);
    }

    #[test]
    fn a_score_that_differs_in_its_last_bit_is_found_in_its_leg() {
        let a = observed(&[("a#0", 2.0), ("b#0", 1.0)], "Yes.");
        let b = observed(
            &[("a#0", f32::from_bits(2f32.to_bits() + 1)), ("b#0", 1.0)],
            "Yes.",
        );
        let found = compare(&a, &b);
        assert_eq!(
            (found[0].surface, found[0].passages, found[0].places),
            (Surface::Bm25Leg, 1, 0)
        );
        // The hits carry the leg's score too.
        assert_eq!(
            surfaces(&a, &b),
            [Surface::Bm25Leg, Surface::Fused, Surface::Kept]
        );
    }

    #[test]
    fn places_texts_and_reports_are_compared() {
        let a = observed(&[("a#0", 2.0), ("b#0", 1.0)], "Yes.");
        let swapped = observed(&[("b#0", 2.0), ("a#0", 1.0)], "No.");
        let found = compare(&a, &swapped);
        assert_eq!((found[0].places, found[0].share), (1, 0.5));
        assert!(
            found
                .iter()
                .any(|difference| difference.surface == Surface::AnswerText)
        );
        let mut noted = a.clone();
        noted.candidates.legs[0].left_out = Some("no".into());
        assert_eq!(surfaces(&a, &noted), [Surface::Bm25Leg, Surface::Fused]);
        let mut unsure = a.clone();
        unsure.answer.confidence += 0.25;
        let found = compare(&a, &unsure);
        assert_eq!((found[0].surface, found[0].score), (Surface::AnswerRecord, 0.25));
        assert!(found[0].detail.contains("confidence"), "{}", found[0].detail);
    }

    #[test]
    fn reports_count_questions_and_keep_the_worst() {
        let a = observed(&[("a#0", 2.0)], "Yes.");
        let mut report = InterferenceReport::default();
        report.unrestricted();
        report.compared(compare(&a, &a));
        report.compared(compare(&a, &observed(&[("a#0", 1.0)], "Yes.")));
        report.compared(compare(&a, &observed(&[("a#0", 1.5)], "Yes.")));
        assert_eq!((report.questions, report.restricted, report.differing), (4, 3, 2));
        let leg = &report.surfaces[&Surface::Bm25Leg];
        assert_eq!((leg.questions, leg.worst_score), (2, 1.0));
    }
}

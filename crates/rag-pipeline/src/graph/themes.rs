//! A question about the whole, answered by the writer of the settings: theme by theme from the theme's own passages,
//! then put together.

use rag_core::answer::{Answer, DECLINED};
use rag_core::hit::{Hit, Ranking};
use rag_core::question::Question;
use rag_graph::{Currency, Graph, Summary};

use crate::engine::Engine;
use crate::error::PipelineError;

/// Passages of a theme that are read.
const PASSAGES: usize = 5;

/// Answers `question` from the `count` themes that matter most to it: each is asked for from the passages that speak for
/// it, checked as any answer, and those that have an answer are joined, in the order of the themes.
pub fn answer_themes(
    engine: &Engine,
    graph: &Graph,
    question: &Question,
    currency: Currency,
    count: usize,
) -> Result<Answer, PipelineError> {
    let view = graph.view(&question.principal, &question.filter, currency);
    let mut joined: Option<Answer> = None;
    for summary in view.global(&question.text, count, PASSAGES)? {
        let mut hits = Vec::new();
        for (sentence, rank) in summary.sentences.iter().zip(1..) {
            let passage = view.passage(&sentence.passage)?;
            hits.extend(passage.map(|passage| Hit::new(rank, 0.0, passage)));
        }
        let answer = engine.answer(&Ranking::new(about(question, &summary), hits))?;
        joined = Some(match joined {
            None => answer,
            Some(earlier) => join(earlier, answer),
        });
    }
    let answer = joined.map_or_else(|| engine.answer(&Ranking::new(question.clone(), Vec::new())), Ok)?;
    Ok(Answer {
        question: question.clone(),
        ..answer
    })
}

/// The question about one theme.
fn about(question: &Question, summary: &Summary) -> Question {
    Question {
        text: format!("{} ({})", question.text, summary.entities.join(", ")),
        ..question.clone()
    }
}

/// Two checked answers as one; one that declines adds only its passages and its cost.
fn join(mut first: Answer, second: Answer) -> Answer {
    let texts: Vec<&str> = [&first, &second]
        .into_iter()
        .filter(|answer| !answer.abstained)
        .map(|answer| answer.text.as_str())
        .collect();
    let text = if texts.is_empty() {
        DECLINED.to_owned()
    } else {
        texts.join(" ")
    };
    first.text = text;
    first.confidence = match (first.abstained, second.abstained) {
        (false, false) => first.confidence.min(second.confidence),
        (true, false) => second.confidence,
        (_, true) => first.confidence,
    };
    first.abstained &= second.abstained;
    first.citations.extend(second.citations);
    first
        .verification
        .unknown_ids
        .extend(second.verification.unknown_ids);
    first
        .verification
        .unsupported
        .extend(second.verification.unsupported);
    first.repairs.extend(second.repairs);
    for hit in second.passages {
        if first
            .passages
            .iter()
            .all(|known| known.passage.id != hit.passage.id)
        {
            first.passages.push(hit);
        }
    }
    for note in second.notes {
        if !first.notes.contains(&note) {
            first.notes.push(note);
        }
    }
    first.usage.context_tokens += second.usage.context_tokens;
    first.usage.passages_left_out += second.usage.passages_left_out;
    first.usage.written_tokens += second.usage.written_tokens;
    for (step, ms) in second.timings_ms {
        *first.timings_ms.entry(step).or_default() += ms;
    }
    first
}

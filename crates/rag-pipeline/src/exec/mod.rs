//! Programs that stand for a box: any program in any language that reads and writes the artifacts' files.
//!
//! The settings name it (`[exec]` of `rag.toml`), and the stage starts it, without a shell, as
//!
//! ```text
//! PROGRAM [ARGUMENT …] --in DIR --out DIR --config FILE [--questions FILE] [--passages DIR]
//! ```
//!
//! | stage | `--in` | it writes into `--out` | what a line must have |
//! |---|---|---|---|
//! | chunk | `documents.jsonl` | `passages.jsonl` | `id`, `span`, `text`; may have `parent`, `context`, `language` |
//! | retrieve | the index generation | `hits.jsonl` | `question.id`, and per hit `passage.id` and `score` |
//! | rerank | `hits.jsonl` | `hits.jsonl` | the same |
//! | generate | `hits.jsonl` | `answers.jsonl` | `question.id`, `answer`; may have `confidence` |
//!
//! `--config` is that stage's table of the settings as JSON; retrieve is also given the questions and, where it is
//! known, the chunk artifact. Full lines of the artifacts are always right: what else they have is not looked at.
//! Questions come without what is right; hits and documents are copies. stdin is empty, stdout is thrown away, lines of
//! stderr are passed on. Of the environment, variables are left out whose names say that they hold a secret. At the time
//! limit, the program is ended with all that it started; when this process dies, on Linux, so does the program.
//!
//! A program decides where to cut, what is ranked and how, and what a draft says. It is not believed in anything else:
//! texts, access lists and dates come from its input, a hit must be a passage that the asker may read, and an answer
//! passes the same check as any other. What a chunker writes into `context` is searched, and is taken as it is. A program
//! is given the hits of all askers of a batch: not to mix them up in drafts is what it is trusted with, and a sentence that
//! was withheld stands in `repairs` like a language model's.

mod chunk;
mod generate;
mod group;
mod program;
mod rerank;
mod retrieve;
mod settings;

pub(crate) use chunk::chunk;
pub(crate) use generate::ProgramGenerator;
pub(crate) use rerank::rerank;
pub(crate) use retrieve::retrieve;
pub use settings::{ExecSettings, Program};
pub(crate) use settings::{drop_named_none, place_programs};

use rag_core::id::PassageId;
use serde::Deserialize;

/// Raised whenever what a program wrote is taken over differently.
const VERSION: u32 = 2;

/// Role of the program in manifests.
const ROLE: &str = "program";

/// The question of a line that a program wrote.
#[derive(Debug, Deserialize)]
struct QuestionRef {
    id: String,
}

/// A ranking as a program writes it; the rest of the line is not looked at.
#[derive(Debug, Deserialize)]
struct Ranked {
    question: QuestionRef,
    hits: Vec<RankedHit>,
}

#[derive(Debug, Deserialize)]
struct RankedHit {
    score: f32,
    passage: RankedPassage,
}

#[derive(Debug, Deserialize)]
struct RankedPassage {
    id: PassageId,
}

impl Ranked {
    /// Why the ranking cannot be that of the question `id`, if it cannot.
    fn fault(&self, id: &str) -> Option<String> {
        if self.question.id != id {
            return Some(format!(
                "wrote question `{}` where `{id}` comes next: keep the questions and their order",
                self.question.id
            ));
        }
        if self.hits.len() > rag_retrieve::MOST {
            return Some(format!(
                "wrote {} hits for question `{id}`, at most {} are taken",
                self.hits.len(),
                rag_retrieve::MOST
            ));
        }
        let falls = |pair: &[RankedHit]| pair[0].score >= pair[1].score;
        if !self.hits.iter().all(|hit| hit.score.is_finite()) {
            return Some(format!(
                "wrote a score for question `{id}` that is no finite number of 32 bits"
            ));
        }
        (!self.hits.windows(2).all(falls))
            .then(|| format!("wrote scores for question `{id}` that do not fall from the first hit on"))
    }
}

#[cfg(test)]
#[path = "exec_tests.rs"]
mod tests;

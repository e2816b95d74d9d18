//! What a text denies, clause by clause, and whether a source denies the same.
//!
//! A word of negation governs what follows it to the end of its clause: in "Unused days are not paid out, but may
//! be carried over" it governs "paid out". Its predicate is the first word of that, behind an auxiliary verb if
//! there is one ("no visitors may *park*"). A claim agrees with a source when the predicates that it denies are
//! denied there in the clause that comes closest, and those that it affirms are not.

mod words;

use std::collections::HashSet;

use rag_core::text::{Analyzer, Piece, PieceKind, is_function_word, pieces};

use words::{
    AUXILIARIES, CLAUSE_WORDS, EMPHATIC, EXCEPTING, NEGATIONS, WITHOUT, is_clause_mark, is_contracted,
    is_label, negations_of,
};

/// True when `text` denies something. A contraction counts; "No. 5" does not.
pub(crate) fn is_negated(text: &str) -> bool {
    let words = pieces(text);
    words.iter().enumerate().any(|(at, piece)| {
        let word = piece.text.to_lowercase();
        let is_known = NEGATIONS.contains(&word.as_str()) || WITHOUT.contains(&word.as_str());
        (is_known && !is_label(&word, text, piece)) || is_contracted(text, &words[at])
    })
}

/// The clauses of a text.
#[derive(Debug)]
pub(super) struct Clauses(Vec<Clause>);

#[derive(Debug, Default)]
struct Clause {
    /// Content terms in their order.
    terms: Vec<String>,
    denial: Option<Denial>,
}

#[derive(Debug, Default)]
struct Denial {
    /// The content terms that the word of negation governs.
    governed: Vec<String>,
    /// Place in `governed` behind the first auxiliary verb.
    behind_auxiliary: Option<usize>,
    /// What follows says when it does not hold: "not … without a badge".
    is_conditional: bool,
}

impl Clauses {
    /// Reads `text` with the words of the analyzer's language.
    pub(super) fn of(text: &str, language: &str, analyzer: &Analyzer) -> Self {
        let words: Vec<Piece<'_>> = pieces(text)
            .into_iter()
            .filter(|piece| piece.kind != PieceKind::Part)
            .collect();
        let own = negations_of(language);
        let mut reading = Reading::default();
        let mut end = 0;
        for (at, piece) in words.iter().enumerate() {
            let word = piece.text.to_lowercase();
            let word = word.as_str();
            let gap = &text[end..piece.span.start];
            end = piece.span.end;
            let next = words.get(at + 1).map(|next| next.text.to_lowercase());
            let is_emphatic = next.is_some_and(|next| EMPHATIC.contains(&next.as_str()));
            if gap.contains(',') && reading.awaits_predicate() {
                // "not, however, refunded"
            } else if gap.contains(is_clause_mark) || CLAUSE_WORDS.contains(&word) {
                reading.end_clause();
            }
            if EXCEPTING.contains(&word) || (WITHOUT.contains(&word) && !is_emphatic) {
                reading.end_clause_with_exception();
            }
            let is_reply = word == "no" && text[end..].starts_with(',');
            let is_negation = NEGATIONS.contains(&word) && !is_label(word, text, piece) && !is_reply;
            let is_without = WITHOUT.contains(&word) && !is_emphatic;
            if is_negation || is_without || own.contains(&word) || is_contracted(text, piece) {
                reading.deny();
            } else if AUXILIARIES.contains(&word) {
                reading.pass_auxiliary();
            } else if !is_function_word(word) {
                reading.say(analyzer.term_set(piece.text));
            }
        }
        reading.end_clause();
        Self(reading.clauses)
    }

    /// True when a clause of `self` is denied where `source` affirms it, or the other way round.
    pub(super) fn contradict(&self, source: &Self) -> bool {
        let is_unfounded = |(claimed, denial): (&Clause, &Denial)| !source.denies(claimed, denial);
        let is_overlooked = |(denied, denial): (&Clause, &Denial)| self.affirms(denied, denial, source);
        self.denied().any(is_unfounded) || source.denied().any(is_overlooked)
    }

    fn denied(&self) -> impl Iterator<Item = (&Clause, &Denial)> {
        let denied = |clause: &'_ Clause| clause.denial.is_some();
        let clauses = self.0.iter().filter(move |clause| denied(clause));
        clauses.filter_map(|clause| clause.denial.as_ref().map(|denial| (clause, denial)))
    }

    /// True when the clause that comes closest to `claimed` denies it too, under no condition that it leaves out.
    fn denies(&self, claimed: &Clause, denial: &Denial) -> bool {
        let has_predicate =
            |clause: &&Clause| denial.predicate().is_some_and(|predicate| clause.has(predicate));
        let mut candidates: Vec<&Clause> = self.0.iter().filter(has_predicate).collect();
        if candidates.is_empty() {
            candidates = self
                .0
                .iter()
                .filter(|clause| clause.shared(claimed) > 0)
                .collect();
        }
        let most = candidates.iter().map(|clause| clause.shared(claimed)).max();
        candidates
            .iter()
            .filter(|clause| Some(clause.shared(claimed)) == most)
            .filter_map(|clause| clause.denial.as_ref())
            .any(|found| !found.is_conditional || denial.is_conditional)
    }

    /// True when a clause says what `denied` denies, and `source` does not say it elsewhere.
    fn affirms(&self, denied: &Clause, denial: &Denial, source: &Self) -> bool {
        let says = |clause: &&Clause| match denial.predicate() {
            Some(predicate) if self.0.iter().any(|clause| clause.has(predicate)) => clause.has(predicate),
            _ => {
                let governed = denial.governed.iter().filter(|term| clause.has(term)).count();
                governed > 0 && governed * 2 >= denial.governed.len()
            }
        };
        let saying: Vec<&Clause> = self.0.iter().filter(says).collect();
        let is_founded = |clause: &&&Clause| {
            let elsewhere = source
                .0
                .iter()
                .filter(|other| other.denial.is_none() && says(other));
            let closest = elsewhere.map(|other| other.shared(clause)).max();
            clause.denial.is_some() || closest.is_some_and(|closest| closest >= denied.shared(clause))
        };
        !saying.iter().all(|clause| is_founded(&clause))
    }
}

impl Clause {
    fn has(&self, term: &str) -> bool {
        self.terms.iter().any(|own| own == term)
    }

    fn shared(&self, other: &Self) -> usize {
        let own: HashSet<&String> = self.terms.iter().collect();
        let other: HashSet<&String> = other.terms.iter().collect();
        own.intersection(&other).count()
    }
}

impl Denial {
    fn predicate(&self) -> Option<&str> {
        let behind = self.behind_auxiliary.and_then(|at| self.governed.get(at));
        behind.or(self.governed.first()).map(String::as_str)
    }
}

/// The clauses that were read, and the one that is being read.
#[derive(Default)]
struct Reading {
    clauses: Vec<Clause>,
    current: Clause,
}

impl Reading {
    /// A second word of negation in a clause ("ne … pas") adds nothing.
    fn deny(&mut self) {
        self.current.denial.get_or_insert_default();
    }

    fn pass_auxiliary(&mut self) {
        if let Some(denial) = &mut self.current.denial {
            denial.behind_auxiliary.get_or_insert(denial.governed.len());
        }
    }

    fn say(&mut self, terms: HashSet<String>) {
        let mut terms: Vec<String> = terms.into_iter().collect();
        terms.sort_unstable();
        if let Some(denial) = &mut self.current.denial {
            denial.governed.extend(terms.iter().cloned());
        }
        self.current.terms.extend(terms);
    }

    fn awaits_predicate(&self) -> bool {
        let denial = self.current.denial.as_ref();
        denial.is_some_and(|denial| denial.governed.is_empty())
    }

    /// A word of negation with nothing behind it denies what stands before: "pens are refunded, paper is not".
    fn end_clause(&mut self) {
        let mut clause = std::mem::take(&mut self.current);
        if let Some(denial) = clause.denial.as_mut().filter(|denial| denial.governed.is_empty()) {
            denial.governed.clone_from(&clause.terms);
        }
        if !clause.terms.is_empty() {
            self.clauses.push(clause);
        }
    }

    fn end_clause_with_exception(&mut self) {
        if let Some(denial) = &mut self.current.denial {
            denial.is_conditional = true;
        }
        self.end_clause();
    }
}

#[cfg(test)]
#[path = "denial_tests.rs"]
mod tests;

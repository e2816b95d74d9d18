//! What a text denies, clause by clause, and whether a source denies the same.
//!
//! A word of negation governs what follows it to the end of its clause: in "Unused days are not paid out, but may
//! be carried over" it governs "paid out". Its predicate is the first word of that, behind an auxiliary verb if
//! there is one ("no visitors may *park*"). A claim agrees with a source when the predicates that it denies are
//! denied there in the clause that comes closest, and those that it affirms are not.

mod reading;
mod words;

use std::collections::HashSet;

use rag_core::text::{Analyzer, pieces};

use reading::Reading;

use words::{NEGATIONS, OPPOSITES, WITHOUT, is_contracted, is_label};

/// True when `text` denies something. A contraction counts; "No. 5" does not.
pub(crate) fn is_negated(text: &str) -> bool {
    let words = pieces(text);
    words.iter().enumerate().any(|(at, piece)| {
        let word = piece.text.to_lowercase();
        let is_known = NEGATIONS.contains(&word.as_str()) || WITHOUT.contains(&word.as_str());
        (is_known && !is_label(&word, text, piece)) || is_contracted(text, &words[at])
    })
}

/// The clauses of a text, and its words.
#[derive(Debug)]
pub(super) struct Clauses {
    clauses: Vec<Clause>,
    words: HashSet<String>,
}

#[derive(Debug, Default)]
struct Clause {
    /// Content terms in their order.
    terms: Vec<String>,
    denial: Option<Denial>,
    /// What follows says when it does not hold: "… unless the alarm rings", "not … without a badge".
    is_conditional: bool,
}

#[derive(Debug, Default)]
struct Denial {
    /// The content terms that the word of negation governs.
    governed: Vec<String>,
    /// Place in `governed` behind the first auxiliary verb.
    behind_auxiliary: Option<usize>,
    /// A noun is denied with all that is said of it: "no visitors may park".
    is_of_noun: bool,
    /// It is a whole statement: "it is not true that …".
    is_of_statement: bool,
}

impl Clauses {
    /// Reads `text` with the words of the analyzer's language.
    pub(super) fn of(text: &str, language: &str, analyzer: &Analyzer) -> Self {
        Self {
            clauses: Reading::of(text, language, analyzer),
            words: pieces(text)
                .iter()
                .map(|piece| piece.text.to_lowercase())
                .collect(),
        }
    }

    /// Number of clauses.
    pub(super) fn len(&self) -> usize {
        self.clauses.len()
    }

    /// True when a clause of `self` is denied where `source` affirms it, or the other way round, leaves a condition of
    /// the source out, or has the opposite of one of its words.
    pub(super) fn contradict(&self, source: &Self) -> bool {
        let is_unfounded = |(claimed, denial): (&Clause, &Denial)| !source.denies(claimed, denial);
        let is_overlooked = |(denied, denial): (&Clause, &Denial)| self.affirms(denied, denial, source);
        self.denied().any(is_unfounded)
            || source.denied().any(is_overlooked)
            || self.clauses.iter().any(|clause| source.limits(clause))
            || self.opposes(source)
    }

    /// True when `claimed` says without a condition what is closest to it here and has one.
    fn limits(&self, claimed: &Clause) -> bool {
        if claimed.is_conditional || claimed.denial.is_some() {
            return false;
        }
        let most = self
            .clauses
            .iter()
            .map(|clause| clause.shared(claimed))
            .max()
            .unwrap_or(0);
        let is_closest = |clause: &Clause| clause.shared(claimed) == most;
        let mut closest = self
            .clauses
            .iter()
            .enumerate()
            .filter(|(_, clause)| is_closest(clause));
        let states_condition = |at: usize| {
            self.clauses
                .get(at + 1)
                .is_some_and(|next| next.shared(claimed) > 0)
        };
        most >= 2
            && closest
                .all(|(at, clause)| clause.is_conditional && clause.denial.is_none() && !states_condition(at))
    }

    /// True when one text has a word of a pair of opposites, and the other text has the other word.
    fn opposes(&self, source: &Self) -> bool {
        let has_only = |words: &HashSet<String>, one: &[&str], other: &[&str]| {
            one.iter().any(|word| words.contains(*word)) && !other.iter().any(|word| words.contains(*word))
        };
        OPPOSITES.iter().any(|(one, other)| {
            (has_only(&self.words, one, other) && has_only(&source.words, other, one))
                || (has_only(&self.words, other, one) && has_only(&source.words, one, other))
        })
    }

    fn denied(&self) -> impl Iterator<Item = (&Clause, &Denial)> {
        let denied = |clause: &'_ Clause| clause.denial.is_some();
        let clauses = self.clauses.iter().filter(move |clause| denied(clause));
        clauses.filter_map(|clause| clause.denial.as_ref().map(|denial| (clause, denial)))
    }

    /// True when the clause that comes closest to `claimed` denies it too, under no condition that it leaves out.
    fn denies(&self, claimed: &Clause, denial: &Denial) -> bool {
        let has_predicate =
            |clause: &&Clause| denial.predicate().is_some_and(|predicate| clause.has(predicate));
        let mut candidates: Vec<&Clause> = self.clauses.iter().filter(has_predicate).collect();
        if candidates.is_empty() {
            candidates = self
                .clauses
                .iter()
                .filter(|clause| clause.shared(claimed) > 0)
                .collect();
        }
        let most = candidates.iter().map(|clause| clause.shared(claimed)).max();
        candidates
            .iter()
            .filter(|clause| Some(clause.shared(claimed)) == most)
            .filter(|clause| clause.denial.is_some())
            .any(|found| !found.is_conditional || claimed.is_conditional)
    }

    /// True when a clause says what `denied` denies, and `source` does not say it elsewhere.
    fn affirms(&self, denied: &Clause, denial: &Denial, source: &Self) -> bool {
        let says = |clause: &&Clause| match denial.predicate() {
            Some(predicate) if self.clauses.iter().any(|clause| clause.has(predicate)) => {
                clause.has(predicate)
            }
            _ => {
                let governed = denial.governed.iter().filter(|term| clause.has(term)).count();
                governed > 0 && governed * 2 >= denial.governed.len()
            }
        };
        let saying: Vec<&Clause> = self.clauses.iter().filter(says).collect();
        let is_founded = |clause: &&&Clause| {
            let elsewhere = source
                .clauses
                .iter()
                .filter(|other| other.denial.is_none() && says(other));
            let closest = elsewhere.map(|other| other.shared(clause)).max();
            clause.denies(denial) || closest.is_some_and(|closest| closest >= denied.shared(clause))
        };
        !saying.iter().all(|clause| is_founded(&clause))
    }
}

impl Clause {
    /// True when it is denied, and with it what `denial` denies.
    fn denies(&self, denial: &Denial) -> bool {
        self.denial.as_ref().is_some_and(|own| {
            let governs = |predicate: &str| own.governed.iter().any(|term| term == predicate);
            own.is_of_noun
                || denial.is_of_noun
                || denial
                    .predicate()
                    .is_none_or(|term| governs(term) || !self.has(term))
        })
    }

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

#[cfg(test)]
#[path = "denial_tests.rs"]
mod tests;

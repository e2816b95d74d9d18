//! Reads a text into clauses, word by word.

use std::collections::HashSet;

use rag_core::text::{Analyzer, Piece, PieceKind, is_function_word, pieces};

use super::words::{
    ALLOWING, CLAUSE_WORDS, EMPHATIC, EXCEPTING, FORBIDDING, HEDGES, NEGATIONS, NOUN_NEGATIONS,
    RESTRICTED_BY, THAT, WITHOUT, auxiliaries_of, is_clause_mark, is_contracted, is_label, negations_of,
};
use super::{Clause, Denial};

/// The clauses that were read, and the one that is being read.
#[derive(Default)]
pub(super) struct Reading {
    clauses: Vec<Clause>,
    current: Clause,
    /// An auxiliary verb was read in the clause, and whether content came since.
    auxiliary: Option<bool>,
    /// A word was read that casts doubt on what a "that" begins.
    is_hedged: bool,
}

/// How a word denies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Denying {
    /// What follows, up to the next verb: "not".
    Verb,
    /// A noun, and all that is said of it: "no visitors".
    Noun,
}

impl Reading {
    /// The clauses of `text`.
    pub(super) fn of(text: &str, language: &str, analyzer: &Analyzer) -> Vec<Clause> {
        let words: Vec<Piece<'_>> = pieces(text)
            .into_iter()
            .filter(|piece| piece.kind != PieceKind::Part)
            .collect();
        let lower: Vec<String> = words.iter().map(|piece| piece.text.to_lowercase()).collect();
        let (own, auxiliaries) = (negations_of(language), auxiliaries_of(language));
        let mut reading = Self::default();
        let mut end = 0;
        for (at, (piece, word)) in words.iter().zip(&lower).enumerate() {
            let word = word.as_str();
            let next = lower.get(at + 1).map_or("", String::as_str);
            let gap = &text[end..piece.span.start];
            end = piece.span.end;
            if gap.contains(',') && reading.awaits_predicate() {
                // "not, however, refunded"
            } else if gap.contains(is_clause_mark) || CLAUSE_WORDS.contains(&word) {
                reading.end_clause();
            }
            let is_without = WITHOUT.contains(&word) && !EMPHATIC.contains(&next);
            let restricts = word == "only" && RESTRICTED_BY.contains(&next);
            if EXCEPTING.contains(&word) || is_without || restricts {
                reading.end_clause_with_exception();
            }
            let is_reply = word == "no" && text[end..].starts_with(',');
            let is_negation = NEGATIONS.contains(&word) && !is_label(word, text, piece) && !is_reply;
            let forbidden = FORBIDDING.iter().find(|(forbidding, _)| *forbidding == word);
            if THAT.contains(&word) {
                reading.begin_content_clause();
            } else if (is_negation || word != "no") && NOUN_NEGATIONS.contains(&word) {
                reading.deny(Denying::Noun);
            } else if is_negation || is_without || own.contains(&word) || is_contracted(text, piece) {
                reading.deny(Denying::Verb);
            } else if let Some((_, allowing)) = forbidden {
                reading.forbid(analyzer.term_set(allowing));
            } else if auxiliaries.contains(&word) {
                reading.pass_auxiliary();
            } else if !is_function_word(word) {
                reading.is_hedged |= HEDGES.contains(&word);
                let allowed = ALLOWING.iter().find(|(allowing, _)| *allowing == word);
                reading.say(analyzer.term_set(allowed.map_or(piece.text, |(_, allowed)| *allowed)));
            }
        }
        reading.end_clause();
        reading.clauses
    }

    /// A second word of negation denies something else, unless the first one still waits: "ne … pas". Within a
    /// statement that is denied, it affirms.
    fn deny(&mut self, how: Denying) {
        if let Some(denial) = &self.current.denial
            && denial.is_of_statement
        {
            self.current.denial = None;
            return;
        }
        if self.current.denial.is_some() && !self.awaits_predicate() {
            self.end_clause();
        }
        let denial = self.current.denial.get_or_insert_default();
        denial.is_of_noun |= how == Denying::Noun;
    }

    /// "Forbidden" denies "allowed", of all that the clause has said; "not forbidden" does not.
    fn forbid(&mut self, allowing: HashSet<String>) {
        let said = self.current.terms.clone();
        match self.current.denial.take() {
            None => {
                self.deny(Denying::Verb);
                self.say(allowing);
                if let Some(denial) = &mut self.current.denial {
                    denial.governed.extend(said);
                }
            }
            Some(_) => self.say(allowing),
        }
    }

    /// A verb ends what the one before it says: "days not taken | are paid", "who signed | is insured".
    fn pass_auxiliary(&mut self) {
        let is_second = self.auxiliary == Some(true);
        let denied = self.current.denial.as_ref();
        let ends_denial = denied.is_some_and(|denial| !denial.is_of_noun && !denial.governed.is_empty());
        if is_second || ends_denial {
            self.end_clause();
        }
        self.auxiliary = Some(false);
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
        self.auxiliary = self.auxiliary.map(|_| true);
        self.current.terms.extend(terms);
    }

    fn awaits_predicate(&self) -> bool {
        let denial = self.current.denial.as_ref();
        denial.is_some_and(|denial| denial.governed.is_empty())
    }

    /// What a denied or doubtful clause says with "that" is denied: "it is not true that …".
    fn begin_content_clause(&mut self) {
        let is_denied = self.current.denial.is_some() || self.is_hedged;
        self.end_clause();
        if is_denied {
            self.current.denial = Some(Denial {
                is_of_noun: true,
                is_of_statement: true,
                ..Denial::default()
            });
        }
    }

    /// A word of negation with nothing behind it denies what stands before: "pens are refunded, paper is not".
    fn end_clause(&mut self) {
        let mut clause = std::mem::take(&mut self.current);
        (self.auxiliary, self.is_hedged) = (None, false);
        if let Some(denial) = clause.denial.as_mut().filter(|denial| denial.governed.is_empty()) {
            denial.governed.clone_from(&clause.terms);
        }
        if !clause.terms.is_empty() {
            self.clauses.push(clause);
        }
    }

    fn end_clause_with_exception(&mut self) {
        self.current.is_conditional = true;
        self.end_clause();
    }
}

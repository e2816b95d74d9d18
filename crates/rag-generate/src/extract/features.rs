//! What speaks for and against a sentence as the answer to a question, as numbers.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rag_core::language::Language;
use rag_core::passage::Passage;
use rag_core::text::{Analyzer, PieceKind, is_function_word, pieces, query_terms};
use rag_models::tfidf::Synonyms;
use serde::{Deserialize, Serialize};

use super::candidates::{Candidate, headings};
use crate::context::Context;
use crate::identifiers::{Identifier, identifiers};
use crate::verify::{Facts, is_negated, names_month};

/// What speaks for a sentence as an answer. Every field but `logit` and `lead` lies between 0 and 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Features {
    /// The cross-encoder's output for question and sentence; 0 when there is no cross-encoder.
    pub logit: f32,
    /// Share of the question's content terms that the sentence and its headings have, rare terms
    /// counting more.
    pub coverage: f32,
    /// 1 when the question names a number that neither the sentence nor its headings have.
    pub number_missing: f32,
    /// 1 when the question denies something and the sentence does not.
    pub denial_missing: f32,
    /// 1 when the question asks for a number, a date or a time and the sentence has none.
    pub figure_missing: f32,
    /// 1 when the sentence opens its passage: under a heading that asks, the first sentence answers.
    pub opens_passage: f32,
    /// How far the sentence is ahead of the best of any other document, in logits, from -10 to 10; without a
    /// cross-encoder in tens of a coverage. Many sentences that fit alike are the mark of a question that
    /// none answers.
    pub lead: f32,
}

/// Everyday words that may stand for each other in question and source.
static SYNONYMS: LazyLock<Synonyms> = LazyLock::new(Synonyms::default);

/// How rare a term is: its inverse document frequency, or any other positive weight.
pub(super) type Rarity<'i> = dyn Fn(&str) -> f32 + Send + Sync + 'i;

/// A question, prepared for being compared with many sentences.
pub(super) struct Asked {
    terms: Vec<(String, f32)>,
    identifiers: Vec<Identifier>,
    numbers: Facts,
    is_negated: bool,
    wants_figure: bool,
    wants_news: bool,
}

impl Asked {
    /// Reads `question` as it would be asked of passages in `languages`.
    pub(super) fn new(question: &str, languages: &[Language], rarity: &Rarity<'_>) -> Self {
        let mut seen = HashSet::new();
        let terms = query_terms(question, languages)
            .into_iter()
            .filter(|term| !is_function_word(term.span.slice(question).unwrap_or_default()))
            .filter(|term| seen.insert(term.text.clone()))
            .map(|term| {
                let weight = rarity(&term.text).max(0.0);
                (term.text, weight)
            })
            .collect();
        Self {
            terms,
            identifiers: identifiers(question),
            numbers: plain_numbers(question),
            is_negated: is_negated(question),
            wants_figure: wants_figure(question),
            wants_news: !is_yes_no(question),
        }
    }

    /// Compares the question with `candidate`; `None` when the candidate cannot be the answer: an identifier
    /// that is asked about occurs neither there nor around it, or a twin of it occurs instead, or the
    /// candidate only repeats the question.
    pub(super) fn features(&self, candidate: &Candidate, context: &Context) -> Option<Features> {
        let passage = &context.hits[candidate.source].passage;
        let sentence = candidate.text(context);
        let head: String = headings(passage).collect::<Vec<_>>().join("\n");
        let around = || same_document(passage, context);
        if self
            .identifiers
            .iter()
            .any(|asked| !asked.fits(sentence, &head, around()))
        {
            return None;
        }
        let analyzer = Analyzer::new(passage.language);
        let own = content_terms(&analyzer, sentence);
        let above = content_terms(&analyzer, &head);
        if self.wants_news && own.iter().all(|term| above.contains(term) || self.has(term)) {
            return None;
        }
        let mut facts = Facts::of(sentence);
        facts.extend(Facts::of(&head));
        let flag = |condition: bool| if condition { 1.0 } else { 0.0 };
        Some(Features {
            logit: 0.0,
            coverage: self.coverage(|term| own.contains(term) || above.contains(term)),
            number_missing: flag(!self.numbers.missing_from(&facts).is_empty()),
            denial_missing: flag(self.is_negated && !is_negated(sentence)),
            figure_missing: flag(self.wants_figure && !has_figure(sentence)),
            opens_passage: flag(!passage.text[..candidate.span.start].contains(char::is_alphanumeric)),
            lead: 0.0,
        })
    }

    fn has(&self, term: &str) -> bool {
        self.terms.iter().any(|(asked, _)| asked == term)
    }

    /// The share of the terms, by weight, that are covered themselves or by a synonym.
    fn coverage(&self, has: impl Fn(&str) -> bool) -> f32 {
        let total: f32 = self.terms.iter().map(|(_, weight)| weight).sum();
        let is_covered = |term: &str| has(term) || SYNONYMS.of(term).any(&has);
        let covered = self.terms.iter().filter(|(term, _)| is_covered(term));
        covered.map(|(_, weight)| weight).sum::<f32>() / total.max(f32::MIN_POSITIVE)
    }
}

/// BM25's inverse document frequency, with the candidates and their headings as the documents.
pub(super) fn rarity_among(
    candidates: &[Candidate],
    context: &Context,
) -> impl Fn(&str) -> f32 + Send + Sync + use<> {
    let mut having: HashMap<String, f32> = HashMap::new();
    for candidate in candidates {
        let passage = &context.hits[candidate.source].passage;
        let analyzer = Analyzer::new(passage.language);
        let mut own = content_terms(&analyzer, candidate.text(context));
        own.extend(headings(passage).flat_map(|heading| content_terms(&analyzer, heading)));
        for term in own {
            *having.entry(term).or_default() += 1.0;
        }
    }
    let total = candidates.len() as f32;
    move |term| {
        let having = having.get(term).copied().unwrap_or_default();
        ((total - having + 0.5) / (having + 0.5)).ln_1p()
    }
}

/// The terms of `text` without function words.
fn content_terms(analyzer: &Analyzer, text: &str) -> HashSet<String> {
    analyzer
        .terms(text)
        .into_iter()
        .filter(|term| !is_function_word(term.span.slice(text).unwrap_or_default()))
        .map(|term| term.text)
        .collect()
}

/// The texts of the context that come from the document of `passage`.
fn same_document<'c>(passage: &'c Passage, context: &'c Context) -> impl Iterator<Item = &'c str> {
    let document = passage.document_id();
    let passages = context.hits.iter().map(|hit| &hit.passage);
    passages
        .filter(move |other| other.document_id() == document)
        .flat_map(|other| headings(other).chain([other.text.as_str()]))
}

/// The numbers of a question that are not parts of identifiers.
fn plain_numbers(question: &str) -> Facts {
    let numbers: Vec<&str> = pieces(question)
        .into_iter()
        .filter(|piece| piece.kind == PieceKind::Number)
        .map(|piece| piece.text)
        .collect();
    Facts::of(&numbers.join(" ; "))
}

/// True for a question that a sentence with the same words can answer.
fn is_yes_no(question: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "must", "should", "will",
        "would", "has", "have", "هل",
    ];
    let first = question
        .split(|c: char| !c.is_alphabetic())
        .find(|word| !word.is_empty());
    first.is_some_and(|word| OPENINGS.contains(&word.to_lowercase().as_str()))
}

/// True when only a number, a date or a time can answer.
fn wants_figure(question: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "how many",
        "how much",
        "how long",
        "how old",
        "how far",
        "how high",
        "how large",
        "how big",
        "how fast",
        "how often",
        "how soon",
        "what percentage",
        "what year",
        "which year",
        "what number",
        "what date",
        "كم",
    ];
    let lower = question.to_lowercase();
    OPENINGS.iter().any(|opening| {
        lower
            .split(['?', '؟', ',', '.'])
            .any(|part| part.trim_start().starts_with(opening))
    })
}

/// True for a digit, a number word, a month, a weekday, or a word of time or amount.
fn has_figure(sentence: &str) -> bool {
    const WORDS: &[&str] = &[
        "one",
        "once",
        "million",
        "billion",
        "no",
        "none",
        "immediately",
        "daily",
        "weekly",
        "monthly",
        "yearly",
        "annually",
        "quarterly",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    if sentence.contains(char::is_numeric) || sentence.contains(rag_core::language::is_arabic_letter) {
        return true;
    }
    !Facts::of(sentence).is_empty()
        || pieces(sentence).iter().any(|piece| {
            let word = piece.text.to_lowercase();
            WORDS.contains(&word.as_str()) || names_month(&word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{ContextConfig, assemble};
    use crate::extract::candidates::candidates;
    use crate::testing::hit;

    /// The features of the only sentence of a passage with a title.
    fn features(question: &str, title: &str, sentence: &str) -> Option<Features> {
        let mut hit = hit("a#0", sentence);
        hit.passage.title = title.into();
        let context = assemble(question, &[hit], &ContextConfig::default(), &|t| t.len() / 4);
        let (found, _) = candidates(&context, 1);
        Asked::new(question, &[Language::ENGLISH], &|_| 1.0).features(&found[0], &context)
    }

    #[test]
    fn a_twin_of_the_identifier_is_no_answer() {
        for (title, sentence, fits) in [
            ("Error ERR-4012", "It means that the tunnel failed.", true),
            ("Error ERR-4013", "It means that the tunnel failed.", false),
            ("Errors", "ERR-4013 means that the tunnel failed.", false),
            ("Errors", "ERR 4012 means that the tunnel failed.", true),
        ] {
            let found = features("What does ERR-4012 mean?", title, sentence);
            assert_eq!(found.is_some(), fits, "{title}: {sentence}");
        }
    }

    #[test]
    fn each_feature_tells_what_it_should() {
        let found = features("How many days of leave?", "Leave", "Leave is 27 days.").unwrap();
        assert_eq!((found.coverage, found.figure_missing), (1.0, 0.0));
        let found = features(
            "How many days of leave?",
            "Leave",
            "Leave is agreed with the manager.",
        )
        .unwrap();
        assert_eq!((found.coverage, found.figure_missing), (0.5, 1.0));
        let found = features("Which cap did 2023 set?", "Travel 2026", "The cap is 135.").unwrap();
        assert_eq!(found.number_missing, 1.0);
        let found = features("Which cap did 2023 set?", "Travel 2023", "The cap is 135.").unwrap();
        assert_eq!(found.number_missing, 0.0);
        let found = features("Who may not apply?", "Grants", "Members may apply.").unwrap();
        assert_eq!(found.denial_missing, 1.0);
    }

    #[test]
    fn a_sentence_that_only_repeats_the_question_answers_at_most_yes() {
        assert_eq!(
            features("When is the office closed?", "Office", "The office is closed."),
            None
        );
        assert!(features("Is the office closed?", "Office", "The office is closed.").is_some());
    }

    #[test]
    fn a_question_of_function_words_covers_nothing() {
        assert_eq!(
            features("What is it?", "Leave", "Leave is 27 days.")
                .unwrap()
                .coverage,
            0.0
        );
    }
}

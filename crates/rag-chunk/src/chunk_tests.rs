//! What cutting does to documents one can read, and what holds for any document.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rag_core::document::BlockKind;
use rag_core::document::BlockKind::{Code, Heading, ListItem, Paragraph, TableRow};

use super::*;
use crate::config::ContextLine;
use crate::testing::document;
use crate::tokens::Words;

type Blocks<'b> = &'b [(BlockKind, &'b str, &'b [&'b str])];

/// A configuration without context lines.
fn plain(kind: Kind, max_tokens: u32) -> Config {
    Config {
        kind,
        max_tokens,
        overlap_tokens: 2,
        context: ContextLine::None,
        ..Config::default()
    }
}

fn texts(blocks: Blocks<'_>, config: &Config) -> Vec<String> {
    let chunked = chunk_document(&document(blocks), config, &Words).unwrap();
    chunked.passages.into_iter().map(|p| p.text).collect()
}

#[test]
fn sentences_are_packed_and_headings_are_not_crossed() {
    let blocks: Blocks = &[
        (Heading, "Refunds", &["Refunds"]),
        (
            Paragraph,
            "Ask within two weeks. Keep the receipt safe. Then wait.",
            &["Refunds"],
        ),
        (ListItem, "Cash takes longer.", &["Refunds"]),
        (Heading, "Invoices", &["Invoices"]),
        (Paragraph, "Sent monthly.", &["Invoices"]),
    ];
    assert_eq!(
        texts(blocks, &plain(Kind::Sentence, 8)),
        [
            "Ask within two weeks. Keep the receipt safe.",
            "Then wait.\n\nCash takes longer.",
            "Sent monthly."
        ]
    );
}

#[test]
fn paragraphs_are_packed_whole_up_to_the_characters_allowed() {
    let blocks: Blocks = &[
        (Paragraph, "One two three. Four five six.", &[]),
        (Paragraph, "Seven eight.", &[]),
        (Paragraph, "Nine ten eleven twelve thirteen.", &[]),
    ];
    let config = Config {
        max_chars: 43,
        ..plain(Kind::Markdown, 100)
    };
    assert_eq!(
        texts(blocks, &config),
        [
            "One two three. Four five six.\n\nSeven eight.",
            "Nine ten eleven twelve thirteen."
        ]
    );
}

#[test]
fn a_paragraph_longer_than_allowed_is_cut_at_its_sentences() {
    let blocks: Blocks = &[(
        Paragraph,
        "One two three four five. Six seven eight nine ten.",
        &[],
    )];
    let config = plain(Kind::Markdown, 8);
    assert_eq!(
        texts(blocks, &config),
        ["One two three four five.", "Six seven eight nine ten."]
    );
}

#[test]
fn a_sentence_longer_than_the_limit_is_split_and_counted() {
    let text = "a b c d e f g h i j k l.";
    let chunked = chunk_document(
        &document(&[(Paragraph, text, &[])]),
        &plain(Kind::Sentence, 8),
        &Words,
    )
    .unwrap();
    let found: Vec<&str> = chunked.passages.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(found, ["a b c d e f g h", "i j k l."]);
    assert_eq!(
        (chunked.counts.split_sentences, chunked.counts.split_rows),
        (1, 0)
    );
}

#[test]
fn table_rows_stay_whole_and_apart_from_prose() {
    let blocks: Blocks = &[
        (Paragraph, "Caps.", &[]),
        (TableRow, "Grade L1, Cap 5.", &[]),
        (TableRow, "Grade L2, Cap 6.", &[]),
        (TableRow, "Grade L3, Cap 7.", &[]),
        (Paragraph, "Ask.", &[]),
    ];
    assert_eq!(
        texts(blocks, &plain(Kind::Sentence, 11)),
        [
            "Caps.",
            "Grade L1, Cap 5.\n\nGrade L2, Cap 6.",
            "Grade L3, Cap 7.",
            "Ask."
        ]
    );
}

#[test]
fn code_is_cut_at_its_lines() {
    let blocks: Blocks = &[(Code, "let a = 1;\nlet b = 2;\nlet c = 3;", &[])];
    assert_eq!(
        texts(blocks, &plain(Kind::Sentence, 8)),
        ["let a = 1;\nlet b = 2;", "let c = 3;"]
    );
}

#[test]
fn a_heading_above_nothing_becomes_a_passage() {
    let blocks: Blocks = &[
        (Heading, "Closed on Fridays", &["Closed on Fridays"]),
        (Heading, "Contact", &["Contact"]),
        (Paragraph, "Call us.", &["Contact"]),
    ];
    let chunked = chunk_document(&document(blocks), &plain(Kind::Sentence, 20), &Words).unwrap();
    assert_eq!(chunked.passages[0].text, "Closed on Fridays");
    assert_eq!(chunked.counts.lone_headings, 1);
}

#[test]
fn small_sections_are_merged_with_their_headings_when_asked() {
    let blocks: Blocks = &[
        (Heading, "Help", &["Help"]),
        (Heading, "A", &["Help", "A"]),
        (Paragraph, "One.", &["Help", "A"]),
        (Heading, "B", &["Help", "B"]),
        (Paragraph, "Two.", &["Help", "B"]),
        (Heading, "C", &["Help", "C"]),
        (Paragraph, "Three four five six seven.", &["Help", "C"]),
    ];
    let config = Config {
        merge_sections_below_tokens: 8,
        ..plain(Kind::Sentence, 20)
    };
    let chunked = chunk_document(&document(blocks), &config, &Words).unwrap();
    let found: Vec<&str> = chunked.passages.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(
        found,
        ["Help\n\nA\n\nOne.\n\nB\n\nTwo.", "Three four five six seven."]
    );
    assert_eq!(chunked.passages[0].section, ["Help"]);
}

#[test]
fn the_parent_is_the_section_the_document_or_the_neighbours() {
    let blocks: Blocks = &[
        (Heading, "A", &["A"]),
        (
            Paragraph,
            "One two three four five six seven. Eight nine.",
            &["A"],
        ),
        (Heading, "B", &["B"]),
        (Paragraph, "Ten.", &["B"]),
    ];
    let document = document(blocks);
    let cases = [
        (
            Parent::Section,
            "A\n\nOne two three four five six seven. Eight nine.",
        ),
        (Parent::Document, document.text.as_str()),
        (
            Parent::Window,
            "One two three four five six seven. Eight nine.\n\nB\n\nTen.",
        ),
    ];
    for (parent, expected) in cases {
        let config = Config {
            parent,
            ..plain(Kind::Sentence, 8)
        };
        let passages = chunk_document(&document, &config, &Words).unwrap().passages;
        assert_eq!(passages[1].text, "Eight nine.");
        assert_eq!(
            passages[1].parent.slice(&document.text),
            Some(expected),
            "{parent:?}"
        );
    }
}

#[test]
fn a_passage_carries_its_place_and_its_document_s_metadata() {
    let mut document = document(&[
        (Paragraph, "One.", &[]),
        (Paragraph, "Two.", &[]),
        (Paragraph, "Three.", &[]),
    ]);
    let corner = |left: f32| BoundingBox {
        left,
        top: 0.0,
        right: left + 10.0,
        bottom: 5.0,
    };
    for (block, (page, left)) in document.blocks.iter_mut().zip([(3, 10.0), (3, 40.0), (4, 90.0)]) {
        block.page = Some(page);
        block.bounding_box = Some(corner(left));
    }
    let passage = &chunk_document(&document, &Config::default(), &Words)
        .unwrap()
        .passages[0];
    assert_eq!(passage.page, Some(3));
    assert_eq!(
        passage.bounding_box,
        Some(BoundingBox {
            right: 50.0,
            ..corner(10.0)
        })
    );
    assert_eq!(
        (passage.updated, &passage.access),
        (document.updated, &document.access)
    );
    assert_eq!(
        (passage.index_text(), passage.tokens),
        ("Billing\nOne.\n\nTwo.\n\nThree.".to_owned(), 4)
    );
}

#[test]
fn a_passage_of_a_document_of_unknown_language_is_looked_at_itself() {
    let mut document = document(&[(Paragraph, "كم يوما من الإجازة السنوية يحصل عليها الموظف؟", &[])]);
    document.language = Language::UNKNOWN;
    let passages = chunk_document(&document, &Config::default(), &Words)
        .unwrap()
        .passages;
    assert_eq!(passages[0].language, Language::ARABIC);
}

/// A tokenizer that makes a token of every letter and was made for English.
struct Letters;

impl TokenCounter for Letters {
    fn count(&self, text: &str) -> usize {
        text.chars().filter(|c| !c.is_whitespace()).count()
    }

    fn offsets(&self, text: &str) -> Vec<(usize, usize)> {
        let letters = text.char_indices().filter(|(_, c)| !c.is_whitespace());
        letters.map(|(at, c)| (at, at + c.len_utf8())).collect()
    }

    fn serves(&self, language: Language) -> bool {
        language == Language::ENGLISH
    }
}

#[test]
fn a_language_that_the_tokenizer_does_not_serve_is_cut_into_passages_of_usual_size() {
    let mut document = document(&[(Paragraph, "خمسة أيام لكل موظف. ثم يوم واحد.", &[])]);
    let config = plain(Kind::Sentence, 16);
    let count = |document: &Document| {
        chunk_document(document, &config, &Letters)
            .unwrap()
            .passages
            .len()
    };
    assert_eq!(count(&document), 2);
    document.language = Language::ARABIC;
    assert_eq!(count(&document), 1);
    let passages = chunk_document(&document, &config, &Letters).unwrap().passages;
    assert_eq!(passages[0].tokens as usize, Letters.count(&passages[0].text));
}

#[test]
fn an_empty_document_has_no_passages() {
    for kind in [Kind::Sentence, Kind::Markdown, Kind::Fixed] {
        assert!(texts(&[], &plain(kind, 8)).is_empty());
        assert!(texts(&[(Paragraph, " \n", &[])], &plain(kind, 8)).is_empty());
    }
}

/// Counts one token per two bytes, so that a piece can have more tokens than its place suggests.
struct Pairs;

impl TokenCounter for Pairs {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().map(|word| word.len().div_ceil(2)).sum()
    }

    fn offsets(&self, text: &str) -> Vec<(usize, usize)> {
        let words = Words.offsets(text);
        let pairs =
            |(start, end): (usize, usize)| (start..end).step_by(2).map(move |at| (at, (at + 2).min(end)));
        words.into_iter().flat_map(pairs).collect()
    }
}

fn any_document() -> impl Strategy<Value = Document> {
    let kind = prop_oneof![
        Just(Heading),
        Just(Paragraph),
        Just(ListItem),
        Just(TableRow),
        Just(Code)
    ];
    let block = (
        kind,
        "[a-zA-Zéش .!?,\n]{0,60}",
        prop::collection::vec("[ABé]{1,3}", 0..3),
    );
    prop::collection::vec(block, 0..12).prop_map(|mut blocks| {
        for (kind, text, path) in &mut blocks {
            if *kind == Heading {
                path.push(text.clone());
            }
        }
        let paths: Vec<Vec<&str>> = blocks
            .iter()
            .map(|(_, _, path)| path.iter().map(String::as_str).collect())
            .collect();
        let blocks: Vec<_> = blocks
            .iter()
            .zip(&paths)
            .map(|((kind, text, _), path)| (*kind, text.as_str(), path.as_slice()))
            .collect();
        document(&blocks)
    })
}

fn any_config() -> impl Strategy<Value = Config> {
    let kind = prop_oneof![Just(Kind::Sentence), Just(Kind::Markdown), Just(Kind::Fixed)];
    let context = prop_oneof![
        Just(ContextLine::None),
        Just(ContextLine::Heading),
        Just(ContextLine::Contextual)
    ];
    let parent = prop_oneof![
        Just(Parent::Section),
        Just(Parent::Document),
        Just(Parent::Window)
    ];
    (kind, context, parent, 8u32..40, 0u32..4, 40u32..80, 0u32..8).prop_map(
        |(kind, context, parent, max_tokens, overlap_tokens, max_chars, merge)| Config {
            kind,
            context,
            parent,
            max_tokens,
            overlap_tokens,
            max_chars,
            merge_sections_below_tokens: merge,
            ..Config::default()
        },
    )
}

/// The places of the document's visible characters outside headings that lead on to text.
fn must_be_kept(document: &Document) -> Vec<usize> {
    let blocks = document.blocks.iter().filter(|block| block.kind != Heading);
    let places = blocks.flat_map(|block| {
        let text = document.block_text(block);
        text.char_indices()
            .filter(|(_, c)| !c.is_whitespace())
            .map(|(at, _)| block.span.start + at)
    });
    places.collect()
}

proptest! {
    #[test]
    fn passages_slice_back_lose_nothing_and_keep_the_limit(document in any_document(), config in any_config()) {
        for counter in [&Words as &dyn TokenCounter, &Pairs] {
            let chunked = chunk_document(&document, &config, counter).unwrap();
            let mut kept = BTreeSet::new();
            for (position, passage) in chunked.passages.iter().enumerate() {
                prop_assert_eq!(passage.id.position as usize, position);
                prop_assert_eq!(passage.span.slice(&document.text), Some(passage.text.as_str()));
                // A passage may begin with a line of code, whose indentation says something.
                prop_assert_eq!(passage.text.trim_end(), &passage.text);
                prop_assert!(!passage.text.trim().is_empty());
                prop_assert!(passage.parent.slice(&document.text).is_some_and(|parent| parent.contains(&passage.text)));
                let tokens = counter.count(&passage.context) + counter.count(&passage.text);
                prop_assert_eq!(passage.tokens as usize, tokens);
                prop_assert!(passage.tokens <= config.max_tokens);
                kept.extend(passage.span.start..passage.span.end);
            }
            for place in must_be_kept(&document) {
                prop_assert!(kept.contains(&place), "byte {} is in no passage", place);
            }
        }
    }

    #[test]
    fn headings_are_in_a_passage_s_text_or_its_section(document in any_document(), config in any_config()) {
        let config = Config { kind: Kind::Sentence, ..config };
        let passages = chunk_document(&document, &config, &Words).unwrap().passages;
        for block in document.blocks.iter().filter(|block| block.kind == Heading) {
            let heading = document.block_text(block);
            let shown = |p: &Passage| p.section.iter().any(|own| own == heading) || p.span.overlaps(&block.span);
            prop_assert!(heading.trim().is_empty() || passages.iter().any(shown), "{:?} is lost", heading);
        }
    }
}

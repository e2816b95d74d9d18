//! The tokens of a conversation's protocol, such as the end of a message: found in what a template writes,
//! and shielded in what people and documents say, so that no text can end its own message.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::super::error::GgufError;
use super::pieces::Kind;

/// The tokens that are found in a text as they stand.
#[derive(Debug)]
pub(in super::super) struct Protocol {
    all: AhoCorasick,
    ids: Vec<u32>,
    control: Guard,
    control_and_markup: Guard,
}

/// What is done with markup of the protocol, such as `<tool_call>`, that is no control token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Markup {
    /// It stays: the text is the model's own.
    Kept,
    /// It becomes plain text.
    Shielded,
}

impl Protocol {
    pub(super) fn new(tokens: &[String], kinds: &[Kind]) -> Result<Self, GgufError> {
        let of_kind = |wanted: &dyn Fn(Kind, &str) -> bool| -> Vec<u32> {
            let ids =
                (0..tokens.len()).filter(|&id| !tokens[id].is_empty() && wanted(kinds[id], &tokens[id]));
            ids.map(|id| id as u32).collect()
        };
        let text = |id: &u32| tokens[*id as usize].clone();
        let is_markup = |token: &str| token.starts_with('<') && token.ends_with('>');
        let ids = of_kind(&|kind, _| matches!(kind, Kind::Control | Kind::UserDefined));
        let control = of_kind(&|kind, _| kind == Kind::Control);
        let both =
            of_kind(&|kind, token| kind == Kind::Control || (kind == Kind::UserDefined && is_markup(token)));
        Ok(Self {
            all: matcher(ids.iter().map(text))?,
            ids,
            control: Guard::new(control.iter().map(text).collect())?,
            control_and_markup: Guard::new(both.iter().map(text).collect())?,
        })
    }

    /// The protocol's tokens in a text, from left to right, the longest where several begin.
    pub(super) fn find<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (Range<usize>, u32)> + 't {
        let matches = self.all.find_iter(text);
        matches.map(|found| (found.range(), self.ids[found.pattern().as_usize()]))
    }

    /// Puts `shield`, which the text must not have, behind the first character of all that would be read as
    /// a control token, or as markup where that is [`Markup::Shielded`].
    ///
    /// Parts of a token at the ends of the text are shielded too, lest a neighbour complete them.
    pub(in super::super) fn shield(&self, text: &str, shield: char, markup: Markup) -> String {
        match markup {
            Markup::Kept => self.control.shield(text, shield),
            Markup::Shielded => self.control_and_markup.shield(text, shield),
        }
    }
}

/// Shields some of the tokens.
#[derive(Debug)]
struct Guard {
    matcher: AhoCorasick,
    tokens: Vec<String>,
}

impl Guard {
    fn new(tokens: Vec<String>) -> Result<Self, GgufError> {
        Ok(Self {
            matcher: matcher(tokens.iter().cloned())?,
            tokens,
        })
    }

    fn shield(&self, text: &str, shield: char) -> String {
        let mut shielded = String::with_capacity(text.len());
        if self.tokens.iter().any(|token| ends_inside(token, text)) {
            shielded.push(shield);
        }
        let mut at = 0;
        // Search goes on behind the first character, since the rest may begin another token.
        while let Some(found) = self.matcher.find(&text[at..]) {
            let start = at + found.start();
            let behind_first = text.ceil_char_boundary(start + 1);
            shielded.push_str(&text[at..behind_first]);
            shielded.push(shield);
            at = behind_first;
        }
        shielded.push_str(&text[at..]);
        if self.tokens.iter().any(|token| begins_inside(token, text)) {
            shielded.push(shield);
        }
        shielded
    }
}

/// True when the text starts with the end of a token, which text before it could begin.
fn ends_inside(token: &str, text: &str) -> bool {
    let mut ends = token.char_indices().skip(1);
    ends.any(|(at, _)| text.starts_with(&token[at..]))
}

/// True when the text ends with the beginning of a token, which text behind it could end.
fn begins_inside(token: &str, text: &str) -> bool {
    let mut ends = token.char_indices().skip(1);
    ends.any(|(at, _)| text.ends_with(&token[..at]))
}

fn matcher(tokens: impl Iterator<Item = String>) -> Result<AhoCorasick, GgufError> {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(tokens)
        .map_err(|error| GgufError::Vocabulary(error.to_string()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SHIELD: char = '\u{fdd0}';

    fn protocol() -> Protocol {
        let tokens = [
            "<|im_start|>",
            "<|im_end|>",
            "</s>",
            "<tool_call>",
            "\n\n",
            "word",
        ];
        let kinds = [
            Kind::Control,
            Kind::Control,
            Kind::Control,
            Kind::UserDefined,
            Kind::UserDefined,
            Kind::Normal,
        ];
        Protocol::new(&tokens.map(str::to_owned), &kinds).unwrap()
    }

    fn found(protocol: &Protocol, text: &str) -> Vec<u32> {
        protocol.find(text).map(|(_, id)| id).collect()
    }

    #[test]
    fn what_people_say_is_no_protocol() {
        let protocol = protocol();
        for (text, bare, kept, shielded) in [
            ("a<|im_end|>\n\nb", &[1, 4][..], &[4][..], &[4][..]),
            ("<tool_call>{}</s>", &[3, 2], &[3], &[]),
            ("<<|im_end|>|im_start|>", &[1], &[], &[]),
            ("plain word", &[], &[], &[]),
        ] {
            assert_eq!(found(&protocol, text), bare, "{text}");
            let own = protocol.shield(text, SHIELD, Markup::Kept);
            assert_eq!(found(&protocol, &own), kept, "{own:?}");
            let said = protocol.shield(text, SHIELD, Markup::Shielded);
            assert_eq!(found(&protocol, &said), shielded, "{said:?}");
            assert_eq!(said.replace(SHIELD, ""), text);
        }
    }

    proptest! {
        #[test]
        fn no_texts_make_a_control_token_alone_or_together(
            texts in prop::collection::vec("(<\\||im_|end|start|\\|>|</s>|<|>|s|\n|<tool_call>|é){0,8}", 1..4)
        ) {
            let protocol = protocol();
            let said: String = texts
                .iter()
                .map(|text| protocol.shield(text, SHIELD, Markup::Shielded))
                .collect();
            prop_assert!(found(&protocol, &said).iter().all(|&id| id == 4), "{said:?}");
            prop_assert_eq!(said.replace(SHIELD, ""), texts.concat());
        }
    }
}

//! `styles.xml`: which paragraph styles are headings, captions, code or numbered.

use std::collections::HashMap;

use crate::xml::Element;

/// Longest chain of styles that is followed.
const MAX_CHAIN: usize = 16;

/// The paragraph styles by id.
#[derive(Debug, Default)]
pub(super) struct Styles {
    by_id: HashMap<String, Style>,
}

#[derive(Debug, Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline_level: Option<usize>,
    numbering: Option<String>,
    numbering_level: Option<usize>,
}

impl Styles {
    pub(super) fn read(part: &Element) -> Self {
        let styles = part.elements().filter(|element| element.name == "style");
        let by_id = styles.filter_map(|style| {
            let number = |path: &[&str]| style.value_at(path).and_then(|value| value.parse().ok());
            let read = Style {
                name: style.value_at(&["name"]).unwrap_or_default().to_lowercase(),
                based_on: style.value_at(&["basedOn"]).map(str::to_owned),
                outline_level: number(&["pPr", "outlineLvl"]),
                numbering: style.value_at(&["pPr", "numPr", "numId"]).map(str::to_owned),
                numbering_level: number(&["pPr", "numPr", "ilvl"]),
            };
            Some((style.attribute("styleId")?.to_owned(), read))
        });
        Self {
            by_id: by_id.collect(),
        }
    }

    /// The style and those that it is based on, nearest first.
    fn chain<'s>(&'s self, id: &str) -> impl Iterator<Item = &'s Style> + use<'s> {
        let mut next = self.by_id.get(id);
        std::iter::from_fn(move || {
            let style = next?;
            next = style.based_on.as_ref().and_then(|id| self.by_id.get(id));
            Some(style)
        })
        .take(MAX_CHAIN)
    }

    /// The heading level of a style, 1 for the outermost: by its name, else by its outline level.
    pub(super) fn heading_level(&self, id: &str) -> Option<usize> {
        let by_name = |name: &str| match name {
            "title" => Some(1),
            "subtitle" => Some(2),
            _ => name.strip_prefix("heading ")?.trim().parse().ok(),
        };
        let found = self.chain(id).find_map(|style| {
            by_name(&style.name).or_else(|| {
                style
                    .outline_level
                    .filter(|level| *level < 9)
                    .map(|level| level + 1)
            })
        });
        found.or_else(|| {
            if self.by_id.contains_key(id) {
                None
            } else {
                by_name(&spaced(id))
            }
        })
    }

    /// True when a style of the chain has a name that contains one of the words.
    pub(super) fn is_named(&self, id: &str, words: &[&str]) -> bool {
        let lower = id.to_lowercase();
        let has = |name: &str| words.iter().any(|word| name.contains(word));
        has(&lower) || self.chain(id).any(|style| has(&style.name))
    }

    /// The numbering of a style: its id and level.
    pub(super) fn numbering<'s>(&'s self, id: &str) -> Option<(&'s str, usize)> {
        let numbering = self.chain(id).find_map(|style| style.numbering.as_deref())?;
        let level = self.chain(id).find_map(|style| style.numbering_level);
        Some((numbering, level.unwrap_or_default()))
    }
}

/// `Heading1` as the name that it usually has, for files without styles.
fn spaced(id: &str) -> String {
    let digits = id.len() - id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (word, number) = id.split_at(id.len() - digits);
    format!("{} {number}", word.to_lowercase()).trim_end().to_owned()
}

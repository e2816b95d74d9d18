//! The line put before a passage when it is indexed.

use rag_core::document::Document;

use crate::config::{Config, ContextLine};
use crate::tokens::TokenCounter;

/// What joins the parts of a context line.
const JOINT: &str = " > ";

/// A context line and what it costs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Context {
    pub(crate) line: String,
    pub(crate) tokens: usize,
    /// True when the line was cut to half of the passage's limit.
    pub(crate) is_shortened: bool,
}

impl Context {
    /// The line for a passage below the headings `section`.
    pub(crate) fn of(
        document: &Document,
        section: &[String],
        config: &Config,
        counter: &dyn TokenCounter,
    ) -> Self {
        let title = document.title.as_str();
        let head = match (config.context, document.department.as_deref()) {
            (ContextLine::None, _) => return Self::default(),
            (ContextLine::Source, _) => document.source.clone(),
            (ContextLine::Contextual | ContextLine::Described, Some(department)) => {
                format!("{title} ({department})")
            }
            (ContextLine::Heading | ContextLine::Contextual | ContextLine::Described, _) => title.to_owned(),
        };
        let headings = match config.context {
            ContextLine::Source => section,
            _ => below_title(title, section),
        };
        let parts = std::iter::once(head.as_str()).chain(headings.iter().map(String::as_str));
        let line: Vec<String> = parts.map(one_line).filter(|part| !part.is_empty()).collect();
        Self::within(line.join(JOINT), config.max_tokens as usize / 2, counter)
    }

    /// As much of `line` as has at most `limit` tokens.
    pub(crate) fn within(mut line: String, limit: usize, counter: &dyn TokenCounter) -> Self {
        let tokens = counter.count(&line);
        if tokens <= limit {
            return Self {
                line,
                tokens,
                is_shortened: false,
            };
        }
        let offsets = counter.offsets(&line);
        let mut keep = limit.min(offsets.len());
        loop {
            let end = offsets.get(keep).map_or(line.len(), |&(start, _)| start);
            line.truncate(line.floor_char_boundary(end));
            line.truncate(line.trim_end().len());
            let tokens = counter.count(&line);
            if tokens <= limit || keep == 0 {
                return Self {
                    line,
                    tokens,
                    is_shortened: true,
                };
            }
            keep -= 1;
        }
    }
}

/// The headings without the first when it repeats the title.
fn below_title<'s>(title: &str, section: &'s [String]) -> &'s [String] {
    match section {
        [first, below @ ..] if one_line(first) == one_line(title) => below,
        _ => section,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::document;
    use crate::tokens::Words;

    #[test]
    fn each_kind_of_line_says_where_the_passage_comes_from() {
        let document = document(&[]);
        let section = ["Billing".to_owned(), "Refunds".to_owned()];
        let cases = [
            (ContextLine::None, ""),
            (ContextLine::Heading, "Billing > Refunds"),
            (ContextLine::Source, "help/billing.md > Billing > Refunds"),
            (ContextLine::Contextual, "Billing (Finance) > Refunds"),
        ];
        for (context, expected) in cases {
            let config = Config {
                context,
                ..Config::default()
            };
            assert_eq!(Context::of(&document, &section, &config, &Words).line, expected);
        }
    }

    #[test]
    fn a_line_over_half_of_the_limit_is_cut_and_says_so() {
        let mut document = document(&[]);
        document.title = "one two three four five six".to_owned();
        let config = Config {
            max_tokens: 8,
            ..Config::default()
        };
        let context = Context::of(&document, &[], &config, &Words);
        assert_eq!(context.line, "one two three four");
        assert!(context.is_shortened && context.tokens == 4);
    }
}

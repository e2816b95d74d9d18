//! The labels of a numbered list.

use scraper::ElementRef;

use crate::numerals::{letters, roman};

/// How a numbered list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counter {
    next: i64,
    step: i64,
    style: Numerals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numerals {
    Digits,
    Letters { is_upper: bool },
    Roman { is_upper: bool },
}

impl Counter {
    /// As the list's element says.
    pub(super) fn of(list: ElementRef<'_>) -> Self {
        let is_reversed = list.value().attr("reversed").is_some();
        let items = || {
            list.child_elements()
                .filter(|item| item.value().name() == "li")
                .count()
        };
        let start = list
            .value()
            .attr("start")
            .and_then(|start| start.trim().parse().ok());
        Self {
            next: start.unwrap_or_else(|| if is_reversed { items() as i64 } else { 1 }),
            step: if is_reversed { -1 } else { 1 },
            style: match list.value().attr("type") {
                Some("a") => Numerals::Letters { is_upper: false },
                Some("A") => Numerals::Letters { is_upper: true },
                Some("i") => Numerals::Roman { is_upper: false },
                Some("I") => Numerals::Roman { is_upper: true },
                _ => Numerals::Digits,
            },
        }
    }

    /// The label of the next item, which may say its number itself.
    pub(super) fn label(&mut self, own: Option<i64>) -> String {
        let number = own.unwrap_or(self.next);
        self.next = number.saturating_add(self.step);
        let (text, is_upper) = match (u32::try_from(number), self.style) {
            (Ok(number), Numerals::Letters { is_upper }) => (letters(number), is_upper),
            (Ok(number), Numerals::Roman { is_upper }) => (roman(number), is_upper),
            _ => (number.to_string(), false),
        };
        format!("{}. ", if is_upper { text.to_uppercase() } else { text })
    }
}

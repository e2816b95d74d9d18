//! What must agree to the letter between a claim and its source: numbers, percents, dates, identifiers.

use std::collections::BTreeSet;

use rag_core::date::Date;
use rag_core::text::{Piece, PieceKind, pieces};

/// English number words that a claim may use for a figure of its source, or the other way round.
const NUMBER_WORDS: &[(&str, &str)] = &[
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
];

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Units by their spellings. A number with another unit is another fact; one without a unit agrees with any.
const UNITS: &[(&str, &str)] = &[
    ("second", "s"),
    ("seconds", "s"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hour", "h"),
    ("hours", "h"),
    ("day", "d"),
    ("days", "d"),
    ("week", "wk"),
    ("weeks", "wk"),
    ("month", "mo"),
    ("months", "mo"),
    ("year", "y"),
    ("years", "y"),
    ("eur", "eur"),
    ("euro", "eur"),
    ("euros", "eur"),
    ("usd", "usd"),
    ("dollar", "usd"),
    ("dollars", "usd"),
    ("gbp", "gbp"),
    ("pounds", "gbp"),
    ("metres", "m"),
    ("meters", "m"),
    ("km", "km"),
    ("kilometres", "km"),
    ("kilometers", "km"),
    ("miles", "mi"),
    ("kg", "kg"),
    ("kilograms", "kg"),
    ("million", "million"),
    ("billion", "billion"),
];

/// Words that may stand between a number and its unit: "27 working days".
const BEFORE_UNITS: &[&str] = &[
    "working",
    "business",
    "calendar",
    "full",
    "consecutive",
    "million",
    "billion",
];

/// The facts of a text, each in one spelling.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Numbers, percentages, dates, identifiers.
    figures: BTreeSet<String>,
    /// Numbers with the units that stand next to them.
    measures: BTreeSet<(String, &'static str)>,
}

impl Facts {
    /// Reads the facts of `text`. A date also gives its year, month and day as numbers, so that "in 2026"
    /// agrees with "2026-04-10".
    pub(crate) fn of(text: &str) -> Self {
        let whole: Vec<Piece<'_>> = pieces(text)
            .into_iter()
            .filter(|piece| piece.kind != PieceKind::Part)
            .collect();
        let words: Vec<String> = whole.iter().map(|piece| plain(piece.text)).collect();
        let mut facts = Self::default();
        for (at, piece) in whole.iter().enumerate() {
            match piece.kind {
                PieceKind::Number => facts.push_number(number(&words, at), &words, at),
                PieceKind::Identifier => push_identifier(&words[at], &mut facts.figures),
                PieceKind::Word | PieceKind::Part => {
                    let known = NUMBER_WORDS.iter().find(|(word, _)| *word == words[at]);
                    if let Some((_, number)) = known {
                        facts.push_number((*number).to_owned(), &words, at);
                    }
                }
            }
        }
        facts.figures.extend(written_dates(&words));
        facts
    }

    fn push_number(&mut self, number: String, words: &[String], at: usize) {
        if let Some(unit) = unit_of(words, at) {
            self.measures.insert((number.clone(), unit));
        }
        self.figures.insert(number);
    }

    /// Those that `source` does not have, or has with other units only.
    pub(crate) fn missing_from<'s>(&'s self, source: &'s Self) -> Vec<&'s str> {
        let is_other = |(number, unit): &&(String, &'static str)| {
            let mut known = source
                .measures
                .iter()
                .filter(|(other, _)| other == number)
                .peekable();
            known.peek().is_some() && known.all(|(_, other)| other != unit)
        };
        let missing = self.figures.difference(&source.figures).map(String::as_str);
        let measures = self.measures.iter().filter(is_other);
        missing
            .chain(measures.map(|(number, _)| number.as_str()))
            .collect()
    }

    /// True when the text states none.
    pub(crate) fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }

    /// Adds the facts of `other`.
    pub(crate) fn extend(&mut self, other: Self) {
        self.figures.extend(other.figures);
        self.measures.extend(other.measures);
    }
}

/// The unit of the number at `at`: the word behind it, give or take one that may stand between, or a currency
/// before it.
fn unit_of(words: &[String], at: usize) -> Option<&'static str> {
    let unit = |at: usize| {
        let word = words.get(at)?;
        UNITS
            .iter()
            .find(|(spelling, _)| spelling == word)
            .map(|(_, unit)| *unit)
    };
    let is_between = words
        .get(at + 1)
        .is_some_and(|word| BEFORE_UNITS.contains(&word.as_str()));
    let before = at.checked_sub(1).and_then(unit);
    let is_currency = |unit: &&str| matches!(*unit, "eur" | "usd" | "gbp");
    before
        .filter(is_currency)
        .or_else(|| is_between.then(|| unit(at + 2)).flatten())
        .or_else(|| unit(at + 1))
}

/// The number at `at`, with a percent sign when it is a percentage.
fn number(words: &[String], at: usize) -> String {
    let figure = words[at].trim_end_matches('%');
    let is_percent = words[at].ends_with('%') || says_percent(words, at + 1);
    if is_percent {
        format!("{figure}%")
    } else {
        figure.to_owned()
    }
}

/// True when a percent sign in words stands at `at`: "percent", "per cent", "في المئة", "بالمئة".
fn says_percent(words: &[String], at: usize) -> bool {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    match word(at) {
        "percent" | "بالمئة" | "بالمائة" => true,
        "per" => word(at + 1) == "cent",
        "في" => matches!(word(at + 1), "المئة" | "المائة"),
        _ => false,
    }
}

/// Dates in ISO form become a date; everything else with a digit is an identifier.
fn push_identifier(word: &str, facts: &mut BTreeSet<String>) {
    match word.parse::<Date>() {
        Ok(date) if word.len() == 10 => facts.extend(with_parts(date)),
        _ => {
            facts.insert(word.to_owned());
        }
    }
}

/// "10 April 2026" and "April 10, 2026".
fn written_dates(words: &[String]) -> Vec<String> {
    let mut dates = Vec::new();
    for window in words.windows(3) {
        let [first, second, year] = window else { continue };
        let month_of = |word: &String| MONTHS.iter().position(|month| month == word);
        let (day, month) = match (month_of(first), month_of(second)) {
            (Some(month), None) => (second, month),
            (None, Some(month)) => (first, month),
            _ => continue,
        };
        let digits: String = day.chars().take_while(char::is_ascii_digit).collect();
        if let Ok(date) = format!("{year:0>4}-{:02}-{digits:0>2}", month + 1).parse::<Date>() {
            dates.extend(with_parts(date));
        }
    }
    dates
}

fn with_parts(date: Date) -> Vec<String> {
    let text = date.to_string();
    let parts = text
        .split('-')
        .map(|part| part.trim_start_matches('0').to_owned());
    parts.chain([format!("date {text}")]).collect()
}

/// Lower case, Eastern digits as 0–9, no thousands separators.
fn plain(word: &str) -> String {
    let western = word.chars().map(|c| match c {
        '٠'..='٩' => char::from(b'0' + (u32::from(c) - u32::from('٠')) as u8),
        '۰'..='۹' => char::from(b'0' + (u32::from(c) - u32::from('۰')) as u8),
        '٫' => '.',
        '\u{2010}' | '\u{2011}' => '-',
        other => other,
    });
    let text: String = western.collect::<String>().to_lowercase();
    let whole = text.split('.').next().unwrap_or_default();
    let is_grouped =
        whole.contains([',', '٬']) && whole.split([',', '٬']).skip(1).all(|group| group.len() == 3);
    if is_grouped {
        text.replace([',', '٬'], "")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_fact_agree() {
        for (claim, source) in [
            ("It costs 1,200 euros", "EUR 1200"),
            ("25% of staff", "25 percent of the staff"),
            ("25 per cent", "25%"),
            ("نسبة 25 في المئة", "25%"),
            ("٢١ يوما", "21 يوم عمل"),
            ("five days", "5 working days"),
            ("on 10 April 2026", "updated 2026-04-10"),
            ("April 10, 2026", "10 April 2026"),
            ("in 2026", "2026-04-10"),
            ("err-4012 appears", "ERR-4012 means"),
            ("no figures", "none here"),
            ("27 days of leave", "27 working days"),
            ("two weeks", "2 weeks or 10 days"),
            ("EUR 400", "400 euros"),
            ("It has 27.", "27 days"),
        ] {
            let (claim_facts, facts) = (Facts::of(claim), Facts::of(source));
            assert_eq!(
                claim_facts.missing_from(&facts),
                Vec::<&str>::new(),
                "{claim} / {source}"
            );
        }
    }

    #[test]
    fn different_facts_do_not() {
        for (claim, source, missing) in [
            ("ERR-4012", "ERR-4013 and 4012", "err-4012"),
            ("25%", "25 days", "25%"),
            ("EUR 78", "EUR 87", "78"),
            ("11 April 2026", "10 April 2026", "11"),
            ("2026-04-10", "10 May 2026 and April 2026", "date 2026-04-10"),
            ("5.99", "599", "5.99"),
            ("27 weeks", "27 days", "27"),
            ("USD 400", "EUR 400", "400"),
            ("38.6 million", "38.6 billion", "38.6"),
            ("three hours", "3 minutes", "3"),
        ] {
            let (claim_facts, facts) = (Facts::of(claim), Facts::of(source));
            assert!(
                claim_facts.missing_from(&facts).contains(&missing),
                "{claim} / {source}"
            );
        }
    }
}

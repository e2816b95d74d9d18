//! What must agree to the letter between a claim and its source: numbers, percents, dates, identifiers.

use std::collections::BTreeSet;

use rag_core::date::Date;
use rag_core::text::{Piece, PieceKind, pieces};

use super::number_words::{is_amount, month, number_at, scaled, unit};

/// Words that may stand between a number and its unit: "27 working days".
const BEFORE_UNITS: &[&str] = &[
    "working",
    "business",
    "calendar",
    "full",
    "consecutive",
    "thousand",
    "million",
    "billion",
];

/// Characters that are not seen and would split a number or hide a word.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

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
        let text: String = text.chars().filter(|&c| !is_invisible(c)).collect();
        let whole: Vec<Piece<'_>> = pieces(&text)
            .into_iter()
            .filter(|piece| piece.kind != PieceKind::Part)
            .collect();
        let words: Vec<String> = whole.iter().map(|piece| plain(piece.text)).collect();
        let mut facts = Self::default();
        let mut at = 0;
        while let Some(piece) = whole.get(at) {
            let mut length = 1;
            match piece.kind {
                PieceKind::Number => {
                    let sign = if is_negative(&text, piece) { "-" } else { "" };
                    let next = words.get(at + 1).map_or("", String::as_str);
                    let number = scaled(format!("{sign}{}", number(&words, at)), next);
                    facts
                        .measures
                        .extend(sign_unit(&text, piece).map(|unit| (number.clone(), unit)));
                    facts.push_number(number, &words, at);
                }
                PieceKind::Identifier => push_identifier(&words[at], &mut facts.figures),
                PieceKind::Word | PieceKind::Part => {
                    if let Some((number, taken)) = number_at(&words, at) {
                        length = taken;
                        let next = words.get(at + taken).map_or("", String::as_str);
                        facts.push_number(scaled(number.to_string(), next), &words, at + taken - 1);
                    } else if is_amount(&words[at]) {
                        facts.figures.insert(words[at].clone());
                    } else if let Some(unit) = words.get(at + 1).and_then(|next| unit(next))
                        && words[at] == "per"
                    {
                        facts.measures.insert(("per".to_owned(), unit));
                    }
                }
            }
            at += length;
        }
        facts.figures.extend(written_dates(&words));
        facts.figures.extend(addresses(&text));
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
    let unit = |at: usize| words.get(at).and_then(|word| unit(word));
    let is_between = words
        .get(at + 1)
        .is_some_and(|word| BEFORE_UNITS.contains(&word.as_str()));
    let before = at.checked_sub(1).and_then(unit);
    let is_currency = |unit: &&str| matches!(*unit, "eur" | "usd" | "gbp" | "chf" | "jpy");
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

/// "10 April 2026" and "April 10, 2026"; of "10 April" day and month.
fn written_dates(words: &[String]) -> Vec<String> {
    let mut dates = Vec::new();
    for (at, pair) in words.windows(2).enumerate() {
        let (day, month) = match (month(&pair[0]), month(&pair[1])) {
            (Some(month), None) => (&pair[1], month),
            (None, Some(month)) => (&pair[0], month),
            _ => continue,
        };
        let digits: String = day.chars().take_while(char::is_ascii_digit).collect();
        let is_day = digits.parse().is_ok_and(|day: u32| (1..=31).contains(&day));
        if !is_day {
            continue;
        }
        let year = words.get(at + 2).map_or("", String::as_str);
        match format!("{year:0>4}-{month:02}-{digits:0>2}").parse::<Date>() {
            Ok(date) if year.len() == 4 => dates.extend(with_parts(date)),
            _ => dates.push(format!("day {month:02}-{digits:0>2}")),
        }
    }
    dates
}

/// Addresses on the web: one that no source has is no fact of it.
fn addresses(text: &str) -> impl Iterator<Item = String> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '(' | ')' | '[' | ']');
    text.split(ends)
        .map(|word| {
            word.trim_end_matches(['.', ',', ';', ':', '!', '?'])
                .to_lowercase()
        })
        .filter(|word| {
            ["http://", "https://", "www."]
                .iter()
                .any(|start| word.starts_with(start))
        })
}

/// "-18" and "minus 18", but not "5-18".
fn is_negative(text: &str, piece: &Piece<'_>) -> bool {
    let before = &text[..piece.span.start];
    if let Some(before) = before.strip_suffix(['-', '−']) {
        return before.is_empty() || before.ends_with(|c: char| c.is_whitespace() || c == '(');
    }
    before.trim_end().to_lowercase().ends_with("minus")
}

/// The unit that a sign beside the number stands for.
fn sign_unit(text: &str, piece: &Piece<'_>) -> Option<&'static str> {
    let before = text[..piece.span.start]
        .trim_end_matches([' ', '-', '−'])
        .chars()
        .last();
    let after = text[piece.span.end..].trim_start_matches(' ').chars().next();
    let sign = |c: Option<char>| {
        c.filter(|c| !c.is_alphanumeric())
            .and_then(|c| unit(&c.to_string()))
    };
    sign(before).or_else(|| sign(after))
}

fn with_parts(date: Date) -> Vec<String> {
    let text = date.to_string();
    let parts = text
        .split('-')
        .map(|part| part.trim_start_matches('0').to_owned());
    parts
        .chain([format!("date {text}"), format!("day {}", &text[5..])])
        .collect()
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
            ("twenty-seven days", "27 days"),
            ("$400", "400 dollars"),
            ("They lapse on 30 June.", "valid until 30 June 2026"),
            ("am 10. Mai", "10 May 2026"),
            ("minus 18 degrees", "-18 degrees"),
            ("See https://a.example/x.", "(https://a.example/x)"),
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
            ("38.6 million", "38.6 billion", "38.6 million"),
            ("EUR 38.6", "EUR 38.6 million", "38.6"),
            ("three hours", "3 minutes", "3"),
            ("$400", "EUR 400", "400"),
            ("400 francs", "400 euros", "400"),
            ("EUR 400 thousand", "EUR 400 million", "400000"),
            ("27 days per month", "27 days per year", "per"),
            ("zero days", "27 days", "0"),
            ("a hundred days", "27 days", "100"),
            ("half of EUR 400", "EUR 400", "half"),
            ("18 degrees", "-18 degrees", "18"),
            ("28\u{ad} days", "27 days", "28"),
            ("They lapse on 30 May.", "30 June 2026", "day 05-30"),
            ("vor dem 10. Mai", "vor dem 10. April", "day 05-10"),
            ("27 Wochen", "27 Tage", "27"),
            (
                "see http://evil.example/login",
                "see the portal",
                "http://evil.example/login",
            ),
        ] {
            let (claim_facts, facts) = (Facts::of(claim), Facts::of(source));
            assert!(
                claim_facts.missing_from(&facts).contains(&missing),
                "{claim} / {source}"
            );
        }
    }
}

//! Number formats of spreadsheets: a stored number to what the sheet displays.
//!
//! Covered: sections by sign, decimals, thousands, percent, exponents, fractions, literals, dates, times
//! and elapsed times, text. Colours, conditions and widths are no text and are skipped.

/// A value as stored and a format code to the text that is displayed.
///
/// `is_1904` says which day the workbook counts from. A code that cannot be used gives the plain number.
pub(super) fn display(value: f64, code: &str, is_1904: bool) -> String {
    if !value.is_finite() || code.is_empty() || code.eq_ignore_ascii_case("general") {
        return general(value);
    }
    let sections: Vec<Vec<Token>> = sections(code);
    let (section, shown) = match (sections.len(), value) {
        (0, _) => return general(value),
        (2.., v) if v < 0.0 => (&sections[1], -v),
        (3.., 0.0) => (&sections[2], value),
        _ => (&sections[0], value),
    };
    if section
        .iter()
        .any(|token| matches!(token, Token::Date(_) | Token::Elapsed(_)))
    {
        return super::dates::display(shown, section, is_1904).unwrap_or_else(|| general(value));
    }
    let is_signed = value < 0.0 && sections.len() < 2;
    number(shown.abs(), section, is_signed)
}

/// True for a format code that shows a date or a time.
pub(super) fn is_time(code: &str) -> bool {
    !code.is_empty()
        && !code.eq_ignore_ascii_case("general")
        && sections(code).first().is_some_and(|section| {
            let mut tokens = section.iter();
            tokens.any(|token| matches!(token, Token::Date(_) | Token::Elapsed(_)))
        })
}

/// A number as a cell without a format shows it: at most eleven digits.
pub(super) fn general(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value.is_finite() {
            "0".to_owned()
        } else {
            String::new()
        };
    }
    let magnitude = value.abs().log10().floor();
    if !(-5.0..11.0).contains(&magnitude) {
        return format!("{value:E}");
    }
    let decimals = (10.0 - magnitude.max(0.0)) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A piece of a format code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// `0`, `#` or `?`.
    Digit(char),
    /// The decimal point.
    Point,
    /// A comma, between digits or behind them.
    Comma,
    Percent,
    /// `E+` or `E-`.
    Exponent,
    /// The bar of a fraction.
    Slash,
    /// `@`.
    Text,
    /// A run of one letter of a date or time, lower case; `a` for `AM/PM`.
    Date(String),
    /// `[h]`, `[mm]` or `[ss]`: the whole time in that unit.
    Elapsed(String),
    Literal(String),
}

/// The sections of a code: positive, negative, zero, text.
pub(super) fn sections(code: &str) -> Vec<Vec<Token>> {
    let mut sections = vec![Vec::new()];
    let mut rest = code.chars().peekable();
    while let Some(c) = rest.next() {
        if c == ';' {
            sections.push(Vec::new());
            continue;
        }
        let token = match c {
            '0' | '#' | '?' => Token::Digit(c),
            '.' => Token::Point,
            ',' => Token::Comma,
            '%' => Token::Percent,
            '/' => Token::Slash,
            '@' => Token::Text,
            '"' => Token::Literal(rest.by_ref().take_while(|c| *c != '"').collect()),
            '\\' => Token::Literal(rest.next().map(String::from).unwrap_or_default()),
            '_' => {
                rest.next();
                Token::Literal(" ".to_owned())
            }
            '*' => {
                rest.next();
                continue;
            }
            '[' => match bracket(&rest.by_ref().take_while(|c| *c != ']').collect::<String>()) {
                Some(token) => token,
                None => continue,
            },
            'E' | 'e' if matches!(rest.peek(), Some('+' | '-')) => {
                rest.next();
                Token::Exponent
            }
            c if "ymdhsYMDHS".contains(c) => {
                let letter = c.to_ascii_lowercase();
                let mut run = String::from(letter);
                while rest.next_if(|next| next.to_ascii_lowercase() == letter).is_some() {
                    run.push(letter);
                }
                Token::Date(run)
            }
            'A' | 'a' => {
                let marker = rest.clone().take(4).collect::<String>().to_ascii_uppercase();
                let skipped = if marker == "M/PM" { 4 } else { 2 };
                if marker == "M/PM" || marker.starts_with("/P") {
                    rest.by_ref().take(skipped).for_each(drop);
                    Token::Date("a".to_owned())
                } else {
                    Token::Literal(c.to_string())
                }
            }
            c => Token::Literal(c.to_string()),
        };
        sections
            .last_mut()
            .expect("there is always a section")
            .push(token);
    }
    sections
}

/// What stands in square brackets: elapsed time or a currency; colours and conditions are skipped.
fn bracket(inner: &str) -> Option<Token> {
    let lower = inner.to_ascii_lowercase();
    if !lower.is_empty()
        && ["h", "m", "s"]
            .iter()
            .any(|unit| lower.trim_matches(|c: char| unit.contains(c)).is_empty())
    {
        return Some(Token::Elapsed(lower));
    }
    let currency = inner.strip_prefix('$')?;
    let symbol = currency.split('-').next().unwrap_or_default();
    (!symbol.is_empty()).then(|| Token::Literal(symbol.to_owned()))
}

/// A number that is not negative in the digits of a section.
fn number(value: f64, section: &[Token], is_negative: bool) -> String {
    let percents = section.iter().filter(|token| **token == Token::Percent).count();
    let mut value = value * 100f64.powi(percents as i32);
    let first = section.iter().position(|token| matches!(token, Token::Digit(_)));
    let Some(first) = first else {
        return literals(section, is_negative, &general(value));
    };
    let last = section
        .iter()
        .rposition(|token| matches!(token, Token::Digit(_)))
        .unwrap_or(first);
    let body = &section[first..=last];
    let scale = section[last + 1..]
        .iter()
        .take_while(|token| **token == Token::Comma)
        .count();
    value /= 1000f64.powi(scale as i32);
    let digits = if body.contains(&Token::Slash) {
        fraction(value, body)
    } else if body.contains(&Token::Exponent) {
        exponent(value, body)
    } else {
        fixed(value, body)
    };
    let is_zero = !digits.contains(|c: char| ('1'..='9').contains(&c));
    let mut text = String::new();
    if is_negative && !is_zero {
        text.push('-');
    }
    push_literals(&section[..first], &mut text);
    text.push_str(&digits);
    push_literals(&section[last + 1..], &mut text);
    text.trim().to_owned()
}

fn literals(section: &[Token], is_negative: bool, general: &str) -> String {
    let mut text = String::new();
    for token in section {
        match token {
            Token::Text => {
                text.push_str(if is_negative { "-" } else { "" });
                text.push_str(general);
            }
            other => push_literals(std::slice::from_ref(other), &mut text),
        }
    }
    // `General` with literals around it is spelled out letter by letter.
    text.replace("General", general).trim().to_owned()
}

fn push_literals(tokens: &[Token], text: &mut String) {
    for token in tokens {
        match token {
            Token::Literal(literal) => text.push_str(literal),
            Token::Percent => text.push('%'),
            Token::Slash => text.push('/'),
            _ => {}
        }
    }
}

/// Digits with a fixed number of decimals, of which `#` drops trailing zeros; thousands where asked for.
fn fixed(value: f64, body: &[Token]) -> String {
    let point = body
        .iter()
        .position(|token| *token == Token::Point)
        .unwrap_or(body.len());
    let count = |tokens: &[Token], kind: fn(char) -> bool| {
        tokens
            .iter()
            .filter(|token| matches!(token, Token::Digit(c) if kind(*c)))
            .count()
    };
    let decimals = count(&body[point..], |_| true);
    let needed = count(&body[point..], |c| c == '0');
    let whole_needed = count(&body[..point], |c| c == '0');
    // A half is rounded up, as spreadsheets do; the hair makes up for halves that are stored a hair below.
    let value = value * (1.0 + 1e-12);
    let text = format!("{value:.decimals$}");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.trim_start_matches('0');
    let whole = format!("{whole:0>whole_needed$}");
    let mut part = part.to_owned();
    while part.len() > needed && part.ends_with('0') {
        part.pop();
    }
    let literal_inside = body[..point]
        .iter()
        .any(|token| matches!(token, Token::Literal(_)));
    let whole = if literal_inside {
        masked(&whole, &body[..point])
    } else if body[..point].contains(&Token::Comma) {
        thousands(&whole)
    } else {
        whole
    };
    if part.is_empty() {
        whole
    } else {
        format!("{whole}.{part}")
    }
}

/// Digits from the right into a mask with literals between them, as of telephone numbers.
fn masked(digits: &str, mask: &[Token]) -> String {
    let mut rest: Vec<char> = digits.chars().collect();
    let mut text: Vec<String> = Vec::new();
    for token in mask.iter().rev() {
        match token {
            Token::Digit(kind) => match rest.pop() {
                Some(digit) => text.push(digit.to_string()),
                None if *kind == '0' => text.push("0".to_owned()),
                None => {}
            },
            Token::Literal(literal) => text.push(literal.clone()),
            _ => {}
        }
    }
    let head: String = rest.into_iter().collect();
    text.push(head);
    text.into_iter().rev().collect()
}

fn thousands(whole: &str) -> String {
    let mut text = String::with_capacity(whole.len() * 4 / 3);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn exponent(value: f64, body: &[Token]) -> String {
    let at = body
        .iter()
        .position(|token| *token == Token::Exponent)
        .unwrap_or(body.len());
    let power = if value == 0.0 {
        0
    } else {
        value.log10().floor() as i32
    };
    let digits = body[at..]
        .iter()
        .filter(|token| matches!(token, Token::Digit(_)))
        .count();
    let sign = if power < 0 { '-' } else { '+' };
    format!(
        "{}E{sign}{:0>digits$}",
        fixed(value / 10f64.powi(power), &body[..at]),
        power.abs()
    )
}

/// A whole part and the nearest fraction with as many digits below as the code has.
fn fraction(value: f64, body: &[Token]) -> String {
    let slash = body
        .iter()
        .position(|token| *token == Token::Slash)
        .unwrap_or(body.len());
    let digits = body[slash..]
        .iter()
        .filter(|token| matches!(token, Token::Digit(_)))
        .count()
        .clamp(1, 3);
    let largest = 10u32.pow(digits as u32) - 1;
    let (whole, rest) = (value.trunc(), value.fract());
    let error = |below: &u32| (rest - (rest * f64::from(*below)).round() / f64::from(*below)).abs();
    let below = (1..=largest)
        .min_by(|a, b| error(a).total_cmp(&error(b)))
        .unwrap_or(1);
    let above = (rest * f64::from(below)).round();
    match (whole, above) {
        (whole, 0.0) => format!("{whole}"),
        (whole, above) if above == f64::from(below) => format!("{}", whole + 1.0),
        (0.0, above) => format!("{above}/{below}"),
        (whole, above) => format!("{whole} {above}/{below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_the_sheet_shows_them() {
        let cases = [
            (0.025, "0%", "3%"),
            (0.025, "0.00%", "2.50%"),
            (1599.99, "$#,##0.00", "$1,599.99"),
            (1599.99, "\"$\"#,##0.00_);[Red]\\(\"$\"#,##0.00\\)", "$1,599.99"),
            (
                -1599.99,
                "\"$\"#,##0.00_);[Red]\\(\"$\"#,##0.00\\)",
                "($1,599.99)",
            ),
            (1_234_567.0, "#,##0", "1,234,567"),
            (1_234_567.0, "#,##0,", "1,235"),
            (0.5, "#.##", ".5"),
            (5.0, "000", "005"),
            (-3.0, "0.0", "-3.0"),
            (-0.001, "0.0", "0.0"),
            (12_345.0, "0.00E+00", "1.23E+04"),
            (2.5, "# ?/?", "2 1/2"),
            (0.333, "# ?/?", "1/3"),
            (5_551_234_567.0, "(000) 000-0000", "(555) 123-4567"),
            (1500.0, "[$€-407] #,##0.00", "€ 1,500.00"),
            (42.0, "General", "42"),
            (0.1 + 0.2, "", "0.3"),
            (1e20, "", "1E20"),
            (7.0, "0\" pcs\"", "7 pcs"),
            (0.0, "0;-0;\"none\"", "none"),
        ];
        for (value, code, shown) in cases {
            assert_eq!(display(value, code, false), shown, "{value} as {code}");
        }
    }
}

//! Dates and times of spreadsheets: days since 1900 (or 1904) to what a format displays.

use super::number_format::Token;

/// Days from the spreadsheet's day 0 to 1970-01-01, for days after February 1900: the program that made
/// the format counts a 29 February 1900 that there was not.
const EPOCH_1900: i64 = 25_569;
const EPOCH_1904: i64 = 24_107;

/// Last day that can be displayed, 9999-12-31.
const MAX_DAY: f64 = 2_958_466.0;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = [
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
];

/// A day and the seconds of it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moment {
    year: i64,
    month: usize,
    day: i64,
    weekday: usize,
    hour: i64,
    minute: i64,
    second: i64,
    /// Hundredths of a second.
    part: i64,
}

/// Shows a number of days in a section of a format; nothing when it is no date.
pub(super) fn display(value: f64, section: &[Token], is_1904: bool) -> Option<String> {
    if !(0.0..MAX_DAY).contains(&value) {
        return None;
    }
    let has_parts = section
        .windows(2)
        .any(|pair| matches!(pair, [Token::Point, Token::Digit(_)]));
    let moment = moment(value, is_1904, has_parts);
    let is_half_day = section.contains(&Token::Date("a".to_owned()));
    let mut text = String::new();
    for (at, token) in section.iter().enumerate() {
        match token {
            Token::Date(run) => text.push_str(&field(moment, run, is_half_day, is_minutes(section, at))),
            Token::Elapsed(run) => text.push_str(&elapsed(value, run)),
            Token::Literal(literal) => text.push_str(literal),
            Token::Slash => text.push('/'),
            Token::Comma => text.push(','),
            Token::Point => text.push('.'),
            Token::Digit(_) if section[..at].last() == Some(&Token::Point) => {
                text.push_str(&(moment.part / 10).to_string());
            }
            Token::Digit(_) if at > 1 && section[at - 2] == Token::Point => {
                text.push_str(&(moment.part % 10).to_string());
            }
            _ => {}
        }
    }
    Some(text.trim().to_owned())
}

fn moment(value: f64, is_1904: bool, has_parts: bool) -> Moment {
    let unit = if has_parts { 100 } else { 1 };
    let ticks = (value * 86_400.0 * unit as f64).round() as i64;
    let per_day = 86_400 * unit;
    let day = ticks.div_euclid(per_day);
    let ticks = ticks.rem_euclid(per_day);
    let seconds = ticks / unit;
    let since = match (is_1904, day) {
        (true, day) => day - EPOCH_1904,
        // Before March 1900 the count is not yet one too high.
        (false, day) if day < 60 => day + 1 - EPOCH_1900,
        (false, day) => day - EPOCH_1900,
    };
    let (year, month, date) = civil(since);
    Moment {
        year,
        month,
        day: date,
        weekday: since.rem_euclid(7) as usize,
        hour: seconds / 3600,
        minute: seconds / 60 % 60,
        second: seconds % 60,
        part: if has_parts { ticks % unit } else { 0 },
    }
}

/// Days since 1970-01-01 to year, month and day (Hinnant, "chrono-compatible low-level date algorithms").
fn civil(since: i64) -> (i64, usize, i64) {
    let z = since + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month as usize, day)
}

/// True when an `m` stands for minutes: behind hours or before seconds.
fn is_minutes(section: &[Token], at: usize) -> bool {
    let letter = |token: &Token| match token {
        Token::Date(run) | Token::Elapsed(run) => run.chars().next(),
        _ => None,
    };
    let before = section[..at].iter().rev().find_map(letter);
    let behind = section[at + 1..].iter().find_map(letter);
    before == Some('h') || behind == Some('s')
}

fn field(moment: Moment, run: &str, is_half_day: bool, is_minutes: bool) -> String {
    let hour = match (is_half_day, moment.hour % 12) {
        (false, _) => moment.hour,
        (true, 0) => 12,
        (true, hour) => hour,
    };
    let month = MONTHS[(moment.month.max(1) - 1).min(11)];
    let weekday = DAYS[moment.weekday];
    match (run, is_minutes) {
        ("yy" | "y", _) => format!("{:02}", moment.year % 100),
        (run, _) if run.starts_with('y') => moment.year.to_string(),
        ("m", true) => moment.minute.to_string(),
        (run, true) if run.starts_with('m') => format!("{:02}", moment.minute),
        ("m", _) => moment.month.to_string(),
        ("mm", _) => format!("{:02}", moment.month),
        ("mmm", _) => month[..3].to_owned(),
        ("mmmmm", _) => month[..1].to_owned(),
        (run, _) if run.starts_with('m') => month.to_owned(),
        ("d", _) => moment.day.to_string(),
        ("dd", _) => format!("{:02}", moment.day),
        ("ddd", _) => weekday[..3].to_owned(),
        (run, _) if run.starts_with('d') => weekday.to_owned(),
        ("h", _) => hour.to_string(),
        (run, _) if run.starts_with('h') => format!("{hour:02}"),
        ("s", _) => moment.second.to_string(),
        (run, _) if run.starts_with('s') => format!("{:02}", moment.second),
        _ if moment.hour < 12 => "AM".to_owned(),
        _ => "PM".to_owned(),
    }
}

fn elapsed(value: f64, run: &str) -> String {
    let per_day = match run.chars().next() {
        Some('h') => 24.0,
        Some('m') => 1440.0,
        _ => 86_400.0,
    };
    // A hair more, since 7:00 is stored as a fraction a hair below.
    let count = (value * per_day + 1e-6).floor() as i64;
    format!("{count:0width$}", width = run.len())
}

#[cfg(test)]
mod tests {
    use super::super::number_format::display;

    #[test]
    fn dates_are_shown_as_the_sheet_shows_them() {
        let cases = [
            (45_292.0, "yyyy-mm-dd", "2024-01-01"),
            (45_292.5, "m/d/yy h:mm", "1/1/24 12:00"),
            (0.260_416_666_7, "h:mm AM/PM", "6:15 AM"),
            (0.75, "h:mm:ss", "18:00:00"),
            (45_351.0, "dddd, mmmm d, yyyy", "Thursday, February 29, 2024"),
            (45_351.0, "d-mmm-yy", "29-Feb-24"),
            (1.5, "[h]:mm", "36:00"),
            (1.0, "yyyy-mm-dd", "1900-01-01"),
            (61.0, "yyyy-mm-dd", "1900-03-01"),
            (0.5, "mm:ss.0", "00:00.0"),
        ];
        for (value, code, shown) in cases {
            assert_eq!(display(value, code, false), shown, "{value} as {code}");
        }
        assert_eq!(display(0.0, "yyyy-mm-dd", true), "1904-01-01");
        assert_eq!(display(-1.0, "yyyy-mm-dd", false), "-1");
    }
}

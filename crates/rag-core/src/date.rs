//! Calendar dates, as documents carry them and filters compare them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use time::macros::format_description;

/// Julian day number of 1970-01-01.
const EPOCH_JULIAN_DAY: i32 = 2_440_588;

/// A calendar date, written `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date(time::Date);

/// A text that is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a date: write YYYY-MM-DD")]
pub struct DateError {
    /// The refused text.
    pub text: String,
}

impl Date {
    /// Days since 1970-01-01, negative before.
    pub fn days_since_epoch(self) -> i32 {
        self.0.to_julian_day() - EPOCH_JULIAN_DAY
    }
}

impl FromStr for Date {
    type Err = DateError;

    /// Reads `YYYY-MM-DD`, also when a time of day follows (`2026-04-10T08:00:00Z`).
    fn from_str(text: &str) -> Result<Self, DateError> {
        let refused = || DateError {
            text: text.chars().take(40).collect(),
        };
        let (day, rest) = text.split_at_checked(10).ok_or_else(refused)?;
        if !(rest.is_empty() || rest.starts_with(['T', 't', ' '])) {
            return Err(refused());
        }
        time::Date::parse(day, format_description!("[year]-[month]-[day]"))
            .map(Self)
            .map_err(|_| refused())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.0.to_calendar_date();
        write!(f, "{year:04}-{:02}-{day:02}", u8::from(month))
    }
}

impl TryFrom<String> for Date {
    type Error = DateError;

    fn try_from(text: String) -> Result<Self, DateError> {
        text.parse()
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_round_trip_and_compare() {
        let date: Date = "2026-04-10T08:00:00Z".parse().unwrap();
        assert_eq!(date.to_string(), "2026-04-10");
        assert!(date > "2025-12-31".parse().unwrap());
        assert_eq!("1970-01-02".parse::<Date>().unwrap().days_since_epoch(), 1);
    }

    #[test]
    fn other_texts_are_refused() {
        for bad in [
            "",
            "2026",
            "2026-13-01",
            "10/04/2026",
            "2026-04-10x",
            "yesterday…",
        ] {
            assert!(bad.parse::<Date>().is_err(), "{bad}");
        }
    }
}

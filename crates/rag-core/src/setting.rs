//! The one way in which settings outside their range are refused.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// A setting has a value that cannot be worked with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}: {allowed}")]
pub struct SettingError {
    /// The setting with its table, such as `index.search.k1`.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Which values are allowed.
    pub allowed: String,
}

impl SettingError {
    /// Refuses `value` of the setting `name`; `allowed` tells what to choose instead.
    pub fn new(name: &'static str, value: impl Display, allowed: impl Into<String>) -> Self {
        Self {
            name,
            value: value.to_string(),
            allowed: allowed.into(),
        }
    }
}

/// Refuses a value outside `range`, and NaN.
///
/// ```
/// use rag_core::setting::in_range;
///
/// assert!(in_range("rerank.keep", 5, 1..=1000).is_ok());
/// let refused = in_range("index.search.b", f32::NAN, 0.0..=1.0).unwrap_err();
/// assert_eq!(refused.to_string(), "index.search.b is NaN: choose a value from 0 to 1");
/// ```
pub fn in_range<T: PartialOrd + Display>(
    name: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), SettingError> {
    if range.contains(&value) {
        return Ok(());
    }
    let allowed = format!("choose a value from {} to {}", range.start(), range.end());
    Err(SettingError::new(name, value, allowed))
}

//! Conditions on a passage's metadata, applied before anything is ranked.

use serde::{Deserialize, Serialize};

use crate::access::Principal;
use crate::date::Date;
use crate::language::Language;
use crate::passage::Passage;

/// Which passages a question may consider, beside what its asker may read.
///
/// Unknown fields are refused when a filter is read: a condition that is silently dropped would
/// widen the search. A passage without a date fails any date condition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// Keeps passages updated on this day or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_after: Option<Date>,
    /// Keeps passages updated on this day or earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_before: Option<Date>,
    /// Keeps passages in one of these languages; empty keeps all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<Language>,
    /// Keeps passages of one of these departments (compared without case); empty keeps all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub departments: Vec<String>,
}

impl Filter {
    /// True when the filter keeps everything.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// True when `passage` meets every condition and `principal` may read it.
    ///
    /// This is the definition; an index evaluates the same from bitmaps.
    pub fn keeps(&self, passage: &Passage, principal: &Principal) -> bool {
        passage.access.allows(principal)
            && self.keeps_date(passage.updated)
            && self.keeps_language(passage.language)
            && self.keeps_department(passage.department.as_deref())
    }

    /// True when `updated` meets the date conditions.
    pub fn keeps_date(&self, updated: Option<Date>) -> bool {
        let after = self
            .updated_after
            .is_none_or(|day| updated.is_some_and(|u| u >= day));
        let before = self
            .updated_before
            .is_none_or(|day| updated.is_some_and(|u| u <= day));
        after && before
    }

    /// True when `language` meets the language condition.
    pub fn keeps_language(&self, language: Language) -> bool {
        self.languages.is_empty() || self.languages.contains(&language)
    }

    /// True when `department` meets the department condition.
    pub fn keeps_department(&self, department: Option<&str>) -> bool {
        self.departments.is_empty()
            || department.is_some_and(|own| {
                let own = own.to_lowercase();
                self.departments.iter().any(|wanted| wanted.to_lowercase() == own)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_field_is_an_error() {
        assert!(serde_json::from_str::<Filter>(r#"{"updated_aftr":"2024-01-01"}"#).is_err());
    }

    #[test]
    fn a_passage_without_a_date_fails_a_date_condition() {
        let filter = Filter {
            updated_after: Some("2024-01-01".parse().unwrap()),
            ..Filter::default()
        };
        assert!(!filter.keeps_date(None));
        assert!(filter.keeps_date(Some("2024-01-01".parse().unwrap())));
        assert!(!filter.keeps_date(Some("2023-12-31".parse().unwrap())));
    }

    #[test]
    fn departments_compare_without_case() {
        let filter = Filter {
            departments: vec!["finance".to_owned()],
            ..Filter::default()
        };
        assert!(filter.keeps_department(Some("Finance")));
        assert!(!filter.keeps_department(None));
    }
}

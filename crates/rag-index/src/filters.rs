//! `filters.bin`: for each group, language and department the passages that have it, and every date.

use std::collections::BTreeMap;

use rag_core::access::Principal;
use rag_core::date::Date;
use rag_core::filter::Filter;
use rag_core::language::Language;
use rag_core::passage::Passage;
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

/// Name of the file in a generation.
pub(crate) const FILTERS_FILE: &str = "filters.bin";

/// Kind of its frame.
pub(crate) const FILTERS_KIND: [u8; 4] = *b"FILT";

/// Stands in the date column for a passage without a date; no date is that old.
const NO_DATE: i32 = i32::MIN;

/// What decides which passages may be shown. Passages are pushed in the order of their ordinals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Filters {
    groups: BTreeMap<String, RoaringBitmap>,
    languages: BTreeMap<Language, RoaringBitmap>,
    /// By name in lower case.
    departments: BTreeMap<String, RoaringBitmap>,
    /// Days since 1970-01-01 by ordinal.
    days: Vec<i32>,
}

impl Filters {
    /// Adds the next passage.
    pub(crate) fn push(&mut self, passage: &Passage) {
        let ordinal = self.len();
        for group in passage.access.groups() {
            insert(&mut self.groups, group, ordinal);
        }
        self.languages
            .entry(passage.language)
            .or_default()
            .insert(ordinal);
        if let Some(department) = &passage.department {
            insert(&mut self.departments, &department.to_lowercase(), ordinal);
        }
        let day = passage.updated.map(Date::days_since_epoch);
        self.days.push(day.unwrap_or(NO_DATE));
    }

    /// Number of passages.
    pub(crate) fn len(&self) -> u32 {
        self.days.len() as u32
    }

    /// The languages present, in the order of their codes.
    pub(crate) fn languages(&self) -> impl Iterator<Item = Language> {
        self.languages.keys().copied()
    }

    /// The passages that `principal` may read and `filter` keeps; the same as [`Filter::keeps`] says.
    pub(crate) fn evaluate(&self, principal: &Principal, filter: &Filter) -> RoaringBitmap {
        let mut allowed = self.readable(principal);
        if !filter.languages.is_empty() {
            allowed &= union(&self.languages, filter.languages.iter().copied());
        }
        if !filter.departments.is_empty() {
            let wanted = filter.departments.iter().map(|name| name.to_lowercase());
            allowed &= union(&self.departments, wanted);
        }
        if filter.updated_after.is_some() || filter.updated_before.is_some() {
            allowed &= self.dated(filter);
        }
        allowed
    }

    /// The passages that `principal` may read.
    pub(crate) fn readable(&self, principal: &Principal) -> RoaringBitmap {
        union(&self.groups, principal.groups().map(str::to_owned))
    }

    /// The languages of the passages `ordinals`, in the order of their codes.
    pub(crate) fn languages_of(&self, ordinals: &RoaringBitmap) -> Vec<Language> {
        let present = self.languages.iter();
        let present = present.filter(|(_, passages)| !passages.is_disjoint(ordinals));
        present.map(|(&language, _)| language).collect()
    }

    /// The passages of each department, in the order of their names.
    pub(crate) fn departments(&self) -> impl Iterator<Item = &RoaringBitmap> {
        self.departments.values()
    }

    fn dated(&self, filter: &Filter) -> RoaringBitmap {
        let first = filter.updated_after.map_or(NO_DATE + 1, Date::days_since_epoch);
        let last = filter.updated_before.map_or(i32::MAX, Date::days_since_epoch);
        let kept = self.days.iter().zip(0..);
        let kept = kept.filter(|&(&day, _)| first <= day && day <= last);
        RoaringBitmap::from_sorted_iter(kept.map(|(_, ordinal)| ordinal)).expect("ordinals ascend")
    }
}

fn insert(bitmaps: &mut BTreeMap<String, RoaringBitmap>, name: &str, ordinal: u32) {
    match bitmaps.get_mut(name) {
        Some(bitmap) => {
            bitmap.insert(ordinal);
        }
        None => {
            bitmaps.insert(name.to_owned(), RoaringBitmap::from_iter([ordinal]));
        }
    }
}

/// The union of the bitmaps of `names`; a name that no passage has adds nothing.
fn union<K: Ord>(bitmaps: &BTreeMap<K, RoaringBitmap>, names: impl Iterator<Item = K>) -> RoaringBitmap {
    let mut union = RoaringBitmap::new();
    for name in names {
        if let Some(bitmap) = bitmaps.get(&name) {
            union |= bitmap;
        }
    }
    union
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::passage;
    use proptest::prelude::*;
    use rag_core::access::AccessList;

    const GROUPS: &[&str] = &["everyone", "finance", "hr", "exec"];
    const LANGUAGES: &[&str] = &["en", "ar", "und"];
    const DEPARTMENTS: &[&str] = &["Finance", "finance", "IT", "Straße"];
    const DATES: &[&str] = &["1969-12-31", "2024-01-01", "2025-06-30", "2026-04-10"];

    fn some_of(names: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
        prop::collection::vec(prop::sample::select(names), 0..3)
    }

    fn passages() -> impl Strategy<Value = Vec<Passage>> {
        let one = (
            some_of(GROUPS),
            prop::sample::select(LANGUAGES),
            prop::option::of(prop::sample::select(DEPARTMENTS)),
            prop::option::of(prop::sample::select(DATES)),
        );
        let one = one.prop_map(|(groups, language, department, updated)| Passage {
            access: AccessList::from_iter(groups),
            language: language.parse().unwrap(),
            department: department.map(str::to_owned),
            updated: updated.map(|date| date.parse().unwrap()),
            ..passage("a", 0, "text")
        });
        prop::collection::vec(one, 0..20)
    }

    fn filters() -> impl Strategy<Value = Filter> {
        let date = || prop::option::of(prop::sample::select(DATES));
        let departments = some_of(&["FINANCE", "it", "strasse", "none"]);
        let languages = some_of(&["en", "ar", "fr"]);
        (date(), date(), languages, departments).prop_map(|(after, before, languages, departments)| Filter {
            updated_after: after.map(|d| d.parse().unwrap()),
            updated_before: before.map(|d| d.parse().unwrap()),
            languages: languages.into_iter().map(|l| l.parse().unwrap()).collect(),
            departments: departments.into_iter().map(str::to_owned).collect(),
        })
    }

    proptest! {
        #[test]
        fn filters_never_leak(passages in passages(), filter in filters(), groups in some_of(&["finance", "hr", "x"])) {
            let principal = Principal::from_iter(groups);
            let mut columns = Filters::default();
            for passage in &passages {
                columns.push(passage);
            }
            let kept = passages.iter().zip(0u32..).filter(|(passage, _)| filter.keeps(passage, &principal));
            let expected: RoaringBitmap = kept.map(|(_, ordinal)| ordinal).collect();
            prop_assert_eq!(columns.evaluate(&principal, &filter), expected);
        }
    }
}

//! Who asks, and who may read: groups, principals and access lists.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The group that every principal belongs to.
pub const EVERYONE: &str = "everyone";

/// The groups that may read a document. An empty list means nobody.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccessList(BTreeSet<String>);

impl AccessList {
    /// A list that every principal satisfies.
    pub fn public() -> Self {
        Self::from_iter([EVERYONE])
    }

    /// True when `principal` is in at least one of the groups.
    pub fn allows(&self, principal: &Principal) -> bool {
        self.0.iter().any(|group| principal.groups.contains(group))
    }

    /// The groups, in order.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// True when nobody may read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True when somebody may read by this list who may not by `other`.
    pub fn is_wider_than(&self, other: &Self) -> bool {
        !other.0.contains(EVERYONE) && !self.0.is_subset(&other.0)
    }
}

impl fmt::Display for AccessList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nobody");
        }
        f.write_str(&self.groups().collect::<Vec<_>>().join(", "))
    }
}

impl<S: Into<String>> FromIterator<S> for AccessList {
    fn from_iter<I: IntoIterator<Item = S>>(groups: I) -> Self {
        Self(clean(groups))
    }
}

/// The asker: the set of groups that they belong to, [`EVERYONE`] always among them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct Principal {
    groups: BTreeSet<String>,
}

impl Principal {
    /// An asker who belongs to no group but [`EVERYONE`].
    pub fn everyone() -> Self {
        Self::from_iter::<[&str; 0]>([])
    }

    /// The groups, in order.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(String::as_str)
    }
}

impl Default for Principal {
    fn default() -> Self {
        Self::everyone()
    }
}

impl<S: Into<String>> FromIterator<S> for Principal {
    fn from_iter<I: IntoIterator<Item = S>>(groups: I) -> Self {
        let mut groups = clean(groups);
        groups.insert(EVERYONE.to_owned());
        Self { groups }
    }
}

impl From<Vec<String>> for Principal {
    fn from(groups: Vec<String>) -> Self {
        groups.into_iter().collect()
    }
}

impl From<Principal> for Vec<String> {
    fn from(principal: Principal) -> Self {
        principal.groups.into_iter().collect()
    }
}

fn clean<S: Into<String>>(groups: impl IntoIterator<Item = S>) -> BTreeSet<String> {
    groups
        .into_iter()
        .map(|group| group.into().trim().to_owned())
        .filter(|group| !group.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_wider_when_it_lets_somebody_else_read() {
        let list = |groups: &[&str]| groups.iter().copied().collect::<AccessList>();
        for (one, other, expected) in [
            (&["everyone"][..], &[][..], true),
            (&["hr"], &["everyone"], false),
            (&["hr", "it"], &["hr"], true),
            (&["hr"], &["hr", "it"], false),
            (&[], &[], false),
        ] {
            assert_eq!(
                list(one).is_wider_than(&list(other)),
                expected,
                "{one:?} {other:?}"
            );
        }
        assert_eq!(list(&[]).to_string(), "nobody");
        assert_eq!(list(&["it", "hr"]).to_string(), "hr, it");
    }

    #[test]
    fn access_needs_a_shared_group() {
        let cases: &[(&[&str], &[&str], bool)] = &[
            (&["everyone"], &[], true),
            (&["finance"], &[], false),
            (&["finance"], &["finance"], true),
            (&["finance", "exec"], &["exec", "hr"], true),
            (&["finance"], &["Finance"], false),
            (&[], &["finance"], false),
            (&[" "], &[""], false),
        ];
        for (list, groups, allowed) in cases {
            let list: AccessList = list.iter().copied().collect();
            let principal: Principal = groups.iter().copied().collect();
            assert_eq!(list.allows(&principal), *allowed, "{list:?} {principal:?}");
        }
    }
}

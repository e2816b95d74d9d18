//! Names of metadata fields: how they are compared, and which ones are most likely meant as `access`.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

/// The field that says who may read a document.
pub(crate) const ACCESS: &str = "access";

/// Most edits (a letter changed, added, dropped or swapped) by which a name may miss `access`.
const MAX_EDITS: usize = 2;

/// Other words for who may read a document, as parts of a name.
const PARTS: &[&str] = &["group", "acl", "acls", "permission", "reader", "viewer"];

/// Likewise, wherever they stand in a name, as in `allowedReaders`.
const FRAGMENTS: &[&str] = &["access", "acess", "groups", "permissions", "readers", "viewers"];

/// Properties of schema.org about readers with disabilities, which say nothing about who may read.
const ACCESSIBILITY: &[&str] = &[
    "accessibility",
    "accessibilityapi",
    "accessibilitycontrol",
    "accessibilityfeature",
    "accessibilityhazard",
    "accessibilitysummary",
    "accessmode",
    "accessmodesufficient",
];

/// True for characters that show nothing: controls, zero-width spaces, marks of direction and of byte order.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{FEFF}')
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E0FFF}')
}

/// The form in which names are compared: compatible characters are one, case and what cannot be seen do
/// not count.
pub(crate) fn fold(name: &str) -> String {
    let seen: String = name.nfkc().filter(|&c| !is_invisible(c)).collect();
    seen.trim().to_lowercase()
}

/// The name of a field: folded, with `-` and spaces read as `_`.
pub(super) fn field_name(name: &str) -> String {
    fold(name).replace(['-', ' '], "_")
}

/// True for a field's name that is not `access` but most likely meant so: a slip of the pen, or
/// another word for the same.
pub(crate) fn is_near_access(name: &str) -> bool {
    let name = field_name(name);
    let parts = || name.split(|c: char| !c.is_alphanumeric());
    let own = parts().next_back().unwrap_or_default();
    if name == ACCESS || ACCESSIBILITY.contains(&own) {
        return false;
    }
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    strsim::osa_distance(&letters, ACCESS) <= MAX_EDITS
        || FRAGMENTS.iter().any(|fragment| letters.contains(fragment))
        || parts().any(|part| PARTS.contains(&part))
}

/// The first field inside `value` that is `access` or near it. Nothing is read from there, so that an
/// access list in a table of its own must not be passed over.
pub(super) fn access_inside(value: &Value) -> Option<&str> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(fields) => {
                let is_access = |name: &&String| field_name(name) == ACCESS || is_near_access(name);
                if let Some(name) = fields.keys().find(is_access) {
                    return Some(name);
                }
                pending.extend(fields.values());
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_synonyms_of_access_are_recognised() {
        let near = [
            "acess",
            "acces",
            "accsess",
            "Accesss",
            "axcess",
            "acecss",
            "access_",
            "access-list",
            "accessGroups",
            "Zugriff access",
            "groups",
            "Group",
            "allowed_groups",
            "allowedGroups",
            "acl",
            "page.acl",
            "permissions",
            "permission",
            "readers",
            "reader",
            "og:access",
            "dc.accessRights",
            "\u{430}ccess",
        ];
        for name in near {
            assert!(is_near_access(name), "{name}");
        }
        let far = [
            "access",
            "ACCESS",
            "acc\u{200b}ess",
            "ａｃｃｅｓｓ",
            "address",
            "process",
            "author",
            "tags",
            "date",
            "oracle",
            "product",
            "owner",
            "accessibilityFeature",
            "schema:accessMode",
            "",
        ];
        for name in far {
            assert!(!is_near_access(name), "{name}");
        }
    }

    #[test]
    fn an_access_list_in_a_table_of_its_own_is_found() {
        let value = serde_json::json!({"a": [{"b": 1}, {"c": {"Access": "hr"}}]});
        assert_eq!(access_inside(&value), Some("Access"));
        assert_eq!(access_inside(&serde_json::json!({"a": ["access"]})), None);
    }
}

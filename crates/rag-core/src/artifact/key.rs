//! The key of an artifact: a digest of everything that decides its content.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::Digest;

/// Digest of stage, stage version, configuration, input keys, model digests and seed.
///
/// Two runs with the same key write the same artifact, so the second need not run.
pub type ArtifactKey = Digest;

/// The digest of `parts` as JSON, independent of the order of any object's fields.
pub(super) fn key_of<T: Serialize>(parts: &T) -> ArtifactKey {
    let value = serde_json::to_value(parts).expect("keys are made of plain data");
    let mut text = String::new();
    write_canonical(&value, &mut text);
    Digest::of(text.as_bytes())
}

/// Writes `value` with every object's fields sorted.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<_, _> = fields.iter().collect();
            out.push('{');
            for (name, field) in sorted {
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write_canonical(field, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_depends_on_values_but_not_on_field_order() {
        let digest = |json: &str| key_of(&serde_json::from_str::<Value>(json).unwrap());
        assert_eq!(digest(r#"{"a":1,"b":[2]}"#), digest(r#"{"b":[2],"a":1}"#));
        assert_ne!(digest(r#"{"a":1}"#), digest(r#"{"a":2}"#));
    }
}

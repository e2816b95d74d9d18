//! A key that can be used and compared with, but not shown.

use std::fmt;

use serde::{Serialize, Serializer};

/// What stands in the place of a secret.
const HIDDEN: &str = "(hidden)";

/// A provider's key or token. Its `Debug`, `Display` and serialised forms hide it, and it cannot be read from a
/// settings file: the settings name a variable, and the caller looks it up.
///
/// ```
/// let key = rag_models::remote::Secret::new("sk-12345678");
/// assert_eq!(format!("{key} {key:?}"), "(hidden) Secret((hidden))");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the key; white space around it (a line's end in a variable) is not part of it.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    /// The key itself, for the request's header and nothing else.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({HIDDEN})")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_in_every_form() {
        let secret = Secret::new(" key-of-ada \n");
        assert_eq!(secret.reveal(), "key-of-ada");
        let forms = [
            format!("{secret}"),
            format!("{secret:?}"),
            format!("{:#?}", Some(&secret)),
            serde_json::to_string(&secret).unwrap(),
        ];
        for form in forms {
            assert!(!form.contains("ada"), "{form}");
        }
    }
}

//! `docProps/core.xml` and `docProps/custom.xml`: what the file says about itself.

use serde_json::Value;

use super::Package;
use crate::draft::{Draft, clean_line};
use crate::error::Failure;
use crate::metadata::Metadata;

/// Reads the properties into the draft. A custom property of the name of a metadata field is that field.
pub(crate) fn read(package: &mut Package<'_>, draft: &mut Draft) -> Result<(), Failure> {
    let mut fields: Vec<(String, Value)> = Vec::new();
    if let Some(custom) = package.part("docProps/custom.xml")? {
        let properties = custom.elements().filter_map(|property| {
            let value = Value::from(clean_line(&property.text()));
            Some((property.attribute("name")?.to_owned(), value))
        });
        fields.extend(properties);
    }
    let mut metadata =
        Metadata::from_fields(fields).map_err(|error| Failure::lasting("metadata", error.to_string()))?;
    if let Some(core) = package.part("docProps/core.xml")? {
        let text = |name: &str| {
            let found = core.child(name).map(|element| clean_line(&element.text()));
            found.filter(|text| !text.is_empty())
        };
        draft.fallback_title = text("title");
        metadata.language = metadata.language.or(text("language"));
        metadata.updated = metadata.updated.or(text("modified").or(text("created")));
        if let Some(creator) = text("creator") {
            metadata.other.entry("author".to_owned()).or_insert(creator);
        }
    }
    draft.metadata = metadata;
    Ok(())
}

//! Office Open XML files: parts in a zip archive, and how they refer to each other.

pub(crate) mod properties;

use std::collections::HashMap;

use crate::archive::Archive;
use crate::config::Config;
use crate::draft::Draft;
use crate::encoding::decode;
use crate::error::Failure;
use crate::xml::{self, Element, TreeBudget};

/// The parts of the file and how they refer to each other.
pub(crate) struct Package<'p> {
    archive: Archive<'p>,
    max_depth: usize,
    trees: TreeBudget,
}

/// Parts that one part refers to.
pub(crate) struct Related {
    /// Target by id.
    by_id: HashMap<String, (String, String)>,
}

impl Related {
    /// Id, kind and target of each, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.by_id
            .iter()
            .map(|(id, (kind, target))| (id.as_str(), kind.as_str(), target.as_str()))
    }

    /// The target of the reference with this id.
    pub(crate) fn target(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(|(_, target)| target.as_str())
    }

    /// The target of the first reference whose type ends in `kind`.
    pub(crate) fn of_kind(&self, kind: &str) -> Option<&str> {
        let mut found: Vec<&str> = self
            .by_id
            .values()
            .filter(|(of, _)| of == kind)
            .map(|(_, target)| target.as_str())
            .collect();
        found.sort_unstable();
        found.first().copied()
    }
}

impl<'p> Package<'p> {
    pub(crate) fn open(bytes: &'p [u8], config: &Config, draft: &Draft) -> Result<Self, Failure> {
        Ok(Self {
            archive: Archive::open(bytes, &config.limits, &draft.unpacked)?,
            max_depth: config.limits.max_depth,
            trees: TreeBudget::default(),
        })
    }

    /// Reads and parses a part. What all parts cost in memory is bounded.
    pub(crate) fn part(&mut self, name: &str) -> Result<Option<Element>, Failure> {
        let Some(bytes) = self.archive.read(name)? else {
            return Ok(None);
        };
        let text = decode(&bytes, None)?.text;
        drop(bytes);
        xml::parse_text(&text, self.max_depth, &mut self.trees).map(Some)
    }

    /// Likewise for a part that the file can do without: nothing when it is damaged.
    pub(crate) fn part_unless_damaged(&mut self, name: &str) -> Result<Option<Element>, Failure> {
        match self.part(name) {
            Err(failure) if failure.reason == "damaged" => Ok(None),
            part => part,
        }
    }

    /// Says that the parts read so far, but for a few, are no longer held.
    pub(crate) fn forget_parts(&mut self) {
        self.trees = TreeBudget::default();
    }

    /// The bytes of a part.
    pub(crate) fn bytes(&mut self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.archive.read(name)
    }

    /// The name of the part that everything hangs on; `usual` when the file does not say.
    pub(crate) fn main_part(&mut self, usual: &str) -> Result<String, Failure> {
        let related = self.related("")?;
        Ok(related.of_kind("officeDocument").unwrap_or(usual).to_owned())
    }

    /// The parts that `name` refers to.
    pub(crate) fn related(&mut self, name: &str) -> Result<Related, Failure> {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let prefix = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let mut by_id = HashMap::new();
        if let Some(part) = self.part(&format!("{prefix}_rels/{file}.rels"))? {
            for reference in part.elements() {
                let attribute = |name| reference.attribute(name).unwrap_or_default();
                if attribute("TargetMode") == "External" {
                    continue;
                }
                let kind = attribute("Type")
                    .rsplit('/')
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                let target = match attribute("Target").strip_prefix('/') {
                    Some(absolute) => absolute.to_owned(),
                    None => without_dots(&format!("{prefix}{}", attribute("Target"))),
                };
                by_id.insert(attribute("Id").to_owned(), (kind, target));
            }
        }
        Ok(Related { by_id })
    }
}

/// A path inside the archive without its `.` and `..`.
pub(crate) fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_from_the_folder_of_their_part() {
        let cases = [
            ("ppt/slides/../media/a.png", "ppt/media/a.png"),
            ("./a//b", "a/b"),
            ("../../a", "a"),
        ];
        for (path, expected) in cases {
            assert_eq!(without_dots(path), expected);
        }
    }
}

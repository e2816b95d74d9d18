//! The passages that one asker may be shown for one question. Both legs, and reading, demand it.

use rag_core::artifact::ArtifactKey;
use rag_core::language::Language;
use roaring::RoaringBitmap;

use crate::error::IndexError;

/// The passages of one generation that a principal may read and a filter keeps.
///
/// Only [`crate::Generation::allowed`] makes one. It remembers its generation: used with another, whose
/// ordinals mean other passages, it is an error.
#[derive(Debug, Clone, PartialEq)]
pub struct AllowedSet {
    generation: ArtifactKey,
    ordinals: RoaringBitmap,
    basis: Option<Basis>,
}

/// All that the asker may read, kept by the filter or not: what scores are relative to under
/// [`crate::Statistics::Readable`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Basis {
    /// The passages.
    pub(crate) ordinals: RoaringBitmap,
    /// Their languages, in the order of their codes.
    pub(crate) languages: Vec<Language>,
}

impl AllowedSet {
    pub(crate) fn new(generation: ArtifactKey, ordinals: RoaringBitmap) -> Self {
        Self {
            generation,
            ordinals,
            basis: None,
        }
    }

    /// The same set, scored as if there were no passages but those of `basis`.
    pub(crate) fn on_basis(self, basis: Basis) -> Self {
        Self {
            basis: Some(basis),
            ..self
        }
    }

    /// What scores are relative to, when it is not the whole generation.
    pub(crate) fn basis(&self) -> Option<&Basis> {
        self.basis.as_ref()
    }

    /// True when the passage may be shown.
    pub fn contains(&self, ordinal: u32) -> bool {
        self.ordinals.contains(ordinal)
    }

    /// How many passages may be shown.
    pub fn len(&self) -> u64 {
        self.ordinals.len()
    }

    /// True when none may be shown.
    pub fn is_empty(&self) -> bool {
        self.ordinals.is_empty()
    }

    /// The passages' ordinals, ascending.
    pub fn ordinals(&self) -> impl Iterator<Item = u32> {
        self.ordinals.iter()
    }

    /// Refuses a set that another generation made.
    pub(crate) fn check(&self, generation: ArtifactKey) -> Result<(), IndexError> {
        if self.generation == generation {
            return Ok(());
        }
        Err(IndexError::ForeignAllowedSet)
    }
}

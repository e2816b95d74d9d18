//! The passages that one asker may be shown for one question. Both legs, and reading, demand it.

use rag_core::artifact::ArtifactKey;
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
}

impl AllowedSet {
    pub(crate) fn new(generation: ArtifactKey, ordinals: RoaringBitmap) -> Self {
        Self { generation, ordinals }
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

//! Why documents could not be cut into passages.

use rag_core::artifact::ArtifactError;
use rag_core::id::{DocumentId, PassageId};
use rag_core::setting::SettingError;

use crate::describe::DescriberError;

/// Why a document, or a whole run, could not be cut.
#[derive(Debug, thiserror::Error)]
pub enum ChunkError {
    /// A setting is outside its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A block lies outside its document's text, inside a character, or before the block above it.
    #[error(
        "block {block} of {document} claims bytes {start}..{end}, which its text or the block before it does not allow; parse the document again"
    )]
    Block {
        /// The document.
        document: DocumentId,
        /// The block's position among the document's blocks, from 0.
        block: usize,
        /// First byte claimed.
        start: usize,
        /// One past the last byte claimed.
        end: usize,
    },
    /// Passages are to be described and nobody was named who does.
    #[error(
        "chunk.context = \"described\" needs somebody who describes passages; set models.language_model, or models.descriptions to a file"
    )]
    NoDescriber,
    /// The describer failed.
    #[error("{passage} could not be described; what was written so far is kept, so run it again")]
    Describe {
        /// The passage.
        passage: PassageId,
        /// Why.
        source: DescriberError,
    },
    /// An artifact could not be read or written.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}

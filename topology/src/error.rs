//! What can be wrong with a mesh before any file is involved.

use serde::{Deserialize, Serialize};

/// An error in making a mesh or its levels; says what is wrong and what would be right, and can be sent between ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum MeshError {
    /// A mesh of this size or with these options cannot be made.
    #[error("{0}")]
    Generate(String),
    /// No topology has this word.
    #[error("{0}")]
    Unknown(String),
    /// A mesh that cannot be used for its purpose.
    #[error("{0}")]
    Unsuitable(String),
    /// Nodes or elements that do not make a mesh.
    #[error("{0}")]
    Element(String),
}

//! What can be wrong with a mesh before any file is involved.

use serde::{Deserialize, Serialize};

/// An error of making a mesh or its levels; says what is wrong and what would be right, and travels between ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum MeshError {
    /// A mesh of this size or these options cannot be made.
    #[error("{0}")]
    Generate(String),
    /// No topology has this word.
    #[error("{0}")]
    Unknown(String),
    /// A mesh that cannot be used for what it is wanted for.
    #[error("{0}")]
    Unsuitable(String),
    /// Nodes or elements of which no mesh can be made.
    #[error("{0}")]
    Element(String),
}

//! What can be wrong with a mesh before any file is involved.

use crate::derive::boundary::or;
use serde::{Deserialize, Serialize};

/// An error in making a mesh or its levels; says what is wrong and what would be right, and can be sent between ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum MeshError {
    /// A mesh of this size or with these options cannot be made.
    #[error("{0}")]
    Generate(String),
    /// No stored form has this word.
    #[error("{0}")]
    Unknown(String),
    /// A mesh that cannot be used for its purpose.
    #[error("{0}")]
    Unsuitable(String),
    /// Names of boundaries that imply no kind, and none is given for them.
    #[error("{what}; give it a kind, {} (Boundaries::give)", or(kinds))]
    Boundary {
        /// Which boundaries, and which exist.
        what: String,
        /// The names of the possible kinds.
        kinds: Vec<String>,
    },
    /// Nodes or elements that do not make a mesh.
    #[error("{0}")]
    Element(String),
}

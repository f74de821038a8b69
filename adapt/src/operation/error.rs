//! Why a mesh cannot be adapted.

use cfd_partition::PartitionError;
use serde::{Deserialize, Serialize};

/// Why a mesh cannot be adapted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub enum AdaptError {
    /// A tensor that is not a metric.
    #[error("the metric at {place} (vertex {vertex}) is {metric}; it must be finite and positive definite")]
    Metric {
        /// Row of the vertex in the input; its identity if it splits an edge.
        vertex: String,
        /// Its position.
        place: String,
        /// The entries.
        metric: String,
    },
    /// Two vertices with the same name.
    #[error("two vertices have the identity {identity}: the hash of their edges is too short for this mesh")]
    Identity {
        /// The identity.
        identity: String,
    },
    /// Vertices that cannot be divided among the ranks.
    #[error(transparent)]
    Balance(#[from] PartitionError),
    /// More elements than there may be.
    #[error(
        "{vertices} splits would make a mesh of about {elements:.3e} elements, of which at most {most:.3e} are allowed"
    )]
    Elements {
        /// Splits of the pass, on all ranks.
        vertices: u64,
        /// Elements after it.
        elements: f64,
        /// Elements allowed.
        most: f64,
    },
    /// Periodic boundaries of which one is not the other, moved.
    #[error("the periodic boundaries \"{first}\" and \"{second}\" do not match: {what}")]
    Periodic {
        /// The first boundary.
        first: String,
        /// The second.
        second: String,
        /// Why not.
        what: String,
    },
    /// An element too thin to be divided.
    #[error("the element {corners} is too thin to be split in double precision")]
    Thin {
        /// Positions of the corners.
        corners: String,
    },
}

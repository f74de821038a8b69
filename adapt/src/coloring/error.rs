//! What can be wrong with a graph or with its colors.

use cfd_engine::given::short;

use super::Algorithm;

/// Why a graph could not be made, or its colors are not a coloring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColoringError {
    /// No algorithm has this name.
    #[error("unknown coloring \"{}\"; use one of {}", short(name), Algorithm::NAMES.join(", "))]
    UnknownAlgorithm {
        /// What was given.
        name: String,
    },
    /// An end of an edge is not a vertex.
    #[error("edge {edge}: vertex {vertex} is not below {vertices}, the number of vertices")]
    Vertex {
        /// Index of the edge in the list.
        edge: usize,
        /// The end.
        vertex: u32,
        /// Vertices of the graph.
        vertices: u32,
    },
    /// More vertices than 32 bits can count.
    #[error("{vertices} vertices are too many; a graph has at most {}", u32::MAX)]
    TooManyVertices {
        /// The number asked for.
        vertices: u64,
    },
    /// The probabilities of a random graph do not add up.
    #[error("the probabilities of the four quadrants are {0:?} percent; their sum must be 100")]
    Probabilities([u32; 4]),
    /// The number of colors differs from that of vertices.
    #[error("{colors} colors for {vertices} vertices; each vertex needs one")]
    Length {
        /// Colors given.
        colors: usize,
        /// Vertices of the graph.
        vertices: u32,
    },
    /// A vertex that no algorithm has colored.
    #[error("vertex {vertex} has no color")]
    Uncolored {
        /// The vertex.
        vertex: u32,
    },
    /// Neighbours of the same color.
    #[error("vertices {} and {} are neighbours, and both have color {color}", ends[0], ends[1])]
    Conflict {
        /// The neighbours, the smaller first.
        ends: [u32; 2],
        /// Their color.
        color: u32,
    },
}

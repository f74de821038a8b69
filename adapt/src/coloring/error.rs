//! What can be wrong with a graph or with its colors.

use cfd_engine::given::short;

use super::Algorithm;

/// Why a graph could not be made, or its colors are none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColoringError {
    /// The name of an algorithm is none of the known ones.
    #[error("unknown coloring \"{}\"; use one of {}", short(name), Algorithm::NAMES.join(", "))]
    UnknownAlgorithm {
        /// What was given.
        name: String,
    },
    /// An edge has an end that is no vertex.
    #[error("edge {edge}: vertex {vertex} is not below {vertices}, the number of vertices")]
    Vertex {
        /// Position of the edge in the list.
        edge: usize,
        /// The end.
        vertex: u32,
        /// Vertices of the graph.
        vertices: u32,
    },
    /// More vertices than numbers of 32 bits can count.
    #[error("{vertices} vertices are too many; a graph has at most {}", u32::MAX)]
    TooManyVertices {
        /// What was asked for.
        vertices: u64,
    },
    /// The probabilities of a random graph do not add up.
    #[error("the probabilities of the four quadrants are {0:?} percent; their sum must be 100")]
    Probabilities([u32; 4]),
    /// Another number of colors than of vertices.
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
    /// Neighbours of one color.
    #[error("vertices {} and {} are neighbours, and both have color {color}", ends[0], ends[1])]
    Conflict {
        /// The neighbours, the smaller first.
        ends: [u32; 2],
        /// Their color.
        color: u32,
    },
}

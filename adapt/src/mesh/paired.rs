//! Pairs of periodic boundaries.

use cfd_mesh::Periodic;

/// Two boundaries of a mesh, the second of which is the first, moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The names, the motion, and how near a moved vertex must be.
    pub given: Periodic,
    /// The numbers ([`number_of`](super::number_of)) of the tags of the facets of both.
    pub numbers: [Vec<u16>; 2],
}

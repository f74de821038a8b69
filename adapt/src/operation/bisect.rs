//! Splits of the longest edges of stretched elements.
//!
//! An element that is long and thin in the metric has two or three long edges. If all of them were split, the short
//! sides of its parts would be a half of its own short side, and so on from pass to pass: as many vertices along the
//! direction in which it is thin as along the other. So only its longest edge is split; then swaps turn the parts.

use std::cmp::Ordering;

use cfd_engine::plug::ThreadPool;

use super::AdaptError;
use super::middle::Edge;
use super::refine::{self, Refine};
use super::select::{Proposal, Proposals};
use super::swap::share_triangle;
use crate::mesh::{Local, Mesh};
use crate::threads::map;

/// Part of the salt, as [`Operation::KIND`](super::pass::Operation::KIND).
const KIND: u64 = 32;

/// What counts as stretched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretched {
    /// The longest edge is longer than this.
    pub long: f64,
    /// The shape is below this.
    pub shape: f64,
}

/// An edge with its length.
type Measured = (f64, Edge);

/// Orders edges by length; of two equally long ones, that of smaller identities is the greater.
fn compare(local: &Local<2>, one: &Measured, other: &Measured) -> Ordering {
    let identities = |&(_, (a, b)): &Measured| (local.identity(a), local.identity(b));
    one.0.total_cmp(&other.0).then_with(|| identities(other).cmp(&identities(one)))
}

impl Stretched {
    /// The longest edge of an element, if it is stretched.
    fn longest(&self, local: &Local<2>, e: u32) -> Option<Measured> {
        let corners = local.elements.corners(e);
        let edge = |i: usize| {
            let (a, b) = local.ordered(corners[i], corners[(i + 1) % 3]);
            (local.length(a, b), (a, b))
        };
        let longest = (0..3).map(edge).max_by(|one, other| compare(local, one, other))?;
        (longest.0 > self.long && local.shape_of(corners) < self.shape).then_some(longest)
    }

    /// Among the edges from `v` to vertices of larger identity, the longest that is the longest of a stretched element.
    fn propose(&self, local: &Local<2>, v: u32) -> Option<Proposal> {
        let edges = local.star(v).iter().filter_map(|&e| self.longest(local, e));
        let own = edges.filter(|&(_, (first, _))| first == v);
        let (length, (_, target)) = own.max_by(|one, other| compare(local, one, other))?;
        // The exponent: 1 for lengths from 1 to 2, one more for each factor of 2.
        let level = (length.to_bits() >> 52).saturating_sub(1022).clamp(1, 255);
        Some(Proposal { target, level: level as u8 })
    }
}

/// How many elements are stretched, on all ranks. Collective.
pub(crate) fn count(mesh: &Mesh<2>, pool: &ThreadPool, stretched: &Stretched) -> u64 {
    let local = &mesh.local;
    let own: Vec<u32> = local.own_elements().collect();
    let found = map(pool, &own, |&e| stretched.longest(local, e).is_some());
    mesh.comm.sum(found.into_iter().filter(|&found| found).count() as u64)
}

/// Splits the longest edges of stretched elements, no two of one element; returns how many of them belong to this rank.
/// Collective.
///
/// # Errors
/// As [`refine::run`].
pub(crate) fn run(
    mesh: &mut Mesh<2>,
    pool: &ThreadPool,
    stretched: &Stretched,
    refine: &Refine<2>,
    pass: u64,
    rounds: usize,
) -> Result<u64, AdaptError> {
    let local = &mesh.local;
    let vertices: Vec<u32> = local.own_vertices().collect();
    let found = map(pool, &vertices, |&v| stretched.propose(local, v));
    let own: Vec<(u32, Proposal)> =
        vertices.iter().zip(found).filter_map(|(&v, found)| found.map(|p| (v, p))).collect();
    let mut proposals = Proposals::new(mesh, &own, KIND << 32 | pass);
    proposals.select(mesh, pool, &own, rounds, |proposals, v, w| share_triangle(local, proposals, v, w));
    let edges = proposals.selected_anywhere(mesh);
    refine::run_on(mesh, pool, refine, &edges)
}

//! Collapses where there are more elements than the metric asks for.
//!
//! Edges of right lengths alone do not give the right number of elements: those of right-angled triangles may all be
//! shorter than 1. So areas decide here. Among unit elements, those around a vertex would be
//!
//! ```text
//! sum of |T| sqrt(det M) / 0.433
//! ```
//!
//! many. A collapse inside takes away two; so where there is more than one too many, it brings their number nearer to
//! that of unit elements. Moves then make the elements larger that remain.

use super::coarsen::{Coarsen, Requirement};
use super::pass::{Cavity, Operation};
use super::select::{Proposal, Proposals};
use crate::geometry::{Geometry, Space};
use crate::mesh::Local;
use crate::transfer::Replacement;

/// Only edges shorter than this are collapsed.
const SHORT: f64 = 1.0;

/// No collapse makes an edge longer than this: on a regular grid of right-angled triangles, all double one.
const LONG: f64 = 2.0;

/// Swaps and moves follow: elements need not be better than this, or than the worst was.
const QUALITY: f64 = 0.3;

/// How many elements too many there must be in the first turn, and how many more in each later one. In a mesh with the
/// right number there are a few more here and a few less there, and adaptations follow one another: with no more than
/// 1, each would take away some.
const EXCESS: [f64; 2] = [1.05, 0.5];

/// Numbers of elements are sums of this.
const PART: f64 = 1.0 / (1u64 << 40) as f64;

/// Collapses at vertices around which there are too many elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thin {
    excess: f64,
    coarsen: Coarsen,
}

impl Thin {
    /// Those of a turn of improvement.
    pub fn in_turn(turn: usize) -> Thin {
        let [first, more] = EXCESS;
        let requirement = Requirement::AtLeast { quality: QUALITY };
        let coarsen = Coarsen { short: SHORT, long: LONG, requirement };
        Thin { excess: first + more * turn as f64, coarsen }
    }
}

/// How many more elements there are around a vertex than unit ones in their place.
fn excess<const D: usize>(local: &Local<D>, v: u32) -> f64
where
    Space<D>: Geometry<D>,
{
    let star = local.star(v);
    // The sum's bits decide: integers have the same in any order.
    let units: i64 = star.iter().map(|&e| (local.units(e) / PART) as i64).fold(0, i64::saturating_add);
    star.len() as f64 - units as f64 * PART
}

impl<const D: usize> Operation<D> for Thin
where
    Space<D>: Geometry<D>,
{
    const KIND: u8 = 64;

    fn propose(&self, local: &Local<D>, v: u32) -> Option<Proposal> {
        if excess(local, v) < self.excess { None } else { self.coarsen.propose(local, v) }
    }

    fn conflict(local: &Local<D>, proposals: &Proposals, v: u32, w: u32) -> bool {
        <Coarsen as Operation<D>>::conflict(local, proposals, v, w)
    }

    fn replacement(local: &Local<D>, v: u32, target: u32) -> Replacement {
        <Coarsen as Operation<D>>::replacement(local, v, target)
    }

    fn apply(local: &mut Local<D>, v: u32, target: u32) -> Cavity {
        <Coarsen as Operation<D>>::apply(local, v, target)
    }
}

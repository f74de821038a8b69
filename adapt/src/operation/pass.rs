//! One pass of an operation that vertices propose: collapses, swaps.

use cfd_engine::plug::ThreadPool;
use smallvec::SmallVec;

use super::select::{Proposal, Proposals};
use crate::geometry::{Geometry, Space};
use crate::mesh::{Changes, Identity, Local, Mesh, Numbers};
use crate::threads::{filter_bits, map};
use crate::transfer::{Replacement, carry_all, put, update_slopes};

/// An operation on the elements around a vertex or an edge.
pub(crate) trait Operation<const D: usize>: Sync {
    /// The bit of `Vertices::marks` for vertices worth looking at, and part of the salt.
    const KIND: u8;
    /// What a vertex of this rank would do; reads only its star.
    fn propose(&self, local: &Local<D>, v: u32) -> Option<Proposal>;
    /// Whether the proposals of two neighbours, of which this rank owns `v`, change a common element, or one removes a
    /// vertex of the other's elements.
    fn conflict(local: &Local<D>, proposals: &Proposals, v: u32, w: u32) -> bool;
    /// The elements that the operation would replace, and their replacements.
    fn replacement(local: &Local<D>, v: u32, target: u32) -> Replacement;
    /// Carries the operation out and returns what it has changed.
    fn apply(local: &mut Local<D>, v: u32, target: u32) -> Cavity;
}

/// The elements that an operation has replaced by others.
pub(crate) struct Cavity {
    /// The vertex, or the two ends of the edge, that all removed elements contained.
    pub gone: SmallVec<[Identity; 2]>,
    /// Vertices of the removed elements that still exist.
    pub ring: Numbers,
    /// The new elements, in the order of the operation's replacement.
    pub new: Numbers,
}

/// Looks at every marked vertex once, selects proposals and carries them out; returns the number of operations on this
/// rank. A vertex without a proposal stays unmarked until something around it changes. Collective.
pub(crate) fn run<const D: usize, O: Operation<D>>(
    mesh: &mut Mesh<D>,
    pool: &ThreadPool,
    operation: &O,
    pass: u64,
    rounds: usize,
) -> u64
where
    Space<D>: Geometry<D>,
{
    let local = &mesh.local;
    let marked = filter_bits(pool, &local.vertices.marks, O::KIND, |&v| local.is_own(v));
    let found = map(pool, &marked, |&v| operation.propose(local, v));
    let own: Vec<(u32, Proposal)> =
        marked.iter().zip(&found).filter_map(|(&v, found)| found.map(|p| (v, p))).collect();
    let mut proposals = Proposals::new(mesh, &own, u64::from(O::KIND) << 32 | pass);
    let selected =
        proposals.select(mesh, pool, &own, rounds, |proposals, v, w| O::conflict(local, proposals, v, w));
    for (&v, found) in marked.iter().zip(&found) {
        if found.is_none() {
            mesh.local.vertices.marks[v as usize] &= !O::KIND;
        }
    }
    update_slopes(mesh, pool);
    let carried = carry_all(mesh, pool, &selected, O::replacement);
    let mut changes = Changes::new(&mesh.ghosts);
    for (i, &(v, target)) in selected.iter().enumerate() {
        let cavity = O::apply(&mut mesh.local, v, target);
        if let Some(values) = carried.get(i) {
            put(&mut mesh.local, &cavity.new, values);
        }
        cavity.ring.iter().for_each(|&c| mesh.local.mark(c));
        changes.note(&mesh.local, &cavity.gone, &cavity.ring, &cavity.new);
    }
    changes.exchange(&mesh.comm, &mut mesh.local, &mut mesh.ghosts);
    selected.len() as u64
}

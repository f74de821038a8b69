//! Recursive coordinate bisection.
//!
//! After M. J. Berger and S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors",
//! IEEE Transactions on Computers C-36 (1987), DOI 10.1109/TC.1987.1676942. All ranks cut all groups of one level
//! together:
//!
//! 1. Integer reductions find every group's bounding box; it is cut across its longest side (the lower axis if two are
//!    equally long).
//! 2. A group for parts `a .. b` is cut so that the parts below the middle one get their share, which also balances
//!    numbers of parts other than powers of two: exactly by number of elements or, with weights, to within the weight
//!    of one element.
//! 3. Bisection on (coordinate, global id) finds the position of the cut ([`select`](crate::select)).

use std::ops::Range;

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::{Blocks, Mesh};

use super::{Partitioner, Partitioning};
use crate::centroid::centroids;
use crate::load::Sums;
use crate::primary::find;
use crate::select::{block_index, ordered_key, ordered_value, select};
use crate::{Load, PartitionError, Primary};

/// Boxes made by halving the longest side, again and again.
#[derive(Clone, Copy, Debug)]
pub struct Rcb;

impl Partitioner for Rcb {
    fn partition(
        &self,
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        load: &Load,
    ) -> Result<Partitioning, PartitionError> {
        let found = find(primary, mesh)?;
        let axes = centroids(comm, mesh, found.nodes, found.coordinates)?;
        let keys: Vec<Vec<u64>> = axes.iter().map(|x| x.iter().map(|&x| ordered_key(x)).collect()).collect();
        let owners = bisect(comm, mesh.blocks(found.set, comm), &keys, load);
        Ok(Partitioning { parts: load.parts(), owners, note: None })
    }
}

/// Elements that will be divided among some parts.
#[derive(Clone)]
struct Group {
    parts: Range<usize>,
    /// This rank's elements: a range of the common order.
    elements: Range<usize>,
    /// The total weight, over all ranks, of the elements that went to parts below these.
    before: u64,
}

fn bisect(comm: &Comm, blocks: Blocks, keys: &[Vec<u64>], load: &Load) -> Vec<u32> {
    let start = blocks.range(comm.rank()).start;
    let elements = keys[0].len();
    let mut order: Vec<u32> = (0..block_index(elements)).collect();
    let mut owners = vec![0; elements];
    let mut groups = vec![Group { parts: 0..load.parts(), elements: 0..elements, before: 0 }];
    while !groups.is_empty() {
        let (whole, cut): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(|g| g.parts.len() == 1);
        for group in whole {
            for &i in &order[group.elements] {
                owners[i as usize] = group.parts.start as u32;
            }
        }
        let axes = longest_sides(comm, keys, &order, &cut);
        for (group, &axis) in cut.iter().zip(&axes) {
            order[group.elements.clone()].sort_unstable_by_key(|&i| (keys[axis][i as usize], i));
        }
        let middle = |group: &Group| group.parts.start + group.parts.len() / 2;
        let wanted: Vec<u64> =
            cut.iter().map(|g| load.starts()[middle(g)].saturating_sub(g.before)).collect();
        let sums: Vec<Sums> = cut.iter().map(|g| load.along(&order[g.elements.clone()])).collect();
        let count = |group: usize, key, id| {
            let key_of = |i: u32| (u128::from(keys[axes[group]][i as usize]), start + u64::from(i));
            order[cut[group].elements.clone()].partition_point(|&i| key_of(i) <= (key, id))
        };
        let weight = |group: usize, count| sums[group].first(count);
        let places = select(comm, 64, blocks.rows, &wanted, count, weight);
        let mut below: Vec<u64> =
            places.iter().enumerate().map(|(group, &place)| weight(group, place)).collect();
        comm.all_reduce(&mut below, ReduceOp::Sum);
        groups = cut
            .iter()
            .zip(places.into_iter().zip(below))
            .flat_map(|(group, (place, below))| {
                let (middle, place) = (middle(group), group.elements.start + place);
                let (parts, elements, before) = (&group.parts, &group.elements, group.before);
                [
                    Group { parts: parts.start..middle, elements: elements.start..place, before },
                    Group { parts: middle..parts.end, elements: place..elements.end, before: before + below },
                ]
            })
            .collect();
    }
    owners
}

/// The axis along which each group's bounding box is longest.
fn longest_sides(comm: &Comm, keys: &[Vec<u64>], order: &[u32], groups: &[Group]) -> Vec<usize> {
    let dim = keys.len();
    let mut low = vec![u64::MAX; groups.len() * dim];
    let mut high = vec![u64::MIN; groups.len() * dim];
    for (g, group) in groups.iter().enumerate() {
        for &i in &order[group.elements.clone()] {
            for axis in 0..dim {
                let (at, key) = (g * dim + axis, keys[axis][i as usize]);
                low[at] = low[at].min(key);
                high[at] = high[at].max(key);
            }
        }
    }
    comm.all_reduce(&mut low, ReduceOp::Min);
    comm.all_reduce(&mut high, ReduceOp::Max);
    (0..groups.len())
        .map(|g| {
            // Halves, so that no extent overflows; how a group without elements compares does not matter.
            let side = |axis: usize| {
                0.5 * ordered_value(high[g * dim + axis]) - 0.5 * ordered_value(low[g * dim + axis])
            };
            (1..dim).fold(0, |longest, axis| if side(axis) > side(longest) { axis } else { longest })
        })
        .collect()
}

//! What the parts of a partition balance: the weights of the primary set's elements, and each part's share of their
//! sum.
//!
//! Part p of P with speeds s should get the range from `starts[p]` to `starts[p + 1]` of the total weight W, where
//!
//! ```text
//! starts[p] = floor(W (s_0 + ... + s_(p - 1)) / (s_0 + ... + s_(P - 1)))
//! ```
//!
//! Everything is an integer, so the starts are the same on any number of ranks. Without [`Weights`], all speeds are
//! equal and every element weighs 1: the starts are those of blocks of rows.

use std::ops::Range;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Blocks, Mesh};

use crate::follow::follow_elements;
use crate::primary::{Found, find};
use crate::{PartitionError, Primary, Weights};

/// What the parts should balance.
#[derive(Clone, Debug)]
pub struct Load {
    /// Weights of this rank's rows; none if every element weighs 1.
    weights: Option<Vec<u64>>,
    starts: Vec<u64>,
}

impl Load {
    /// Parts of equal size.
    pub fn even(rows: u64, parts: usize) -> Load {
        let blocks = Blocks::new(rows, parts);
        let starts = (0..parts).map(|part| blocks.range(part).start).chain([rows]).collect();
        Load { weights: None, starts }
    }

    /// Parts sized by their speeds, elements weighted by the work done for them; the weights have been checked.
    /// Collective.
    ///
    /// # Errors
    /// The primary set has more elements than 32 bits can count.
    pub(crate) fn weighted(
        comm: &Comm,
        mesh: &Mesh,
        primary: &Primary,
        weights: &Weights,
    ) -> Result<Load, PartitionError> {
        let own = element_weights(comm, mesh, &find(primary, mesh)?, weights)?;
        let whole = comm.sum(own.iter().sum());
        let speeds = || weights.speeds.iter().map(|&speed| u128::from(speed));
        let all: u128 = speeds().sum();
        let before = speeds().scan(0, |before, speed| {
            *before += speed;
            Some(*before)
        });
        let start = |before: u128| (u128::from(whole) * before / all) as u64;
        let starts = [0].into_iter().chain(before.map(start)).collect();
        Ok(Load { weights: Some(own), starts })
    }

    /// Parts of equally many members: those rows of another set that a map of arity 1 leads from into the primary set.
    /// Collective.
    pub(crate) fn of_members(comm: &Comm, mesh: &Mesh, map: usize, parts: usize) -> Load {
        let map = &mesh.maps[map];
        let blocks = mesh.blocks(map.to, comm);
        let range = blocks.range(comm.rank());
        let mut own = vec![0u64; (range.end - range.start) as usize];
        let mut send: Vec<Vec<u64>> = vec![Vec::new(); comm.size()];
        for &row in &map.rows {
            send[blocks.owner(row)].push(row);
        }
        for row in comm.all_to_all(send).into_iter().flatten() {
            own[(row - range.start) as usize] += 1;
        }
        if comm.max(u64::from(own.iter().any(|&members| members != 1))) == 0 {
            return Load::even(blocks.rows, parts);
        }
        // An element without weight would belong to no part.
        own.iter_mut().for_each(|members| *members = (*members).max(1));
        let whole = comm.sum(own.iter().sum());
        Load { weights: Some(own), ..Load::even(whole, parts) }
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether all parts should have the same size and all elements the same weight.
    pub fn is_even(&self) -> bool {
        self.weights.is_none()
    }

    /// The weight before each part, if every part got exactly its share; then the total weight.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// The weight of an element of this rank's block.
    pub fn weight(&self, i: usize) -> u64 {
        self.weights.as_ref().map_or(1, |weights| weights[i])
    }

    /// The weights of this rank's rows in proportion, at least 1; those of up to 2^30 rows add up to less than 2^31.
    pub(crate) fn small_weights(&self, rows: Range<u64>) -> Vec<u64> {
        let shift = self.shift();
        (0..(rows.end - rows.start) as usize).map(|i| (self.weight(i) >> shift).max(1)).collect()
    }

    /// The weights that parts should have, in proportion, as [`small_weights`](Load::small_weights).
    pub(crate) fn small_shares(&self) -> Vec<u64> {
        let shift = self.shift();
        self.starts.windows(2).map(|pair| ((pair[1] - pair[0]) >> shift).max(1)).collect()
    }

    fn shift(&self) -> u32 {
        (u64::BITS - self.starts[self.parts()].leading_zeros()).saturating_sub(30)
    }

    /// The cumulative weights of this rank's elements along an order of them.
    pub(crate) fn along(&self, order: &[u32]) -> Sums {
        Sums(self.weights.as_ref().map(|weights| {
            let sum = |sum: &mut u64, &i: &u32| {
                *sum += weights[i as usize];
                Some(*sum)
            };
            [0].into_iter().chain(order.iter().scan(0, sum)).collect()
        }))
    }
}

/// Cumulative weights along an order; if every element weighs 1, they are its positions.
pub(crate) struct Sums(Option<Vec<u64>>);

impl Sums {
    /// The weight of the first `count` elements.
    pub fn first(&self, count: usize) -> u64 {
        self.0.as_ref().map_or(count as u64, |sums| sums[count])
    }
}

/// The weight of each row of this rank's block of the primary set: its own cost and those of the elements of other sets
/// that follow it. Collective.
fn element_weights(
    comm: &Comm,
    mesh: &Mesh,
    found: &Found,
    weights: &Weights,
) -> Result<Vec<u64>, PartitionError> {
    let blocks = mesh.blocks(found.set, comm);
    let range = blocks.range(comm.rank());
    let cost = |set: usize| weights.costs.get(&mesh.sets[set].name).copied().map_or(0, u64::from);
    // An element without weight would belong to no part.
    let mut own = vec![cost(found.set).max(1); (range.end - range.start) as usize];
    let mut send: Vec<Vec<[u64; 2]>> = vec![Vec::new(); comm.size()];
    for (set, leaders) in follow_elements(comm, mesh, found)?.into_iter().enumerate() {
        let cost = cost(set);
        if set == found.set || cost == 0 {
            continue;
        }
        for leader in leaders.into_iter().map(u64::from) {
            if range.contains(&leader) {
                own[(leader - range.start) as usize] += cost;
            } else {
                send[blocks.owner(leader)].push([leader, cost]);
            }
        }
    }
    for [leader, cost] in comm.all_to_all(send).into_iter().flatten() {
        own[(leader - range.start) as usize] += cost;
    }
    Ok(own)
}

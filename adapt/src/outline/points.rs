//! Vertices that stay, known by their places.

use std::collections::BTreeSet;

use cfd_engine::comm::Comm;
use cfd_engine::mesh::Blocks;

use super::fit::around;
use super::{Bits, OutlineError, bits};
use crate::geometry::{Point, difference, dot};
use crate::mesh::Input;

/// How far from its place a vertex may be, as a fraction of the diagonal of the box around the boundary.
const NEAR: f64 = 1e-6;

/// The places of the vertices nearest to some points. Collective.
///
/// # Errors
/// A point where there is no vertex; the same on all ranks.
pub(super) fn vertices_at(
    comm: &Comm,
    input: &Input<2>,
    boundary: &[Point<2>],
    points: &[Point<2>],
) -> Result<BTreeSet<Bits>, OutlineError> {
    let length = |way: &Point<2>| dot(way, way).sqrt();
    let [low, high] = around(boundary);
    let most = NEAR * length(&difference(&low, &high));
    let nearest = |point: &Point<2>| {
        let from = |place: &Point<2>| (length(&difference(point, place)).to_bits(), bits(place));
        // The bits of numbers that are not negative are in their order.
        input.positions.iter().map(from).min()
    };
    let own: Vec<u64> = points
        .iter()
        .flat_map(|point| {
            let (distance, [x, y]) = nearest(point).unwrap_or((u64::MAX, [0; 2]));
            [distance, x, y]
        })
        .collect();
    let all = comm.all_gather(&own);
    let found = |at: usize| {
        let of_rank = |own: &Vec<u64>| (own[3 * at], [own[3 * at + 1], own[3 * at + 2]]);
        all.iter().map(of_rank).min().expect("there is a rank")
    };
    let vertex = |(at, point): (usize, &Point<2>)| {
        let (distance, place) = found(at);
        let distance = f64::from_bits(distance);
        if distance <= most {
            return Ok(place);
        }
        let [place, nearest] = [*point, place.map(f64::from_bits)].map(|p| format!("{p:?}"));
        Err(OutlineError::NoVertex { place, nearest, distance })
    };
    points.iter().enumerate().map(vertex).collect()
}

/// The numbers of the vertices at these places, on all ranks. Collective.
pub(super) fn numbers_of(comm: &Comm, input: &Input<2>, places: &BTreeSet<Bits>) -> Vec<u64> {
    if places.is_empty() {
        return Vec::new();
    }
    let first = Blocks::new(input.rows[0], comm.size()).range(comm.rank()).start;
    let numbered = (first..).zip(&input.positions);
    let own: Vec<u64> = numbered.filter(|(_, p)| places.contains(&bits(p))).map(|(v, _)| v).collect();
    comm.all_gather(&own).concat()
}

//! Quantities derived from the potential for output: velocity, Mach number and pressure coefficient at cell centres,
//! and the pressure coefficient on the wall.

use std::collections::{BTreeMap, BTreeSet};

use cfd_engine::prelude::*;

use super::config::Flow;
use super::kernels::{density_power, point, temperature};

/// cp = (p - p_inf) / (rho_inf |u_inf|^2 / 2) where the temperature is D: the pressure is rho D times that of the
/// free stream.
#[device]
pub fn pressure_coefficient(d: f64, c: &Flow) -> f64 {
    (density_power(d, c) * d - 1.0) / c.dynamic_pressure
}

/// At the centre of a cell, xi = eta = 1/2: velocity over the free stream's speed of sound, Mach number, pressure
/// coefficient.
#[kernel]
pub fn cell_fields(
    x0: Read<2>,
    x1: Read<2>,
    x2: Read<2>,
    x3: Read<2>,
    phi0: Read<1>,
    phi1: Read<1>,
    phi2: Read<1>,
    phi3: Read<1>,
    velocity: Write<2>,
    mach: Write<1>,
    cp: Write<1>,
    c: &Flow,
) {
    let x = [x0[0], x1[0], x2[0], x3[0]];
    let y = [x0[1], x1[1], x2[1], x3[1]];
    let phi = [phi0[0], phi1[0], phi2[0], phi3[0]];
    let middle: [f64; 7] = point(x, y, phi, 0.5, 0.5);
    let u = middle[5];
    let v = middle[6];
    let d = temperature(u, v, c);
    velocity[0] = u;
    velocity[1] = v;
    mach[0] = ((u * u + v * v) / d).sqrt();
    cp[0] = pressure_coefficient(d, c);
}

/// No flow crosses a side on the wall, so the speed is the potential's slope along the side: the side's midpoint (x, y)
/// and the pressure coefficient there.
#[device]
pub fn side(xa: f64, ya: f64, fa: f64, xb: f64, yb: f64, fb: f64, c: &Flow) -> [f64; 3] {
    let dx = xb - xa;
    let dy = yb - ya;
    let df = fb - fa;
    let d = 1.0 + c.half_gm1 * (c.mach2 - df * df / (dx * dx + dy * dy));
    [0.5 * (xa + xb), 0.5 * (ya + yb), pressure_coefficient(d, c)]
}

/// `side` of the four sides 0-1, 1-3, 3-2, 2-0 of a cell.
#[kernel]
pub fn cell_sides(
    x0: Read<2>,
    x1: Read<2>,
    x2: Read<2>,
    x3: Read<2>,
    phi0: Read<1>,
    phi1: Read<1>,
    phi2: Read<1>,
    phi3: Read<1>,
    sides: Write<12>,
    c: &Flow,
) {
    let bottom: [f64; 3] = side(x0[0], x0[1], phi0[0], x1[0], x1[1], phi1[0], c);
    let right: [f64; 3] = side(x1[0], x1[1], phi1[0], x3[0], x3[1], phi3[0], c);
    let top: [f64; 3] = side(x3[0], x3[1], phi3[0], x2[0], x2[1], phi2[0], c);
    let left: [f64; 3] = side(x2[0], x2[1], phi2[0], x0[0], x0[1], phi0[0], c);
    for m in 0..3 {
        sides[m] = bottom[m];
        sides[3 + m] = right[m];
        sides[6 + m] = top[m];
        sides[9 + m] = left[m];
    }
}

/// The mean of a cell's corners.
#[kernel]
pub fn cell_middle(x0: Read<2>, x1: Read<2>, x2: Read<2>, x3: Read<2>, middle: Write<2>) {
    for m in 0..2 {
        middle[m] = 0.25 * (((x0[m] + x1[m]) + x2[m]) + x3[m]);
    }
}

/// The corners at the ends of a cell's sides, in the order of `cell_sides`: all sides run the same way around the cell.
const SIDE_CORNERS: [[usize; 2]; 4] = [[0, 1], [1, 3], [3, 2], [2, 0]];

/// A side of a cell: its ends, its (x, y, cp). Messages carry it as words.
type Side = [u64; 5];

/// The wall's (x, y, cp) in the order of the wall, on rank 0; empty elsewhere. `values` are this rank's
/// `cell_sides`. Collective.
///
/// 1. A side that only one of this rank's cells has is sent to the rank given by its lower end's number.
/// 2. A side that arrives once belongs to one cell on all ranks: it is a piece of the boundary, and of the wall unless
///    both its ends are far-field nodes.
/// 3. Rank 0 joins the pieces end to end.
pub fn wall(domain: &Domain, cell_nodes: Map<4>, bnode_node: Map<1>, values: &[f64]) -> Vec<[f64; 3]> {
    let comm = domain.comm();
    let mut sides: Vec<Side> = Vec::new();
    for (nodes, values) in domain.target_ids(cell_nodes).iter().zip(values.chunks_exact(12)) {
        for (corners, value) in SIDE_CORNERS.iter().zip(values.chunks_exact(3)) {
            let [a, b] = corners.map(|corner| nodes[corner]);
            // A triangle has a side of zero length.
            if a != b {
                sides.push([a, b, value[0].to_bits(), value[1].to_bits(), value[2].to_bits()]);
            }
        }
    }
    let mut send: Vec<Vec<Side>> = vec![Vec::new(); comm.size()];
    for side in single(sides) {
        send[(ends(&side)[0] % comm.size() as u64) as usize].push(side);
    }
    let boundary = single(comm.all_to_all(send).concat());

    let far: Vec<u64> = domain.target_ids(bnode_node).iter().map(|&[node]| node).collect();
    let mut far = comm.gather(far).concat();
    far.sort_unstable();
    let pieces = comm.gather(boundary).concat();
    let is_far = |node: &u64| far.binary_search(node).is_ok();
    end_to_end(pieces.into_iter().filter(|side| !side[..2].iter().all(is_far)))
}

/// The ends of a side, in either direction.
fn ends(side: &Side) -> [u64; 2] {
    [side[0].min(side[1]), side[0].max(side[1])]
}

/// The sides that occur once.
fn single(mut sides: Vec<Side>) -> Vec<Side> {
    sides.sort_unstable_by_key(ends);
    sides.chunk_by(|a, b| ends(a) == ends(b)).filter(|same| same.len() == 1).flatten().copied().collect()
}

/// Turns a closed curve so that it begins and ends at its rightmost point, the trailing edge.
fn start_at_the_right(curve: &mut [[f64; 3]]) {
    let right = |i: usize| curve[i][0] + curve[(i + curve.len() - 1) % curve.len()][0];
    // The first of several.
    let start = (0..curve.len()).rev().max_by(|&a, &b| right(a).total_cmp(&right(b)));
    curve.rotate_left(start.unwrap_or(0));
}

/// Follows the pieces from end to end, curve by curve.
fn end_to_end(pieces: impl Iterator<Item = Side>) -> Vec<[f64; 3]> {
    let mut by_beginning: BTreeMap<u64, Vec<Side>> = BTreeMap::new();
    for side in pieces {
        by_beginning.entry(side[0]).or_default().push(side);
    }
    by_beginning.values_mut().for_each(|sides| sides.sort_unstable());
    // An open curve begins where no piece ends; the remaining curves are closed and begin anywhere.
    let ended: BTreeSet<u64> = by_beginning.values().flatten().map(|side| side[1]).collect();
    let open: Vec<u64> = by_beginning.keys().copied().filter(|node| !ended.contains(node)).collect();
    let mut wall = Vec::new();
    let mut beginnings = open.into_iter();
    while let Some(beginning) = beginnings.next().or_else(|| by_beginning.keys().next().copied()) {
        let mut node = beginning;
        let mut curve: Vec<[f64; 3]> = Vec::new();
        while let Some(sides) = by_beginning.get_mut(&node) {
            let Some(side) = sides.pop() else { break };
            if sides.is_empty() {
                by_beginning.remove(&node);
            }
            curve.push([2, 3, 4].map(|word| f64::from_bits(side[word])));
            node = side[1];
        }
        if node == beginning {
            start_at_the_right(&mut curve);
        }
        wall.extend(curve);
    }
    wall
}

//! The loops of heat conduction, one function each.

use cfd_engine::prelude::*;

use super::config::{Boundary, Which};

/// The flag of a hot boundary edge.
const HOT: i32 = 1;
/// The flag of a cold one.
const COLD: i32 = 2;

/// Starts between the temperatures of the boundary.
#[kernel]
pub fn start(t: Write<1>, c: &Boundary) {
    t[0] = 0.5 * (c.hot + c.cold);
}

/// The mean of a cell's corners; those of a triangle, whose last one is there twice, count once each.
#[kernel]
pub fn cell_middle(x1: Read<2>, x2: Read<2>, x3: Read<2>, x4: Read<2>, middle: Write<2>) {
    let away = (x4[0] - x3[0]).abs() + (x4[1] - x3[1]).abs();
    for m in 0..2 {
        let of_three = (x1[m] + x2[m] + x3[m]) / 3.0;
        middle[m] = if away > 0.0 { 0.25 * (x1[m] + x2[m] + x3[m] + x4[m]) } else { of_three };
    }
}

/// The distance between two points.
#[device]
pub fn distance(ax: f64, ay: f64, bx: f64, by: f64) -> f64 {
    ((ax - bx) * (ax - bx) + (ay - by) * (ay - by)).sqrt()
}

/// An edge's k, its length over the distance between its cells' centres, added to both cells' sums of k.
#[kernel]
pub fn conductance(
    a: Read<2>,
    b: Read<2>,
    middle1: Read<2>,
    middle2: Read<2>,
    k: Write<1>,
    sum1: Inc<1>,
    sum2: Inc<1>,
) {
    let side = distance(a[0], a[1], b[0], b[1]) / distance(middle1[0], middle1[1], middle2[0], middle2[1]);
    k[0] = side;
    sum1[0] += side;
    sum2[0] += side;
}

/// A seam's k, the length of its edges over the distance between its cells' centres, the second cell's taken relative
/// to its edge and turned back to the first one.
#[kernel]
pub fn seam_conductance(
    a1: Read<2>,
    b1: Read<2>,
    a2: Read<2>,
    b2: Read<2>,
    middle1: Read<2>,
    middle2: Read<2>,
    turn: Read<2>,
    k: Write<1>,
    sum1: Inc<1>,
    sum2: Inc<1>,
) {
    let x = middle2[0] - 0.5 * (a2[0] + b2[0]);
    let y = middle2[1] - 0.5 * (a2[1] + b2[1]);
    let x1 = middle1[0] - 0.5 * (a1[0] + b1[0]);
    let y1 = middle1[1] - 0.5 * (a1[1] + b1[1]);
    let apart = distance(x1, y1, turn[0] * x + turn[1] * y, turn[0] * y - turn[1] * x);
    let side = distance(a1[0], a1[1], b1[0], b1[1]) / apart;
    k[0] = side;
    sum1[0] += side;
    sum2[0] += side;
}

/// A boundary edge's k: its length over the distance from the cell's centre to the edge's midpoint, or 0 if it is
/// insulated.
#[kernel]
pub fn boundary_conductance(
    a: Read<2>,
    b: Read<2>,
    middle: Read<2>,
    conducts: Read<1>,
    k: Write<1>,
    sum: Inc<1>,
) {
    let to_edge = distance(middle[0], middle[1], 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]));
    let side = conducts[0] * (distance(a[0], a[1], b[0], b[1]) / to_edge);
    k[0] = side;
    sum[0] += side;
}

/// Heat through an edge.
#[kernel]
pub fn flux(k: Read<1>, t1: Read<1>, t2: Read<1>, heat1: Inc<1>, heat2: Inc<1>) {
    let f = k[0] * (t2[0] - t1[0]);
    heat1[0] += f;
    heat2[0] -= f;
}

/// Heat through a boundary edge.
#[kernel]
pub fn boundary_flux(k: Read<1>, t: Read<1>, outside: Read<1>, heat: Inc<1>) {
    heat[0] += k[0] * (outside[0] - t[0]);
}

/// One Jacobi step, and the sum of squared changes.
#[kernel]
pub fn jacobi(sum: Read<1>, heat: Rw<1>, t: Rw<1>, change: Sum<1>) {
    let d = heat[0] / sum[0];
    t[0] += d;
    heat[0] = 0.0;
    change[0] += d * d;
}

/// The heat that flows in and out: in through hot boundaries, out through cold ones, whichever way through those with a
/// temperature of their own.
#[kernel]
pub fn heat_flow(k: Read<1>, t: Read<1>, outside: Read<1>, bound: Read<1, i32>, flow: Sum<2>) {
    let f = k[0] * (outside[0] - t[0]);
    let of_own_in = if bound[0] == COLD { 0.0 } else { f.max(0.0) };
    let of_own_out = if bound[0] == COLD { -f } else { (-f).max(0.0) };
    flow[0] += if bound[0] == HOT { f } else { of_own_in };
    flow[1] += if bound[0] == HOT { 0.0 } else { of_own_out };
}

/// The heat that flows in through one of the named boundaries.
#[kernel]
pub fn boundary_heat(
    k: Read<1>,
    t: Read<1>,
    outside: Read<1>,
    boundary: Read<1, i32>,
    flow: Sum<1>,
    c: &Which,
) {
    let f = k[0] * (outside[0] - t[0]);
    flow[0] += if boundary[0] == c.boundary { f } else { 0.0 };
}

/// The extent of hot boundary edges along x.
#[kernel]
pub fn find_body(a: Read<2>, b: Read<2>, bound: Read<1, i32>, low: Min<1>, high: Max<1>) {
    if bound[0] == HOT {
        low[0] = a[0].min(b[0]);
        high[0] = a[0].max(b[0]);
    }
}

/// The highest temperature; NaN if there is any.
#[kernel]
pub fn find_hottest(t: Read<1>, hottest: Max<1>) {
    hottest[0] = t[0];
}

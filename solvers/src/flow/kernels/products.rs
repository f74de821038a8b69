//! Products of the matrix of Newton's method with directions, by differences of R: none of its blocks is needed.
//!
//! ```text
//! A v = (R(w + h v) - R(w)) / h + inertia v
//! ```
//!
//! With a turbulence model, the direction may go on with what it transports, one quantity n or two, in units of each node: n of
//! the base, or that of the free stream where that is more, so that differences see where there is much of it and where little.

use cfd_engine::prelude::*;

use crate::flow::gas::Gas;
use crate::gas::state::{conserved_2d_tangent, conserved_3d_tangent};

/// Constants of products.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Quotient {
    /// h.
    pub length: f64,
    /// gamma - 1.
    pub gm1: f64,
    /// The same as [`Inertia::local`](super::jacobian::Inertia::local).
    pub local: f64,
    /// The same as [`Inertia::time`](super::jacobian::Inertia::time).
    pub time: f64,
    /// [`Gas::unit`].
    pub unit: [f64; 5],
    /// [`Gas::flux_unit`].
    pub flux_unit: [f64; 5],
}

/// The largest component of a direction.
#[kernel(largest_4<4>, largest_5<5>, largest_6<6>, largest_7<7>)]
pub fn largest<const N: usize>(way: Read<N>, largest: Max<1>) {
    let mut most = 0.0;
    for m in 0..N {
        most = way[m].abs().max(most);
    }
    largest[0] = most;
}

/// w = base + h way.
#[kernel(set_out_2d<4>, set_out_3d<5>)]
pub fn set_out<const N: usize>(base: Read<N>, way: Read<N>, w: Write<N>, c: &Quotient) {
    for m in 0..N {
        w[m] = base[m] + c.length * (way[m] * c.unit[m + m / (N - 1) * (5 - N)]);
    }
}

/// The product, from R of w, which is in `res`, and that of the base, which the right-hand side has; w is the base again.
#[kernel(come_back_2d<4, conserved_2d_tangent>, come_back_3d<5, conserved_3d_tangent>)]
pub fn come_back<const N: usize, conserved_tangent: Device>(
    base: Read<N>,
    way: Read<N>,
    volume: Read<1>,
    pace: Read<1>,
    right: Read<N>,
    res: Rw<N>,
    w: Write<N>,
    product: Write<N>,
    c: &Quotient,
) {
    let weight = c.local * pace[0] + c.time * volume[0];
    let mut dw = [0.0; N];
    for m in 0..N {
        dw[m] = way[m] * c.unit[m + m / (N - 1) * (5 - N)];
    }
    let dq: [f64; N] = conserved_tangent(base, c.gm1, dw);
    for m in 0..N {
        let unit = c.flux_unit[m + m / (N - 1) * (5 - N)];
        product[m] = (res[m] / unit + right[m]) / c.length + weight * dq[m] / unit;
        res[m] = 0.0;
        w[m] = base[m];
    }
}

/// The rows of a node where a wall holds velocity and, perhaps, temperature: those of
/// [`held`](super::jacobian::held_2d) for its own unknowns.
#[kernel(hold_product_2d<2, 4>, hold_product_3d<3, 5>)]
pub fn hold_product<const D: usize, const N: usize>(
    wall: Read<{ D + 2 }>,
    way: Read<N>,
    product: Rw<N>,
    c: &Gas,
) {
    for i in 0..D {
        product[1 + i] = way[1 + i];
    }
    let by_temperature = way[N - 1] - c.gas_constant * wall[D] * c.unit[0] / c.unit[4] * way[0];
    product[N - 1] = if wall[D] > 0.0 { by_temperature } else { product[N - 1] };
}

/// Sums of squares: of what a step leaves of its equations, R + pace / cfl (q - q_old), `right` being -R of the new state; and
/// of pace q, the size of the fluxes whose sum R is.
#[kernel(imbalance_2d<4>, imbalance_3d<5>)]
pub fn imbalance<const N: usize>(
    right: Read<N>,
    pace: Read<1>,
    q: Read<N>,
    old: Read<N>,
    squares: Sum<2>,
    c: &Quotient,
) {
    let mut sum = 0.0;
    let mut sizes = 0.0;
    for m in 0..N {
        let unit = c.flux_unit[m + m / (N - 1) * (5 - N)];
        let left = right[m] - c.local * pace[0] * (q[m] - old[m]) / unit;
        let size = pace[0] * q[m] / unit;
        sum += left * left;
        sizes += size * size;
    }
    squares[0] += sum;
    squares[1] += sizes;
}

/// Constants of a coupled unknown n.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Coupling {
    /// h.
    pub length: f64,
    /// The same as [`Quotient::local`].
    pub local: f64,
    /// What the unit of n is multiplied by: 1 for n itself; for R of it the speed of sound, or the mass that it carries.
    pub factor: f64,
    /// No n is less.
    pub least: f64,
    /// No unit of n is less.
    pub far: f64,
}

/// n of the base, and its unit at each node: 0 where n is held, on walls, and where it is at its bound and R would lower it further
/// (an active set, which makes Newton's method one of semi-smooth equations).
#[kernel(scalar)]
pub fn begin_coupled(
    n: Read<1>,
    res: Read<1>,
    distance: Read<1>,
    base: Write<1>,
    unit: Write<1>,
    c: &Coupling,
) {
    let is_wall = distance[0] <= 0.0;
    let is_held = n[0] <= c.least && res[0] > 0.0;
    base[0] = n[0];
    unit[0] = if is_wall || is_held { 0.0 } else { n[0].abs().max(c.far) };
}

/// What a vector of coupled unknowns or equations has for the flow and for n, this without its unit.
#[kernel(part_one_2d<4, 5>, part_one_3d<5, 6>)]
pub fn part_one<const N: usize, const M: usize>(
    joint: Read<M>,
    unit: Read<1>,
    flow: Write<N>,
    n: Write<1>,
    c: &Coupling,
) {
    for m in 0..N {
        flow[m] = joint[m];
    }
    n[0] = joint[N] * (unit[0] * c.factor);
}

/// The same of two quantities.
#[kernel(part_two_2d<4, 6>, part_two_3d<5, 7>)]
pub fn part_two<const N: usize, const M: usize>(
    joint: Read<M>,
    first_unit: Read<1>,
    second_unit: Read<1>,
    flow: Write<N>,
    first: Write<1>,
    second: Write<1>,
    c: &Coupling,
) {
    for m in 0..N {
        flow[m] = joint[m];
    }
    first[0] = joint[N] * (first_unit[0] * c.factor);
    second[0] = joint[N + 1] * (second_unit[0] * c.factor);
}

/// n in its unit; 0 where it is held.
#[device]
pub fn in_unit(n: f64, unit: f64, factor: f64) -> f64 {
    let scaled = n / (unit * factor);
    if unit > 0.0 { scaled } else { 0.0 }
}

/// The vector of both.
#[kernel(join_one_2d<4, 5>, join_one_3d<5, 6>)]
pub fn join_one<const N: usize, const M: usize>(
    flow: Read<N>,
    n: Read<1>,
    unit: Read<1>,
    joint: Write<M>,
    c: &Coupling,
) {
    for m in 0..N {
        joint[m] = flow[m];
    }
    joint[N] = in_unit(n[0], unit[0], c.factor);
}

/// The same of two quantities.
#[kernel(join_two_2d<4, 6>, join_two_3d<5, 7>)]
pub fn join_two<const N: usize, const M: usize>(
    flow: Read<N>,
    first: Read<1>,
    second: Read<1>,
    first_unit: Read<1>,
    second_unit: Read<1>,
    joint: Write<M>,
    c: &Coupling,
) {
    for m in 0..N {
        joint[m] = flow[m];
    }
    joint[N] = in_unit(first[0], first_unit[0], c.factor);
    joint[N + 1] = in_unit(second[0], second_unit[0], c.factor);
}

/// n = base + h way.
#[kernel(scalar)]
pub fn set_out_one(base: Read<1>, way: Read<1>, n: Write<1>, c: &Coupling) {
    n[0] = base[0] + c.length * way[0];
}

/// n's part of the product, as [`come_back`]: from R of n, and -R of the base.
#[kernel(scalar)]
pub fn come_back_one(
    base: Read<1>,
    way: Read<1>,
    pace: Read<1>,
    right: Read<1>,
    res: Read<1>,
    n: Write<1>,
    product: Write<1>,
    c: &Coupling,
) {
    product[0] = (res[0] + right[0]) / c.length + c.local * pace[0] * way[0];
    n[0] = base[0];
}

/// n's part of [`imbalance`]: nothing where it is held, or is now at its bound.
#[kernel(scalar)]
pub fn imbalance_one(
    res: Read<1>,
    pace: Read<1>,
    n: Read<1>,
    old: Read<1>,
    unit: Read<1>,
    squares: Sum<2>,
    c: &Coupling,
) {
    let is_free = unit[0] > 0.0 && !(n[0] <= c.least && res[0] > 0.0);
    let own = unit[0] * c.factor;
    let left = (res[0] + c.local * pace[0] * (n[0] - old[0])) / own;
    let size = pace[0] * n[0] / own;
    squares[0] += if is_free { left * left } else { 0.0 };
    squares[1] += if is_free { size * size } else { 0.0 };
}

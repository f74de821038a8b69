//! Products of the matrix of Newton's method with directions, by differences of R: none of its blocks is needed.
//!
//! ```text
//! A v = (R(w + h v) - R(w)) / h + inertia v
//! ```

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
#[kernel(largest_2d<4>, largest_3d<5>)]
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

//! Steps of Newton's method.

use cfd_engine::prelude::*;

use crate::flow::gas::Gas;
use crate::gas::state::{conserved_2d, conserved_3d};

/// The largest share by which density and pressure fall or rise in a step.
const LARGEST: f64 = 0.3;

/// A step's right-hand side: -R in the units of the system.
#[kernel(right_2d<4>, right_3d<5>)]
pub fn right<const N: usize>(res: Rw<N>, right: Write<N>, c: &Gas) {
    for m in 0..N {
        right[m] = -(res[m] / c.flux_unit[m + m / (N - 1) * (5 - N)]);
        res[m] = 0.0;
    }
}

/// w += share dw, of each node as large a share as density and pressure allow; 1 if that is less than 1; the lower of density
/// and pressure.
#[kernel(update_2d<4, conserved_2d>, update_3d<5, conserved_3d>)]
pub fn update<const N: usize, conserved: Device>(
    change: Read<N>,
    w: Rw<N>,
    q: Write<N>,
    is_limited: Sum<1>,
    lowest: Min<1>,
    c: &Gas,
) {
    let mut largest = LARGEST;
    for m in 0..2 {
        let k = m * (N - 1);
        largest = largest.max((change[k] * c.unit[4 * m] / w[k]).abs());
    }
    let share = LARGEST / largest;
    for m in 0..N {
        w[m] += share * (change[m] * c.unit[m + m / (N - 1) * (5 - N)]);
    }
    let new: [f64; N] = conserved(w, c.gm1);
    q = new;
    is_limited[0] += if share < 1.0 { 1.0 } else { 0.0 };
    lowest[0] = w[0].min(w[N - 1]);
}

/// Shares of states in the rate of change of the latest.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Rate {
    /// Of the state itself, of that a time step before, and two before, over the time step.
    pub shares: [f64; 3],
}

/// R += V dq/dt, by backward differences.
#[kernel(rate_2d<4>, rate_3d<5>)]
pub fn rate<const N: usize>(
    volume: Read<1>,
    q: Read<N>,
    before: Read<N>,
    two_before: Read<N>,
    res: Rw<N>,
    c: &Rate,
) {
    for m in 0..N {
        let sum = c.shares[0] * q[m] + c.shares[1] * before[m] + c.shares[2] * two_before[m];
        res[m] += volume[0] * sum;
    }
}

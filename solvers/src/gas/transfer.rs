//! Between two levels of multigrid: restriction of states and residuals, prolongation of corrections.
//!
//! The full approximation scheme (Brandt, "Multi-level adaptive solutions to boundary-value problems", Math. Comput. 31
//! (1977), DOI 10.1090/S0025-5718-1977-0431719-X): the coarse level starts from the children's mean weighted by volume,
//! and solves R_c(q) = R_c(q_start) - sum of the children's (R - forcing). Its change, q - q_start, corrects the finer
//! level.

use cfd_engine::prelude::*;

use crate::gas::state::{pressure_2d, pressure_3d};

/// A correction changes density and pressure by at most this share.
const LARGEST_CHANGE: f64 = 0.5;
/// Replaces a distance of 0 to a neighbour's coarse node.
const NO_DISTANCE: f64 = 1e-30;

/// q = 0 and forcing = 0 on the coarse level, to be added to.
#[kernel(clear_coarse_2d<4>, clear_coarse_3d<5>)]
pub fn clear_coarse<const N: usize>(q: Write<N>, forcing: Write<N>) {
    for m in 0..N {
        q[m] = 0.0;
        forcing[m] = 0.0;
    }
}

/// The coarse node's q += V q, its forcing += R; R = 0.
#[kernel(restrict_2d<4>, restrict_3d<5>)]
pub fn restrict<const N: usize>(
    q: Read<N>,
    volume: Read<1>,
    res: Rw<N>,
    q_coarse: Inc<N>,
    forcing_coarse: Inc<N>,
) {
    for m in 0..N {
        q_coarse[m] += volume[0] * q[m];
        forcing_coarse[m] += res[m];
        res[m] = 0.0;
    }
}

/// The coarse node's q += V q, its forcing += R - forcing; R = 0.
#[kernel(restrict_forced_3d<5>)]
pub fn restrict_forced<const N: usize>(
    q: Read<N>,
    volume: Read<1>,
    res: Rw<N>,
    forcing: Read<N>,
    q_coarse: Inc<N>,
    forcing_coarse: Inc<N>,
) {
    for m in 0..N {
        q_coarse[m] += volume[0] * q[m];
        forcing_coarse[m] += res[m] - forcing[m];
        res[m] = 0.0;
    }
}

/// q becomes the mean: q / V; start = q.
#[kernel(start_coarse_2d<4>, start_coarse_3d<5>)]
pub fn start_coarse<const N: usize>(volume: Read<1>, q: Rw<N>, start: Write<N>) {
    for m in 0..N {
        q[m] /= volume[0];
        start[m] = q[m];
    }
}

/// forcing becomes R(q_start) - forcing.
#[kernel(make_forcing_2d<4>, make_forcing_3d<5>)]
pub fn make_forcing<const N: usize>(res: Read<N>, forcing: Rw<N>) {
    for m in 0..N {
        forcing[m] = res[m] - forcing[m];
    }
}

/// The position of each node's coarse node.
#[kernel(fetch_place_3d<3>)]
pub fn fetch_place<const D: usize>(x_coarse: Read<D>, place: Write<D>) {
    for i in 0..D {
        place[i] = x_coarse[i];
    }
}

/// 1 / |x - place|.
#[device(nearness_3d<3>)]
pub fn nearness<const D: usize>(x: [f64; D], place: [f64; D]) -> f64 {
    let mut d2 = 0.0;
    for i in 0..D {
        d2 += (x[i] - place[i]) * (x[i] - place[i]);
    }
    1.0 / d2.sqrt().max(NO_DISTANCE)
}

/// Each end's sum of weights += 1 / its distance to the other end's coarse node.
#[kernel(add_nearness_3d<3, nearness_3d>)]
pub fn add_nearness<const D: usize, nearness: Device>(
    x_a: Read<D>,
    x_b: Read<D>,
    place_a: Read<D>,
    place_b: Read<D>,
    sum_a: Inc<1>,
    sum_b: Inc<1>,
) {
    sum_a[0] += nearness(x_a, place_b);
    sum_b[0] += nearness(x_b, place_a);
}

/// The change at the coarse node.
#[kernel(fetch_correction_3d<5>)]
pub fn fetch_correction<const N: usize>(q_coarse: Read<N>, started_from: Read<N>, correction: Write<N>) {
    for m in 0..N {
        correction[m] = q_coarse[m] - started_from[m];
    }
}

/// Each end's sum += the other end's correction / the distance to the other end's coarse node.
#[kernel(spread_correction_3d<3, 5, nearness_3d>)]
pub fn spread_correction<const D: usize, const N: usize, nearness: Device>(
    x_a: Read<D>,
    x_b: Read<D>,
    place_a: Read<D>,
    place_b: Read<D>,
    correction_a: Read<N>,
    correction_b: Read<N>,
    sum_a: Inc<N>,
    sum_b: Inc<N>,
) {
    let from_b = nearness(x_a, place_b);
    let from_a = nearness(x_b, place_a);
    for m in 0..N {
        sum_a[m] += from_b * correction_b[m];
        sum_b[m] += from_a * correction_a[m];
    }
}

/// q += the mean of the corrections of the node's own coarse node and its neighbours', weighted by nearness; the node's
/// own alone if coordinates coincide. A correction that would change density or pressure by more than half of it is
/// shortened. sum = 0.
#[kernel(correct_3d<3, 5, nearness_3d, limited_3d, pressure_3d>)]
pub fn correct<const D: usize, const N: usize, nearness: Device, limited: Device, pressure: Device>(
    x: Read<D>,
    place: Read<D>,
    weights: Read<1>,
    correction: Read<N>,
    sum: Rw<N>,
    q: Rw<N>,
    lowest: Min<1>,
    c: &Correction,
) {
    let own = nearness(x, place);
    let mut here = true;
    for i in 0..D {
        here = here && x[i] == place[i];
    }
    let total = weights[0] + own;
    let mut mean = [0.0; N];
    for m in 0..N {
        mean[m] = if here { correction[m] } else { (sum[m] + own * correction[m]) / total };
        sum[m] = 0.0;
    }
    let new: [f64; N] = limited(q, mean, c.gm1);
    q = new;
    lowest[0] = new[0].min(pressure(new, c.gm1));
}

/// Constants of `correct`.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Correction {
    /// gamma - 1.
    pub gm1: f64,
}

/// q += the share of its coarse node's change, limited, and so the lower of density and pressure.
#[kernel(move_by_2d<4, limited_2d, pressure_2d>, move_by_3d<5, limited_3d, pressure_3d>)]
pub fn move_by<const N: usize, limited: Device, pressure: Device>(
    q_coarse: Read<N>,
    started_from: Read<N>,
    q: Rw<N>,
    lowest: Min<1>,
    c: &Move,
) {
    let mut change = [0.0; N];
    for m in 0..N {
        change[m] = c.share * (q_coarse[m] - started_from[m]);
    }
    let new: [f64; N] = limited(q, change, c.gm1);
    q = new;
    lowest[0] = new[0].min(pressure(new, c.gm1));
}

/// Constants of `move_by`.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Move {
    /// gamma - 1.
    pub gm1: f64,
    /// The share of a change.
    pub share: f64,
}

/// q and a change of it, shortened where it would change density or pressure by more than `LARGEST_CHANGE` of it.
#[device(limited_2d<4, pressure_2d>, limited_3d<5, pressure_3d>)]
pub fn limited<const N: usize, pressure: Device>(q: [f64; N], change: [f64; N], gm1: f64) -> [f64; N] {
    // Pressure is a concave function of q: shortening for density first, then for pressure, keeps both positive.
    let shorter = shortened(q[0], change[0]);
    let old: f64 = pressure(q, gm1);
    let mut less = change;
    let mut new = [0.0; N];
    for m in 0..N {
        less[m] *= shorter;
        new[m] = q[m] + less[m];
    }
    let share = shortened(old, pressure(new, gm1) - old);
    for m in 0..N {
        new[m] = q[m] + share * less[m];
    }
    new
}

/// The share of `change` that does not change `value` by more than `LARGEST_CHANGE` of it.
#[device]
pub fn shortened(value: f64, change: f64) -> f64 {
    let limit = LARGEST_CHANGE * value;
    if change.abs() > limit { limit / change.abs() } else { 1.0 }
}

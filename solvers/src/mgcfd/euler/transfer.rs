//! Between two levels: restriction of states and residuals, prolongation of corrections.
//!
//! The full approximation scheme (Brandt, "Multi-level adaptive solutions to boundary-value problems", Math. Comput. 31
//! (1977), DOI 10.1090/S0025-5718-1977-0431719-X): the coarse level starts from the children's mean weighted by volume,
//! and solves R_c(q) = R_c(q_start) - sum of the children's (R - forcing). Its change, q - q_start, corrects the finer
//! level.

use cfd_engine::prelude::*;

use crate::mgcfd::state::pressure;

/// A correction changes density and pressure by at most this share.
const LARGEST_CHANGE: f64 = 0.5;
/// Replaces a distance of 0 to a neighbour's coarse node.
const NO_DISTANCE: f64 = 1e-30;

/// q = 0 and forcing = 0 on the coarse level, to be added to.
#[kernel]
pub fn clear_coarse(q: Write<5>, forcing: Write<5>) {
    for m in 0..5 {
        q[m] = 0.0;
        forcing[m] = 0.0;
    }
}

/// The coarse node's q += V q, its forcing += R; R = 0.
#[kernel]
pub fn restrict(q: Read<5>, volume: Read<1>, res: Rw<5>, q_coarse: Inc<5>, forcing_coarse: Inc<5>) {
    for m in 0..5 {
        q_coarse[m] += volume[0] * q[m];
        forcing_coarse[m] += res[m];
        res[m] = 0.0;
    }
}

/// The coarse node's q += V q, its forcing += R - forcing; R = 0.
#[kernel]
pub fn restrict_forced(
    q: Read<5>,
    volume: Read<1>,
    res: Rw<5>,
    forcing: Read<5>,
    q_coarse: Inc<5>,
    forcing_coarse: Inc<5>,
) {
    for m in 0..5 {
        q_coarse[m] += volume[0] * q[m];
        forcing_coarse[m] += res[m] - forcing[m];
        res[m] = 0.0;
    }
}

/// q becomes the mean: q / V; start = q.
#[kernel]
pub fn start_coarse(volume: Read<1>, q: Rw<5>, start: Write<5>) {
    for m in 0..5 {
        q[m] /= volume[0];
        start[m] = q[m];
    }
}

/// forcing becomes R(q_start) - forcing.
#[kernel]
pub fn make_forcing(res: Read<5>, forcing: Rw<5>) {
    for m in 0..5 {
        forcing[m] = res[m] - forcing[m];
    }
}

/// The position of each node's coarse node.
#[kernel]
pub fn fetch_place(x_coarse: Read<3>, place: Write<3>) {
    for m in 0..3 {
        place[m] = x_coarse[m];
    }
}

/// 1 / |x - place|.
#[device]
pub fn nearness(x: [f64; 3], place: [f64; 3]) -> f64 {
    let d = [x[0] - place[0], x[1] - place[1], x[2] - place[2]];
    1.0 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt().max(NO_DISTANCE)
}

/// Each end's sum of weights += 1 / its distance to the other end's coarse node.
#[kernel]
pub fn add_nearness(
    x_a: Read<3>,
    x_b: Read<3>,
    place_a: Read<3>,
    place_b: Read<3>,
    sum_a: Inc<1>,
    sum_b: Inc<1>,
) {
    sum_a[0] += nearness(x_a, place_b);
    sum_b[0] += nearness(x_b, place_a);
}

/// The change at the coarse node.
#[kernel]
pub fn fetch_correction(q_coarse: Read<5>, started_from: Read<5>, correction: Write<5>) {
    for m in 0..5 {
        correction[m] = q_coarse[m] - started_from[m];
    }
}

/// Each end's sum += the other end's correction / the distance to the other end's coarse node.
#[kernel]
pub fn spread_correction(
    x_a: Read<3>,
    x_b: Read<3>,
    place_a: Read<3>,
    place_b: Read<3>,
    correction_a: Read<5>,
    correction_b: Read<5>,
    sum_a: Inc<5>,
    sum_b: Inc<5>,
) {
    let from_b = nearness(x_a, place_b);
    let from_a = nearness(x_b, place_a);
    for m in 0..5 {
        sum_a[m] += from_b * correction_b[m];
        sum_b[m] += from_a * correction_a[m];
    }
}

/// q += the mean of the corrections of the node's own coarse node and its neighbours', weighted by nearness; the node's
/// own alone if coordinates coincide. A correction that would change density or pressure by more than half of it is
/// shortened. sum = 0.
#[kernel]
pub fn correct(
    x: Read<3>,
    place: Read<3>,
    weights: Read<1>,
    correction: Read<5>,
    sum: Rw<5>,
    q: Rw<5>,
    lowest: Min<1>,
    c: &Correction,
) {
    let own = nearness(x, place);
    let here = x[0] == place[0] && x[1] == place[1] && x[2] == place[2];
    let total = weights[0] + own;
    let mut mean = [0.0; 5];
    for m in 0..5 {
        mean[m] = if here { correction[m] } else { (sum[m] + own * correction[m]) / total };
        sum[m] = 0.0;
    }
    // Pressure is a concave function of q: shortening for density first, then for pressure, keeps both positive.
    let shorter = shortened(q[0], mean[0]);
    let old = pressure(q, c.gm1);
    let mut new = [0.0; 5];
    for m in 0..5 {
        mean[m] *= shorter;
        new[m] = q[m] + mean[m];
    }
    let share = shortened(old, pressure(new, c.gm1) - old);
    for m in 0..5 {
        new[m] = q[m] + share * mean[m];
        q[m] = new[m];
    }
    lowest[0] = new[0].min(pressure(new, c.gm1));
}

/// Constants of `correct`.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Correction {
    /// gamma - 1.
    pub gm1: f64,
}

/// The share of `change` that does not change `value` by more than `LARGEST_CHANGE` of it.
#[device]
pub fn shortened(value: f64, change: f64) -> f64 {
    let limit = LARGEST_CHANGE * value;
    if change.abs() > limit { limit / change.abs() } else { 1.0 }
}

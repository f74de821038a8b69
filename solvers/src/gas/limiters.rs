//! Slopes of a reconstruction along an edge, limited or not.
//!
//! All are given changes from a node to the edge's other end: `slope` according to the node's gradient, gradient . d, the
//! `mean` of that and of the difference that the scheme takes, and the `difference` of the two nodes' values itself.
//!
//! Sources: van Albada, van Leer, Roberts, "A comparative study of computational methods in cosmic gas dynamics", Astron.
//! Astrophys. 108 (1982); Venkatakrishnan, "Convergence to steady state solutions of the Euler equations on unstructured
//! grids with limiters", J. Comput. Phys. 118 (1995), DOI 10.1006/jcph.1995.1084.

use cfd_engine::prelude::*;

/// Reconstructed density and pressure stay above this share of the node's; below it, the node's own state is used.
const FLOOR: f64 = 0.2;

/// Half the mean.
#[device]
pub fn unlimited(_slope: f64, mean: f64, _difference: f64, _threshold: f64) -> f64 {
    0.5 * mean
}

/// Half the mean, and less where the differences on both sides of the node disagree, `difference` = a along the edge and
/// 2 slope - difference = b on the other side: s mean / 2, s = max(0, (2 a b + e) / (a^2 + b^2 + e)).
#[device]
pub fn van_albada(slope: f64, mean: f64, difference: f64, threshold: f64) -> f64 {
    let behind = 2.0 * slope - difference;
    let agreement =
        (2.0 * behind * difference + threshold) / (behind * behind + difference * difference + threshold);
    // If nothing changes and the threshold is 0, this is 0/0, and the maximum is 0.
    0.5 * mean * agreement.max(0.0)
}

/// Half the mean, as far as the difference along the edge allows: with a = difference (0 if it has the opposite sign)
/// and b = mean / 2: b min(1, (a^2 + 2 a b + e) / (a^2 + a b + 2 b^2 + e)).
#[device]
pub fn venkatakrishnan(_slope: f64, mean: f64, difference: f64, threshold: f64) -> f64 {
    let b = 0.5 * mean;
    let a = if difference * b > 0.0 { difference } else { 0.0 };
    let share = (a * a + 2.0 * a * b + threshold) / (a * a + a * b + 2.0 * b * b + threshold);
    b * share.max(0.0).min(1.0)
}

/// The share of all slopes that is kept between the states a and b at the ends of an edge: all of them as long as density and
/// pressure change by at most the lower one, none from a change by twice that on, as within the strong shocks of supersonic
/// flow. Limiters look along one edge at a time; where such a shock crosses a node's other edges, they would let more flow out
/// of its cell than comes in, until its pressure is negative.
#[device(kept_2d<4>, kept_3d<5>)]
pub fn kept<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    let density = a[0].min(b[0]);
    let pressure = a[N - 1].min(b[N - 1]);
    let by_density = (b[0] - a[0]).abs() * pressure;
    let by_pressure = (b[N - 1] - a[N - 1]).abs() * density;
    (2.0 - by_density.max(by_pressure) / (density * pressure)).max(0.0).min(1.0)
}

/// All slopes.
#[device(all_kept_2d<4>, all_kept_3d<5>)]
pub fn all_kept<const N: usize>(_a: [f64; N], _b: [f64; N]) -> f64 {
    1.0
}

/// The reconstructed state, or the node's own if the reconstructed density or pressure is much lower.
#[device(sound_or_2d<4>, sound_or_3d<5>)]
pub fn sound_or<const N: usize>(own: [f64; N], reconstructed: [f64; N]) -> [f64; N] {
    let mut state = own;
    if reconstructed[0] > FLOOR * own[0] && reconstructed[N - 1] > FLOOR * own[N - 1] {
        state = reconstructed;
    }
    state
}

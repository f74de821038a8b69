//! How long the next step may be.

use cfd_engine::prelude::*;

/// Courant number of compression.
const COURANT: f64 = 2.0;
/// The largest relative change of volume in a step.
const MAX_CHANGE: f64 = 0.1;

/// Loop 20: the longest step that waves allow, where the volume changes.
#[kernel]
pub fn courant_limit(ss: Read<1>, length: Read<1>, vdov: Read<1>, dt: Min<1>) {
    let square = ss[0] * ss[0];
    let compression = square + 64.0 * COURANT * COURANT * length[0] * length[0] * vdov[0] * vdov[0];
    let speed = (if vdov[0] < 0.0 { compression } else { square }).sqrt();
    if vdov[0] != 0.0 {
        dt[0] = length[0] / speed;
    }
}

/// Loop 21: the longest step that the change of volume allows, where there is one.
#[kernel]
pub fn hydro_limit(vdov: Read<1>, dt: Min<1>) {
    if vdov[0] != 0.0 {
        dt[0] = MAX_CHANGE / (vdov[0].abs() + 1e-20);
    }
}

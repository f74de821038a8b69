//! Quantities derived from a state q = (rho, rho u, rho v, rho w, rho E).
//!
//! The order of evaluation is part of the definition.

use cfd_engine::prelude::*;

use super::config::Flow;
use crate::gas::state::pressure_3d;

/// (u, v, w, p, c, |u|): velocity, pressure p = (gamma - 1) (rho E - rho |u|^2 / 2), speed of sound sqrt(gamma p / rho),
/// speed.
#[device]
pub fn motion(q: [f64; 5], c: &Flow) -> [f64; 6] {
    let ri = 1.0 / q[0];
    let u = q[1] * ri;
    let v = q[2] * ri;
    let w = q[3] * ri;
    let s2 = u * u + v * v + w * w;
    let p = c.gm1 * (q[4] - 0.5 * q[0] * s2);
    [u, v, w, p, (c.gamma * p / q[0]).sqrt(), s2.sqrt()]
}

/// The columns of F(q): X, Y, Z, five components each, from q and its [`motion`].
#[device]
pub fn flux_columns(q: [f64; 5], m: [f64; 6]) -> [f64; 15] {
    [
        q[1],
        m[0] * q[1] + m[3],
        m[0] * q[2],
        m[0] * q[3],
        m[0] * (q[4] + m[3]),
        q[2],
        m[1] * q[1],
        m[1] * q[2] + m[3],
        m[1] * q[3],
        m[1] * (q[4] + m[3]),
        q[3],
        m[2] * q[1],
        m[2] * q[2],
        m[2] * q[3] + m[3],
        m[2] * (q[4] + m[3]),
    ]
}

/// q = the free stream.
#[kernel]
pub fn free_stream(q: Write<5>, c: &Flow) {
    for m in 0..5 {
        q[m] = c.qinf[m];
    }
}

/// The smaller of density and pressure: a state is physical if it is positive.
#[kernel]
pub fn check_state(q: Read<5>, lowest: Min<1>, c: &Flow) {
    lowest[0] = q[0].min(pressure_3d(q, c.gm1));
}

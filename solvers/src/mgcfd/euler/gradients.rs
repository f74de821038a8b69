//! The right-hand sides of least-squares gradients ([`crate::gas::gradients`]) of W = (rho, u, v, w, p).

use cfd_engine::prelude::*;

use crate::gas::state::primitive_3d;
use crate::mgcfd::config::Flow;

/// b += d (W_b - W_a) at both ends, three components for each quantity.
#[kernel]
pub fn differences(
    x_a: Read<3>,
    x_b: Read<3>,
    q_a: Read<5>,
    q_b: Read<5>,
    b_a: Inc<15>,
    b_b: Inc<15>,
    c: &Flow,
) {
    let d = [x_b[0] - x_a[0], x_b[1] - x_a[1], x_b[2] - x_a[2]];
    let a: [f64; 5] = primitive_3d(q_a, c.gm1);
    let b: [f64; 5] = primitive_3d(q_b, c.gm1);
    for m in 0..5 {
        let difference = b[m] - a[m];
        for i in 0..3 {
            b_a[3 * m + i] += difference * d[i];
            b_b[3 * m + i] += difference * d[i];
        }
    }
}

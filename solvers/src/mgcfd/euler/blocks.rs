//! `time_step = "matrix"`: a time step for each wave of each node ([`waves`](crate::gas::waves)).

use cfd_engine::prelude::*;

use super::kernels::Stage;
use crate::gas::state::pressure_3d;
use crate::gas::waves::{face_block_3d, precondition_3d};
use crate::mgcfd::config::Flow;
use crate::mgcfd::state::motion;

/// old = q; P = 0.
#[kernel]
pub fn begin_matrix_step(q: Read<5>, old: Write<5>, block: Write<11>) {
    for m in 0..5 {
        old[m] = q[m];
    }
    for i in 0..11 {
        block[i] = 0.0;
    }
}

/// Both ends' P += the face's part.
#[kernel]
pub fn add_blocks(q_a: Read<5>, q_b: Read<5>, w: Read<3>, block_a: Inc<11>, block_b: Inc<11>, c: &Flow) {
    let a: [f64; 6] = motion(q_a, c);
    let b: [f64; 6] = motion(q_b, c);
    let u = [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])];
    let part: [f64; 11] = face_block_3d(u, 0.5 * (a[4] + b[4]), w, 0.0);
    for i in 0..11 {
        block_a[i] += part[i];
        block_b[i] += part[i];
    }
}

/// P += a boundary face's part.
#[kernel]
pub fn add_boundary_blocks(q: Read<5>, w: Read<3>, block: Inc<11>, c: &Flow) {
    let a: [f64; 6] = motion(q, c);
    let outwards = [-w[0], -w[1], -w[2]];
    let part: [f64; 11] = face_block_3d([a[0], a[1], a[2]], a[4], outwards, 0.0);
    for i in 0..11 {
        block[i] += part[i];
    }
}

/// q = old - factor P^-1 R; R = 0.
#[kernel]
pub fn matrix_stage(old: Read<5>, inverse: Read<11>, res: Rw<5>, q: Write<5>, lowest: Min<1>, c: &Stage) {
    let step: [f64; 5] = precondition_3d(old, res, inverse, c.gamma, c.gm1);
    let mut new = [0.0; 5];
    for m in 0..5 {
        new[m] = old[m] - c.factor * step[m];
        q[m] = new[m];
        res[m] = 0.0;
    }
    lowest[0] = new[0].min(pressure_3d(new, c.gm1));
}

/// q = old - factor P^-1 (R - forcing); R = 0.
#[kernel]
pub fn matrix_stage_forced(
    old: Read<5>,
    inverse: Read<11>,
    res: Rw<5>,
    forcing: Read<5>,
    q: Write<5>,
    lowest: Min<1>,
    c: &Stage,
) {
    let mut r = [0.0; 5];
    for m in 0..5 {
        r[m] = res[m] - forcing[m];
        res[m] = 0.0;
    }
    let step: [f64; 5] = precondition_3d(old, r, inverse, c.gamma, c.gm1);
    let mut new = [0.0; 5];
    for m in 0..5 {
        new[m] = old[m] - c.factor * step[m];
        q[m] = new[m];
    }
    lowest[0] = new[0].min(pressure_3d(new, c.gm1));
}

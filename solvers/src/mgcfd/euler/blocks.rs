//! `time_step = "matrix"`: a time step for each wave of each node.
//!
//! The scalar local time step is the fastest wave's in the shortest direction; in a flat cell all slower waves, above
//! all entropy and vorticity waves, crawl. Here 1/dt becomes the matrix P = sum over faces of |A| |w| / 2, the diagonal
//! block of the first-order scheme's derivative, and a stage is q = old - factor P^-1 R. Sources: Allmaras, "Analysis
//! of semi-implicit preconditioners for multigrid solution of the 2-D compressible Navier-Stokes equations", AIAA
//! 95-1651, DOI 10.2514/6.1995-1651; Pierce, Giles, "Preconditioned multigrid methods for compressible flow
//! calculations on stretched meshes", J. Comput. Phys. 136 (1997), DOI 10.1006/jcph.1997.5772.
//!
//! In the variables (dp / (rho c), du, dv, dw) and ds = drho - dp / c^2, P is a symmetric positive matrix of 4 x 4 for the first
//! four and a number for the last. A face of unit normal n with wave speeds s = |u.n - c|, m = |u.n|, f = |u.n + c| adds
//!
//! ```text
//! |w|/2 | (f + s)/2      (f - s)/2 n^T                  |          |w|/2 m
//!       | (f - s)/2 n    m I + ((f + s)/2 - m) n n^T    |
//! ```
//!
//! A block holds the upper triangle row by row, then the number for the entropy.

use cfd_engine::prelude::*;

use super::kernels::Stage;
use crate::gas::roe::wave;
use crate::mgcfd::config::Flow;
use crate::mgcfd::state::{motion, pressure};

/// No wave counts as slower than this share of the speed of sound; otherwise P could be singular.
pub const SLOWEST: f64 = 0.1;
/// Replaces the area of a face that has none.
const NO_AREA: f64 = 1e-300;

/// A face's contribution to the adjacent blocks, from the mean velocity and speed of sound there.
#[device]
pub fn face_block(u: [f64; 3], sound: f64, w: [f64; 3]) -> [f64; 11] {
    let area = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    let ai = 1.0 / area.max(NO_AREA);
    let n = [w[0] * ai, w[1] * ai, w[2] * ai];
    let through = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
    let least = SLOWEST * sound;
    let half = 0.5 * area;
    let slow = half * wave(through - sound, least);
    let middle = half * wave(through, least);
    let fast = half * wave(through + sound, least);
    let mean = 0.5 * (fast + slow);
    let skew = 0.5 * (fast - slow);
    let extra = mean - middle;
    [
        mean,
        skew * n[0],
        skew * n[1],
        skew * n[2],
        middle + extra * (n[0] * n[0]),
        extra * (n[0] * n[1]),
        extra * (n[0] * n[2]),
        middle + extra * (n[1] * n[1]),
        extra * (n[1] * n[2]),
        middle + extra * (n[2] * n[2]),
        middle,
    ]
}

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
    let part: [f64; 11] = face_block(u, 0.5 * (a[4] + b[4]), w);
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
    let part: [f64; 11] = face_block([a[0], a[1], a[2]], a[4], outwards);
    for i in 0..11 {
        block[i] += part[i];
    }
}

/// (xx, xy, yy) of the inverse of a symmetric 2 x 2 matrix.
#[device]
pub fn inverse2(xx: f64, xy: f64, yy: f64) -> [f64; 3] {
    let scale = 1.0 / (xx * yy - xy * xy);
    [scale * yy, -(scale * xy), scale * xx]
}

/// P becomes its inverse: with 2 x 2 blocks (A, B; B^T, D), S = D - B^T A^-1 B and X = A^-1 B,
/// (A^-1 + X S^-1 X^T, -X S^-1; . , S^-1).
#[kernel]
pub fn invert_blocks(p: Rw<11>) {
    let a: [f64; 3] = inverse2(p[0], p[1], p[4]);
    // B = (p2 p3; p5 p6), X = A^-1 B.
    let x00 = a[0] * p[2] + a[1] * p[5];
    let x01 = a[0] * p[3] + a[1] * p[6];
    let x10 = a[1] * p[2] + a[2] * p[5];
    let x11 = a[1] * p[3] + a[2] * p[6];
    let s: [f64; 3] = inverse2(
        p[7] - (p[2] * x00 + p[5] * x10),
        p[8] - (p[2] * x01 + p[5] * x11),
        p[9] - (p[3] * x01 + p[6] * x11),
    );
    // Y = X S^-1.
    let y00 = x00 * s[0] + x01 * s[1];
    let y01 = x00 * s[1] + x01 * s[2];
    let y10 = x10 * s[0] + x11 * s[1];
    let y11 = x10 * s[1] + x11 * s[2];
    let entropy = 1.0 / p[10];
    p = [
        a[0] + (y00 * x00 + y01 * x01),
        a[1] + (y00 * x10 + y01 * x11),
        -y00,
        -y01,
        a[2] + (y10 * x10 + y11 * x11),
        -y10,
        -y11,
        s[0],
        s[1],
        s[2],
        entropy,
    ];
}

/// P^-1 r at the state q, r and the result being in (rho, rho u, rho v, rho w, rho E).
#[device]
pub fn precondition(q: [f64; 5], r: [f64; 5], inverse: [f64; 11], gamma: f64, gm1: f64) -> [f64; 5] {
    let ri = 1.0 / q[0];
    let u = q[1] * ri;
    let v = q[2] * ri;
    let w = q[3] * ri;
    let k = 0.5 * (u * u + v * v + w * w);
    let p = gm1 * (q[4] - q[0] * k);
    let c2 = gamma * p * ri;
    let impedance = q[0] * c2.sqrt();
    let d_p = gm1 * (r[4] - (u * r[1] + v * r[2] + w * r[3]) + k * r[0]);
    let y0 = d_p / impedance;
    let y1 = (r[1] - u * r[0]) * ri;
    let y2 = (r[2] - v * r[0]) * ri;
    let y3 = (r[3] - w * r[0]) * ri;
    let entropy = inverse[10] * (r[0] - d_p / c2);
    let z0 = inverse[0] * y0 + inverse[1] * y1 + inverse[2] * y2 + inverse[3] * y3;
    let z1 = inverse[1] * y0 + inverse[4] * y1 + inverse[5] * y2 + inverse[6] * y3;
    let z2 = inverse[2] * y0 + inverse[5] * y1 + inverse[7] * y2 + inverse[8] * y3;
    let z3 = inverse[3] * y0 + inverse[6] * y1 + inverse[8] * y2 + inverse[9] * y3;
    let new_p = impedance * z0;
    let new_rho = entropy + new_p / c2;
    [
        new_rho,
        u * new_rho + q[0] * z1,
        v * new_rho + q[0] * z2,
        w * new_rho + q[0] * z3,
        new_p / gm1 + k * new_rho + q[0] * (u * z1 + v * z2 + w * z3),
    ]
}

/// q = old - factor P^-1 R; R = 0.
#[kernel]
pub fn matrix_stage(old: Read<5>, inverse: Read<11>, res: Rw<5>, q: Write<5>, lowest: Min<1>, c: &Stage) {
    let step: [f64; 5] = precondition(old, res, inverse, c.gamma, c.gm1);
    let mut new = [0.0; 5];
    for m in 0..5 {
        new[m] = old[m] - c.factor * step[m];
        q[m] = new[m];
        res[m] = 0.0;
    }
    lowest[0] = new[0].min(pressure(new, c.gm1));
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
    let step: [f64; 5] = precondition(old, r, inverse, c.gamma, c.gm1);
    let mut new = [0.0; 5];
    for m in 0..5 {
        new[m] = old[m] - c.factor * step[m];
        q[m] = new[m];
    }
    lowest[0] = new[0].min(pressure(new, c.gm1));
}

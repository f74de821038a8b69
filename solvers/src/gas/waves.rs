//! A time step for each wave of a node.
//!
//! The scalar local time step is the fastest wave's in the shortest direction; in a flat cell all slower waves, above
//! all entropy and vorticity waves, crawl. Here 1/dt becomes the matrix P = sum over faces of |A| |w| / 2, the diagonal
//! block of the first-order scheme's derivative, and a stage is q = old - factor P^-1 R. Sources: Allmaras, "Analysis
//! of semi-implicit preconditioners for multigrid solution of the 2-D compressible Navier-Stokes equations", AIAA
//! 95-1651, DOI 10.2514/6.1995-1651; Pierce, Giles, "Preconditioned multigrid methods for compressible flow
//! calculations on stretched meshes", J. Comput. Phys. 136 (1997), DOI 10.1006/jcph.1997.5772.
//!
//! In the variables (dp / (rho c), du) and ds = drho - dp / c^2, P is a symmetric positive matrix of D + 1 rows for the first
//! ones and a number for the last. A face of unit normal n with wave speeds s = |u.n - c|, m = |u.n|, f = |u.n + c| adds
//!
//! ```text
//! |w|/2 | (f + s)/2      (f - s)/2 n^T                  |          |w|/2 m
//!       | (f - s)/2 n    m I + ((f + s)/2 - m) n n^T    |
//! ```
//!
//! A block holds the upper triangle row by row, then the number for the entropy: P = 7 numbers in the plane, 11 in space.

use cfd_engine::prelude::*;

use crate::gas::roe::wave;

/// No wave counts as slower than this share of the speed of sound; otherwise P could be singular.
pub const SLOWEST: f64 = 0.1;
/// Replaces the area of a face that has none.
const NO_AREA: f64 = 1e-300;

/// Of a face, from the mean velocity and speed of sound there: of the numbers of the block, (f + s)/2, (f - s)/2, m and
/// (f + s)/2 - m times half its area, and the unit normal; `more` makes all waves faster by as much.
#[device(face_waves_2d<2, 6>, face_waves_3d<3, 7>)]
pub fn face_waves<const D: usize, const F: usize>(
    u: [f64; D],
    sound: f64,
    w: [f64; D],
    more: f64,
) -> [f64; F] {
    let mut a2 = 0.0;
    for i in 0..D {
        a2 += w[i] * w[i];
    }
    let area = a2.sqrt();
    let ai = 1.0 / area.max(NO_AREA);
    let mut face = [0.0; F];
    let mut through = u[0] * (w[0] * ai);
    face[4] = w[0] * ai;
    for i in 1..D {
        face[4 + i] = w[i] * ai;
        through += u[i] * face[4 + i];
    }
    let least = SLOWEST * sound;
    let half = 0.5 * area;
    let slow = half * wave(through - sound, least);
    let middle = half * wave(through, least);
    let fast = half * wave(through + sound, least);
    let mean = 0.5 * (fast + slow);
    face[0] = mean + more;
    face[1] = 0.5 * (fast - slow);
    face[2] = middle + more;
    face[3] = mean - middle;
    face
}

/// A face's contribution to the adjacent blocks in the plane, from the mean velocity and speed of sound there, and what makes
/// all waves faster.
#[device]
pub fn face_block_2d(u: [f64; 2], sound: f64, w: [f64; 2], more: f64) -> [f64; 7] {
    let f: [f64; 6] = face_waves_2d(u, sound, w, more);
    [
        f[0],
        f[1] * f[4],
        f[1] * f[5],
        f[2] + f[3] * (f[4] * f[4]),
        f[3] * (f[4] * f[5]),
        f[2] + f[3] * (f[5] * f[5]),
        f[2],
    ]
}

/// The same in space.
#[device]
pub fn face_block_3d(u: [f64; 3], sound: f64, w: [f64; 3], more: f64) -> [f64; 11] {
    let f: [f64; 7] = face_waves_3d(u, sound, w, more);
    [
        f[0],
        f[1] * f[4],
        f[1] * f[5],
        f[1] * f[6],
        f[2] + f[3] * (f[4] * f[4]),
        f[3] * (f[4] * f[5]),
        f[3] * (f[4] * f[6]),
        f[2] + f[3] * (f[5] * f[5]),
        f[3] * (f[5] * f[6]),
        f[2] + f[3] * (f[6] * f[6]),
        f[2],
    ]
}

/// (xx, xy, yy) of the inverse of a symmetric 2 x 2 matrix.
#[device]
pub fn inverse2(xx: f64, xy: f64, yy: f64) -> [f64; 3] {
    let scale = 1.0 / (xx * yy - xy * xy);
    [scale * yy, -(scale * xy), scale * xx]
}

/// P becomes its inverse: with a 2 x 2 block A, a column b and a number d, s = d - b^T A^-1 b and x = A^-1 b,
/// (A^-1 + x x^T / s, -x / s; . , 1 / s).
#[kernel]
pub fn invert_blocks_2d(p: Rw<7>) {
    let a: [f64; 3] = inverse2(p[0], p[1], p[3]);
    let x0 = a[0] * p[2] + a[1] * p[4];
    let x1 = a[1] * p[2] + a[2] * p[4];
    let s = 1.0 / (p[5] - (p[2] * x0 + p[4] * x1));
    let y0 = x0 * s;
    let y1 = x1 * s;
    let entropy = 1.0 / p[6];
    p = [a[0] + y0 * x0, a[1] + y0 * x1, -y0, a[2] + y1 * x1, -y1, s, entropy];
}

/// P becomes its inverse: with 2 x 2 blocks (A, B; B^T, D), S = D - B^T A^-1 B and X = A^-1 B,
/// (A^-1 + X S^-1 X^T, -X S^-1; . , S^-1).
#[kernel]
pub fn invert_blocks_3d(p: Rw<11>) {
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

/// All entries of the inverse's matrix, row by row, then its number.
#[device]
pub fn entries_2d(p: [f64; 7]) -> [f64; 10] {
    [p[0], p[1], p[2], p[1], p[3], p[4], p[2], p[4], p[5], p[6]]
}

/// The same in space.
#[device]
pub fn entries_3d(p: [f64; 11]) -> [f64; 17] {
    [p[0], p[1], p[2], p[3], p[1], p[4], p[5], p[6], p[2], p[5], p[7], p[8], p[3], p[6], p[8], p[9], p[10]]
}

/// P^-1 r at the state q, r and the result being changes of q.
#[device(precondition_2d<2, 4, 7, 10, entries_2d>, precondition_3d<3, 5, 11, 17, entries_3d>)]
pub fn precondition<const D: usize, const N: usize, const P: usize, const E: usize, entries: Device>(
    q: [f64; N],
    r: [f64; N],
    inverse: [f64; P],
    gamma: f64,
    gm1: f64,
) -> [f64; N] {
    let all: [f64; E] = entries(inverse);
    let ri = 1.0 / q[0];
    let mut u = [0.0; D];
    let mut s2 = 0.0;
    for i in 0..D {
        u[i] = q[1 + i] * ri;
        s2 += u[i] * u[i];
    }
    let k = 0.5 * s2;
    let p = gm1 * (q[D + 1] - q[0] * k);
    let c2 = gamma * p * ri;
    let impedance = q[0] * c2.sqrt();
    let mut along = u[0] * r[1];
    for i in 1..D {
        along += u[i] * r[1 + i];
    }
    let d_p = gm1 * (r[D + 1] - along + k * r[0]);
    let mut y = [0.0; D + 1];
    y[0] = d_p / impedance;
    for i in 0..D {
        y[1 + i] = (r[1 + i] - u[i] * r[0]) * ri;
    }
    let entropy = all[E - 1] * (r[0] - d_p / c2);
    let mut z = [0.0; D + 1];
    for i in 0..(D + 1) {
        z[i] = all[(D + 1) * i] * y[0];
        for j in 1..(D + 1) {
            z[i] += all[(D + 1) * i + j] * y[j];
        }
    }
    let new_p = impedance * z[0];
    let new_rho = entropy + new_p / c2;
    let mut change = [0.0; N];
    let mut work = u[0] * z[1];
    for i in 1..D {
        work += u[i] * z[1 + i];
    }
    change[0] = new_rho;
    for i in 0..D {
        change[1 + i] = u[i] * new_rho + q[0] * z[1 + i];
    }
    change[D + 1] = new_p / gm1 + k * new_rho + q[0] * work;
    change
}

//! Geometry of a hexahedron. Corners 0 to 3 lie around the face of low zeta, 4 to 7 above them.

use cfd_engine::prelude::*;

/// 1/12, the factor of sums over faces.
pub const TWELFTH: f64 = 1.0 / 12.0;

/// a . (b x c), from the components of the three vectors: a_x (b_y c_z - c_y b_z) + a_y (c_x b_z - b_x c_z)
/// + a_z (b_x c_y - c_x b_y).
#[device]
pub fn triple(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    a[0] * (b[1] * c[2] - c[1] * b[2])
        + a[1] * (c[0] * b[2] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - c[0] * b[1])
}

/// a - b.
#[device]
pub fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// (a - b) + (c - d).
#[device]
pub fn two_differences(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> [f64; 3] {
    [(a[0] - b[0]) + (c[0] - d[0]), (a[1] - b[1]) + (c[1] - d[1]), (a[2] - b[2]) + (c[2] - d[2])]
}

/// The volume, from the corners' positions.
#[device]
pub fn volume(
    x0: [f64; 3],
    x1: [f64; 3],
    x2: [f64; 3],
    x3: [f64; 3],
    x4: [f64; 3],
    x5: [f64; 3],
    x6: [f64; 3],
    x7: [f64; 3],
) -> f64 {
    let a: [f64; 3] = two_differences(x3, x1, x7, x2);
    let b: [f64; 3] = difference(x6, x3);
    let c: [f64; 3] = difference(x2, x0);
    let d: [f64; 3] = two_differences(x4, x3, x5, x7);
    let e: [f64; 3] = difference(x6, x4);
    let f: [f64; 3] = difference(x7, x0);
    let g: [f64; 3] = two_differences(x1, x4, x2, x5);
    let h: [f64; 3] = difference(x6, x1);
    let i: [f64; 3] = difference(x5, x0);
    (triple(a, b, c) + triple(d, e, f) + triple(g, h, i)) * TWELFTH
}

/// The derivatives with respect to xi, eta and zeta, at the centre, of a quantity with these values at the corners.
#[device]
pub fn derivatives(w: [f64; 8]) -> [f64; 3] {
    let a = w[6] - w[0];
    let b = w[5] - w[3];
    let c = w[7] - w[1];
    let d = w[4] - w[2];
    [0.125 * (a + b - c - d), 0.125 * (a - b + c - d), 0.125 * (a + b + c + d)]
}

/// The cofactors of the third axis in the Jacobian, from the derivatives of the two others in turn.
#[device]
pub fn cofactors(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - b[1] * a[2], b[0] * a[2] - a[0] * b[2], a[0] * b[1] - b[0] * a[1]]
}

/// Eight times the determinant of the Jacobian, from derivatives by eta and the cofactors of their axes.
#[device]
pub fn determinant(x: [f64; 3], y: [f64; 3], z: [f64; 3]) -> f64 {
    let of_x: [f64; 3] = cofactors(y, z);
    let of_y: [f64; 3] = cofactors(z, x);
    let of_z: [f64; 3] = cofactors(x, y);
    8.0 * (x[1] * of_x[1] + y[1] * of_y[1] + z[1] * of_z[1])
}

/// The derivative along an axis of a velocity component `u`, from the axis' cofactors and 1 / J.
#[device]
pub fn derivative(of: [f64; 3], inverse: f64, u: [f64; 8]) -> f64 {
    let b0 = -of[0] - of[1] - of[2];
    let b1 = of[0] - of[1] - of[2];
    let b2 = of[0] + of[1] - of[2];
    let b3 = -of[0] + of[1] - of[2];
    inverse * (b0 * (u[0] - u[6]) + b1 * (u[1] - u[7]) + b2 * (u[2] - u[4]) + b3 * (u[3] - u[5]))
}

/// A quarter of a face's area vector, from its corners in turn.
#[device]
pub fn quarter_area(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> [f64; 3] {
    let mut s = [0.0; 3];
    let mut r = [0.0; 3];
    for m in 0..3 {
        s[m] = 0.5 * (d[m] + c[m] - b[m] - a[m]);
        r[m] = 0.5 * (c[m] + b[m] - d[m] - a[m]);
    }
    [
        0.25 * (s[1] * r[2] - s[2] * r[1]),
        0.25 * (s[2] * r[0] - s[0] * r[2]),
        0.25 * (s[0] * r[1] - s[1] * r[0]),
    ]
}

/// a . b.
#[device]
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The square of four times a face's area, or an equivalent quantity, from its corners in turn.
#[device]
pub fn square_of_area(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> f64 {
    let mut f = [0.0; 3];
    let mut g = [0.0; 3];
    for m in 0..3 {
        f[m] = (c[m] - a[m]) - (d[m] - b[m]);
        g[m] = (c[m] - a[m]) + (d[m] - b[m]);
    }
    dot(f, f) * dot(g, g) - dot(f, g) * dot(f, g)
}

//! The loops of the conjugate-gradient method, on any set.

use cfd_engine::prelude::*;

/// The coefficients of one step.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Coefficients {
    /// Length of the step.
    pub alpha: f64,
    /// Share of the old direction in the new one.
    pub beta: f64,
}

/// p = r, u = 0, v = 0; the global sum of r^2.
#[kernel]
pub fn init_cg(r: Read<1>, p: Write<1>, u: Write<1>, v: Write<1>, rr: Sum<1>) {
    p[0] = r[0];
    u[0] = 0.0;
    v[0] = 0.0;
    rr[0] += r[0] * r[0];
}

/// Jacobi preconditioning: z = r / d; the global sum of r z.
#[kernel]
pub fn jacobi(d: Read<1>, r: Read<1>, z: Write<1>, rz: Sum<1>) {
    let scaled = r[0] / d[0];
    z[0] = scaled;
    rz[0] += r[0] * scaled;
}

/// d = 0.
#[kernel]
pub fn clear_diagonal(d: Write<1>) {
    d[0] = 0.0;
}

/// The global sum of p v.
#[kernel]
pub fn dot_pv(p: Read<1>, v: Read<1>, pv: Sum<1>) {
    pv[0] += p[0] * v[0];
}

/// u += alpha p, r -= alpha v, v = 0; the global sum of the new r^2.
#[kernel]
pub fn update_ur(p: Read<1>, v: Rw<1>, u: Rw<1>, r: Rw<1>, rr: Sum<1>, c: &Coefficients) {
    let left = r[0] - c.alpha * v[0];
    u[0] += c.alpha * p[0];
    r[0] = left;
    v[0] = 0.0;
    rr[0] += left * left;
}

/// p = beta p + z.
#[kernel]
pub fn update_p(z: Read<1>, p: Rw<1>, c: &Coefficients) {
    p[0] = c.beta * p[0] + z[0];
}

/// p = 0, s = 0.
#[kernel]
pub fn init_directions(p: Write<1>, s: Write<1>) {
    p[0] = 0.0;
    s[0] = 0.0;
}

/// p = beta p + z, s = beta s + v, v = 0: the direction, and the operator applied to it.
#[kernel]
pub fn update_directions(z: Read<1>, v: Rw<1>, p: Rw<1>, s: Rw<1>, c: &Coefficients) {
    p[0] = c.beta * p[0] + z[0];
    s[0] = c.beta * s[0] + v[0];
    v[0] = 0.0;
}

/// u += alpha p, r -= alpha s; the global sum of the new r^2.
#[kernel]
pub fn advance(p: Read<1>, s: Read<1>, u: Rw<1>, r: Rw<1>, rr: Sum<1>, c: &Coefficients) {
    let left = r[0] - c.alpha * s[0];
    u[0] += c.alpha * p[0];
    r[0] = left;
    rr[0] += left * left;
}

//! Conserved variables q = (rho, rho u, rho E) and primitive ones w = (rho, u, p), p = (gamma - 1) (rho E - rho |u|^2 / 2).

use cfd_engine::prelude::*;

/// w of q.
#[device(tangent(q), primitive_2d<2, 4>, primitive_3d<3, 5>)]
pub fn primitive<const D: usize, const N: usize>(q: [f64; N], gm1: f64) -> [f64; N] {
    let ri = 1.0 / q[0];
    let mut w = [0.0; N];
    let mut s2 = 0.0;
    w[0] = q[0];
    for i in 0..D {
        let u = q[1 + i] * ri;
        w[1 + i] = u;
        s2 += u * u;
    }
    w[D + 1] = gm1 * (q[D + 1] - 0.5 * q[0] * s2);
    w
}

/// p of q.
#[device(pressure_2d<2, 4>, pressure_3d<3, 5>)]
pub fn pressure<const D: usize, const N: usize>(q: [f64; N], gm1: f64) -> f64 {
    let ri = 1.0 / q[0];
    let mut s2 = 0.0;
    for i in 0..D {
        let u = q[1 + i] * ri;
        s2 += u * u;
    }
    gm1 * (q[D + 1] - 0.5 * q[0] * s2)
}

/// q of w.
#[device(tangent(w), conserved_2d<2, 4>, conserved_3d<3, 5>)]
pub fn conserved<const D: usize, const N: usize>(w: [f64; N], gm1: f64) -> [f64; N] {
    let mut q = [0.0; N];
    let mut s2 = 0.0;
    q[0] = w[0];
    for i in 0..D {
        q[1 + i] = w[0] * w[1 + i];
        s2 += w[1 + i] * w[1 + i];
    }
    q[D + 1] = w[D + 1] / gm1 + 0.5 * w[0] * s2;
    q
}

/// The flux of w through an area: (rho u_A, rho u_A u + p A, u_A (rho E + p)), u_A = u . A.
#[device(tangent, flux_2d<2, 4>, flux_3d<3, 5>)]
pub fn flux<const D: usize, const N: usize>(w: [f64; N], area: [f64; D], gamma: f64, gm1: f64) -> [f64; N] {
    let mut through = 0.0;
    let mut s2 = 0.0;
    for i in 0..D {
        through += w[1 + i] * area[i];
        s2 += w[1 + i] * w[1 + i];
    }
    let mut f = [0.0; N];
    let mass = w[0] * through;
    f[0] = mass;
    for i in 0..D {
        f[1 + i] = mass * w[1 + i] + w[D + 1] * area[i];
    }
    f[D + 1] = through * (gamma / gm1 * w[D + 1] + 0.5 * w[0] * s2);
    f
}

/// The change of the flux of w through an area when w changes by d, to first order.
#[device(flux_change_2d<2, 4>, flux_change_3d<3, 5>)]
pub fn flux_change<const D: usize, const N: usize>(
    w: [f64; N],
    d: [f64; N],
    area: [f64; D],
    gamma: f64,
    gm1: f64,
) -> [f64; N] {
    let mut through = 0.0;
    let mut d_through = 0.0;
    let mut s2 = 0.0;
    let mut d_k = 0.0;
    for i in 0..D {
        through += w[1 + i] * area[i];
        d_through += d[1 + i] * area[i];
        s2 += w[1 + i] * w[1 + i];
        d_k += w[1 + i] * d[1 + i];
    }
    let ratio = gamma / gm1;
    let mass = w[0] * through;
    let d_mass = d[0] * through + w[0] * d_through;
    let mut f = [0.0; N];
    f[0] = d_mass;
    for i in 0..D {
        f[1 + i] = d_mass * w[1 + i] + mass * d[1 + i] + d[D + 1] * area[i];
    }
    f[D + 1] = d_through * (ratio * w[D + 1] + 0.5 * w[0] * s2)
        + through * (ratio * d[D + 1] + 0.5 * d[0] * s2 + w[0] * d_k);
    f
}

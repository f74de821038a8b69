//! The loops of Aero.
//!
//! Steady two-dimensional potential flow, div(rho grad phi) = 0, by bilinear finite elements. With speeds in units of
//! the free stream's speed of sound and D = 1 + (gamma - 1)/2 (M^2 - |grad phi|^2), the temperature, the density is
//! rho = D^(1/(gamma - 1)). Newton's method needs the residual, int rho grad phi . grad N_j, and its derivative
//! K_jk = int rho (grad N_j . grad N_k) - (rho / D) (grad phi . grad N_j)(grad phi . grad N_k).
//!
//! A cell's nodes are 0, 1, 2, 3 at (0,0), (1,0), (0,1), (1,1) of the unit square (xi, eta). The order of evaluation
//! is part of the definition. Source: Mudalige et al., "OP2: an active library framework for solving unstructured
//! mesh-based applications", InPar 2012, DOI 10.1109/InPar.2012.6339594; Hirsch, "Numerical computation of internal
//! and external flows", volume 2 (1990), chapter 14 on the full potential equation.

use cfd_engine::prelude::*;

use super::config::Flow;
use super::power::power;

/// Gauss points of the unit interval, (1 -+ 1/sqrt 3) / 2; the weight of each of the four pairs is 1/4.
const LOW: f64 = 0.21132486540518713;
const HIGH: f64 = 0.7886751345948129;
/// The points in order: xi runs faster.
const XI: [f64; 4] = [LOW, HIGH, LOW, HIGH];
const ETA: [f64; 4] = [LOW, LOW, HIGH, HIGH];

/// phi = M x.
#[kernel]
pub fn init_phi(x: Read<2>, phi: Write<1>, c: &Flow) {
    phi[0] = c.mach * x[0];
}

/// Derivatives by xi and eta at a point of the unit square of the bilinear function with these corner values:
/// f_xi = (f1 - f0) + eta ((f3 - f2) - (f1 - f0)), f_eta = (f2 - f0) + xi ((f3 - f1) - (f2 - f0)).
#[device]
pub fn slopes(f: [f64; 4], xi: f64, eta: f64) -> [f64; 2] {
    [
        (f[1] - f[0]) + eta * ((f[3] - f[2]) - (f[1] - f[0])),
        (f[2] - f[0]) + xi * ((f[3] - f[1]) - (f[2] - f[0])),
    ]
}

/// The map to a cell and the flow at a point of the unit square, from the values at the cell's corners:
/// (x_xi, x_eta, y_xi, y_eta, J, u, v) with J = x_xi y_eta - x_eta y_xi, u = (y_eta phi_xi - y_xi phi_eta) / J,
/// v = (x_xi phi_eta - x_eta phi_xi) / J.
#[device]
pub fn point(x: [f64; 4], y: [f64; 4], phi: [f64; 4], xi: f64, eta: f64) -> [f64; 7] {
    let a = slopes(x, xi, eta);
    let b = slopes(y, xi, eta);
    let f = slopes(phi, xi, eta);
    let jacobian = a[0] * b[1] - a[1] * b[0];
    let u = (b[1] * f[0] - b[0] * f[1]) / jacobian;
    let v = (a[0] * f[1] - a[1] * f[0]) / jacobian;
    [a[0], a[1], b[0], b[1], jacobian, u, v]
}

/// D = 1 + (gamma - 1)/2 (M^2 - (u^2 + v^2)).
#[device]
pub fn temperature(u: f64, v: f64, c: &Flow) -> f64 {
    1.0 + c.half_gm1 * (c.mach2 - (u * u + v * v))
}

/// rho for gamma = 1.4: (D D) sqrt(D).
#[device]
pub fn density_sqrt(d: f64, _c: &Flow) -> f64 {
    (d * d) * d.sqrt()
}

/// rho for any gamma: D^(1/(gamma - 1)).
#[device]
pub fn density_power(d: f64, c: &Flow) -> f64 {
    power(d, c.exponent)
}

/// A cell's contribution to the residual (4 values) and its stiffness (10 values).
///
/// For every Gauss point in order, with the slopes (x_xi, x_eta), (y_xi, y_eta), J and (u, v) as above, and with the
/// slopes of N_j, n_xi = (-(1-eta), 1-eta, -eta, eta), n_eta = (-(1-xi), -xi, 1-xi, xi):
///
/// ```text
/// gx_j = y_eta n_xi_j - y_xi n_eta_j        gy_j = x_xi n_eta_j - x_eta n_xi_j       (J grad N_j)
/// s_j  = u gx_j + v gy_j                                                             (J grad phi . grad N_j)
/// res_j += (0.25 rho) s_j
/// K_jk  += a ((gx_j gx_k + gy_j gy_k) - b (s_j s_k)),   a = (0.25 rho) / J,  b = 1 / D
/// ```
///
/// Every res_j and K_jk is a separate sum over the points, starting from zero. K is symmetric to the bit, because each
/// product is; value p is K_jk with j = p mod 4, k = (p + p / 4) mod 4: the diagonal, K_01, K_12, K_23, K_30, K_02 and
/// K_13.
#[device]
pub fn element(x: [f64; 4], y: [f64; 4], phi: [f64; 4], d: [f64; 4], rho: [f64; 4]) -> [f64; 14] {
    let mut sums = [0.0; 14];
    for g in 0..4 {
        let at = point(x, y, phi, XI[g], ETA[g]);
        let n_xi = [-(1.0 - ETA[g]), 1.0 - ETA[g], -ETA[g], ETA[g]];
        let n_eta = [-(1.0 - XI[g]), -XI[g], 1.0 - XI[g], XI[g]];
        let mut gx = [0.0; 4];
        let mut gy = [0.0; 4];
        let mut s = [0.0; 4];
        for j in 0..4 {
            gx[j] = at[3] * n_xi[j] - at[2] * n_eta[j];
            gy[j] = at[0] * n_eta[j] - at[1] * n_xi[j];
            s[j] = at[5] * gx[j] + at[6] * gy[j];
        }
        let weight = 0.25 * rho[g];
        let scale = weight / at[4];
        let inverse = 1.0 / d[g];
        for j in 0..4 {
            sums[j] += weight * s[j];
        }
        for p in 0..10 {
            sums[4 + p] += scale
                * ((gx[p % 4] * gx[(p + p / 4) % 4] + gy[p % 4] * gy[(p + p / 4) % 4])
                    - inverse * (s[p % 4] * s[(p + p / 4) % 4]));
        }
    }
    sums
}

/// D at the four Gauss points of a cell.
#[device]
pub fn temperatures(x: [f64; 4], y: [f64; 4], phi: [f64; 4], c: &Flow) -> [f64; 4] {
    let mut d = [0.0; 4];
    for g in 0..4 {
        let at = point(x, y, phi, XI[g], ETA[g]);
        d[g] = temperature(at[5], at[6], c);
    }
    d
}

/// Residual and stiffness of the cells, and the lowest temperature: for gamma = 1.4, and for any gamma.
#[kernel(res_calc<density_sqrt>, res_calc_power<density_power>)]
pub fn assembly<density: Device>(
    x0: Read<2>,
    x1: Read<2>,
    x2: Read<2>,
    x3: Read<2>,
    phi0: Read<1>,
    phi1: Read<1>,
    phi2: Read<1>,
    phi3: Read<1>,
    res0: Inc<1>,
    res1: Inc<1>,
    res2: Inc<1>,
    res3: Inc<1>,
    k: Write<10>,
    lowest: Min<1>,
    c: &Flow,
) {
    let x = [x0[0], x1[0], x2[0], x3[0]];
    let y = [x0[1], x1[1], x2[1], x3[1]];
    let phi = [phi0[0], phi1[0], phi2[0], phi3[0]];
    let d = temperatures(x, y, phi, c);
    let mut rho = [0.0; 4];
    for g in 0..4 {
        rho[g] = density(d[g], c);
    }
    let sums = element(x, y, phi, d, rho);
    res0[0] += sums[0];
    res1[0] += sums[1];
    res2[0] += sums[2];
    res3[0] += sums[3];
    for i in 0..10 {
        k[i] = sums[4 + i];
    }
    lowest[0] = d[0].min(d[1]).min(d[2].min(d[3]));
}

/// Far-field nodes: the value is 0.
#[kernel]
pub fn dirichlet(value: Write<1>) {
    value[0] = 0.0;
}

/// v += K p: v_j receives (K_j0 p_0 + K_j1 p_1) + (K_j2 p_2 + K_j3 p_3).
#[kernel]
pub fn spmv(
    k: Read<10>,
    p0: Read<1>,
    p1: Read<1>,
    p2: Read<1>,
    p3: Read<1>,
    v0: Inc<1>,
    v1: Inc<1>,
    v2: Inc<1>,
    v3: Inc<1>,
) {
    v0[0] += (k[0] * p0[0] + k[4] * p1[0]) + (k[8] * p2[0] + k[7] * p3[0]);
    v1[0] += (k[4] * p0[0] + k[1] * p1[0]) + (k[5] * p2[0] + k[9] * p3[0]);
    v2[0] += (k[8] * p0[0] + k[5] * p1[0]) + (k[2] * p2[0] + k[6] * p3[0]);
    v3[0] += (k[7] * p0[0] + k[9] * p1[0]) + (k[6] * p2[0] + k[3] * p3[0]);
}

/// The diagonal of K.
#[kernel]
pub fn diagonal(k: Read<10>, d0: Inc<1>, d1: Inc<1>, d2: Inc<1>, d3: Inc<1>) {
    d0[0] += k[0];
    d1[0] += k[1];
    d2[0] += k[2];
    d3[0] += k[3];
}

/// phi -= u; res = 0; the global sum of u^2.
#[kernel]
pub fn update(phi: Rw<1>, res: Write<1>, u: Read<1>, rms: Sum<1>) {
    phi[0] -= u[0];
    res[0] = 0.0;
    rms[0] += u[0] * u[0];
}

/// The lowest temperature of a cell, as in `res_calc`, without changing anything.
#[kernel]
pub fn check_state(
    x0: Read<2>,
    x1: Read<2>,
    x2: Read<2>,
    x3: Read<2>,
    phi0: Read<1>,
    phi1: Read<1>,
    phi2: Read<1>,
    phi3: Read<1>,
    lowest: Min<1>,
    c: &Flow,
) {
    let x = [x0[0], x1[0], x2[0], x3[0]];
    let y = [x0[1], x1[1], x2[1], x3[1]];
    let phi = [phi0[0], phi1[0], phi2[0], phi3[0]];
    let d = temperatures(x, y, phi, c);
    lowest[0] = d[0].min(d[1]).min(d[2].min(d[3]));
}

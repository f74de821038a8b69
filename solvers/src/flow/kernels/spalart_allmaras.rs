//! The turbulence model of Spalart and Allmaras: without the term f_t2 (SA-noft2), and with values below 0 (SA-neg).
//!
//! ```text
//! dn/dt + u . grad n = c_b1 (1 - f_t2) S n - (c_w1 f_w - c_b1 / kappa^2 f_t2) (n / d)^2
//!                      + 1 / sigma ((1 + c_b2) div((nu + n) grad n) - c_b2 (nu + n) lap n)
//! mu_t = rho n f_v1
//! ```
//!
//! n is the model's viscosity (length^2 / time), nu that of the gas, d the distance from the nearest wall. f_t2 is 0 in
//! SA-noft2, which keeps n at 0 or above. In SA-neg, f_t2 = c_t3 exp(-c_t4 (n / nu)^2), and where n is below 0
//!
//! ```text
//! dn/dt + u . grad n = c_b1 (1 - c_t3) W n + c_w1 (n / d)^2 + 1 / sigma (div((nu + n f_n) grad n) + c_b2 |grad n|^2)
//! mu_t = 0,  f_n = (c_n1 + X^3) / (c_n1 - X^3),  X = n / nu,  W the size of vorticity
//! ```
//!
//! Sources: Spalart, Allmaras, "A one-equation turbulence model for aerodynamic flows", Rech. Aerosp. 1 (1994), 5-21;
//! Allmaras, Johnson, Spalart, "Modifications and clarifications for the implementation of the Spalart-Allmaras
//! turbulence model", ICCFD7-1902 (2012), for the limit of S (note 1(c)) and for SA-neg.
//!
//! R is that of [`turbulence`](super::turbulence), without density; diffusion, too, is in the form of the equation, not of a
//! conservation law.
use cfd_engine::prelude::*;

use crate::flow::gas::{Gas, temperature, viscosity};

const CB1: f64 = 0.1355;
const CB2: f64 = 0.622;
const SIGMA: f64 = 2.0 / 3.0;
const KAPPA: f64 = 0.41;
const KAPPA2: f64 = KAPPA * KAPPA;
const CW1: f64 = CB1 / KAPPA2 + (1.0 + CB2) / SIGMA;
const CW2: f64 = 0.3;
/// c_w3^6.
const CW36: f64 = 64.0;
/// c_v1^3.
const CV13: f64 = 7.1 * 7.1 * 7.1;
/// Of f_t2.
const CT3: f64 = 1.2;
const CT4: f64 = 0.5;
/// Of f_n.
const CN1: f64 = 16.0;
/// Limits of S.
const C2: f64 = 0.7;
const C3: f64 = 0.9;
/// The largest r.
const LARGEST_R: f64 = 10.0;
/// What the destruction's derivative counts for. This system holds the flow, so it does not know that where turbulence is in
/// balance, more of it lowers vorticity and with it production, by about as much again. Counted once, steps go to and fro.
const RESPONSE: f64 = 2.0;
/// S is no less, and no distance from a wall that is not 0.
const LEAST: f64 = 1e-30;

/// Constants in which the forms of the model differ.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Form {
    /// c_t3.
    pub ct3: f64,
    /// No n is less.
    pub least: f64,
}

/// SA-noft2.
pub const WITHOUT_FT2: Form = Form { ct3: 0.0, least: 0.0 };
/// SA-neg.
pub const NEGATIVE: Form = Form { ct3: CT3, least: f64::MIN };

/// f_v1 = X^3 / (X^3 + c_v1^3), X = n / nu.
#[device(tangent)]
pub fn damping(n: f64, nu: f64) -> f64 {
    let x = n / nu;
    let x3 = x * x * x;
    x3 / (x3 + CV13)
}

/// S, from the size of vorticity: with b = n f_v2 / (kappa d)^2, W + b, or what keeps it above 0.1 W where b is below -0.7 W.
#[device(tangent)]
pub fn strain(n: f64, nu: f64, vorticity: f64, distance: f64) -> f64 {
    let x = n / nu;
    let fv2 = 1.0 - x / (1.0 + x * damping(n, nu));
    let b = n * fv2 / (KAPPA2 * (distance * distance));
    let limited = vorticity * (C2 * C2 * vorticity + C3 * b) / ((C3 - 2.0 * C2) * vorticity - b);
    if b < -C2 * vorticity { vorticity + limited } else { vorticity + b }
}

/// f_w = g ((1 + c_w3^6) / (g^6 + c_w3^6))^(1/6), g = r + c_w2 (r^6 - r), r = n / (S (kappa d)^2), at most 10.
#[device(tangent)]
pub fn wall_function(n: f64, s: f64, distance: f64) -> f64 {
    let r = (n / (s.max(LEAST) * (KAPPA2 * (distance * distance)))).min(LARGEST_R);
    let g = r + CW2 * (r.powi(6) - r);
    let ratio = (1.0 + CW36) / (g.powi(6) + CW36);
    g * ratio.cbrt().sqrt()
}

/// Production less destruction, c_b1 (1 - f_t2) S n - (c_w1 f_w - c_b1 / kappa^2 f_t2) (n / d)^2; where n is below 0,
/// c_b1 (1 - c_t3) W n + c_w1 (n / d)^2.
#[device(tangent(n))]
pub fn source(n: f64, nu: f64, vorticity: f64, distance: f64, ct3: f64) -> f64 {
    let d = distance.max(LEAST);
    let s = strain(n, nu, vorticity, d);
    let x = n / nu;
    let scaled = n / d;
    let ft2 = ct3 * (-CT4 * (x * x)).exp();
    let destruction = CW1 * wall_function(n, s, d) - CB1 / KAPPA2 * ft2;
    let usual = CB1 * (1.0 - ft2) * s * n - destruction * (scaled * scaled);
    let below = CB1 * (1.0 - ct3) * vorticity * n + CW1 * (scaled * scaled);
    if n < 0.0 { below } else { usual }
}

/// The eddy viscosity and the viscosity of the gas over its density, from n and the state; sums start from 0.
#[kernel(begin_turbulence_2d<4, 1>, begin_turbulence_3d<5, 3>)]
pub fn begin_turbulence<const N: usize, const T: usize>(
    w: Read<N>,
    n: Read<1>,
    eddies: Write<1>,
    nu: Write<1>,
    turn: Write<T>,
    res: Write<1>,
    slope: Write<1>,
    c: &Gas,
) {
    let own = viscosity(temperature(w[0], w[N - 1], c), c) / w[0];
    let positive = n[0].max(0.0);
    eddies[0] = w[0] * positive * damping(positive, own);
    nu[0] = own;
    for m in 0..T {
        turn[m] = 0.0;
    }
    res[0] = 0.0;
    slope[0] = 0.0;
}

/// nu + n, or nu + n f_n where n is below 0: always above 0.
#[device(tangent(n))]
pub fn diffusivity(n: f64, nu: f64) -> f64 {
    let x = n / nu;
    let x3 = x * x * x;
    let below = nu + n * ((CN1 + x3) / (CN1 - x3));
    if n < 0.0 { below } else { nu + n }
}

/// What diffusion along an edge takes out of the cell of a node with the values n and nu, over the difference of n to the
/// other end and how strongly the ends are coupled.
#[device]
pub fn mixed(n: f64, nu: f64, other_n: f64, other_nu: f64) -> f64 {
    let middle = 0.5 * (diffusivity(n, nu) + diffusivity(other_n, other_nu));
    let change = 0.5 * ((other_nu + other_n) - (nu + n));
    (middle + CB2 * change) / SIGMA
}

/// Of a node: nu + n, or what it is where n is below 0; nu + n.
#[device]
pub fn diffusivities(n: f64, nu: f64) -> [f64; 2] {
    [diffusivity(n, nu), nu + n]
}

/// What diffusion in a simplex takes out of the cell of a node, over that of n with the coefficient 1: from the means of
/// [`diffusivities`] and the node's own. As [`mixed`], but that none is negative beside a node with far more than the others.
#[device]
pub fn diffusivity_of_mean(mean: [f64; 2], own: [f64; 2]) -> f64 {
    ((mean[0] + CB2 * (mean[1] - own[1])) / SIGMA).max(0.0)
}

/// Advection through an edge's face, with the value upwind, and the blocks of advection and diffusion. Rows of nodes on walls,
/// whose n is 0, stay empty.
#[kernel(carry_2d<2, 4>, carry_3d<3, 5>)]
pub fn carry<const D: usize, const N: usize>(
    w_a: Read<N>,
    w_b: Read<N>,
    n_a: Read<1>,
    n_b: Read<1>,
    nu_a: Read<1>,
    nu_b: Read<1>,
    distance_a: Read<1>,
    distance_b: Read<1>,
    area: Read<D>,
    coupling: Read<1>,
    upper: Write<1>,
    lower: Write<1>,
    slope_a: Inc<1>,
    slope_b: Inc<1>,
    res_a: Inc<1>,
    res_b: Inc<1>,
) {
    let mut through = 0.0;
    for i in 0..D {
        through += 0.5 * (w_a[1 + i] + w_b[1 + i]) * area[i];
    }
    let difference = n_b[0] - n_a[0];
    let into_a = (-through).max(0.0);
    let into_b = through.max(0.0);
    res_a[0] -= into_a * difference;
    res_b[0] += into_b * difference;
    // Derivatives of mixed(a, b) (n_b - n_a) and mixed(b, a) (n_b - n_a) by both ends, without those of nu.
    let weight = coupling[0].max(0.0);
    let of_a = mixed(n_a[0], nu_a[0], n_b[0], nu_b[0]);
    let of_b = mixed(n_b[0], nu_b[0], n_a[0], nu_a[0]);
    let half = 0.5 / SIGMA * difference;
    let by_a = diffusivity_tangent(n_a[0], nu_a[0], 1.0);
    let by_b = diffusivity_tangent(n_b[0], nu_b[0], 1.0);
    slope_a[0] += into_a + weight * (of_a - half * (by_a - CB2));
    slope_b[0] += into_b + weight * (of_b + half * (by_b - CB2));
    upper[0] = if distance_a[0] > 0.0 { -(into_a + weight * (of_a + half * (by_b + CB2))) } else { 0.0 };
    lower[0] = if distance_b[0] > 0.0 { -(into_b + weight * (of_b - half * (by_a + CB2))) } else { 0.0 };
}

/// The source, after which R is complete, and the part of its derivative that destroys n; the sum of (R / V)^2, without nodes at
/// the bound of n that R would lower further. A node on a wall keeps its n.
#[kernel(produce_2d<1>, produce_3d<3>)]
pub fn produce<const T: usize>(
    n: Read<1>,
    nu: Read<1>,
    turn: Read<T>,
    distance: Read<1>,
    volume: Read<1>,
    res: Rw<1>,
    slope: Rw<1>,
    squares: Sum<1>,
    c: &Form,
) {
    let mut turn2 = 0.0;
    for m in 0..T {
        turn2 += turn[m] * turn[m];
    }
    let vorticity = turn2.sqrt() / volume[0];
    let gain = source(n[0], nu[0], vorticity, distance[0], c.ct3);
    let by_n = source_tangent(n[0], nu[0], vorticity, distance[0], c.ct3, 1.0);
    let is_free = distance[0] > 0.0;
    res[0] = if is_free { res[0] - volume[0] * gain } else { 0.0 };
    slope[0] = if is_free { slope[0] + RESPONSE * volume[0] * (-by_n).max(0.0) } else { 1.0 };
    let is_held = n[0] <= c.least && res[0] > 0.0;
    let rate = if is_held { 0.0 } else { res[0] / volume[0] };
    squares[0] += rate * rate;
}

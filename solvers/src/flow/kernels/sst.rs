//! Menter's SST model in its form of 2003 (SST-2003m): turbulent kinetic energy k and specific dissipation rate omega.
//!
//! ```text
//! rho Dk/Dt     = P - beta* rho omega k + div((mu + sigma_k mu_t) grad k)
//! rho Domega/Dt = gamma rho P / mu_t - beta rho omega^2 + div((mu + sigma_omega mu_t) grad omega)
//!                 + 2 (1 - F_1) rho sigma_omega2 / omega grad k . grad omega
//! mu_t = rho a_1 k / max(a_1 omega, S F_2),      P = min(mu_t S^2, 10 beta* rho omega k),     S = sqrt(2 S_ij S_ij)
//! F_1 = tanh(arg_1^4),   arg_1 = min(max(sqrt(k) / (beta* omega d), 500 nu / (d^2 omega)), 4 rho sigma_omega2 k / (CD d^2))
//! F_2 = tanh(arg_2^2),   arg_2 = max(2 sqrt(k) / (beta* omega d), 500 nu / (d^2 omega))
//! CD  = max(2 rho sigma_omega2 / omega grad k . grad omega, 1e-10 rho_inf c_inf^2 / L^2)
//! ```
//!
//! d is the distance from the nearest wall, nu = mu / rho. Each of sigma_k, sigma_omega, beta, gamma is F_1 times its value
//! at walls plus (1 - F_1) times its value away from them. The stress is without 2/3 rho k. On walls k = 0 and omega =
//! 60 nu / (beta_1 d_1^2), d_1 being the distance of the first node off the wall.
//!
//! Source: Menter, Kuntz, Langtry, "Ten years of industrial experience with the SST turbulence model", Turbulence, Heat and
//! Mass Transfer 4 (2003), 625-632, with the production of omega as corrected by the authors; names of forms as in NASA's
//! Turbulence Modeling Resource.

use cfd_engine::prelude::*;

use super::turbulence::{mass_through_2d, mass_through_3d};
use crate::flow::gas::{Gas, temperature, viscosity};

/// beta*.
const BETA_STAR: f64 = 0.09;
/// a_1.
const A1: f64 = 0.31;
/// Values at walls (1) and away from them (2).
const SIGMA_K1: f64 = 0.85;
const SIGMA_K2: f64 = 1.0;
const SIGMA_OMEGA1: f64 = 0.5;
const SIGMA_OMEGA2: f64 = 0.856;
const BETA1: f64 = 0.075;
const BETA2: f64 = 0.0828;
const GAMMA1: f64 = 5.0 / 9.0;
const GAMMA2: f64 = 0.44;
/// Production over destruction, at most.
const MOST_PRODUCED: f64 = 10.0;
/// omega on a wall over nu / d_1^2: ten times that of the viscous sublayer at d_1.
const ON_WALL: f64 = 60.0 / BETA1;
/// omega in a viscous sublayer over nu / d^2.
pub const IN_SUBLAYER: f64 = 6.0 / BETA1;
/// The least CD in the units of the free stream's density and speed of sound, and the reference length.
pub const LEAST_CROSS: f64 = 1e-10;
/// No distance from a wall that is not 0 is less.
const LEAST: f64 = 1e-30;

/// Constants of a run.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Scale {
    /// The least CD.
    pub cross: f64,
}

/// F_1, from grad k . grad ln omega; `least` is the least CD.
#[device]
pub fn near_wall(k: f64, omega: f64, rho: f64, nu: f64, distance: f64, cross: f64, least: f64) -> f64 {
    let d = distance.max(LEAST);
    let d2 = d * d;
    let turbulent = k.sqrt() / (BETA_STAR * omega * d);
    let viscous = 500.0 * nu / (d2 * omega);
    let cd = (2.0 * rho * SIGMA_OMEGA2 * cross).max(least);
    let far = 4.0 * rho * SIGMA_OMEGA2 * k / (cd * d2);
    let arg = turbulent.max(viscous).min(far);
    let arg2 = arg * arg;
    (arg2 * arg2).tanh()
}

/// F_2.
#[device]
pub fn in_boundary_layer(k: f64, omega: f64, nu: f64, distance: f64) -> f64 {
    let d = distance.max(LEAST);
    let turbulent = 2.0 * k.sqrt() / (BETA_STAR * omega * d);
    let viscous = 500.0 * nu / (d * d * omega);
    let arg = turbulent.max(viscous);
    (arg * arg).tanh()
}

/// From k, omega, rho, nu, S, F_2: mu_t, and P / mu_t.
#[device]
pub fn eddies_and_production(k: f64, omega: f64, rho: f64, strain: f64, f2: f64) -> [f64; 2] {
    let bound = (A1 * omega).max(strain * f2);
    [rho * A1 * k / bound, (strain * strain).min(MOST_PRODUCED * BETA_STAR * omega * bound / A1)]
}

/// What both equations are of at a node, from k, omega, rho, nu, S, grad k . grad ln omega, d, the least CD: mu_t, the
/// coefficients of diffusion of k and omega, and for each the source and what of it destroys, over the change of k or omega.
#[device]
pub fn balance(
    k: f64,
    omega: f64,
    rho: f64,
    nu: f64,
    strain: f64,
    cross: f64,
    distance: f64,
    least: f64,
) -> [f64; 7] {
    let f1 = near_wall(k, omega, rho, nu, distance, cross, least);
    let f2 = in_boundary_layer(k, omega, nu, distance);
    let both: [f64; 2] = eddies_and_production(k, omega, rho, strain, f2);
    let mu_t = both[0];
    let produced = both[1];
    let far = 1.0 - f1;
    let beta = f1 * BETA1 + far * BETA2;
    let gamma = f1 * GAMMA1 + far * GAMMA2;
    let spread = 2.0 * far * rho * SIGMA_OMEGA2 * cross;
    [
        mu_t,
        rho * nu + (f1 * SIGMA_K1 + far * SIGMA_K2) * mu_t,
        rho * nu + (f1 * SIGMA_OMEGA1 + far * SIGMA_OMEGA2) * mu_t,
        mu_t * produced - BETA_STAR * rho * omega * k,
        BETA_STAR * rho * omega,
        gamma * rho * produced - beta * rho * omega * omega + spread,
        2.0 * beta * rho * omega + (-spread).max(0.0) / omega,
    ]
}

/// Walls get their k and omega, from the distance of the first node off them, which is 0 at other nodes; nu, and
/// v = (k, u, ln omega).
#[kernel(gather_2d<2, 4>, gather_3d<3, 5>)]
pub fn gather<const D: usize, const N: usize>(
    w: Read<N>,
    first: Read<1>,
    k: Rw<1>,
    omega: Rw<1>,
    nu: Write<1>,
    v: Write<N>,
    c: &Gas,
) {
    let own = viscosity(temperature(w[0], w[N - 1], c), c) / w[0];
    let is_wall = first[0] > 0.0;
    let d = if is_wall { first[0] } else { 1.0 };
    k[0] = if is_wall { 0.0 } else { k[0] };
    omega[0] = if is_wall { ON_WALL * own / (d * d) } else { omega[0] };
    nu[0] = own;
    v[0] = k[0];
    for i in 0..D {
        v[1 + i] = w[1 + i];
    }
    v[N - 1] = omega[0].ln();
}

/// mu_t, coefficients of diffusion and sources at nodes, from the sums of gradients of v times parts of cells; sums start
/// from 0.
#[kernel(begin_sst_2d<2, 4>, begin_sst_3d<3, 5>)]
pub fn begin_sst<const D: usize, const N: usize>(
    w: Read<N>,
    v: Read<N>,
    omega: Read<1>,
    nu: Read<1>,
    gradient: Read<{ D * N }>,
    distance: Read<1>,
    volume: Read<1>,
    eddies: Write<1>,
    mixed_k: Write<1>,
    mixed_omega: Write<1>,
    gain_k: Write<2>,
    gain_omega: Write<2>,
    res_k: Write<1>,
    res_omega: Write<1>,
    slope_k: Write<1>,
    slope_omega: Write<1>,
    c: &Scale,
) {
    let mut strain2 = 0.0;
    let mut cross = 0.0;
    for i in 0..D {
        cross += gradient[i] / volume[0] * (gradient[D * (N - 1) + i] / volume[0]);
        for j in 0..D {
            let s = 0.5 * (gradient[D * (1 + i) + j] + gradient[D * (1 + j) + i]) / volume[0];
            strain2 += 2.0 * s * s;
        }
    }
    let all: [f64; 7] = balance(v[0], omega[0], w[0], nu[0], strain2.sqrt(), cross, distance[0], c.cross);
    eddies[0] = all[0];
    mixed_k[0] = all[1];
    mixed_omega[0] = all[2];
    gain_k[0] = all[3];
    gain_k[1] = all[4];
    gain_omega[0] = all[5];
    gain_omega[1] = all[6];
    res_k[0] = 0.0;
    res_omega[0] = 0.0;
    slope_k[0] = 0.0;
    slope_omega[0] = 0.0;
}

/// Of a node, what means are of.
#[device]
pub fn coefficient_at_node(_n: f64, mixed: f64) -> [f64; 2] {
    [mixed, 0.0]
}

/// The coefficient of diffusion in a simplex: the mean of its nodes.
#[device]
pub fn coefficient_of_mean(mean: [f64; 2], _own: [f64; 2]) -> f64 {
    mean[0]
}

/// The coefficient of diffusion on an edge: the mean of its ends.
#[device]
pub fn mean_of_ends(_n: f64, mixed: f64, _other_n: f64, other_mixed: f64) -> f64 {
    0.5 * (mixed + other_mixed)
}

/// Advection through an edge's face, with the value upwind, and the blocks of advection and diffusion. Rows of nodes on walls
/// stay empty.
#[kernel(convey_2d<2, 4, mass_through_2d>, convey_3d<3, 5, mass_through_3d>)]
pub fn convey<const D: usize, const N: usize, through_face: Device>(
    w_a: Read<N>,
    w_b: Read<N>,
    n_a: Read<1>,
    n_b: Read<1>,
    mixed_a: Read<1>,
    mixed_b: Read<1>,
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
    let through: f64 = through_face(w_a, w_b, area);
    let difference = n_b[0] - n_a[0];
    let into_a = (-through).max(0.0);
    let into_b = through.max(0.0);
    res_a[0] -= into_a * difference;
    res_b[0] += into_b * difference;
    let weight = coupling[0].max(0.0) * mean_of_ends(n_a[0], mixed_a[0], n_b[0], mixed_b[0]);
    slope_a[0] += into_a + weight;
    slope_b[0] += into_b + weight;
    upper[0] = if distance_a[0] > 0.0 { -(into_a + weight) } else { 0.0 };
    lower[0] = if distance_b[0] > 0.0 { -(into_b + weight) } else { 0.0 };
}

/// The source, after which R is complete, and the part of its derivative that destroys; the sum of (R / V)^2. A node on a
/// wall keeps its value.
#[kernel]
pub fn gain(gain: Read<2>, distance: Read<1>, volume: Read<1>, res: Rw<1>, slope: Rw<1>, squares: Sum<1>) {
    let is_free = distance[0] > 0.0;
    res[0] = if is_free { res[0] - volume[0] * gain[0] } else { 0.0 };
    slope[0] = if is_free { slope[0] + volume[0] * gain[1] } else { 1.0 };
    let rate = res[0] / volume[0];
    squares[0] += rate * rate;
}

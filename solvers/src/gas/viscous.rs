//! Stresses and heat flux of a Newtonian gas.
//!
//! tau = mu (du_i/dx_j + du_j/dx_i - 2/3 div u delta_ij), q = -k dT/dx. A gradient has D components for each of the D
//! velocities, then for the temperature.

use cfd_engine::prelude::*;

/// Sutherland's law, relative to a temperature: mu / mu_r = t^1.5 (1 + s) / (t + s), t = T / T_r, s = S / T_r. Source:
/// Sutherland, "The viscosity of gases and molecular force", Philos. Mag. 36 (1893), DOI 10.1080/14786449308620508.
#[device(tangent)]
pub fn sutherland(t: f64, s: f64) -> f64 {
    t * t.sqrt() * ((1.0 + s) / (t + s))
}

/// What viscosity and conduction take through an area out of the volume behind it: -(0, tau A, u tau A + k A . grad T).
#[device(tangent, stress_2d<2, 4, 6>, stress_3d<3, 5, 12>)]
pub fn stress<const D: usize, const N: usize, const G: usize>(
    u: [f64; D],
    gradient: [f64; G],
    area: [f64; D],
    mu: f64,
    conductivity: f64,
) -> [f64; N] {
    let mut divergence = 0.0;
    for i in 0..D {
        divergence += gradient[D * i + i];
    }
    let mean = 2.0 / 3.0 * divergence;
    let mut f = [0.0; N];
    let mut power = 0.0;
    let mut heat = 0.0;
    for i in 0..D {
        let mut traction = 0.0;
        for j in 0..D {
            traction += (gradient[D * i + j] + gradient[D * j + i]) * area[j];
        }
        let force = mu * (traction - mean * area[i]);
        f[1 + i] = -force;
        power += u[i] * force;
        heat += gradient[D * D + i] * area[i];
    }
    f[D + 1] = -(power + conductivity * heat);
    f
}

/// A gradient whose part along an edge of vector d is that of the difference between its ends: g + (difference - g . d)
/// d / |d|^2 for each quantity.
#[device(along_edge_2d<2, 6>, along_edge_3d<3, 12>)]
pub fn along_edge<const D: usize, const G: usize>(
    gradient: [f64; G],
    difference: [f64; D + 1],
    d: [f64; D],
) -> [f64; G] {
    let mut d2 = 0.0;
    for j in 0..D {
        d2 += d[j] * d[j];
    }
    let mut corrected = gradient;
    for m in 0..(D + 1) {
        let mut slope = 0.0;
        for j in 0..D {
            slope += gradient[D * m + j] * d[j];
        }
        let share = (difference[m] - slope) / d2;
        for j in 0..D {
            corrected[D * m + j] += share * d[j];
        }
    }
    corrected
}

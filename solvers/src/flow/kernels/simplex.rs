//! Viscous fluxes and diffusion between the nodes of a triangle or a tetrahedron: those of linear finite elements.
//!
//! With phi_k, which is linear, 1 at node k and 0 at the others, the gradient of a quantity q is sum_k q_k grad phi_k, and the
//! faces between node k's part of the element and the others' have together the area -V grad phi_k, V being the element's
//! volume. Coefficients are means over the element, in which the ends of an edge count as much as diffusion couples them,
//! K_kl = -V grad phi_k . grad phi_l, where that is positive: in a thin element what flows across it has the coefficient of
//! its short edges, and a node at the far end of the long ones, which may be in another part of a boundary layer, none.
//! In a regular simplex all nodes count alike.

use cfd_engine::prelude::*;

use super::spalart_allmaras::{diffusivities, diffusivity_of_mean};
use super::sst::{coefficient_at_node, coefficient_of_mean};
use crate::flow::gas::{Gas, temperature, viscosity};
use crate::gas::viscous::{stress_2d, stress_3d};

/// V grad phi_k for each node, then V, from the nodes' places relative to the first.
#[device]
pub fn shapes_2d(place: [f64; 6]) -> [f64; 7] {
    let mut s = [0.0; 7];
    for k in 0..3 {
        s[2 * k] = 0.5 * (place[2 * ((k + 1) % 3) + 1] - place[2 * ((k + 2) % 3) + 1]);
        s[2 * k + 1] = 0.5 * (place[2 * ((k + 2) % 3)] - place[2 * ((k + 1) % 3)]);
    }
    s[6] = 0.5 * (place[2] * place[5] - place[3] * place[4]);
    s
}

/// The same in space.
#[device]
pub fn shapes_3d(place: [f64; 12]) -> [f64; 13] {
    let mut s = [0.0; 13];
    for k in 1..4 {
        // The two others but the first: 2 3, 3 1, 1 2.
        for j in 0..3 {
            s[3 * k + j] = (place[3 * (k % 3 + 1) + (j + 1) % 3]
                * place[3 * ((k + 1) % 3 + 1) + (j + 2) % 3]
                - place[3 * (k % 3 + 1) + (j + 2) % 3] * place[3 * ((k + 1) % 3 + 1) + (j + 1) % 3])
                / 6.0;
            s[j] -= s[3 * k + j];
        }
    }
    for j in 0..3 {
        s[12] += place[3 + j] * s[3 + j];
    }
    s
}

/// How much each of the M nodes counts in means, from [`shapes_2d`] or [`shapes_3d`].
#[device(counts_2d<2, 3, 7>, counts_3d<3, 4, 13>)]
pub fn counts<const D: usize, const M: usize, const S: usize>(s: [f64; S]) -> [f64; M] {
    let mut count = [0.0; M];
    let mut all = 0.0;
    for k in 0..M {
        for l in 1..M {
            let mut coupling = 0.0;
            for j in 0..D {
                coupling -= s[D * k + j] * s[D * ((k + l) % M) + j];
            }
            count[k] += coupling.max(0.0);
        }
        all += count[k];
    }
    for k in 0..M {
        count[k] /= all;
    }
    count
}

/// What viscosity and conduction carry between the M nodes of a simplex.
#[kernel(
    triangle<2, 3, 4, 6, 7, shapes_2d, counts_2d, stress_2d>,
    tetrahedron<3, 4, 5, 12, 13, shapes_3d, counts_3d, stress_3d>
)]
pub fn simplex<
    const D: usize,
    const M: usize,
    const N: usize,
    const G: usize,
    const S: usize,
    shapes: Device,
    counts: Device,
    stress: Device,
>(
    x: [Read<D>; M],
    w: [Read<N>; M],
    eddies: [Read<1>; M],
    res: [Inc<N>; M],
    c: &Gas,
) {
    let mut place = [0.0; G];
    for k in 0..M {
        for j in 0..D {
            place[D * k + j] = x[k][j] - x[0][j];
        }
    }
    let s: [f64; S] = shapes(place);
    let count: [f64; M] = counts(s);
    let mut t = [0.0; M];
    let mut t_mean = 0.0;
    let mut mu_t = 0.0;
    let mut u = [0.0; D];
    for k in 0..M {
        t[k] = temperature(w[k][0], w[k][N - 1], c);
        t_mean += count[k] * t[k];
        mu_t += count[k] * eddies[k][0];
        for j in 0..D {
            u[j] += count[k] * w[k][1 + j];
        }
    }
    let mut gradient = [0.0; G];
    for k in 0..M {
        for j in 0..D {
            let share = s[D * k + j] / s[S - 1];
            for i in 0..D {
                gradient[D * i + j] += (w[k][1 + i] - w[0][1 + i]) * share;
            }
            gradient[D * D + j] += (t[k] - t[0]) * share;
        }
    }
    let mu = viscosity(t_mean, c);
    let conductivity = mu * c.conductivity + mu_t * c.eddy_conductivity;
    for k in 0..M {
        let mut area = [0.0; D];
        for j in 0..D {
            area[j] = -s[D * k + j];
        }
        let f: [f64; N] = stress(u, gradient, area, mu + mu_t, conductivity);
        for m in 0..N {
            res[k][m] += f[m];
        }
    }
}

/// Diffusion of n between the M nodes of a simplex. The coefficient in a node's equation is `coefficient` of the means over the
/// nodes, and of its own, of the two numbers that `parts` gives for n and `nu` of a node.
#[kernel(
    mix_triangle<2, 3, 6, 7, shapes_2d, counts_2d, diffusivities, diffusivity_of_mean>,
    mix_tetrahedron<3, 4, 12, 13, shapes_3d, counts_3d, diffusivities, diffusivity_of_mean>,
    diffuse_triangle<2, 3, 6, 7, shapes_2d, counts_2d, coefficient_at_node, coefficient_of_mean>,
    diffuse_tetrahedron<3, 4, 12, 13, shapes_3d, counts_3d, coefficient_at_node, coefficient_of_mean>
)]
pub fn mix_simplex<
    const D: usize,
    const M: usize,
    const G: usize,
    const S: usize,
    shapes: Device,
    counts: Device,
    parts: Device,
    coefficient: Device,
>(
    x: [Read<D>; M],
    n: [Read<1>; M],
    nu: [Read<1>; M],
    res: [Inc<1>; M],
) {
    let mut place = [0.0; G];
    for k in 0..M {
        for j in 0..D {
            place[D * k + j] = x[k][j] - x[0][j];
        }
    }
    let s: [f64; S] = shapes(place);
    let count: [f64; M] = counts(s);
    let mut mean = [0.0; 2];
    let mut gradient = [0.0; D];
    for k in 0..M {
        let own: [f64; 2] = parts(n[k][0], nu[k][0]);
        mean[0] += count[k] * own[0];
        mean[1] += count[k] * own[1];
        for j in 0..D {
            gradient[j] += (n[k][0] - n[0][0]) * (s[D * k + j] / s[S - 1]);
        }
    }
    for k in 0..M {
        let mut through = 0.0;
        for j in 0..D {
            through += gradient[j] * s[D * k + j];
        }
        let own: [f64; 2] = parts(n[k][0], nu[k][0]);
        let by: f64 = coefficient(mean, own);
        res[k][0] += by * through;
    }
}

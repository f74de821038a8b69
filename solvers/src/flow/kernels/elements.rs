//! Viscous fluxes between the nodes of elements that are no simplices ([`simplex`](super::simplex)).
//!
//! Within an element, the part of an edge's face that lies in it has the area A ([`cfd_mesh::DUAL`]). The gradient g of a
//! quantity in the element is that of Green and Gauss,
//!
//! ```text
//! g = S^-T sum over edges (phi_b - phi_a) A,     S = sum over edges d A^T,     d = x_b - x_a
//! ```
//!
//! S being the element's volume times the identity in any element in the plane; in distorted elements in space, where it is
//! not, its inverse keeps g exact for linear functions. On an edge the part of g along it is replaced by the difference of
//! the ends, so that no wave from node to node goes undamped. The viscosity of the gas is that of the element's mean
//! temperature; that of eddies, which changes by orders of magnitude across a thin element, is the mean of an edge's ends. Source: Haselbacher,
//! Blazek, "Accurate and efficient discretization of Navier-Stokes equations on mixed grids", AIAA J. 38 (2000), DOI
//! 10.2514/2.871.

use cfd_engine::prelude::*;

use super::areas::{areas_of_hexahedron, areas_of_prism, areas_of_pyramid};
use crate::flow::gas::{Gas, temperature, viscosity};
use crate::gas::viscous::{along_edge_2d, along_edge_3d, stress_2d, stress_3d};

/// What viscosity and conduction carry from node a to node b through a part of the edge's face, of area `area`: from the
/// states and temperatures of the ends, the gradients of velocity and temperature, the edge's vector d, and the viscosities
/// of the gas and of its eddies.
#[device(edge_stress_2d<2, 4, 6, along_edge_2d, stress_2d>, edge_stress_3d<3, 5, 12, along_edge_3d, stress_3d>)]
pub fn edge_stress<const D: usize, const N: usize, const G: usize, along_edge: Device, stress: Device>(
    a: [f64; N],
    b: [f64; N],
    t_a: f64,
    t_b: f64,
    gradient: [f64; G],
    d: [f64; D],
    area: [f64; D],
    mu: f64,
    mu_t: f64,
    c: &Gas,
) -> [f64; N] {
    let mut difference = [0.0; D + 1];
    let mut u = [0.0; D];
    for i in 0..D {
        difference[i] = b[1 + i] - a[1 + i];
        u[i] = 0.5 * (a[1 + i] + b[1 + i]);
    }
    difference[D] = t_b - t_a;
    let corrected: [f64; G] = along_edge(gradient, difference, d);
    let conductivity = mu * c.conductivity + mu_t * c.eddy_conductivity;
    let f: [f64; N] = stress(u, corrected, area, mu + mu_t, conductivity);
    f
}

/// S and the sums of (phi_b - phi_a) A of Q quantities, one after the other, after another edge's.
#[device(
    add_edge_2d<2, 3, 10>,
    add_edge_3d<3, 4, 21>,
    add_number_2d<2, 1, 6>,
    add_number_3d<3, 1, 12>,
    add_velocity_2d<2, 2, 8>,
    add_velocity_3d<3, 3, 18>,
    add_state_2d<2, 4, 12>,
    add_state_3d<3, 5, 24>
)]
pub fn add_edge<const D: usize, const Q: usize, const S: usize>(
    sums: [f64; S],
    d: [f64; D],
    difference: [f64; Q],
    area: [f64; D],
) -> [f64; S] {
    let mut more = sums;
    for i in 0..D {
        for j in 0..D {
            more[D * j + i] += d[j] * area[i];
        }
        for m in 0..Q {
            more[D * D + D * m + i] += difference[m] * area[i];
        }
    }
    more
}

/// Velocities and temperature of b less those of a.
#[device(difference_2d<2, 4>, difference_3d<3, 5>)]
pub fn difference<const D: usize, const N: usize>(
    a: [f64; N],
    b: [f64; N],
    t_a: f64,
    t_b: f64,
) -> [f64; D + 1] {
    let mut d = [0.0; D + 1];
    for i in 0..D {
        d[i] = b[1 + i] - a[1 + i];
    }
    d[D] = t_b - t_a;
    d
}

/// The gradients of Q quantities, from the sums over all edges.
#[device(
    gradients_2d<3, 10, 6>,
    gradient_of_number_2d<1, 6, 2>,
    gradients_of_velocity_2d<2, 8, 4>,
    gradients_of_state_2d<4, 12, 8>
)]
pub fn gradients_in_plane<const Q: usize, const S: usize, const G: usize>(sums: [f64; S]) -> [f64; G] {
    let scale = 1.0 / (sums[0] * sums[3] - sums[1] * sums[2]);
    let mut g = [0.0; G];
    for m in 0..Q {
        let x = scale * sums[4 + 2 * m];
        let y = scale * sums[5 + 2 * m];
        g[2 * m] = sums[3] * x - sums[2] * y;
        g[2 * m + 1] = sums[0] * y - sums[1] * x;
    }
    g
}

/// The same in space.
#[device(
    gradients_3d<4, 21, 12>,
    gradient_of_number_3d<1, 12, 3>,
    gradients_of_velocity_3d<3, 18, 9>,
    gradients_of_state_3d<5, 24, 15>
)]
pub fn gradients_in_space<const Q: usize, const S: usize, const G: usize>(sums: [f64; S]) -> [f64; G] {
    // Cofactors of S.
    let c00 = sums[4] * sums[8] - sums[5] * sums[7];
    let c01 = sums[5] * sums[6] - sums[3] * sums[8];
    let c02 = sums[3] * sums[7] - sums[4] * sums[6];
    let c10 = sums[2] * sums[7] - sums[1] * sums[8];
    let c11 = sums[0] * sums[8] - sums[2] * sums[6];
    let c12 = sums[1] * sums[6] - sums[0] * sums[7];
    let c20 = sums[1] * sums[5] - sums[2] * sums[4];
    let c21 = sums[2] * sums[3] - sums[0] * sums[5];
    let c22 = sums[0] * sums[4] - sums[1] * sums[3];
    let scale = 1.0 / (sums[0] * c00 + sums[1] * c01 + sums[2] * c02);
    let mut g = [0.0; G];
    for m in 0..Q {
        let x = scale * sums[9 + 3 * m];
        let y = scale * sums[10 + 3 * m];
        let z = scale * sums[11 + 3 * m];
        g[3 * m] = c00 * x + c01 * y + c02 * z;
        g[3 * m + 1] = c10 * x + c11 * y + c12 * z;
        g[3 * m + 2] = c20 * x + c21 * y + c22 * z;
    }
    g
}

/// An element in the plane with R nodes around it.
#[kernel(quadrilateral<4>)]
pub fn ring<const R: usize>(
    x: [Read<2>; R],
    w: [Read<4>; R],
    eddies: [Read<1>; R],
    res: [Inc<4>; R],
    c: &Gas,
) {
    let mut count = 0.0;
    let mut t = [0.0; R];
    let mut t_sum = 0.0;
    let mut middle = [0.0; 2];
    for k in 0..R {
        count += 1.0;
        t[k] = temperature(w[k][0], w[k][3], c);
        t_sum += t[k];
        for j in 0..2 {
            middle[j] += x[k][j] - x[0][j];
        }
    }
    let mu = viscosity(t_sum / count, c);
    let mut areas = [0.0; 2 * R];
    let mut sums = [0.0; 10];
    for k in 0..R {
        let mut d = [0.0; 2];
        let mut across = [0.0; 2];
        for j in 0..2 {
            d[j] = x[(k + 1) % R][j] - x[k][j];
            across[j] = middle[j] / count - (x[k][j] - x[0][j]) - 0.5 * d[j];
        }
        areas[2 * k] = across[1];
        areas[2 * k + 1] = -across[0];
        let change: [f64; 3] = difference_2d(w[k], w[(k + 1) % R], t[k], t[(k + 1) % R]);
        let more: [f64; 10] = add_edge_2d(sums, d, change, [across[1], -across[0]]);
        sums = more;
    }
    let gradient: [f64; 6] = gradients_2d(sums);
    for k in 0..R {
        let d = [x[(k + 1) % R][0] - x[k][0], x[(k + 1) % R][1] - x[k][1]];
        let area = [areas[2 * k], areas[2 * k + 1]];
        let f: [f64; 4] = edge_stress_2d(
            w[k],
            w[(k + 1) % R],
            t[k],
            t[(k + 1) % R],
            gradient,
            d,
            area,
            mu,
            0.5 * (eddies[k][0] + eddies[(k + 1) % R][0]),
            c,
        );
        for m in 0..4 {
            res[k][m] += f[m];
            res[(k + 1) % R][m] -= f[m];
        }
    }
}

/// An element in space with R nodes around its base and an apex; its edges are those of [`areas_of_cone`](super::areas::areas_of_cone).
#[kernel(pyramid<4, 5, areas_of_pyramid>)]
pub fn cone<const R: usize, const M: usize, areas_of: Device>(
    x: [Read<3>; M],
    w: [Read<5>; M],
    eddies: [Read<1>; M],
    res: [Inc<5>; M],
    c: &Gas,
) {
    let mut count = 0.0;
    let mut t = [0.0; M];
    let mut t_sum = 0.0;
    // Relative to the first node.
    let mut place = [0.0; 3 * M];
    for k in 0..M {
        count += 1.0;
        t[k] = temperature(w[k][0], w[k][4], c);
        t_sum += t[k];
        for j in 0..3 {
            place[3 * k + j] = x[k][j] - x[0][j];
        }
    }
    let mu = viscosity(t_sum / count, c);
    let areas: [f64; 6 * R] = areas_of(place);
    let mut sums = [0.0; 21];
    for e in 0..(2 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((1 - e / R) * ((e + 1) % R) + e / R * R) + j] - place[3 * (e % R) + j];
        }
        let change: [f64; 4] = difference_3d(
            w[e % R],
            w[(1 - e / R) * ((e + 1) % R) + e / R * R],
            t[e % R],
            t[(1 - e / R) * ((e + 1) % R) + e / R * R],
        );
        let more: [f64; 21] = add_edge_3d(sums, d, change, area);
        sums = more;
    }
    let gradient: [f64; 12] = gradients_3d(sums);
    for e in 0..(2 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((1 - e / R) * ((e + 1) % R) + e / R * R) + j] - place[3 * (e % R) + j];
        }
        let f: [f64; 5] = edge_stress_3d(
            w[e % R],
            w[(1 - e / R) * ((e + 1) % R) + e / R * R],
            t[e % R],
            t[(1 - e / R) * ((e + 1) % R) + e / R * R],
            gradient,
            d,
            area,
            mu,
            0.5 * (eddies[e % R][0] + eddies[(1 - e / R) * ((e + 1) % R) + e / R * R][0]),
            c,
        );
        for m in 0..5 {
            res[e % R][m] += f[m];
            res[(1 - e / R) * ((e + 1) % R) + e / R * R][m] -= f[m];
        }
    }
}

/// An element in space with R nodes around its base and R opposite them; its edges are those of [`areas_of_column`](super::areas::areas_of_column).
#[kernel(prism<3, 6, areas_of_prism>, hexahedron<4, 8, areas_of_hexahedron>)]
pub fn column<const R: usize, const M: usize, areas_of: Device>(
    x: [Read<3>; M],
    w: [Read<5>; M],
    eddies: [Read<1>; M],
    res: [Inc<5>; M],
    c: &Gas,
) {
    let mut count = 0.0;
    let mut t = [0.0; M];
    let mut t_sum = 0.0;
    // Relative to the first node.
    let mut place = [0.0; 3 * M];
    for k in 0..M {
        count += 1.0;
        t[k] = temperature(w[k][0], w[k][4], c);
        t_sum += t[k];
        for j in 0..3 {
            place[3 * k + j] = x[k][j] - x[0][j];
        }
    }
    let mu = viscosity(t_sum / count, c);
    let areas: [f64; 9 * R] = areas_of(place);
    let mut sums = [0.0; 21];
    for e in 0..(3 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R) + j]
                - place[3 * (e / R % 2 * R + e % R) + j];
        }
        let change: [f64; 4] = difference_3d(
            w[e / R % 2 * R + e % R],
            w[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R],
            t[e / R % 2 * R + e % R],
            t[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R],
        );
        let more: [f64; 21] = add_edge_3d(sums, d, change, area);
        sums = more;
    }
    let gradient: [f64; 12] = gradients_3d(sums);
    for e in 0..(3 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R) + j]
                - place[3 * (e / R % 2 * R + e % R) + j];
        }
        let f: [f64; 5] = edge_stress_3d(
            w[e / R % 2 * R + e % R],
            w[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R],
            t[e / R % 2 * R + e % R],
            t[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R],
            gradient,
            d,
            area,
            mu,
            0.5 * (eddies[e / R % 2 * R + e % R][0]
                + eddies[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0]),
            c,
        );
        for m in 0..5 {
            res[e / R % 2 * R + e % R][m] += f[m];
            res[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][m] -= f[m];
        }
    }
}

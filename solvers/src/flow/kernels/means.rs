//! Gradients at nodes that turbulence models need: the means of those in a node's elements
//! ([`elements`](super::elements)), by the areas or volumes of their parts that belong to its cell. Loops add up gradients
//! times parts; the sum over a cell's volume is the mean.

use cfd_engine::prelude::*;

use super::areas::{areas_of_hexahedron, areas_of_prism, areas_of_pyramid, areas_of_tetrahedron};
use super::elements::{
    add_state_2d, add_state_3d, add_velocity_2d, add_velocity_3d, gradients_of_state_2d,
    gradients_of_state_3d, gradients_of_velocity_2d, gradients_of_velocity_3d,
};

/// Vorticity, from the gradients of velocity.
#[device]
pub fn vorticity_2d(g: [f64; 4]) -> [f64; 1] {
    [g[2] - g[1]]
}

/// The same in space.
#[device]
pub fn vorticity_3d(g: [f64; 9]) -> [f64; 3] {
    [g[7] - g[5], g[2] - g[6], g[3] - g[1]]
}

/// All gradients.
#[device(whole_2d<8>, whole_3d<15>)]
pub fn whole<const G: usize>(g: [f64; G]) -> [f64; G] {
    g
}

/// What follows from the gradients of Q quantities from the one FIRST, in an element in the plane with R nodes around it,
/// times each node's share of its area.
#[kernel(
    turn_triangle<3, 2, 1, 1, add_velocity_2d, gradients_of_velocity_2d, vorticity_2d>,
    turn_quadrilateral<4, 2, 1, 1, add_velocity_2d, gradients_of_velocity_2d, vorticity_2d>,
    spread_triangle<3, 4, 0, 8, add_state_2d, gradients_of_state_2d, whole_2d>,
    spread_quadrilateral<4, 4, 0, 8, add_state_2d, gradients_of_state_2d, whole_2d>
)]
pub fn mean_of_ring<
    const R: usize,
    const Q: usize,
    const FIRST: usize,
    const T: usize,
    add_edge: Device,
    gradients: Device,
    of: Device,
>(
    x: [Read<2>; R],
    v: [Read<4>; R],
    mean: [Inc<T>; R],
) {
    let mut count = 0.0;
    let mut middle = [0.0; 2];
    for k in 0..R {
        count += 1.0;
        for j in 0..2 {
            middle[j] += x[k][j] - x[0][j];
        }
    }
    let mut shares = [0.0; R];
    let mut sums = [0.0; 4 + 2 * Q];
    for k in 0..R {
        let mut d = [0.0; 2];
        let mut across = [0.0; 2];
        for j in 0..2 {
            d[j] = x[(k + 1) % R][j] - x[k][j];
            across[j] = middle[j] / count - (x[k][j] - x[0][j]) - 0.5 * d[j];
        }
        // Half of the edge's double triangle belongs to each end.
        let half = 0.25 * (d[0] * across[1] - d[1] * across[0]);
        shares[k] += half;
        shares[(k + 1) % R] += half;
        let mut change = [0.0; Q];
        for m in 0..Q {
            change[m] = v[(k + 1) % R][FIRST + m] - v[k][FIRST + m];
        }
        let more: [f64; 4 + 2 * Q] = add_edge(sums, d, change, [across[1], -across[0]]);
        sums = more;
    }
    let gradient: [f64; 2 * Q] = gradients(sums);
    let all: [f64; T] = of(gradient);
    for k in 0..R {
        for m in 0..T {
            mean[k][m] += shares[k] * all[m];
        }
    }
}

/// The same in space, in an element with R nodes around its base and an apex; its edges are those of
/// [`areas_of_cone`](super::areas::areas_of_cone).
#[kernel(
    scalar,
    turn_tetrahedron<3, 4, 3, 1, 3, areas_of_tetrahedron, add_velocity_3d, gradients_of_velocity_3d, vorticity_3d>,
    turn_pyramid<4, 5, 3, 1, 3, areas_of_pyramid, add_velocity_3d, gradients_of_velocity_3d, vorticity_3d>,
    spread_tetrahedron<3, 4, 5, 0, 15, areas_of_tetrahedron, add_state_3d, gradients_of_state_3d, whole_3d>,
    spread_pyramid<4, 5, 5, 0, 15, areas_of_pyramid, add_state_3d, gradients_of_state_3d, whole_3d>
)]
pub fn mean_of_cone<
    const R: usize,
    const M: usize,
    const Q: usize,
    const FIRST: usize,
    const T: usize,
    areas_of: Device,
    add_edge: Device,
    gradients: Device,
    of: Device,
>(
    x: [Read<3>; M],
    v: [Read<5>; M],
    mean: [Inc<T>; M],
) {
    let mut place = [0.0; 3 * M];
    for k in 0..M {
        for j in 0..3 {
            place[3 * k + j] = x[k][j] - x[0][j];
        }
    }
    let areas: [f64; 6 * R] = areas_of(place);
    let mut shares = [0.0; M];
    let mut sums = [0.0; 9 + 3 * Q];
    for e in 0..(2 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        let mut along = 0.0;
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((1 - e / R) * ((e + 1) % R) + e / R * R) + j] - place[3 * (e % R) + j];
            along += d[j] * area[j];
        }
        shares[e % R] += along / 6.0;
        shares[(1 - e / R) * ((e + 1) % R) + e / R * R] += along / 6.0;
        let mut change = [0.0; Q];
        for m in 0..Q {
            change[m] = v[(1 - e / R) * ((e + 1) % R) + e / R * R][FIRST + m] - v[e % R][FIRST + m];
        }
        let more: [f64; 9 + 3 * Q] = add_edge(sums, d, change, area);
        sums = more;
    }
    let gradient: [f64; 3 * Q] = gradients(sums);
    let all: [f64; T] = of(gradient);
    for k in 0..M {
        for m in 0..T {
            mean[k][m] += shares[k] * all[m];
        }
    }
}

/// The same in an element with R nodes around its base and R opposite them; its edges are those of
/// [`areas_of_column`](super::areas::areas_of_column).
#[kernel(
    turn_prism<3, 6, 3, 1, 3, areas_of_prism, add_velocity_3d, gradients_of_velocity_3d, vorticity_3d>,
    turn_hexahedron<4, 8, 3, 1, 3, areas_of_hexahedron, add_velocity_3d, gradients_of_velocity_3d, vorticity_3d>,
    spread_prism<3, 6, 5, 0, 15, areas_of_prism, add_state_3d, gradients_of_state_3d, whole_3d>,
    spread_hexahedron<4, 8, 5, 0, 15, areas_of_hexahedron, add_state_3d, gradients_of_state_3d, whole_3d>
)]
pub fn mean_of_column<
    const R: usize,
    const M: usize,
    const Q: usize,
    const FIRST: usize,
    const T: usize,
    areas_of: Device,
    add_edge: Device,
    gradients: Device,
    of: Device,
>(
    x: [Read<3>; M],
    v: [Read<5>; M],
    mean: [Inc<T>; M],
) {
    let mut place = [0.0; 3 * M];
    for k in 0..M {
        for j in 0..3 {
            place[3 * k + j] = x[k][j] - x[0][j];
        }
    }
    let areas: [f64; 9 * R] = areas_of(place);
    let mut shares = [0.0; M];
    let mut sums = [0.0; 9 + 3 * Q];
    for e in 0..(3 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        let mut along = 0.0;
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R) + j]
                - place[3 * (e / R % 2 * R + e % R) + j];
            along += d[j] * area[j];
        }
        shares[e / R % 2 * R + e % R] += along / 6.0;
        shares[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R] += along / 6.0;
        let mut change = [0.0; Q];
        for m in 0..Q {
            change[m] = v[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][FIRST + m]
                - v[e / R % 2 * R + e % R][FIRST + m];
        }
        let more: [f64; 9 + 3 * Q] = add_edge(sums, d, change, area);
        sums = more;
    }
    let gradient: [f64; 3 * Q] = gradients(sums);
    let all: [f64; T] = of(gradient);
    for k in 0..M {
        for m in 0..T {
            mean[k][m] += shares[k] * all[m];
        }
    }
}

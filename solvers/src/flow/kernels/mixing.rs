//! Diffusion of the turbulence model's viscosity, and vorticity, by elements: with the gradients of
//! [`elements`](super::elements), that of n in place of the temperature's.
//!
//! A node's vorticity is the mean of its elements', by the areas or volumes of their parts that belong to its cell.

use cfd_engine::prelude::*;

use super::areas::{areas_of_hexahedron, areas_of_prism, areas_of_pyramid, areas_of_tetrahedron};
use super::elements::{add_edge_2d, add_edge_3d, difference_2d, difference_3d, gradients_2d, gradients_3d};
use super::turbulence::mixed;

/// The gradient of n, the last of an element's gradients, through the part of an edge's face, its share along the edge
/// replaced by the difference of the ends.
#[device(gradient_through_2d<2, 6>, gradient_through_3d<3, 12>)]
pub fn gradient_through<const D: usize, const G: usize>(
    gradient: [f64; G],
    difference: f64,
    d: [f64; D],
    area: [f64; D],
) -> f64 {
    let mut d2 = 0.0;
    let mut slope = 0.0;
    let mut along = 0.0;
    let mut through = 0.0;
    for j in 0..D {
        d2 += d[j] * d[j];
        slope += gradient[D * D + j] * d[j];
        along += area[j] * d[j];
        through += gradient[D * D + j] * area[j];
    }
    through + (difference - slope) * (along / d2)
}

/// Diffusion in an element in the plane with R nodes around it, and its vorticity times each node's share of its area.
#[kernel(
    scalar,
    mix_triangle<3>,
    mix_quadrilateral<4>
)]
pub fn mix_ring<const R: usize>(
    x: [Read<2>; R],
    w: [Read<4>; R],
    n: [Read<1>; R],
    nu: [Read<1>; R],
    turn: [Inc<1>; R],
    res: [Inc<1>; R],
) {
    let mut count = 0.0;
    let mut middle = [0.0; 2];
    for k in 0..R {
        count += 1.0;
        for j in 0..2 {
            middle[j] += x[k][j] - x[0][j];
        }
    }
    let mut areas = [0.0; 2 * R];
    let mut shares = [0.0; R];
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
        // Half of the edge's double triangle belongs to each end.
        let half = 0.25 * (d[0] * across[1] - d[1] * across[0]);
        shares[k] += half;
        shares[(k + 1) % R] += half;
        let change: [f64; 3] = difference_2d(w[k], w[(k + 1) % R], n[k][0], n[(k + 1) % R][0]);
        let more: [f64; 10] = add_edge_2d(sums, d, change, [across[1], -across[0]]);
        sums = more;
    }
    let gradient: [f64; 6] = gradients_2d(sums);
    let vorticity = gradient[2] - gradient[1];
    for k in 0..R {
        let d = [x[(k + 1) % R][0] - x[k][0], x[(k + 1) % R][1] - x[k][1]];
        let area = [areas[2 * k], areas[2 * k + 1]];
        let flux: f64 = gradient_through_2d(gradient, n[(k + 1) % R][0] - n[k][0], d, area);
        let of_a = mixed(n[k][0], nu[k][0], n[(k + 1) % R][0], nu[(k + 1) % R][0]);
        let of_b = mixed(n[(k + 1) % R][0], nu[(k + 1) % R][0], n[k][0], nu[k][0]);
        res[k][0] -= of_a * flux;
        res[(k + 1) % R][0] += of_b * flux;
        turn[k][0] += shares[k] * vorticity;
    }
}

/// The same in space, in an element with R nodes around its base and an apex; its edges are those of [`areas_of_cone`](super::areas::areas_of_cone).
#[kernel(scalar, mix_tetrahedron<3, 4, areas_of_tetrahedron>, mix_pyramid<4, 5, areas_of_pyramid>)]
pub fn mix_cone<const R: usize, const M: usize, areas_of: Device>(
    x: [Read<3>; M],
    w: [Read<5>; M],
    n: [Read<1>; M],
    nu: [Read<1>; M],
    turn: [Inc<3>; M],
    res: [Inc<1>; M],
) {
    let mut place = [0.0; 3 * M];
    for k in 0..M {
        for j in 0..3 {
            place[3 * k + j] = x[k][j] - x[0][j];
        }
    }
    let areas: [f64; 6 * R] = areas_of(place);
    let mut shares = [0.0; M];
    let mut sums = [0.0; 21];
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
        let change: [f64; 4] = difference_3d(
            w[e % R],
            w[(1 - e / R) * ((e + 1) % R) + e / R * R],
            n[e % R][0],
            n[(1 - e / R) * ((e + 1) % R) + e / R * R][0],
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
        let flux: f64 = gradient_through_3d(
            gradient,
            n[(1 - e / R) * ((e + 1) % R) + e / R * R][0] - n[e % R][0],
            d,
            area,
        );
        let of_a = mixed(
            n[e % R][0],
            nu[e % R][0],
            n[(1 - e / R) * ((e + 1) % R) + e / R * R][0],
            nu[(1 - e / R) * ((e + 1) % R) + e / R * R][0],
        );
        let of_b = mixed(
            n[(1 - e / R) * ((e + 1) % R) + e / R * R][0],
            nu[(1 - e / R) * ((e + 1) % R) + e / R * R][0],
            n[e % R][0],
            nu[e % R][0],
        );
        res[e % R][0] -= of_a * flux;
        res[(1 - e / R) * ((e + 1) % R) + e / R * R][0] += of_b * flux;
    }
    for k in 0..M {
        turn[k][0] += shares[k] * (gradient[7] - gradient[5]);
        turn[k][1] += shares[k] * (gradient[2] - gradient[6]);
        turn[k][2] += shares[k] * (gradient[3] - gradient[1]);
    }
}

/// The same in an element with R nodes around its base and R opposite them; its edges are those of [`areas_of_column`](super::areas::areas_of_column).
#[kernel(scalar, mix_prism<3, 6, areas_of_prism>, mix_hexahedron<4, 8, areas_of_hexahedron>)]
pub fn mix_column<const R: usize, const M: usize, areas_of: Device>(
    x: [Read<3>; M],
    w: [Read<5>; M],
    n: [Read<1>; M],
    nu: [Read<1>; M],
    turn: [Inc<3>; M],
    res: [Inc<1>; M],
) {
    let mut place = [0.0; 3 * M];
    for k in 0..M {
        for j in 0..3 {
            place[3 * k + j] = x[k][j] - x[0][j];
        }
    }
    let areas: [f64; 9 * R] = areas_of(place);
    let mut shares = [0.0; M];
    let mut sums = [0.0; 21];
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
        let change: [f64; 4] = difference_3d(
            w[e / R % 2 * R + e % R],
            w[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R],
            n[e / R % 2 * R + e % R][0],
            n[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0],
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
        let flux: f64 = gradient_through_3d(
            gradient,
            n[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0] - n[e / R % 2 * R + e % R][0],
            d,
            area,
        );
        let of_a = mixed(
            n[e / R % 2 * R + e % R][0],
            nu[e / R % 2 * R + e % R][0],
            n[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0],
            nu[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0],
        );
        let of_b = mixed(
            n[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0],
            nu[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0],
            n[e / R % 2 * R + e % R][0],
            nu[e / R % 2 * R + e % R][0],
        );
        res[e / R % 2 * R + e % R][0] -= of_a * flux;
        res[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0] += of_b * flux;
    }
    for k in 0..M {
        turn[k][0] += shares[k] * (gradient[7] - gradient[5]);
        turn[k][1] += shares[k] * (gradient[2] - gradient[6]);
        turn[k][2] += shares[k] * (gradient[3] - gradient[1]);
    }
}

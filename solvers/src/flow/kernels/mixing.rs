//! Diffusion of a turbulence model's quantity n by elements that are no simplices: with the gradients of
//! [`elements`](super::elements).

use cfd_engine::prelude::*;

use super::areas::{areas_of_hexahedron, areas_of_prism, areas_of_pyramid};
use super::elements::{add_number_2d, add_number_3d, gradient_of_number_2d, gradient_of_number_3d};
use super::spalart_allmaras::mixed;
use super::sst::mean_of_ends;

/// A gradient through the part of an edge's face, its share along the edge replaced by the difference of the ends.
#[device(gradient_through_2d<2>, gradient_through_3d<3>)]
pub fn gradient_through<const D: usize>(
    gradient: [f64; D],
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
        slope += gradient[j] * d[j];
        along += area[j] * d[j];
        through += gradient[j] * area[j];
    }
    through + (difference - slope) * (along / d2)
}

/// Diffusion in an element in the plane with R nodes around it; `mixed` is the coefficient on an edge in the equation of its
/// first node, from n and `nu` of that node and of the other.
#[kernel(
    mix_quadrilateral<4, mixed>,
    diffuse_quadrilateral<4, mean_of_ends>
)]
pub fn mix_ring<const R: usize, mixed: Device>(
    x: [Read<2>; R],
    n: [Read<1>; R],
    nu: [Read<1>; R],
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
    let mut sums = [0.0; 6];
    for k in 0..R {
        let mut d = [0.0; 2];
        let mut across = [0.0; 2];
        for j in 0..2 {
            d[j] = x[(k + 1) % R][j] - x[k][j];
            across[j] = middle[j] / count - (x[k][j] - x[0][j]) - 0.5 * d[j];
        }
        areas[2 * k] = across[1];
        areas[2 * k + 1] = -across[0];
        let change = [n[(k + 1) % R][0] - n[k][0]];
        let more: [f64; 6] = add_number_2d(sums, d, change, [across[1], -across[0]]);
        sums = more;
    }
    let gradient: [f64; 2] = gradient_of_number_2d(sums);
    for k in 0..R {
        let d = [x[(k + 1) % R][0] - x[k][0], x[(k + 1) % R][1] - x[k][1]];
        let area = [areas[2 * k], areas[2 * k + 1]];
        let flux: f64 = gradient_through_2d(gradient, n[(k + 1) % R][0] - n[k][0], d, area);
        let of_a: f64 = mixed(n[k][0], nu[k][0], n[(k + 1) % R][0], nu[(k + 1) % R][0]);
        let of_b: f64 = mixed(n[(k + 1) % R][0], nu[(k + 1) % R][0], n[k][0], nu[k][0]);
        res[k][0] -= of_a * flux;
        res[(k + 1) % R][0] += of_b * flux;
    }
}

/// The same in space, in an element with R nodes around its base and an apex; its edges are those of
/// [`areas_of_cone`](super::areas::areas_of_cone).
#[kernel(
    scalar,
    mix_pyramid<4, 5, areas_of_pyramid, mixed>,
    diffuse_pyramid<4, 5, areas_of_pyramid, mean_of_ends>
)]
pub fn mix_cone<const R: usize, const M: usize, areas_of: Device, mixed: Device>(
    x: [Read<3>; M],
    n: [Read<1>; M],
    nu: [Read<1>; M],
    res: [Inc<1>; M],
) {
    let mut place = [0.0; 3 * M];
    for k in 0..M {
        for j in 0..3 {
            place[3 * k + j] = x[k][j] - x[0][j];
        }
    }
    let areas: [f64; 6 * R] = areas_of(place);
    let mut sums = [0.0; 12];
    for e in 0..(2 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((1 - e / R) * ((e + 1) % R) + e / R * R) + j] - place[3 * (e % R) + j];
        }
        let change = [n[(1 - e / R) * ((e + 1) % R) + e / R * R][0] - n[e % R][0]];
        let more: [f64; 12] = add_number_3d(sums, d, change, area);
        sums = more;
    }
    let gradient: [f64; 3] = gradient_of_number_3d(sums);
    for e in 0..(2 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((1 - e / R) * ((e + 1) % R) + e / R * R) + j] - place[3 * (e % R) + j];
        }
        let n_a = n[e % R][0];
        let n_b = n[(1 - e / R) * ((e + 1) % R) + e / R * R][0];
        let nu_a = nu[e % R][0];
        let nu_b = nu[(1 - e / R) * ((e + 1) % R) + e / R * R][0];
        let flux: f64 = gradient_through_3d(gradient, n_b - n_a, d, area);
        let of_a: f64 = mixed(n_a, nu_a, n_b, nu_b);
        let of_b: f64 = mixed(n_b, nu_b, n_a, nu_a);
        res[e % R][0] -= of_a * flux;
        res[(1 - e / R) * ((e + 1) % R) + e / R * R][0] += of_b * flux;
    }
}

/// The same in an element with R nodes around its base and R opposite them; its edges are those of
/// [`areas_of_column`](super::areas::areas_of_column).
#[kernel(
    mix_prism<3, 6, areas_of_prism, mixed>,
    mix_hexahedron<4, 8, areas_of_hexahedron, mixed>,
    diffuse_prism<3, 6, areas_of_prism, mean_of_ends>,
    diffuse_hexahedron<4, 8, areas_of_hexahedron, mean_of_ends>
)]
pub fn mix_column<const R: usize, const M: usize, areas_of: Device, mixed: Device>(
    x: [Read<3>; M],
    n: [Read<1>; M],
    nu: [Read<1>; M],
    res: [Inc<1>; M],
) {
    let mut place = [0.0; 3 * M];
    for k in 0..M {
        for j in 0..3 {
            place[3 * k + j] = x[k][j] - x[0][j];
        }
    }
    let areas: [f64; 9 * R] = areas_of(place);
    let mut sums = [0.0; 12];
    for e in 0..(3 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R) + j]
                - place[3 * (e / R % 2 * R + e % R) + j];
        }
        let change = [n[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0] - n[e / R % 2 * R + e % R][0]];
        let more: [f64; 12] = add_number_3d(sums, d, change, area);
        sums = more;
    }
    let gradient: [f64; 3] = gradient_of_number_3d(sums);
    for e in 0..(3 * R) {
        let mut d = [0.0; 3];
        let mut area = [0.0; 3];
        for j in 0..3 {
            area[j] = areas[3 * e + j];
            d[j] = place[3 * ((e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R) + j]
                - place[3 * (e / R % 2 * R + e % R) + j];
        }
        let n_a = n[e / R % 2 * R + e % R][0];
        let n_b = n[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0];
        let nu_a = nu[e / R % 2 * R + e % R][0];
        let nu_b = nu[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0];
        let flux: f64 = gradient_through_3d(gradient, n_b - n_a, d, area);
        let of_a: f64 = mixed(n_a, nu_a, n_b, nu_b);
        let of_b: f64 = mixed(n_b, nu_b, n_a, nu_a);
        res[e / R % 2 * R + e % R][0] -= of_a * flux;
        res[(e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R][0] += of_b * flux;
    }
}

//! The areas of the parts of dual faces within elements in space.

use cfd_engine::prelude::*;

/// The part of an edge's face in an element with the middle c: (c - m) x (f - g) / 2, the edge's ends being a and b, the
/// faces' middles f and g.
#[device]
pub fn part(c: [f64; 3], a: [f64; 3], b: [f64; 3], f: [f64; 3], g: [f64; 3]) -> [f64; 3] {
    let p = [c[0] - 0.5 * (a[0] + b[0]), c[1] - 0.5 * (a[1] + b[1]), c[2] - 0.5 * (a[2] + b[2])];
    let q = [f[0] - g[0], f[1] - g[1], f[2] - g[2]];
    [0.5 * (p[1] * q[2] - p[2] * q[1]), 0.5 * (p[2] * q[0] - p[0] * q[2]), 0.5 * (p[0] * q[1] - p[1] * q[0])]
}

/// The areas of the edges' parts of faces, in an element with R nodes around its base and an apex, the last of its M = R + 1
/// nodes, whose places are given.
///
/// Edges: those of the base, k to k + 1, then those to the apex, k to R. The face around the outward normal from the first
/// to the second end is side k and side k - 1; the other one the base and side k.
#[device(areas_of_tetrahedron<3, 4>, areas_of_pyramid<4, 5>)]
pub fn areas_of_cone<const R: usize, const M: usize>(place: [f64; 3 * M]) -> [f64; 6 * R] {
    let mut corners = 0.0;
    let mut centre = [0.0; 3];
    // The middles of the sides, then of the base.
    let mut faces = [0.0; 3 * M];
    for k in 0..M {
        for j in 0..3 {
            centre[j] += place[3 * k + j];
        }
    }
    for k in 0..R {
        corners += 1.0;
        for j in 0..3 {
            let of_side = place[3 * k + j] + place[3 * ((k + 1) % R) + j] + place[3 * R + j];
            faces[3 * k + j] = of_side / 3.0;
            faces[3 * R + j] += place[3 * k + j];
        }
    }
    for j in 0..3 {
        faces[3 * R + j] /= corners;
        centre[j] /= corners + 1.0;
    }
    let mut areas = [0.0; 6 * R];
    for e in 0..(2 * R) {
        let mut a = [0.0; 3];
        let mut b = [0.0; 3];
        let mut f = [0.0; 3];
        let mut g = [0.0; 3];
        for j in 0..3 {
            a[j] = place[3 * (e % R) + j];
            b[j] = place[3 * ((1 - e / R) * ((e + 1) % R) + e / R * R) + j];
            f[j] = faces[3 * ((e + e / R * (R - 1)) % R) + j];
            g[j] = faces[3 * ((1 - e / R) * R + e / R * (e % R)) + j];
        }
        let area: [f64; 3] = part(centre, a, b, f, g);
        for j in 0..3 {
            areas[3 * e + j] = area[j];
        }
    }
    areas
}

/// The same in an element with R nodes around its base, then R opposite them, M = 2 R together.
///
/// Edges: those of the base, k to k + 1; of the opposite face, R + k to R + k + 1; between them, k to R + k. The face around
/// the outward normal from the first to the second end is side k, the opposite face, side k - 1; the other one the base,
/// side k, side k.
#[device(areas_of_prism<3, 6>, areas_of_hexahedron<4, 8>)]
pub fn areas_of_column<const R: usize, const M: usize>(place: [f64; 3 * M]) -> [f64; 9 * R] {
    let mut corners = 0.0;
    let mut centre = [0.0; 3];
    // The middles of the sides, then of the base, then of the opposite face.
    let mut faces = [0.0; 3 * (R + 2)];
    for k in 0..M {
        for j in 0..3 {
            centre[j] += place[3 * k + j];
        }
    }
    for k in 0..R {
        corners += 1.0;
        for j in 0..3 {
            let below = place[3 * k + j] + place[3 * ((k + 1) % R) + j];
            let above = place[3 * (R + k) + j] + place[3 * (R + (k + 1) % R) + j];
            faces[3 * k + j] = 0.25 * (below + above);
            faces[3 * R + j] += place[3 * k + j];
            faces[3 * (R + 1) + j] += place[3 * (R + k) + j];
        }
    }
    for j in 0..3 {
        faces[3 * R + j] /= corners;
        faces[3 * (R + 1) + j] /= corners;
        centre[j] /= 2.0 * corners;
    }
    let mut areas = [0.0; 9 * R];
    for e in 0..(3 * R) {
        let mut a = [0.0; 3];
        let mut b = [0.0; 3];
        let mut f = [0.0; 3];
        let mut g = [0.0; 3];
        for j in 0..3 {
            a[j] = place[3 * (e / R % 2 * R + e % R) + j];
            b[j] = place[3 * ((e / R + 1) / 2 * R + (e + 1 - e / R / 2) % R) + j];
            f[j] = faces
                [3 * ((2 - e / R) / 2 * (e % R) + e / R % 2 * (R + 1) + e / R / 2 * ((e + R - 1) % R)) + j];
            g[j] = faces[3 * ((2 - e / R) / 2 * R + (1 - (2 - e / R) / 2) * (e % R)) + j];
        }
        let area: [f64; 3] = part(centre, a, b, f, g);
        for j in 0..3 {
            areas[3 * e + j] = area[j];
        }
    }
    areas
}

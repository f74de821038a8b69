//! Sectors of a ring, whose sides are turned into each other.

use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;
use cfd_mesh::ElementMesh;
use cfd_mesh::generate::element_box::{ElementBox, Filling};

/// The angle of a sector, in degrees.
pub const SECTOR: f64 = 60.0;
/// By what angle, in radians, the outer radius is ahead of the inner one: sides are not straight.
const SPIRAL: f64 = 0.4;

/// Some sectors between the radii 1 and 2 about z, each of so many cells around, across and along. `x_max` and `x_min` are the
/// sides, the first of which is turned into the second by [`SECTOR`] degrees for each sector; `y_min` is at radius 1.
pub fn ring(comm: &Comm, filling: Filling, [around, across, along]: [u64; 3], sectors: u64) -> ElementMesh {
    let lengths = [sectors as f64, 1.0, 0.8];
    let mesh = ElementBox { filling, cells: [around * sectors, across, along], lengths, distortion: 0.0 };
    let mut mesh = mesh.mesh(comm).expect("a box");
    let dimension = mesh.dimension();
    let x = mesh.mesh.dat("x").expect("positions");
    let Values::F64(x) = &mut mesh.mesh.dats[x].values else { panic!("positions are real numbers") };
    for x in x.chunks_exact_mut(dimension) {
        let (radius, angle) = (1.0 + x[1], SPIRAL * x[1] - x[0] * SECTOR.to_radians());
        (x[0], x[1]) = (radius * same_math::cos(angle), radius * same_math::sin(angle));
    }
    mesh
}

/// A place, or a vector, turned by some sectors.
pub fn turned([x, y, z]: [f64; 3], sectors: f64) -> [f64; 3] {
    let (s, c) = (sectors * SECTOR.to_radians()).sin_cos();
    [c * x - s * y, s * x + c * y, z]
}

/// The vector at a place that goes outwards, around and along the axis at some speeds.
pub fn around([x, y, _]: [f64; 3], [out, around, along]: [f64; 3]) -> [f64; 3] {
    let r = x.hypot(y);
    [(out * x - around * y) / r, (out * y + around * x) / r, along]
}

//! Forces, moments, mass flow, and values along walls.

use cfd_engine::prelude::*;

use crate::flow::gas::{Gas, temperature, viscosity};

/// Where the square of the sum of a node's area vectors is more than this share of that of its area, the wall is smooth: its
/// faces differ by less than 60 degrees.
const SMOOTH: f64 = 0.75;

/// The boundary of which something is summed, and what it is taken relative to.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Of {
    /// The boundary's number; 0: all.
    pub boundary: i32,
    /// Pressure of the free stream.
    pub pressure: f64,
    /// The point about which moments are taken.
    pub center: [f64; 3],
}

/// Force and moment (about z in the plane) of the pressure on a boundary: p - p_inf in the middles of its faces.
#[kernel(scalar)]
pub fn pressure_force_2d(
    x: [Read<2>; 2],
    w: [Read<4>; 2],
    middle: Read<2>,
    area: Read<2>,
    boundary: Read<1, i32>,
    force: Sum<3>,
    c: &Of,
) {
    let mut p = 0.0 - c.pressure;
    let mut r = [-c.center[0], -c.center[1]];
    for k in 0..2 {
        p += middle[k] * w[k][3];
        for j in 0..2 {
            r[j] += middle[k] * x[k][j];
        }
    }
    if c.boundary == 0 || boundary[0] == c.boundary {
        force[0] += p * area[0];
        force[1] += p * area[1];
        force[2] += p * (r[0] * area[1] - r[1] * area[0]);
    }
}

/// Force and moment of the pressure on a boundary: p - p_inf in the middles of its faces.
#[kernel(scalar)]
pub fn pressure_force_3d(
    x: [Read<3>; 4],
    w: [Read<5>; 4],
    middle: Read<4>,
    area: Read<3>,
    boundary: Read<1, i32>,
    force: Sum<6>,
    c: &Of,
) {
    let mut p = 0.0 - c.pressure;
    let mut r = [-c.center[0], -c.center[1], -c.center[2]];
    for k in 0..4 {
        p += middle[k] * w[k][4];
        for j in 0..3 {
            r[j] += middle[k] * x[k][j];
        }
    }
    if c.boundary == 0 || boundary[0] == c.boundary {
        for j in 0..3 {
            force[j] += p * area[j];
            force[3 + j] += p * (r[(j + 1) % 3] * area[(j + 2) % 3] - r[(j + 2) % 3] * area[(j + 1) % 3]);
        }
    }
}

/// Friction on a face, its share of what the wall takes from the cell of its node.
#[device(friction_2d<2>, friction_3d<3>)]
pub fn friction<const D: usize>(taken: [f64; D + 1], wall: [f64; D + 2], area: [f64; D]) -> [f64; D + 1] {
    let mut a2 = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
    }
    let share = a2.sqrt() / wall[D + 1];
    let mut own = [0.0; D + 1];
    for i in 0..(D + 1) {
        own[i] = share * taken[i];
    }
    own
}

/// Force and moment (about z in the plane) of the friction on a boundary, at the nodes.
#[kernel(scalar)]
pub fn friction_force_2d(
    x: Read<2>,
    taken: Read<3>,
    wall: Read<4>,
    area: Read<2>,
    boundary: Read<1, i32>,
    force: Sum<3>,
    c: &Of,
) {
    let f: [f64; 3] = friction_2d(taken, wall, area);
    if c.boundary == 0 || boundary[0] == c.boundary {
        force[0] += f[0];
        force[1] += f[1];
        force[2] += (x[0] - c.center[0]) * f[1] - (x[1] - c.center[1]) * f[0];
    }
}

/// Force and moment of the friction on a boundary, at the nodes.
#[kernel(scalar)]
pub fn friction_force_3d(
    x: Read<3>,
    taken: Read<4>,
    wall: Read<5>,
    area: Read<3>,
    boundary: Read<1, i32>,
    force: Sum<6>,
    c: &Of,
) {
    let f: [f64; 4] = friction_3d(taken, wall, area);
    let r = [x[0] - c.center[0], x[1] - c.center[1], x[2] - c.center[2]];
    if c.boundary == 0 || boundary[0] == c.boundary {
        for j in 0..3 {
            force[j] += f[j];
            force[3 + j] += r[(j + 1) % 3] * f[(j + 2) % 3] - r[(j + 2) % 3] * f[(j + 1) % 3];
        }
    }
}

/// The mass that flows out through a boundary per time, and the boundary's area.
#[kernel(scalar, mass_flow_2d<2>, mass_flow_3d<3>)]
pub fn mass_flow<const D: usize>(
    through: Read<1>,
    area: Read<D>,
    boundary: Read<1, i32>,
    flow: Sum<2>,
    c: &Of,
) {
    let mut a2 = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
    }
    if c.boundary == 0 || boundary[0] == c.boundary {
        flow[0] += through[0];
        flow[1] += a2.sqrt();
    }
}

/// At a node of a wall: position and pressure.
#[kernel(scalar, wall_point_2d<2, 4>, wall_point_3d<3, 5>)]
pub fn wall_point<const D: usize, const N: usize>(x: Read<D>, w: Read<N>, point: Write<{ D + 1 }>) {
    for i in 0..D {
        point[i] = x[i];
    }
    point[D] = w[N - 1];
}

/// Along a wall without friction, in the middle of a face: position, pressure, and twice 0.
#[kernel(scalar, slip_values_2d<2, 4, 2>, slip_values_3d<3, 5, 4>)]
pub fn slip_values<const D: usize, const N: usize, const W: usize>(
    x: [Read<D>; W],
    w: [Read<N>; W],
    middle: Read<W>,
    values: Write<{ D + 4 }>,
) {
    let mut sums = [0.0; D + 4];
    for k in 0..W {
        for i in 0..D {
            sums[i] += middle[k] * x[k][i];
        }
        sums[D] += middle[k] * w[k][N - 1];
    }
    values = sums;
}

/// Along a wall with friction, in the middle of a face: position, pressure; at its node: friction per area, positive with the
/// wind, the distance of the first node off the wall in wall units, heat per area.
#[kernel(scalar, wall_values_2d<2, 4, 2, friction_2d>, wall_values_3d<3, 5, 4, friction_3d>)]
pub fn wall_values<const D: usize, const N: usize, const W: usize, friction: Device>(
    x: [Read<D>; W],
    w: [Read<N>; W],
    middle: Read<W>,
    area: Read<D>,
    normal: Read<D>,
    volume: Read<1>,
    taken: Read<{ D + 1 }>,
    wall: Read<{ D + 2 }>,
    values: Write<{ D + 4 }>,
    c: &Gas,
) {
    let mut sums = [0.0; D + 4];
    for k in 0..W {
        for i in 0..D {
            sums[i] += middle[k] * x[k][i];
        }
        sums[D] += middle[k] * w[k][N - 1];
    }
    let own: [f64; D + 1] = friction(taken, wall, area);
    let mut a2 = 0.0;
    let mut n2 = 0.0;
    let mut own_across = 0.0;
    let mut across = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
        n2 += normal[i] * normal[i];
        own_across += own[i] * area[i];
        across += own[i] * normal[i];
    }
    // What the fluxes lack along the normal, where the wall is curved, is no friction. The normal is the node's, unless its
    // faces have directions of their own, as at edges.
    let is_smooth = n2 > SMOOTH * (wall[D + 1] * wall[D + 1]);
    let mut f2 = 0.0;
    let mut along = 0.0;
    for i in 0..D {
        let part = if is_smooth { across / n2 * normal[i] } else { own_across / a2 * area[i] };
        let tangential = own[i] - part;
        f2 += tangential * tangential;
        along += tangential * c.wind[i];
    }
    let size = a2.sqrt();
    let stress = f2.sqrt() / size;
    let rho = w[0][0];
    let mu = viscosity(temperature(rho, w[0][N - 1], c), c);
    sums[D + 1] = if along < 0.0 { -stress } else { stress };
    // Half of the first layer of elements belongs to the wall's cells.
    sums[D + 2] = (rho * stress).sqrt() / mu * (2.0 * volume[0] / wall[D + 1]);
    sums[D + 3] = own[D] / size;
    values = sums;
}

//! Walls and planes of symmetry.
//!
//! **No slip** holds strongly: a node of such a wall has the wall's velocity u_w and, if it is given, its temperature, so
//! that momentum and energy follow from the density. With the residual R of everything but the wall's friction, the
//! momentum that friction takes out of the node's cell in a unit of time is
//!
//! ```text
//! f = u_w R_rho - R_m
//! ```
//!
//! and the heat that the wall takes, where it holds a temperature and so the energy e rho of the cell, Q = e R_rho - R_E -
//! u_w . f. These are the wall's friction and heat flux, in balance with the flow to rounding.

use cfd_engine::prelude::*;

use crate::flow::gas::{Gas, temperature, viscosity};
use crate::gas::viscous::{stress_2d, stress_3d};

use super::open::{stress_gradients_2d, stress_gradients_3d};

/// The pressure in the middle of a face that nothing flows through.
#[kernel(scalar, slip_2d<2, 4, 2>, slip_3d<3, 5, 4>)]
pub fn slip<const D: usize, const N: usize, const W: usize>(
    w: [Read<N>; W],
    middle: Read<W>,
    area: Read<D>,
    res: Inc<N>,
) {
    let mut p = 0.0;
    for k in 0..W {
        p += middle[k] * w[k][D + 1];
    }
    for i in 0..D {
        res[1 + i] += p * area[i];
    }
}

/// The part of the stress along the normal, on a face of a plane of symmetry.
#[kernel(
    scalar,
    symmetry_stress_2d<2, 4, 2, 6, stress_gradients_2d, stress_2d>,
    symmetry_stress_3d<3, 5, 4, 12, stress_gradients_3d, stress_3d>
)]
pub fn symmetry_stress<
    const D: usize,
    const N: usize,
    const W: usize,
    const G: usize,
    stress_gradients: Device,
    stress: Device,
>(
    w: [Read<N>; W],
    gradient: [Read<{ D * N }>; W],
    eddies: [Read<1>; W],
    middle: Read<W>,
    area: Read<D>,
    res: Inc<N>,
    c: &Gas,
) {
    let mut inside = [0.0; N];
    let mut slopes = [0.0; D * N];
    let mut mu_t = 0.0;
    for k in 0..W {
        mu_t += middle[k] * eddies[k][0];
        for m in 0..N {
            inside[m] += middle[k] * w[k][m];
        }
        for m in 0..(D * N) {
            slopes[m] += middle[k] * gradient[k][m];
        }
    }
    let t = temperature(inside[0], inside[N - 1], c);
    let g: [f64; G] = stress_gradients(inside, slopes, t, c);
    let f: [f64; N] = stress([0.0; D], g, area, viscosity(t, c) + mu_t, 0.0);
    let mut along = 0.0;
    let mut a2 = 0.0;
    for i in 0..D {
        along += f[1 + i] * area[i];
        a2 += area[i] * area[i];
    }
    for i in 0..D {
        res[1 + i] += along / a2 * area[i];
    }
}

/// A face's velocity, temperature (0 if none is given) and area, added at its node, and 1 for each.
#[kernel(scalar, add_wall_2d<2>, add_wall_3d<3>)]
pub fn add_wall<const D: usize>(given: Read<{ D + 2 }>, area: Read<D>, sums: Inc<{ D + 3 }>) {
    let mut a2 = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
        sums[i] += given[i];
    }
    sums[D] += given[D];
    sums[D + 1] += a2.sqrt();
    sums[D + 2] += 1.0;
}

/// A face's area vector, added at its node.
#[kernel(scalar, add_area_2d<2>, add_area_3d<3>)]
pub fn add_area<const D: usize>(area: Read<D>, normal: Inc<D>) {
    for i in 0..D {
        normal[i] += area[i];
    }
}

/// The wall at a node: velocity, temperature (0: none) and area, from the sums over its faces.
#[kernel(scalar, wall_at_node_2d<2>, wall_at_node_3d<3>)]
pub fn wall_at_node<const D: usize>(sums: Read<{ D + 3 }>, wall: Write<{ D + 2 }>) {
    for i in 0..(D + 1) {
        wall[i] = sums[i] / sums[D + 2];
    }
    wall[D + 1] = sums[D + 1];
}

/// The energy per mass of gas at the wall's velocity and temperature.
#[device(wall_energy_2d<2>, wall_energy_3d<3>)]
pub fn wall_energy<const D: usize>(wall: [f64; D + 2], c: &Gas) -> f64 {
    let mut k = 0.0;
    for i in 0..D {
        k += wall[i] * wall[i];
    }
    c.gas_constant / c.gm1 * wall[D] + 0.5 * k
}

/// A node of a wall takes its velocity and temperature, and keeps its density and, without a temperature, its pressure.
#[kernel(scalar, begin_wall_2d<2, 4, wall_energy_2d>, begin_wall_3d<3, 5, wall_energy_3d>)]
pub fn begin_wall<const D: usize, const N: usize, wall_energy: Device>(
    wall: Read<{ D + 2 }>,
    q: Rw<N>,
    c: &Gas,
) {
    let mut before = 0.0;
    let mut after = 0.0;
    for i in 0..D {
        before += q[1 + i] * q[1 + i];
        q[1 + i] = q[0] * wall[i];
        after += q[1 + i] * q[1 + i];
    }
    let kept = q[D + 1] + 0.5 * (after - before) / q[0];
    q[D + 1] = if wall[D] > 0.0 { q[0] * wall_energy(wall, c) } else { kept };
}

/// Friction and heat that the wall takes, from the residual of everything else, whose momentum and energy then follow from
/// that of the density.
#[kernel(scalar, hold_wall_2d<2, 4, wall_energy_2d>, hold_wall_3d<3, 5, wall_energy_3d>)]
pub fn hold_wall<const D: usize, const N: usize, wall_energy: Device>(
    wall: Read<{ D + 2 }>,
    res: Rw<N>,
    taken: Write<{ D + 1 }>,
    c: &Gas,
) {
    let mut power = 0.0;
    for i in 0..D {
        let friction = wall[i] * res[0] - res[1 + i];
        taken[i] = friction;
        power += wall[i] * friction;
        res[1 + i] = wall[i] * res[0];
    }
    let held = wall_energy(wall, c) * res[0];
    let has_temperature = wall[D] > 0.0;
    taken[D] = if has_temperature { held - res[D + 1] - power } else { 0.0 };
    res[D + 1] = if has_temperature { held } else { res[D + 1] + power };
}

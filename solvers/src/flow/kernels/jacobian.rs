//! Blocks of the matrix dR/dw that Newton's method solves with, w = (rho, u, p).
//!
//! The matrix is that of the scheme of first order: states at the ends of an edge in place of reconstructed ones, and the part
//! of the stress that follows from the difference along the edge. It couples each node to its neighbours alone, and has
//! the dominant diagonal that line and point solvers need; the solution is that of R = 0, whatever the matrix.
//! All of its blocks are derivatives of the fluxes themselves.
//!
//! Unknowns are relative to [`Gas::unit`] and equations to [`Gas::flux_unit`], so that units do not decide what a small
//! residual is. A component's place there is its own, and the last place that of pressure and energy.

use cfd_engine::prelude::*;

use super::open::{
    inlet_flux_2d_tangent, inlet_flux_3d_tangent, outlet_flux_2d_tangent, outlet_flux_3d_tangent,
    supersonic_outlet_flux_2d_tangent, supersonic_outlet_flux_3d_tangent, velocity_inlet_flux_2d_tangent,
    velocity_inlet_flux_3d_tangent,
};
use crate::flow::gas::{Gas, temperature, temperature_tangent, viscosity, viscosity_tangent};
use crate::gas::hllc::{hllc_2d_tangent, hllc_3d_tangent};
use crate::gas::roe::{roe_2d_tangent, roe_3d_tangent, roe_low_mach_2d_tangent, roe_low_mach_3d_tangent};
use crate::gas::state::{conserved_2d_tangent, conserved_3d_tangent};
use crate::gas::viscous::{stress_2d, stress_2d_tangent, stress_3d, stress_3d_tangent};

/// Blocks of the convective flux through an edge's face.
#[kernel(
    scalar,
    roe_blocks_2d<2, 4, roe_2d_tangent>,
    roe_blocks_3d<3, 5, roe_3d_tangent>,
    low_mach_blocks_2d<2, 4, roe_low_mach_2d_tangent>,
    low_mach_blocks_3d<3, 5, roe_low_mach_3d_tangent>,
    hllc_blocks_2d<2, 4, hllc_2d_tangent>,
    hllc_blocks_3d<3, 5, hllc_3d_tangent>
)]
pub fn edge_blocks<const D: usize, const N: usize, flux_tangent: Device>(
    w_a: Read<N>,
    w_b: Read<N>,
    area: Read<D>,
    upper: Write<{ N * N }>,
    lower: Write<{ N * N }>,
    diagonal_a: Inc<{ N * N }>,
    diagonal_b: Inc<{ N * N }>,
    c: &Gas,
) {
    let fix: [f64; 2] = c.entropy_fix;
    for m in 0..N {
        let mut way = [0.0; N];
        way[m] = c.unit[m + m / (N - 1) * (5 - N)];
        let of_a: [f64; N] = flux_tangent(w_a, w_b, area, c.gamma, c.gm1, fix, way, [0.0; N]);
        let of_b: [f64; N] = flux_tangent(w_a, w_b, area, c.gamma, c.gm1, fix, [0.0; N], way);
        for k in 0..N {
            let unit = c.flux_unit[k + k / (N - 1) * (5 - N)];
            let a = of_a[k] / unit;
            let b = of_b[k] / unit;
            upper[N * k + m] = b;
            lower[N * k + m] = -a;
            diagonal_a[N * k + m] += a;
            diagonal_b[N * k + m] -= b;
        }
    }
}

/// What viscosity, of the gas and of its eddies, and conduction carry through an edge's face, of the difference along the edge
/// alone.
#[device(tangent(w_a, w_b), along_2d<2, 4, 6, stress_2d>, along_3d<3, 5, 12, stress_3d>)]
pub fn along<const D: usize, const N: usize, const G: usize, stress: Device>(
    w_a: [f64; N],
    w_b: [f64; N],
    d: [f64; D],
    area: [f64; D],
    mu_t: f64,
    c: &Gas,
) -> [f64; N] {
    let t_a = temperature(w_a[0], w_a[N - 1], c);
    let t_b = temperature(w_b[0], w_b[N - 1], c);
    let mut d2 = 0.0;
    for j in 0..D {
        d2 += d[j] * d[j];
    }
    let mut u = [0.0; D];
    let mut g = [0.0; G];
    for j in 0..D {
        for i in 0..D {
            g[D * i + j] = (w_b[1 + i] - w_a[1 + i]) * (d[j] / d2);
        }
        g[D * D + j] = (t_b - t_a) * (d[j] / d2);
        u[j] = 0.5 * (w_a[1 + j] + w_b[1 + j]);
    }
    let mu = viscosity(0.5 * (t_a + t_b), c);
    let conductivity = mu * c.conductivity + mu_t * c.eddy_conductivity;
    let f: [f64; N] = stress(u, g, area, mu + mu_t, conductivity);
    f
}

/// Blocks of viscosity and conduction along an edge, after those of convection: through a face across it, as large as the
/// coupling of its ends has it.
#[kernel(viscous_blocks_2d<2, 4, along_2d_tangent>, viscous_blocks_3d<3, 5, along_3d_tangent>)]
pub fn viscous_blocks<const D: usize, const N: usize, along_tangent: Device>(
    x_a: Read<D>,
    x_b: Read<D>,
    w_a: Read<N>,
    w_b: Read<N>,
    eddies_a: Read<1>,
    eddies_b: Read<1>,
    coupling: Read<1>,
    upper: Rw<{ N * N }>,
    lower: Rw<{ N * N }>,
    diagonal_a: Inc<{ N * N }>,
    diagonal_b: Inc<{ N * N }>,
    c: &Gas,
) {
    let mut d = [0.0; D];
    let mut area = [0.0; D];
    for i in 0..D {
        d[i] = x_b[i] - x_a[i];
        area[i] = coupling[0].max(0.0) * d[i];
    }
    let mu_t = 0.5 * (eddies_a[0] + eddies_b[0]);
    for m in 0..N {
        let mut way = [0.0; N];
        way[m] = c.unit[m + m / (N - 1) * (5 - N)];
        let of_a: [f64; N] = along_tangent(w_a, w_b, d, area, mu_t, way, [0.0; N], c);
        let of_b: [f64; N] = along_tangent(w_a, w_b, d, area, mu_t, [0.0; N], way, c);
        for k in 0..N {
            let unit = c.flux_unit[k + k / (N - 1) * (5 - N)];
            let a = of_a[k] / unit;
            let b = of_b[k] / unit;
            upper[N * k + m] += b;
            lower[N * k + m] -= a;
            diagonal_a[N * k + m] += a;
            diagonal_b[N * k + m] -= b;
        }
    }
}

/// The block of the pressure on a face that nothing flows through, at its node.
#[kernel(scalar, slip_block_2d<2, 4>, slip_block_3d<3, 5>)]
pub fn slip_block<const D: usize, const N: usize>(area: Read<D>, diagonal: Inc<{ N * N }>, c: &Gas) {
    for i in 0..D {
        diagonal[N * (1 + i) + N - 1] += c.unit[4] * area[i] / c.flux_unit[1];
    }
}

/// The block of the flux through a face of the far field, as if all of its middle's state were that of its node.
#[kernel(
    scalar,
    far_field_block_2d<2, 4, 2, roe_2d_tangent>,
    far_field_block_3d<3, 5, 4, roe_3d_tangent>
)]
pub fn far_field_block<const D: usize, const N: usize, const W: usize, flux_tangent: Device>(
    w: [Read<N>; W],
    middle: Read<W>,
    area: Read<D>,
    given: Read<N>,
    diagonal: Inc<{ N * N }>,
    c: &Gas,
) {
    let fix: [f64; 2] = c.entropy_fix;
    let mut inside = [0.0; N];
    for k in 0..W {
        for m in 0..N {
            inside[m] += middle[k] * w[k][m];
        }
    }
    for m in 0..N {
        let mut way = [0.0; N];
        way[m] = c.unit[m + m / (N - 1) * (5 - N)];
        let of_w: [f64; N] = flux_tangent(inside, given, area, c.gamma, c.gm1, fix, way, [0.0; N]);
        for k in 0..N {
            diagonal[N * k + m] += of_w[k] / c.flux_unit[k + k / (N - 1) * (5 - N)];
        }
    }
}

/// The block of the flux through another boundary face, as if all of its middle's state were that of its node.
#[kernel(
    scalar,
    inlet_block_2d<2, 4, 2, inlet_flux_2d_tangent>,
    inlet_block_3d<3, 5, 4, inlet_flux_3d_tangent>,
    velocity_inlet_block_2d<2, 4, 2, velocity_inlet_flux_2d_tangent>,
    velocity_inlet_block_3d<3, 5, 4, velocity_inlet_flux_3d_tangent>,
    outlet_block_2d<2, 4, 2, outlet_flux_2d_tangent>,
    outlet_block_3d<3, 5, 4, outlet_flux_3d_tangent>,
    supersonic_outlet_block_2d<2, 4, 2, supersonic_outlet_flux_2d_tangent>,
    supersonic_outlet_block_3d<3, 5, 4, supersonic_outlet_flux_3d_tangent>
)]
pub fn open_block<const D: usize, const N: usize, const W: usize, flux_tangent: Device>(
    w: [Read<N>; W],
    middle: Read<W>,
    area: Read<D>,
    given: Read<N>,
    diagonal: Inc<{ N * N }>,
    c: &Gas,
) {
    let mut inside = [0.0; N];
    for k in 0..W {
        for m in 0..N {
            inside[m] += middle[k] * w[k][m];
        }
    }
    for m in 0..N {
        let mut way = [0.0; N];
        way[m] = c.unit[m + m / (N - 1) * (5 - N)];
        let of_w: [f64; N] = flux_tangent(inside, area, given, way, c);
        for k in 0..N {
            diagonal[N * k + m] += of_w[k] / c.flux_unit[k + k / (N - 1) * (5 - N)];
        }
    }
}

/// Shares of the state's own rate of change in a step's equations.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Inertia {
    /// gamma - 1.
    pub gm1: f64,
    /// Of local time steps: 1 / cfl.
    pub local: f64,
    /// Of time: the share of the new state over the time step.
    pub time: f64,
    /// [`Gas::unit`].
    pub unit: [f64; 5],
    /// [`Gas::flux_unit`].
    pub flux_unit: [f64; 5],
}

/// The diagonal's block of the state's own change, (pace / cfl + V s / dt) dq/dw.
#[kernel(inertia_2d<4, conserved_2d_tangent>, inertia_3d<5, conserved_3d_tangent>)]
pub fn inertia<const N: usize, conserved_tangent: Device>(
    w: Read<N>,
    volume: Read<1>,
    pace: Read<1>,
    diagonal: Rw<{ N * N }>,
    c: &Inertia,
) {
    let weight = c.local * pace[0] + c.time * volume[0];
    for m in 0..N {
        let mut way = [0.0; N];
        way[m] = c.unit[m + m / (N - 1) * (5 - N)];
        let dq: [f64; N] = conserved_tangent(w, c.gm1, way);
        for k in 0..N {
            diagonal[N * k + m] += weight * dq[k] / c.flux_unit[k + k / (N - 1) * (5 - N)];
        }
    }
}

/// A node's equations where a wall holds its velocity and, perhaps, its temperature, for the unknowns of some node: those of
/// momentum are du = 0 (`own` is 1 for the node's own unknowns, 0 for a neighbour's), that of energy, with a temperature,
/// dp = R T drho; without, it has what a moving wall adds.
#[device(held_2d<2, 4, 16>, held_3d<3, 5, 25>)]
pub fn held<const D: usize, const N: usize, const M: usize>(
    block: [f64; M],
    wall: [f64; D + 2],
    own: f64,
    c: &Gas,
) -> [f64; M] {
    let mut rows = block;
    let has_temperature = wall[D] > 0.0;
    for m in 0..N {
        let mut energy = block[N * (N - 1) + m];
        for i in 0..D {
            let u = wall[i] * c.flux_unit[1] / c.flux_unit[4];
            energy += u * (wall[i] * c.flux_unit[0] / c.flux_unit[1] * block[m] - block[N * (1 + i) + m]);
            rows[N * (1 + i) + m] = 0.0;
        }
        rows[N * (N - 1) + m] = if has_temperature { 0.0 } else { energy };
    }
    for i in 0..D {
        rows[N * (1 + i) + 1 + i] = own;
    }
    let by_density = -own * c.gas_constant * wall[D] * c.unit[0] / c.unit[4];
    rows[N * (N - 1)] = if has_temperature { by_density } else { rows[N * (N - 1)] };
    rows[N * N - 1] = if has_temperature { own } else { rows[N * N - 1] };
    rows
}

/// The same of an edge's blocks, where an end is on a wall.
#[kernel(hold_edge_2d<2, 4, 16, held_2d>, hold_edge_3d<3, 5, 25, held_3d>)]
pub fn hold_edge<const D: usize, const N: usize, const M: usize, held: Device>(
    wall_a: Read<{ D + 2 }>,
    wall_b: Read<{ D + 2 }>,
    upper: Rw<M>,
    lower: Rw<M>,
    c: &Gas,
) {
    let of_a: [f64; M] = held(upper, wall_a, 0.0, c);
    let of_b: [f64; M] = held(lower, wall_b, 0.0, c);
    for m in 0..M {
        upper[m] = if wall_a[D + 1] > 0.0 { of_a[m] } else { upper[m] };
        lower[m] = if wall_b[D + 1] > 0.0 { of_b[m] } else { lower[m] };
    }
}

/// The same of a wall's node.
#[kernel(scalar, hold_node_2d<2, 4, 16, held_2d>, hold_node_3d<3, 5, 25, held_3d>)]
pub fn hold_node<const D: usize, const N: usize, const M: usize, held: Device>(
    wall: Read<{ D + 2 }>,
    diagonal: Rw<M>,
    right: Rw<N>,
    c: &Gas,
) {
    let rows: [f64; M] = held(diagonal, wall, 1.0, c);
    for m in 0..M {
        diagonal[m] = rows[m];
    }
    for i in 0..D {
        right[1 + i] = 0.0;
    }
    right[N - 1] = if wall[D] > 0.0 { 0.0 } else { right[N - 1] };
}

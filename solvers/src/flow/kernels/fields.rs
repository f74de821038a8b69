//! What files and pictures show of a state.

use cfd_engine::prelude::*;

use crate::flow::gas::{Gas, temperature};

/// The reference of coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Reference {
    /// Pressure of the free stream.
    pub pressure: f64,
    /// rho |u|^2 / 2 of the free stream.
    pub dynamic_pressure: f64,
    /// Ratio of specific heats.
    pub gamma: f64,
}

/// Velocity, pressure, Mach number, pressure coefficient (p - p_inf) / (rho_inf |u_inf|^2 / 2).
#[kernel(scalar, node_fields_2d<2, 4>, node_fields_3d<3, 5>)]
pub fn node_fields<const D: usize, const N: usize>(
    w: Read<N>,
    velocity: Write<D>,
    pressure: Write<1>,
    mach: Write<1>,
    cp: Write<1>,
    c: &Reference,
) {
    let mut s2 = 0.0;
    for i in 0..D {
        velocity[i] = w[1 + i];
        s2 += w[1 + i] * w[1 + i];
    }
    pressure[0] = w[N - 1];
    mach[0] = (s2 / (c.gamma * w[N - 1] / w[0])).sqrt();
    cp[0] = (w[N - 1] - c.pressure) / c.dynamic_pressure;
}

/// Temperature.
#[kernel(scalar, node_temperature_2d<4>, node_temperature_3d<5>)]
pub fn node_temperature<const N: usize>(w: Read<N>, t: Write<1>, c: &Gas) {
    t[0] = temperature(w[0], w[N - 1], c);
}

/// Vorticity, and Q = (|W|^2 - |S|^2) / 2 = -(du_i/dx_j du_j/dx_i) / 2 of the antisymmetric and symmetric parts of the
/// velocity's gradient, without its divergence.
#[kernel(scalar)]
pub fn rotation_2d(gradient: Read<8>, vorticity: Write<1>, q: Write<1>) {
    vorticity[0] = gradient[4] - gradient[3];
    let mean = 0.5 * (gradient[2] + gradient[5]);
    let xx = gradient[2] - mean;
    q[0] = -(xx * xx + gradient[3] * gradient[4]);
}

/// Vorticity, and Q = -(du_i/dx_j du_j/dx_i) / 2, without the velocity's divergence.
#[kernel(scalar)]
pub fn rotation_3d(gradient: Read<15>, vorticity: Write<3>, q: Write<1>) {
    vorticity[0] = gradient[10] - gradient[8];
    vorticity[1] = gradient[5] - gradient[9];
    vorticity[2] = gradient[6] - gradient[4];
    let mean = (gradient[3] + gradient[7] + gradient[11]) / 3.0;
    let xx = gradient[3] - mean;
    let yy = gradient[7] - mean;
    let zz = gradient[11] - mean;
    let mixed = gradient[4] * gradient[6] + gradient[5] * gradient[9] + gradient[8] * gradient[10];
    q[0] = -(0.5 * (xx * xx + yy * yy + zz * zz) + mixed);
}

//! Local time steps, one for each wave ([`waves`](crate::gas::waves)).

use cfd_engine::prelude::*;

use super::steps::VISCOUS;
use crate::flow::gas::{Gas, temperature, viscosity};
use crate::gas::state::{primitive_2d, primitive_3d};
use crate::gas::transfer::{limited_2d, limited_3d};
use crate::gas::waves::{face_block_2d, face_block_3d, precondition_2d, precondition_3d};

/// old = q; P = 0.
#[kernel(begin_waves_2d<4, 7>, begin_waves_3d<5, 11>)]
pub fn begin_waves<const N: usize, const P: usize>(q: Read<N>, old: Write<N>, block: Write<P>) {
    for m in 0..N {
        old[m] = q[m];
    }
    for i in 0..P {
        block[i] = 0.0;
    }
}

/// Both ends' P += the face's part, with the mean of velocities and of speeds of sound; viscosity slows all waves alike.
#[kernel(add_waves_2d<2, 4, 7, face_block_2d>, add_waves_3d<3, 5, 11, face_block_3d>)]
pub fn add_waves<const D: usize, const N: usize, const P: usize, face_block: Device>(
    x_a: Read<D>,
    x_b: Read<D>,
    w_a: Read<N>,
    w_b: Read<N>,
    area: Read<D>,
    block_a: Inc<P>,
    block_b: Inc<P>,
    c: &Gas,
) {
    let rho = 0.5 * (w_a[0] + w_b[0]);
    let p = 0.5 * (w_a[N - 1] + w_b[N - 1]);
    let sound = 0.5 * ((c.gamma * w_a[N - 1] / w_a[0]).sqrt() + (c.gamma * w_b[N - 1] / w_b[0]).sqrt());
    let mut u = [0.0; D];
    let mut a2 = 0.0;
    let mut d2 = 0.0;
    for i in 0..D {
        u[i] = 0.5 * (w_a[1 + i] + w_b[1 + i]);
        a2 += area[i] * area[i];
        d2 += (x_b[i] - x_a[i]) * (x_b[i] - x_a[i]);
    }
    let nu = c.diffusivity * viscosity(temperature(rho, p, c), c) / rho;
    let part: [f64; P] = face_block(u, sound, area, VISCOUS * nu * (a2 / d2).sqrt());
    for i in 0..P {
        block_a[i] += part[i];
        block_b[i] += part[i];
    }
}

/// P += a boundary face's part.
#[kernel(scalar, add_boundary_waves_2d<2, 4, 7, face_block_2d>, add_boundary_waves_3d<3, 5, 11, face_block_3d>)]
pub fn add_boundary_waves<const D: usize, const N: usize, const P: usize, face_block: Device>(
    w: Read<N>,
    area: Read<D>,
    block: Inc<P>,
    c: &Gas,
) {
    let mut u = [0.0; D];
    for i in 0..D {
        u[i] = w[1 + i];
    }
    let part: [f64; P] = face_block(u, (c.gamma * w[N - 1] / w[0]).sqrt(), area, 0.0);
    for i in 0..P {
        block[i] += part[i];
    }
}

/// Constants of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct WaveStage {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// gamma - 1.
    pub gm1: f64,
    /// Coefficient of the stage times the Courant number.
    pub factor: f64,
}

/// q = old - factor P^-1 R, [`limited`](crate::gas::transfer::limited); R = 0; the lower of density and pressure, of which w =
/// primitive variables.
#[kernel(
    wave_stage_2d<4, 7, precondition_2d, limited_2d, primitive_2d>,
    wave_stage_3d<5, 11, precondition_3d, limited_3d, primitive_3d>
)]
pub fn wave_stage<
    const N: usize,
    const P: usize,
    precondition: Device,
    limited: Device,
    primitive: Device,
>(
    old: Read<N>,
    inverse: Read<P>,
    res: Rw<N>,
    q: Write<N>,
    w: Write<N>,
    lowest: Min<1>,
    c: &WaveStage,
) {
    let step: [f64; N] = precondition(old, res, inverse, c.gamma, c.gm1);
    let mut change = [0.0; N];
    for m in 0..N {
        change[m] = -c.factor * step[m];
        res[m] = 0.0;
    }
    let state: [f64; N] = limited(old, change, c.gm1);
    let new: [f64; N] = primitive(state, c.gm1);
    q = state;
    w = new;
    lowest[0] = new[0].min(new[N - 1]);
}

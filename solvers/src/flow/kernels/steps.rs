//! Time steps, stages, norms.

use cfd_engine::prelude::*;

use crate::flow::gas::{Gas, temperature, viscosity};
use crate::gas::state::{primitive_2d, primitive_3d};

/// A viscous wave counts this often for its share of a local time step.
pub const VISCOUS: f64 = 2.0;

/// w = primitive variables of q.
#[kernel(to_primitive_2d<4, primitive_2d>, to_primitive_3d<5, primitive_3d>)]
pub fn to_primitive<const N: usize, primitive: Device>(q: Read<N>, w: Write<N>, c: &Gas) {
    let new: [f64; N] = primitive(q, c.gm1);
    w = new;
}

/// old = q; pace = 0.
#[kernel(begin_step_2d<4>, begin_step_3d<5>)]
pub fn begin_step<const N: usize>(q: Read<N>, old: Write<N>, pace: Write<1>) {
    for m in 0..N {
        old[m] = q[m];
    }
    pace[0] = 0.0;
}

/// Both ends' sums of speeds through their faces: (|u . A| + a |A|) / 2 and, of viscosity, nu |A| / |d|.
#[kernel(pace_2d<2, 4>, pace_3d<3, 5>)]
pub fn pace<const D: usize, const N: usize>(
    x_a: Read<D>,
    x_b: Read<D>,
    w_a: Read<N>,
    w_b: Read<N>,
    eddies_a: Read<1>,
    eddies_b: Read<1>,
    area: Read<D>,
    pace_a: Inc<1>,
    pace_b: Inc<1>,
    c: &Gas,
) {
    let rho = 0.5 * (w_a[0] + w_b[0]);
    let p = 0.5 * (w_a[N - 1] + w_b[N - 1]);
    let mut through = 0.0;
    let mut a2 = 0.0;
    let mut d2 = 0.0;
    for i in 0..D {
        through += 0.5 * (w_a[1 + i] + w_b[1 + i]) * area[i];
        a2 += area[i] * area[i];
        d2 += (x_b[i] - x_a[i]) * (x_b[i] - x_a[i]);
    }
    let sound = (c.gamma * p / rho).sqrt();
    let mu_t = 0.5 * (eddies_a[0] + eddies_b[0]);
    let nu = c.diffusivity * (viscosity(temperature(rho, p, c), c) + mu_t) / rho;
    let speed = 0.5 * (through.abs() + sound * a2.sqrt()) + VISCOUS * nu * (a2 / d2).sqrt();
    pace_a[0] += speed;
    pace_b[0] += speed;
}

/// The same of waves through a boundary face.
#[kernel(scalar, boundary_pace_2d<2, 4>, boundary_pace_3d<3, 5>)]
pub fn boundary_pace<const D: usize, const N: usize>(w: Read<N>, area: Read<D>, pace: Inc<1>, c: &Gas) {
    let mut through = 0.0;
    let mut a2 = 0.0;
    for i in 0..D {
        through += w[1 + i] * area[i];
        a2 += area[i] * area[i];
    }
    pace[0] += 0.5 * (through.abs() + (c.gamma * w[N - 1] / w[0]).sqrt() * a2.sqrt());
}

/// V / pace, the time in which the waves cross a cell.
#[kernel]
pub fn crossing(volume: Read<1>, pace: Read<1>, least: Min<1>) {
    least[0] = volume[0] / pace[0];
}

/// Constants of a time step.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Size {
    /// Courant number of a local time step.
    pub cfl: f64,
    /// Time step of all nodes.
    pub dt: f64,
}

/// step = dt / V, of local time steps: cfl / pace.
#[kernel]
pub fn local_step(pace: Read<1>, step: Write<1>, c: &Size) {
    step[0] = c.cfl / pace[0];
}

/// step = dt / V, of one time step for all.
#[kernel]
pub fn global_step(volume: Read<1>, step: Write<1>, c: &Size) {
    step[0] = c.dt / volume[0];
}

/// Constants of a Runge-Kutta stage.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Stage {
    /// gamma - 1.
    pub gm1: f64,
    /// Of the state before the time step.
    pub old: f64,
    /// Of the state before the stage.
    pub own: f64,
    /// Of the change dt R / V.
    pub change: f64,
}

/// q = old_share old + own_share q - change step R; R = 0; the lower of density and pressure, of which w = primitive
/// variables.
#[kernel(stage_2d<4, primitive_2d>, stage_3d<5, primitive_3d>)]
pub fn stage<const N: usize, primitive: Device>(
    old: Read<N>,
    step: Read<1>,
    res: Rw<N>,
    q: Rw<N>,
    w: Write<N>,
    lowest: Min<1>,
    c: &Stage,
) {
    for m in 0..N {
        q[m] = c.old * old[m] + c.own * q[m] - c.change * step[0] * res[m];
        res[m] = 0.0;
    }
    let new: [f64; N] = primitive(q, c.gm1);
    w = new;
    lowest[0] = new[0].min(new[N - 1]);
}

/// Sum of (R / V)^2 of each equation, the squared rates of change.
#[kernel(norm_2d<4>, norm_3d<5>)]
pub fn norm<const N: usize>(res: Read<N>, volume: Read<1>, squares: Sum<N>) {
    for m in 0..N {
        let rate = res[m] / volume[0];
        squares[m] += rate * rate;
    }
}

/// The lower of density and pressure.
#[kernel(check_2d<4>, check_3d<5>)]
pub fn check<const N: usize>(w: Read<N>, lowest: Min<1>) {
    lowest[0] = w[0].min(w[N - 1]);
}

/// res = 0.
#[kernel(clear_residual_2d<4>, clear_residual_3d<5>)]
pub fn clear_residual<const N: usize>(res: Write<N>) {
    for m in 0..N {
        res[m] = 0.0;
    }
}

/// The mean over time moves towards the state by the share of a time step in all.
#[kernel(average_2d<4>, average_3d<5>)]
pub fn average<const N: usize>(w: Read<N>, mean: Rw<N>, c: &Share) {
    for m in 0..N {
        mean[m] += c.share * (w[m] - mean[m]);
    }
}

/// The weight of a state in a mean.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Share {
    /// The weight.
    pub share: f64,
}

/// R less what a source puts into a cell per time.
#[kernel(scalar, feed_2d<4>, feed_3d<5>, feed_one<1>)]
pub fn feed<const N: usize>(source: Read<N>, res: Rw<N>) {
    for m in 0..N {
        res[m] -= source[m];
    }
}

//! The loops of `scheme = "euler"`: time steps, fluxes, updates.
//!
//! The Euler equations for the dual cell of node i, V_i dq_i/dt + R_i(q) = 0, R_i being the sum of the fluxes through its
//! faces. The order of evaluation is part of the definition.

use cfd_engine::prelude::*;

use crate::gas::limiters::{sound_or_3d, unlimited, van_albada, venkatakrishnan};
use crate::gas::roe::roe_3d;
use crate::gas::state::{pressure_3d, primitive_3d};
use crate::mgcfd::config::Flow;
use crate::mgcfd::state::motion;

/// Both ends' volumes += (x_b - x_a) . w / 6, the volume of the two pyramids over the face.
#[kernel]
pub fn pyramids(x_a: Read<3>, x_b: Read<3>, w: Read<3>, volume_a: Inc<1>, volume_b: Inc<1>) {
    let part = ((x_b[0] - x_a[0]) * w[0] + (x_b[1] - x_a[1]) * w[1] + (x_b[2] - x_a[2]) * w[2]) / 6.0;
    volume_a[0] += part;
    volume_b[0] += part;
}

/// A coarse cell's volume is the sum of its children's.
#[kernel]
pub fn add_volume(volume: Read<1>, coarse: Inc<1>) {
    coarse[0] += volume[0];
}

/// old = q; wave = 0.
#[kernel]
pub fn begin_step(q: Read<5>, old: Write<5>, wave: Write<1>) {
    for m in 0..5 {
        old[m] = q[m];
    }
    wave[0] = 0.0;
}

/// Both ends' sums of wave speeds += (|u . w| + c |w|) / 2, with the mean velocity and speed of sound.
#[kernel]
pub fn wave_speeds(q_a: Read<5>, q_b: Read<5>, w: Read<3>, wave_a: Inc<1>, wave_b: Inc<1>, c: &Flow) {
    let a = motion(q_a, c);
    let b = motion(q_b, c);
    let area = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    let through = ((a[0] + b[0]) * w[0] + (a[1] + b[1]) * w[1] + (a[2] + b[2]) * w[2]).abs();
    let speed = 0.25 * (through + (a[4] + b[4]) * area);
    wave_a[0] += speed;
    wave_b[0] += speed;
}

/// The same for a boundary face.
#[kernel]
pub fn boundary_wave_speeds(q: Read<5>, w: Read<3>, wave: Inc<1>, c: &Flow) {
    let a = motion(q, c);
    let area = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    wave[0] += 0.5 * ((a[0] * w[0] + a[1] * w[1] + a[2] * w[2]).abs() + a[4] * area);
}

/// First order: Roe's flux between the states of an edge's ends.
#[kernel]
pub fn first_order_flux(q_a: Read<5>, q_b: Read<5>, w: Read<3>, res_a: Inc<5>, res_b: Inc<5>, c: &Flow) {
    let l: [f64; 5] = primitive_3d(q_a, c.gm1);
    let r: [f64; 5] = primitive_3d(q_b, c.gm1);
    let f: [f64; 5] = roe_3d(l, r, w, c.gamma, c.gm1, [c.entropy_fix, c.entropy_fix]);
    for m in 0..5 {
        res_a[m] += f[m];
        res_b[m] -= f[m];
    }
}

/// Second order: the flux between states reconstructed half way along the edge, unlimited, or limited after van Albada,
/// van Leer and Roberts or after Venkatakrishnan.
#[kernel(
    flux_unlimited<unlimited>,
    flux_van_albada<van_albada>,
    flux_venkatakrishnan<venkatakrishnan>
)]
pub fn second_order<limiter: Device>(
    x_a: Read<3>,
    x_b: Read<3>,
    q_a: Read<5>,
    q_b: Read<5>,
    gradient_a: Read<15>,
    gradient_b: Read<15>,
    w: Read<3>,
    res_a: Inc<5>,
    res_b: Inc<5>,
    c: &Flow,
) {
    let d = [x_b[0] - x_a[0], x_b[1] - x_a[1], x_b[2] - x_a[2]];
    let d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let threshold = c.limiter_k3 * (d2 * d2.sqrt());
    let a: [f64; 5] = primitive_3d(q_a, c.gm1);
    let b: [f64; 5] = primitive_3d(q_b, c.gm1);
    let mut l = a;
    let mut r = b;
    for m in 0..5 {
        let difference = b[m] - a[m];
        let slope_a = gradient_a[3 * m] * d[0] + gradient_a[3 * m + 1] * d[1] + gradient_a[3 * m + 2] * d[2];
        let slope_b = gradient_b[3 * m] * d[0] + gradient_b[3 * m + 1] * d[1] + gradient_b[3 * m + 2] * d[2];
        l[m] += limiter(slope_a, slope_a, difference, threshold);
        r[m] -= limiter(slope_b, slope_b, difference, threshold);
    }
    let left: [f64; 5] = sound_or_3d(a, l);
    let right: [f64; 5] = sound_or_3d(b, r);
    let f: [f64; 5] = roe_3d(left, right, w, c.gamma, c.gm1, [c.entropy_fix, c.entropy_fix]);
    for m in 0..5 {
        res_a[m] += f[m];
        res_b[m] -= f[m];
    }
}

/// Flux through a boundary face: the pressure on a slip wall (group 0 to 2), Roe's flux towards the free stream elsewhere. `w`
/// points into the domain.
#[kernel]
pub fn boundary_flux(q: Read<5>, w: Read<3>, group: Read<1, i32>, res: Inc<5>, c: &Flow) {
    let inside: [f64; 5] = primitive_3d(q, c.gm1);
    let far: [f64; 5] = c.qinf;
    let outside: [f64; 5] = primitive_3d(far, c.gm1);
    let outwards = [-w[0], -w[1], -w[2]];
    if group[0] <= 2 {
        for m in 0..3 {
            res[1 + m] += inside[4] * outwards[m];
        }
    } else {
        let f: [f64; 5] = roe_3d(inside, outside, outwards, c.gamma, c.gm1, [c.entropy_fix, c.entropy_fix]);
        for m in 0..5 {
            res[m] += f[m];
        }
    }
}

/// Constants of an update.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Stage {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// gamma - 1.
    pub gm1: f64,
    /// Coefficient of the stage times the Courant number.
    pub factor: f64,
}

/// q = old - factor / wave R; R = 0. The time step of a node is CFL V / wave, so volumes cancel.
#[kernel]
pub fn stage(old: Read<5>, wave: Read<1>, res: Rw<5>, q: Write<5>, lowest: Min<1>, c: &Stage) {
    let step = c.factor / wave[0];
    let mut new = [0.0; 5];
    for m in 0..5 {
        new[m] = old[m] - step * res[m];
        q[m] = new[m];
        res[m] = 0.0;
    }
    lowest[0] = new[0].min(pressure_3d(new, c.gm1));
}

/// q = old - factor / wave (R - forcing); R = 0.
#[kernel]
pub fn stage_forced(
    old: Read<5>,
    wave: Read<1>,
    res: Rw<5>,
    forcing: Read<5>,
    q: Write<5>,
    lowest: Min<1>,
    c: &Stage,
) {
    let step = c.factor / wave[0];
    let mut new = [0.0; 5];
    for m in 0..5 {
        new[m] = old[m] - step * (res[m] - forcing[m]);
        q[m] = new[m];
        res[m] = 0.0;
    }
    lowest[0] = new[0].min(pressure_3d(new, c.gm1));
}

/// Sum of (R_rho / V)^2, the squared rate of change of density.
#[kernel]
pub fn norm(res: Read<5>, volume: Read<1>, rms: Sum<1>) {
    let rate = res[0] / volume[0];
    rms[0] += rate * rate;
}

/// The same for R - forcing.
#[kernel]
pub fn norm_forced(res: Read<5>, forcing: Read<5>, volume: Read<1>, rms: Sum<1>) {
    let rate = (res[0] - forcing[0]) / volume[0];
    rms[0] += rate * rate;
}

//! The loops of the published scheme.
//!
//! The order of evaluation is part of the definition, which is in `docs/mgcfd.md`. Source of the scheme: Owenson,
//! Wright, Bunt, Ho, Street, Jarvis, "An unstructured CFD mini-application for the performance prediction of a
//! production CFD code", Concurrency and Computation: Practice and Experience 32 (2020), DOI 10.1002/cpe.5443.

use cfd_engine::prelude::*;

use crate::gas::state::pressure_3d;
use crate::mgcfd::config::Flow;
use crate::mgcfd::state::{flux_columns, motion};

/// Factor of all weights: it makes the steps so small that any mesh can run.
const DAMPING: f64 = 1e-7;

/// |v|.
#[device]
pub fn length(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// Both ends' volumes += |d| |w| / 6; w becomes d |w| / |d|^2, damped, with d = x_b - x_a.
#[kernel]
pub fn dual_volume(x_a: Read<3>, x_b: Read<3>, w: Rw<3>, volume_a: Inc<1>, volume_b: Inc<1>) {
    let d = [x_b[0] - x_a[0], x_b[1] - x_a[1], x_b[2] - x_a[2]];
    let distance = length(d);
    let area = length(w);
    let part = (1.0 / 3.0) * 0.5 * distance * area;
    volume_a[0] += part;
    volume_b[0] += part;
    for m in 0..3 {
        w[m] = d[m] / distance * area / distance * DAMPING;
    }
}

/// Damps a boundary weight.
#[kernel]
pub fn damp(w: Rw<3>) {
    for m in 0..3 {
        w[m] *= DAMPING;
    }
}

/// Counts a coarse node's children.
#[kernel]
pub fn count_children(children: Inc<1>) {
    children[0] += 1.0;
}

/// old = q; the smallest time step h / (2 (|u| + c)).
#[kernel]
pub fn begin_visit(q: Read<5>, h: Read<1>, old: Write<5>, dt: Min<1>, c: &Flow) {
    for m in 0..5 {
        old[m] = q[m];
    }
    let motion = motion(q, c);
    dt[0] = 0.5 * h[0] / (motion[5] + motion[4]);
}

/// Flux through an edge: central, with a scalar dissipation of |w| s/2 (|u_a| + |u_b| + c_a + c_b).
#[kernel]
pub fn edge_flux(q_a: Read<5>, q_b: Read<5>, w: Read<3>, flux_a: Inc<5>, flux_b: Inc<5>, c: &Flow) {
    let ma = motion(q_a, c);
    let mb = motion(q_b, c);
    let fa = flux_columns(q_a, ma);
    let fb = flux_columns(q_b, mb);
    let lambda = 0.5 * c.smoothing * length(w) * (ma[5] + mb[5] + ma[4] + mb[4]);
    let h = [0.5 * w[0], 0.5 * w[1], 0.5 * w[2]];
    for m in 0..5 {
        let central =
            h[0] * (fa[m] + fb[m]) + h[1] * (fa[5 + m] + fb[5 + m]) + h[2] * (fa[10 + m] + fb[10 + m]);
        let f = -(lambda * (q_a[m] - q_b[m])) - central;
        flux_a[m] += f;
        flux_b[m] -= f;
    }
}

/// Flux through a boundary face: the pressure on a wall (group 0 to 2), the mean with the free stream's flux elsewhere.
#[kernel]
pub fn boundary_flux(q: Read<5>, w: Read<3>, group: Read<1, i32>, flux: Inc<5>, c: &Flow) {
    let mi = motion(q, c);
    let fi = flux_columns(q, mi);
    let far: [f64; 5] = c.qinf;
    let mo = motion(far, c);
    let fo = flux_columns(far, mo);
    if group[0] <= 2 {
        for m in 0..3 {
            flux[1 + m] += w[m] * mi[3];
        }
    } else {
        let h = [0.5 * w[0], 0.5 * w[1], 0.5 * w[2]];
        for m in 0..5 {
            flux[m] +=
                h[0] * (fo[m] + fi[m]) + h[1] * (fo[5 + m] + fi[5 + m]) + h[2] * (fo[10 + m] + fi[10 + m]);
        }
    }
}

/// Constants of `time_step`.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Stage {
    /// gamma - 1.
    pub gm1: f64,
    /// Time step, the same for all nodes.
    pub dt: f64,
    /// 4, 3, 2.
    pub divisor: f64,
}

/// q = old + dt / volume / divisor flux; flux = 0.
#[kernel]
pub fn time_step(old: Read<5>, volume: Read<1>, flux: Rw<5>, q: Write<5>, c: &Stage) {
    let factor = c.dt / volume[0] / c.divisor;
    for m in 0..5 {
        q[m] = old[m] + factor * flux[m];
        flux[m] = 0.0;
    }
}

/// `time_step`, and residual = q - old, the sum of its squares, and the lowest of density and pressure.
#[kernel]
pub fn last_step(
    old: Read<5>,
    volume: Read<1>,
    flux: Rw<5>,
    q: Write<5>,
    residual: Write<5>,
    rms: Sum<1>,
    lowest: Min<1>,
    c: &Stage,
) {
    let factor = c.dt / volume[0] / c.divisor;
    let mut new = [0.0; 5];
    for m in 0..5 {
        new[m] = old[m] + factor * flux[m];
        flux[m] = 0.0;
        let change = new[m] - old[m];
        q[m] = new[m];
        residual[m] = change;
        rms[0] += change * change;
    }
    lowest[0] = new[0].min(pressure_3d(new, c.gm1));
}

/// Adds up the states of a coarse node's children.
#[kernel]
pub fn restrict_sum(q: Read<5>, sum: Inc<5>) {
    for m in 0..5 {
        sum[m] += q[m];
    }
}

/// q = the mean of the children's states; sum = 0.
#[kernel]
pub fn restrict_mean(sum: Rw<5>, children: Read<1>, q: Write<5>) {
    for m in 0..5 {
        q[m] = sum[m] / children[0];
        sum[m] = 0.0;
    }
}

/// q -= D (coarse residual - residual), D being the distance to the coarse node for density and energy, and its
/// component along the axis for each momentum.
#[kernel]
pub fn prolong_residual(
    x: Read<3>,
    x_coarse: Read<3>,
    residual: Read<5>,
    residual_coarse: Read<5>,
    q: Rw<5>,
    lowest: Min<1>,
    c: &Flow,
) {
    let d = [(x[0] - x_coarse[0]).abs(), (x[1] - x_coarse[1]).abs(), (x[2] - x_coarse[2]).abs()];
    let distance = length(d);
    q[0] -= distance * (residual_coarse[0] - residual[0]);
    for m in 0..3 {
        q[1 + m] -= d[m] * (residual_coarse[1 + m] - residual[1 + m]);
    }
    q[4] -= distance * (residual_coarse[4] - residual[4]);
    lowest[0] = q[0].min(pressure_3d(q, c.gm1));
}

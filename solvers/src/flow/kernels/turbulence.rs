//! What turbulence models share: advection and steps of the quantities that they transport.
//!
//! For each quantity n, R is the sum of what flows out of a cell less V times the source; advection is in the form of the
//! equation, not of a conservation law. Where n is a density's share, R is that of rho n, so that V rho dn/dt + R = 0;
//! otherwise V dn/dt + R = 0. Each loop also adds its part of dR/dn, of the differences along edges alone.

use cfd_engine::prelude::*;

use crate::gas::limiters::van_albada;

/// What the velocity carries through an edge's face: a volume.
#[device(volume_through_2d<2, 4>, volume_through_3d<3, 5>)]
pub fn volume_through<const D: usize, const N: usize>(w_a: [f64; N], w_b: [f64; N], area: [f64; D]) -> f64 {
    let mut through = 0.0;
    for i in 0..D {
        through += 0.5 * (w_a[1 + i] + w_b[1 + i]) * area[i];
    }
    through
}

/// The mass that goes through an edge's face.
#[device(mass_through_2d<2, 4>, mass_through_3d<3, 5>)]
pub fn mass_through<const D: usize, const N: usize>(w_a: [f64; N], w_b: [f64; N], area: [f64; D]) -> f64 {
    let mut through = 0.0;
    for i in 0..D {
        through += 0.5 * (w_a[0] * w_a[1 + i] + w_b[0] * w_b[1 + i]) * area[i];
    }
    through
}

/// What makes advection through an edge's face one of second order: the value upwind changes half way along the edge, according
/// to its gradient, limited where that changes, but hardly where n differs by less than `small`. The blocks stay those of
/// first order.
#[kernel(
    carry_further_2d<2, 4, volume_through_2d>,
    carry_further_3d<3, 5, volume_through_3d>,
    convey_further_2d<2, 4, mass_through_2d>,
    convey_further_3d<3, 5, mass_through_3d>
)]
pub fn carry_further<const D: usize, const N: usize, through_face: Device>(
    x_a: Read<D>,
    x_b: Read<D>,
    w_a: Read<N>,
    w_b: Read<N>,
    n_a: Read<1>,
    n_b: Read<1>,
    small_a: Read<1>,
    small_b: Read<1>,
    gradient_a: Read<D>,
    gradient_b: Read<D>,
    area: Read<D>,
    res_a: Inc<1>,
    res_b: Inc<1>,
) {
    let through: f64 = through_face(w_a, w_b, area);
    let mut slope_a = 0.0;
    let mut slope_b = 0.0;
    for i in 0..D {
        let d = x_b[i] - x_a[i];
        slope_a += gradient_a[i] * d;
        slope_b += gradient_b[i] * d;
    }
    let difference = n_b[0] - n_a[0];
    let threshold = small_a[0] * small_b[0];
    let from_a = van_albada(slope_a, slope_a, difference, threshold);
    let from_b = van_albada(slope_b, slope_b, difference, threshold);
    let more = through.max(0.0) * from_a + (-through).max(0.0) * from_b;
    res_a[0] += more;
    res_b[0] -= more;
}

/// What flows in.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Inflow {
    /// n of the free stream.
    pub far: f64,
}

/// What flows in through a boundary face has the free stream's value.
#[kernel(
    scalar,
    enter_2d<2, 4, volume_through_2d>,
    enter_3d<3, 5, volume_through_3d>,
    enter_with_mass_2d<2, 4, mass_through_2d>,
    enter_with_mass_3d<3, 5, mass_through_3d>
)]
pub fn enter<const D: usize, const N: usize, through_face: Device>(
    w: Read<N>,
    n: Read<1>,
    area: Read<D>,
    slope: Inc<1>,
    res: Inc<1>,
    c: &Inflow,
) {
    let through: f64 = through_face(w, w, area);
    let into = (-through).max(0.0);
    res[0] += into * (n[0] - c.far);
    slope[0] += into;
}

/// The mass in the speeds through a cell's faces.
#[kernel(scalar, mass_pace_2d<4>, mass_pace_3d<5>)]
pub fn mass_pace<const N: usize>(w: Read<N>, pace: Read<1>, mass: Write<1>) {
    mass[0] = w[0] * pace[0];
}

/// Constants of a step of n.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Growth {
    /// 1 / cfl.
    pub local: f64,
}

/// A step's diagonal, dR/dn + pace / cfl, and its right-hand side, -R.
#[kernel(scalar)]
pub fn turbulent_step(
    res: Read<1>,
    slope: Read<1>,
    pace: Read<1>,
    distance: Read<1>,
    diagonal: Write<1>,
    right: Write<1>,
    c: &Growth,
) {
    diagonal[0] = if distance[0] > 0.0 { slope[0] + c.local * pace[0] } else { 1.0 };
    right[0] = -res[0];
}

/// How far a step may go.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Bounds {
    /// No n is less.
    pub least: f64,
    /// A quantity that is positive is multiplied or divided by this in a step at most; 0: any step.
    pub factor: f64,
}

/// n += dn, within bounds.
#[kernel(scalar)]
pub fn turbulent_update(change: Read<1>, n: Rw<1>, old: Write<1>, c: &Bounds) {
    old[0] = n[0];
    let is_free = c.factor == 0.0;
    let least = if is_free { c.least } else { n[0] / c.factor };
    let most = if is_free { f64::MAX } else { n[0] * c.factor };
    n[0] = (n[0] + change[0]).max(least).min(most).max(c.least);
}

/// mu_t / mu.
#[kernel(scalar, eddy_ratio_2d<4>, eddy_ratio_3d<5>)]
pub fn eddy_ratio<const N: usize>(w: Read<N>, eddies: Read<1>, nu: Read<1>, ratio: Write<1>) {
    ratio[0] = eddies[0] / (w[0] * nu[0]);
}

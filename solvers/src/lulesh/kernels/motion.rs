//! From forces to the nodes' new positions.

use cfd_engine::prelude::*;

/// Components of velocities below this are zero.
const U_CUT: f64 = 1e-7;

/// The step's constants for the loops.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Interval {
    /// Its length.
    pub dt: f64,
}

/// Loop 7: a = f / m.
#[kernel]
pub fn acceleration(force: Read<3>, mass: Read<1>, a: Write<3>) {
    for m in 0..3 {
        a[m] = force[m] / mass[0];
    }
}

/// Loop 8: no acceleration across a plane of symmetry.
#[kernel]
pub fn symmetry(held: Read<3, i32>, a: Rw<3>) {
    for m in 0..3 {
        if held[m] != 0 {
            a[m] = 0.0;
        }
    }
}

/// Loop 9: u = u + a dt, 0 where that is small.
#[kernel]
pub fn velocity(a: Read<3>, u: Rw<3>, c: &Interval) {
    for m in 0..3 {
        let new = u[m] + a[m] * c.dt;
        u[m] = if new.abs() < U_CUT { 0.0 } else { new };
    }
}

/// Loop 10: x = x + u dt.
#[kernel]
pub fn position(u: Read<3>, x: Rw<3>, c: &Interval) {
    for m in 0..3 {
        x[m] += u[m] * c.dt;
    }
}

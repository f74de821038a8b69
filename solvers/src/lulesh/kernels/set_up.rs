//! Volumes, masses, the state before the blast.

use cfd_engine::prelude::*;

use super::geometry::volume;

/// The initial volume, which with a density of 1 is the element's mass, too; an eighth of it belongs to each node.
#[kernel]
pub fn initial_volume(x: [Read<3>; 8], volo: Write<1>, nodal_mass: [Inc<1>; 8]) {
    let own: f64 = volume(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    volo[0] = own;
    for a in 0..8 {
        nodal_mass[a][0] += own / 8.0;
    }
}

/// A gas at rest without energy, except in elements that are given some.
#[kernel]
pub fn initial_state(v: Write<1>, e: Write<1>, p: Write<1>, q: Write<1>, ss: Write<1>) {
    v[0] = 1.0;
    e[0] = 0.0;
    p[0] = 0.0;
    q[0] = 0.0;
    ss[0] = 0.0;
}

/// Nodes at rest.
#[kernel]
pub fn at_rest(u: Write<3>) {
    for m in 0..3 {
        u[m] = 0.0;
    }
}

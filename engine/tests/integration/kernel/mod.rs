//! `#[kernel]` by its effects: the bits, the selects, the counts, for one lane and for several.

#![deny(warnings)]

mod airfoil;
mod language;
mod names;
mod selects;
mod tangent;

use cfd_engine::kernel::{Kernel, Params};
use cfd_engine::lane::{Lanes, Real};

/// The local variables of a kernel in some lanes.
type Locals<K, R> = <<K as Kernel>::Params as Params>::Locals<R>;

/// Calls a kernel for one element and returns its local variables afterwards.
fn call<K: Kernel>(_: fn() -> K, mut locals: Locals<K, f64>, constants: &K::Constants) -> Locals<K, f64> {
    K::call::<f64>(&mut locals, constants);
    locals
}

/// Calls a kernel for some lanes at once.
fn call_lanes<K: Kernel, R: Real>(
    _: fn() -> K,
    mut locals: Locals<K, R>,
    constants: &K::Constants,
) -> Locals<K, R> {
    K::call::<R>(&mut locals, constants);
    locals
}

/// Rows of components, one per lane, as components of lanes.
fn into_lanes<const W: usize, const D: usize, T: Copy>(rows: [[T; D]; W]) -> [Lanes<W, T>; D] {
    std::array::from_fn(|component| Lanes(std::array::from_fn(|lane| rows[lane][component])))
}

/// The components of one lane.
fn lane<const W: usize, const D: usize, T: Copy>(lanes: [Lanes<W, T>; D], lane: usize) -> [T; D] {
    lanes.map(|component| component.0[lane])
}

/// Bits, for comparisons that tell -0 from 0.
fn bits<const D: usize>(values: [f64; D]) -> [u64; D] {
    values.map(f64::to_bits)
}

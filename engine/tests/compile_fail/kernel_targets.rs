//! Parameters at all targets of a map: read or added to, a target and a component of it at a time.
use cfd_engine::prelude::*;

#[kernel]
fn changed(x: [Rw<2>; 3], y: [Write<1>; 2]) {}

#[kernel]
fn global(total: [Sum<1>; 2]) {}

#[kernel]
fn no_targets(x: [Read<2>; 0]) {}

#[kernel]
fn targets_by_name(x: [Read<2>; TARGETS]) {}

#[kernel]
fn all_at_once(x: [Read<2>; 3], res: [Inc<2>; 3]) {
    let all = x;
    let number: f64 = x[0];
    res[0] += x[1];
    res[1] = x[1];
    res = x;
}

#[kernel]
fn out_of_range(x: [Read<2>; 3], res: [Inc<2>; 3]) {
    for i in 0..4 {
        res[0][0] += x[i][0];
    }
    for m in 0..3 {
        res[m][m] += x[0][0];
    }
    let row = x[3];
}

#[kernel]
fn not_readable(x: [Read<2>; 3], res: [Inc<2>; 3]) {
    let a = res[0][1];
    res[0][0] *= 2.0;
    x[0][0] += a;
}

fn main() {}

//! Loops: constant bounds, a plain variable, few enough iterations to unroll.
use cfd_engine::prelude::*;

const N: usize = 4;

#[kernel]
fn bound_from_a_parameter(n: Read<1, i32>, res: Inc<1>) {
    for _ in 0..n[0] {
        res[0] += 1.0;
    }
}

#[kernel]
fn bound_by_name(res: Inc<1>) {
    for _ in 0..N {
        res[0] += 1.0;
    }
}

#[kernel]
fn over_an_array(q: Read<4>, res: Inc<1>) {
    for x in q {
        res[0] += x;
    }
}

#[kernel]
fn open_range(res: Inc<1>) {
    for _ in 0.. {
        res[0] += 1.0;
    }
}

#[kernel]
fn too_long(res: Inc<1>) {
    for _ in 0..1_000_000 {
        res[0] += 1.0;
    }
}

#[kernel]
fn too_long_together(res: Inc<1>) {
    for _ in 0..100 {
        for _ in 0..100 {
            res[0] += 1.0;
        }
    }
}

#[kernel]
fn labelled(res: Inc<1>) {
    'outer: for _ in 0..2 {
        res[0] += 1.0;
    }
}

#[kernel]
fn left_early(q: Read<1>, res: Inc<1>) {
    for i in 0..4 {
        if q[0] > 1.0 {
            break;
        }
        if q[0] > 0.0 {
            continue;
        }
        res[0] += 1.0;
    }
}

#[kernel]
fn assigned_loop_variable(res: Inc<4>) {
    for i in 0..4 {
        i = 2;
        res[i] += 1.0;
    }
}

fn main() {}

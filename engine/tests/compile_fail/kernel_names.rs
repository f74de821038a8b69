//! Dimensions and device functions by name, several names in one `let`, functions that are no device functions.
use cfd_engine::prelude::*;

const SIZE: usize = 4;

#[kernel(SIZE = 3)]
fn another_value(q: Rw<SIZE>) {
    q[0] = 1.0;
}

#[kernel]
fn no_instances<const N: usize>(q: Read<N>) {}

#[kernel(a<3>, b<3, 4>, c<plain>)]
fn wrong_values<const N: usize>(q: Read<N>) {}

#[kernel(d<3>)]
fn no_function<f: Device>(q: Read<1>) {}

#[kernel(e<3>)]
fn other_parameters<T, 'a, const B: bool>(q: Read<1>) {}

#[kernel(f)]
fn no_values(q: Read<1>) {}

#[kernel(g<3>)]
fn no_parameters(q: Read<1>) {}

fn plain(x: f64) -> f64 {
    x
}

#[kernel]
fn calls_a_plain_function(q: Rw<1>) {
    q[0] = plain(q[0]);
}

#[kernel]
fn several(q: Read<3>, out: Write<1>) {
    let (a, b) = q;
    let (c, d) = (1.0, 2.0, 3.0);
    let [e, f] = q;
    let (g, (h, i)) = (1.0, 2.0);
    let (j, k): f64 = (1.0, 2.0);
    let (l, m);
    out[0] = a + b + c + d + e + f + g + h + i + j + k + l + m;
}

fn main() {}

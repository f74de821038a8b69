//! Signatures: access modes with literal dimensions, the constants last.
use cfd_engine::prelude::*;

const D: usize = 4;

#[kernel]
fn not_an_access_mode(q: f64, r: [f64; 4], s: Dat<4>) {}

#[kernel]
fn no_dimension(q: Read, r: Read<>) {}

#[kernel]
fn dimension_by_name(q: Read<D>, r: Inc<{ 2 + D }>) {}

#[kernel]
fn no_components(q: Read<0>) {}

#[kernel]
fn wrong_component(q: Read<1, f32>, r: Sum<1, i32>) {}

#[kernel]
fn constants_first(c: &Setup, q: Read<1>) {}

#[kernel]
fn mutable_constants(q: Read<1>, c: &mut Setup) {}

#[kernel]
fn no_operands(c: &Setup) {}

#[kernel]
fn returns(q: Read<1>) -> f64 {
    q[0]
}

#[kernel]
unsafe fn qualified(q: Read<1>) {}

#[kernel]
fn generic<T>(q: Read<1>) {}

#[kernel]
fn patterns(mut q: Read<1>, (a, b): Read<2>) {}

#[kernel]
#[inline]
fn attributes(q: Read<1>) {}

#[kernel(fast)]
fn arguments(q: Read<1>) {}

#[device]
fn no_result(x: f64) {}

#[device]
fn other_types(x: f32, q: &[f64; 4], n: [f64; D], v: Vec<f64>) -> f64 {
    x
}

#[device]
fn result_type(x: f64) -> (f64, f64) {
    x
}

/// Not a struct with named fields.
#[derive(Clone, Copy, Constants)]
struct Tuple(f64);

#[derive(Clone, Copy, Constants)]
enum Choice {
    A,
}

#[derive(Clone, Copy, Constants)]
struct Generic<T> {
    a: T,
}

#[derive(Clone, Copy, Constants)]
struct Setup {
    scale: f64,
    single: f32,
    name: &'static str,
    counts: [i32; 2],
    matrix: [[f64; 2]; 2],
    steps: i32,
    far: [f64; 4],
}

fn main() {}

//! Types: numbers, integers and truth values do not mix.
use cfd_engine::prelude::*;

#[kernel]
fn integers_and_numbers(q: Read<2>, n: Read<1, i32>, res: Inc<1>) {
    res[0] += q[0] * n[0];
    res[0] += n[0];
    res[0] += 2 * q[0];
    res[0] += 1;
    let x: f64 = 1;
    let y: i32 = 1.0;
    let half = n[0] / 2;
    let opposite = -n[0];
    let root = n[0].abs();
}

#[kernel]
fn truth_values(q: Read<2>, n: Read<1, i32>, res: Inc<1>) {
    if q[0] {
        res[0] += 1.0;
    }
    let a = q[0] > 0.0;
    res[0] += a;
    let b = a == true;
    let c = q[0] && a;
    let d = !n[0];
    let e = a + a;
    let f: bool = q[0] + 1.0;
    let g = -a;
}

#[kernel]
fn arrays(q: Read<2>, r: Read<3>, res: Inc<2>) {
    let a = q + q;
    let b: [f64; 2] = r;
    res += q;
    let c = [1.0, 2, true];
    let d: f64 = q;
    if q == q {}
}

#[kernel]
fn branches(q: Read<2>, n: Read<1, i32>, out: Write<1>) {
    out[0] = if q[0] > 0.0 { q[0] } else { n[0] };
}

#[kernel]
fn literals(out: Write<4>) {
    out[0] = 1.0f32;
    out[1] = 1e400;
    out[2] = "1.0";
    let a = 3_000_000_000;
    let b = 1u64;
    let c = 'c';
}

#[device]
fn wrong_result(q: [f64; 2]) -> f64 {
    q
}

#[device]
fn no_tail(q: [f64; 2]) -> f64 {
    let x = q[0];
}

fn main() {}

//! Syntax outside the subset.
use cfd_engine::prelude::*;

fn plain(x: f64) -> f64 {
    x
}

#[kernel]
fn control_flow(q: Read<1>, res: Inc<1>) {
    while q[0] > 0.0 {}
    loop {}
    match q[0] {
        _ => {}
    }
    if let x = q[0] {}
    return;
}

#[kernel]
fn closures_macros_items(q: Read<1>, res: Inc<1>) {
    let f = |x: f64| x;
    println!("{}", q[0]);
    let g = vec![0.0];
    fn inner() {}
    unsafe {}
}

#[kernel]
fn references_and_casts(q: Read<1>, n: Read<1, i32>, res: Inc<1>) {
    res[0] += &q[0];
    res[0] += *q[0];
    res[0] += n[0] as f64;
    res[0] += q[0] % 2.0;
    res[0] += n[0] & 1;
}

#[kernel]
fn other_methods(q: Read<1>, res: Inc<1>) {
    res[0] += q[0].powi(n[0]);
    res[0] += q[0].mul_add(q[0], q[0]);
    res[0] += q[0].gamma();
    res[0] += q[0].min(1.0, 2.0);
    res[0] += q.x;
}

#[kernel]
fn declarations(q: Read<2>, res: Inc<1>) {
    let x;
    let (a, b) = (q[0], q[1]);
    let c: f32 = 1.0;
    let d: Vec<f64> = 1.0;
    let [e, f] = q;
    // What hangs on a refused declaration is not reported again.
    res[0] += x + a + b + c + d + e + f;
}

#[kernel]
fn values(q: Read<1>, res: Inc<1>) {
    q[0] + 1.0;
    q[0].sqrt();
    res[0] += if q[0] > 0.0 { 1.0 };
    res[0] += if q[0] > 0.0 {
        1.0;
    } else {
        2.0
    };
    res[0] += (q[0], 1.0);
    res[0] += [1.0, 2.0][0];
    1.0 = q[0];
}

#[kernel]
fn unknown_names(q: Read<1>, res: Inc<1>, c: &Setup) {
    let inside = 1.0;
    res[0] += q[0] * missing;
    res[0] += other.scale;
    res[0] += c;
    res[0] += c * inside;
    missing = 1.0;
}

#[kernel]
fn calls(q: Read<1>, res: Inc<1>) {
    res[0] += plain::<f64>(q[0]);
    res[0] += q(1.0);
    res[0] += (plain)(q[0])(q[0]);
}

#[derive(Clone, Copy, Constants)]
struct Setup {
    scale: f64,
}

fn main() {}

//! Access modes: what may be read, set and added to.
use cfd_engine::prelude::*;

#[kernel]
fn reads_inc(res: Inc<2>, out: Write<1>) {
    out[0] = res[1];
}

#[kernel]
fn reads_inc_in_its_own_increment(res: Inc<1>) {
    res[0] += 0.5 * res[0];
}

#[kernel]
fn reads_sum(total: Sum<1>, out: Write<1>) {
    out[0] = 2.0 * total[0];
}

#[kernel]
fn reads_extrema(lowest: Min<1>, highest: Max<1>, out: Write<1>) {
    lowest[0] = 1.0;
    out[0] = lowest[0] + highest[0];
}

#[device]
fn first(a: [f64; 2]) -> f64 {
    a[0]
}

#[kernel]
fn hands_inc_to_a_device(res: Inc<2>, out: Write<1>) {
    out[0] = first(res);
}

#[kernel]
fn sets_inc(res: Inc<1>) {
    res[0] = 1.0;
}

#[kernel]
fn sets_all_of_inc(res: Inc<2>) {
    res = [0.0; 2];
}

#[kernel]
fn scales_sum(total: Sum<1>) {
    total[0] *= 2.0;
}

#[kernel]
fn adds_to_write(out: Write<1>) {
    out[0] = 1.0;
    out[0] += 1.0;
}

#[kernel]
fn adds_to_extrema(lowest: Min<1>, highest: Max<1>) {
    lowest[0] += 1.0;
    highest[0] -= 1.0;
}

#[kernel]
fn assigns_read(q: Read<1>) {
    q[0] = 1.0;
}

#[kernel]
fn adds_to_read(q: Read<1>) {
    q[0] += 1.0;
}

#[kernel]
fn assigns_in_a_value(q: Read<1>, out: Rw<1>) {
    out[0] = if q[0] > 0.0 {
        out[0] = 2.0;
        1.0
    } else {
        0.0
    };
}

#[kernel]
fn assigns_immutable(q: Read<1>, out: Write<1>) {
    let x = q[0];
    x += 1.0;
    out[0] = x;
}

#[device]
fn assigns_argument(x: f64) -> f64 {
    x = 2.0;
    x
}

#[kernel]
fn assigns_constants(q: Rw<1>, c: &Setup) {
    c.scale = q[0];
}

#[kernel]
fn reports_every_error(res: Inc<1>, q: Read<1>, out: Write<2>) {
    res[0] = 1.0;
    q[0] = 2.0;
    out[2] = 0.0;
}

#[derive(Clone, Copy, Constants)]
struct Setup {
    scale: f64,
}

fn main() {}

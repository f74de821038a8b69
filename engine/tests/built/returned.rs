//! Components beyond what a device function returns.
use cfd_engine::prelude::*;

#[device]
fn ends(q: [f64; 3]) -> [f64; 2] {
    [q[0], q[2]]
}

#[kernel]
fn beyond_what_is_returned(q: Read<3>, res: Inc<1>) {
    let row = ends(q);
    res[0] += row[2];
}

fn main() {}

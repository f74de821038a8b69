//! Loops of every kind in which an order could show; each source leads to two points and three zones.

use cfd_engine::prelude::*;

/// Reads points, writes and sums for its own source, increments zones; extrema that are all zero, of both signs.
#[kernel]
pub fn collect(
    w: Read<1>,
    p1: Read<2>,
    p2: Read<2>,
    seen: Write<1>,
    z1: Inc<1>,
    z2: Inc<1>,
    z3: Inc<1>,
    total: Sum<2>,
    low: Min<1>,
    high: Max<1>,
) {
    let f = w[0] * (p1[0] - p2[1]);
    seen[0] = f;
    z1[0] += f;
    z1[0] += 0.3 * w[0];
    z2[0] -= 0.7 * f;
    z3[0] += w[0];
    total[0] += f;
    total[0] += w[0];
    total[1] -= w[0];
    low[0] = 0.0 * w[0];
    high[0] = 0.0 * w[0];
}

/// Two increments to one dat, negatives of each other, and integers.
#[kernel]
pub fn deal(w: Read<1>, z: Read<1>, p1: Inc<2>, p2: Inc<2>, n1: Inc<1, i32>, n2: Inc<1, i32>) {
    let f = 0.1 * w[0] + z[0];
    p1[0] += f;
    p1[1] -= w[0];
    p2[0] -= f;
    p2[1] += w[0];
    n1[0] += 1;
    n2[0] += 3;
}

/// Increments into two sets and to the source itself.
#[kernel]
pub fn split(w: Read<1>, p1: Inc<2>, p2: Inc<2>, z3: Inc<1>, tally: Inc<1>, total: Sum<2>) {
    p1[0] += w[0];
    p2[1] += 0.2 * w[0];
    z3[0] -= 0.9 * w[0];
    tally[0] += 1.0;
    total[1] += 0.9 * w[0];
}

/// Changes the source itself, and passes on its previous value.
#[kernel]
pub fn grow(w: Read<1>, age: Rw<1>, z1: Inc<1>, total: Sum<2>) {
    z1[0] += age[0];
    total[0] += age[0];
    age[0] = 0.5 * age[0] + w[0];
}

/// Reads and changes two zones: everything depends on the order of the sources.
#[kernel]
pub fn relax(w: Read<1>, a: Rw<1>, b: Rw<1>, total: Sum<2>, low: Min<1>) {
    let d = 0.3 * (b[0] - a[0]) + 0.001 * w[0];
    a[0] += d;
    b[0] -= d;
    total[0] += d;
    low[0] = if w[0] < 0.0 { -1.0 } else { 1.0 };
}

/// Reads and changes a point, increments the other set, and changes the source.
#[kernel]
pub fn settle(w: Read<1>, p2: Rw<2>, z2: Inc<1>, age: Rw<1>) {
    p2[0] = 0.5 * (p2[0] + w[0]);
    p2[1] = 0.25 * p2[1] - p2[0];
    z2[0] += 0.4 * w[0];
    age[0] = 0.5 * age[0] + p2[0];
}

/// Lowers points and raises zones towards values of both signs, many of them zeros; some are left alone.
#[kernel]
pub fn bound(w: Read<1>, age: Read<1>, p: [Min<2>; 2], z1: Max<1>, z3: Max<1>) {
    p[0][0] = w[0];
    p[0][1] = 0.0 * w[0];
    p[1][1] = age[0];
    if w[0] > 0.0 {
        p[1][0] = 0.0 * age[0];
    }
    z1[0] = 0.0 * w[0];
    z3[0] = 0.5 * age[0];
}

/// Writes one value to zones.
#[kernel]
pub fn pin(z2: Write<1>) {
    z2[0] = 0.125;
}

/// Keeps the points' values.
#[kernel]
pub fn save(p: Read<2>, kept: Write<2>) {
    kept[0] = p[0];
    kept[1] = p[1];
}

/// Gives the points back the kept values.
#[kernel]
pub fn restore(kept: Read<2>, p: Write<2>) {
    p[0] = kept[0];
    p[1] = kept[1];
}

/// Remakes the points from the kept values.
#[kernel]
pub fn renew(kept: Read<2>, p: Write<2>, total: Sum<2>) {
    p[0] = 0.75 * kept[1];
    p[1] = kept[0] + 0.5 * kept[1];
    total[0] += p[1];
}

/// Remakes the points from the kept values, and changes those.
#[kernel]
pub fn trade(kept: Rw<2>, p: Write<2>) {
    p[0] = kept[0] - 0.25 * kept[1];
    p[1] = 0.5 * kept[0];
    kept[0] = 0.5 * kept[0] + kept[1];
}

/// Keeps the values seen by the sources.
#[kernel]
pub fn note(seen: Read<1>, tally: Write<1>) {
    tally[0] = seen[0];
}

/// Uses the kept values of the points.
#[kernel]
pub fn recall(w: Read<1>, kept: Read<2>, z1: Inc<1>) {
    z1[0] += w[0] * kept[0] - kept[1];
}

/// On the points themselves.
#[kernel]
pub fn damp(p: Rw<2>, total: Sum<2>, high: Max<1>) {
    for m in 0..2 {
        p[m] = 0.5 * p[m];
        total[m] += p[m];
    }
    high[0] = p[0];
}

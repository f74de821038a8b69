//! Loops of every kind on nodes and edges, and on corners, which most chains only read.

use cfd_engine::prelude::*;

/// A copy.
#[kernel]
pub fn keep(a: Read<2>, b: Write<2>) {
    for m in 0..2 {
        b[m] = a[m];
    }
}

/// Reads both ends, adds to both, and to a sum.
#[kernel]
pub fn flux(w: Read<1>, a1: Read<2>, a2: Read<2>, c1: Inc<1>, c2: Inc<1>, total: Sum<1>) {
    let f = 0.1 * w[0] * (a1[0] - a2[1]);
    c1[0] += f;
    c2[0] -= 0.9 * f;
    total[0] += f;
}

/// Adds to a transient that its reader clears.
#[kernel]
pub fn collect(w: Read<1>, a1: Read<2>, t1: Read<1>, t2: Read<1>, s1: Inc<2>, s2: Inc<2>) {
    let f = w[0] + 0.1 * a1[0] * (t1[0] + t2[0]);
    s1[0] += f;
    s1[1] -= 0.3 * f;
    s2[0] -= f;
    s2[1] += w[0];
}

/// Lowers both ends, and raises one of them.
#[kernel]
pub fn limit(w: Read<1>, f: Read<2>, c: [Min<1>; 2], a1: Max<2>) {
    c[0][0] = w[0];
    c[1][0] = 0.5 * w[0] - f[0];
    if w[0] > 0.0 {
        a1[0] = 0.1 * w[0];
    }
    a1[1] = 0.0 * f[1];
}

/// Overwrites a transient.
#[kernel]
pub fn weigh(a: Read<2>, c: Read<1>, t: Write<1>, low: Min<1>) {
    t[0] = 0.25 * a[0] - 0.5 * c[0];
    low[0] = a[1];
}

/// Uses and clears what was collected.
#[kernel]
pub fn settle(b: Read<2>, a: Write<2>, s: Rw<2>, total: Sum<1>) {
    for m in 0..2 {
        let d = 0.1 * s[m];
        a[m] = 0.9 * b[m] - d;
        total[0] += d;
        s[m] = 0.0;
    }
}

/// Reads neighbours through a map of a set to itself.
#[kernel]
pub fn smooth(a1: Read<2>, a2: Read<2>, a3: Read<2>, c: Write<1>, high: Max<1>) {
    c[0] = 0.3 * (a1[0] + a2[1]) - 0.2 * a3[0];
    high[0] = a1[0];
}

/// Writes its own, counts at an end.
#[kernel]
pub fn tell(c1: Read<1>, f: Write<2>, k2: Inc<1, i32>) {
    f[0] = 0.5 * c1[0];
    f[1] = c1[0] - 1.0;
    k2[0] += 3;
}

/// Nodes read an edge.
#[kernel]
pub fn hear(f: Read<2>, a: Rw<2>) {
    for m in 0..2 {
        a[m] = 0.5 * (a[m] + f[m]);
    }
}

/// Overwrites a transient of the edges.
#[kernel]
pub fn draw(w: Read<1>, c1: Read<1>, c2: Read<1>, g: Write<1>) {
    g[0] = 0.4 * (c1[0] - c2[0]) + w[0];
}

/// Reads and changes its own, beside increments.
#[kernel]
pub fn pass(g: Read<1>, f: Rw<2>, c1: Inc<1>, low: Min<1>) {
    c1[0] += 0.1 * f[0];
    f[0] = 0.5 * f[1] - g[0];
    low[0] = f[0];
}

/// Writes one value to an end.
#[kernel]
pub fn pin(c1: Write<1>) {
    c1[0] = 0.125;
}

/// Adds to its own.
#[kernel]
pub fn bump(a: Read<2>, c: Inc<1>, k: Rw<1, i32>) {
    c[0] += 0.3 * a[1];
    k[0] = k[0] + 1;
}

/// Adds to neighbours through a map of a set to itself.
#[kernel]
pub fn push(c: Read<1>, a1: Inc<2>, a2: Inc<2>) {
    a1[0] += 0.1 * c[0];
    a2[1] -= 0.2 * c[0];
}

/// Reads a long row of its own, beside increments through a map.
#[kernel]
pub fn press(h: Read<9>, c1: Inc<1>, high: Max<1>) {
    let mut f = 0.0;
    for m in 0..9 {
        f += 0.01 * h[m];
    }
    c1[0] += f;
    high[0] = f;
}

/// Writes a long row of its own, beside increments through a map.
#[kernel]
pub fn stretch(w: Read<1>, c1: Read<1>, h: Write<9>, k2: Inc<1, i32>) {
    for m in 0..9 {
        h[m] = w[0] - 0.1 * c1[0];
    }
    k2[0] += 1;
}

/// Reads and changes a long row.
#[kernel]
pub fn twist(a: Read<2>, v: Rw<9>, low: Min<1>) {
    for m in 0..9 {
        v[m] = 0.5 * v[(m + 1) % 9] + a[0];
    }
    low[0] = v[3];
}

/// Reads a long row, after which its own set is no longer alone.
#[kernel]
pub fn wear(v: Read<9>, c: Inc<1>, t: Write<1>) {
    c[0] += 0.01 * v[8];
    t[0] = 0.5 * v[2];
}

/// Changes the corners.
#[kernel]
pub fn drift(p: Rw<2>) {
    p[0] = 0.5 * p[0] - 0.1 * p[1];
    p[1] = p[1] + 0.25;
}

/// Edges read corners, and add to a node.
#[kernel]
pub fn bend(p1: Read<2>, p2: Read<2>, c1: Inc<1>) {
    c1[0] += 0.1 * (p1[0] - p2[1]);
}

/// Nodes read a corner.
#[kernel]
pub fn lean(p: Read<2>, a: Rw<2>) {
    for m in 0..2 {
        a[m] = 0.7 * a[m] + 0.1 * p[m];
    }
}

/// Edges read what is collected at a node, or was cleared there.
#[kernel]
pub fn peek(s1: Read<2>, f: Rw<2>) {
    for m in 0..2 {
        f[m] = 0.5 * f[m] + s1[m];
    }
}

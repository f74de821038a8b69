//! Calls of par_loop that contradict the kernel's signature.

use cfd_engine::prelude::*;

#[kernel]
fn flux(q: Read<4>, bound: Read<1, i32>, res: Inc<4>, total: Sum<1>) {
    let f = if bound[0] == 1 { q[0] } else { q[1] };
    res[0] += f;
    total[0] += f;
}

#[derive(Clone, Copy, Constants)]
struct Gas {
    gamma: f64,
}

fn calls(domain: &mut Domain, edges: Set, edge_cells: Map<2>) {
    let q: Dat<4> = domain.new_dat(edges, "q");
    let x: Dat<2> = domain.new_dat(edges, "x");
    let bound: Dat<1, i32> = domain.new_dat(edges, "bound");
    let total = domain.new_sum::<1>("total");
    let lowest = domain.new_min::<1>("lowest");
    let first = edge_cells.target::<0>();

    // Another dimension.
    domain.par_loop(flux, edges, (x.at(first), bound, q.at(first), total), &());
    // Another element type.
    domain.par_loop(flux, edges, (q.at(first), q, q.at(first), total), &());
    // A minimum for a sum.
    domain.par_loop(flux, edges, (q.at(first), bound, q.at(first), lowest), &());
    // A dat for a sum.
    domain.par_loop(flux, edges, (q.at(first), bound, q.at(first), x), &());
    // One operand too few.
    domain.par_loop(flux, edges, (q.at(first), bound, q.at(first)), &());
    // Constants the kernel does not have.
    domain.par_loop(flux, edges, (q.at(first), bound, q.at(first), total), &Gas { gamma: 1.4 });
    // A map of another arity.
    let corners: Map<3> = edge_cells;
}

fn main() {}

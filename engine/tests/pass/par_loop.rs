//! The calls that the compile-fail cases vary.

use cfd_engine::prelude::*;

#[kernel]
fn flux(q: Read<4>, bound: Read<1, i32>, res: Inc<4>, total: Sum<1>) {
    let f = if bound[0] == 1 { q[0] } else { q[1] };
    res[0] += f;
    total[0] += f;
}

fn call(domain: &mut Domain, edges: Set, edge_cells: Map<2>, q: Dat<4>, res: Dat<4>) {
    let bound: Dat<1, i32> = domain.new_dat(edges, "bound");
    let total = domain.new_sum::<1>("total");
    let (first, second) = (edge_cells.target::<0>(), edge_cells.target::<1>());
    domain.par_loop(flux, edges, (q.at(first), bound, res.at(second), total), &());
}

fn main() {
    let function: fn(&mut Domain, Set, Map<2>, Dat<4>, Dat<4>) = call;
    println!("{function:?}");
}

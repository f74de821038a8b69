//! A target that the map does not have.

use cfd_engine::prelude::*;

fn third_cell_of_an_edge(edge_cells: Map<2>, q: Dat<4>) -> usize {
    let _ = q.at(edge_cells.target::<2>());
    0
}

fn main() {
    let function: fn(Map<2>, Dat<4>) -> usize = third_cell_of_an_edge;
    println!("{function:?}");
}

//! First-fit coloring, one vertex after the other.

use super::palette::{UNCOLORED, first_free};
use super::{Coloring, Graph};

/// Greedy coloring in the order of vertex numbers, on one thread: each vertex gets the smallest color that no neighbour
/// has (Algorithm 8). A vertex with d neighbours has at most color d.
pub fn first_fit(graph: &Graph) -> Coloring {
    first_fit_in_order(graph, 0..graph.vertices())
}

/// Greedy coloring in any order that names each vertex once.
pub fn first_fit_in_order(graph: &Graph, order: impl IntoIterator<Item = u32>) -> Coloring {
    let mut colors = vec![UNCOLORED; graph.vertices() as usize];
    for vertex in order {
        let around = || graph.neighbours(vertex).iter().map(|&neighbour| colors[neighbour as usize]);
        colors[vertex as usize] = first_free(around);
    }
    Coloring { colors, rounds: 1, barriers: 0, conflicts: 0 }
}

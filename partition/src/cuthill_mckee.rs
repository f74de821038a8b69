//! The reverse Cuthill-McKee order of a graph.
//!
//! E. Cuthill and J. McKee, "Reducing the bandwidth of sparse symmetric matrices", ACM '69, DOI 10.1145/800195.805928;
//! reversed after A. George (1971). Vertices are numbered level by level from one at the rim, which A. George and
//! J. W. H. Liu's method finds (ACM TOMS 5, 1979, DOI 10.1145/355841.355845). Ties are broken by degree, then by
//! number, so the order depends on the graph alone.

use crate::partitioner::graph::{Graph, Index};

/// The position of each vertex in the order.
pub(crate) fn positions<N: Index>(graph: &Graph<N>) -> Vec<u64> {
    let count = graph.starts.len() - 1;
    let mut search = Search { graph, level: vec![UNSEEN; count], order: Vec::with_capacity(count) };
    // Components in the order of their first vertices.
    for first in 0..count {
        if search.level[first] == UNSEEN {
            search.number(first);
        }
    }
    let mut positions = vec![0; count];
    for (position, &vertex) in search.order.iter().rev().enumerate() {
        positions[vertex] = position as u64;
    }
    positions
}

/// The level of a vertex that has not been reached.
const UNSEEN: u32 = u32::MAX;

struct Search<'a, N> {
    graph: &'a Graph<N>,
    /// How far each vertex is from the one that a search began at.
    level: Vec<u32>,
    /// Vertices in the order in which they were reached; earlier components first.
    order: Vec<usize>,
}

impl<N: Index> Search<'_, N> {
    fn neighbours(&self, vertex: usize) -> &[N] {
        let place = |vertex: usize| self.graph.starts[vertex].to_usize();
        &self.graph.neighbours[place(vertex)..place(vertex + 1)]
    }

    fn degree(&self, vertex: usize) -> usize {
        self.neighbours(vertex).len()
    }

    /// Appends the component of a vertex to the order, from a vertex at its rim.
    fn number(&mut self, first: usize) {
        let begin = self.order.len();
        let mut root = first;
        self.reach(root);
        loop {
            let deepest = self.level[self.order[self.order.len() - 1]];
            let last = self.order[begin..].iter().rev().take_while(|&&vertex| self.level[vertex] == deepest);
            let next = *last.min_by_key(|&&vertex| (self.degree(vertex), vertex)).expect("the last one");
            self.forget(begin);
            self.reach(next);
            if self.level[self.order[self.order.len() - 1]] <= deepest {
                // As deep from either: the first of the two.
                if self.level[self.order[self.order.len() - 1]] < deepest {
                    self.forget(begin);
                    self.reach(root);
                }
                return;
            }
            root = next;
        }
    }

    fn forget(&mut self, begin: usize) {
        for &vertex in &self.order[begin..] {
            self.level[vertex] = UNSEEN;
        }
        self.order.truncate(begin);
    }

    /// Reaches a component from `root`: the neighbours of each vertex by degree.
    fn reach(&mut self, root: usize) {
        let mut at = self.order.len();
        self.level[root] = 0;
        self.order.push(root);
        while at < self.order.len() {
            let vertex = self.order[at];
            let begin = self.order.len();
            for place in 0..self.degree(vertex) {
                let other = self.neighbours(vertex)[place].to_usize();
                if self.level[other] == UNSEEN {
                    self.level[other] = self.level[vertex] + 1;
                    self.order.push(other);
                }
            }
            let mut found = self.order.split_off(begin);
            found.sort_by_key(|&vertex| (self.degree(vertex), vertex));
            self.order.append(&mut found);
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(vertices: usize, edges: &[[u64; 2]]) -> Graph<i32> {
        let pairs = || edges.iter().flat_map(|&[a, b]| [(a as usize, b), (b as usize, a)]);
        Graph::from_pairs(vertices, pairs).expect("a small graph")
    }

    /// The largest difference of the positions of neighbours.
    fn bandwidth(edges: &[[u64; 2]], positions: &[u64]) -> u64 {
        edges.iter().map(|[a, b]| positions[*a as usize].abs_diff(positions[*b as usize])).max().unwrap()
    }

    #[test]
    fn a_path_is_numbered_from_end_to_end_wherever_it_begins() {
        // 3 - 0 - 4 - 1 - 2
        let edges = [[3, 0], [0, 4], [4, 1], [1, 2]];
        let positions = positions(&graph(5, &edges));
        assert_eq!(bandwidth(&edges, &positions), 1);
        let mut sorted = positions.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4]);
    }

    /// The bandwidth of a shuffled grid of 40 by 6 is near that of its best numbering, column by column.
    #[test]
    fn a_shuffled_grid_gets_the_bandwidth_of_its_shorter_side() {
        let (wide, high) = (40u64, 6u64);
        let number = |column: u64, row: u64| ((column * high + row) * 97 + 13) % (wide * high + 1);
        let mut edges = Vec::new();
        for (column, row) in (0..wide).flat_map(|column| (0..high).map(move |row| (column, row))) {
            if column + 1 < wide {
                edges.push([number(column, row), number(column + 1, row)]);
            }
            if row + 1 < high {
                edges.push([number(column, row), number(column, row + 1)]);
            }
        }
        let before: Vec<u64> = (0..=wide * high).collect();
        let after = positions(&graph(wide as usize * high as usize + 1, &edges));
        assert!(bandwidth(&edges, &before) > 100);
        assert!(bandwidth(&edges, &after) <= high + 1, "{}", bandwidth(&edges, &after));
    }

    #[test]
    fn components_and_lone_vertices_come_one_after_another() {
        let edges = [[0, 2], [2, 5], [3, 4]];
        let found = positions(&graph(7, &edges));
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..7).collect::<Vec<u64>>());
        assert_eq!(bandwidth(&edges, &found), 1);
        assert!(positions(&graph(0, &[])).is_empty());
    }
}

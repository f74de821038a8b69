//! Graphs in compressed rows.

use super::ColoringError;

/// A graph: the neighbours of each vertex, ascending, row after row.
///
/// Edges have no direction and appear in the rows of both ends. No vertex is its own neighbour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Row of vertex v: `neighbours[starts[v]..starts[v + 1]]`.
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// A graph of vertices 0, 1, ... and edges between them. Edges given twice, in one direction or both, count once;
    /// edges from a vertex to itself do not count.
    ///
    /// # Errors
    /// [`ColoringError::Vertex`] if an edge's end is not a vertex.
    pub fn from_edges(vertices: u32, edges: &[[u32; 2]]) -> Result<Graph, ColoringError> {
        for (edge, ends) in edges.iter().enumerate() {
            if let Some(&vertex) = ends.iter().find(|&&end| end >= vertices) {
                return Err(ColoringError::Vertex { edge, vertex, vertices });
            }
        }
        let both = || edges.iter().filter(|[a, b]| a != b).flat_map(|&[a, b]| [(a, b), (b, a)]);
        let mut starts = vec![0; vertices as usize + 1];
        both().for_each(|(a, _)| starts[a as usize + 1] += 1);
        for vertex in 0..vertices as usize {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts[vertices as usize]];
        for (a, b) in both() {
            neighbours[next[a as usize]] = b;
            next[a as usize] += 1;
        }
        let mut graph = Graph { starts, neighbours };
        graph.sort_rows();
        Ok(graph)
    }

    /// The graph in which vertices are also neighbours if they have a common one: its colorings are those of
    /// distance 2.
    pub fn of_distance_two(&self) -> Graph {
        let count = self.vertices();
        let mut starts = vec![0];
        let mut neighbours = Vec::new();
        let mut row: Vec<u32> = Vec::new();
        for vertex in 0..count {
            row.clear();
            for &near in self.neighbours(vertex) {
                row.push(near);
                row.extend(self.neighbours(near).iter().filter(|&&far| far != vertex));
            }
            row.sort_unstable();
            row.dedup();
            neighbours.extend_from_slice(&row);
            starts.push(neighbours.len());
        }
        Graph { starts, neighbours }
    }

    /// Sorts the rows and drops duplicates.
    fn sort_rows(&mut self) {
        let mut kept = 0;
        for vertex in 0..self.starts.len() - 1 {
            let row = self.starts[vertex]..self.starts[vertex + 1];
            self.neighbours[row.clone()].sort_unstable();
            self.starts[vertex] = kept;
            for at in row {
                let neighbour = self.neighbours[at];
                if kept == self.starts[vertex] || self.neighbours[kept - 1] != neighbour {
                    self.neighbours[kept] = neighbour;
                    kept += 1;
                }
            }
        }
        *self.starts.last_mut().expect("one more than vertices") = kept;
        self.neighbours.truncate(kept);
        self.neighbours.shrink_to_fit();
    }

    /// Number of vertices.
    pub fn vertices(&self) -> u32 {
        // `from_edges` received it as a u32.
        (self.starts.len() - 1) as u32
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// The neighbours of a vertex, ascending.
    ///
    /// # Panics
    /// If there is no such vertex.
    #[inline]
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.neighbours[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// The largest number of neighbours of a vertex; 0 without vertices.
    pub fn max_degree(&self) -> usize {
        self.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{ColoringError, Graph};

    #[test]
    fn rows_are_sorted_and_have_each_neighbour_once() {
        let graph = Graph::from_edges(5, &[[3, 1], [1, 3], [0, 3], [3, 1], [2, 2], [0, 1]]).unwrap();
        assert_eq!((graph.vertices(), graph.edges(), graph.max_degree()), (5, 3, 2));
        let rows: Vec<&[u32]> = (0..5).map(|v| graph.neighbours(v)).collect();
        assert_eq!(rows, [&[1, 3][..], &[0, 3], &[], &[0, 1], &[]]);
        let empty = Graph::from_edges(0, &[]).unwrap();
        assert_eq!((empty.vertices(), empty.edges(), empty.max_degree()), (0, 0, 0));
    }

    #[test]
    fn at_distance_two_neighbours_of_neighbours_are_neighbours() {
        // 0 - 1 - 2 - 3, and 4 by itself.
        let path = Graph::from_edges(5, &[[0, 1], [1, 2], [2, 3]]).unwrap().of_distance_two();
        let rows: Vec<&[u32]> = (0..5).map(|v| path.neighbours(v)).collect();
        assert_eq!(rows, [&[1, 2][..], &[0, 2, 3], &[0, 1, 3], &[1, 2], &[]]);
        // The leaves of a star are at distance two of each other.
        let star = Graph::from_edges(6, &[[0, 1], [0, 2], [0, 3], [0, 4], [0, 5]]).unwrap().of_distance_two();
        assert_eq!((star.edges(), star.max_degree()), (15, 5));
    }

    #[test]
    fn an_edge_to_nowhere_is_named() {
        let error = Graph::from_edges(2, &[[0, 1], [1, 2]]).unwrap_err();
        assert_eq!(error, ColoringError::Vertex { edge: 1, vertex: 2, vertices: 2 });
        assert_eq!(error.to_string(), "edge 1: vertex 2 is not below 2, the number of vertices");
    }
}

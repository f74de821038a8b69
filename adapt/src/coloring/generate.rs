//! Graphs of a chosen size: meshes and random graphs. They depend only on size and seed, on every machine.

use super::{ColoringError, Graph};
use crate::sharing::random::{Numbers, mix, shuffled};

/// Kinds of random graphs (R-MAT): the probability, in percent, that an edge lies in each quadrant of the adjacency
/// matrix, row by row.
///
/// The three sets are those of Ü. V. Çatalyürek et al., Graph coloring algorithms for multi-core and massively
/// multithreaded architectures, Parallel Computing 38 (2012), DOI 10.1016/j.parco.2012.07.001: similar degrees
/// (Erdős-Rényi), uneven, very uneven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quadrants(pub [u32; 4]);

impl Quadrants {
    /// RMAT-ER: all equal.
    pub const ER: Quadrants = Quadrants([25, 25, 25, 25]);
    /// RMAT-G: uneven.
    pub const G: Quadrants = Quadrants([45, 15, 15, 25]);
    /// RMAT-B: very uneven; some vertices have a thousand times as many neighbours as most.
    pub const B: Quadrants = Quadrants([55, 15, 15, 15]);
}

/// How vertices are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// In the order in which they are made: row by row in a triangulation.
    Natural,
    /// At random, so that neighbours are far apart in memory.
    Shuffled,
}

/// The vertices and edges of a triangulation: a grid of `size[0]` x `size[1]` vertices, with each square cut along a
/// random diagonal.
///
/// # Errors
/// [`ColoringError::TooManyVertices`].
pub fn triangulation(size: [u32; 2], numbering: Numbering, seed: u64) -> Result<Graph, ColoringError> {
    let [width, height] = size;
    let vertices = count(u64::from(width) * u64::from(height))?;
    let mut numbers = Numbers::new(seed);
    let mut edges = Vec::with_capacity(3 * vertices as usize);
    for row in 0..height {
        for column in 0..width {
            let at = row * width + column;
            let (right, above) = (column + 1 < width, row + 1 < height);
            if right {
                edges.push([at, at + 1]);
            }
            if above {
                edges.push([at, at + width]);
            }
            if right && above {
                let rising = numbers.below(2) == 0;
                edges.push(if rising { [at, at + width + 1] } else { [at + 1, at + width] });
            }
        }
    }
    renumber(vertices, edges, numbering, mix(seed))
}

/// A random graph of 2^`scale` vertices, made from `edges` random edges. Duplicates, and edges from a vertex to itself,
/// are dropped, so there are somewhat fewer.
///
/// An edge is an entry of the adjacency matrix. A quadrant of the matrix is drawn, then a quadrant of that, until one
/// entry is left.
///
/// Source: D. Chakrabarti, Y. Zhan, C. Faloutsos, R-MAT: a recursive model for graph mining, SDM 2004,
/// DOI 10.1137/1.9781611972740.43.
///
/// # Errors
/// [`ColoringError::TooManyVertices`]; [`ColoringError::Probabilities`] if the quadrants do not add up to 100 percent.
pub fn rmat(
    scale: u32,
    edges: usize,
    quadrants: Quadrants,
    numbering: Numbering,
    seed: u64,
) -> Result<Graph, ColoringError> {
    let vertices = count(1u64.checked_shl(scale).unwrap_or(u64::MAX))?;
    let [a, b, c, d] = quadrants.0.map(u64::from);
    if a + b + c + d != 100 {
        return Err(ColoringError::Probabilities(quadrants.0));
    }
    let mut numbers = Numbers::new(seed);
    let edge = |_| {
        let mut ends = [0; 2];
        for _ in 0..scale {
            let drawn = numbers.below(100);
            // Upper half: a, b; left half: a, c.
            let lower = drawn >= a + b;
            let right = if lower { drawn >= a + b + c } else { drawn >= a };
            ends = [ends[0] << 1 | u32::from(lower), ends[1] << 1 | u32::from(right)];
        }
        ends
    };
    let edges = (0..edges).map(edge).collect();
    renumber(vertices, edges, numbering, mix(seed))
}

fn count(vertices: u64) -> Result<u32, ColoringError> {
    u32::try_from(vertices).map_err(|_| ColoringError::TooManyVertices { vertices })
}

fn renumber(
    vertices: u32,
    mut edges: Vec<[u32; 2]>,
    numbering: Numbering,
    seed: u64,
) -> Result<Graph, ColoringError> {
    if numbering == Numbering::Shuffled {
        let number = shuffled(vertices, seed);
        edges.iter_mut().for_each(|ends| *ends = ends.map(|end| number[end as usize]));
    }
    Graph::from_edges(vertices, &edges)
}

#[cfg(test)]
mod tests {
    use super::{ColoringError, Graph, Numbering, Quadrants, rmat, triangulation};

    fn degrees(graph: &Graph) -> Vec<usize> {
        let mut degrees: Vec<usize> = (0..graph.vertices()).map(|v| graph.neighbours(v).len()).collect();
        degrees.sort_unstable();
        degrees
    }

    #[test]
    fn a_triangulation_has_the_edges_of_its_squares_and_a_diagonal_each() {
        let graph = triangulation([7, 4], Numbering::Natural, 1).unwrap();
        assert_eq!((graph.vertices(), graph.edges()), (28, 6 * 4 + 7 * 3 + 6 * 3));
        let rising = (0..20).filter(|&v| graph.neighbours(v).contains(&(v + 8))).count();
        assert!((1..18).contains(&rising), "{rising} of 18 diagonals rise");
        let shuffled = triangulation([7, 4], Numbering::Shuffled, 1).unwrap();
        assert_ne!(graph, shuffled);
        assert_eq!(degrees(&graph), degrees(&shuffled));
        assert_eq!(triangulation([1, 5], Numbering::Natural, 1).unwrap().edges(), 4);
        assert_eq!(triangulation([0, 5], Numbering::Natural, 1).unwrap().vertices(), 0);
    }

    #[test]
    fn uneven_quadrants_make_uneven_degrees() {
        let graph = |quadrants| rmat(10, 8 << 10, quadrants, Numbering::Shuffled, 7).unwrap();
        let most = [Quadrants::ER, Quadrants::G, Quadrants::B].map(|quadrants| graph(quadrants).max_degree());
        assert!(most[0] < 40 && most[0] * 2 < most[1] && most[1] * 3 < most[2] * 2, "{most:?}");
        // With equal quadrants, few edges are drawn twice.
        assert!((8000..=8192).contains(&graph(Quadrants::ER).edges()));
    }

    /// The upper left quadrant alone leads to vertex 0, the upper right one to an edge from 0 to the last.
    #[test]
    fn quadrants_are_rows_and_columns_of_the_matrix() {
        let edges = |quadrants| rmat(4, 300, Quadrants(quadrants), Numbering::Natural, 3).unwrap();
        assert_eq!(edges([100, 0, 0, 0]).edges(), 0);
        assert_eq!(edges([0, 100, 0, 0]).neighbours(0), [15]);
        assert_eq!(edges([0, 0, 100, 0]).neighbours(0), [15]);
        assert_eq!(edges([0, 0, 0, 100]).edges(), 0);
    }

    #[test]
    fn a_seed_gives_a_graph() {
        let graph = |seed| rmat(8, 1000, Quadrants::G, Numbering::Shuffled, seed).unwrap();
        assert_eq!(graph(1), graph(1));
        assert_ne!(graph(1), graph(2));
        let mesh = |seed| triangulation([20, 20], Numbering::Shuffled, seed).unwrap();
        assert_eq!(mesh(1), mesh(1));
        assert_ne!(mesh(1), mesh(2));
    }

    #[test]
    fn impossible_graphs_are_refused() {
        let many = triangulation([1 << 16, 1 << 16], Numbering::Natural, 0);
        assert_eq!(many, Err(ColoringError::TooManyVertices { vertices: 1 << 32 }));
        for scale in [32, 64, 100] {
            let graph = rmat(scale, 0, Quadrants::ER, Numbering::Natural, 0);
            assert!(matches!(graph, Err(ColoringError::TooManyVertices { .. })), "{scale}");
        }
        let wrong = rmat(3, 1, Quadrants([25, 25, 25, 24]), Numbering::Natural, 0);
        assert_eq!(wrong, Err(ColoringError::Probabilities([25, 25, 25, 24])));
    }
}

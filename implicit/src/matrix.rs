//! Matrices of blocks on nodes and edges.

use cfd_engine::Stored;
use cfd_engine::prelude::*;

use crate::loops::EdgeBlocks;
use crate::operator::Operator;
use crate::{BlockLoops, Loops};

/// A matrix with a block of N x N on each node and two on each edge; `NN` is N x N. Row i, column j of a block is component
/// N i + j.
///
/// Blocks of edges are stored as `T`: f64, or f32, which halves what products and preconditioners read. The diagonal, to which
/// every edge adds, is always f64. A matrix of f32 is another matrix, by 6e-8 of each value: right where the matrix is an
/// approximation anyway, as in Newton's method.
#[derive(Clone, Copy, Debug)]
pub struct BlockMatrix<const N: usize, const NN: usize, T = f64> {
    /// Each node's equations for its own unknowns.
    pub diagonal: Dat<NN>,
    /// Each edge's two blocks.
    pub edges: EdgeBlocks<NN, T>,
}

impl<const N: usize, const NN: usize, T: Stored> BlockMatrix<N, NN, T>
where
    Loops: BlockLoops<N, NN, T>,
{
    /// A matrix of zeros on the edges of a map and the nodes it leads to.
    pub fn new(domain: &mut Domain, ends: Map<2>, name: &str) -> BlockMatrix<N, NN, T> {
        BlockMatrix {
            diagonal: domain.new_dat(ends.to(), &format!("{name}.diagonal")),
            edges: EdgeBlocks {
                ends,
                upper: domain.new_dat(ends.from(), &format!("{name}.upper")),
                lower: domain.new_dat(ends.from(), &format!("{name}.lower")),
            },
        }
    }

    /// Records the loops that set all blocks to 0, for loops that add to them.
    pub fn clear(&self, domain: &mut Domain) {
        Loops::clear_diagonal(domain, self.diagonal);
        Loops::clear_blocks(domain, self.edges.upper);
        Loops::clear_blocks(domain, self.edges.lower);
    }

    /// Records the loops that set y to A x.
    pub fn record(&self, domain: &mut Domain, x: Dat<N>, y: Dat<N>) {
        Loops::diagonal_product(domain, self.diagonal, x, y);
        Loops::add_products(domain, &self.edges, x, y);
    }
}

impl<const N: usize, const NN: usize, T: Stored> Operator<N> for BlockMatrix<N, NN, T>
where
    Loops: BlockLoops<N, NN, T>,
{
    fn apply(&self, domain: &mut Domain, x: Dat<N>, y: Dat<N>) -> Result<(), BackendError> {
        self.record(domain, x, y);
        Ok(())
    }
}

/// The name that a matrix was given: what belongs to it is named after it.
pub(crate) fn name_of_matrix<const N: usize, const NN: usize, T: Stored>(
    domain: &Domain,
    matrix: &BlockMatrix<N, NN, T>,
) -> String {
    domain.name_of(matrix.diagonal.into()).trim_end_matches(".diagonal").into()
}

/// `base`, or `base_2`, `base_3`, ...: the first under which there is no dat `dat` yet. One domain may have several solvers.
pub(crate) fn unused_prefix(domain: &Domain, base: &str, dat: &str) -> String {
    let all = (1..).map(|k| if k == 1 { base.to_string() } else { format!("{base}_{k}") });
    let mut unused = all.skip_while(|prefix| domain.any_dat(&format!("{prefix}.{dat}")).is_ok());
    unused.next().expect("numbers do not end")
}

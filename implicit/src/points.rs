//! Block Jacobi.

use cfd_engine::Stored;
use cfd_engine::prelude::*;

use crate::matrix::{BlockMatrix, name_of_matrix};
use crate::operator::Preconditioner;
use crate::{BlockLoops, Loops};

/// Block Jacobi: z = D^-1 r, with the inverse of each node's block.
#[derive(Clone, Copy, Debug)]
pub struct BlockJacobi<const N: usize, const NN: usize, T = f64> {
    diagonal: Dat<NN>,
    inverse: Dat<NN, T>,
}

impl<const N: usize, const NN: usize, T: Stored> BlockJacobi<N, NN, T>
where
    Loops: BlockLoops<N, NN, T>,
{
    /// For a matrix, whose blocks may still change.
    pub fn new(domain: &mut Domain, matrix: &BlockMatrix<N, NN, T>) -> BlockJacobi<N, NN, T> {
        let diagonal = matrix.diagonal;
        let name = format!("{}.points", name_of_matrix(domain, matrix));
        BlockJacobi { diagonal, inverse: domain.new_dat(diagonal.set(), &name) }
    }

    /// Records the loop that inverts the matrix's blocks as they are now.
    pub fn update(&self, domain: &mut Domain) {
        Loops::invert(domain, self.diagonal, self.inverse);
    }
}

impl<const N: usize, const NN: usize, T: Stored> Preconditioner<N> for BlockJacobi<N, NN, T>
where
    Loops: BlockLoops<N, NN, T>,
{
    fn apply(&self, domain: &mut Domain, r: Dat<N>, z: Dat<N>) {
        Loops::product(domain, self.inverse, r, z);
    }
}

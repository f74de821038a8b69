//! Linear systems between periodic boundaries.
//!
//! ```text
//! y = D x + U E x      E: the blocks of edges, U: the sum over copies, D: diagonal blocks, already summed
//! z = S P r            P: the preconditioner, S: copies have the values of their node
//! ```
//!
//! Each copy of a node has the edges on its own side, so its rows are a part of the node's: summed over copies they are whole.
//! All vectors have the same bits in all copies of a node. A dot product counts each copy, which is one more way of
//! weighing unknowns, in which GMRES finds the same solution. The preconditioner knows of each copy only its own side.

use cfd_engine::Stored;
use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Solved, Unsolved};
use cfd_implicit::matrix::BlockMatrix;
use cfd_implicit::{BlockLoops, Loops, Operator, Preconditioner, VectorLoops};

use crate::gas::copies::{CopyLoops, CopySums};

/// A matrix between periodic boundaries.
struct JoinedMatrix<'a, const M: usize, const MM: usize, T> {
    inner: &'a BlockMatrix<M, MM, T>,
    copies: CopySums<M>,
    /// D x.
    products: Dat<M>,
}

impl<const M: usize, const MM: usize, T: Stored> Operator<M> for JoinedMatrix<'_, M, MM, T>
where
    Loops: BlockLoops<M, MM, T>,
    CopySums<M>: CopyLoops<M>,
{
    fn apply(&self, domain: &mut Domain, x: Dat<M>, y: Dat<M>) -> Result<(), BackendError> {
        Loops::clear(domain, y);
        Loops::add_products(domain, &self.inner.edges, x, y);
        self.copies.unite(domain, y);
        Loops::diagonal_product(domain, self.inner.diagonal, x, self.products);
        Loops::two_combine(domain, [self.products; 2], [1.0, 0.0], y);
        Ok(())
    }
}

/// A preconditioner between periodic boundaries.
struct Joined<'a, P, const M: usize> {
    inner: &'a P,
    copies: CopySums<M>,
}

impl<P: Preconditioner<M>, const M: usize> Preconditioner<M> for Joined<'_, P, M>
where
    CopySums<M>: CopyLoops<M>,
{
    fn apply(&self, domain: &mut Domain, r: Dat<M>, z: Dat<M>) {
        self.inner.apply(domain, r, z);
        self.copies.share(domain, z);
    }
}

/// Solves a system from a change of 0. Nodes may have copies; with them comes a place for D x.
///
/// # Errors
/// The same as [`Gmres::solve`].
pub fn solve<const M: usize, const MM: usize, T: Stored>(
    domain: &mut Domain,
    gmres: &Gmres<M>,
    matrix: &BlockMatrix<M, MM, T>,
    preconditioner: &impl Preconditioner<M>,
    copies: Option<(CopySums<M>, Dat<M>)>,
    [right, change]: [Dat<M>; 2],
) -> Result<Solved, Unsolved>
where
    Loops: BlockLoops<M, MM, T>,
    CopySums<M>: CopyLoops<M>,
{
    let Some((copies, products)) = copies else {
        return solve_any(domain, gmres, matrix, preconditioner, None, [right, change]);
    };
    let matrix = JoinedMatrix { inner: matrix, copies, products };
    solve_any(domain, gmres, &matrix, preconditioner, Some(copies), [right, change])
}

/// The same with an operator whose products are whole, and the same in all copies of a node.
///
/// # Errors
/// The same as [`Gmres::solve`].
pub fn solve_any<const M: usize>(
    domain: &mut Domain,
    gmres: &Gmres<M>,
    operator: &impl Operator<M>,
    preconditioner: &impl Preconditioner<M>,
    copies: Option<CopySums<M>>,
    [right, change]: [Dat<M>; 2],
) -> Result<Solved, Unsolved>
where
    Loops: VectorLoops<M>,
    CopySums<M>: CopyLoops<M>,
{
    Loops::clear(domain, change);
    match copies {
        None => gmres.solve(domain, operator, preconditioner, right, change),
        Some(copies) => {
            gmres.solve(domain, operator, &Joined { inner: preconditioner, copies }, right, change)
        }
    }
}

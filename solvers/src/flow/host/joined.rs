//! Linear systems between periodic boundaries.
//!
//! ```text
//! y = D x + U E x      E: the blocks of edges, U: the sum over copies, D: diagonal blocks, already summed
//! z = S P r            P: the preconditioner along lines, S: copies have the values of their node
//! ```
//!
//! Each copy of a node has the edges on its own side, so its rows are a part of the node's: summed over copies they are whole.
//! All vectors have the same bits in all copies of a node. A dot product counts each copy, which is one more way of
//! weighing unknowns, in which GMRES finds the same solution. Lines know of each copy only its own side.
//!
//! Copies that are moved are in one agglomerate. It gets the blocks of the edges on all sides, but what is whole in all copies,
//! residuals and diagonal blocks, from their node alone.
//!
//! Copies that are turned have agglomerates of their own, which are copies of each other: coarse matrices are joined as the
//! finest is. Of each node one copy counts, in whichever agglomerate it is; sums over the copies of these are whole.

use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Solved, Unsolved};
use cfd_implicit::lines::LinePreconditioner;
use cfd_implicit::loops::Agglomerates;
use cfd_implicit::matrix::BlockMatrix;
use cfd_implicit::multigrid::LevelMatrix;
use cfd_implicit::{BlockLoops, Loops, Operator, Preconditioner, VectorLoops};

use crate::gas::copies::{Copies, CopyLoops, CopySums};

/// What a matrix needs of copies.
#[derive(Clone, Copy)]
pub struct Sides<const M: usize, const MM: usize> {
    /// Sums of vectors.
    pub vectors: CopySums<M>,
    /// Sums of blocks.
    pub blocks: CopySums<MM>,
    /// D x.
    pub products: Dat<M>,
}

impl<const M: usize, const MM: usize> Sides<M, MM> {
    /// The same of a coarse level, 1 or more, whose copies these are.
    pub fn of_level(&self, domain: &mut Domain, copies: Copies, blocks: &BlockMatrix<M, MM>) -> Sides<M, MM> {
        let nodes = blocks.diagonal.set();
        let name = domain.name_of(blocks.diagonal.into()).to_string();
        Sides {
            vectors: self.vectors.on(copies, domain, &format!("vectors of {name}")),
            blocks: self.blocks.on(copies, domain, &name),
            products: domain.new_dat(nodes, &format!("products of {name}")),
        }
    }
}

/// A matrix between periodic boundaries, or of a mesh without.
#[derive(Clone, Copy)]
pub struct JoinedMatrix<const M: usize, const MM: usize> {
    /// Its blocks.
    pub blocks: BlockMatrix<M, MM>,
    /// Of copies, if there are any.
    pub sides: Option<Sides<M, MM>>,
}

impl<const M: usize, const MM: usize> LevelMatrix<M, MM, f64> for JoinedMatrix<M, MM>
where
    Loops: BlockLoops<M, MM, f64>,
    CopySums<M>: CopyLoops<M>,
    CopySums<MM>: CopyLoops<MM>,
{
    fn blocks(&self) -> &BlockMatrix<M, MM> {
        &self.blocks
    }

    fn record(&self, domain: &mut Domain, x: Dat<M>, y: Dat<M>) {
        let BlockMatrix { diagonal, edges } = &self.blocks;
        let Some(Sides { vectors, products, .. }) = self.sides else {
            return self.blocks.record(domain, x, y);
        };
        Loops::clear(domain, y);
        Loops::add_products(domain, edges, x, y);
        vectors.unite(domain, y);
        Loops::diagonal_product(domain, *diagonal, x, products);
        Loops::two_combine(domain, [products; 2], [1.0, 0.0], y);
    }

    fn add_up(&self, domain: &mut Domain, to: &Agglomerates, x: Dat<M>, coarse: Dat<M>) {
        if let Some(Sides { vectors, .. }) = self.sides {
            vectors.clear_copies(domain, x);
        }
        Loops::add_up(domain, to, x, coarse);
    }

    fn add_diagonal(&self, domain: &mut Domain, to: &Agglomerates, coarse: Dat<MM>) {
        let diagonal = self.blocks.diagonal;
        let Some(Sides { blocks, .. }) = self.sides else {
            return Loops::add_diagonal(domain, to, diagonal, coarse);
        };
        blocks.clear_copies(domain, diagonal);
        Loops::add_diagonal(domain, to, diagonal, coarse);
        blocks.share(domain, diagonal);
    }

    fn complete(&self, domain: &mut Domain) {
        if let Some(Sides { blocks, .. }) = self.sides {
            blocks.unite(domain, self.blocks.diagonal);
        }
    }

    fn complete_sum(&self, domain: &mut Domain, x: Dat<M>) {
        if let Some(Sides { vectors, .. }) = self.sides {
            vectors.unite(domain, x);
        }
    }

    fn complete_change(&self, domain: &mut Domain, x: Dat<M>) {
        // What turned copies of a node get from their agglomerates differs by rounding.
        if let Some(Sides { vectors, .. }) = self.sides.filter(|sides| sides.vectors.is_turned()) {
            vectors.share(domain, x);
        }
    }
}

impl<const M: usize, const MM: usize> Operator<M> for JoinedMatrix<M, MM>
where
    JoinedMatrix<M, MM>: LevelMatrix<M, MM, f64>,
{
    fn apply(&self, domain: &mut Domain, x: Dat<M>, y: Dat<M>) -> Result<(), BackendError> {
        self.record(domain, x, y);
        Ok(())
    }
}

/// Relaxation along lines, after which all copies of a node have its values.
#[derive(Clone)]
pub struct JoinedLines<const M: usize, const MM: usize> {
    /// The relaxation.
    pub lines: LinePreconditioner<M, MM>,
    /// Sums over copies, if there are any.
    pub copies: Option<CopySums<M>>,
}

impl<const M: usize, const MM: usize> Preconditioner<M> for JoinedLines<M, MM>
where
    Loops: BlockLoops<M, MM, f64>,
    CopySums<M>: CopyLoops<M>,
{
    fn apply(&self, domain: &mut Domain, r: Dat<M>, z: Dat<M>) {
        self.lines.apply(domain, r, z);
        if let Some(copies) = self.copies {
            copies.share(domain, z);
        }
    }
}

/// Solves a system from a change of 0. Products of the operator, and what the preconditioner gives, are the same in all copies
/// of a node.
///
/// # Errors
/// The same as [`Gmres::solve`].
pub fn solve<const M: usize>(
    domain: &mut Domain,
    gmres: &Gmres<M>,
    operator: &impl Operator<M>,
    preconditioner: &impl Preconditioner<M>,
    [right, change]: [Dat<M>; 2],
) -> Result<Solved, Unsolved>
where
    Loops: VectorLoops<M>,
{
    Loops::clear(domain, change);
    gmres.solve(domain, operator, preconditioner, right, change)
}

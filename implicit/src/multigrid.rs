//! Multigrid: what a smoother leaves on a level is solved for on a coarser one.
//!
//! ```text
//! coarse matrix   A_c = P^T A P,   P: each node has the value of its agglomerate
//! cycle           z += w S (r - A z),   z += f P C(P^T (r - A z)),   z += w S (r - A z)
//! ```
//!
//! S is the smoother of a level: on the finest whatever preconditioner is given, on the others block Jacobi. On the coarsest the
//! smoother alone is repeated. All of it is loops over nodes and edges, so it has the same bits on any number of ranks.
//!
//! Constant values make coarse matrices stiffer than the problem, and the corrections too small: f is larger than 1. Source:
//! Braess, "Towards algebraic multigrid for elliptic problems of second order", Computing 55 (1995), DOI 10.1007/BF02238488.

use cfd_engine::Stored;
use cfd_engine::prelude::*;

use crate::loops::Agglomerates;
use crate::matrix::{BlockMatrix, name_of_matrix};
use crate::operator::Preconditioner;
use crate::points::BlockJacobi;
use crate::{BlockLoops, Loops, VectorLoops};

/// How to go through the levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Visits of the next level from each: 1 is a V-cycle, 2 a W-cycle.
    pub visits: usize,
    /// Smoothings before and after a visit, on the finest level.
    pub smoothings: usize,
    /// The same on the others but the coarsest.
    pub coarse_smoothings: usize,
    /// Smoothings on the coarsest level.
    pub coarsest: usize,
    /// w, the share of each smoothing: block Jacobi alone, with 1, leaves what changes sign from node to node as it is.
    pub damping: f64,
    /// f, what corrections of coarser levels are multiplied by.
    pub correction: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            visits: 2,
            smoothings: 1,
            coarse_smoothings: 1,
            coarsest: 20,
            damping: 0.7,
            correction: 1.5,
        }
    }
}

/// A level but the finest: its matrix and vectors.
#[derive(Clone, Debug)]
struct Level<const N: usize, const NN: usize, T, A> {
    /// From the finer level.
    from: Agglomerates,
    matrix: A,
    smoother: BlockJacobi<N, NN, T>,
    r: Dat<N>,
    z: Dat<N>,
    work: Work<N>,
}

/// What is left of r, and a smoothing.
#[derive(Clone, Copy, Debug)]
struct Work<const N: usize> {
    left: Dat<N>,
    change: Dat<N>,
}

impl<const N: usize> Work<N> {
    fn new(domain: &mut Domain, nodes: Set, own: &str, level: usize) -> Work<N> {
        let mut vector = |name: &str| domain.new_dat(nodes, &format!("{own}.{name}{level}"));
        Work { left: vector("left"), change: vector("change") }
    }
}

/// The matrix of a level. Several nodes may be one, as those at the same place of periodic boundaries, whose rows are parts of
/// one row: coarse levels count it once.
pub trait LevelMatrix<const N: usize, const NN: usize, T> {
    /// Its blocks.
    fn blocks(&self) -> &BlockMatrix<N, NN, T>;
    /// Records the loops that set y to A x.
    fn record(&self, domain: &mut Domain, x: Dat<N>, y: Dat<N>);
    /// Records the loops that add the values of each agglomerate's nodes to its own; x is of no use afterwards.
    fn add_up(&self, domain: &mut Domain, to: &Agglomerates, x: Dat<N>, coarse: Dat<N>);
    /// Records the loops that add the diagonal blocks of each agglomerate's nodes to its own.
    fn add_diagonal(&self, domain: &mut Domain, to: &Agglomerates, coarse: Dat<NN>);
    /// Records what is left to do once the blocks of the finer matrix have been added to its own.
    fn complete(&self, _: &mut Domain) {}
    /// Records what is left to do once values of the finer level have been added to `x`.
    fn complete_sum(&self, _: &mut Domain, _x: Dat<N>) {}
    /// Records what is left to do once `x` has changed by values of agglomerates.
    fn complete_change(&self, _: &mut Domain, _x: Dat<N>) {}
}

impl<const N: usize, const NN: usize, T: Stored> LevelMatrix<N, NN, T> for BlockMatrix<N, NN, T>
where
    Loops: BlockLoops<N, NN, T>,
{
    fn blocks(&self) -> &BlockMatrix<N, NN, T> {
        self
    }

    fn record(&self, domain: &mut Domain, x: Dat<N>, y: Dat<N>) {
        BlockMatrix::record(self, domain, x, y);
    }

    fn add_up(&self, domain: &mut Domain, to: &Agglomerates, x: Dat<N>, coarse: Dat<N>) {
        Loops::add_up(domain, to, x, coarse);
    }

    fn add_diagonal(&self, domain: &mut Domain, to: &Agglomerates, coarse: Dat<NN>) {
        Loops::add_diagonal(domain, to, self.diagonal, coarse);
    }
}

/// A multigrid preconditioner: one cycle from z = 0, with the smoother `S` and the matrix `A` on the finest level.
#[derive(Clone, Debug)]
pub struct Multigrid<const N: usize, const NN: usize, S, T = f64, A = BlockMatrix<N, NN, T>> {
    options: Options,
    matrix: A,
    smoother: S,
    work: Work<N>,
    coarser: Vec<Level<N, NN, T, A>>,
}

impl<const N: usize, const NN: usize, S, T> Multigrid<N, NN, S, T>
where
    S: Preconditioner<N>,
    T: Stored,
    Loops: BlockLoops<N, NN, T>,
{
    /// For a matrix, whose blocks may still change, on the finest of some levels; `coarser` leads from each to the next.
    pub fn new(
        domain: &mut Domain,
        matrix: BlockMatrix<N, NN, T>,
        smoother: S,
        coarser: &[Agglomerates],
        options: Options,
    ) -> Multigrid<N, NN, S, T> {
        Multigrid::of_levels(domain, matrix, smoother, coarser, options, |_, _, blocks| blocks)
    }
}

impl<const N: usize, const NN: usize, S, T, A> Multigrid<N, NN, S, T, A>
where
    S: Preconditioner<N>,
    T: Stored,
    A: LevelMatrix<N, NN, T>,
    Loops: BlockLoops<N, NN, T>,
{
    /// For a matrix, whose blocks may still change, on the finest of some levels; `coarser` leads from each to the next, and
    /// `of_level` makes the coarse matrices of blocks, by their levels from 1.
    pub fn of_levels(
        domain: &mut Domain,
        matrix: A,
        smoother: S,
        coarser: &[Agglomerates],
        options: Options,
        mut of_level: impl FnMut(&mut Domain, usize, BlockMatrix<N, NN, T>) -> A,
    ) -> Multigrid<N, NN, S, T, A> {
        let own = format!("{}.multigrid", name_of_matrix(domain, matrix.blocks()));
        let coarser = (1..).zip(coarser).map(|(at, from)| {
            let nodes = from.ends.to();
            let blocks = BlockMatrix::new(domain, from.ends, &format!("{own}.matrix{at}"));
            let mut vector = |name: &str| domain.new_dat(nodes, &format!("{own}.{name}{at}"));
            let (r, z) = (vector("r"), vector("z"));
            let (smoother, work) = (BlockJacobi::new(domain, &blocks), Work::new(domain, nodes, &own, at));
            let matrix = of_level(domain, at, blocks);
            Level { from: *from, matrix, smoother, r, z, work }
        });
        let coarser = coarser.collect();
        let work = Work::new(domain, matrix.blocks().diagonal.set(), &own, 0);
        Multigrid { options, matrix, smoother, work, coarser }
    }

    /// Records the loops that make the coarse matrices of the matrix's blocks as they are now. The smoother of the finest level
    /// has its own.
    pub fn update(&self, domain: &mut Domain) {
        let mut fine = &self.matrix;
        for Level { from, matrix, smoother, .. } in &self.coarser {
            let blocks = matrix.blocks();
            blocks.clear(domain);
            fine.add_diagonal(domain, from, blocks.diagonal);
            Loops::add_edges(domain, from, &fine.blocks().edges, blocks);
            matrix.complete(domain);
            smoother.update(domain);
            fine = matrix;
        }
    }

    /// The matrices of the coarser levels, the finest of them first.
    pub fn coarse_matrices(&self) -> impl Iterator<Item = &BlockMatrix<N, NN, T>> {
        self.coarser.iter().map(|level| level.matrix.blocks())
    }

    /// z = or += an approximation of A^-1 (r - A z) on a level.
    fn cycle(
        &self,
        domain: &mut Domain,
        on: &OneLevel<'_, N, NN, T>,
        coarser: &[Level<N, NN, T, A>],
        [r, z]: [Dat<N>; 2],
        mut is_zero: bool,
    ) {
        let Options { visits, smoothings, coarse_smoothings, coarsest, correction, .. } = self.options;
        let is_finest = coarser.len() == self.coarser.len();
        let smoothings = if is_finest { smoothings } else { coarse_smoothings };
        let Some((next, rest)) = coarser.split_first() else {
            return (0..coarsest).for_each(|k| self.smooth(domain, on, [r, z], is_zero && k == 0));
        };
        for _ in 0..smoothings {
            self.smooth(domain, on, [r, z], is_zero);
            is_zero = false;
        }
        on.leave(domain, r, z);
        Loops::clear(domain, next.r);
        on.matrix.add_up(domain, &next.from, on.work.left, next.r);
        next.matrix.complete_sum(domain, next.r);
        let level = OneLevel { matrix: &next.matrix, smoother: &next.smoother, work: next.work };
        for visit in 0..visits {
            self.cycle(domain, &level, rest, [next.r, next.z], visit == 0);
        }
        Loops::add_down(domain, &next.from, correction, next.z, z);
        on.matrix.complete_change(domain, z);
        (0..smoothings).for_each(|_| self.smooth(domain, on, [r, z], false));
    }

    /// z += w S (r - A z).
    fn smooth(&self, domain: &mut Domain, on: &OneLevel<'_, N, NN, T>, [r, z]: [Dat<N>; 2], is_zero: bool) {
        let Work { left, change } = on.work;
        if is_zero {
            on.smoother.apply(domain, r, z);
            return Loops::scale(domain, self.options.damping, z);
        }
        on.leave(domain, r, z);
        on.smoother.apply(domain, left, change);
        Loops::two_combine(domain, [change; 2], [self.options.damping, 0.0], z);
    }
}

/// What a cycle needs of the level it is on.
struct OneLevel<'a, const N: usize, const NN: usize, T> {
    matrix: &'a dyn LevelMatrix<N, NN, T>,
    smoother: &'a dyn Preconditioner<N>,
    work: Work<N>,
}

impl<const N: usize, const NN: usize, T: Stored> OneLevel<'_, N, NN, T>
where
    Loops: BlockLoops<N, NN, T>,
{
    /// What z leaves of r.
    fn leave(&self, domain: &mut Domain, r: Dat<N>, z: Dat<N>) {
        self.matrix.record(domain, z, self.work.left);
        Loops::subtract_from(domain, r, self.work.left);
    }
}

impl<const N: usize, const NN: usize, S, T, A> Preconditioner<N> for Multigrid<N, NN, S, T, A>
where
    S: Preconditioner<N>,
    T: Stored,
    A: LevelMatrix<N, NN, T>,
    Loops: BlockLoops<N, NN, T>,
{
    fn apply(&self, domain: &mut Domain, r: Dat<N>, z: Dat<N>) {
        let finest = OneLevel { matrix: &self.matrix, smoother: &self.smoother, work: self.work };
        self.cycle(domain, &finest, &self.coarser, [r, z], true);
    }
}

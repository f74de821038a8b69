//! What GMRES is preconditioned with: relaxation along lines, alone or as the smoother of multigrid.

use std::cell::{Cell, OnceCell};

use cfd_engine::prelude::*;
use cfd_implicit::lines::{LinePreconditioner, LineSet, Relaxation};
use cfd_implicit::loops::Agglomerates;
use cfd_implicit::multigrid::{Multigrid, Options};
use cfd_implicit::{BlockLoops, Loops, Preconditioner};
use cfd_mesh::derive::coarse::Names;

use super::joined::{JoinedLines, JoinedMatrix};
use super::newton::RESTART;
use crate::flow::config::{self, Config};
use crate::gas::copies::{Copies, CopyLoops, CopySums};

/// On coarse levels fluxes dominate, for which constant values are right as they are: corrections are not enlarged. Levels have
/// cells as stretched as the finest but no lines: one smoothing leaves so much there that corrections of the next level, twice
/// in a W-cycle all the more, do harm.
const OPTIONS: Options =
    Options { visits: 1, smoothings: 1, coarse_smoothings: 3, coarsest: 10, damping: 0.8, correction: 1.0 };

/// Multigrid with lines on the finest level.
type OnLevels<const M: usize, const MM: usize> =
    Multigrid<M, MM, JoinedLines<M, MM>, f64, JoinedMatrix<M, MM>>;

/// Of the flow's matrix, or of a quantity's of a turbulence model. What it gives is the same in all copies of a node.
///
/// Lines alone are cheaper where a change passes few nodes in a step. So unless a number of coarse levels is given, they are
/// left until a system takes as many iterations as GMRES keeps vectors of; the next ones are solved on levels.
pub struct Preconditioning<const M: usize, const MM: usize> {
    matrix: JoinedMatrix<M, MM>,
    lines: JoinedLines<M, MM>,
    levels: Vec<Agglomerates>,
    /// The copies on each of them, where a boundary is turned into its partner.
    copies: Vec<Option<Copies>>,
    /// A system that takes so many iterations along lines alone needs levels.
    many: u64,
    /// Whether levels are used from the next matrix on.
    is_on_levels: Cell<bool>,
    /// From their first use on: many runs never need these matrices.
    multigrid: OnceCell<OnLevels<M, MM>>,
}

impl<const M: usize, const MM: usize> Preconditioning<M, MM>
where
    Loops: BlockLoops<M, MM, f64>,
    CopySums<M>: CopyLoops<M>,
    CopySums<MM>: CopyLoops<MM>,
{
    /// For a matrix, whose blocks may still change, on a domain of [`cfd_mesh::DUAL`] with coarse levels, or without.
    ///
    /// # Errors
    /// A level lacks something.
    pub fn new(
        domain: &mut Domain,
        config: &Config,
        matrix: JoinedMatrix<M, MM>,
        lines: &LineSet,
    ) -> Result<Preconditioning<M, MM>, DomainError> {
        let lines = LinePreconditioner::new(domain, &matrix.blocks, lines, relaxation(config));
        let lines = JoinedLines { lines, copies: matrix.sides.map(|sides| sides.vectors) };
        let names = (1..=config.most_coarse_levels() as usize).map(Names::of);
        let names: Vec<Names> = names.take_while(|names| domain.set(&names.nodes).is_ok()).collect();
        let levels = names.iter().map(|names| agglomerates(domain, names)).collect::<Result<Vec<_>, _>>()?;
        let copies = names.iter().map(|names| Copies::new(domain, &names.prefix));
        let copies = copies.collect::<Result<Vec<_>, _>>()?;
        let is_on_levels = Cell::new(config.coarse_levels.is_some());
        let many = config.linear_iterations.min(RESTART as u64);
        let multigrid = OnceCell::new();
        Ok(Preconditioning { matrix, lines, levels, copies, many, is_on_levels, multigrid })
    }

    /// Records the loops that prepare it for the matrix's blocks as they are now.
    pub fn update(&self, domain: &mut Domain) {
        self.lines.lines.update(domain);
        if self.coarse_levels() > 0 {
            self.multigrid.get_or_init(|| self.on_levels(domain));
        }
        if let Some(multigrid) = self.multigrid.get() {
            multigrid.update(domain);
        }
    }

    fn on_levels(&self, domain: &mut Domain) -> OnLevels<M, MM> {
        let JoinedMatrix { sides, .. } = self.matrix;
        let of_level = |domain: &mut Domain, level: usize, blocks| {
            let both = sides.zip(self.copies[level - 1]);
            let sides = both.map(|(sides, copies)| sides.of_level(domain, copies, &blocks));
            JoinedMatrix { blocks, sides }
        };
        Multigrid::of_levels(domain, self.matrix, self.lines.clone(), &self.levels, OPTIONS, of_level)
    }

    /// The coarse levels that are used; 0: lines alone.
    pub fn coarse_levels(&self) -> usize {
        if self.is_on_levels.get() { self.levels.len() } else { 0 }
    }

    /// From the next matrix on, levels are used.
    pub fn use_levels(&self) {
        self.is_on_levels.set(true);
    }

    /// Decides from the iterations of a system whether the next ones need levels.
    pub fn watch(&self, iterations: u64) {
        if iterations >= self.many {
            self.use_levels();
        }
    }
}

impl<const M: usize, const MM: usize> Preconditioner<M> for Preconditioning<M, MM>
where
    Loops: BlockLoops<M, MM, f64>,
    CopySums<M>: CopyLoops<M>,
    CopySums<MM>: CopyLoops<MM>,
{
    fn apply(&self, domain: &mut Domain, r: Dat<M>, z: Dat<M>) {
        match self.multigrid.get() {
            Some(multigrid) => multigrid.apply(domain, r, z),
            None => self.lines.apply(domain, r, z),
        }
    }
}

/// The relaxation that is asked for.
fn relaxation(config: &Config) -> Relaxation {
    match config.relaxation {
        config::Relaxation::Jacobi => Relaxation::Jacobi,
        config::Relaxation::GaussSeidel => Relaxation::GaussSeidel,
    }
}

fn agglomerates(domain: &Domain, names: &Names) -> Result<Agglomerates, DomainError> {
    Ok(Agglomerates {
        nodes: domain.map(&names.of_nodes)?,
        edges: domain.map(&names.of_edges)?,
        firsts: domain.map(&names.of_firsts)?,
        direction: domain.dat(&names.direction)?,
        ends: domain.map(&names.ends)?,
    })
}

//! Coarse levels that correct explicit steps to a steady state: the full approximation scheme
//! ([`transfer`](crate::gas::transfer)).
//!
//! A level of agglomerates has R of first order. After a step on the finer level it starts from that level's state, and solves
//!
//! ```text
//! R(q) = R(q_start) - sum of R of the agglomerates' nodes
//! ```
//!
//! by a step and its own coarser level, [`VISITS`] times. Its change corrects the finer level's state.

use cfd_engine::handle::Target;
use cfd_engine::prelude::*;
use cfd_mesh::Named;
use cfd_mesh::derive::coarse::Names;

use super::march::Steps;
use super::{Faces, Flow, Geometry, N, Residual, kernels};
use crate::flow::config::{Config, Scheme};
use crate::flow::gas::Gas;
use crate::gas::transfer::Move;

/// A level is visited so often by the finer one: W cycles.
const VISITS: usize = 2;
/// Coefficients of the stages that damp best in first order: van Leer, Tai, Powell, "Design of optimally smoothing multi-stage
/// schemes for the Euler equations", AIAA 89-1933, DOI 10.2514/6.1989-1933.
const STAGES: [f64; 5] = [0.0533, 0.1263, 0.2375, 0.4414, 1.0];
/// The share of a coarse level's change by which the finer one is corrected: on a mesh that grows coarser outwards, the fluxes
/// of first order between agglomerates are too small.
const SHARE: f64 = 0.7;
/// A level has at least so many nodes: below, it saves nothing.
const FEWEST: u64 = 50;
/// Levels end where agglomerates become rings, whose faces have less left of their sizes than this: no flow goes through them.
const FLATTEST: f64 = 0.25;
/// The Courant number of coarse levels over that of the mesh itself.
const COURANT_NUMBER: f64 = 1.3;

/// A level that steps are taken on.
struct Grid<'a> {
    residual: &'a Residual,
    q: Dat<N>,
    steps: &'a Steps,
    /// R(q) = forcing is solved, of coarse levels.
    forcing: Option<Dat<N>>,
    /// Its edges over those of the mesh itself.
    share: f64,
}

/// A coarse level.
struct Level {
    residual: Residual,
    q: Dat<N>,
    steps: Steps,
    /// The state restricted from the finer level.
    start: Dat<N>,
    forcing: Dat<N>,
    /// The agglomerate of a node of the finer level.
    up: Target<1, 0>,
    /// The lowest density or pressure of the finer level after its correction.
    lowest: Global<Min<1>>,
    share: f64,
}

/// All coarse levels, the finest of them first.
pub struct Levels {
    all: Vec<Level>,
    courant_number: f64,
}

impl Levels {
    /// Those that the scheme uses, as many as the domain has. Collective.
    ///
    /// # Errors
    /// A level lacks something.
    pub fn new(
        domain: &mut Domain,
        config: &Config,
        boundaries: &Named,
        finest: &Residual,
    ) -> Result<Levels, DomainError> {
        let mut all: Vec<Level> = Vec::new();
        let most = if config.scheme == Scheme::Explicit { config.most_coarse_levels() as usize } else { 0 };
        for number in 1..=most {
            let nodes = domain.set(&Names::of(number).nodes);
            if nodes.is_err() || nodes.is_ok_and(|nodes| domain.rows(nodes) < FEWEST) {
                break;
            }
            let level = Level::new(domain, number, config, boundaries, finest)?;
            if level.flatness(domain)? < FLATTEST {
                break;
            }
            all.push(level);
        }
        let courant_number = COURANT_NUMBER * config.cfl();
        Ok(Levels { all, courant_number })
    }

    /// The lowest density or pressure after the mesh's own state was corrected.
    pub fn lowest(&self) -> Option<&Global<Min<1>>> {
        self.all.first().map(|level| &level.lowest)
    }

    /// The boundary faces of all levels.
    pub fn faces(&self) -> impl Iterator<Item = &Faces> {
        self.all.iter().flat_map(|level| &level.residual.geometry.faces)
    }

    /// From now on levels have the free stream of `gas`.
    pub fn turn(&mut self, gas: &Gas) {
        for level in &mut self.all {
            level.residual.gas = Gas { kappa: 0.0, ..*gas };
        }
    }

    /// Records the loops that correct a level, whose w is that of its state, by the coarse level `at`, if there is one; the
    /// evaluations of R in them.
    fn correct(&self, domain: &mut Domain, fine: &Grid<'_>, at: usize) -> f64 {
        let Some(level) = self.all.get(at) else { return 0.0 };
        let own = level.grid();
        let mut evaluations = fine.record_residual(domain);
        evaluations += level.restrict(domain, fine);
        for visit in 0..VISITS {
            evaluations += self.step(domain, &own, visit == 0);
            evaluations += self.correct(domain, &own, at + 1);
        }
        level.prolong(domain, fine);
        evaluations
    }

    /// Records a step on a coarse level, where R is known for its first stage or not; the evaluations of R.
    fn step(&self, domain: &mut Domain, own: &Grid<'_>, is_known: bool) -> f64 {
        let Grid { residual, q, steps, .. } = *own;
        steps.record_local(domain, residual, q, self.courant_number);
        let mut evaluations = 0.0;
        for (at, &coefficient) in STAGES.iter().enumerate() {
            if at > 0 || !is_known {
                evaluations += own.record_residual(domain);
            }
            steps.record_local_stage(domain, residual, q, at, [coefficient, self.courant_number]);
        }
        evaluations
    }
}

impl Grid<'_> {
    /// Records the loops that add R, less what forces the level, to `res`, which is 0 before; that counts as its share of an
    /// evaluation.
    fn record_residual(&self, domain: &mut Domain) -> f64 {
        self.residual.record(domain);
        if let Some(forcing) = self.forcing {
            let Residual { geometry, res, .. } = self.residual;
            domain.par_loop(kernels::feed, geometry.nodes, (forcing, *res), &());
        }
        self.share
    }
}

impl Level {
    /// A coarse level, from 1.
    fn new(
        domain: &mut Domain,
        number: usize,
        config: &Config,
        boundaries: &Named,
        finest: &Residual,
    ) -> Result<Level, DomainError> {
        let residual = Residual::coarse(domain, number, config, boundaries)?;
        let names = Names::of(number);
        let to: Map<1> = domain.map(&names.of_nodes)?;
        let name = |name: &str| format!("{}{name}", names.prefix);
        let nodes = residual.geometry.nodes;
        let [edges, all] = [&residual, finest].map(|residual| domain.rows(residual.geometry.edges) as f64);
        Ok(Level {
            q: domain.new_dat(nodes, &name("variables")),
            steps: Steps::new(domain, nodes, &names.prefix, config, STAGES.len()),
            start: domain.new_dat(nodes, &name("start")),
            forcing: domain.new_dat(nodes, &name("forcing")),
            up: to.target::<0>(),
            lowest: domain.new_min(&name("lowest after correction")),
            share: edges / all,
            residual,
        })
    }

    fn grid(&self) -> Grid<'_> {
        let Level { residual, q, steps, forcing, share, .. } = self;
        Grid { residual, q: *q, steps, forcing: Some(*forcing), share: *share }
    }

    /// Records the loops that start the level from the finer one, whose R is in its `res`; afterwards this one's is known. The
    /// evaluations of R.
    fn restrict(&self, domain: &mut Domain, fine: &Grid<'_>) -> f64 {
        let Level { ref residual, q, start, forcing, up, share, .. } = *self;
        let (Geometry { nodes, volume, .. }, res) = (&residual.geometry, residual.res);
        domain.par_loop(kernels::clear_coarse, *nodes, (q, forcing), &());
        let finer = &fine.residual.geometry;
        let operands = (fine.q, finer.volume, fine.residual.res, q.at(up), forcing.at(up));
        domain.par_loop(kernels::restrict, finer.nodes, operands, &());
        domain.par_loop(kernels::start_coarse, *nodes, (*volume, q, start), &());
        residual.refresh(domain, q);
        residual.record(domain);
        domain.par_loop(kernels::make_forcing, *nodes, (res, forcing), &());
        domain.par_loop(kernels::feed, *nodes, (forcing, res), &());
        share
    }

    /// Records the loops that correct the finer level by this one's change.
    fn prolong(&self, domain: &mut Domain, fine: &Grid<'_>) {
        let Level { q, start, up, lowest, ref residual, .. } = *self;
        let share = Move { gm1: residual.gas.gm1, share: SHARE };
        let operands = (q.at(up), start.at(up), fine.q, lowest);
        domain.par_loop(kernels::move_by, fine.residual.geometry.nodes, operands, &share);
        fine.residual.refresh(domain, fine.q);
    }

    /// The least of what is left of the sizes of an agglomerate's faces in their area vectors.
    fn flatness(&self, domain: &mut Domain) -> Result<f64, BackendError> {
        let Geometry { nodes, edges, a, b, area, size, .. } = self.residual.geometry;
        let name = |name: &str| format!("{name} of {} agglomerates", domain.rows(nodes));
        let (sums, least) = (name("sizes"), name("flatness"));
        let (sums, least) = (domain.new_dat::<2, f64>(nodes, &sums), domain.new_min(&least));
        let size = size.expect("a coarse level has sizes");
        domain.par_loop(kernels::add_sizes, edges, (area, size, sums.at(a), sums.at(b)), &());
        domain.par_loop(kernels::flatness, nodes, (sums, least), &());
        let [Extremum { value, .. }] = domain.extremum(least)?;
        Ok(value)
    }
}

impl Flow {
    /// The boundary faces of the mesh itself, then those of coarse levels.
    pub(super) fn faces(&self) -> impl Iterator<Item = &Faces> {
        self.residual.geometry.faces.iter().chain(self.levels.faces())
    }

    /// Records the loops that correct the state by the coarse levels, if there are any; w is that of the state before and after.
    pub(super) fn correct_by_levels(&mut self, domain: &mut Domain) {
        let Flow { residual, q, march, levels, .. } = self;
        let own = Grid { residual, q: *q, steps: &march.steps, forcing: None, share: 1.0 };
        self.evaluations += levels.correct(domain, &own, 0);
    }
}

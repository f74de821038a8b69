//! `scheme = "euler"`: the Euler equations, second order on the finest level, full approximation scheme on the others.
//!
//! ```text
//! blocks       matrix time steps
//! gradients    right-hand sides of least-squares gradients
//! kernels      time steps, fluxes, updates
//! cycle        V and W cycles: the order of the levels
//! mod (here)   state, and the order of the loops on one level
//! ```

pub mod blocks;
mod cycle;
pub mod gradients;
pub mod kernels;

use cfd_engine::prelude::*;

use self::kernels::Stage;
use super::config::{Config, Flow, Limiter, TimeStep};
use super::level::Level;
use super::watch::Watch;
use crate::gas::copies::{self, CopyEdges, CopyLoops, CopySums, Shape};
use crate::gas::gradients as least_squares;
use crate::gas::{transfer, waves};

/// V / dt of the nodes.
#[derive(Clone, Copy)]
enum InverseTimeStep {
    /// Sum of the wave speeds through a cell's faces.
    Scalar(Dat<1>),
    /// A time step for each wave.
    Matrix(Dat<11>),
}

/// Dats of every level.
#[derive(Clone, Copy)]
struct State {
    /// The state that a Runge-Kutta step starts from; between steps, room for corrections.
    old: Dat<5>,
    /// R; 0 whenever a loop starts to add to it.
    res: Dat<5>,
    inverse_step: InverseTimeStep,
    volume: Dat<1>,
    rms: Global<Sum<1>>,
}

/// A level's copies of nodes on periodic boundaries, and the sums over them. Coarse levels have some where boundaries are turned;
/// those that are moved are within their cells.
#[derive(Clone, Copy)]
struct Copies {
    /// Edges that are another one, of the finest level.
    edges: Option<CopyEdges>,
    /// Volumes, sums of wave speeds.
    numbers: CopySums<1>,
    /// Matrices of least squares, of the finest level.
    matrices: CopySums<6>,
    /// Of the finest level.
    gradients: CopySums<15>,
    /// States, R.
    states: CopySums<5>,
    /// Matrix time steps.
    blocks: CopySums<11>,
}

/// The finest level's dats for the reconstruction.
#[derive(Clone, Copy)]
struct Reconstruction {
    inverse: Dat<6>,
    gradient: Dat<15>,
}

/// Dats of all levels but the finest.
#[derive(Clone, Copy)]
struct Coarse {
    /// The state restricted from the finer level.
    start: Dat<5>,
    /// R(q) = forcing is solved.
    forcing: Dat<5>,
}

/// Dats of all levels but the coarsest.
#[derive(Clone, Copy)]
struct Fine {
    /// The position of the node's coarse node.
    place: Dat<3>,
    /// Sum of the weights of the neighbours' corrections.
    weights: Dat<1>,
}

/// One level's state and what it needs from adjacent levels.
#[derive(Clone, Copy)]
struct Grid {
    level: Level,
    state: State,
    coarse: Option<Coarse>,
    fine: Option<Fine>,
}

/// The scheme's state on all levels.
pub struct Euler {
    grids: Vec<Grid>,
    reconstruction: Reconstruction,
    /// Of each level.
    copies: Vec<Option<Copies>>,
    flow: Flow,
    options: Config,
    /// Evaluations of R on each level so far.
    pub(super) evaluations: Vec<u64>,
}

impl Euler {
    /// Volumes, gradients' matrices and weights of the prolongation.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(
        domain: &mut Domain,
        levels: &[Level],
        config: &Config,
        flow: &Flow,
    ) -> Result<Euler, DomainError> {
        let grids: Vec<Grid> = levels.iter().map(|level| Grid::new(domain, level, config)).collect();
        let finest = levels[0];
        let reconstruction = Reconstruction {
            inverse: finest.on_nodes(domain, "inverse"),
            gradient: finest.on_nodes(domain, "gradient"),
        };
        let Level { edges, nodes, a, b, x, weights, .. } = finest;
        let (volume, inverse) = (grids[0].state.volume, reconstruction.inverse);
        let operands = (x.at(a), x.at(b), weights, volume.at(a), volume.at(b));
        domain.par_loop(kernels::pyramids, edges, operands, &());
        let operands = (x.at(a), x.at(b), inverse.at(a), inverse.at(b));
        domain.par_loop(least_squares::moments_3d, edges, operands, &());
        let copies = levels.iter().map(|level| Copies::new(domain, level)).collect::<Result<Vec<_>, _>>()?;
        if let Some(copies) = &copies[0] {
            copies.numbers.unite(domain, volume);
            if let Some(CopyEdges { set, a, b }) = copies.edges {
                let operands = (x.at(a), x.at(b), inverse.at(a), inverse.at(b));
                domain.par_loop(least_squares::fewer_moments_3d, set, operands, &());
            }
            copies.matrices.unite(domain, inverse);
        }
        domain.par_loop(least_squares::invert_3d, nodes, (inverse,), &());
        for (fine, coarse) in grids.iter().zip(&grids[1..]) {
            fine.connect(domain, coarse);
        }
        let evaluations = vec![0; grids.len()];
        Ok(Euler { grids, reconstruction, copies, flow: *flow, options: config.clone(), evaluations })
    }

    /// The sum of (R_rho / V)^2 at the start of each level's last cycle.
    pub fn sums(&self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        self.grids.iter().map(|grid| domain.get(grid.state.rms).map(|[sum]| sum)).collect()
    }

    /// Volumes of the dual cells of each level, the finest first.
    pub fn volumes(&self) -> Vec<Dat<1>> {
        self.grids.iter().map(|grid| grid.state.volume).collect()
    }

    /// The dat in which R of a level's nodes is computed.
    pub fn residual_dat(&self, number: usize) -> Dat<5> {
        self.grids[number].state.res
    }

    /// A level's copies of nodes, if it has any.
    fn copies(&self, number: usize) -> Option<&Copies> {
        self.copies[number].as_ref()
    }

    /// Records the loops after which all copies of a node have its R, of which each has a part.
    fn unite_residual(&self, domain: &mut Domain, number: usize) {
        if let Some(copies) = self.copies(number) {
            copies.states.unite(domain, self.grids[number].state.res);
        }
    }

    /// Records the loops that add R of the current state to `res`, which is 0 before; returns `res`. Copies of a node have
    /// their own part of it.
    pub fn record_residual(&mut self, domain: &mut Domain, number: usize) -> Dat<5> {
        self.evaluations[number] += 1;
        let Grid { level, state: State { res, .. }, .. } = self.grids[number];
        let Level { edges, bnodes, a, b, bnode, weights, bweights, group, q, .. } = level;
        if number == 0 {
            self.record_second_order(domain);
        } else {
            let operands = (q.at(a), q.at(b), weights, res.at(a), res.at(b));
            domain.par_loop(kernels::first_order_flux, edges, operands, &self.flow);
        }
        let operands = (q.at(bnode), bweights, group, res.at(bnode));
        domain.par_loop(kernels::boundary_flux, bnodes, operands, &self.flow);
        res
    }

    /// Records the gradients and the fluxes between reconstructed states.
    fn record_second_order(&self, domain: &mut Domain) {
        let Grid { level, state: State { res, .. }, .. } = self.grids[0];
        let Level { edges, nodes, a, b, x, weights, q, .. } = level;
        let Reconstruction { inverse, gradient } = self.reconstruction;
        domain.par_loop(least_squares::clear_3d, nodes, (gradient,), &());
        let operands = (x.at(a), x.at(b), q.at(a), q.at(b), gradient.at(a), gradient.at(b));
        domain.par_loop(gradients::differences, edges, operands, &self.flow);
        if let Some(copies) = self.copies(0) {
            if let Some(CopyEdges { set, a, b }) = copies.edges {
                // Positions are exchanged.
                let operands = (x.at(b), x.at(a), q.at(a), q.at(b), gradient.at(a), gradient.at(b));
                domain.par_loop(gradients::differences, set, operands, &self.flow);
            }
            copies.gradients.unite(domain, gradient);
        }
        domain.par_loop(least_squares::solve_3d, nodes, (inverse, gradient), &());
        let operands = (
            x.at(a),
            x.at(b),
            q.at(a),
            q.at(b),
            gradient.at(a),
            gradient.at(b),
            weights,
            res.at(a),
            res.at(b),
        );
        match self.options.limiter {
            Limiter::None => domain.par_loop(kernels::flux_unlimited, edges, operands, &self.flow),
            Limiter::VanAlbada => domain.par_loop(kernels::flux_van_albada, edges, operands, &self.flow),
            Limiter::Venkatakrishnan => {
                domain.par_loop(kernels::flux_venkatakrishnan, edges, operands, &self.flow)
            }
        }
    }

    /// Records the sum of squares of the residual in `res`.
    fn record_norm(&self, domain: &mut Domain, number: usize) {
        let Grid { level, state: State { res, volume, rms, .. }, coarse, .. } = self.grids[number];
        match coarse {
            None => domain.par_loop(kernels::norm, level.nodes, (res, volume, rms), &()),
            Some(Coarse { forcing, .. }) => {
                domain.par_loop(kernels::norm_forced, level.nodes, (res, forcing, volume, rms), &())
            }
        }
    }

    /// Records one Runge-Kutta step. With `known`, R of the current state is already in `res`.
    fn record_step(&mut self, domain: &mut Domain, number: usize, known: bool, watch: &mut Watch) {
        let (cfl, stages) = match number {
            0 => (self.options.cfl, self.options.stages.clone()),
            _ => (self.options.coarse_cfl, self.options.coarse_stages.clone()),
        };
        self.record_pace(domain, number);
        for (k, coefficient) in stages.iter().enumerate() {
            if k > 0 || !known {
                self.record_residual(domain, number);
                self.unite_residual(domain, number);
            }
            let Flow { gamma, gm1, .. } = self.flow;
            let stage = Stage { gamma, gm1, factor: coefficient * cfl };
            let lowest = watch.next(domain, number);
            self.record_stage(domain, number, &stage, lowest);
        }
        if self.copies(number).is_some_and(|copies| copies.states.is_turned()) {
            // What turned copies of a node compute differs by rounding.
            self.share_state(domain, number);
        }
    }

    /// Records the loops after which all copies of a node have its state.
    fn share_state(&self, domain: &mut Domain, number: usize) {
        if let Some(copies) = self.copies(number) {
            copies.states.share(domain, self.grids[number].level.q);
        }
    }

    /// Records the loops that compute V / dt of the current state and save the state.
    fn record_pace(&self, domain: &mut Domain, number: usize) {
        let Grid { level, state: State { old, inverse_step, .. }, .. } = self.grids[number];
        let Level { nodes, edges, bnodes, a, b, bnode, weights, bweights, q, .. } = level;
        match inverse_step {
            InverseTimeStep::Scalar(wave) => {
                domain.par_loop(kernels::begin_step, nodes, (q, old, wave), &());
                let operands = (q.at(a), q.at(b), weights, wave.at(a), wave.at(b));
                domain.par_loop(kernels::wave_speeds, edges, operands, &self.flow);
                let operands = (q.at(bnode), bweights, wave.at(bnode));
                domain.par_loop(kernels::boundary_wave_speeds, bnodes, operands, &self.flow);
                if let Some(copies) = self.copies(number) {
                    copies.numbers.unite(domain, wave);
                }
            }
            InverseTimeStep::Matrix(block) => {
                domain.par_loop(blocks::begin_matrix_step, nodes, (q, old, block), &());
                let operands = (q.at(a), q.at(b), weights, block.at(a), block.at(b));
                domain.par_loop(blocks::add_blocks, edges, operands, &self.flow);
                let operands = (q.at(bnode), bweights, block.at(bnode));
                domain.par_loop(blocks::add_boundary_blocks, bnodes, operands, &self.flow);
                if let Some(copies) = self.copies(number) {
                    copies.blocks.unite(domain, block);
                }
                domain.par_loop(waves::invert_blocks_3d, nodes, (block,), &());
            }
        }
    }

    /// Records the loop that computes a stage's state from R.
    fn record_stage(&self, domain: &mut Domain, number: usize, stage: &Stage, lowest: Global<Min<1>>) {
        let Grid { level: Level { nodes, q, .. }, state, coarse, .. } = self.grids[number];
        let State { old, res, inverse_step, .. } = state;
        match (inverse_step, coarse) {
            (InverseTimeStep::Scalar(wave), None) => {
                domain.par_loop(kernels::stage, nodes, (old, wave, res, q, lowest), stage);
            }
            (InverseTimeStep::Scalar(wave), Some(Coarse { forcing, .. })) => {
                let operands = (old, wave, res, forcing, q, lowest);
                domain.par_loop(kernels::stage_forced, nodes, operands, stage);
            }
            (InverseTimeStep::Matrix(inverse), None) => {
                domain.par_loop(blocks::matrix_stage, nodes, (old, inverse, res, q, lowest), stage);
            }
            (InverseTimeStep::Matrix(inverse), Some(Coarse { forcing, .. })) => {
                let operands = (old, inverse, res, forcing, q, lowest);
                domain.par_loop(blocks::matrix_stage_forced, nodes, operands, stage);
            }
        }
    }
}

impl Copies {
    /// Of a level, if it has copies of nodes.
    fn new(domain: &mut Domain, level: &Level) -> Result<Option<Copies>, DomainError> {
        let prefix = format!("level{}/", level.number);
        let all = copies::Copies::new(domain, &prefix)?;
        let name = |of: &str| format!("{prefix}{of}");
        Ok(all.map(|all| Copies {
            edges: all.edges,
            numbers: all.sums(domain, &name("numbers"), Shape::Numbers),
            matrices: all.sums(domain, &name("matrices"), Shape::Symmetric),
            gradients: all.sums(domain, &name("gradients"), Shape::Gradients),
            states: all.sums(domain, &name("states"), Shape::State),
            blocks: all.sums(domain, &name("blocks"), Shape::Waves),
        }))
    }
}

impl Grid {
    fn new(domain: &mut Domain, level: &Level, config: &Config) -> Grid {
        Grid {
            level: *level,
            state: State {
                old: level.on_nodes(domain, "old_variables"),
                res: level.on_nodes(domain, "residuals"),
                inverse_step: match config.time_step {
                    TimeStep::Scalar => InverseTimeStep::Scalar(level.on_nodes(domain, "wave_speeds")),
                    TimeStep::Matrix => InverseTimeStep::Matrix(level.on_nodes(domain, "blocks")),
                },
                volume: level.on_nodes(domain, "volumes"),
                rms: domain.new_sum(&format!("rms of level {}", level.number)),
            },
            coarse: (level.number > 0).then(|| Coarse {
                start: level.on_nodes(domain, "start"),
                forcing: level.on_nodes(domain, "forcing"),
            }),
            fine: level.coarse.is_some().then(|| Fine {
                place: level.on_nodes(domain, "place_of_coarse_node"),
                weights: level.on_nodes(domain, "weights_of_corrections"),
            }),
        }
    }

    /// Records the loops that compute what the transfer to the next level needs.
    fn connect(&self, domain: &mut Domain, coarser: &Grid) {
        let Level { nodes, edges, a, b, x, .. } = self.level;
        let (up, Fine { place, weights }) = (self.level.to_coarser(), self.fine());
        let volumes = (self.state.volume, coarser.state.volume.at(up));
        domain.par_loop(kernels::add_volume, nodes, volumes, &());
        domain.par_loop(transfer::fetch_place_3d, nodes, (coarser.level.x.at(up), place), &());
        let operands = (x.at(a), x.at(b), place.at(a), place.at(b), weights.at(a), weights.at(b));
        domain.par_loop(transfer::add_nearness_3d, edges, operands, &());
    }

    fn fine(&self) -> Fine {
        self.fine.expect("all but the coarsest level have a coarser one")
    }

    fn coarse(&self) -> Coarse {
        self.coarse.expect("all but the finest level have a finer one")
    }
}

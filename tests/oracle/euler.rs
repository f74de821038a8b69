//! The Euler scheme of MG-CFD without the engine: the solver's kernels in plain loops over the rows in file order, each
//! increment added to its target as soon as it is computed, sums rounded once.

use cfd_engine::kernel::{Kernel, Params};
use cfd_engine::mesh::Mesh;
use cfd_reference::mgcfd::{Level, State};
use cfd_solvers::gas::gradients as least_squares;
use cfd_solvers::gas::transfer::{self, Correction};
use cfd_solvers::gas::waves;
use cfd_solvers::mgcfd::euler::kernels::{self, Stage};
use cfd_solvers::mgcfd::euler::{blocks, gradients};
use cfd_solvers::mgcfd::{Config, Cycle, Flow, Limiter, TimeStep};

use super::sum::correctly_rounded;

/// Cycles on a mesh that one rank holds: the residual of each, and every level's variables.
///
/// # Panics
/// With another limiter than van Albada's.
pub fn run(mesh: &Mesh, config: &Config, cycles: usize) -> (Vec<f64>, Vec<Vec<State>>) {
    assert_eq!(config.limiter, Limiter::VanAlbada, "the only one this knows");
    let mut run = Run::new(super::mgcfd::levels(mesh), config);
    let history = (0..cycles).map(|_| run.cycle()).collect();
    (history, run.levels.into_iter().map(|grid| grid.q).collect())
}

/// A kernel's arguments after it has run.
fn call<K: Kernel>(
    _: fn() -> K,
    mut arguments: <K::Params as Params>::Locals<f64>,
    constants: &K::Constants,
) -> <K::Params as Params>::Locals<f64> {
    K::call::<f64>(&mut arguments, constants);
    arguments
}

/// The initial value of an increment.
fn none<const D: usize>() -> [f64; D] {
    [-0.0; D]
}

/// What is written before it is read.
fn unset<const D: usize>() -> [f64; D] {
    [f64::NAN; D]
}

fn add<const D: usize>(target: &mut [f64; D], increment: [f64; D]) {
    target.iter_mut().zip(increment).for_each(|(target, value)| *target += value);
}

struct Grid {
    mesh: Level,
    q: Vec<State>,
    old: Vec<State>,
    res: Vec<State>,
    wave: Vec<[f64; 1]>,
    block: Vec<[f64; 11]>,
    volume: Vec<[f64; 1]>,
    start: Vec<State>,
    forcing: Vec<State>,
    place: Vec<[f64; 3]>,
    weights: Vec<[f64; 1]>,
}

impl Grid {
    fn new(mesh: Level, flow: &Flow) -> Grid {
        let nodes = mesh.x.len();
        Grid {
            mesh,
            q: vec![flow.qinf; nodes],
            old: vec![[0.0; 5]; nodes],
            res: vec![[0.0; 5]; nodes],
            wave: vec![[0.0]; nodes],
            block: vec![[0.0; 11]; nodes],
            volume: vec![[0.0]; nodes],
            start: vec![[0.0; 5]; nodes],
            forcing: vec![[0.0; 5]; nodes],
            place: vec![[0.0; 3]; nodes],
            weights: vec![[0.0]; nodes],
        }
    }

    fn nodes(&self) -> std::ops::Range<usize> {
        0..self.q.len()
    }

    /// The ends of every edge, with the edge's area vector.
    fn edges(&self) -> Vec<([usize; 2], [f64; 3])> {
        let ends = self.mesh.edge_nodes.iter().map(|ends| ends.map(|node| node as usize));
        ends.zip(self.mesh.edge_weights.iter().copied()).collect()
    }

    /// The node, area vector and group of every boundary face.
    fn faces(&self) -> Vec<(usize, [f64; 3], i32)> {
        let Level { bnode_node, bnode_weights, bnode_group, .. } = &self.mesh;
        let rows = bnode_node.iter().zip(bnode_weights).zip(bnode_group);
        rows.map(|((&node, &weight), &group)| (node as usize, weight, group)).collect()
    }
}

struct Run {
    levels: Vec<Grid>,
    inverse: Vec<[f64; 6]>,
    gradient: Vec<[f64; 15]>,
    flow: Flow,
    config: Config,
}

impl Run {
    fn new(levels: Vec<Level>, config: &Config) -> Run {
        let flow = Flow::new(config);
        let levels: Vec<Grid> = levels.into_iter().map(|level| Grid::new(level, &flow)).collect();
        let nodes = levels[0].q.len();
        let (inverse, gradient) = (vec![[0.0; 6]; nodes], vec![[0.0; 15]; nodes]);
        let mut run = Run { levels, inverse, gradient, flow, config: config.clone() };
        let finest = &mut run.levels[0];
        for ([a, b], w) in finest.edges() {
            let (x_a, x_b) = (finest.mesh.x[a], finest.mesh.x[b]);
            let made = call(kernels::pyramids, (x_a, x_b, w, none(), none()), &());
            add(&mut finest.volume[a], made.3);
            add(&mut finest.volume[b], made.4);
            let made = call(least_squares::moments_3d, (x_a, x_b, none(), none()), &());
            add(&mut run.inverse[a], made.2);
            add(&mut run.inverse[b], made.3);
        }
        for inverse in &mut run.inverse {
            *inverse = call(least_squares::invert_3d, (*inverse,), &()).0;
        }
        for number in 0..run.levels.len() - 1 {
            run.connect(number);
        }
        run
    }

    fn pair(&mut self, number: usize) -> (&mut Grid, &mut Grid) {
        let (finer, coarser) = self.levels.split_at_mut(number + 1);
        (&mut finer[number], &mut coarser[0])
    }

    fn connect(&mut self, number: usize) {
        let (fine, coarse) = self.pair(number);
        for node in fine.nodes() {
            let up = fine.mesh.node_mg_node[node] as usize;
            let made = call(kernels::add_volume, (fine.volume[node], none()), &());
            add(&mut coarse.volume[up], made.1);
            fine.place[node] = call(transfer::fetch_place_3d, (coarse.mesh.x[up], unset()), &()).1;
        }
        for ([a, b], _) in fine.edges() {
            let (x, place) = (&fine.mesh.x, &fine.place);
            let arguments = (x[a], x[b], place[a], place[b], none(), none());
            let made = call(transfer::add_nearness_3d, arguments, &());
            add(&mut fine.weights[a], made.4);
            add(&mut fine.weights[b], made.5);
        }
    }

    fn cycle(&mut self) -> f64 {
        self.residual(0);
        let finest = &self.levels[0];
        let square = |node| call(kernels::norm, (finest.res[node], finest.volume[node], [0.0]), &()).2[0];
        let sum = correctly_rounded(finest.nodes().map(square));
        let rows = finest.q.len() as f64;
        self.descend(0, true);
        (sum / rows).sqrt()
    }

    fn descend(&mut self, number: usize, known: bool) {
        let coarsest = number + 1 == self.levels.len();
        let steps = if coarsest { self.config.coarsest_steps } else { self.config.pre_steps };
        for step in 0..steps {
            self.step(number, known && step == 0);
        }
        if coarsest {
            return;
        }
        self.residual(number);
        self.restrict(number);
        let visits = if self.config.cycle == Cycle::W { 2 } else { 1 };
        (0..visits).for_each(|visit| self.descend(number + 1, visit == 0));
        self.prolong(number);
        (0..self.config.post_steps).for_each(|_| self.step(number, false));
    }

    fn residual(&mut self, number: usize) {
        if number == 0 {
            self.gradients();
        }
        let (flow, gradient) = (&self.flow, &self.gradient);
        let grid = &mut self.levels[number];
        for ([a, b], w) in grid.edges() {
            let (x, q) = (&grid.mesh.x, &grid.q);
            let (res_a, res_b) = if number == 0 {
                let (g_a, g_b) = (gradient[a], gradient[b]);
                let arguments = (x[a], x[b], q[a], q[b], g_a, g_b, w, none(), none());
                let made = call(kernels::flux_van_albada, arguments, flow);
                (made.7, made.8)
            } else {
                let made = call(kernels::first_order_flux, (q[a], q[b], w, none(), none()), flow);
                (made.3, made.4)
            };
            add(&mut grid.res[a], res_a);
            add(&mut grid.res[b], res_b);
        }
        for (node, w, group) in grid.faces() {
            let made = call(kernels::boundary_flux, (grid.q[node], w, [group], none()), flow);
            add(&mut grid.res[node], made.3);
        }
    }

    fn gradients(&mut self) {
        let Run { gradient, inverse, flow, .. } = self;
        let finest = &self.levels[0];
        gradient.iter_mut().for_each(|gradient| *gradient = call(least_squares::clear_3d, (unset(),), &()).0);
        for ([a, b], _) in finest.edges() {
            let (x, q) = (&finest.mesh.x, &finest.q);
            let made = call(gradients::differences, (x[a], x[b], q[a], q[b], none(), none()), flow);
            add(&mut gradient[a], made.4);
            add(&mut gradient[b], made.5);
        }
        for (gradient, inverse) in gradient.iter_mut().zip(inverse) {
            *gradient = call(least_squares::solve_3d, (*inverse, *gradient), &()).1;
        }
    }

    fn step(&mut self, number: usize, known: bool) {
        let Config { stages, coarse_stages, cfl, coarse_cfl, .. } = self.config.clone();
        let (stages, cfl) = if number == 0 { (stages, cfl) } else { (coarse_stages, coarse_cfl) };
        match self.config.time_step {
            TimeStep::Scalar => self.scalar_pace(number),
            TimeStep::Matrix => self.matrix_pace(number),
        }
        for (k, coefficient) in stages.iter().enumerate() {
            if k > 0 || !known {
                self.residual(number);
            }
            let Flow { gamma, gm1, .. } = self.flow;
            self.stage(number, &Stage { gamma, gm1, factor: coefficient * cfl });
        }
    }

    fn scalar_pace(&mut self, number: usize) {
        let (flow, grid) = (&self.flow, &mut self.levels[number]);
        for node in grid.nodes() {
            (_, grid.old[node], grid.wave[node]) =
                call(kernels::begin_step, (grid.q[node], unset(), unset()), &());
        }
        for ([a, b], w) in grid.edges() {
            let made = call(kernels::wave_speeds, (grid.q[a], grid.q[b], w, none(), none()), flow);
            add(&mut grid.wave[a], made.3);
            add(&mut grid.wave[b], made.4);
        }
        for (node, w, _) in grid.faces() {
            let made = call(kernels::boundary_wave_speeds, (grid.q[node], w, none()), flow);
            add(&mut grid.wave[node], made.2);
        }
    }

    fn matrix_pace(&mut self, number: usize) {
        let (flow, grid) = (&self.flow, &mut self.levels[number]);
        for node in grid.nodes() {
            (_, grid.old[node], grid.block[node]) =
                call(blocks::begin_matrix_step, (grid.q[node], unset(), unset()), &());
        }
        for ([a, b], w) in grid.edges() {
            let made = call(blocks::add_blocks, (grid.q[a], grid.q[b], w, none(), none()), flow);
            add(&mut grid.block[a], made.3);
            add(&mut grid.block[b], made.4);
        }
        for (node, w, _) in grid.faces() {
            let made = call(blocks::add_boundary_blocks, (grid.q[node], w, none()), flow);
            add(&mut grid.block[node], made.2);
        }
        for block in &mut grid.block {
            *block = call(waves::invert_blocks_3d, (*block,), &()).0;
        }
    }

    fn stage(&mut self, number: usize, stage: &Stage) {
        let grid = &mut self.levels[number];
        for node in grid.nodes() {
            let (old, res, forcing) = (grid.old[node], grid.res[node], grid.forcing[node]);
            let (wave, block, low) = (grid.wave[node], grid.block[node], [f64::INFINITY]);
            (grid.res[node], grid.q[node]) = match (self.config.time_step, number) {
                (TimeStep::Scalar, 0) => {
                    let made = call(kernels::stage, (old, wave, res, unset(), low), stage);
                    (made.2, made.3)
                }
                (TimeStep::Scalar, _) => {
                    let made = call(kernels::stage_forced, (old, wave, res, forcing, unset(), low), stage);
                    (made.2, made.4)
                }
                (TimeStep::Matrix, 0) => {
                    let made = call(blocks::matrix_stage, (old, block, res, unset(), low), stage);
                    (made.2, made.3)
                }
                (TimeStep::Matrix, _) => {
                    let arguments = (old, block, res, forcing, unset(), low);
                    let made = call(blocks::matrix_stage_forced, arguments, stage);
                    (made.2, made.4)
                }
            };
        }
    }

    fn restrict(&mut self, number: usize) {
        let (fine, coarse) = self.pair(number);
        for node in coarse.nodes() {
            (coarse.q[node], coarse.forcing[node]) = call(transfer::clear_coarse_3d, (unset(), unset()), &());
        }
        for node in fine.nodes() {
            let up = fine.mesh.node_mg_node[node] as usize;
            let (q, volume, res) = (fine.q[node], fine.volume[node], fine.res[node]);
            let (left, to_state, to_forcing) = if number == 0 {
                let made = call(transfer::restrict_3d, (q, volume, res, none(), none()), &());
                (made.2, made.3, made.4)
            } else {
                let arguments = (q, volume, res, fine.forcing[node], none(), none());
                let made = call(transfer::restrict_forced_3d, arguments, &());
                (made.2, made.4, made.5)
            };
            fine.res[node] = left;
            add(&mut coarse.q[up], to_state);
            add(&mut coarse.forcing[up], to_forcing);
        }
        for node in coarse.nodes() {
            let arguments = (coarse.volume[node], coarse.q[node], unset());
            (_, coarse.q[node], coarse.start[node]) = call(transfer::start_coarse_3d, arguments, &());
        }
        self.residual(number + 1);
        let coarse = &mut self.levels[number + 1];
        for node in coarse.nodes() {
            let arguments = (coarse.res[node], coarse.forcing[node]);
            coarse.forcing[node] = call(transfer::make_forcing_3d, arguments, &()).1;
        }
    }

    fn prolong(&mut self, number: usize) {
        let gm1 = self.flow.gm1;
        let (fine, coarse) = self.pair(number);
        for node in fine.nodes() {
            let up = fine.mesh.node_mg_node[node] as usize;
            let arguments = (coarse.q[up], coarse.start[up], unset());
            fine.old[node] = call(transfer::fetch_correction_3d, arguments, &()).2;
        }
        for ([a, b], _) in fine.edges() {
            let (x, place, old) = (&fine.mesh.x, &fine.place, &fine.old);
            let arguments = (x[a], x[b], place[a], place[b], old[a], old[b], none(), none());
            let made = call(transfer::spread_correction_3d, arguments, &());
            add(&mut fine.res[a], made.6);
            add(&mut fine.res[b], made.7);
        }
        for node in fine.nodes() {
            let (x, place, weights) = (fine.mesh.x[node], fine.place[node], fine.weights[node]);
            let (correction, sum, q) = (fine.old[node], fine.res[node], fine.q[node]);
            let arguments = (x, place, weights, correction, sum, q, [f64::INFINITY]);
            let made = call(transfer::correct_3d, arguments, &Correction { gm1 });
            (fine.res[node], fine.q[node]) = (made.4, made.5);
        }
    }
}

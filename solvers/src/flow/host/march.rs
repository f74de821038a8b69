//! Explicit time steps.
//!
//! Sources: Shu, Osher, "Efficient implementation of essentially non-oscillatory shock-capturing schemes", J. Comput.
//! Phys. 77 (1988), DOI 10.1016/0021-9991(88)90177-5, for the scheme of third order.

use cfd_engine::prelude::*;

use super::{Flow, Geometry, N, P, Residual, kernels};
use crate::Stopped;
use crate::flow::config::{Config, LocalStep, Scheme};
use crate::flow::gas::Gas;
use crate::flow::kernels::steps::{self, Size, Stage};
use crate::flow::kernels::waves::WaveStage;
use crate::gas::copies::CopyLoops;

/// What time steps of a state need beside it, on the mesh itself or on a coarse level.
pub struct Steps {
    /// The state before a step; between steps, room for what else is of its kind.
    pub old: Dat<N>,
    /// Sums of the speeds through a cell's faces: V / pace is a local time step of Courant number 1.
    pub pace: Dat<1>,
    /// dt / V of each node.
    step: Dat<1>,
    /// Instead of both, V / dt of each wave, and later its inverse.
    waves: Option<Dat<P>>,
    /// The lowest density or pressure after each stage.
    lowest: Vec<Global<Min<1>>>,
}

impl Steps {
    /// For steps of so many stages; `prefix` stands before names of a coarse level.
    pub fn new(domain: &mut Domain, nodes: Set, prefix: &str, config: &Config, stages: usize) -> Steps {
        let name = |name: &str| format!("{prefix}{name}");
        let lowest = name("lowest of density and pressure");
        Steps {
            old: domain.new_dat(nodes, &name("old")),
            pace: domain.new_dat(nodes, &name("pace")),
            step: domain.new_dat(nodes, &name("step")),
            waves: (config.scheme == Scheme::Explicit && config.local_step() == LocalStep::Matrix)
                .then(|| domain.new_dat(nodes, &name("waves"))),
            lowest: (0..stages).map(|_| domain.new_min(&lowest)).collect(),
        }
    }

    /// Records the loops that save the state, compute its w, and the speeds through each cell's faces.
    pub fn record_pace(&self, domain: &mut Domain, residual: &Residual, q: Dat<N>) {
        let Geometry { nodes, edges, a, b, x, area, ref faces, ref copies, .. } = residual.geometry;
        let (w, eddies, pace) = (residual.w, residual.eddies, self.pace);
        residual.refresh(domain, q);
        domain.par_loop(kernels::begin_step, nodes, (q, self.old, pace), &());
        let ends = (eddies.at(a), eddies.at(b), area, pace.at(a), pace.at(b));
        let operands = (x.at(a), x.at(b), w.at(a), w.at(b), ends.0, ends.1, ends.2, ends.3, ends.4);
        domain.par_loop(kernels::pace, edges, operands, &residual.gas);
        for faces in faces {
            let operands = (w.at(faces.node), faces.area, pace.at(faces.node));
            domain.par_loop(kernels::boundary_pace, faces.set, operands, &residual.gas);
        }
        if let Some(copies) = copies {
            copies.numbers.unite(domain, pace);
        }
    }

    /// Records the loops that save the state, compute its w, and give nodes their local time steps.
    pub fn record_local(&self, domain: &mut Domain, residual: &Residual, q: Dat<N>, cfl: f64) {
        let Geometry { nodes, edges, a, b, x, area, ref faces, .. } = residual.geometry;
        let Some(waves) = self.waves else {
            self.record_pace(domain, residual, q);
            let size = Size { cfl, dt: 0.0 };
            domain.par_loop(steps::local_step, nodes, (self.pace, self.step), &size);
            return;
        };
        let w = residual.w;
        residual.refresh(domain, q);
        domain.par_loop(kernels::begin_waves, nodes, (q, self.old, waves), &());
        let operands = (x.at(a), x.at(b), w.at(a), w.at(b), area, waves.at(a), waves.at(b));
        domain.par_loop(kernels::add_waves, edges, operands, &residual.gas);
        if let Some(size) = residual.geometry.size {
            let operands = (w.at(a), w.at(b), area, size, waves.at(a), waves.at(b));
            domain.par_loop(kernels::missed_waves, edges, operands, &residual.gas);
        }
        for faces in faces {
            let operands = (w.at(faces.node), faces.area, waves.at(faces.node));
            domain.par_loop(kernels::add_boundary_waves, faces.set, operands, &residual.gas);
        }
        domain.par_loop(kernels::invert_blocks, nodes, (waves,), &());
    }

    /// Records a stage of local time steps of a Courant number, from the coefficient; R is known. `at` is its number.
    pub fn record_local_stage(
        &self,
        domain: &mut Domain,
        residual: &Residual,
        q: Dat<N>,
        at: usize,
        [coefficient, cfl]: [f64; 2],
    ) {
        let Some(waves) = self.waves else {
            return self.record_stage(domain, residual, q, at, [1.0, 0.0, coefficient]);
        };
        let Gas { gamma, gm1, .. } = residual.gas;
        let stage = WaveStage { gamma, gm1, factor: coefficient * cfl };
        let operands = (self.old, waves, residual.res, q, residual.w, self.lowest[at]);
        domain.par_loop(kernels::wave_stage, residual.geometry.nodes, operands, &stage);
    }

    /// Records a stage, for which R is known: `at` is its number.
    fn record_stage(&self, domain: &mut Domain, residual: &Residual, q: Dat<N>, at: usize, shares: [f64; 3]) {
        let [old, own, change] = shares;
        let stage = Stage { gm1: residual.gas.gm1, old, own, change };
        let operands = (self.old, self.step, residual.res, q, residual.w, self.lowest[at]);
        domain.par_loop(kernels::stage, residual.geometry.nodes, operands, &stage);
    }
}

/// What the mesh's own time steps need beside the state.
pub struct March {
    /// Steps of the state.
    pub steps: Steps,
    crossing: Global<Min<1>>,
    /// The time that has passed.
    pub time: f64,
}

impl March {
    /// At time 0.
    pub fn new(domain: &mut Domain, nodes: Set, config: &Config) -> March {
        March {
            steps: Steps::new(domain, nodes, "", config, stages(config)),
            crossing: domain.new_min("crossing"),
            time: 0.0,
        }
    }

    /// The lowest density or pressure after each stage of the last step.
    pub fn lowest(&self) -> &[Global<Min<1>>] {
        &self.steps.lowest
    }
}

/// The stages of `rk3`: the shares of the state before a step and of that before a stage, and of the change, in the state
/// after the stage.
const RK3: [[f64; 3]; 3] = [[0.0, 1.0, 1.0], [0.75, 0.25, 0.25], [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]];

/// The stages of a step.
fn stages(config: &Config) -> usize {
    match config.scheme {
        Scheme::Explicit => config.stages.len(),
        Scheme::Newton | Scheme::Bdf2 => 0,
        Scheme::Rk3 => RK3.len(),
    }
}

impl Flow {
    /// Records a step with local time steps, and what coarse levels correct of it.
    pub(super) fn step_locally(&mut self, domain: &mut Domain) {
        let cfl = self.config.cfl();
        self.march.steps.record_local(domain, &self.residual, self.q, cfl);
        for at in 0..self.config.stages.len() {
            self.record_stage_residual(domain, at);
            let coefficient = self.config.stages[at];
            self.march.steps.record_local_stage(domain, &self.residual, self.q, at, [coefficient, cfl]);
        }
        self.refresh_turned(domain);
        self.correct_by_levels(domain);
    }

    /// Records a step in time.
    ///
    /// # Errors
    /// The time step is not a number, or a device has failed.
    pub(super) fn step_in_time(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        let Geometry { nodes, volume, .. } = self.residual.geometry;
        let dt = match self.config.time_step {
            Some(dt) => {
                // After a restart, w is not that of the state.
                self.refresh(domain);
                let operands = (self.q, self.march.steps.old, self.march.steps.pace);
                domain.par_loop(kernels::begin_step, nodes, operands, &());
                dt
            }
            None => {
                self.record_pace(domain);
                let operands = (volume, self.march.steps.pace, self.march.crossing);
                domain.par_loop(steps::crossing, nodes, operands, &());
                let [Extremum { value, .. }] = domain.extremum(self.march.crossing)?;
                self.config.cfl() * value
            }
        };
        if !dt.is_finite() {
            self.look(domain, self.march.crossing)?;
            return Err(Stopped::Residual { value: format!("{dt}"), iteration: self.iteration });
        }
        let dt = self.next_time_step(dt);
        let size = Size { cfl: 0.0, dt };
        domain.par_loop(steps::global_step, nodes, (volume, self.march.steps.step), &size);
        for (at, shares) in RK3.into_iter().enumerate() {
            self.record_stage_residual(domain, at);
            self.march.steps.record_stage(domain, &self.residual, self.q, at, shares);
        }
        self.refresh_turned(domain);
        self.advance_time(dt);
        Ok(())
    }

    /// A time step, but not past the end; the last step ends at the end, not shortly before it.
    pub(super) fn next_time_step(&self, dt: f64) -> f64 {
        let left = self.config.end_time.map_or(f64::INFINITY, |end| end - self.march.time);
        if left <= dt * (1.0 + 1e-9) { left } else { dt }
    }

    /// The time after a step.
    pub(super) fn advance_time(&mut self, dt: f64) {
        let is_last = |end: &f64| end - self.march.time == dt;
        self.march.time = self.config.end_time.filter(is_last).unwrap_or(self.march.time + dt);
    }

    /// Records the loops that save the state and compute the speeds through each cell's faces.
    pub(super) fn record_pace(&self, domain: &mut Domain) {
        self.march.steps.record_pace(domain, &self.residual, self.q);
    }

    /// Records R for the stage `at`; the norm is that of the first.
    fn record_stage_residual(&mut self, domain: &mut Domain, at: usize) {
        self.residual.record(domain);
        self.evaluations += 1.0;
        if at == 0 {
            self.record_norm(domain);
        }
    }

    /// What turned copies of a node compute differs by rounding.
    fn refresh_turned(&self, domain: &mut Domain) {
        if self.residual.geometry.copies.is_some_and(|copies| copies.is_turned()) {
            self.refresh(domain);
        }
    }
}

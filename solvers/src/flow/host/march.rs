//! Explicit time steps.
//!
//! Sources: Shu, Osher, "Efficient implementation of essentially non-oscillatory shock-capturing schemes", J. Comput.
//! Phys. 77 (1988), DOI 10.1016/0021-9991(88)90177-5, for the scheme of third order.

use cfd_engine::prelude::*;

use super::{Flow, Geometry, N, kernels};
use crate::Stopped;
use crate::flow::config::{Config, Scheme};
use crate::flow::kernels::steps::{self, Size, Stage};
use crate::gas::copies::CopyLoops;

/// What time steps need beside the state.
pub struct March {
    /// The state before a step.
    old: Dat<N>,
    /// dt / V of each node.
    step: Dat<1>,
    crossing: Global<Min<1>>,
    /// The lowest density or pressure after each stage.
    lowest: Vec<Global<Min<1>>>,
    /// The time that has passed.
    pub time: f64,
}

impl March {
    /// At time 0.
    pub fn new(domain: &mut Domain, nodes: Set, config: &Config) -> March {
        let stages = stages(config).len();
        March {
            old: domain.new_dat(nodes, "old"),
            step: domain.new_dat(nodes, "step"),
            crossing: domain.new_min("crossing"),
            lowest: (0..stages).map(|_| domain.new_min("lowest of density and pressure")).collect(),
            time: 0.0,
        }
    }

    /// The state before the step.
    pub fn old(&self) -> Dat<N> {
        self.old
    }

    /// The lowest density or pressure after each stage of the last step.
    pub fn lowest(&self) -> Vec<Global<Min<1>>> {
        self.lowest.clone()
    }
}

/// The stages of a step: the shares of the state before the step and of that before the stage, and of the change.
fn stages(config: &Config) -> Vec<[f64; 3]> {
    match config.scheme {
        Scheme::Explicit => config.stages.iter().map(|&coefficient| [1.0, 0.0, coefficient]).collect(),
        Scheme::Newton | Scheme::Bdf2 => Vec::new(),
        Scheme::Rk3 => {
            vec![[0.0, 1.0, 1.0], [0.75, 0.25, 0.25], [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]]
        }
    }
}

impl Flow {
    /// Records a step with local time steps.
    pub(super) fn step_locally(&mut self, domain: &mut Domain) {
        self.record_pace(domain);
        let size = Size { cfl: self.config.cfl(), dt: 0.0 };
        let operands = (self.pace, self.march.step);
        domain.par_loop(steps::local_step, self.residual.geometry.nodes, operands, &size);
        self.record_stages(domain);
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
                let operands = (self.q, self.march.old, self.pace);
                domain.par_loop(kernels::begin_step, nodes, operands, &());
                dt
            }
            None => {
                self.record_pace(domain);
                let operands = (volume, self.pace, self.march.crossing);
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
        domain.par_loop(steps::global_step, nodes, (volume, self.march.step), &size);
        self.record_stages(domain);
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
        let Geometry { nodes, edges, a, b, x, area, ref faces, ref copies, .. } = self.residual.geometry;
        let (w, eddies, pace) = (self.residual.w, self.residual.eddies, self.pace);
        self.refresh(domain);
        domain.par_loop(kernels::begin_step, nodes, (self.q, self.march.old, pace), &());
        let ends = (eddies.at(a), eddies.at(b), area, pace.at(a), pace.at(b));
        let operands = (x.at(a), x.at(b), w.at(a), w.at(b), ends.0, ends.1, ends.2, ends.3, ends.4);
        domain.par_loop(kernels::pace, edges, operands, &self.residual.gas);
        for faces in faces {
            let operands = (w.at(faces.node), faces.area, pace.at(faces.node));
            domain.par_loop(kernels::boundary_pace, faces.set, operands, &self.residual.gas);
        }
        if let Some(copies) = copies {
            copies.numbers.unite(domain, self.pace);
        }
    }

    /// Records the stages of a step; the norm is that of the first stage's residual.
    fn record_stages(&mut self, domain: &mut Domain) {
        for (at, [old, own, change]) in stages(&self.config).into_iter().enumerate() {
            self.residual.record(domain);
            self.evaluations += 1;
            if at == 0 {
                self.record_norm(domain);
            }
            let stage = Stage { gm1: self.residual.gas.gm1, old, own, change };
            let March { old, step, ref lowest, .. } = self.march;
            let operands = (old, step, self.residual.res, self.q, self.residual.w, lowest[at]);
            domain.par_loop(kernels::stage, self.residual.geometry.nodes, operands, &stage);
        }
        if self.residual.geometry.copies.is_some_and(|copies| copies.is_turned()) {
            self.refresh(domain);
        }
    }
}

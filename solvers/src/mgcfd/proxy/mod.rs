//! The published performance proxy: the steps of a multigrid solver, with its own weights and its own corrections.
//!
//! ```text
//! kernels      one function a loop
//! mod (here)   state, and the order of the loops
//! ```
//!
//! A cycle of L levels visits 0, 1, ..., L-1, L-2, ..., 1. `docs/mgcfd.md` defines every loop to the last operation.

pub mod kernels;

use cfd_engine::prelude::*;

use self::kernels::Stage;
use super::config::Flow;
use super::level::Level;
use super::watch::{Watch, diverged, is_bad};
use crate::Stopped;

/// Runge-Kutta stages of a visit.
const STAGES: usize = 3;

/// The proxy's dats on one level.
#[derive(Clone, Copy)]
struct State {
    old: Dat<5>,
    flux: Dat<5>,
    residual: Dat<5>,
    volume: Dat<1>,
    h: Dat<1>,
    /// `None` on level 0.
    from_finer: Option<FromFiner>,
    dt: Global<Min<1>>,
    rms: Global<Sum<1>>,
}

/// Data that a level gets from the finer one.
#[derive(Clone, Copy)]
struct FromFiner {
    /// Number of finer nodes that belong to a node.
    children: Dat<1>,
    /// The sum of their states; 0 between restrictions.
    sum: Dat<5>,
}

/// The proxy's state on all levels.
pub struct Proxy {
    states: Vec<State>,
    /// Evaluations of the flux on each level so far.
    pub(super) evaluations: Vec<u64>,
}

impl Proxy {
    /// Turns the mesh's weights into the proxy's. The cube roots come from `same-math`: the same bits on every machine.
    pub fn new(domain: &mut Domain, levels: &[Level]) -> Result<Proxy, BackendError> {
        let states: Vec<State> = levels.iter().map(|level| State::new(domain, level)).collect();
        for (level, state) in levels.iter().zip(&states) {
            let Level { edges, bnodes, a, b, x, weights, bweights, .. } = *level;
            let volumes = (state.volume.at(a), state.volume.at(b));
            domain.par_loop(
                kernels::dual_volume,
                edges,
                (x.at(a), x.at(b), weights, volumes.0, volumes.1),
                &(),
            );
            domain.par_loop(kernels::damp, bnodes, (bweights,), &());
            let volumes = domain.read(state.volume)?;
            let roots: Vec<f64> = volumes.iter().map(|&volume| same_math::cbrt(volume)).collect();
            domain.write(state.h, &roots);
        }
        for (level, coarser) in levels.iter().zip(&states[1..]) {
            let (coarse, FromFiner { children, .. }) = (level.to_coarser(), coarser.of_children());
            domain.par_loop(kernels::count_children, level.nodes, (children.at(coarse),), &());
        }
        Ok(Proxy { evaluations: vec![0; states.len()], states })
    }

    /// One cycle. The error for an unphysical state names the node.
    pub fn cycle(
        &mut self,
        domain: &mut Domain,
        levels: &[Level],
        flow: &Flow,
        watch: &mut Watch,
        iteration: u64,
    ) -> Result<(), Stopped> {
        for l in 0..levels.len() {
            if l > 0 {
                self.restrict(domain, levels, l - 1);
            }
            self.visit(domain, &levels[l], flow, watch, iteration)?;
        }
        for l in (0..levels.len() - 1).rev() {
            self.prolong(domain, levels, l, flow, watch);
            if l > 0 {
                self.visit(domain, &levels[l], flow, watch, iteration)?;
            }
        }
        Ok(())
    }

    /// The sum of squared changes of each level's last visit; on level 0 and the coarsest there is only one.
    pub fn sums(&self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        self.states.iter().map(|state| domain.get(state.rms).map(|[sum]| sum)).collect()
    }

    fn visit(
        &mut self,
        domain: &mut Domain,
        level: &Level,
        flow: &Flow,
        watch: &mut Watch,
        iteration: u64,
    ) -> Result<(), Stopped> {
        let Level { number, nodes, edges, bnodes, a, b, bnode, weights, bweights, group, q, .. } = *level;
        let State { old, flux, residual, volume, h, dt, rms, .. } = self.states[number];
        domain.par_loop(kernels::begin_visit, nodes, (q, h, old, dt), flow);
        let [Extremum { value: step, element }] = domain.extremum(dt)?;
        if let Some(node) = element.filter(|_| is_bad(step)) {
            return Err(diverged(domain, level, flow, node, step, iteration)?);
        }
        self.evaluations[number] += STAGES as u64;
        for k in 0..STAGES {
            let stage = Stage { gm1: flow.gm1, dt: step, divisor: (STAGES + 1 - k) as f64 };
            let operands = (q.at(a), q.at(b), weights, flux.at(a), flux.at(b));
            domain.par_loop(kernels::edge_flux, edges, operands, flow);
            let operands = (q.at(bnode), bweights, group, flux.at(bnode));
            domain.par_loop(kernels::boundary_flux, bnodes, operands, flow);
            if k + 1 < STAGES {
                domain.par_loop(kernels::time_step, nodes, (old, volume, flux, q), &stage);
            } else {
                let lowest = watch.next(domain, number);
                let operands = (old, volume, flux, q, residual, rms, lowest);
                domain.par_loop(kernels::last_step, nodes, operands, &stage);
            }
        }
        Ok(())
    }

    fn restrict(&self, domain: &mut Domain, levels: &[Level], fine: usize) {
        let (level, coarser) = (&levels[fine], &levels[fine + 1]);
        let (coarse, FromFiner { children, sum }) = (level.to_coarser(), self.states[fine + 1].of_children());
        domain.par_loop(kernels::restrict_sum, level.nodes, (level.q, sum.at(coarse)), &());
        domain.par_loop(kernels::restrict_mean, coarser.nodes, (sum, children, coarser.q), &());
    }

    fn prolong(&self, domain: &mut Domain, levels: &[Level], fine: usize, flow: &Flow, watch: &mut Watch) {
        let (level, coarser) = (&levels[fine], &levels[fine + 1]);
        let coarse = level.to_coarser();
        let (residual, above) = (self.states[fine].residual, self.states[fine + 1].residual);
        let lowest = watch.next(domain, fine);
        let operands = (level.x, coarser.x.at(coarse), residual, above.at(coarse), level.q, lowest);
        domain.par_loop(kernels::prolong_residual, level.nodes, operands, flow);
    }
}

impl State {
    fn new(domain: &mut Domain, level: &Level) -> State {
        State {
            old: level.on_nodes(domain, "old_variables"),
            flux: level.on_nodes(domain, "fluxes"),
            residual: level.on_nodes(domain, "residuals"),
            volume: level.on_nodes(domain, "volumes"),
            h: level.on_nodes(domain, "lengths"),
            from_finer: (level.number > 0).then(|| FromFiner {
                children: level.on_nodes(domain, "children"),
                sum: level.on_nodes(domain, "sum"),
            }),
            dt: domain.new_min(&format!("time step of level {}", level.number)),
            rms: domain.new_sum(&format!("rms of level {}", level.number)),
        }
    }

    fn of_children(&self) -> FromFiner {
        self.from_finer.expect("all but the finest level have a finer one")
    }
}

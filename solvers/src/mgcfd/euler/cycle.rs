//! V and W cycles.

use cfd_engine::prelude::*;

use super::{Coarse, Euler, Fine, Grid, State};
use crate::gas::copies::CopyLoops;
use crate::gas::transfer::{self, Correction};
use crate::mgcfd::config::Cycle;
use crate::mgcfd::watch::Watch;

impl Euler {
    /// Records one cycle.
    pub fn record_cycle(&mut self, domain: &mut Domain, watch: &mut Watch) {
        // The finest level's residual is that of the cycle's starting state.
        self.record_residual(domain, 0);
        self.unite_residual(domain, 0);
        self.record_norm(domain, 0);
        self.descend(domain, 0, true, watch);
    }

    /// Steps on a level, the correction from the next coarser one, steps again. With `known`, R is already in `res`.
    fn descend(&mut self, domain: &mut Domain, number: usize, known: bool, watch: &mut Watch) {
        let coarsest = number + 1 == self.grids.len();
        let before = if coarsest { self.options.coarsest_steps } else { self.options.pre_steps };
        for step in 0..before {
            self.record_step(domain, number, known && step == 0, watch);
        }
        if coarsest {
            return;
        }
        self.record_residual(domain, number);
        if number > 0 {
            self.unite_residual(domain, number);
        }
        self.restrict(domain, number);
        let visits = match self.options.cycle {
            Cycle::V => 1,
            Cycle::W => 2,
        };
        for visit in 0..visits {
            self.descend(domain, number + 1, visit == 0, watch);
        }
        self.prolong(domain, number, watch);
        for _ in 0..self.options.post_steps {
            self.record_step(domain, number, false, watch);
        }
    }

    /// Records the loops that set up the coarse problem from the finer level's R, which is in `res`. Afterwards the
    /// coarse R is known.
    ///
    /// On the finest level each copy of a node gives its own part of R: children add up, and moved copies are children of one
    /// cell. Copies on coarse levels are all turned, and give the whole, each to a cell on its own side.
    fn restrict(&mut self, domain: &mut Domain, number: usize) {
        let (fine, coarser) = (self.grids[number], self.grids[number + 1]);
        let (up, nodes) = (fine.level.to_coarser(), fine.level.nodes);
        let State { res, volume, .. } = fine.state;
        let (q, above, Coarse { start, forcing }) = (fine.level.q, coarser.level.q, coarser.coarse());
        domain.par_loop(transfer::clear_coarse_3d, coarser.level.nodes, (above, forcing), &());
        let (to_state, to_forcing) = (above.at(up), forcing.at(up));
        match fine.coarse {
            None => {
                let operands = (q, volume, res, to_state, to_forcing);
                domain.par_loop(transfer::restrict_3d, nodes, operands, &());
            }
            Some(Coarse { forcing, .. }) => {
                let operands = (q, volume, res, forcing, to_state, to_forcing);
                domain.par_loop(transfer::restrict_forced_3d, nodes, operands, &());
            }
        }
        let operands = (coarser.state.volume, above, start);
        domain.par_loop(transfer::start_coarse_3d, coarser.level.nodes, operands, &());
        if let Some(copies) = self.copies(number + 1) {
            match number {
                0 => copies.states.unite(domain, forcing),
                _ => copies.states.share(domain, forcing),
            }
            copies.states.share(domain, above);
            copies.states.share(domain, start);
        }
        let res = self.record_residual(domain, number + 1);
        self.unite_residual(domain, number + 1);
        domain.par_loop(transfer::make_forcing_3d, coarser.level.nodes, (res, forcing), &());
        self.record_norm(domain, number + 1);
    }

    /// Records the loops that correct a level by the next coarser one's changes.
    fn prolong(&self, domain: &mut Domain, number: usize, watch: &mut Watch) {
        let (Grid { level, state, .. }, coarser) = (self.grids[number], self.grids[number + 1]);
        let Fine { place, weights } = self.grids[number].fine();
        let (x, a, b) = (level.x, level.a, level.b);
        // `res` is 0 and `old` is not needed until the next step.
        let (correction, sum) = (state.old, state.res);
        let operands = (
            coarser.level.q.at(level.to_coarser()),
            coarser.coarse().start.at(level.to_coarser()),
            correction,
        );
        domain.par_loop(transfer::fetch_correction_3d, level.nodes, operands, &());
        let operands = (
            x.at(a),
            x.at(b),
            place.at(a),
            place.at(b),
            correction.at(a),
            correction.at(b),
            sum.at(a),
            sum.at(b),
        );
        domain.par_loop(transfer::spread_correction_3d, level.edges, operands, &());
        let lowest = watch.next(domain, number);
        let operands = (x, place, weights, correction, sum, level.q, lowest);
        domain.par_loop(transfer::correct_3d, level.nodes, operands, &Correction { gm1: self.flow.gm1 });
        // Each copy has its own neighbours.
        self.share_state(domain, number);
    }
}

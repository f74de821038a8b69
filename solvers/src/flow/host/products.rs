//! Products of the matrix of Newton's method with directions, by differences of R: [`products`](crate::flow::kernels::products).
//!
//! R is that of the scheme itself: second order, limiters, all terms. The eddy viscosity of a turbulence model is held.
//! A difference goes as far as makes the largest change of an unknown [`STEP`] of the free stream's, on all ranks.

use std::cell::Cell;

use cfd_engine::prelude::*;
use cfd_implicit::{Loops, Operator, VectorLoops};

use super::march::Steps;
use super::{Flow, Geometry, N, Residual, kernels};
use crate::flow::kernels::newton::Rate;
use crate::flow::kernels::products::Quotient;

/// The largest change of an unknown: about the root of the rounding of R, which differences divide by it.
const STEP: f64 = 1e-6;

/// What is left of fluxes that cancel, as a share of them.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What differences need beside the residual.
#[derive(Clone, Copy)]
pub struct Products {
    /// The state whose R is in the right-hand side.
    pub base: Dat<N>,
    largest: Global<Max<1>>,
    squares: Global<Sum<2>>,
}

impl Products {
    /// On nodes.
    pub fn new(domain: &mut Domain, nodes: Set) -> Products {
        Products {
            base: domain.new_dat(nodes, "base"),
            largest: domain.new_max("largest change"),
            squares: domain.new_sum("imbalance"),
        }
    }
}

/// The matrix at a state.
pub struct Derivative<'a> {
    pub flow: &'a Flow,
    pub products: Products,
    pub right: Dat<N>,
    pub cfl: f64,
    pub rate: Option<Rate>,
    /// Evaluations of R for products so far.
    pub evaluations: Cell<u64>,
}

impl Derivative<'_> {
    fn quotient(&self, length: f64) -> Quotient {
        let gas = self.flow.residual.gas;
        Quotient {
            length,
            gm1: gas.gm1,
            local: 1.0 / self.cfl,
            time: self.rate.map_or(0.0, |rate| rate.shares[0]),
            unit: gas.unit,
            flux_unit: gas.flux_unit,
        }
    }

    /// |R + pace / cfl (q - q_old)|, of the state that the step has led to, whose -R is the right-hand side; 0 where it is no more
    /// than rounding of the fluxes that add up to R.
    ///
    /// # Errors
    /// A device has failed.
    pub fn imbalance(&self, domain: &mut Domain) -> Result<f64, BackendError> {
        let Flow { q, ref march, ref residual, .. } = *self.flow;
        let Steps { old, pace, .. } = march.steps;
        let operands = (self.right, pace, q, old, self.products.squares);
        domain.par_loop(kernels::imbalance, residual.geometry.nodes, operands, &self.quotient(0.0));
        let [left, sizes] = domain.get(self.products.squares)?.map(f64::sqrt);
        Ok(if left > ROUNDING * sizes { left } else { 0.0 })
    }
}

impl Operator<N> for Derivative<'_> {
    fn apply(&self, domain: &mut Domain, x: Dat<N>, y: Dat<N>) -> Result<(), BackendError> {
        let Products { base, largest, .. } = self.products;
        let Residual { geometry: Geometry { nodes, volume, .. }, gas, w, res, ref walls, .. } =
            self.flow.residual;
        domain.par_loop(kernels::largest, nodes, (x, largest), &());
        let [Extremum { value, .. }] = domain.extremum(largest)?;
        if value == 0.0 {
            Loops::clear(domain, y);
            return Ok(());
        }
        let quotient = self.quotient(STEP / value);
        domain.par_loop(kernels::set_out, nodes, (base, x, w), &quotient);
        self.flow.record_equations(domain, self.rate);
        self.evaluations.update(|evaluations| evaluations + 1);
        let operands = (base, x, volume, self.flow.march.steps.pace, self.right, res, w, y);
        domain.par_loop(kernels::come_back, nodes, operands, &quotient);
        if let Some(walls) = walls {
            let operands = (walls.wall.at(walls.node), x.at(walls.node), y.at(walls.node));
            domain.par_loop(kernels::hold_product, walls.set, operands, &gas);
        }
        Ok(())
    }
}

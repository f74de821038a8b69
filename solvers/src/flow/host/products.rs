//! Products of the matrix of Newton's method with directions, by differences of R: [`products`](crate::flow::kernels::products).
//!
//! R is that of the scheme itself: second order, limiters, all terms.
//! A difference goes as far as makes the largest change of an unknown [`STEP`] of the free stream's, on all ranks.

use std::cell::Cell;

use cfd_engine::prelude::*;
use cfd_implicit::{Loops, Operator, VectorLoops};

use super::coupled::Coupled;
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
    pub largest: Global<Max<1>>,
    pub squares: Global<Sum<2>>,
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
    /// Constants of a product with a direction whose largest component is this.
    pub fn quotient_of(&self, largest: f64) -> Quotient {
        self.quotient(STEP / largest)
    }

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
    /// than rounding of the fluxes that add up to R. With the turbulence model's where it is coupled.
    ///
    /// # Errors
    /// A device has failed.
    pub fn imbalance(&self, domain: &mut Domain, coupled: Option<&Coupled>) -> Result<f64, BackendError> {
        let Flow { q, ref march, ref residual, .. } = *self.flow;
        let Steps { old, pace, .. } = march.steps;
        let Products { squares, .. } = self.products;
        let operands = (self.right, pace, q, old, squares);
        let quotient = self.quotient(0.0);
        domain.par_loop(kernels::imbalance, residual.geometry.nodes, operands, &quotient);
        let mut sums = domain.get(squares)?;
        if let Some(coupled) = coupled {
            let of_model = coupled.imbalance(domain, self)?;
            sums = [sums[0] + of_model[0], sums[1] + of_model[1]];
        }
        let [left, sizes] = sums.map(f64::sqrt);
        Ok(if left > ROUNDING * sizes { left } else { 0.0 })
    }

    /// Records the loop that goes from the base a step along x.
    pub fn set_out(&self, domain: &mut Domain, quotient: &Quotient, x: Dat<N>) {
        let operands = (self.products.base, x, self.flow.residual.w);
        domain.par_loop(kernels::set_out, self.flow.residual.geometry.nodes, operands, quotient);
    }

    /// Records the loops that set y to the product with x, and go back.
    pub fn come_back(&self, domain: &mut Domain, quotient: &Quotient, x: Dat<N>, y: Dat<N>) {
        let Residual { geometry: Geometry { nodes, volume, .. }, gas, w, res, ref walls, .. } =
            self.flow.residual;
        self.flow.record_equations(domain, self.rate);
        self.evaluations.update(|evaluations| evaluations + 1);
        let operands = (self.products.base, x, volume, self.flow.march.steps.pace, self.right, res, w, y);
        domain.par_loop(kernels::come_back, nodes, operands, quotient);
        if let Some(walls) = walls {
            let operands = (walls.wall.at(walls.node), x.at(walls.node), y.at(walls.node));
            domain.par_loop(kernels::hold_product, walls.set, operands, &gas);
        }
    }
}

impl Operator<N> for Derivative<'_> {
    fn apply(&self, domain: &mut Domain, x: Dat<N>, y: Dat<N>) -> Result<(), BackendError> {
        let Products { largest, .. } = self.products;
        domain.par_loop(kernels::largest, self.flow.residual.geometry.nodes, (x, largest), &());
        let [Extremum { value, .. }] = domain.extremum(largest)?;
        if value == 0.0 {
            Loops::clear(domain, y);
            return Ok(());
        }
        let quotient = self.quotient_of(value);
        self.set_out(domain, &quotient, x);
        self.come_back(domain, &quotient, x, y);
        Ok(())
    }
}

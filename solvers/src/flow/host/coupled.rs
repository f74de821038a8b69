//! Systems of the flow together with what a turbulence model transports.
//!
//! ```text
//! A = d(R, R_n)/d(w, n) + pace / cfl      products by differences of all of R: eddy viscosity, production, advection
//! P = diag(P_w, P_n)                      the flow's preconditioner, and those of the model's own matrices
//! ```
//!
//! Steps of systems of their own hold n, or the flow, which the other's answer then changes; here no part of the derivative
//! is missing.

use std::array::from_fn;

use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Options, Solved, Unsolved};
use cfd_implicit::{Loops, Operator, Preconditioner, VectorLoops};

use super::newton::Newton;
use super::products::{Derivative, Products};
use super::turbulence::{Transported, Turbulence, TurbulentSystem};
use super::{Flow, N, ONE, Residual, TWO, kernels};
use crate::flow::kernels::products::Coupling;

/// The systems of a model of one equation, or of two.
pub enum Coupled {
    /// With one.
    One(CoupledSystem<ONE, 1>),
    /// With two.
    Two(CoupledSystem<TWO, 2>),
}

impl Coupled {
    /// Of the model of a residual, if it has one.
    pub fn new(domain: &mut Domain, residual: &Residual, options: Options) -> Option<Coupled> {
        let nodes = residual.geometry.nodes;
        let quantities = residual.turbulence.iter().flat_map(Turbulence::quantities).count();
        match quantities {
            1 => Some(Coupled::One(CoupledSystem::new(domain, nodes, options))),
            2 => Some(Coupled::Two(CoupledSystem::new(domain, nodes, options))),
            _ => None,
        }
    }

    /// Solves for the changes of the flow and of the model; the iterations are those of both.
    ///
    /// # Errors
    /// The same as [`Gmres::solve`].
    pub fn solve(&self, domain: &mut Domain, derivative: &Derivative<'_>) -> Result<Solved, Unsolved> {
        match self {
            Coupled::One(system) => system.solve(domain, derivative),
            Coupled::Two(system) => system.solve(domain, derivative),
        }
    }

    /// The model's part of [`Derivative::imbalance`], and of the size of fluxes, squared.
    ///
    /// # Errors
    /// A device has failed.
    pub fn imbalance(
        &self,
        domain: &mut Domain,
        derivative: &Derivative<'_>,
    ) -> Result<[f64; 2], BackendError> {
        match self {
            Coupled::One(system) => system.imbalance(domain, derivative),
            Coupled::Two(system) => system.imbalance(domain, derivative),
        }
    }
}

/// Loops on vectors of M coupled unknowns, Q of them the model's.
pub trait JointLoops<const M: usize, const Q: usize>: VectorLoops<M> {
    /// The largest component.
    fn largest(domain: &mut Domain, joint: Dat<M>, largest: Global<Max<1>>);
    /// Takes a vector apart.
    fn part(domain: &mut Domain, joint: Dat<M>, units: [Dat<1>; Q], to: (Dat<N>, [Dat<1>; Q]), c: &Coupling);
    /// Puts one together.
    fn join(
        domain: &mut Domain,
        from: (Dat<N>, [Dat<1>; Q]),
        units: [Dat<1>; Q],
        joint: Dat<M>,
        c: &Coupling,
    );
}

impl JointLoops<ONE, 1> for Loops {
    fn largest(domain: &mut Domain, joint: Dat<ONE>, largest: Global<Max<1>>) {
        domain.par_loop(kernels::largest_one, joint.set(), (joint, largest), &());
    }

    fn part(
        domain: &mut Domain,
        joint: Dat<ONE>,
        [unit]: [Dat<1>; 1],
        (flow, [n]): (Dat<N>, [Dat<1>; 1]),
        c: &Coupling,
    ) {
        domain.par_loop(kernels::part_one, joint.set(), (joint, unit, flow, n), c);
    }

    fn join(
        domain: &mut Domain,
        (flow, [n]): (Dat<N>, [Dat<1>; 1]),
        [unit]: [Dat<1>; 1],
        joint: Dat<ONE>,
        c: &Coupling,
    ) {
        domain.par_loop(kernels::join_one, joint.set(), (flow, n, unit, joint), c);
    }
}

impl JointLoops<TWO, 2> for Loops {
    fn largest(domain: &mut Domain, joint: Dat<TWO>, largest: Global<Max<1>>) {
        domain.par_loop(kernels::largest_two, joint.set(), (joint, largest), &());
    }

    fn part(
        domain: &mut Domain,
        joint: Dat<TWO>,
        [one, two]: [Dat<1>; 2],
        (flow, [first, second]): (Dat<N>, [Dat<1>; 2]),
        c: &Coupling,
    ) {
        domain.par_loop(kernels::part_two, joint.set(), (joint, one, two, flow, first, second), c);
    }

    fn join(
        domain: &mut Domain,
        (flow, [first, second]): (Dat<N>, [Dat<1>; 2]),
        [one, two]: [Dat<1>; 2],
        joint: Dat<TWO>,
        c: &Coupling,
    ) {
        domain.par_loop(kernels::join_two, joint.set(), (flow, first, second, one, two, joint), c);
    }
}

/// Vectors of M coupled unknowns, Q of them the model's, and parts of them.
pub struct CoupledSystem<const M: usize, const Q: usize> {
    gmres: Gmres<M>,
    right: Dat<M>,
    change: Dat<M>,
    /// The speeds through cells' faces of the state whose R is in the right-hand side, as the model counts them.
    pace: Dat<1>,
    /// n of that state.
    base: [Dat<1>; Q],
    /// The unit of n at each node.
    unit: [Dat<1>; Q],
    argument: (Dat<N>, [Dat<1>; Q]),
    result: (Dat<N>, [Dat<1>; Q]),
}

impl<const M: usize, const Q: usize> CoupledSystem<M, Q>
where
    Loops: JointLoops<M, Q>,
{
    fn new(domain: &mut Domain, nodes: Set, options: Options) -> CoupledSystem<M, Q> {
        let gmres = Gmres::new(domain, nodes, options);
        let [right, change] = ["right-hand side", "change"]
            .map(|what| domain.new_dat(nodes, &format!("{what} of flow and model")));
        let mut of = |what: &str| from_fn(|k| domain.new_dat(nodes, &format!("{what} of quantity {k}")));
        let (base, unit) = (of("base"), of("unit"));
        let of_model = [of("argument"), of("result")];
        let [argument, result] =
            ["argument", "result"].map(|name| domain.new_dat(nodes, &format!("{name} of flow")));
        CoupledSystem {
            gmres,
            right,
            change,
            pace: domain.new_dat(nodes, "pace of the model"),
            base,
            unit,
            argument: (argument, of_model[0]),
            result: (result, of_model[1]),
        }
    }

    fn solve(&self, domain: &mut Domain, derivative: &Derivative<'_>) -> Result<Solved, Unsolved> {
        let model = ModelParts::<Q>::of(derivative);
        let Flow { residual, march, .. } = derivative.flow;
        let nodes = residual.geometry.nodes;
        let pace = model.turbulence.pace(domain, residual, march.steps.pace);
        <Loops as VectorLoops<1>>::copy(domain, pace, self.pace);
        for k in 0..Q {
            let (quantity, system) = (model.quantities[k], model.systems[k]);
            let distance = model.turbulence.distance;
            system.record_matrix(domain, quantity, distance, pace, derivative.cfl);
            let operands = (quantity.n, quantity.res, distance, self.base[k], self.unit[k]);
            domain.par_loop(kernels::begin_coupled, nodes, operands, &model.of_unknowns(k, 0.0));
        }
        let from = (model.newton.right, model.systems.map(|system| system.right));
        Loops::join(domain, from, self.unit, self.right, &model.of_equations(0, 0.0));
        let matrix = CoupledMatrix { derivative, system: self, model };
        let preconditioner = BlockDiagonal { system: self, model };
        Loops::clear(domain, self.change);
        let solved = self.gmres.solve(domain, &matrix, &preconditioner, self.right, self.change)?;
        let to = (model.newton.change, model.systems.map(|system| system.change));
        Loops::part(domain, self.change, self.unit, to, &model.of_unknowns(0, 0.0));
        Ok(solved)
    }

    fn imbalance(&self, domain: &mut Domain, derivative: &Derivative<'_>) -> Result<[f64; 2], BackendError> {
        let model = ModelParts::<Q>::of(derivative);
        let squares = derivative.products.squares;
        let mut sums = [0.0; 2];
        for k in 0..Q {
            let (quantity, system) = (model.quantities[k], model.systems[k]);
            let operands = (quantity.res, self.pace, quantity.n, system.old, self.unit[k], squares);
            let nodes = derivative.flow.residual.geometry.nodes;
            domain.par_loop(kernels::imbalance_one, nodes, operands, &model.of_equations(k, 0.0));
            let own = domain.get(squares)?;
            sums = [sums[0] + own[0], sums[1] + own[1]];
        }
        Ok(sums)
    }
}

/// A turbulence model's parts of a step.
#[derive(Clone, Copy)]
struct ModelParts<'a, const Q: usize> {
    newton: &'a Newton,
    turbulence: &'a Turbulence,
    quantities: [&'a Transported; Q],
    systems: [&'a TurbulentSystem; Q],
    local: f64,
    /// What units of n are multiplied by for R of it.
    flux_unit: f64,
}

impl<'a, const Q: usize> ModelParts<'a, Q> {
    fn of(derivative: &Derivative<'a>) -> ModelParts<'a, Q> {
        let flow = derivative.flow;
        let parts = flow.turbulent_systems();
        let turbulence = flow.residual.turbulence.as_ref().expect("there is a model");
        ModelParts {
            newton: flow.newton.as_ref().expect("the scheme is implicit"),
            turbulence,
            quantities: from_fn(|k| parts[k].0),
            systems: from_fn(|k| parts[k].1),
            local: 1.0 / derivative.cfl,
            flux_unit: turbulence.flux_unit(&flow.residual.gas),
        }
    }

    /// Constants of R of a quantity, with the length of a difference.
    fn of_equations(&self, quantity: usize, length: f64) -> Coupling {
        let Transported { ref bounds, ref inflow, .. } = *self.quantities[quantity];
        let factor = self.flux_unit;
        Coupling { length, local: self.local, factor, least: bounds.least, far: inflow.far }
    }

    /// The same of the quantity itself.
    fn of_unknowns(&self, quantity: usize, length: f64) -> Coupling {
        Coupling { factor: 1.0, ..self.of_equations(quantity, length) }
    }
}

/// The matrix at a state.
struct CoupledMatrix<'a, const M: usize, const Q: usize> {
    derivative: &'a Derivative<'a>,
    system: &'a CoupledSystem<M, Q>,
    model: ModelParts<'a, Q>,
}

impl<const M: usize, const Q: usize> Operator<M> for CoupledMatrix<'_, M, Q>
where
    Loops: JointLoops<M, Q>,
{
    /// The blocks of the model's matrices beside their diagonals become those of the state that differs by h, which their
    /// preconditioners do not notice more than rounding of R.
    fn apply(&self, domain: &mut Domain, x: Dat<M>, y: Dat<M>) -> Result<(), BackendError> {
        let CoupledMatrix { derivative, system, model } = *self;
        let residual = &derivative.flow.residual;
        let Products { largest, .. } = derivative.products;
        let nodes = residual.geometry.nodes;
        <Loops as JointLoops<M, Q>>::largest(domain, x, largest);
        let [Extremum { value, .. }] = domain.extremum(largest)?;
        if value == 0.0 {
            Loops::clear(domain, y);
            return Ok(());
        }
        let quotient = derivative.quotient_of(value);
        let ((flow, of_model), (product, of_equations)) = (system.argument, system.result);
        Loops::part(domain, x, system.unit, system.argument, &model.of_unknowns(0, 0.0));
        derivative.set_out(domain, &quotient, flow);
        for k in 0..Q {
            let operands = (system.base[k], of_model[k], model.quantities[k].n);
            let constants = model.of_unknowns(k, quotient.length);
            domain.par_loop(kernels::set_out_one, nodes, operands, &constants);
        }
        residual.record_turbulence(domain);
        derivative.come_back(domain, &quotient, flow, product);
        for k in 0..Q {
            let Transported { n, res, .. } = *model.quantities[k];
            let right = model.systems[k].right;
            let operands = (system.base[k], of_model[k], system.pace, right, res, n, of_equations[k]);
            let constants = model.of_unknowns(k, quotient.length);
            domain.par_loop(kernels::come_back_one, nodes, operands, &constants);
        }
        Loops::join(domain, system.result, system.unit, y, &model.of_equations(0, 0.0));
        Ok(())
    }
}

/// That of the flow and those of the model.
struct BlockDiagonal<'a, const M: usize, const Q: usize> {
    system: &'a CoupledSystem<M, Q>,
    model: ModelParts<'a, Q>,
}

impl<const M: usize, const Q: usize> Preconditioner<M> for BlockDiagonal<'_, M, Q>
where
    Loops: JointLoops<M, Q>,
{
    fn apply(&self, domain: &mut Domain, r: Dat<M>, z: Dat<M>) {
        let BlockDiagonal { system, model } = *self;
        let ((flow, of_model), (change, changes)) = (system.argument, system.result);
        Loops::part(domain, r, system.unit, system.argument, &model.of_equations(0, 0.0));
        model.newton.preconditioner.apply(domain, flow, change);
        for k in 0..Q {
            model.systems[k].preconditioner.apply(domain, of_model[k], changes[k]);
        }
        Loops::join(domain, system.result, system.unit, z, &model.of_unknowns(0, 0.0));
    }
}

//! A quantity that a turbulence model transports.

use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Options, Unsolved};
use cfd_implicit::lines::LineSet;
use cfd_implicit::matrix::BlockMatrix;
use cfd_implicit::{Loops, VectorLoops};

use super::super::geometry::Inner;
use super::super::joined::{self, JoinedMatrix, Sides};
use super::super::preconditioner::Preconditioning;
use super::super::{Copies, D, Geometry, Residual, kernels};
use crate::Field;
use crate::flow::config::Config;
use crate::flow::kernels::turbulence::{self, Bounds, Growth, Inflow};
use crate::gas::copies::{CopyEdges, CopyLoops};

/// Conditions of boundaries that something flows through.
const OPEN: [&str; 6] =
    ["far_field", "inlet", "velocity_inlet", "outlet", "supersonic_inlet", "supersonic_outlet"];

/// What carries a quantity.
#[derive(Clone, Copy)]
pub enum Way {
    /// The volume that flows: R is that of n.
    Volume,
    /// The mass that flows: R is that of rho n.
    Mass,
}

/// A quantity n, and R of it.
pub struct Transported {
    /// The name of its field.
    names: &'static [&'static str; 1],
    /// Its values.
    pub n: Dat<1>,
    /// What flows in.
    pub inflow: Inflow,
    /// How far a step may go.
    pub bounds: Bounds,
    /// What is put into each cell per time, as for a manufactured solution.
    pub source: Option<Dat<1>>,
    pub res: Dat<1>,
    /// dR/dn of a node's own n.
    pub(super) slope: Dat<1>,
    pub(super) matrix: BlockMatrix<1, 1>,
    pub(super) squares: Global<Sum<1>>,
    /// Of n, by least squares, for advection of second order.
    gradient: Option<Dat<D>>,
}

impl Transported {
    /// With n = 0.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(
        domain: &mut Domain,
        names: &'static [&'static str; 1],
        far: f64,
        bounds: Bounds,
        config: &Config,
    ) -> Result<Transported, DomainError> {
        let ends: Map<2> = domain.map("edge_nodes")?;
        let nodes = ends.to();
        let name = names[0];
        let of = |what: &str| format!("{what} of {name}");
        Ok(Transported {
            names,
            n: domain.new_dat(nodes, name),
            inflow: Inflow { far },
            bounds,
            source: None,
            res: domain.new_dat(nodes, &of("residual")),
            slope: domain.new_dat(nodes, &of("slope")),
            matrix: BlockMatrix::new(domain, ends, name),
            squares: domain.new_sum(&of("squares")),
            gradient: (config.turbulence_order == 2).then(|| domain.new_dat(nodes, &of("gradient"))),
        })
    }

    /// Records the loops that compute R and the blocks, but for the source: advection, by volume or with mass, and diffusion with
    /// what `mixed` gives at nodes. Advection of second order hardly limits differences below `small`.
    pub fn record(
        &self,
        domain: &mut Domain,
        residual: &Residual,
        distance: Dat<1>,
        [mixed, small]: [Dat<1>; 2],
        way: Way,
    ) {
        let Transported { n, res, slope, ref inflow, ref matrix, source, .. } = *self;
        let Residual { ref geometry, w, .. } = *residual;
        let Geometry { nodes, edges, a, b, x, area, ref copies, .. } = *geometry;
        let Inner { coupling, elements } = geometry.inner();
        let (x_ab, w_ab) = ((x.at(a), x.at(b)), (w.at(a), w.at(b)));
        let (n_ab, res_ab) = ((n.at(a), n.at(b)), (res.at(a), res.at(b)));
        let operands = (
            w_ab.0,
            w_ab.1,
            n_ab.0,
            n_ab.1,
            mixed.at(a),
            mixed.at(b),
            distance.at(a),
            distance.at(b),
            area,
            coupling,
            matrix.edges.upper,
            matrix.edges.lower,
            slope.at(a),
            slope.at(b),
            res_ab.0,
            res_ab.1,
        );
        match way {
            Way::Volume => domain.par_loop(kernels::carry, edges, operands, &()),
            Way::Mass => domain.par_loop(kernels::convey, edges, operands, &()),
        }
        if let Some(gradient) = self.record_gradient(domain, residual) {
            let operands = (
                x_ab.0,
                x_ab.1,
                w_ab.0,
                w_ab.1,
                n_ab.0,
                n_ab.1,
                small.at(a),
                small.at(b),
                gradient.at(a),
                gradient.at(b),
                area,
                res_ab.0,
                res_ab.1,
            );
            match way {
                Way::Volume => domain.par_loop(kernels::carry_further, edges, operands, &()),
                Way::Mass => domain.par_loop(kernels::convey_further, edges, operands, &()),
            }
        }
        for faces in geometry.faces.iter().filter(|faces| OPEN.contains(&faces.condition)) {
            let node = faces.node;
            let operands = (w.at(node), n.at(node), faces.area, slope.at(node), res.at(node));
            match way {
                Way::Volume => domain.par_loop(kernels::enter, faces.set, operands, inflow),
                Way::Mass => domain.par_loop(kernels::enter_with_mass, faces.set, operands, inflow),
            }
        }
        match way {
            Way::Volume => elements.record_mixing(domain, x, [n, mixed, res]),
            Way::Mass => elements.record_diffusion(domain, x, [n, mixed, res]),
        }
        if let Some(copies) = copies {
            [res, slope].iter().for_each(|&values| copies.numbers.unite(domain, values));
        }
        if let Some(source) = source {
            domain.par_loop(kernels::feed_one, nodes, (source, res), &());
        }
    }

    /// Records the loops that compute gradients for advection of second order, if it is asked for; the gradients.
    fn record_gradient(&self, domain: &mut Domain, residual: &Residual) -> Option<Dat<D>> {
        let Geometry { nodes, edges, a, b, x, copies, .. } = residual.geometry;
        let (n, gradient) = (self.n, self.gradient?);
        domain.par_loop(kernels::clear_one, nodes, (gradient,), &());
        let operands = (x.at(a), x.at(b), n.at(a), n.at(b), gradient.at(a), gradient.at(b));
        domain.par_loop(kernels::differences_one, edges, operands, &());
        if let Some(copies) = copies {
            let CopyEdges { set, a, b } = copies.edges();
            // Positions are exchanged.
            let operands = (x.at(b), x.at(a), n.at(a), n.at(b), gradient.at(a), gradient.at(b));
            domain.par_loop(kernels::differences_one, set, operands, &());
            copies.vectors.unite(domain, gradient);
        }
        domain.par_loop(kernels::solve_one, nodes, (residual.inverse, gradient), &());
        Some(gradient)
    }

    /// The name of its field.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    /// Its field.
    pub fn field(&self) -> Field {
        Field::new(self.name(), self.n, self.names)
    }

    /// The root mean square of n's rate of change that was recorded last.
    ///
    /// # Errors
    /// A device has failed.
    pub fn rate(&self, domain: &mut Domain) -> Result<f64, BackendError> {
        let [squares] = domain.get(self.squares)?;
        Ok((squares / domain.rows(self.n.set()) as f64).sqrt())
    }
}

/// The linear system for a quantity.
pub struct TurbulentSystem {
    pub preconditioner: Preconditioning<1, 1>,
    gmres: Gmres<1>,
    matrix: JoinedMatrix<1, 1>,
    /// -R.
    pub right: Dat<1>,
    pub change: Dat<1>,
    /// n before the step.
    pub old: Dat<1>,
}

impl TurbulentSystem {
    /// Of a quantity.
    ///
    /// # Errors
    /// A level lacks something.
    pub fn new(
        domain: &mut Domain,
        quantity: &Transported,
        config: &Config,
        copies: Option<Copies>,
        lines: &LineSet,
        options: Options,
    ) -> Result<TurbulentSystem, DomainError> {
        let nodes = quantity.n.set();
        let of = |what: &str| format!("{what} of {}", quantity.name());
        let sides = copies.map(|Copies { numbers, .. }| Sides {
            vectors: numbers,
            blocks: numbers,
            products: domain.new_dat(nodes, &of("products")),
        });
        let matrix = JoinedMatrix { blocks: quantity.matrix, sides };
        Ok(TurbulentSystem {
            preconditioner: Preconditioning::new(domain, config, matrix, lines)?,
            gmres: Gmres::new(domain, nodes, options),
            matrix,
            right: domain.new_dat(nodes, &of("right-hand side")),
            change: domain.new_dat(nodes, &of("change")),
            old: domain.new_dat(nodes, &of("old")),
        })
    }

    /// Solves for a change of n with this Courant number; the iterations, or `None` if there is no solution.
    ///
    /// # Errors
    /// A device has failed.
    pub fn solve(
        &self,
        domain: &mut Domain,
        quantity: &Transported,
        distance: Dat<1>,
        pace: Dat<1>,
        cfl: f64,
    ) -> Result<Option<u64>, BackendError> {
        self.record_matrix(domain, quantity, distance, pace, cfl);
        let TurbulentSystem { preconditioner, gmres, matrix, right, change, .. } = self;
        match joined::solve(domain, gmres, matrix, preconditioner, [*right, *change]) {
            Ok(solved) => {
                preconditioner.watch(solved.iterations);
                Ok(Some(solved.iterations))
            }
            Err(Unsolved::NotFinite { .. }) => Ok(None),
            Err(Unsolved::Backend(error)) => Err(error),
        }
    }

    /// Records the loops that make the right-hand side, the matrix with this Courant number and its preconditioner.
    pub fn record_matrix(
        &self,
        domain: &mut Domain,
        quantity: &Transported,
        distance: Dat<1>,
        pace: Dat<1>,
        cfl: f64,
    ) {
        let Transported { n, res, slope, ref matrix, .. } = *quantity;
        let operands = (res, slope, pace, distance, matrix.diagonal, self.right);
        domain.par_loop(turbulence::turbulent_step, n.set(), operands, &Growth { local: 1.0 / cfl });
        self.preconditioner.update(domain);
    }

    /// Records the loop that adds the change to n.
    pub fn record_update(&self, domain: &mut Domain, quantity: &Transported) {
        let Transported { n, ref bounds, .. } = *quantity;
        domain.par_loop(turbulence::turbulent_update, n.set(), (self.change, n, self.old), bounds);
        if let Some(Sides { vectors: numbers, .. }) =
            self.matrix.sides.filter(|sides| sides.vectors.is_turned())
        {
            // The production of turned copies of a node differs by rounding.
            numbers.share(domain, n);
        }
    }

    /// Records the loop that takes the change back.
    pub fn take_back(&self, domain: &mut Domain, quantity: &Transported) {
        Loops::copy(domain, self.old, quantity.n);
    }
}

//! The turbulence model: its viscosity n, R of it, and the steps of Newton's method that solve for it.
//!
//! A step solves for n with the flow as it was, and for the flow with the eddy viscosity as it was: each has its own matrix.

use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Options, Unsolved};
use cfd_implicit::lines::{LinePreconditioner, LineSet, Relaxation};
use cfd_implicit::matrix::BlockMatrix;
use cfd_implicit::{Loops, VectorLoops};

use super::distance::wall_distance;
use super::{Copies, D, Flow, Geometry, Residual, TURNS, joined, kernels};
use crate::Stopped;
use crate::flow::config::{Config, Equations};
use crate::flow::kernels::turbulence::{self, Growth, Model, NEGATIVE, WITHOUT_FT2};
use crate::gas::copies::{CopyEdges, CopyLoops, CopySums};

/// Conditions of boundaries that something flows through.
const OPEN: [&str; 6] =
    ["far_field", "inlet", "velocity_inlet", "outlet", "supersonic_inlet", "supersonic_outlet"];

/// The model's viscosity and R of it.
pub struct Turbulence {
    /// The model's viscosity n.
    pub n: Dat<1>,
    model: Model,
    /// Viscosity of the gas over its density.
    pub nu: Dat<1>,
    /// The distance from the nearest wall.
    pub distance: Dat<1>,
    /// What is put into each cell per time, as for a manufactured solution.
    pub source: Option<Dat<1>>,
    /// Vorticity times volume.
    turn: Dat<{ TURNS.len() }>,
    res: Dat<1>,
    /// dR/dn of a node's own n.
    slope: Dat<1>,
    /// Of n, by least squares, for advection of second order.
    gradient: Option<Dat<D>>,
    matrix: BlockMatrix<1, 1>,
    squares: Global<Sum<1>>,
}

impl Turbulence {
    /// With n = 0. Collective.
    ///
    /// # Errors
    /// There is no wall without slip, or a device has failed.
    pub fn new(domain: &mut Domain, geometry: &Geometry, config: &Config) -> Result<Turbulence, DomainError> {
        let nodes = geometry.nodes;
        let ends: Map<2> = domain.map("edge_nodes")?;
        let distance = match wall_distance(domain, geometry)? {
            Some(distance) => distance,
            // No boundary is such a wall; what to do is said where the configuration is checked.
            None => domain.new_dat(nodes, "wall_distance"),
        };
        Ok(Turbulence {
            n: domain.new_dat(nodes, "nu_tilde"),
            model: if config.equations == Equations::NegativeSpalartAllmaras {
                NEGATIVE
            } else {
                WITHOUT_FT2
            },
            nu: domain.new_dat(nodes, "kinematic viscosity"),
            distance,
            source: None,
            turn: domain.new_dat(nodes, "vorticity of elements"),
            res: domain.new_dat(nodes, "residual of turbulence"),
            slope: domain.new_dat(nodes, "slope of turbulence"),
            gradient: (config.turbulence_order == 2).then(|| domain.new_dat(nodes, "gradient of turbulence")),
            matrix: BlockMatrix::new(domain, ends, "turbulence"),
            squares: domain.new_sum("squares of turbulence"),
        })
    }

    /// Gives all nodes the free stream's n, but those of walls. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn start(&self, domain: &mut Domain, far: f64) -> Result<(), BackendError> {
        let distances = domain.read(self.distance)?;
        let values: Vec<f64> = distances.iter().map(|d| if *d > 0.0 { far } else { 0.0 }).collect();
        domain.write(self.n, &values);
        Ok(())
    }

    /// The n that the nodes have been given from elsewhere, 0 on walls. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn given(&self, domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        let distances = domain.read(self.distance)?;
        let given = domain.read(self.n)?;
        Ok(given
            .iter()
            .zip(&distances)
            .map(|(n, d)| if *d > 0.0 { n.max(self.model.least) } else { 0.0 })
            .collect())
    }

    /// Records the loops that compute the eddy viscosity, R of n and its blocks, of the state.
    pub fn record(&self, domain: &mut Domain, residual: &Residual) {
        let Turbulence { n, nu, distance, turn, res, slope, squares, .. } = *self;
        let Residual { ref geometry, gas, w, eddies, .. } = *residual;
        let Geometry { nodes, edges, a, b, x, volume, area, copies, .. } = *geometry;
        let (upper, lower) = (self.matrix.edges.upper, self.matrix.edges.lower);
        domain.par_loop(kernels::begin_turbulence, nodes, (w, n, eddies, nu, turn, res, slope), &gas);
        let operands = (
            x.at(a),
            x.at(b),
            w.at(a),
            w.at(b),
            n.at(a),
            n.at(b),
            nu.at(a),
            nu.at(b),
            distance.at(a),
            distance.at(b),
            area,
            upper,
            lower,
            slope.at(a),
            slope.at(b),
            res.at(a),
            res.at(b),
        );
        domain.par_loop(kernels::carry, edges, operands, &());
        if let Some(gradient) = self.gradient {
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
            let operands = (
                x.at(a),
                x.at(b),
                w.at(a),
                w.at(b),
                n.at(a),
                n.at(b),
                nu.at(a),
                nu.at(b),
                gradient.at(a),
                gradient.at(b),
                area,
                res.at(a),
                res.at(b),
            );
            domain.par_loop(kernels::carry_further, edges, operands, &());
        }
        for faces in geometry.faces.iter().filter(|faces| OPEN.contains(&faces.condition)) {
            let node = faces.node;
            let operands = (w.at(node), n.at(node), faces.area, slope.at(node), res.at(node));
            domain.par_loop(kernels::enter, faces.set, operands, &gas);
        }
        geometry.elements.record_mixing(domain, (x, w), [n, nu, res], turn);
        if let Some(copies) = copies {
            copies.turns.unite(domain, turn);
            [res, slope].iter().for_each(|&values| copies.numbers.unite(domain, values));
        }
        if let Some(source) = self.source {
            domain.par_loop(kernels::feed_one, nodes, (source, res), &());
        }
        let operands = (n, nu, turn, distance, volume, res, slope, squares);
        domain.par_loop(kernels::produce, nodes, operands, &self.model);
    }

    /// The root mean square of n's rate of change that was recorded last.
    pub fn rate(&self, domain: &mut Domain) -> Result<f64, BackendError> {
        let [squares] = domain.get(self.squares)?;
        Ok((squares / domain.rows(self.n.set()) as f64).sqrt())
    }

    /// Records the loops that set `ratio` to the eddy viscosity over that of the gas.
    pub fn record_ratio(&self, domain: &mut Domain, residual: &Residual, ratio: Dat<1>) {
        let Residual { ref geometry, gas, w, eddies, .. } = *residual;
        let operands = (w, self.n, eddies, self.nu, self.turn, self.res, self.slope);
        domain.par_loop(kernels::begin_turbulence, geometry.nodes, operands, &gas);
        domain.par_loop(kernels::eddy_ratio, geometry.nodes, (w, eddies, self.nu, ratio), &());
    }
}

/// The linear system for n.
pub struct TurbulentSystem {
    preconditioner: LinePreconditioner<1, 1>,
    gmres: Gmres<1>,
    copies: Option<(CopySums<1>, Dat<1>)>,
    right: Dat<1>,
    change: Dat<1>,
    old: Dat<1>,
}

impl TurbulentSystem {
    /// Of a model, on the lines of the flow's system.
    pub fn new(
        domain: &mut Domain,
        turbulence: &Turbulence,
        copies: Option<Copies>,
        lines: &LineSet,
        relaxation: Relaxation,
        options: Options,
    ) -> TurbulentSystem {
        let nodes = turbulence.n.set();
        TurbulentSystem {
            preconditioner: LinePreconditioner::new(domain, &turbulence.matrix, lines, relaxation),
            gmres: Gmres::new(domain, nodes, options),
            copies: copies.map(|copies| (copies.numbers, domain.new_dat(nodes, "products of turbulence"))),
            right: domain.new_dat(nodes, "right-hand side of turbulence"),
            change: domain.new_dat(nodes, "change of turbulence"),
            old: domain.new_dat(nodes, "old turbulence"),
        }
    }

    /// Solves for a change of n with this Courant number; the iterations, or `None` if there is no solution.
    ///
    /// # Errors
    /// A device has failed.
    pub fn solve(
        &self,
        domain: &mut Domain,
        turbulence: &Turbulence,
        pace: Dat<1>,
        cfl: f64,
    ) -> Result<Option<u64>, BackendError> {
        let Turbulence { n, distance, res, slope, matrix, .. } = turbulence;
        let operands = (*res, *slope, pace, *distance, matrix.diagonal, self.right);
        domain.par_loop(turbulence::turbulent_step, n.set(), operands, &Growth { local: 1.0 / cfl });
        self.preconditioner.update(domain);
        let TurbulentSystem { preconditioner, gmres, copies, right, change, .. } = self;
        match joined::solve(domain, gmres, matrix, preconditioner, *copies, [*right, *change]) {
            Ok(solved) => Ok(Some(solved.iterations)),
            Err(Unsolved::NotFinite { .. }) => Ok(None),
            Err(Unsolved::Backend(error)) => Err(error),
        }
    }

    /// Records the loop that adds the change to n.
    pub fn record_update(&self, domain: &mut Domain, turbulence: &Turbulence) {
        let Turbulence { n, ref model, .. } = *turbulence;
        domain.par_loop(turbulence::turbulent_update, n.set(), (self.change, n, self.old), model);
        if let Some((copies, _)) = self.copies.filter(|(copies, _)| copies.is_turned()) {
            // The production of turned copies of a node differs by rounding.
            copies.share(domain, n);
        }
    }

    /// Records the loop that takes the change back.
    pub fn take_back(&self, domain: &mut Domain, n: Dat<1>) {
        Loops::copy(domain, self.old, n);
    }
}

impl Flow {
    /// The turbulence model and its system, if there is one.
    pub(super) fn turbulent_system(&self) -> Option<(&Turbulence, &TurbulentSystem)> {
        let system = self.newton.as_ref().and_then(|newton| newton.turbulence.as_ref());
        self.residual.turbulence.as_ref().zip(system)
    }

    /// Solves for the turbulence model's change; whether there is a solution.
    pub(super) fn solve_turbulence(&mut self, domain: &mut Domain) -> Result<bool, Stopped> {
        let cfl = self.newton().cfl;
        let Some((model, system)) = self.turbulent_system() else { return Ok(true) };
        let iterations = system.solve(domain, model, self.pace, cfl)?;
        self.newton().turbulence_iterations += iterations.unwrap_or(0);
        Ok(iterations.is_some())
    }
}

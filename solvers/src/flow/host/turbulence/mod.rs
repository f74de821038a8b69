//! Turbulence models: the quantities that they transport, R of these, and the steps of Newton's method that solve for them.
//!
//! A step solves for each quantity with all others and the flow as they were, and for the flow with the eddy viscosity as it
//! was: each has its own matrix.
//!
//! ```text
//! transported        one quantity: its residual, matrix, steps
//! spalart_allmaras   the model of one equation
//! sst                the model of two
//! mod (here)         which of them a run has, where it starts
//! ```

mod spalart_allmaras;
mod sst;
mod transported;

use cfd_engine::prelude::*;
use cfd_implicit::gmres::Options;
use cfd_implicit::lines::LineSet;

use self::spalart_allmaras::SpalartAllmaras;
use self::sst::Sst;
use self::transported::Way;
pub use self::transported::{Transported, TurbulentSystem};
use super::distance::wall_distance;
use super::{Copies, Flow, Geometry, Residual, kernels};
use crate::Stopped;
use crate::flow::config::{Config, Equations};
use crate::flow::gas::Gas;

/// A turbulence model.
pub struct Turbulence {
    /// The distance from the nearest wall.
    pub distance: Dat<1>,
    /// Viscosity of the gas over its density.
    nu: Dat<1>,
    model: Box<dyn Model>,
}

/// What a turbulence model is made of.
trait Model {
    /// What it transports.
    fn quantities(&self) -> Vec<&Transported>;

    /// The same.
    fn quantities_mut(&mut self) -> Vec<&mut Transported>;

    /// The start of each quantity at a distance from a wall that is not 0.
    fn start(&self, distance: f64) -> Vec<f64>;

    /// Records the loops that compute the eddy viscosity of the state, and clear sums.
    fn begin(&self, domain: &mut Domain, near: Near, residual: &Residual);

    /// Records the loops that compute R and the blocks of each quantity, after those.
    fn record(&self, domain: &mut Domain, near: Near, residual: &Residual);

    /// What carries its quantities.
    fn way(&self) -> Way;

    /// The speeds through cells' faces, `pace`, as its equations count them.
    fn pace(&self, domain: &mut Domain, residual: &Residual, pace: Dat<1>) -> Dat<1>;
}

/// What models read at nodes.
#[derive(Clone, Copy)]
struct Near {
    distance: Dat<1>,
    nu: Dat<1>,
}

impl Turbulence {
    /// That of a configuration, if it has one. Collective.
    ///
    /// # Errors
    /// There is no wall without slip, or a device has failed.
    pub fn new(
        domain: &mut Domain,
        geometry: &Geometry,
        config: &Config,
    ) -> Result<Option<Turbulence>, DomainError> {
        if !config.is_turbulent() {
            return Ok(None);
        }
        let distance = match wall_distance(domain, geometry)? {
            Some(distance) => distance,
            // No boundary is such a wall; what to do is said where the configuration is checked.
            None => domain.new_dat(geometry.nodes, "wall_distance"),
        };
        let model: Box<dyn Model> = match config.equations {
            Equations::Sst => Box::new(Sst::new(domain, geometry, config)?),
            _ => Box::new(SpalartAllmaras::new(domain, geometry, config)?),
        };
        Ok(Some(Turbulence { distance, nu: domain.new_dat(geometry.nodes, "kinematic viscosity"), model }))
    }

    /// What the model transports.
    pub fn quantities(&self) -> Vec<&Transported> {
        self.model.quantities()
    }

    /// The same.
    pub fn quantities_mut(&mut self) -> Vec<&mut Transported> {
        self.model.quantities_mut()
    }

    /// Gives all nodes what the model starts with, 0 on walls. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn start(&self, domain: &mut Domain) -> Result<(), BackendError> {
        let distances = domain.read(self.distance)?;
        for (at, quantity) in self.quantities().into_iter().enumerate() {
            let values = distances.iter().map(|&d| if d > 0.0 { self.model.start(d)[at] } else { 0.0 });
            domain.write(quantity.n, &values.collect::<Vec<f64>>());
        }
        Ok(())
    }

    /// What the nodes have been given from elsewhere, 0 on walls, of each quantity. Collective.
    ///
    /// # Errors
    /// A device has failed.
    pub fn given(&self, domain: &mut Domain) -> Result<Vec<Vec<f64>>, BackendError> {
        let distances = domain.read(self.distance)?;
        let mut given = Vec::new();
        for quantity in self.quantities() {
            let values = domain.read(quantity.n)?;
            let least = |(n, d): (&f64, &f64)| if *d > 0.0 { n.max(quantity.bounds.least) } else { 0.0 };
            given.push(values.iter().zip(&distances).map(least).collect());
        }
        Ok(given)
    }

    /// Records the loops that compute the eddy viscosity, and R and the blocks of each quantity, of the state.
    pub fn record(&self, domain: &mut Domain, residual: &Residual) {
        self.begin(domain, residual);
        self.model.record(domain, self.near(), residual);
    }

    /// Records the loops that set `ratio` to the eddy viscosity over that of the gas.
    pub fn record_ratio(&self, domain: &mut Domain, residual: &Residual, ratio: Dat<1>) {
        self.begin(domain, residual);
        let operands = (residual.w, residual.eddies, self.nu, ratio);
        domain.par_loop(kernels::eddy_ratio, residual.geometry.nodes, operands, &());
    }

    /// Records the loops that compute the eddy viscosity of the state; walls get their quantities.
    pub fn begin(&self, domain: &mut Domain, residual: &Residual) {
        self.model.begin(domain, self.near(), residual);
    }

    /// The speeds through cells' faces, `pace`, as its equations count them; records the loops that they take.
    pub fn pace(&self, domain: &mut Domain, residual: &Residual, pace: Dat<1>) -> Dat<1> {
        self.model.pace(domain, residual, pace)
    }

    /// The unit of its fluxes where that of what it transports is 1.
    pub fn flux_unit(&self, gas: &Gas) -> f64 {
        match self.model.way() {
            Way::Volume => gas.unit[1],
            Way::Mass => gas.flux_unit[0],
        }
    }

    fn near(&self) -> Near {
        Near { distance: self.distance, nu: self.nu }
    }

    /// A system for each quantity, on the lines and coarse levels of the flow's system.
    ///
    /// # Errors
    /// A level lacks something.
    pub fn systems(
        &self,
        domain: &mut Domain,
        config: &Config,
        copies: Option<Copies>,
        lines: &LineSet,
        options: Options,
    ) -> Result<Vec<TurbulentSystem>, DomainError> {
        let quantities = self.quantities().into_iter();
        let of = |quantity| TurbulentSystem::new(domain, quantity, config, copies, lines, options);
        quantities.map(of).collect()
    }
}

impl Flow {
    /// Solves for the turbulence model's changes; whether there is a solution.
    pub(super) fn solve_turbulence(&mut self, domain: &mut Domain) -> Result<bool, Stopped> {
        let Some(turbulence) = &self.residual.turbulence else { return Ok(true) };
        let newton = self.newton.as_mut().expect("the scheme is implicit");
        let pace = turbulence.pace(domain, &self.residual, self.march.steps.pace);
        for (system, quantity) in newton.turbulence.iter().zip(turbulence.quantities()) {
            let Some(iterations) = system.solve(domain, quantity, turbulence.distance, pace, newton.cfl)?
            else {
                return Ok(false);
            };
            newton.turbulence_iterations += iterations;
        }
        Ok(true)
    }

    /// The turbulence model's quantities and their systems.
    pub(super) fn turbulent_systems(&self) -> Vec<(&Transported, &TurbulentSystem)> {
        let quantities = self.residual.turbulence.iter().flat_map(Turbulence::quantities);
        quantities.zip(self.newton.iter().flat_map(|newton| &newton.turbulence)).collect()
    }
}

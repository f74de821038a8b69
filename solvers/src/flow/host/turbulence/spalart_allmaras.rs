//! The model of Spalart and Allmaras: [`crate::flow::kernels::spalart_allmaras`].

use cfd_engine::prelude::*;

use super::super::{Geometry, Residual, TURNS, kernels};
use super::transported::{Transported, Way};
use super::{Model, Near};
use crate::flow::config::{Config, Equations};
use crate::flow::gas::Gas;
use crate::flow::kernels::spalart_allmaras::{Form, NEGATIVE, WITHOUT_FT2};
use crate::flow::kernels::turbulence::Bounds;
use crate::gas::copies::CopyLoops;

/// What the model needs at nodes.
pub struct SpalartAllmaras {
    /// The model's viscosity n.
    n: Transported,
    form: Form,
    /// Vorticity times volume.
    turn: Dat<{ TURNS.len() }>,
}

impl SpalartAllmaras {
    /// With n = 0.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(
        domain: &mut Domain,
        geometry: &Geometry,
        config: &Config,
    ) -> Result<SpalartAllmaras, DomainError> {
        let form = match config.equations {
            Equations::NegativeSpalartAllmaras => NEGATIVE,
            _ => WITHOUT_FT2,
        };
        let bounds = Bounds { least: form.least, factor: 0.0 };
        let far = Gas::new(config).far_turbulence;
        Ok(SpalartAllmaras {
            n: Transported::new(domain, &["nu_tilde"], far, bounds, config)?,
            form,
            turn: domain.new_dat(geometry.nodes, "vorticity of elements"),
        })
    }
}

impl Model for SpalartAllmaras {
    fn quantities(&self) -> Vec<&Transported> {
        vec![&self.n]
    }

    fn quantities_mut(&mut self) -> Vec<&mut Transported> {
        vec![&mut self.n]
    }

    /// The free stream's n.
    fn start(&self, _distance: f64) -> Vec<f64> {
        vec![self.n.inflow.far]
    }

    fn begin(&self, domain: &mut Domain, near: Near, residual: &Residual) {
        let Residual { ref geometry, gas, w, eddies, .. } = *residual;
        let Transported { n, res, slope, .. } = self.n;
        let operands = (w, n, eddies, near.nu, self.turn, res, slope);
        domain.par_loop(kernels::begin_turbulence, geometry.nodes, operands, &gas);
    }

    fn record(&self, domain: &mut Domain, near: Near, residual: &Residual) {
        let SpalartAllmaras { ref n, form, turn } = *self;
        let Residual { ref geometry, w, .. } = *residual;
        let Near { distance, nu } = near;
        geometry.inner().elements.record_vorticity(domain, geometry.x, w, turn);
        if let Some(copies) = &geometry.copies {
            copies.turns.unite(domain, turn);
        }
        n.record(domain, residual, distance, [nu, nu], Way::Volume);
        let operands = (n.n, nu, turn, distance, geometry.volume, n.res, n.slope, n.squares);
        domain.par_loop(kernels::produce, geometry.nodes, operands, &form);
    }

    fn way(&self) -> Way {
        Way::Volume
    }

    /// As they are.
    fn pace(&self, _domain: &mut Domain, _residual: &Residual, pace: Dat<1>) -> Dat<1> {
        pace
    }
}

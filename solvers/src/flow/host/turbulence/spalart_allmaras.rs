//! The model of Spalart and Allmaras: [`crate::flow::kernels::spalart_allmaras`].

use cfd_engine::prelude::*;

use super::super::{Geometry, Residual, TURNS, kernels};
use super::transported::{Transported, open_faces};
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
        let SpalartAllmaras { n: ref quantity, form, turn } = *self;
        let Transported { n, res, slope, squares, inflow, ref matrix, source, .. } = *quantity;
        let Residual { ref geometry, w, .. } = *residual;
        let Geometry { nodes, edges, a, b, x, volume, area, copies, .. } = *geometry;
        let (nu, distance) = (near.nu, near.distance);
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
            matrix.edges.upper,
            matrix.edges.lower,
            slope.at(a),
            slope.at(b),
            res.at(a),
            res.at(b),
        );
        domain.par_loop(kernels::carry, edges, operands, &());
        if let Some(gradient) = quantity.record_gradient(domain, residual) {
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
        for faces in open_faces(geometry) {
            let node = faces.node;
            let operands = (w.at(node), n.at(node), faces.area, slope.at(node), res.at(node));
            domain.par_loop(kernels::enter, faces.set, operands, &inflow);
        }
        geometry.elements.record_vorticity(domain, x, w, turn);
        geometry.elements.record_mixing(domain, x, [n, nu, res]);
        if let Some(copies) = copies {
            copies.turns.unite(domain, turn);
            [res, slope].iter().for_each(|&values| copies.numbers.unite(domain, values));
        }
        if let Some(source) = source {
            domain.par_loop(kernels::feed_one, nodes, (source, res), &());
        }
        let operands = (n, nu, turn, distance, volume, res, slope, squares);
        domain.par_loop(kernels::produce, nodes, operands, &form);
    }

    /// As they are.
    fn pace(&self, _domain: &mut Domain, _residual: &Residual, pace: Dat<1>) -> Dat<1> {
        pace
    }
}

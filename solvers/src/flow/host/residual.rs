//! R(q), the sum of the fluxes out of each cell: V dq/dt + R(q) = 0.

use cfd_engine::prelude::*;

use super::{Faces, Flow, Geometry, kernels};
use crate::flow::config::{Equations, Flux, Limiter};

impl Flow {
    /// Whether the equations have viscous terms.
    pub(super) fn is_viscous(&self) -> bool {
        self.config.equations != Equations::Euler
    }

    /// Records the loops after which least squares need only right-hand sides.
    pub(super) fn prepare_gradients(&self, domain: &mut Domain) {
        let (Geometry { nodes, edges, a, b, x, .. }, inverse) = (&self.geometry, self.inverse);
        let operands = (x.at(*a), x.at(*b), inverse.at(*a), inverse.at(*b));
        domain.par_loop(kernels::moments, *edges, operands, &());
        domain.par_loop(kernels::invert, *nodes, (inverse,), &());
    }

    /// Records the loops that compute the gradients of w.
    pub(super) fn record_gradients(&self, domain: &mut Domain) {
        let Geometry { nodes, edges, a, b, x, .. } = &self.geometry;
        let (w, gradient) = (self.w, self.gradient);
        domain.par_loop(kernels::clear, *nodes, (gradient,), &());
        let operands = (x.at(*a), x.at(*b), w.at(*a), w.at(*b), gradient.at(*a), gradient.at(*b));
        domain.par_loop(kernels::differences, *edges, operands, &());
        domain.par_loop(kernels::solve, *nodes, (self.inverse, gradient), &());
    }

    /// Records the loops that add R of the state to `res`, which is 0 before; w is that of the state.
    pub fn record_residual(&self, domain: &mut Domain) {
        self.record_fluxes(domain);
        self.hold_walls(domain);
    }

    /// Records the loops that add all fluxes to `res`, but for friction and heat of walls.
    pub fn record_fluxes(&self, domain: &mut Domain) {
        let is_linear = self.config.order == 2;
        if is_linear || self.is_viscous() {
            self.record_gradients(domain);
        }
        self.record_edges(domain);
        for faces in &self.geometry.faces {
            self.record_boundary(domain, faces);
        }
        if self.is_viscous() {
            let (w, res) = (self.w, self.res);
            self.geometry.elements.record_stresses(domain, self.geometry.x, w, res, &self.gas);
            for faces in &self.geometry.faces {
                self.record_boundary_stress(domain, faces);
            }
        }
    }

    /// Records the loops of walls' friction and heat, which they take from `res` of the fluxes.
    pub fn hold_walls(&self, domain: &mut Domain) {
        if let Some(walls) = &self.walls {
            walls.hold(domain, self.res, &self.gas);
        }
    }

    fn record_edges(&self, domain: &mut Domain) {
        let Geometry { edges, a, b, x, area, moments, .. } = &self.geometry;
        let (w, gradient, res) = (self.w, self.slopes, self.res);
        let (w_a, w_b, gradient_a, gradient_b) = (w.at(*a), w.at(*b), gradient.at(*a), gradient.at(*b));
        let operands =
            (x.at(*a), x.at(*b), w_a, w_b, gradient_a, gradient_b, *area, res.at(*a), res.at(*b));
        macro_rules! flux {
            ($($flux:ident $limiter:ident $kernel:ident),+) => {
                match (self.config.flux, self.config.limiter) {
                    $((Flux::$flux, Limiter::$limiter) => {
                        domain.par_loop(kernels::$kernel, *edges, operands, &self.gas);
                    })+
                }
            };
        }
        flux!(
            Roe None roe_unlimited,
            Roe VanAlbada roe_van_albada,
            Roe Venkatakrishnan roe_venkatakrishnan,
            RoeLowMach None low_mach_unlimited,
            RoeLowMach VanAlbada low_mach_van_albada,
            RoeLowMach Venkatakrishnan low_mach_venkatakrishnan,
            Hllc None hllc_unlimited,
            Hllc VanAlbada hllc_van_albada,
            Hllc Venkatakrishnan hllc_venkatakrishnan
        );
        if let Some(moments) = moments.filter(|_| self.config.order == 2) {
            let operands = (w_a, w_b, gradient_a, gradient_b, moments, res.at(*a), res.at(*b));
            domain.par_loop(kernels::moment_flux, *edges, operands, &self.gas);
        }
    }

    fn record_boundary(&self, domain: &mut Domain, faces: &Faces) {
        let Faces { condition, set, nodes, node, area, middle, given, .. } = *faces;
        let (w, res) = (self.w.all(nodes), self.res.at(node));
        let operands = (w, middle, area, given, res);
        match condition {
            "slip" | "no_slip" | "symmetry" => {
                domain.par_loop(kernels::slip, set, (w, middle, area, res), &());
            }
            "far_field" => domain.par_loop(kernels::far_field, set, operands, &self.gas),
            "inlet" => domain.par_loop(kernels::inlet, set, operands, &self.gas),
            "velocity_inlet" => domain.par_loop(kernels::velocity_inlet, set, operands, &self.gas),
            "outlet" => domain.par_loop(kernels::outlet, set, operands, &self.gas),
            "supersonic_inlet" => domain.par_loop(kernels::supersonic_inlet, set, operands, &self.gas),
            "supersonic_outlet" => domain.par_loop(kernels::supersonic_outlet, set, operands, &self.gas),
            other => unreachable!("there is no condition \"{other}\""),
        }
    }

    fn record_boundary_stress(&self, domain: &mut Domain, faces: &Faces) {
        let Faces { condition, set, nodes, node, area, middle, .. } = *faces;
        let operands = (self.w.all(nodes), self.gradient.all(nodes), middle, area, self.res.at(node));
        match condition {
            // Friction follows from the velocity that the wall's nodes have.
            "no_slip" => {}
            "slip" | "symmetry" => domain.par_loop(kernels::symmetry_stress, set, operands, &self.gas),
            _ => domain.par_loop(kernels::open_stress, set, operands, &self.gas),
        }
    }
}

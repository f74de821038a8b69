//! R(q), the sum of the fluxes out of each cell: V dq/dt + R(q) = 0.

use cfd_engine::prelude::*;
use cfd_mesh::Named;
use cfd_mesh::derive::coarse::Names;

use super::{D, Faces, Geometry, N, Turbulence, Walls, kernels};
use crate::flow::config::{Config, Equations, Flux, Limiter};
use crate::flow::gas::Gas;
use crate::gas::copies::{CopyEdges, CopyLoops};

/// R of a state on a dual mesh: what every time scheme evaluates, explicit or implicit.
///
/// A scheme writes primitive variables to [`w`](Residual::w), records the loops of [`Residual::record`], takes R from
/// [`res`](Residual::res) and leaves 0 there.
pub struct Residual {
    /// Sets, maps and dats of the dual mesh.
    pub geometry: Geometry,
    /// Constants of the equations.
    pub gas: Gas,
    /// The state: density, velocity, pressure.
    pub w: Dat<N>,
    /// R; 0 whenever a loop starts to add to it.
    pub res: Dat<N>,
    /// Gradients of w by least squares, D components for each quantity.
    pub gradient: Dat<{ D * N }>,
    /// Nodes of walls that the flow sticks to.
    pub walls: Option<Walls>,
    /// Eddy viscosity; 0 without a turbulence model.
    pub eddies: Dat<1>,
    /// The turbulence model, if there is one.
    pub turbulence: Option<Turbulence>,
    /// What is put into each cell per time, as for a manufactured solution.
    pub source: Option<Dat<N>>,
    /// The gradients of the reconstruction: the same, or 0 in first order.
    slopes: Dat<{ D * N }>,
    /// Of the matrices of least squares.
    pub(super) inverse: Dat<{ D * (D + 1) / 2 }>,
    equations: Equations,
    flux: Flux,
    limiter: Limiter,
    is_linear: bool,
}

impl Residual {
    /// On a domain of [`cfd_mesh::DUAL`], whose boundary faces are in sets by condition. Collective.
    ///
    /// # Errors
    /// The domain lacks something.
    pub fn new(domain: &mut Domain, config: &Config, boundaries: &Named) -> Result<Residual, DomainError> {
        let geometry = Geometry::new(domain, config, boundaries)?;
        let residual = Residual::on(domain, geometry, "", config)?;
        residual.prepare_gradients(domain);
        Ok(residual)
    }

    /// Of first order without viscosity, on a coarse level, from 1, of such a domain without periodic boundaries. Collective.
    ///
    /// # Errors
    /// The domain lacks something.
    pub(super) fn coarse(
        domain: &mut Domain,
        level: usize,
        config: &Config,
        boundaries: &Named,
    ) -> Result<Residual, DomainError> {
        let config = Config { order: 1, limiter: Limiter::None, ..config.clone() };
        let geometry = Geometry::coarse(domain, level, &config, boundaries)?;
        Residual::on(domain, geometry, &Names::of(level).prefix, &config)
    }

    fn on(
        domain: &mut Domain,
        geometry: Geometry,
        prefix: &str,
        config: &Config,
    ) -> Result<Residual, DomainError> {
        let nodes = geometry.nodes;
        let is_linear = config.order == 2;
        let name = |name: &str| format!("{prefix}{name}");
        let gradient = domain.new_dat(nodes, &name("gradient"));
        Ok(Residual {
            // On coarse levels, gradients are 0 and stay so.
            slopes: if is_linear || geometry.inner.is_none() {
                gradient
            } else {
                domain.new_dat(nodes, "no gradient")
            },
            gradient,
            gas: Gas::new(config),
            w: domain.new_dat(nodes, &name("primitive")),
            res: domain.new_dat(nodes, &name("residual")),
            inverse: domain.new_dat(nodes, &name("inverse")),
            walls: Walls::new(domain, &geometry)?,
            eddies: domain.new_dat(nodes, &name("eddy_viscosity")),
            turbulence: Turbulence::new(domain, &geometry, config)?,
            source: None,
            equations: config.equations,
            flux: config.flux,
            limiter: config.limiter,
            is_linear,
            geometry,
        })
    }

    /// Whether the equations have viscous terms.
    pub fn is_viscous(&self) -> bool {
        self.equations != Equations::Euler
    }

    /// Records the loops after which least squares need only right-hand sides.
    fn prepare_gradients(&self, domain: &mut Domain) {
        let (Geometry { nodes, edges, a, b, x, copies, .. }, inverse) = (&self.geometry, self.inverse);
        let operands = (x.at(*a), x.at(*b), inverse.at(*a), inverse.at(*b));
        domain.par_loop(kernels::moments, *edges, operands, &());
        if let Some(copies) = copies {
            let CopyEdges { set, a, b } = copies.edges();
            let operands = (x.at(a), x.at(b), inverse.at(a), inverse.at(b));
            domain.par_loop(kernels::fewer_moments, set, operands, &());
            copies.matrices.unite(domain, inverse);
        }
        domain.par_loop(kernels::invert, *nodes, (inverse,), &());
    }

    /// Records the loops that compute the gradients of w.
    pub fn record_gradients(&self, domain: &mut Domain) {
        let Geometry { nodes, edges, a, b, x, copies, .. } = &self.geometry;
        let (w, gradient) = (self.w, self.gradient);
        domain.par_loop(kernels::clear, *nodes, (gradient,), &());
        let operands = (x.at(*a), x.at(*b), w.at(*a), w.at(*b), gradient.at(*a), gradient.at(*b));
        domain.par_loop(kernels::differences, *edges, operands, &());
        if let Some(copies) = copies {
            let CopyEdges { set, a, b } = copies.edges();
            // Positions are exchanged.
            let operands = (x.at(b), x.at(a), w.at(a), w.at(b), gradient.at(a), gradient.at(b));
            domain.par_loop(kernels::differences, set, operands, &());
            copies.gradients.unite(domain, gradient);
        }
        domain.par_loop(kernels::solve, *nodes, (self.inverse, gradient), &());
    }

    /// Records the loop that computes w of q.
    pub fn refresh(&self, domain: &mut Domain, q: Dat<N>) {
        if let Some(copies) = self.geometry.copies.as_ref().filter(|copies| copies.is_turned()) {
            // What turned copies of a node compute differs by rounding.
            copies.states.share(domain, q);
        }
        domain.par_loop(kernels::to_primitive, self.geometry.nodes, (q, self.w), &self.gas);
    }

    /// Records the loops that add R of the state to `res`, which is 0 before; w is that of the state.
    pub fn record(&self, domain: &mut Domain) {
        self.record_turbulence(domain);
        self.record_fluxes(domain);
        self.hold_walls(domain);
    }

    /// Records the loops of the turbulence model, if there is one: the eddy viscosity, and R of what it transports.
    pub fn record_turbulence(&self, domain: &mut Domain) {
        if let Some(turbulence) = &self.turbulence {
            turbulence.record(domain, self);
        }
    }

    /// Records the loops that add all fluxes to `res`, but for friction and heat of walls; the eddy viscosity is as it is.
    pub fn record_fluxes(&self, domain: &mut Domain) {
        if self.is_linear || self.is_viscous() {
            self.record_gradients(domain);
        }
        self.record_edges(domain);
        for faces in &self.geometry.faces {
            self.record_boundary(domain, faces);
        }
        if self.is_viscous() {
            let Residual { w, eddies, res, .. } = *self;
            let elements = self.geometry.inner().elements;
            elements.record_stresses(domain, self.geometry.x, w, eddies, res, &self.gas);
            for faces in &self.geometry.faces {
                self.record_boundary_stress(domain, faces);
            }
        }
        if let Some(copies) = &self.geometry.copies {
            copies.states.unite(domain, self.res);
        }
        if let Some(source) = self.source {
            domain.par_loop(kernels::feed, self.geometry.nodes, (source, self.res), &());
        }
    }

    /// Records the loops of walls' friction and heat, which they take from `res` of the fluxes.
    pub fn hold_walls(&self, domain: &mut Domain) {
        if let Some(walls) = &self.walls {
            walls.hold(domain, self.res, &self.gas);
        }
    }

    fn record_edges(&self, domain: &mut Domain) {
        let Geometry { edges, a, b, x, area, size, moments, .. } = &self.geometry;
        let (w, gradient, res) = (self.w, self.slopes, self.res);
        let (w_a, w_b, gradient_a, gradient_b) = (w.at(*a), w.at(*b), gradient.at(*a), gradient.at(*b));
        let operands = (x.at(*a), x.at(*b), w_a, w_b, gradient_a, gradient_b, *area, res.at(*a), res.at(*b));
        macro_rules! flux {
            ($($flux:ident $limiter:ident $kernel:ident),+) => {
                match (self.flux, self.limiter) {
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
        if let Some(size) = *size {
            let operands = (w_a, w_b, *area, size, res.at(*a), res.at(*b));
            domain.par_loop(kernels::missed_flux, *edges, operands, &self.gas);
        }
        if let Some(moments) = moments {
            let operands = (w_a, w_b, gradient_a, gradient_b, *moments, res.at(*a), res.at(*b));
            domain.par_loop(kernels::moment_flux, *edges, operands, &self.gas);
        }
    }

    fn record_boundary(&self, domain: &mut Domain, faces: &Faces) {
        let Faces { condition, set, nodes, node, area, shares, given, through, .. } = *faces;
        let (w, res) = (self.w.all(nodes), self.res.at(node));
        let operands = (w, shares, area, given, through, res);
        match condition {
            "slip" | "no_slip" | "symmetry" => {
                domain.par_loop(kernels::slip, set, (w, shares, area, res), &());
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
        let Faces { condition, set, nodes, node, area, shares, .. } = *faces;
        let (w, gradient, eddies) = (self.w.all(nodes), self.gradient.all(nodes), self.eddies.all(nodes));
        let operands = (w, gradient, eddies, shares, area, self.res.at(node));
        match condition {
            // Friction follows from the velocity that the wall's nodes have.
            "no_slip" => {}
            "slip" | "symmetry" => domain.par_loop(kernels::symmetry_stress, set, operands, &self.gas),
            _ => domain.par_loop(kernels::open_stress, set, operands, &self.gas),
        }
    }
}

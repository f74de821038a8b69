//! Menter's SST model: [`crate::flow::kernels::sst`].

use cfd_engine::prelude::*;

use super::super::{Copies, D, Geometry, N, Residual, kernels};
use super::transported::{Transported, Way};
use super::{Model, Near};
use crate::flow::config::Config;
use crate::flow::gas::FreeStream;
use crate::flow::kernels::sst::{IN_SUBLAYER, LEAST_CROSS, Scale, gain};
use crate::flow::kernels::turbulence::Bounds;
use crate::gas::copies::CopyLoops;

/// A step multiplies or divides k and omega by this at most. Where the flow is accelerated or stopped in one cell, as at a plate's
/// leading edge, k grows by orders of magnitude before omega and the flow have answered; with longer steps it never settles.
const FACTOR: f64 = 1.5;

/// Neither is below this share of what flows in: from 0, as another solution may give it off a wall, nothing grows.
const LEAST_SHARE: f64 = 1e-10;

/// What the model needs at nodes.
pub struct Sst {
    k: Part,
    omega: Part,
    /// The distance of the first node off a wall from the wall's nodes; 0 elsewhere.
    first: Dat<1>,
    /// (k, u, ln omega).
    v: Dat<N>,
    /// Its gradients times volumes.
    gradient: Dat<{ D * N }>,
    /// The mass in the speeds through cells' faces.
    mass_pace: Dat<1>,
    scale: Scale,
    /// Viscosity of the free stream over its density.
    nu: f64,
}

/// One of the quantities.
struct Part {
    quantity: Transported,
    /// The coefficient of its diffusion.
    mixed: Dat<1>,
    /// Its source, and what of it destroys.
    gain: Dat<2>,
    /// For advection of second order: a difference that is hardly limited.
    small: Dat<1>,
}

impl Part {
    fn new(
        domain: &mut Domain,
        geometry: &Geometry,
        names: &'static [&'static str; 1],
        far: f64,
        config: &Config,
    ) -> Result<Part, DomainError> {
        let nodes = geometry.nodes;
        let of = |what: &str| format!("{what} of {}", names[0]);
        let small = domain.new_dat(nodes, &of("threshold"));
        domain.write(small, &vec![far; domain.global_ids(nodes).len()]);
        Ok(Part {
            quantity: Transported::new(
                domain,
                names,
                far,
                Bounds { least: LEAST_SHARE * far, factor: FACTOR },
                config,
            )?,
            mixed: domain.new_dat(nodes, &of("diffusion")),
            gain: domain.new_dat(nodes, &of("gain")),
            small,
        })
    }

    /// Records the loops that compute R and the blocks.
    fn record(&self, domain: &mut Domain, near: Near, residual: &Residual) {
        let Part { ref quantity, mixed, gain: gained, small } = *self;
        let Geometry { nodes, volume, .. } = residual.geometry;
        quantity.record(domain, residual, near.distance, [mixed, small], Way::Mass);
        let Transported { res, slope, squares, .. } = *quantity;
        domain.par_loop(gain, nodes, (gained, near.distance, volume, res, slope, squares), &());
    }
}

impl Sst {
    /// With k = omega = 0.
    ///
    /// # Errors
    /// The domain lacks something, or a device has failed.
    pub fn new(domain: &mut Domain, geometry: &Geometry, config: &Config) -> Result<Sst, DomainError> {
        let free = FreeStream::new(config);
        let nu = config.viscosity_of(&free) / free.density;
        let speed = config.turbulence_intensity() * free.speed;
        let k = 1.5 * speed * speed;
        let omega = k / (config.free_turbulence() * nu);
        let sound2 = config.gamma * free.pressure / free.density;
        let length = config.reference_length;
        let nodes = geometry.nodes;
        Ok(Sst {
            k: Part::new(domain, geometry, &["turbulent_kinetic_energy"], k, config)?,
            omega: Part::new(domain, geometry, &["specific_dissipation"], omega, config)?,
            first: first_distance(domain, geometry)?,
            v: domain.new_dat(nodes, "k, velocity, ln omega"),
            gradient: domain.new_dat(nodes, "gradients of k, velocity, ln omega"),
            mass_pace: domain.new_dat(nodes, "pace of mass"),
            scale: Scale { cross: LEAST_CROSS * free.density * sound2 / (length * length) },
            nu,
        })
    }
}

/// The distance of the first node off a wall, at the wall's nodes: two volumes of a node's cell over the area of the wall in
/// it, which on rows of quadrilaterals, prisms or hexahedra is the height of the first. 0 elsewhere. Collective.
fn first_distance(domain: &mut Domain, geometry: &Geometry) -> Result<Dat<1>, BackendError> {
    let nodes = geometry.nodes;
    let first = domain.new_dat(nodes, "first distance from walls");
    let Some(faces) = geometry.faces_of("no_slip") else { return Ok(first) };
    let normal = geometry.wall_normals(domain, &faces);
    let (normals, volumes) = (domain.read(normal)?, domain.read(geometry.volume)?);
    let of = |(normal, volume): (&[f64; D], &f64)| {
        let area = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        if area > 0.0 { 2.0 * volume / area } else { 0.0 }
    };
    let values: Vec<f64> = normals.as_chunks::<D>().0.iter().zip(&volumes).map(of).collect();
    domain.write(first, &values);
    Ok(first)
}

impl Model for Sst {
    fn quantities(&self) -> Vec<&Transported> {
        vec![&self.k.quantity, &self.omega.quantity]
    }

    fn quantities_mut(&mut self) -> Vec<&mut Transported> {
        vec![&mut self.k.quantity, &mut self.omega.quantity]
    }

    /// The free stream's k and omega, and that of a viscous sublayer added, so that walls are felt from the start.
    fn start(&self, distance: f64) -> Vec<f64> {
        let [k, omega] = [&self.k, &self.omega].map(|part| part.quantity.inflow.far);
        vec![k, omega + IN_SUBLAYER * self.nu / (distance * distance)]
    }

    fn begin(&self, domain: &mut Domain, near: Near, residual: &Residual) {
        let Sst { ref k, ref omega, first, v, gradient, ref scale, .. } = *self;
        let Residual { ref geometry, gas, w, eddies, .. } = *residual;
        let Geometry { nodes, x, volume, copies, .. } = *geometry;
        let operands = (w, first, k.quantity.n, omega.quantity.n, near.nu, v);
        domain.par_loop(kernels::gather, nodes, operands, &gas);
        domain.par_loop(kernels::clear, nodes, (gradient,), &());
        geometry.inner().elements.record_gradients(domain, x, v, gradient);
        if let Some(Copies { gradients, .. }) = copies {
            gradients.unite(domain, gradient);
        }
        let operands = (
            w,
            v,
            omega.quantity.n,
            near.nu,
            gradient,
            near.distance,
            volume,
            eddies,
            k.mixed,
            omega.mixed,
            k.gain,
            omega.gain,
            k.quantity.res,
            omega.quantity.res,
            k.quantity.slope,
            omega.quantity.slope,
        );
        domain.par_loop(kernels::begin_sst, nodes, operands, scale);
    }

    fn record(&self, domain: &mut Domain, near: Near, residual: &Residual) {
        [&self.k, &self.omega].iter().for_each(|part| part.record(domain, near, residual));
    }

    fn way(&self) -> Way {
        Way::Mass
    }

    /// With mass.
    fn pace(&self, domain: &mut Domain, residual: &Residual, pace: Dat<1>) -> Dat<1> {
        let operands = (residual.w, pace, self.mass_pace);
        domain.par_loop(kernels::mass_pace, residual.geometry.nodes, operands, &());
        self.mass_pace
    }
}

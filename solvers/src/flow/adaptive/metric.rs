//! The metric of a state: sizes for which the interpolation error of some quantities is least.

use cfd_adapt::mesh::Mesh;
use cfd_adapt::metric::{Curvature, Reached, hessian, intersect_all, reach};
use cfd_adapt::tensor::Tensor;

use super::config::{Config, Sensor};
use crate::adaptation::outline;

/// Components of a state in the plane: density, velocity, pressure.
pub const STATE: usize = 4;

/// What sensors are computed from, at the local vertices of a mesh.
pub struct AtVertices {
    /// Density, velocity and pressure.
    pub w: Vec<f64>,
    /// Quantities of a turbulence model, by their sensors.
    pub turbulence: Vec<(Sensor, Vec<f64>)>,
}

impl AtVertices {
    /// Those of a sensor.
    fn of(&self, sensor: Sensor, gamma: f64) -> Vec<f64> {
        let of_states = |of: &dyn Fn(&[f64; STATE]) -> f64| self.w.as_chunks().0.iter().map(of).collect();
        let of_model = || {
            let found = self.turbulence.iter().find(|(known, _)| *known == sensor);
            found.expect("sensors have been checked").1.clone()
        };
        match sensor {
            Sensor::Mach => of_states(&|[density, u, v, p]| ((u * u + v * v) * density / (gamma * p)).sqrt()),
            Sensor::Density => of_states(&|w| w[0]),
            Sensor::Pressure => of_states(&|w| w[3]),
            Sensor::Temperature => of_states(&|w| w[3] / w[0]),
            Sensor::Entropy => of_states(&|w| same_math::ln(w[3]) - gamma * same_math::ln(w[0])),
            Sensor::VelocityX => of_states(&|w| w[1]),
            Sensor::VelocityY => of_states(&|w| w[2]),
            Sensor::NuTilde | Sensor::EddyViscosityRatio | Sensor::TurbulentKineticEnergy => of_model(),
            // It grows by orders of magnitude towards walls.
            Sensor::SpecificDissipation => of_model().into_iter().map(same_math::ln).collect(),
        }
    }
}

/// The metric of a state at the local vertices of a mesh, of about this complexity, without limits. Collective.
///
/// # Errors
/// A second derivative that is not finite; the same on all ranks.
pub fn of_state(
    config: &Config,
    mesh: &Mesh<2>,
    values: &AtVertices,
    gamma: f64,
    complexity: f64,
) -> Result<Vec<Tensor<2>>, String> {
    let of_sensor = |sensor: &Sensor| {
        let hessians = hessian(mesh, &values.of(*sensor, gamma), config.recovery())?;
        Curvature { norm: config.norm(complexity), floors: config.floors() }.metric(mesh, &hessians)
    };
    let all = config.sensors.iter().map(of_sensor).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|error| format!("the metric: {error}"))?;
    Ok(intersect_all(&all.iter().map(Vec::as_slice).collect::<Vec<_>>()))
}

/// A metric within the limits on sizes, of a complexity as near to the wanted one as they let it be. Collective.
///
/// # Errors
/// A limit that is out of range, or sizes that grow too fast; the same on all ranks.
pub fn limited(
    config: &Config,
    outline: &outline::Config,
    mesh: &Mesh<2>,
    metrics: Vec<Tensor<2>>,
    complexity: f64,
) -> Result<Reached<2>, String> {
    let metrics = outline::within(metrics, outline.sizes_at_vertices(mesh).as_deref());
    let reached = reach(mesh, &metrics, &config.wanted(complexity));
    let reached = reached.map_err(|error| format!("the metric: {error}"))?;
    if !reached.settled {
        return Err("flow.adaptation.gradation: sizes still grow too fast after the maximum number of sweeps; allow a \
                    larger factor, or set flow.adaptation.h_min"
            .into());
    }
    Ok(reached)
}

//! The metric of a state: sizes for which the interpolation error of some quantities is least.

use cfd_adapt::mesh::Mesh;
use cfd_adapt::metric::{Curvature, Reached, hessian, intersect_all, reach};
use cfd_adapt::tensor::Tensor;

use super::config::{Config, Sensor};
use crate::adaptation::outline;

/// Components of a state in the plane: density, velocity, pressure.
pub const STATE: usize = 4;

impl Sensor {
    /// Of density, velocity and pressure.
    fn of(self, w: &[f64; STATE], gamma: f64) -> f64 {
        let [density, u, v, pressure] = *w;
        match self {
            Sensor::Mach => ((u * u + v * v) * density / (gamma * pressure)).sqrt(),
            Sensor::Density => density,
            Sensor::Pressure => pressure,
            Sensor::Temperature => pressure / density,
            Sensor::Entropy => same_math::ln(pressure) - gamma * same_math::ln(density),
            Sensor::VelocityX => u,
            Sensor::VelocityY => v,
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
    w: &[f64],
    gamma: f64,
    complexity: f64,
) -> Result<Vec<Tensor<2>>, String> {
    let states = w.as_chunks::<STATE>().0;
    let of_sensor = |sensor: &Sensor| {
        let values: Vec<f64> = states.iter().map(|w| sensor.of(w, gamma)).collect();
        let hessians = hessian(mesh, &values, config.recovery())?;
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

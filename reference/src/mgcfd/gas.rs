//! Quantities derived from a state of a perfect gas.

use super::State;

/// The gas and the smoothing of its fluxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gas {
    /// Ratio of specific heats.
    pub(super) gamma: f64,
    /// Coefficient of the smoothing part.
    pub(super) smoothing: f64,
}

/// Quantities derived from a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Derived {
    pub(super) pressure: f64,
    /// Speed of sound.
    pub(super) sound: f64,
    /// Magnitude of the velocity.
    pub(super) speed: f64,
    /// Fluxes of mass, momentum and energy along each axis.
    pub(super) fluxes: [State; 3],
}

impl Gas {
    /// Density 1.4, pressure 1, `mach` times the speed of sound, `alpha` degrees from x towards axis `up`.
    pub(super) fn free_stream(&self, mach: f64, alpha: f64, up: usize) -> State {
        let (density, pressure) = (1.4, 1.0);
        let speed = mach * (self.gamma * pressure / density).sqrt();
        let angle = alpha.to_radians();
        let mut direction = [same_math::cos(angle), 0.0, 0.0];
        direction[up] = same_math::sin(angle);
        let [u, v, w] = direction.map(|share| speed * share);
        let energy = pressure / (self.gamma - 1.0) + 0.5 * density * (u * u + v * v + w * w);
        [density, density * u, density * v, density * w, energy]
    }

    /// Velocity, pressure and fluxes of a state.
    #[inline(always)]
    pub(super) fn at(&self, q: &State) -> Derived {
        let [r, mx, my, mz, e] = *q;
        let ri = 1.0 / r;
        let (u, v, w) = (mx * ri, my * ri, mz * ri);
        let s2 = u * u + v * v + w * w;
        let p = (self.gamma - 1.0) * (e - 0.5 * r * s2);
        Derived {
            pressure: p,
            sound: (self.gamma * p / r).sqrt(),
            speed: s2.sqrt(),
            fluxes: [
                [mx, u * mx + p, u * my, u * mz, u * (e + p)],
                [my, v * mx, v * my + p, v * mz, v * (e + p)],
                [mz, w * mx, w * my, w * mz + p, w * (e + p)],
            ],
        }
    }

    /// The flux that the first of two states receives across a face with this area vector.
    #[inline(always)]
    pub(super) fn across(&self, qa: &State, qb: &State, weight: [f64; 3]) -> State {
        let (a, b) = (self.at(qa), self.at(qb));
        let area = super::length(weight);
        let lambda = 0.5 * self.smoothing * area * (a.speed + b.speed + a.sound + b.sound);
        let half = weight.map(|weight| 0.5 * weight);
        std::array::from_fn(|m| {
            let along = half[0] * (a.fluxes[0][m] + b.fluxes[0][m])
                + half[1] * (a.fluxes[1][m] + b.fluxes[1][m])
                + half[2] * (a.fluxes[2][m] + b.fluxes[2][m]);
            -(lambda * (qa[m] - qb[m])) - along
        })
    }
}

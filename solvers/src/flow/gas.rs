//! The gas, as the kernels know it, and the free stream.

use cfd_engine::prelude::*;

use super::config::{Config, Law};
use crate::gas::viscous::{sutherland, sutherland_tangent};

/// Constants of the equations.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Gas {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// gamma - 1.
    pub gm1: f64,
    /// p / (rho T).
    pub gas_constant: f64,
    /// Shares of the speed of sound below which acoustic waves, and those that move with the flow, are damped as if they
    /// were faster.
    pub entropy_fix: [f64; 2],
    /// Share of the difference along the edge in the reconstruction's slope.
    pub kappa: f64,
    /// K^3 of the limiters' threshold, which is relative to squares of `unit`.
    pub limiter_k3: f64,
    /// Viscosity of the free stream; 0: none.
    pub viscosity: f64,
    /// Temperature of the free stream.
    pub temperature: f64,
    /// Sutherland's temperature over that of the free stream.
    pub sutherland: f64,
    /// 1 if the viscosity follows Sutherland's law, 0 if it is constant.
    pub law: f64,
    /// Conductivity over viscosity: the specific heat at constant pressure over the Prandtl number.
    pub conductivity: f64,
    /// The same of eddies: the specific heat over the turbulent Prandtl number.
    pub eddy_conductivity: f64,
    /// The turbulence model's viscosity of the free stream.
    pub far_turbulence: f64,
    /// The largest of the diffusivities of momentum and heat over mu / rho.
    pub diffusivity: f64,
    /// Direction of the free stream.
    pub wind: [f64; 3],
    /// What linear systems take density, velocities and pressure relative to: values of the free stream.
    pub unit: [f64; 5],
    /// What they take the equations relative to.
    pub flux_unit: [f64; 5],
}

/// T of a density and a pressure.
#[device(tangent)]
pub fn temperature(rho: f64, p: f64, c: &Gas) -> f64 {
    p / (rho * c.gas_constant)
}

/// mu at a temperature.
#[device(tangent)]
pub fn viscosity(t: f64, c: &Gas) -> f64 {
    let by_law = sutherland(t / c.temperature, c.sutherland);
    c.viscosity * (c.law * by_law + (1.0 - c.law))
}

/// The state far away, in the units of the configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeStream {
    /// Density.
    pub density: f64,
    /// Velocity; the third component is 0 in the plane.
    pub velocity: [f64; 3],
    /// Pressure.
    pub pressure: f64,
    /// Temperature.
    pub temperature: f64,
    /// |u|.
    pub speed: f64,
    /// rho |u|^2 / 2.
    pub dynamic_pressure: f64,
}

impl FreeStream {
    /// Of a configuration. What is not given makes density and speed of sound 1: p = 1 / gamma, T = 1, p / (rho T) =
    /// 1 / gamma.
    pub fn new(config: &Config) -> FreeStream {
        let pressure = config.pressure.unwrap_or(1.0 / config.gamma);
        let temperature = config.temperature.unwrap_or(1.0);
        let density = pressure / (config.gas_constant() * temperature);
        let speed = config.mach * (config.gamma * pressure / density).sqrt();
        let velocity = config.wind().map(|share| speed * share);
        let dynamic_pressure = 0.5 * density * speed * speed;
        FreeStream { density, velocity, pressure, temperature, speed, dynamic_pressure }
    }

    /// (rho, u, p) in the plane (4 components) or in space (5).
    pub fn primitive<const N: usize>(&self) -> [f64; N] {
        primitive(self.density, self.velocity, self.pressure)
    }
}

/// (rho, u, p) in the plane (4 components) or in space (5).
pub fn primitive<const N: usize>(density: f64, velocity: [f64; 3], pressure: f64) -> [f64; N] {
    std::array::from_fn(|m| match m {
        0 => density,
        m if m == N - 1 => pressure,
        m => velocity[m - 1],
    })
}

impl Gas {
    /// Of a configuration.
    pub fn new(config: &Config) -> Gas {
        let free = FreeStream::new(config);
        let (gamma, gas_constant) = (config.gamma, config.gas_constant());
        let k = config.limiter_k;
        let (density, sound) = (free.density, (gamma * free.pressure / free.density).sqrt());
        let mass = density * sound;
        Gas {
            gamma,
            gm1: gamma - 1.0,
            gas_constant,
            entropy_fix: [config.entropy_fix[0], config.entropy_fix[1]],
            kappa: if config.order == 2 { config.kappa } else { 0.0 },
            limiter_k3: k * k * k,
            viscosity: config.viscosity_of(&free),
            temperature: free.temperature,
            sutherland: config.sutherland(),
            law: f64::from(u8::from(config.viscosity_law == Law::Sutherland)),
            conductivity: gamma / (gamma - 1.0) * gas_constant / config.prandtl,
            eddy_conductivity: gamma / (gamma - 1.0) * gas_constant / config.turbulent_prandtl,
            far_turbulence: config.free_turbulence() * config.viscosity_of(&free) / density,
            diffusivity: (4.0f64 / 3.0).max(gamma / config.prandtl),
            wind: config.wind(),
            unit: [density, sound, sound, sound, mass * sound],
            flux_unit: [mass, mass * sound, mass * sound, mass * sound, mass * sound * sound],
        }
    }
}

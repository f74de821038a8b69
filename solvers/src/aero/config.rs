//! The keys of `[aero]` and the constants that follow from them.

use cfd_engine::prelude::Constants;
use serde::{Deserialize, Serialize};

use crate::cg;

/// The keys of the `[aero]` table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// Mach number of the free stream.
    pub mach: f64,
    /// Number of Newton steps.
    pub iterations: u64,
    /// Stop when the residual is below; 0 = never.
    pub tolerance: f64,
    /// Form of the conjugate-gradient method.
    pub cg: cg::Variant,
    /// Each linear system is solved until its residual is this fraction of what it was.
    pub cg_tolerance: f64,
    /// Conjugate-gradient steps of one linear system, at most.
    pub cg_iterations: u64,
    /// Preconditioner of the linear systems.
    pub preconditioner: cg::Preconditioner,
}

impl Default for Config {
    fn default() -> Self {
        let cg::Options { variant, preconditioner, tolerance, steps } = cg::Options::default();
        Config {
            gamma: 1.4,
            mach: 0.1,
            iterations: 20,
            tolerance: 0.0,
            cg: variant,
            cg_tolerance: tolerance,
            cg_iterations: steps,
            preconditioner,
        }
    }
}

impl Config {
    /// What concerns the linear systems.
    pub(crate) fn cg_options(&self) -> cg::Options {
        cg::Options {
            variant: self.cg,
            preconditioner: self.preconditioner,
            tolerance: self.cg_tolerance,
            steps: self.cg_iterations,
        }
    }
}

/// What the kernels know of the flow. Speeds are in units of the free stream's speed of sound, density and
/// temperature in units of the free stream's.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Flow {
    /// Mach number of the free stream.
    pub mach: f64,
    /// Its square.
    pub mach2: f64,
    /// (gamma - 1) / 2.
    pub half_gm1: f64,
    /// 1 / (gamma - 1): density is the temperature to this power.
    pub exponent: f64,
    /// Dynamic pressure of the free stream over its pressure, gamma M^2 / 2.
    pub dynamic_pressure: f64,
}

impl Flow {
    /// The free stream of a configuration.
    pub fn new(config: &Config) -> Flow {
        let Config { gamma, mach, .. } = *config;
        let gm1 = gamma - 1.0;
        Flow {
            mach,
            mach2: mach * mach,
            half_gm1: 0.5 * gm1,
            exponent: 1.0 / gm1,
            dynamic_pressure: 0.5 * gamma * (mach * mach),
        }
    }

    /// The Mach number where the temperature is `d`: the speed follows from Bernoulli's equation,
    /// q^2 = M^2 + 2 (1 - D) / (gamma - 1), the speed of sound is sqrt(D).
    pub fn mach_at(&self, d: f64) -> f64 {
        ((self.mach2 + (1.0 - d) / self.half_gm1) / d).sqrt()
    }
}

//! The keys of `[aero]` and the constants that follow from them.

use std::collections::BTreeMap;

use cfd_engine::prelude::Constants;

use cfd_implicit::cg;

cfd_keys::conditions! {
    /// What holds on a boundary.
    pub enum Condition {
        /// a wall, or a plane of symmetry: nothing flows through
        Wall = "wall" {}
        /// the potential of the free stream
        FarField = "far_field" {}
    }
}

cfd_keys::table! {
    /// Potential flow around an airfoil: finite elements, Newton's method, conjugate gradients
    pub struct Config = "aero" {
        /// the condition of each named boundary of the mesh, in the table `[aero.boundaries]`
        boundaries: BTreeMap<String, Condition>, Boundaries(Condition::KINDS), default = {};
        /// ratio of specific heats
        gamma: f64, Number(Open(1.0), Closed(3.0)), default = 1.4;
        /// Mach number of the free stream
        mach: f64, Number(Open(0.0), Open(1.0)), default = 0.1;
        /// maximum number of Newton steps; 0 writes the initial state
        iterations: u64, Integer(0, LARGEST), default = 20, unit = "iterations";
        /// stop when the residual is below this; 0: never
        tolerance: f64, Number(Closed(0.0), Free), default = 0.0;
        /// variant of conjugate gradients: two reductions over all ranks per step, or one and a few more operations
        cg: cg::Variant, Choice(cg::Variant::WORDS), default = "standard";
        /// the residual of each linear system is reduced to this fraction
        cg_tolerance: f64, Number(Open(0.0), Open(1.0)), default = 0.1;
        /// maximum number of conjugate-gradient steps per linear system; reaching it is not an error
        cg_iterations: u64, Integer(1, LARGEST), default = 200, unit = "iterations";
        /// preconditioner of conjugate gradients: none, or the inverse of the diagonal
        preconditioner: cg::Preconditioner, Choice(cg::Preconditioner::WORDS), default = "none";
    }
}

impl Config {
    /// Options for the linear systems.
    pub(crate) fn cg_options(&self) -> cg::Options {
        cg::Options {
            variant: self.cg,
            preconditioner: self.preconditioner,
            tolerance: self.cg_tolerance,
            steps: self.cg_iterations,
        }
    }
}

/// Constants of the flow for the kernels. Speeds are in units of the free stream's speed of sound, density and
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

    /// The Mach number at temperature `d`: the speed follows from Bernoulli's equation,
    /// q^2 = M^2 + 2 (1 - D) / (gamma - 1), the speed of sound is sqrt(D).
    pub fn mach_at(&self, d: f64) -> f64 {
        ((self.mach2 + (1.0 - d) / self.half_gm1) / d).sqrt()
    }
}

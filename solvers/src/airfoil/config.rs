//! The keys of `[airfoil]` and the constants that follow from them.

use std::collections::BTreeMap;

use cfd_engine::prelude::Constants;

cfd_keys::conditions! {
    /// What holds on a boundary.
    pub enum Condition {
        /// an inviscid wall, or a plane of symmetry
        Wall = "wall" {}
        /// the free stream outside
        FarField = "far_field" {}
    }
}

cfd_keys::table! {
    /// Flow around an airfoil: 2D Euler equations, cell-centered finite volumes
    pub struct Config = "airfoil" {
        /// the condition of each named boundary of the mesh, in the table `[airfoil.boundaries]`
        boundaries: BTreeMap<String, Condition>, Boundaries(Condition::KINDS), default = {};
        /// ratio of specific heats
        gamma: f64, Number(Open(1.0), Closed(3.0)), default = 1.4;
        /// Courant number of the local time step
        cfl: f64, Number(Open(0.0), Free), default = 0.9;
        /// dissipation coefficient
        eps: f64, Number(Closed(0.0), Free), default = 0.05;
        /// Mach number of the free stream
        mach: f64, Number(Open(0.0), Closed(100.0)), default = 0.4;
        /// angle of attack
        alpha: f64, Number(Closed(-180.0), Closed(180.0)), default = 0.0, unit = "degrees";
        /// maximum number of iterations (predictor and corrector); 0 writes the initial state
        iterations: u64, Integer(0, LARGEST), default = 1000, unit = "iterations";
        /// stop when the residual is below this; 0: never
        tolerance: f64, Number(Closed(0.0), Free), default = 0.0;
    }
}

/// Constants of the flow for the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Flow {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// gamma - 1.
    pub gm1: f64,
    /// Courant number.
    pub cfl: f64,
    /// Coefficient of the artificial dissipation.
    pub eps: f64,
    /// Free stream: rho, rho u, rho v, rho E.
    pub qinf: [f64; 4],
    /// Dynamic pressure of the free stream, rho |u|^2 / 2.
    pub dynamic_pressure: f64,
}

impl Flow {
    /// The free stream has p = 1, rho = 1, u = sqrt(gamma p / rho) M, turned by alpha;
    /// rho E = p / (gamma - 1) + rho |u|^2 / 2.
    pub fn new(config: &Config) -> Flow {
        let (gamma, gm1) = (config.gamma, config.gamma - 1.0);
        let (p, rho) = (1.0, 1.0);
        let speed = (gamma * p / rho).sqrt() * config.mach;
        // Exact at alpha = 0, where cos is 1 and sin is 0.
        let angle = config.alpha.to_radians();
        let (u, v) = (speed * same_math::cos(angle), speed * same_math::sin(angle));
        let energy = p / (rho * gm1) + 0.5 * speed * speed;
        Flow {
            gamma,
            gm1,
            cfl: config.cfl,
            eps: config.eps,
            qinf: [rho, rho * u, rho * v, rho * energy],
            dynamic_pressure: 0.5 * rho * speed * speed,
        }
    }

    /// Pressure of a state.
    pub fn pressure(&self, q: [f64; 4]) -> f64 {
        self.gm1 * (q[3] - 0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0])
    }
}

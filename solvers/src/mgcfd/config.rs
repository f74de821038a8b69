//! The keys of `[mgcfd]` and the constants that follow from them.

use cfd_engine::prelude::Constants;
use serde::{Deserialize, Serialize};

/// What is solved on the levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// The Euler equations, second order, full approximation scheme on the coarse levels.
    #[default]
    Euler,
    /// The published performance proxy.
    Proxy,
}

/// What keeps the reconstruction from overshooting at shocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limiter {
    /// Nothing: for smooth flow.
    None,
    /// Van Albada, van Leer and Roberts, edge by edge.
    #[default]
    VanAlbada,
    /// Venkatakrishnan's function, edge by edge.
    Venkatakrishnan,
}

/// What the local time step of a node is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeStep {
    /// One number: that of the fastest wave.
    Scalar,
    /// A matrix: each wave has its own.
    #[default]
    Matrix,
}

/// How often a level's coarse problem is visited before its own iteration goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cycle {
    /// Once.
    V,
    /// Twice.
    #[default]
    W,
}

/// The axis that points upwards; x points downstream, the other one along the span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// y, as in the generated meshes.
    #[default]
    Y,
    /// z.
    Z,
}

impl Up {
    /// Unit vectors upwards and along the span.
    pub fn up_and_span(self) -> ([f64; 3], [f64; 3]) {
        let (y, z) = ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        match self {
            Up::Y => (y, z),
            Up::Z => (z, y),
        }
    }
}

/// The keys of the `[mgcfd]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// What is solved.
    pub scheme: Scheme,
    /// Ratio of specific heats.
    pub gamma: f64,
    /// Mach number of the free stream; none: the scheme's own.
    pub mach: Option<f64>,
    /// Angle of attack, in degrees; none: the scheme's own.
    pub alpha: Option<f64>,
    /// The axis that points upwards.
    pub up: Up,
    /// Levels that are used, the finest first; 0: all that the mesh has.
    pub levels: u64,
    /// Cycles at most.
    pub iterations: u64,
    /// Stop when the residual is below; 0 = never.
    pub tolerance: f64,
    /// Dissipation of the proxy; rounded to single precision, as published.
    pub smoothing: f64,
    /// Limiter of the reconstruction.
    pub limiter: Limiter,
    /// K of the limiter's threshold (K d)^3, d being an edge's length.
    pub limiter_k: f64,
    /// Waves slower than this share of the speed of sound are damped as if they were faster (Harten).
    pub entropy_fix: f64,
    /// Coefficients of the Runge-Kutta stages.
    pub stages: Vec<f64>,
    /// The same on all but the finest level, which are of first order.
    pub coarse_stages: Vec<f64>,
    /// What the local time step is.
    pub time_step: TimeStep,
    /// Courant number on the finest level.
    pub cfl: f64,
    /// Courant number on the other levels.
    pub coarse_cfl: f64,
    /// Order in which levels are visited.
    pub cycle: Cycle,
    /// Runge-Kutta steps before a level's correction.
    pub pre_steps: u64,
    /// Runge-Kutta steps after it.
    pub post_steps: u64,
    /// Runge-Kutta steps on the coarsest level.
    pub coarsest_steps: u64,
    /// Area that force coefficients are relative to, in the mesh's unit.
    pub reference_area: f64,
    /// Where the wall's pressure is cut out, as shares of the span.
    pub stations: Vec<f64>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            scheme: Scheme::Euler,
            gamma: 1.4,
            mach: None,
            alpha: None,
            up: Up::Y,
            levels: 0,
            iterations: 100,
            tolerance: 0.0,
            smoothing: 0.2,
            limiter: Limiter::VanAlbada,
            limiter_k: 5.0,
            entropy_fix: 0.1,
            stages: vec![0.0695, 0.1602, 0.2898, 0.5060, 1.0],
            coarse_stages: vec![0.0533, 0.1263, 0.2375, 0.4414, 1.0],
            time_step: TimeStep::Matrix,
            cfl: 1.15,
            coarse_cfl: 1.5,
            cycle: Cycle::W,
            pre_steps: 1,
            post_steps: 0,
            coarsest_steps: 1,
            reference_area: 1.0,
            stations: vec![0.2, 0.44, 0.65, 0.8, 0.9, 0.95],
        }
    }
}

impl Config {
    /// Mach number of the free stream: 1.2 in the published proxy, else that of the ONERA M6 wing's usual case, 0.84.
    pub fn mach(&self) -> f64 {
        self.mach.unwrap_or(match self.scheme {
            Scheme::Proxy => 1.2,
            Scheme::Euler => 0.84,
        })
    }

    /// Angle of attack in degrees: 0 in the published proxy, else that of the ONERA M6 wing's usual case, 3.06.
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(match self.scheme {
            Scheme::Proxy => 0.0,
            Scheme::Euler => 3.06,
        })
    }

    /// Cosine and sine of the angle of attack; exactly 1 and 0 where it is 0.
    pub fn wind(&self) -> [f64; 2] {
        let angle = self.alpha().to_radians();
        [libm::cos(angle), libm::sin(angle)]
    }
}

/// What the kernels know of the flow.
#[derive(Clone, Copy, Debug, PartialEq, Constants)]
pub struct Flow {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// gamma - 1.
    pub gm1: f64,
    /// Free stream: rho, rho u, rho v, rho w, rho E.
    pub qinf: [f64; 5],
    /// Pressure of the free stream.
    pub pinf: f64,
    /// Dynamic pressure of the free stream, rho |u|^2 / 2.
    pub dynamic_pressure: f64,
    /// Dissipation coefficient of the proxy.
    pub smoothing: f64,
    /// Entropy fix of Roe's flux, as a share of the speed of sound.
    pub entropy_fix: f64,
    /// K^3 of the limiter's threshold.
    pub limiter_k3: f64,
}

impl Flow {
    /// The free stream has p = 1, rho = 1.4 and a speed of Mach times sqrt(gamma p / rho), turned upwards by
    /// alpha; rho E = p / (gamma - 1) + rho |u|^2 / 2.
    pub fn new(config: &Config) -> Flow {
        let (gamma, gm1) = (config.gamma, config.gamma - 1.0);
        let (p, r): (f64, f64) = (1.0, 1.4);
        let speed = (gamma * p / r).sqrt() * config.mach();
        let ([cos, sin], (up, _)) = (config.wind(), config.up.up_and_span());
        let (u, v, w) = (speed * cos, speed * sin * up[1], speed * sin * up[2]);
        let energy = p / gm1 + 0.5 * r * (u * u + v * v + w * w);
        Flow {
            gamma,
            gm1,
            qinf: [r, r * u, r * v, r * w, energy],
            pinf: p,
            dynamic_pressure: 0.5 * r * speed * speed,
            smoothing: f64::from(config.smoothing as f32),
            entropy_fix: config.entropy_fix,
            limiter_k3: config.limiter_k * config.limiter_k * config.limiter_k,
        }
    }

    /// Pressure of a state.
    pub fn pressure(&self, q: [f64; 5]) -> f64 {
        let [r, mx, my, mz, e] = q;
        self.gm1 * (e - 0.5 * (mx * mx + my * my + mz * mz) / r)
    }
}

//! The keys of `[mgcfd]` and the constants that follow from them.

use std::collections::BTreeMap;

use cfd_engine::prelude::Constants;

cfd_keys::choice! {
    /// The equations solved on the levels.
    pub enum Scheme {
        /// The Euler equations, second order, full approximation scheme on the coarse levels.
        Euler = "euler",
        /// The published performance proxy.
        Proxy = "proxy",
    }
}

cfd_keys::choice! {
    /// The limiter that keeps the reconstruction from overshooting at shocks.
    pub enum Limiter {
        /// Nothing: for smooth flow.
        None = "none",
        /// Van Albada, van Leer and Roberts, edge by edge.
        VanAlbada = "van-albada",
        /// Venkatakrishnan's function, edge by edge.
        Venkatakrishnan = "venkatakrishnan",
    }
}

cfd_keys::choice! {
    /// The kind of local time step at a node.
    pub enum TimeStep {
        /// A matrix: each wave has its own.
        Matrix = "matrix",
        /// One number: the fastest wave's.
        Scalar = "scalar",
    }
}

cfd_keys::choice! {
    /// How often a level's coarse problem is visited before its own iteration continues.
    pub enum Cycle {
        /// Once.
        V = "V",
        /// Twice.
        W = "W",
    }
}

cfd_keys::choice! {
    /// The axis that points up; x points downstream, the other axis along the span.
    pub enum Up {
        /// y, as in the generated meshes.
        Y = "y",
        /// z.
        Z = "z",
    }
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

cfd_keys::conditions! {
    /// What holds on a boundary.
    pub enum Condition {
        /// the body, whose forces are reported: a wall that nothing flows through
        Body = "body" {}
        /// a plane of symmetry
        Symmetry = "symmetry" {}
        /// another wall
        Wall = "wall" {}
        /// the free stream outside
        FarField = "far_field" {}
        /// the flow continues at another boundary, which is this one, translated or rotated; in `scheme = "euler"`
        /// only
        Periodic = "periodic" {
            /// name of the other boundary, which then needs no condition
            partner: String, Text, required = true;
            /// from this boundary to the other; unset: that between their bounding boxes
            translation: Option<Vec<f64>>, Numbers(OneOf(&[3]), Free, Free), unit = "length";
            /// angle by which this boundary is rotated onto the other, counterclockwise, instead of a translation
            angle: Option<f64>, Number(Closed(-180.0), Closed(180.0)), unit = "degrees";
            /// the point about which it is rotated, any point on the axis; unset: the origin
            center: Option<Vec<f64>>, Numbers(OneOf(&[3]), Free, Free), unit = "length";
            /// the direction of the axis of rotation; unset: that of z
            axis: Option<Vec<f64>>, Numbers(OneOf(&[3]), Free, Free);
            /// largest distance of a node from its partner's position, as a share of the shortest edge at the node
            tolerance: f64, Number(Open(0.0), Open(0.5)), default = 1e-3;
        }
    }
}

cfd_keys::table! {
    /// Flow around a wing: 3D Euler equations, node-centered finite volumes, multigrid
    pub struct Config = "mgcfd" {
        /// the condition of each named boundary of the mesh, in the table `[mgcfd.boundaries]`
        boundaries: BTreeMap<String, Condition>, Boundaries(Condition::KINDS), default = {};
        /// the Euler equations, or the published performance proxy (docs/mgcfd.md)
        scheme: Scheme, Choice(Scheme::WORDS), default = "euler";
        /// ratio of specific heats
        gamma: f64, Number(Open(1.0), Closed(3.0)), default = 1.4;
        /// Mach number of the free stream; unset: 0.84, or 1.2 in the proxy
        mach: Option<f64>, Number(Open(0.0), Closed(100.0));
        /// angle of attack; unset: 3.06, or 0 in the proxy
        alpha: Option<f64>, Number(Closed(-180.0), Closed(180.0)), unit = "degrees";
        /// the axis that points up; x points downstream, the third axis along the span
        up: Up, Choice(Up::WORDS), default = "y";
        /// number of levels to use, from the finest; 0: all levels of the mesh; 1: a single grid
        levels: u64, Integer(0, 20), default = 0, unit = "levels";
        /// maximum number of multigrid cycles; 0 writes the initial state
        iterations: u64, Integer(0, LARGEST), default = 100, unit = "cycles";
        /// stop when the residual is below this; 0: never
        tolerance: f64, Number(Closed(0.0), Free), default = 0.0;
        /// dissipation coefficient of the proxy, rounded to single precision
        smoothing: f64, Number(Closed(0.0), Free), default = 0.2;
        /// limiter that keeps the linear reconstruction from overshooting
        limiter: Limiter, Choice(Limiter::WORDS), default = "van-albada";
        /// differences below (limiter_k times the edge's length)^1.5 are hardly limited
        limiter_k: f64, Number(Closed(0.0), Free), default = 5.0, unit = "1/length";
        /// waves slower than this share of the speed of sound are damped as if they were faster
        entropy_fix: f64, Number(Closed(0.0), Free), default = 0.1;
        /// coefficients of the Runge-Kutta stages; the number of coefficients is the number of stages
        stages: Vec<f64>, Numbers(OneOf(&[3, 5]), Open(0.0), Closed(1.0)),
            default = [0.0695, 0.1602, 0.2898, 0.506, 1.0];
        /// the same on the other levels, which are first order
        coarse_stages: Vec<f64>, Numbers(OneOf(&[3, 5]), Open(0.0), Closed(1.0)),
            default = [0.0533, 0.1263, 0.2375, 0.4414, 1.0];
        /// local time steps: one per wave, or the fastest wave's for all
        time_step: TimeStep, Choice(TimeStep::WORDS), default = "matrix";
        /// Courant number of the local time steps on the finest level
        cfl: f64, Number(Open(0.0), Free), default = 1.15;
        /// the same on the other levels
        coarse_cfl: f64, Number(Open(0.0), Free), default = 1.5;
        /// whether a level visits the next coarser one once (V) or twice (W) per cycle
        cycle: Cycle, Choice(Cycle::WORDS), default = "W";
        /// Runge-Kutta steps on a level before it visits the coarser levels
        pre_steps: u64, Integer(1, 1000), default = 1, unit = "steps";
        /// Runge-Kutta steps on a level after it visits the coarser levels
        post_steps: u64, Integer(0, 1000), default = 0, unit = "steps";
        /// Runge-Kutta steps on the coarsest level
        coarsest_steps: u64, Integer(1, 1000), default = 1, unit = "steps";
        /// reference area of lift and drag
        reference_area: f64, Number(Open(0.0), Free), default = 1.0, unit = "length^2";
        /// stations where the wall pressure is written and drawn
        stations: Vec<f64>, Numbers(UpTo(20), Closed(0.0), Closed(1.0)),
            default = [0.2, 0.44, 0.65, 0.8, 0.9, 0.95], unit = "span";
    }
}

impl Config {
    /// Mach number of the free stream: 1.2 in the published proxy, otherwise 0.84, the usual case of the ONERA M6 wing.
    pub fn mach(&self) -> f64 {
        self.mach.unwrap_or(match self.scheme {
            Scheme::Proxy => 1.2,
            Scheme::Euler => 0.84,
        })
    }

    /// Angle of attack in degrees: 0 in the published proxy, otherwise 3.06, the usual case of the ONERA M6 wing.
    pub fn alpha(&self) -> f64 {
        self.alpha.unwrap_or(match self.scheme {
            Scheme::Proxy => 0.0,
            Scheme::Euler => 3.06,
        })
    }

    /// Cosine and sine of the angle of attack; exactly 1 and 0 if it is 0.
    pub fn wind(&self) -> [f64; 2] {
        let angle = self.alpha().to_radians();
        [same_math::cos(angle), same_math::sin(angle)]
    }
}

/// Constants of the flow for the kernels.
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

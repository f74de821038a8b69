//! The keys of `[flow]`, and the conditions on boundaries.

use std::collections::BTreeMap;

use super::adaptive;
use super::gas::FreeStream;
use crate::adaptation::outline;

/// Sutherland's temperature of air over that of the usual free stream, 110.4 K / 288.15 K.
const USUAL_SUTHERLAND: f64 = 110.4 / 288.15;
/// Coarse levels unless a number is given: of a hundred million nodes, the last one has about a hundred.
const USUAL_LEVELS: u64 = 6;

cfd_keys::choice! {
    /// What is solved.
    pub enum Equations {
        /// The Euler equations.
        Euler = "euler",
        /// The Navier-Stokes equations of laminar flow.
        Laminar = "laminar",
        /// The Reynolds-averaged Navier-Stokes equations with the turbulence model of Spalart and Allmaras (SA-noft2).
        SpalartAllmaras = "spalart-allmaras",
        /// The same with the model's form whose viscosity may be below 0 (SA-neg).
        NegativeSpalartAllmaras = "negative-spalart-allmaras",
        /// The same with Menter's model of two equations, SST, in its form of 2003 (SST-2003m).
        Sst = "sst",
    }
}

cfd_keys::choice! {
    /// The flux through the faces of dual cells.
    pub enum Flux {
        /// Roe's.
        Roe = "roe",
        /// Roe's, with less damping at low Mach numbers.
        RoeLowMach = "roe-low-mach",
        /// That of Harten, Lax, van Leer with a contact wave.
        Hllc = "hllc",
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
    /// How the state advances.
    pub enum Scheme {
        /// A Runge-Kutta scheme of several stages with local time steps, to a steady state.
        Explicit = "explicit",
        /// Newton's method with local time steps that grow, to a steady state.
        Newton = "newton",
        /// The Runge-Kutta scheme of third order of Shu and Osher, in time.
        Rk3 = "rk3",
        /// Backward differences of second order in time, each step solved by Newton's method.
        Bdf2 = "bdf2",
    }
}

impl Scheme {
    /// Whether its steps solve systems of equations.
    pub fn is_implicit(self) -> bool {
        matches!(self, Scheme::Newton | Scheme::Bdf2)
    }

    /// Whether it advances in time, with the same step everywhere.
    pub fn is_in_time(self) -> bool {
        matches!(self, Scheme::Rk3 | Scheme::Bdf2)
    }
}

cfd_keys::choice! {
    /// The local time steps of `explicit`.
    pub enum LocalStep {
        /// That of the fastest wave, for all waves.
        Scalar = "scalar",
        /// One for each wave.
        Matrix = "matrix",
    }
}

cfd_keys::choice! {
    /// What GMRES is preconditioned with.
    pub enum Relaxation {
        /// Block Jacobi along lines of strongly coupled nodes.
        Jacobi = "jacobi",
        /// Symmetric block Gauss-Seidel over lines, by colors.
        GaussSeidel = "gauss-seidel",
    }
}

cfd_keys::choice! {
    /// The matrix of the systems that Newton's method solves.
    pub enum Jacobian {
        /// That of first order until the residual stalls, then the derivative of the residual itself; in time and with a turbulence
        /// model, that of first order.
        Automatic = "automatic",
        /// That of the scheme of first order.
        FirstOrder = "first-order",
        /// The derivative of the residual itself. Only its products are computed, as differences of residuals.
        MatrixFree = "matrix-free",
    }
}

cfd_keys::choice! {
    /// How viscosity depends on the temperature.
    pub enum Law {
        /// Sutherland's law.
        Sutherland = "sutherland",
        /// Not at all.
        Constant = "constant",
    }
}

cfd_keys::choice! {
    /// The state that a run starts from.
    pub enum Start {
        /// The free stream everywhere.
        FreeStream = "free-stream",
        /// An isentropic vortex in the free stream, whose exact solution is known.
        Vortex = "vortex",
        /// A gas at rest that has another pressure and density within a circle or a sphere.
        Blast = "blast",
    }
}

cfd_keys::choice! {
    /// The axis that points up; x points downstream.
    pub enum Up {
        /// y, as in the plane.
        Y = "y",
        /// z.
        Z = "z",
    }
}

cfd_keys::conditions! {
    /// What holds on a boundary.
    pub enum Condition {
        /// a wall that the flow slips along
        Slip = "slip" {}
        /// a wall that the flow sticks to
        NoSlip = "no_slip" {
            /// temperature of the wall; unset: no heat flows through it
            temperature: Option<f64>, Number(Open(0.0), Free);
            /// velocity of the wall, along it; unset: it does not move
            velocity: Option<Vec<f64>>, Numbers(OneOf(&[2, 3]), Free, Free);
        }
        /// a plane of symmetry
        Symmetry = "symmetry" {}
        /// the free stream outside, by characteristics
        FarField = "far_field" {}
        /// flow comes in with a given total pressure and total temperature
        Inlet = "inlet" {
            /// total pressure; unset: that of the free stream
            total_pressure: Option<f64>, Number(Open(0.0), Free);
            /// total temperature; unset: that of the free stream
            total_temperature: Option<f64>, Number(Open(0.0), Free);
            /// where the flow goes; unset: along the free stream
            direction: Option<Vec<f64>>, Numbers(OneOf(&[2, 3]), Free, Free);
        }
        /// flow comes in with a given velocity
        VelocityInlet = "velocity_inlet" {
            /// the velocity; unset: that of the free stream
            velocity: Option<Vec<f64>>, Numbers(OneOf(&[2, 3]), Free, Free);
            /// its temperature; unset: that of the free stream
            temperature: Option<f64>, Number(Open(0.0), Free);
        }
        /// flow goes out against a given pressure
        Outlet = "outlet" {
            /// the pressure; unset: that of the free stream
            pressure: Option<f64>, Number(Open(0.0), Free);
            /// the mass that goes out per unit of time, to which the pressure is adjusted; unset: the pressure is
            /// constant
            mass_flow: Option<f64>, Number(Open(0.0), Free);
        }
        /// flow comes in faster than sound
        SupersonicInlet = "supersonic_inlet" {
            /// the velocity; unset: that of the free stream
            velocity: Option<Vec<f64>>, Numbers(OneOf(&[2, 3]), Free, Free);
            /// the pressure; unset: that of the free stream
            pressure: Option<f64>, Number(Open(0.0), Free);
            /// the temperature; unset: that of the free stream
            temperature: Option<f64>, Number(Open(0.0), Free);
        }
        /// flow goes out faster than sound
        SupersonicOutlet = "supersonic_outlet" {}
        /// the flow continues at another boundary, which is this one, translated or rotated
        Periodic = "periodic" {
            /// name of the other boundary, which then needs no condition
            partner: String, Text, required = true;
            /// from this boundary to the other; unset: that between their bounding boxes
            translation: Option<Vec<f64>>, Numbers(OneOf(&[2, 3]), Free, Free), unit = "length";
            /// angle by which this boundary is rotated onto the other, counterclockwise, instead of a translation
            angle: Option<f64>, Number(Closed(-180.0), Closed(180.0)), unit = "degrees";
            /// the point about which it is rotated, in space any point on the axis; unset: the origin
            center: Option<Vec<f64>>, Numbers(OneOf(&[2, 3]), Free, Free), unit = "length";
            /// the direction of the axis of rotation, in space; unset: that of z
            axis: Option<Vec<f64>>, Numbers(OneOf(&[3]), Free, Free);
            /// largest distance of a node from its partner's position, as a share of the shortest edge at the node
            tolerance: f64, Number(Open(0.0), Open(0.5)), default = 1e-3;
        }
    }
}

cfd_keys::table! {
    /// Compressible flow in two or three dimensions: Euler, laminar or turbulent, node-centered, on elements of any kind
    pub struct Config = "flow" {
        /// the condition of each named boundary of the mesh, in the table `[flow.boundaries]`: `airfoil = "slip"`,
        /// `exit = { kind = "outlet", pressure = 0.7 }`
        boundaries: BTreeMap<String, Condition>, Boundaries(Condition::KINDS), default = {};
        /// Euler equations, laminar flow, or turbulent flow with the model of Spalart and Allmaras (in either form)
        /// or Menter's SST
        equations: Equations, Choice(Equations::WORDS), default = "euler";
        /// ratio of specific heats
        gamma: f64, Number(Open(1.0), Closed(3.0)), default = 1.4;
        /// Mach number of the free stream
        mach: f64, Number(Open(0.0), Closed(100.0)), default = 0.5;
        /// angle between the free stream and the x axis, upwards
        alpha: f64, Number(Closed(-180.0), Closed(180.0)), default = 0.0, unit = "degrees";
        /// the axis that points up; x points downstream
        up: Up, Choice(Up::WORDS), default = "y";
        /// pressure of the free stream; unset: 1 / gamma, which together with the other defaults makes density, temperature
        /// and speed of sound 1
        pressure: Option<f64>, Number(Open(0.0), Free), unit = "pressure";
        /// temperature of the free stream; unset: 1
        temperature: Option<f64>, Number(Open(0.0), Free), unit = "temperature";
        /// p / (rho T), 287.058 for air in SI units; unset: 1 / gamma
        gas_constant: Option<f64>, Number(Open(0.0), Free), unit = "pressure / density / temperature";
        /// Reynolds number of the free stream and `reference_length`, for viscous flow
        reynolds: Option<f64>, Number(Open(0.0), Free);
        /// viscosity of the free stream, instead of `reynolds`
        viscosity: Option<f64>, Number(Open(0.0), Free), unit = "pressure time";
        /// how the viscosity depends on the temperature
        viscosity_law: Law, Choice(Law::WORDS), default = "sutherland";
        /// Sutherland's temperature; unset: 110.4 / 288.15 of the free stream's
        sutherland: Option<f64>, Number(Closed(0.0), Free), unit = "temperature";
        /// Prandtl number
        prandtl: f64, Number(Open(0.0), Free), default = 0.72;
        /// turbulent Prandtl number
        turbulent_prandtl: f64, Number(Open(0.0), Free), default = 0.9;
        /// the turbulence model's viscosity in the free stream and at inlets, relative to that of the gas: nu_tilde
        /// of Spalart-Allmaras, 3 if unset, or the eddy viscosity of SST, 0.009 if unset
        free_turbulence: Option<f64>, Number(Closed(0.0), Free);
        /// for `sst`: turbulence intensity in the free stream and at inlets, sqrt(2 k / 3) relative to the speed of
        /// the free stream; unset: 0.001
        turbulence_intensity: Option<f64>, Number(Open(0.0), Closed(1.0));
        /// order of the advection of the turbulence model's variables
        turbulence_order: u64, Integer(1, 2), default = 1;
        /// length in the Reynolds number and in the coefficient of the moment
        reference_length: f64, Number(Open(0.0), Free), default = 1.0, unit = "length";
        /// area in coefficients of forces; in the plane, of a depth of 1
        reference_area: f64, Number(Open(0.0), Free), default = 1.0, unit = "length^2";
        /// point about which moments are taken
        moment_center: Vec<f64>, Numbers(OneOf(&[2, 3]), Free, Free), default = [0.0, 0.0], unit = "length";
        /// in three dimensions, spanwise stations of the sections that show the pressure on walls: from 0, the
        /// lowest position of the walls along the span, to 1, the highest
        stations: Vec<f64>, Numbers(UpTo(20), Closed(0.0), Closed(1.0)), default = [], unit = "span";
        /// flux through the faces of dual cells
        flux: Flux, Choice(Flux::WORDS), default = "roe";
        /// 2: states are reconstructed linearly on both sides of a face; 1: they are not
        order: u64, Integer(1, 2), default = 2;
        /// weight of the difference along an edge in the slope of the reconstruction; the gradient has the
        /// remaining weight. On quadrilaterals and hexahedra, 0.5 halves the dissipation of 0
        kappa: f64, Number(Closed(0.0), Closed(1.0)), default = 0.0;
        /// limiter that keeps the linear reconstruction from overshooting
        limiter: Limiter, Choice(Limiter::WORDS), default = "van-albada";
        /// differences below (limiter_k times the edge's length)^1.5, relative to the free stream's density, speed
        /// of sound and so on, are hardly limited
        limiter_k: f64, Number(Closed(0.0), Free), default = 5.0, unit = "1/length";
        /// acoustic waves, and waves that move with the flow, are damped as if they were at least as fast as these
        /// shares of the speed of sound
        entropy_fix: Vec<f64>, Numbers(OneOf(&[2]), Closed(0.0), Free), default = [0.1, 0.0];
        /// how the state advances: to a steady state (`explicit`, `newton`) or in time (`rk3`, `bdf2`)
        scheme: Scheme, Choice(Scheme::WORDS), default = "explicit";
        /// coefficients of the stages of `explicit`; the number of coefficients is the number of stages
        stages: Vec<f64>, Numbers(OneOf(&[3, 5]), Open(0.0), Closed(1.0)),
            default = [0.0695, 0.1602, 0.2898, 0.506, 1.0];
        /// local time steps of `explicit`: one for the fastest wave, or one per wave; unset: "scalar", or "matrix"
        /// with coarse levels
        local_step: Option<LocalStep>, Choice(LocalStep::WORDS);
        /// Courant number of explicit schemes, and the one with which `newton` starts; unset: 1 for explicit
        /// schemes, 10 for `newton`
        cfl: Option<f64>, Number(Open(0.0), Free);
        /// largest Courant number of `newton`, and that of the local time steps of `bdf2`
        cfl_max: f64, Number(Open(0.0), Free), default = 1e4;
        /// factor by which the Courant number of `newton` grows in a step that does not change the residual; it
        /// grows faster while the residual falls, and decreases while the residual rises. Unset: 1, or 1.2 with a
        /// turbulence model, since the residual rises and falls while a boundary layer becomes turbulent
        cfl_growth: Option<f64>, Number(Closed(1.0), Closed(1.5));
        /// matrix of the linear systems of `newton` and `bdf2`: that of the first-order scheme, or the derivative
        /// of the residual itself, preconditioned with the first-order matrix and never stored (`matrix-free`).
        /// With a turbulence model, the derivative is that of the flow and the model together. `automatic`: `newton`
        /// changes to `matrix-free` when the residual no longer falls; `bdf2` keeps `first-order`
        jacobian: Jacobian, Choice(Jacobian::WORDS), default = "automatic";
        /// each linear system of `newton` and `bdf2` is solved until its residual has fallen to this share of its
        /// initial value
        linear_tolerance: f64, Number(Open(0.0), Open(1.0)), default = 0.1;
        /// maximum number of GMRES iterations per linear system
        linear_iterations: u64, Integer(1, 10_000), default = 60;
        /// preconditioner of GMRES, along lines
        relaxation: Relaxation, Choice(Relaxation::WORDS), default = "gauss-seidel";
        /// maximum number of coarse levels, each of agglomerates of about ten nodes. Multigrid corrects the steps
        /// of `explicit`, for `euler`, or preconditions linear systems, with `relaxation` as smoother on the finest
        /// level; 0: none. Unset: none for `explicit`; for `newton` and `bdf2` at most 6, from the first system on that
        /// takes 30 GMRES iterations without
        coarse_levels: Option<u64>, Integer(0, 10), unit = "levels";
        /// time step of `bdf2` and `rk3`; if it is unset, `rk3` chooses each step by the Courant number
        time_step: Option<f64>, Number(Open(0.0), Free), unit = "time";
        /// maximum number of Newton steps per time step of `bdf2`
        inner_steps: u64, Integer(1, 10_000), default = 20;
        /// a time step of `bdf2` is solved when every equation's residual is below this share of its initial value
        inner_tolerance: f64, Number(Open(0.0), Open(1.0)), default = 1e-4;
        /// time at which a run of `rk3` or `bdf2` ends; unset: the run ends after its iterations
        end_time: Option<f64>, Number(Open(0.0), Free), unit = "time";
        /// maximum number of time steps; 0 writes the initial state
        iterations: u64, Integer(0, LARGEST), default = 1000, unit = "time steps";
        /// stop when every equation's residual, relative to its largest, is below this; 0: never
        tolerance: f64, Number(Closed(0.0), Free), default = 0.0;
        /// stop when lift, drag and moment stay within this over `force_steps`; 0: never
        force_tolerance: f64, Number(Closed(0.0), Free), default = 0.0;
        /// time steps over which forces must be steady
        force_steps: u64, Integer(2, 1_000_000), default = 100, unit = "time steps";
        /// lift coefficient of all walls that `newton` or `explicit` reaches by adjusting the angle of attack,
        /// starting from `alpha`; unset: the angle is constant
        target_lift: Option<f64>, Number(Free, Free);
        /// largest difference from `target_lift` with which a run may end
        lift_tolerance: f64, Number(Open(0.0), Free), default = 1e-4;
        /// time steps over which the lift must be steady before the angle changes; unset: 10 for `newton`, 200 for
        /// `explicit`
        lift_steps: Option<u64>, Integer(2, 1_000_000), unit = "time steps";
        /// the state that a run starts from
        start: Start, Choice(Start::WORDS), default = "free-stream";
        /// `solution.h5` of another run whose solution is the start instead, interpolated if it is on another mesh, which the
        /// file must then hold (`output.mesh`)
        start_from: Option<String>, Text;
        /// for `start = "vortex"`: x, y, radius, and largest velocity as a share of the free stream's
        vortex: Vec<f64>, Numbers(OneOf(&[4]), Free, Free), default = [0.0, 0.0, 1.0, 0.5];
        /// for `start = "blast"`, in a gas at rest with the free stream's pressure and density: x, y and, in space,
        /// z of the center, the radius, and pressure and density inside, relative to those of the free stream
        blast: Vec<f64>, Numbers(OneOf(&[5, 6]), Free, Free), default = [0.0, 0.0, 0.1, 10.0, 1.0];
        /// the first time step that counts in means over time; unset: no means
        average_from: Option<u64>, Integer(1, LARGEST), unit = "time steps";
    } beside {
        /// How the mesh is adapted.
        adaptation: adaptive::Config,
        /// What bounds a mesh that is adapted.
        outline: outline::Config,
    }
}

impl Config {
    /// Whether there is a turbulence model.
    pub fn is_turbulent(&self) -> bool {
        !matches!(self.equations, Equations::Euler | Equations::Laminar)
    }

    /// The turbulence model's viscosity in the free stream over that of the gas.
    pub fn free_turbulence(&self) -> f64 {
        self.free_turbulence.unwrap_or(if self.equations == Equations::Sst { 0.009 } else { 3.0 })
    }

    /// The turbulent velocity in the free stream over that of the free stream.
    pub fn turbulence_intensity(&self) -> f64 {
        self.turbulence_intensity.unwrap_or(1e-3)
    }

    /// Whether the first moments of faces make fluxes exact for linear functions. Not with a turbulence model, whose
    /// advection and source are those of nodes; not with a limiter: with them forces at shocks creep, and limited as the
    /// reconstruction is, they keep Newton's method from converging.
    pub fn has_moments(&self) -> bool {
        self.order == 2 && self.limiter == Limiter::None && !self.is_turbulent()
    }

    /// Coarse levels at most, for the whole run or for a part of it.
    pub fn most_coarse_levels(&self) -> u64 {
        self.coarse_levels.unwrap_or(if self.scheme.is_implicit() { USUAL_LEVELS } else { 0 })
    }

    /// The local time steps of `explicit`.
    pub fn local_step(&self) -> LocalStep {
        self.local_step.unwrap_or(if self.most_coarse_levels() > 0 {
            LocalStep::Matrix
        } else {
            LocalStep::Scalar
        })
    }

    /// The Courant number to start with.
    pub fn cfl(&self) -> f64 {
        let usual = if self.scheme == Scheme::Newton { 10.0 } else { 1.0 };
        self.cfl.unwrap_or(usual)
    }

    /// The factor by which the Courant number grows where the residual stays.
    pub fn cfl_growth(&self) -> f64 {
        self.cfl_growth.unwrap_or(if self.is_turbulent() { 1.2 } else { 1.0 })
    }

    /// p / (rho T).
    pub fn gas_constant(&self) -> f64 {
        self.gas_constant.unwrap_or(1.0 / self.gamma)
    }

    /// Sutherland's temperature over that of the free stream.
    pub fn sutherland(&self) -> f64 {
        self.sutherland.map_or(USUAL_SUTHERLAND, |s| s / self.temperature.unwrap_or(1.0))
    }

    /// Viscosity of the free stream; 0 for the Euler equations.
    pub fn viscosity_of(&self, free: &FreeStream) -> f64 {
        match self.equations {
            Equations::Euler => 0.0,
            _ => self.viscosity.unwrap_or_else(|| {
                let reynolds = self.reynolds.unwrap_or(f64::INFINITY);
                free.density * free.speed * self.reference_length / reynolds
            }),
        }
    }

    /// The direction of the free stream; exactly x without an angle.
    pub fn wind(&self) -> [f64; 3] {
        let [cos, sin] = self.angle();
        self.upwards(cos, sin)
    }

    /// The direction of lift.
    pub fn lift(&self) -> [f64; 3] {
        let [cos, sin] = self.angle();
        self.upwards(-sin, cos)
    }

    fn angle(&self) -> [f64; 2] {
        let angle = self.alpha.to_radians();
        [same_math::cos(angle), same_math::sin(angle)]
    }

    fn upwards(&self, along: f64, up: f64) -> [f64; 3] {
        match self.up {
            Up::Y => [along, up, 0.0],
            Up::Z => [along, 0.0, up],
        }
    }
}

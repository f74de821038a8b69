//! The keys of `[flow.adaptation]`.

use cfd_adapt::metric::{Floors, Limits, Norm, Recovery, Wanted};
use cfd_adapt::transfer::Conserve;

use crate::adaptation::Hessians;
use crate::flow::config::Equations;

cfd_keys::choice! {
    /// A quantity whose interpolation error decides the sizes of a mesh.
    pub enum Sensor {
        /// The Mach number.
        Mach = "mach",
        /// The density.
        Density = "density",
        /// The pressure.
        Pressure = "pressure",
        /// The temperature, p / rho.
        Temperature = "temperature",
        /// The entropy, ln(p / rho^gamma).
        Entropy = "entropy",
        /// The first component of the velocity.
        VelocityX = "velocity_x",
        /// The second component of the velocity.
        VelocityY = "velocity_y",
        /// The viscosity that the model of Spalart and Allmaras transports.
        NuTilde = "nu_tilde",
        /// The eddy viscosity over that of the gas, with any turbulence model.
        EddyViscosityRatio = "eddy_viscosity_ratio",
        /// The turbulent kinetic energy k of SST.
        TurbulentKineticEnergy = "turbulent_kinetic_energy",
        /// The specific dissipation rate omega of SST, as its logarithm.
        SpecificDissipation = "specific_dissipation",
    }
}

impl Sensor {
    /// The equations that have this quantity; `None`: all have.
    pub fn equations(self) -> Option<&'static [Equations]> {
        use Equations::{NegativeSpalartAllmaras, SpalartAllmaras, Sst};
        match self {
            Sensor::NuTilde => Some(&[SpalartAllmaras, NegativeSpalartAllmaras]),
            Sensor::EddyViscosityRatio => Some(&[SpalartAllmaras, NegativeSpalartAllmaras, Sst]),
            Sensor::TurbulentKineticEnergy | Sensor::SpecificDissipation => Some(&[Sst]),
            _ => None,
        }
    }
}

cfd_keys::choice! {
    /// Which steps in time the sizes of a mesh are for.
    pub enum Window {
        /// Those since the adaptation before.
        Behind = "behind",
        /// Those up to the next adaptation, which are computed twice: on the old mesh for the sizes, then on the new one.
        Ahead = "ahead",
    }
}

cfd_keys::choice! {
    /// How exactly the masses of a state are conserved.
    pub enum Conservation {
        /// Up to rounding.
        Rounding = "rounding",
        /// To the last bit.
        Exact = "exact",
    }
}

cfd_keys::table! {
    /// Flow on triangles that adapts its mesh; `[adaptation]` describes the mesh's boundaries
    pub struct Config = "flow.adaptation" {
        /// number of adaptations; 0: the mesh does not change
        cycles: u64, Integer(0, LARGEST), default = 0;
        /// the mesh is adapted after this many time steps at the latest
        steps: u64, Integer(1, LARGEST), default = 100, unit = "time steps";
        /// the mesh is adapted earlier if every equation's residual, relative to its largest, is below this, or
        /// forces are steady (`flow.force_tolerance`); 0: never earlier
        tolerance: f64, Number(Closed(0.0), Free), default = 1e-3;
        /// quantities whose interpolation error is to be small: the metrics of several are intersected
        sensors: Vec<Sensor>, Choices(Sensor::WORDS), default = ["mach"];
        /// second derivatives by quadratic functions fitted around vertices, or by the gradient of the gradient
        hessian: Hessians, Choice(&["least-squares", "projection"]), default = "projection";
        /// the L^p norm of the error that is minimized
        p: f64, Number(Closed(1.0), Free), default = 2.0;
        /// complexity of the last mesh: about 0.433 times its number of triangles
        complexity: f64, Number(Open(0.0), Free), default = 2000.0;
        /// factor by which the complexity grows from each mesh to the next
        growth: f64, Number(Closed(1.0), Closed(1e3)), default = 1.0;
        /// smallest edge size; unset: no limit
        h_min: Option<f64>, Number(Closed(1e-50), Closed(1e50)), unit = "length";
        /// largest edge size; unset: no limit
        h_max: Option<f64>, Number(Closed(1e-50), Closed(1e50)), unit = "length";
        /// largest ratio of two sizes at a vertex; unset: no limit
        aspect_ratio: Option<f64>, Number(Closed(1.0), Closed(1e50));
        /// largest factor by which sizes grow along an edge; unset: no limit
        gradation: Option<f64>, Number(Closed(1.001), Free);
        /// Courant number with which `newton` continues on a new mesh; unset: the current one, but at most
        /// `flow.cfl`
        cfl: Option<f64>, Number(Open(0.0), Free);
        /// in time: which steps' metrics are intersected, those before or after the adaptation
        window: Window, Choice(Window::WORDS), default = "behind";
        /// in time: number of steps between the metrics that are intersected
        samples: u64, Integer(1, LARGEST), default = 5, unit = "time steps";
        /// whether mass, momentum and energy are conserved up to rounding or exactly
        conserve: Conservation, Choice(Conservation::WORDS), default = "rounding";
    }
}

impl Config {
    /// Whether the mesh is adapted at all.
    pub fn is_on(&self) -> bool {
        self.cycles > 0
    }

    /// The complexity of an adaptation, counted from 1.
    pub fn complexity_of(&self, cycle: u64) -> f64 {
        let remaining = self.cycles.saturating_sub(cycle);
        let mut complexity = self.complexity;
        for _ in 0..remaining {
            if self.growth == 1.0 || complexity / self.growth < LEAST_COMPLEXITY {
                break;
            }
            complexity /= self.growth;
        }
        complexity
    }

    /// States between two adaptations whose metrics are intersected, without the last.
    pub fn samples_of_a_window(&self) -> usize {
        usize::try_from((self.steps - 1) / self.samples).unwrap_or(usize::MAX)
    }

    /// How second derivatives are recovered.
    pub fn recovery(&self) -> Recovery {
        self.hessian.recovery().expect("a flow has no formula for them")
    }

    /// How second derivatives become a metric.
    pub fn norm(&self, complexity: f64) -> Norm {
        Norm::Complexity { p: self.p, complexity }
    }

    /// Least second derivatives: at shocks they are so large that a share of those, as is usual, would fill a far field with
    /// triangles.
    pub fn floors(&self) -> Floors {
        Floors { absolute: 1e-20, relative: 1e-15 }
    }

    /// Limits of the finished metric.
    pub fn wanted(&self, complexity: f64) -> Wanted {
        let limits = Limits::given(self.h_min, self.h_max, self.aspect_ratio);
        Wanted { complexity: Some(complexity), limits, beta: self.gradation }
    }

    /// How exactly masses are conserved.
    pub fn conserve(&self) -> Conserve {
        match self.conserve {
            Conservation::Rounding => Conserve::Rounding,
            Conservation::Exact => Conserve::Exact,
        }
    }
}

/// A mesh of fewer triangles shows nothing.
const LEAST_COMPLEXITY: f64 = 10.0;

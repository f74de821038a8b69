//! The cases: each has its kernels, its state, its time loop and what the program needs to know about it in one folder.
//!
//! ```text
//! case          how a case says what it needs; AnyCase, of which CASES is the list
//! Solver        what the program needs of a running case: step, report, fields
//! outcome       what a run reports beside its fields: figures, pictures
//! adaptation/   meshes adapted to a metric
//! airfoil/      2D Euler, cell-centred finite volume
//! aero/         2D potential flow, finite elements, Newton's method
//! mgcfd/        3D Euler, node-centred finite volume, multigrid
//! lulesh/       3D Lagrangian hydrodynamics of a point blast, hexahedra
//! heat/         2D steady heat conduction, cell-centred finite volume: the case to read first
//! flow/         compressible flow in two and three dimensions, node-centred finite volume, elements of any kind
//! gas/          states, fluxes, limiters of a perfect gas, which several cases use
//! naca0012      meshes around a NACA0012 airfoil, which several cases use
//! cg/           conjugate gradients for any operator
//! ```
//!
//! A new case is a folder here and its line in [`CASES`] (docs/extending.md).

use cfd_engine::any::AnyDat;
use cfd_engine::backend::BackendError;
use cfd_engine::domain::Domain;
use cfd_engine::mesh::Mesh;
use cfd_partition::Options;
use serde::{Deserialize, Serialize};

pub mod adaptation;
pub mod aero;
pub mod airfoil;
pub mod case;
pub mod cg;
pub mod flow;
pub mod gas;
pub mod heat;
pub mod lulesh;
pub mod mgcfd;
pub mod naca0012;
pub mod outcome;

use self::outcome::{Csv, Drawing, Figures};

case::cases! {
    airfoil::Airfoil,
    aero::Aero,
    mgcfd::Mgcfd,
    heat::Heat,
    lulesh::Lulesh,
    adaptation::Adaptation,
    flow::plane::Flow,
}

/// An application: its state in a domain, and one step of its iteration.
///
/// Every method is collective: all ranks call it, in the same order.
pub trait Solver {
    /// Runs one iteration. With `report`, also computes what [`Step::values`] holds; without, only the residual.
    /// Reporting never changes the state.
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped>;

    /// The values of the last step, requested afterwards, when a run ends or writes a checkpoint at an unreported step.
    /// Empty if there has been no step. A solver whose steps always hold their values is never asked. Reporting never
    /// changes the state.
    fn report(&mut self, _domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        Ok(Vec::new())
    }

    /// An error if the current state is unphysical (to be called before the solution is written).
    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped>;

    /// Names of the values that a reported step holds in addition to the residual (columns of `history.csv`).
    fn columns(&self) -> Vec<String>;

    /// The fields of the solution, in hashing order.
    fn fields(&self) -> Vec<Field>;

    /// Fields derived from the solution, for output: not hashed, and no run continues from them.
    fn derived_fields(&self, _domain: &mut Domain) -> Result<Vec<Field>, BackendError> {
        Ok(Vec::new())
    }

    /// The fields that the next iteration starts from; with [`Solver::numbers`], all that a checkpoint must hold.
    fn state(&self) -> Vec<Field> {
        self.fields()
    }

    /// Numbers that the next iterations need in addition to the state. Counts are exact up to 2^53.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The mesh that the last step moved the domain to, if it changed. Such a step has replaced the domain it was given
    /// ([`Domain::replace`]); iterations, output, checkpoints and hashes continue on the new mesh. Called once after
    /// every step.
    fn new_mesh(&mut self) -> Option<Mesh> {
        None
    }

    /// The run's environment, for solvers that change their mesh. Set once, before the first step.
    fn use_environment(&mut self, _environment: Environment) {}

    /// Lines about the last step, printed below its values on the console. Called after every step.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Figures of the result for `summary.json`. Called after [`Solver::check`].
    fn figures(&self) -> Figures {
        Figures::default()
    }

    /// Tables of the result, files of their own. Called after [`Solver::results`]. Collective.
    fn tables(&mut self, _domain: &mut Domain) -> Result<Vec<Csv>, BackendError> {
        Ok(Vec::new())
    }

    /// More pictures of the result. Called after [`Solver::check`].
    fn drawings(&self) -> Vec<Drawing> {
        Vec::new()
    }

    /// Continues after this many iterations: [`Solver::state`] is set, and these are the [`Solver::numbers`] at that
    /// point.
    fn resume(&mut self, iteration: u64, numbers: &[f64]);

    /// Elements whose updates are counted in the figure of merit.
    fn work_set(&self) -> &'static str;

    /// How often each element of the work set was updated in this many iterations of this run.
    fn work_steps(&self, iterations: u64) -> WorkSteps {
        WorkSteps { name: "iterations", count: iterations }
    }

    /// The share done, from 0 to 1, of a run that ends by itself before its last iteration; `None` if only iterations
    /// end a run.
    fn done(&self) -> Option<f64> {
        None
    }

    /// A run's final numbers, in addition to those of its last reported step. Collective.
    fn results(&mut self, _domain: &mut Domain) -> Result<Vec<(String, f64)>, BackendError> {
        Ok(Vec::new())
    }

    /// What the figure of merit counts per second, unless that is elements times steps.
    fn work_name(&self) -> Option<&'static str> {
        None
    }

    /// The field on cells or their corners that a picture of the result shows.
    fn picture(&self) -> Option<Picture> {
        None
    }

    /// The body's extent along x, for the picture; `None` without a body, or if the wall pressure tells.
    fn body(&self, _domain: &mut Domain) -> Result<Option<[f64; 2]>, BackendError> {
        Ok(None)
    }

    /// The pressure coefficient along the wall, on rank 0 (empty elsewhere): (x, y, cp) in wall order.
    fn wall_pressure(&self, _domain: &mut Domain) -> Result<Vec<[f64; 3]>, BackendError> {
        Ok(Vec::new())
    }

    /// The pressure coefficient where planes cut a three-dimensional body, on rank 0 (empty elsewhere).
    fn sections(&self, _domain: &mut Domain) -> Result<Vec<Section>, BackendError> {
        Ok(Vec::new())
    }
}

/// A run's environment, apart from the case.
#[derive(Clone, Debug)]
pub struct Environment {
    /// How to divide a new mesh among the ranks.
    pub partition: Options,
    /// Bytes that this rank may still use.
    pub room: u64,
}

impl Default for Environment {
    /// The default partitioner, and unlimited memory.
    fn default() -> Environment {
        Environment { partition: Options::default(), room: u64::MAX }
    }
}

/// A field of the solution. The dimension is part of the handle; values of i32 are written and hashed as the f64 they are
/// exactly.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name in `solution.h5`.
    pub name: String,
    /// The dat.
    pub dat: AnyDat,
    /// Names of the components.
    pub components: &'static [&'static str],
}

/// A picture of a field around the body: `FIELD.svg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The field's name.
    pub field: &'static str,
    /// The label of the scale.
    pub title: &'static str,
    /// In space, the axis normal to the picture's plane: 0 for x, 1 for y, 2 for z. The picture shows the faces that lie
    /// lowest along it.
    pub normal: usize,
}

/// A section of a body by a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The plane's position as a share of the span.
    pub station: f64,
    /// The plane's position along the span, in the mesh's unit.
    pub place: f64,
    /// x as a share of the section's chord, height, and the pressure coefficient, in order around the body.
    pub points: Vec<[f64; 3]>,
}

/// What the figure of merit counts, for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkSteps {
    /// Name of the steps, in the plural.
    pub name: &'static str,
    /// Number of steps.
    pub count: u64,
}

/// What one step reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The residual.
    pub residual: f64,
    /// Values named by [`Solver::columns`]; empty unless requested.
    pub values: Vec<f64>,
}

/// Why a step could not be completed.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Stopped {
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The case's input cannot be processed.
    #[error("iteration {iteration}: {what}")]
    Refused {
        /// What is wrong and what would be right.
        what: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// Something failed through no fault of the user.
    #[error("iteration {iteration}: {what}")]
    Failed {
        /// What happened.
        what: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// The state left the range in which the equations make sense.
    #[error(
        "{quantity} is {value} in element {element} of {set} at ({}) in iteration {iteration}",
        position.iter().map(|x| format!("{x}")).collect::<Vec<_>>().join(", ")
    )]
    Diverged {
        /// "density", "pressure", ...
        quantity: String,
        /// The set.
        set: String,
        /// Global id of the element.
        element: u64,
        /// Where it is.
        position: Vec<f64>,
        /// The offending value, as text so that NaN and infinity survive any encoding.
        value: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// The residual is not a number, although every element's state is valid.
    #[error("the residual is {value} in iteration {iteration}")]
    Residual {
        /// The residual, as text.
        value: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// The residual grows instead of falling.
    #[error(
        "the residual is {value} in iteration {iteration}, far above the first iteration's {first}: the method diverges"
    )]
    Growth {
        /// The residual, as text.
        value: String,
        /// The first iteration's residual, as text.
        first: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// A linear system could not be solved.
    #[error("iteration {iteration} ({state}): {cause}")]
    LinearSystem {
        /// The iteration, from 1.
        iteration: u64,
        /// What is known about the flow.
        state: String,
        /// What went wrong, in which step, with which sums.
        #[source]
        cause: Box<cg::Breakdown>,
    },
}

//! The cases: each its kernels, its state, its time loop and what the program needs to know of it, in one folder.
//!
//! ```text
//! case          how a case says what it needs; Case, of which CASES is the list
//! Solver        what the program needs of a running case: step, report, fields
//! outcome       what a run reports beside its fields: figures, pictures
//! adaptation/   meshes adapted to a metric
//! airfoil/      2D Euler, cell-centred finite volume
//! aero/         2D potential flow, finite elements, Newton's method
//! mgcfd/        3D Euler, node-centred finite volume, multigrid
//! lulesh/       3D Lagrangian hydrodynamics of a point blast, hexahedra
//! heat/         2D steady heat conduction, cell-centred finite volume: the case to read first
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
pub mod heat;
pub mod lulesh;
pub mod mgcfd;
pub mod naca0012;
pub mod outcome;

use self::case::Case;
use self::outcome::{Drawing, Figures};

/// All cases.
pub static CASES: [Case; 6] = [
    Case::of::<airfoil::Airfoil>(),
    Case::of::<aero::Aero>(),
    Case::of::<mgcfd::Mgcfd>(),
    Case::of::<heat::Heat>(),
    Case::of::<lulesh::Lulesh>(),
    Case::of::<adaptation::Adaptation>(),
];

/// An application: its state in a domain, and one step of its iteration.
///
/// Every method is collective: all ranks call it, in the same order.
pub trait Solver {
    /// Runs one iteration. With `report`, also computes what [`Step::values`] holds; without, only the residual.
    /// Reporting never changes the state.
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped>;

    /// The values of the last step, asked for afterwards: of a run that ends, or writes a checkpoint, with a step that was not
    /// to be reported. Empty where there has been no step that they could be about. A solver whose steps always hold their
    /// values is never asked. Reporting never changes the state.
    fn report(&mut self, _domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        Ok(Vec::new())
    }

    /// An error when the present state makes no sense (to be called before the solution is written).
    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped>;

    /// Names of the values beside the residual that a reported step holds (columns of `history.csv`).
    fn columns(&self) -> Vec<String>;

    /// The fields that make the solution, in the order in which they are hashed.
    fn fields(&self) -> Vec<Field>;

    /// Fields that follow from the solution, for output: not hashed, and nothing continues from them.
    fn derived_fields(&self, _domain: &mut Domain) -> Result<Vec<Field>, BackendError> {
        Ok(Vec::new())
    }

    /// The fields that the next iteration starts from, with [`Solver::numbers`] all that a checkpoint must hold.
    fn state(&self) -> Vec<Field> {
        self.fields()
    }

    /// Numbers that the next iterations need beside the state. Counts stand in them exactly up to 2^53.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The mesh that the last step has put the domain on, if that is another one than before. Such a step has replaced the
    /// domain that it was given ([`Domain::replace`]); iterations, output, checkpoints and hashes go on with the new mesh.
    /// Asked for once after every step.
    fn new_mesh(&mut self) -> Option<Mesh> {
        None
    }

    /// What the run has beside the case, for solvers that change their mesh. Told once, before the first step.
    fn use_environment(&mut self, _environment: Environment) {}

    /// Lines on the last step that stand below its values on the console. Asked for after every step.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Figures of the result for `summary.json`. Asked for after [`Solver::check`].
    fn figures(&self) -> Figures {
        Figures::default()
    }

    /// More pictures of the result. Asked for after [`Solver::check`].
    fn drawings(&self) -> Vec<Drawing> {
        Vec::new()
    }

    /// Continues after this many iterations: [`Solver::state`] is set, and here are the [`Solver::numbers`] of then.
    fn resume(&mut self, iteration: u64, numbers: &[f64]);

    /// Elements whose updates are counted in the figure of merit.
    fn work_set(&self) -> &'static str;

    /// How often every element of the work set has been worked on in that many iterations of this run.
    fn work_steps(&self, iterations: u64) -> WorkSteps {
        WorkSteps { name: "iterations", count: iterations }
    }

    /// How much of a run that has an end of its own is done, from 0 to 1, where it ends before the last of its iterations; none
    /// where iterations are all that ends a run.
    fn done(&self) -> Option<f64> {
        None
    }

    /// Numbers that a run ends with, beside those of its last reported step. Collective.
    fn results(&mut self, _domain: &mut Domain) -> Result<Vec<(&'static str, f64)>, BackendError> {
        Ok(Vec::new())
    }

    /// What the figure of merit counts in a second, where that is not the element and its steps.
    fn work_name(&self) -> Option<&'static str> {
        None
    }

    /// The field on cells or their corners that a picture of the result shows.
    fn picture(&self) -> Option<Picture> {
        None
    }

    /// How far the body reaches along x, for the picture; none where there is none, or where the wall's pressure tells.
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

/// What a run has beside the case.
#[derive(Clone, Debug)]
pub struct Environment {
    /// How a mesh that takes the place of another one is divided among the ranks.
    pub partition: Options,
    /// Bytes that this rank may still take.
    pub room: u64,
}

impl Default for Environment {
    /// The default partitioner, and all the memory there can be.
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
    /// What the scale says.
    pub title: &'static str,
    /// The axis that the picture's plane is normal to, of hexahedra: 0 for x, 1 for y, 2 for z. Shown are their faces that lie
    /// lowest along it.
    pub normal: usize,
}

/// Where a plane cuts a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The plane's place as a share of the span.
    pub station: f64,
    /// The plane's place along the span, in the mesh's unit.
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
    /// Values named by [`Solver::columns`]; empty unless they were asked for.
    pub values: Vec<f64>,
}

/// Why a step could not be completed.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Stopped {
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// What the case was given cannot be worked on.
    #[error("iteration {iteration}: {what}")]
    Refused {
        /// What is wrong and what would be right.
        what: String,
        /// The iteration, from 1.
        iteration: u64,
    },
    /// Something failed that nobody has done wrong.
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
    /// The residual is not a number, although every element's state makes sense.
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
        /// What is known of the flow.
        state: String,
        /// What went wrong, in which step, with which sums.
        #[source]
        cause: Box<cg::Breakdown>,
    },
}

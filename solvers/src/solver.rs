//! What the program needs of a running case.

use cfd_adapt::remesh::{Carried, RemeshError, Round};
use cfd_engine::any::AnyDat;
use cfd_engine::backend::BackendError;
use cfd_engine::domain::Domain;
use cfd_engine::mesh::Mesh;
use cfd_mesh::ElementMesh;

use crate::output::{Frame, Output};
use crate::stopped::Stopped;

/// A running case: its state in a domain, and one step of its iteration.
///
/// Every method is collective: all ranks call it, in the same order. A new case implements the first six and, for what
/// it shows, [`Solver::outputs`].
pub trait Solver {
    /// Runs one iteration. With `report`, also computes what [`Step::values`] holds; without, only the residual.
    /// Reporting never changes the state.
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped>;

    /// An error if the current state is unphysical (to be called before the solution is written).
    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped>;

    /// The fields of the solution, in hashing order.
    fn fields(&self) -> Vec<Field>;

    /// Continues after this many iterations: [`Solver::state`] is set, and these are the [`Solver::numbers`] at that
    /// point.
    fn resume(&mut self, iteration: u64, numbers: &[f64]);

    /// The [`Solver::fields`] have been given start values from elsewhere, such as another run: makes the rest of the state
    /// fit them, and them the boundaries.
    fn begin(&mut self, _domain: &mut Domain) -> Result<(), BackendError> {
        Ok(())
    }

    /// The work of this many iterations of this run.
    fn work(&self, iterations: u64) -> Work;

    /// Names of the values that a reported step holds in addition to the residual (columns of `history.csv`).
    fn columns(&self) -> Vec<String> {
        Vec::new()
    }

    /// Those of the columns that a line on the console shows; a terminal has room for about seven.
    fn console_columns(&self) -> Vec<String> {
        self.columns()
    }

    /// The values of the last step, requested afterwards, when a run ends or writes a checkpoint at an unreported step.
    /// Empty if there has been no step. A solver whose steps always hold their values is never asked. Reporting never
    /// changes the state.
    fn values(&mut self, _domain: &mut Domain) -> Result<Vec<f64>, BackendError> {
        Ok(Vec::new())
    }

    /// What the run shows of its result in addition to its history and its solution; the same list on all ranks.
    fn outputs(&self) -> Vec<Output<'_>> {
        Vec::new()
    }

    /// The fields that the next iteration starts from; with [`Solver::numbers`], all that a checkpoint must hold.
    fn state(&self) -> Vec<Field> {
        self.fields()
    }

    /// Numbers that the next iterations need in addition to the state. Counts are exact up to 2^53.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Whether a run that has just begun can continue with these [numbers](Solver::numbers).
    fn takes(&self, numbers: &[f64]) -> bool {
        numbers.len() == self.numbers().len()
    }

    /// The share done, from 0 to 1, of a run that ends by itself before its last iteration; `None` if only iterations
    /// end a run.
    fn done(&self) -> Option<f64> {
        None
    }

    /// What else than its residual or its time ends a run here, in words: "the forces are steady to 1e-5".
    fn settled(&self) -> Option<String> {
        None
    }

    /// The mesh that the last step moved the domain to, if it changed. Such a step has replaced the domain it was given
    /// ([`Domain::replace`]); iterations, output, checkpoints and hashes continue on the new mesh. Called once after
    /// every step.
    fn new_mesh(&mut self) -> Option<NewMesh> {
        None
    }

    /// Frames of a film that the last step has left, if a film is wanted ([`Environment::film`]). Called once after
    /// every step.
    ///
    /// [`Environment::film`]: crate::case::Environment::film
    fn frames(&mut self) -> Vec<Frame> {
        Vec::new()
    }

    /// The fields that a round of adaptation carries to another mesh, for [`Solver::rebuild`].
    ///
    /// # Errors
    /// The case cannot continue on another mesh.
    fn carried(&self) -> Result<Vec<Carried>, RemeshError> {
        Err(stays_on_its_mesh())
    }

    /// Continues on the mesh of a round of adaptation, to whose domain the given one has moved.
    ///
    /// # Errors
    /// The case cannot continue on another mesh, or the mesh or the round lacks something.
    fn rebuild(&mut self, _domain: &mut Domain, _round: Round) -> Result<(), RemeshError> {
        Err(stays_on_its_mesh())
    }
}

fn stays_on_its_mesh() -> RemeshError {
    RemeshError::Unsuitable(
        "this case cannot continue on another mesh; expected one that carries its fields".into(),
    )
}

/// A mesh that a solver has moved its domain to.
#[derive(Clone, Debug)]
pub struct NewMesh {
    /// What the domain was made from.
    pub sets: Mesh,
    /// The elements from which that was derived, if they are to be shown.
    pub elements: Option<ElementMesh>,
}

/// What one step reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The residual.
    pub residual: f64,
    /// Values named by [`Solver::columns`]; empty unless requested.
    pub values: Vec<f64>,
    /// Lines to print below the values on the console.
    pub remarks: Vec<String>,
}

impl Step {
    /// A step without remarks.
    pub fn new(residual: f64, values: Vec<f64>) -> Step {
        Step { residual, values, remarks: Vec::new() }
    }
}

/// The work of some iterations: what the figure of merit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The set whose elements are updated.
    pub set: &'static str,
    /// Name of the steps, in the plural.
    pub steps: &'static str,
    /// How often each element was updated.
    pub count: u64,
    /// What is counted per second, unless that is elements times steps.
    pub name: Option<&'static str>,
}

impl Work {
    /// Each element of a set updated in every iteration.
    pub fn of(set: &'static str, iterations: u64) -> Work {
        Work { set, steps: "iterations", count: iterations, name: None }
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

impl Field {
    /// A field whose components have these names.
    pub fn new(name: &str, dat: impl Into<AnyDat>, components: &'static [&'static str]) -> Field {
        Field { name: name.into(), dat: dat.into(), components }
    }
}

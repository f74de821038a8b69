//! What the program must know of each application: how its mesh is partitioned and how its solver is made.

use cfd_engine::domain::{Domain, DomainError};
use cfd_io::{Case, IoError};
use cfd_partition::Primary;
use cfd_solvers::Solver;
use cfd_solvers::airfoil::Airfoil;

use crate::config::Run;

/// The primary set of a case's meshes: the targets of its increments.
///
/// # Errors
/// The program has no solver for the case.
pub fn primary(case: Case) -> Result<Primary, IoError> {
    match case {
        Case::Airfoil => Ok(Primary {
            set: "cells".into(),
            graph: "edge_cells".into(),
            nodes: Some("cell_nodes".into()),
            coordinates: "x".into(),
        }),
        Case::Aero | Case::Mgcfd => Err(unknown(case)),
    }
}

/// The solver of a case, with its start values.
pub fn solver(run: &Run, domain: &mut Domain) -> Result<Box<dyn Solver>, DomainError> {
    match run.case {
        Case::Airfoil => Ok(Box::new(Airfoil::new(domain, &run.airfoil)?)),
        Case::Aero | Case::Mgcfd => unreachable!("the table of keys allows only cases with a solver"),
    }
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Iterations at most.
    pub iterations: u64,
    /// Residual below which the run ends; 0: never.
    pub tolerance: f64,
}

/// The limits in the case's own table.
pub fn limits(run: &Run) -> Limits {
    Limits { iterations: run.airfoil.iterations, tolerance: run.airfoil.tolerance }
}

fn unknown(case: Case) -> IoError {
    IoError::Case(format!("case \"{case}\" has no solver in this program; it has \"airfoil\""))
}

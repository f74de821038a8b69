//! What the program must know of each application: how its mesh is partitioned and how its solver is made.

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_io::{Case, IoError};
use cfd_partition::Primary;
use cfd_solvers::Solver;
use cfd_solvers::aero::Aero;
use cfd_solvers::airfoil::Airfoil;

use crate::config::Run;

/// The primary set of a case's mesh: the targets of its increments.
pub fn primary(case: Case, mesh: &Mesh) -> Primary {
    match case {
        Case::Airfoil => Primary {
            set: "cells".into(),
            graph: "edge_cells".into(),
            nodes: Some("cell_nodes".into()),
            coordinates: "x".into(),
            coarser: Vec::new(),
        },
        Case::Aero => Primary {
            set: "nodes".into(),
            graph: "cell_nodes".into(),
            nodes: None,
            coordinates: "x".into(),
            coarser: Vec::new(),
        },
        Case::Mgcfd => Primary {
            set: "level0/nodes".into(),
            graph: "level0/edge_nodes".into(),
            nodes: None,
            coordinates: "level0/x".into(),
            coarser: (0..)
                .map(|level| format!("level{level}/node_mg_node"))
                .take_while(|map| mesh.map(map).is_some())
                .collect(),
        },
    }
}

/// The mesh of a case around a NACA0012 airfoil, from I, J and the decimals of its coordinates. Collective.
///
/// # Errors
/// A size that is not possible, or the program has no solver for the case.
pub fn generate(comm: &Comm, case: Case, size: [u64; 2], decimals: Option<u32>) -> Result<Mesh, IoError> {
    let [i, j] = size;
    match case {
        Case::Airfoil => cfd_io::generate::airfoil(comm, i, j, decimals),
        Case::Aero => cfd_io::generate::aero(comm, i, j, decimals),
        Case::Mgcfd => Err(unknown(case)),
    }
}

/// The solver of a case, with its start values.
pub fn solver(run: &Run, domain: &mut Domain) -> Result<Box<dyn Solver>, DomainError> {
    match run.case {
        Case::Airfoil => Ok(Box::new(Airfoil::new(domain, &run.airfoil)?)),
        Case::Aero => Ok(Box::new(Aero::new(domain, &run.aero)?)),
        Case::Mgcfd => unreachable!("the table of keys allows only cases with a solver"),
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
    let (iterations, tolerance) = match run.case {
        Case::Aero => (run.aero.iterations, run.aero.tolerance),
        _ => (run.airfoil.iterations, run.airfoil.tolerance),
    };
    Limits { iterations, tolerance }
}

fn unknown(case: Case) -> IoError {
    IoError::Case(format!("case \"{case}\" has no solver in this program; it has \"airfoil\" and \"aero\""))
}

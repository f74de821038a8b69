//! What the program must know of each application: which meshes it computes on and how its solver is made.

use std::fmt;

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_solvers::Solver;
use cfd_solvers::aero::Aero;
use cfd_solvers::airfoil::Airfoil;
use cfd_solvers::mgcfd::{Mgcfd, Scheme};
use cfd_topology::generate::{hexahedra, naca0012};
use cfd_topology::{ClosureDefect, MeshError, Topology};
use serde::Deserialize;

use crate::config::{Generate, Run};

/// An application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Case {
    /// 2D Euler equations, cell-centred.
    Airfoil,
    /// 2D full potential equation, finite elements.
    Aero,
    /// 3D Euler equations, node-centred, multigrid.
    Mgcfd,
}

impl Case {
    /// Its name in configurations.
    pub fn name(self) -> &'static str {
        self.topology().tag()
    }

    /// The topology of its meshes.
    pub fn topology(self) -> Topology {
        match self {
            Case::Airfoil => Topology::CellEdges,
            Case::Aero => Topology::Elements,
            Case::Mgcfd => Topology::DualEdges,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Levels of a generated mesh when none are asked for.
const LEVELS: usize = 4;

/// The mesh that is to be made for a case, and what it is in a few words. Collective.
///
/// # Errors
/// A size that is not possible.
pub fn generate(comm: &Comm, case: Case, wanted: &Generate) -> Result<(String, Mesh), MeshError> {
    let Generate { size, decimals, levels, shape } = wanted;
    let numbers: Vec<String> = size.iter().map(u64::to_string).collect();
    let numbers = numbers.join(", ");
    let around_airfoil = |make: fn(&Comm, u64, u64, Option<u32>) -> Result<Mesh, MeshError>| {
        let rounded = decimals.map_or(String::new(), |decimals| format!(", {decimals} decimals"));
        let mesh = make(comm, size[0], size[1], *decimals)?;
        Ok((format!("generated NACA0012 ({numbers}){rounded}"), mesh))
    };
    match case {
        Case::Airfoil => around_airfoil(naca0012::cells),
        Case::Aero => around_airfoil(naca0012::elements),
        Case::Mgcfd => {
            let (levels, shape) = (levels.unwrap_or(LEVELS), shape.as_deref().unwrap_or("wing"));
            let spec = hexahedra::Spec { shape: shape.parse()?, size: [size[0], size[1], size[2]], levels };
            let mesh = hexahedra::generate(comm, &spec)?;
            Ok((format!("generated {shape} ({numbers}), {levels} levels"), mesh))
        }
    }
}

/// The largest defect of a dual cell that can be rounding, also in files of single precision.
const LARGEST_DEFECT: f64 = 1e-6;

/// Refuses a mesh that the run's scheme cannot use: in dual cells that are open no free stream stays what it is. Collective.
///
/// # Errors
/// The dual cell that closes worst.
pub fn check(comm: &Comm, run: &Run, mesh: &Mesh) -> Result<(), MeshError> {
    if run.case != Case::Mgcfd || run.mgcfd.scheme != Scheme::Euler {
        return Ok(());
    }
    let ClosureDefect { level, node, defect } = cfd_topology::closure_defect(comm, mesh);
    if defect <= LARGEST_DEFECT {
        return Ok(());
    }
    Err(MeshError::Unsuitable(format!(
        "the dual cell of node {node} on level {level} is open: its area vectors add up to {defect:.1e} of the largest of \
         them, at most {LARGEST_DEFECT:.0e} is allowed; use another mesh, or mgcfd.scheme = \"proxy\""
    )))
}

/// The solver of a case, with its start values.
pub fn solver(run: &Run, domain: &mut Domain) -> Result<Box<dyn Solver>, DomainError> {
    match run.case {
        Case::Airfoil => Ok(Box::new(Airfoil::new(domain, &run.airfoil)?)),
        Case::Aero => Ok(Box::new(Aero::new(domain, &run.aero)?)),
        Case::Mgcfd => Ok(Box::new(Mgcfd::new(domain, &run.mgcfd)?)),
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
        Case::Airfoil => (run.airfoil.iterations, run.airfoil.tolerance),
        Case::Aero => (run.aero.iterations, run.aero.tolerance),
        Case::Mgcfd => (run.mgcfd.iterations, run.mgcfd.tolerance),
    };
    Limits { iterations, tolerance }
}

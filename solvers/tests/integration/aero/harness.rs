//! Domains of nodes and cells on simulated ranks.

use cfd_engine::mesh::Mesh;
use cfd_engine::prelude::*;
use cfd_mesh::BILINEAR;
use cfd_partition::{Method, Options, Order, set_up};
use cfd_solvers::Solver;
use cfd_solvers::aero::{Aero, Config};

/// How a test distributes a mesh and runs its loops.
#[derive(Clone)]
pub struct Split {
    pub ranks: usize,
    pub method: &'static str,
    pub options: DomainOptions,
}

impl Split {
    pub fn new(ranks: usize, method: &'static str) -> Split {
        Split { ranks, method, options: DomainOptions::default() }
    }
}

impl std::fmt::Debug for Split {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DomainOptions { overlap, mode, strategy, region_rows, .. } = &self.options;
        write!(f, "{} ranks by {}, {mode:?}, {strategy:?}, ", self.ranks, self.method)?;
        write!(f, "regions of {region_rows}, overlap {overlap}")
    }
}

/// Distributes `mesh` on every simulated rank and returns the rank's domain.
pub fn domain(comm: &Comm, mesh: Mesh, split: &Split) -> Domain {
    let primary = BILINEAR.primary(&mesh);
    let method: Method = split.method.parse().expect("a partitioner's name");
    let options = Options { method, seed: 1, ..Options::default() };
    set_up(comm, mesh, &primary, &options, Order::File, split.options.clone()).expect("a sound mesh")
}

/// The mesh around the airfoil with 6 decimals.
pub fn naca0012(comm: &Comm, size: [u64; 2]) -> Mesh {
    cfd_mesh::generate::naca0012::elements(comm, size[0], size[1], Some(6)).expect("a mesh")
}

/// A run's history: residual, CG steps, CG reduction of every Newton step.
pub fn iterate(solver: &mut Aero, domain: &mut Domain, steps: usize) -> Vec<[f64; 3]> {
    let step = |_| {
        let step = solver.step(domain, true).expect("a sound flow");
        [step.residual, step.values[0], step.values[1]]
    };
    (0..steps).map(step).collect()
}

/// A run on one rank.
pub fn run_alone(
    mesh: impl Fn(&Comm) -> Mesh,
    config: &Config,
    steps: usize,
) -> (Domain, Aero, Vec<[f64; 3]>) {
    let comm = Comm::single();
    let mut domain = domain(&comm, mesh(&comm), &Split::new(1, "block"));
    let mut solver = Aero::new(&mut domain, config).expect("an Aero mesh");
    let history = iterate(&mut solver, &mut domain, steps);
    (domain, solver, history)
}

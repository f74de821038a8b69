//! Aero by the sequential reference.

use cfd_engine::comm::Comm;
use cfd_engine::mesh::{Mesh, Values};
use cfd_reference::aero::{self, Aero, NewtonStep, Options};
use cfd_reference::sum::Sum;
use cfd_solvers::aero::Config;

/// The reference with the keys of a configuration, on the mesh of 3 `size[0]` `size[1]` elements with 6 decimals.
pub fn reference(size: [u64; 2], config: &Config) -> Aero {
    let mesh = cfd_mesh::generate::naca0012::elements(&Comm::single(), size[0], size[1], Some(6))
        .expect("the size is possible");
    let Config { mach, cg_tolerance, cg_iterations, .. } = *config;
    let options = Options { mach, cg_tolerance, cg_steps: cg_iterations };
    Aero::new(reference_mesh(&mesh), options).expect("a generated mesh is sound")
}

/// Newton steps of the reference, with sums of the kind `S`, and the final potential.
pub fn run<S: Sum>(size: [u64; 2], steps: usize) -> (Vec<NewtonStep>, Vec<f64>) {
    let mut aero = reference(size, &Config::default());
    let history = (0..steps).map(|_| aero.newton::<S>()).collect();
    (history, aero.phi().to_vec())
}

/// The reference's form of a mesh that one rank holds.
fn reference_mesh(mesh: &Mesh) -> aero::Mesh {
    let dat = &mesh.dats[mesh.dat("x").expect("an aero mesh has coordinates")].values;
    let Values::F64(x) = dat else { panic!("coordinates are double precision") };
    aero::Mesh {
        x: x.as_chunks().0.to_vec(),
        cell_nodes: super::map(mesh, "cell_nodes"),
        bnode_node: super::map(mesh, "bnode_node").into_iter().map(|[node]| node).collect(),
    }
}

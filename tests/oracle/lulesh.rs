//! LULESH by the sequential reference.

use cfd_engine::comm::Comm;
use cfd_io::{field_hash, solution_hash};
use cfd_reference::lulesh::{Lulesh, nearest_cube_root};

/// A blast's results: hashes as the program prints them, and what it reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Blast {
    /// Of all fields.
    pub solution: String,
    /// The length of every step.
    pub steps: Vec<f64>,
    /// The energy at the origin.
    pub energy: f64,
    /// The deviation of the plane of low zeta from symmetry.
    pub asymmetry: [f64; 3],
}

/// This many cycles, or all of them, in a cube of this many elements per edge.
pub fn run(size: usize, cycles: Option<u64>) -> Blast {
    let mut lulesh = Lulesh::new(size, nearest_cube_root);
    let mut steps = Vec::new();
    while !lulesh.step().is_over() && cycles.is_none_or(|cycles| (steps.len() as u64) < cycles) {
        lulesh.cycle().expect("a blast that stays sound");
        steps.push(lulesh.step().dt);
    }
    let [energies, pressures, viscosities, speeds]: [Vec<f64>; 4] = [
        |s: &cfd_reference::lulesh::State| s.e,
        |s: &cfd_reference::lulesh::State| s.p,
        |s: &cfd_reference::lulesh::State| s.q,
        |s: &cfd_reference::lulesh::State| s.ss,
    ]
    .map(|of| lulesh.state().iter().map(of).collect());
    let fields: [(&str, usize, &[f64]); 7] = [
        ("position", 3, lulesh.x().as_flattened()),
        ("velocity", 3, lulesh.u().as_flattened()),
        ("energy", 1, &energies),
        ("pressure", 1, &pressures),
        ("viscosity", 1, &viscosities),
        ("volume", 1, lulesh.v()),
        ("sound_speed", 1, &speeds),
    ];
    let comm = Comm::single();
    let hashes = fields.map(|(name, dim, values)| {
        field_hash(&comm, name, dim, (values.len() / dim) as u64, values).expect("finite values")
    });
    Blast {
        solution: solution_hash(&hashes).to_string(),
        steps,
        energy: energies[0],
        asymmetry: lulesh.asymmetry(),
    }
}

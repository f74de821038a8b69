//! Airfoil on simulated ranks, and its results.

use cfd_engine::prelude::*;
use cfd_io::{field_hash, solution_hash};
use cfd_mesh::generate;
use cfd_solvers::Solver;
use cfd_solvers::airfoil::{Airfoil, Config};

use super::{Split, domain, in_global_order};

/// The airfoil mesh of 3 I J cells with 6 decimals, and a number of iterations.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub size: [u64; 2],
    pub iterations: usize,
}

/// A run's results: the residual of every iteration, and the cells' values in global order.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub history: Vec<f64>,
    pub q: Vec<[f64; 4]>,
}

impl Case {
    pub fn cells(&self) -> u64 {
        3 * self.size[0] * self.size[1]
    }

    /// Runs Airfoil on simulated ranks.
    pub fn run(&self, split: &Split) -> Outcome {
        let mut histories = Vec::new();
        let mut parts = Vec::new();
        for (history, ids, values) in Comm::simulate(split.ranks, |comm| {
            let mesh = generate::naca0012::cells(&comm, self.size[0], self.size[1], Some(6)).expect("a mesh");
            let mut domain = domain(&comm, mesh, split);
            let mut airfoil = Airfoil::new(&mut domain, &Config::default()).expect("an airfoil mesh");
            let history: Vec<f64> = (0..self.iterations)
                .map(|_| airfoil.step(&mut domain, false).expect("a flow that stays sound").residual)
                .collect();
            let q = airfoil.q();
            (history, domain.global_ids(q.set()).to_vec(), domain.read(q).unwrap())
        }) {
            histories.push(history);
            parts.push((ids, values));
        }
        assert!(
            histories.iter().all(|h| bits(h) == bits(&histories[0])),
            "{split:?}: all ranks know one residual"
        );
        Outcome { history: histories.swap_remove(0), q: in_global_order(parts) }
    }
}

impl Outcome {
    /// The hash of the solution, as the program prints it.
    pub fn hash(&self) -> String {
        let (comm, rows) = (Comm::single(), self.q.len() as u64);
        let q = field_hash(&comm, "q", 4, rows, self.q.as_flattened()).expect("finite values");
        solution_hash(&[q]).to_string()
    }

    /// The hash of all residuals, as the program prints it.
    pub fn history_hash(&self) -> String {
        history_hash(&self.history)
    }

    /// Number of values of `q` whose bits are not those of `other`.
    pub fn differing_values(&self, other: &[[f64; 4]]) -> usize {
        assert_eq!(self.q.len(), other.len());
        let pairs = self.q.as_flattened().iter().zip(other.as_flattened());
        pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count()
    }
}

/// The hash of residuals, as the program prints it.
pub fn history_hash(residuals: &[f64]) -> String {
    let bytes: Vec<u8> = residuals.iter().flat_map(|r| r.to_bits().to_le_bytes()).collect();
    format!("blake3:{}", blake3::hash(&bytes).to_hex())
}

pub fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

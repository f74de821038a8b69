//! Every case once, small enough to be run many times, with the hashes that all its runs must give.

use cfd_engine::comm::Comm;
use cfd_engine::strategy::HashClass;
use cfd_io::generate::mgcfd::{Shape, Spec};
use cfd_io::{field_hash, solution_hash};
use cfd_solvers::mgcfd::{self, Scheme};

use super::levels::{Grid, wing};
use super::{Split, cube, flow, levels, potential};

/// A case, and how it ends in each class of strategies.
pub struct Reference {
    pub name: &'static str,
    pub run: fn(&Split) -> Ending,
    /// The hashes of the solution and of the history, of the sequential class, the greedy and the distributed one.
    pub hashes: [[&'static str; 2]; 3],
}

/// What a run ends with.
pub struct Ending {
    /// All values of the solution, in global order.
    pub values: Vec<f64>,
    pub solution: String,
    pub history: String,
}

/// The cases. Airfoil's hashes are those of the cube; the reference programs have those of the sequential class
/// (`tests/bits/reproducible/cube.rs`, `tests/bits/aero_bits.rs`, `tests/bits/mgcfd_bits.rs`).
pub const ALL: [Reference; 4] = [
    Reference { name: "airfoil", run: airfoil, hashes: cube::HASHES },
    Reference { name: "aero", run: aero, hashes: [["", ""], ["", ""], ["", ""]] },
    Reference {
        name: "mgcfd, proxy",
        run: |split| mgcfd(&proxy(), split),
        hashes: [
            ["blake3:66e9bf67ee070aaf3920fdb717cb4b64cbdab3a4f1b444a31bcad54b2b38ca3a", ""],
            ["blake3:53f45e9826925cfebe89787e78693bb9f920d4f093f9c03fd0cab6126f08c28e", ""],
            ["blake3:899c00b9d55b19704f56891d1b4146684cef50cc84076d2bad10483347b5a7d8", ""],
        ],
    },
    Reference {
        name: "mgcfd, euler",
        run: |split| mgcfd(&euler(), split),
        hashes: [["", ""], ["", ""], ["", ""]],
    },
];

/// The published scheme of MG-CFD.
pub fn proxy() -> levels::Case {
    let spec = Spec { shape: Shape::Box, size: [12, 8, 10], levels: 3 };
    let config = mgcfd::Config { scheme: Scheme::Proxy, ..mgcfd::Config::default() };
    levels::Case { grid: Grid::Scaled(spec, 1e19), cycles: 4, config }
}

/// The Euler equations around a wing, V cycles on three levels.
pub fn euler() -> levels::Case {
    let config = mgcfd::Config { scheme: Scheme::Euler, ..mgcfd::Config::default() };
    levels::Case { grid: wing(3), cycles: 3, config }
}

fn airfoil(split: &Split) -> Ending {
    let outcome = cube::CASE.run(split);
    Ending { solution: outcome.hash(), history: outcome.history_hash(), values: outcome.q.into_flattened() }
}

fn aero(split: &Split) -> Ending {
    let case = potential::Case { size: [30, 50], steps: 4, config: Default::default() };
    let outcome = case.run(split);
    let residuals: Vec<f64> = outcome.history.iter().map(|step| step.residual).collect();
    let phi = field_hash(&Comm::single(), "phi", 1, outcome.phi.len() as u64, &outcome.phi);
    Ending {
        solution: solution_hash(&[phi.expect("finite values")]).to_string(),
        history: flow::history_hash(&residuals),
        values: outcome.phi,
    }
}

fn mgcfd(case: &levels::Case, split: &Split) -> Ending {
    let outcome = case.run(split);
    Ending {
        solution: outcome.hash(),
        history: flow::history_hash(&outcome.history),
        values: outcome.variables.into_iter().flatten().flatten().collect(),
    }
}

impl Reference {
    /// What differs from the stored hashes, if anything does.
    pub fn compare(&self, ending: &Ending, split: &Split) -> Result<(), String> {
        let class = match split.options.strategy.class() {
            HashClass::Sequential => 0,
            HashClass::Greedy => 1,
            HashClass::Distributed => 2,
            HashClass::None => panic!("fast strategies promise no bits"),
        };
        let found = [&ending.solution[..], &ending.history[..]];
        if found == self.hashes[class] {
            return Ok(());
        }
        Err(format!("{}, {split:?}:\n  {found:?}, expected\n  {:?}", self.name, self.hashes[class]))
    }
}

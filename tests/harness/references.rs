//! Every case once, small enough to be run many times, with the hashes that all its runs must give: the cases' own
//! references, and one beyond any configuration.

use cfd_engine::comm::Comm;
use cfd_engine::strategy::HashClass;
use cfd_io::{field_hash, solution_hash};
use cfd_mesh::generate::hexahedra::{Shape, Spec};
use cfd_solvers::CASES;
use cfd_solvers::case::Case;
use cfd_solvers::mgcfd::{self, Scheme};

use super::case::ending;
use super::hashes::{Hashes, SCALED_PROXY, of, stated};
use super::levels::{Grid, wing};
use super::{Split, flow, levels, potential};

/// A case, and how it ends in each class of strategies.
pub struct Reference {
    pub name: &'static str,
    run: Run,
    /// The hashes of the solution and of the history, of the sequential class, the greedy and the distributed one.
    pub hashes: Hashes,
}

/// How it is run.
enum Run {
    /// A case of the program, by its first reference.
    Stated(&'static Case, &'static cfd_solvers::case::Reference),
    /// A case of these tests.
    Own(fn(&Split) -> Ending),
}

/// A run's results.
pub struct Ending {
    /// All values of the solution, in global order.
    pub values: Vec<f64>,
    pub solution: String,
    pub history: String,
}

/// All of them. Tests in `tests/bits` hold the hashes of the sequential class to the reference programs.
pub fn all() -> Vec<Reference> {
    of_cases(&CASES)
}

/// Those of some cases, and the one beyond any configuration. A case that states none has none.
pub fn of_cases(cases: &[&'static Case]) -> Vec<Reference> {
    let of_case = |&case: &&'static Case| {
        let first = case.facts().references.first()?;
        Some(Reference { name: case.name(), run: Run::Stated(case, first), hashes: stated(first) })
    };
    let scaled =
        Reference { name: PROXY, run: Run::Own(|split| proxy().run(split).into()), hashes: SCALED_PROXY };
    cases.iter().filter_map(of_case).chain([scaled]).collect()
}

/// The published scheme of MG-CFD with scaled area vectors.
pub const PROXY: &str = "mgcfd, proxy";

/// Four Newton steps around the airfoil.
pub fn aero() -> potential::Case {
    potential::Case { size: [30, 50], steps: 4, config: Default::default() }
}

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

impl From<flow::Outcome> for Ending {
    fn from(outcome: flow::Outcome) -> Ending {
        Ending {
            solution: outcome.hash(),
            history: outcome.history_hash(),
            values: outcome.q.into_flattened(),
        }
    }
}

impl From<potential::Outcome> for Ending {
    fn from(outcome: potential::Outcome) -> Ending {
        let residuals: Vec<f64> = outcome.history.iter().map(|step| step.residual).collect();
        let phi = field_hash(&Comm::single(), "phi", 1, outcome.phi.len() as u64, &outcome.phi);
        Ending {
            solution: solution_hash(&[phi.expect("finite values")]).to_string(),
            history: flow::history_hash(&residuals),
            values: outcome.phi,
        }
    }
}

impl From<levels::Outcome> for Ending {
    fn from(outcome: levels::Outcome) -> Ending {
        Ending {
            solution: outcome.hash(),
            history: flow::history_hash(&outcome.history),
            values: outcome.variables.into_iter().flatten().flatten().collect(),
        }
    }
}

/// The case of this name.
pub fn named(name: &str) -> Reference {
    all().into_iter().find(|case| case.name == name).unwrap_or_else(|| {
        panic!("no reference is called {name}; `cfd reference --config FILE` prints one for a case.rs")
    })
}

impl Reference {
    /// Runs it.
    pub fn run(&self, split: &Split) -> Ending {
        match self.run {
            Run::Stated(case, reference) => ending(case, reference, split),
            Run::Own(run) => run(split),
        }
    }

    /// What differs from the stored hashes, if anything does.
    pub fn compare(&self, ending: &Ending, split: &Split) -> Result<(), String> {
        let found = [&ending.solution[..], &ending.history[..]];
        let expected = self.hashes_of(split.options.strategy().class());
        if found == expected {
            return Ok(());
        }
        Err(format!("{}, {split:?}:\n  {found:?}, expected\n  {expected:?}", self.name))
    }

    /// The hashes of the solution and of the history.
    pub fn hashes_of(&self, class: HashClass) -> [&'static str; 2] {
        of(&self.hashes, class)
    }
}

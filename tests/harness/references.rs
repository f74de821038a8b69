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

/// The cases. Tests in `tests/bits` hold the hashes of the sequential class to the reference programs.
pub const ALL: [Reference; 4] = [
    Reference { name: "airfoil", run: |split| cube::CASE.run(split).into(), hashes: cube::HASHES },
    Reference {
        name: "aero",
        run: |split| aero().run(split).into(),
        hashes: [
            [
                "blake3:e214669aef2a9e2bdde0dbd95cc1c6b282c87c5231225256c82bcb147c439e98",
                "blake3:5743cde6cd2f1c58885a0290cb732024c358df94dc17865b1ed4c246daa76d60",
            ],
            [
                "blake3:8cf6ef582a9f3a313f3322e858bed3e1d9d82749721c1dc894b3e1b0c9d879da",
                "blake3:839951a122d7a9914fad7175d02c9232996bc8af08d7d783780421dc94eb810b",
            ],
            [
                "blake3:76a1b4bd1f1a5f195afe31830ac87d834dee4a203e9d7958d04a5bea66767a04",
                "blake3:386da2fea7d3f7e303774dc7e237e4f7b22c54769a87cea86dea815273904280",
            ],
        ],
    },
    Reference {
        name: "mgcfd, proxy",
        run: |split| proxy().run(split).into(),
        hashes: [
            [
                "blake3:66e9bf67ee070aaf3920fdb717cb4b64cbdab3a4f1b444a31bcad54b2b38ca3a",
                "blake3:ad53d4f9638f0d1dc8a8388320aeb3fd0cfcd9b49cef47efac452ac5fb5e8589",
            ],
            [
                "blake3:53f45e9826925cfebe89787e78693bb9f920d4f093f9c03fd0cab6126f08c28e",
                "blake3:b53b94273f1a839955b9fd39147bdcf7a6182aa3e9bd47f56c5ec573b3ffbda8",
            ],
            [
                "blake3:899c00b9d55b19704f56891d1b4146684cef50cc84076d2bad10483347b5a7d8",
                "blake3:b53b94273f1a839955b9fd39147bdcf7a6182aa3e9bd47f56c5ec573b3ffbda8",
            ],
        ],
    },
    Reference {
        name: "mgcfd, euler",
        run: |split| euler().run(split).into(),
        hashes: [
            [
                "blake3:77e09c16b726a9d23a513966d86254e79a3282a00c6249078400aad7ca3519f8",
                "blake3:93250d57d6b979dfcdde4e876a25428a7f4dfd432b433ed9ffb53e0f0d58d087",
            ],
            [
                "blake3:91025361937abc4f78b5b37ecf6f3f0738b76a9567bc0d166fa0f88ee1b5c000",
                "blake3:6a555f1041a20fce369f705a9af877156615b17355d52368adcd71eb6a4e44b6",
            ],
            [
                "blake3:45dee11e0c74edb4d906044af774c35b14cb83a2206bf76aa60f827835152951",
                "blake3:a6e0cf3b416c6cf6c8a8d8d80670b056b0993945e17fe61fe58ddf11fa3755d0",
            ],
        ],
    },
];

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
pub fn named(name: &str) -> &'static Reference {
    ALL.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case is called {name}"))
}

impl Reference {
    /// What differs from the stored hashes, if anything does.
    pub fn compare(&self, ending: &Ending, split: &Split) -> Result<(), String> {
        let found = [&ending.solution[..], &ending.history[..]];
        let expected = self.hashes_of(split.options.strategy.class());
        if found == expected {
            return Ok(());
        }
        Err(format!("{}, {split:?}:\n  {found:?}, expected\n  {expected:?}", self.name))
    }

    /// The hashes of the solution and of the history.
    pub fn hashes_of(&self, class: HashClass) -> [&'static str; 2] {
        self.hashes[match class {
            HashClass::Sequential => 0,
            HashClass::Greedy => 1,
            HashClass::Distributed => 2,
            HashClass::None => panic!("fast strategies promise no bits"),
        }]
    }
}

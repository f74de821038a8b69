//! Heat conduction as a case of the program.

use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::strategy::HashClass;
use cfd_mesh::{BoundaryKind, CELL_EDGES, FAR_FIELD, PERIODIC, WALL};

use super::{Config, Heat};
use crate::case::{Application, Environment, Facts, Generator, Hashes, Limits, Memory, Reference};
use crate::naca0012::{Cells, Naca0012};

/// Corresponds to a wall in a flow.
const HOT: BoundaryKind = BoundaryKind { name: "hot", meaning: "hot boundaries", ..WALL };
/// Corresponds to the far field in a flow.
const COLD: BoundaryKind = BoundaryKind { name: "cold", meaning: "cold boundaries", ..FAR_FIELD };
const TEMPERATURE: BoundaryKind = BoundaryKind {
    name: "temperature",
    flag: 3,
    known: &[],
    meaning: "boundaries with a temperature of their own",
};
const INSULATED: BoundaryKind =
    BoundaryKind { name: "insulated", flag: 4, known: &["insulated"], meaning: "insulated boundaries" };
const CONTINUED: BoundaryKind =
    BoundaryKind { name: PERIODIC, flag: 5, known: &[], meaning: "boundaries that continue at another" };

const REFERENCES: &[Reference] = &[Reference {
    settings: &[
        ("mesh.generate.size", "[20, 30]"),
        ("mesh.generate.decimals", "6"),
        ("heat.iterations", "200"),
    ],
    hashes: &[
        Hashes {
            class: HashClass::Sequential,
            solution: "blake3:cb98ae88d45aebcd4b98e5cc04edce467fbec4979ab17702d720547eef57f370",
            history: "blake3:a88c1b34936eaada0cefddbc99a4945af14c00472d6dbaf20b963a155fc6c5ed",
        },
        Hashes {
            class: HashClass::Greedy,
            solution: "blake3:1cf159498c18da2b019f0cc98666cc7bc68e3414c19293c8fff020e81339cdda",
            history: "blake3:e00bb683c80f7f69505b2c46d68be462db04cfb227e7b6304e7697cdad452638",
        },
        Hashes {
            class: HashClass::Distributed,
            solution: "blake3:8604d43cd3802d4b2f3c982ab6dc6453a9ba7e35b5b74fb8506c923f915f92a7",
            history: "blake3:221dc6064bdfffdde6f4aa6de86e13fecbb3eb04ec12c463ad61a9a98cca9d67",
        },
    ],
}];

impl Application for Heat {
    type Config = Config;
    const FACTS: Facts = Facts {
        boundaries: &[HOT, COLD, TEMPERATURE, INSULATED, CONTINUED],
        generator: Some(Generator::of::<Naca0012<Cells>>()),
        references: REFERENCES,
        needs: &[&CELL_EDGES],
        memory: Memory { element: "cells", mesh: 130, run: 280 },
        ..Facts::NONE
    };

    fn limits(config: &Config) -> Limits {
        Limits { iterations: config.iterations, tolerance: config.tolerance }
    }

    fn conditions(config: &Config) -> String {
        format!("hot boundaries at {}, cold ones at {}", config.hot, config.cold)
    }

    fn new(domain: &mut Domain, config: &Config, environment: &Environment) -> Result<Heat, DomainError> {
        Heat::new(domain, config, &environment.boundaries)
    }
}

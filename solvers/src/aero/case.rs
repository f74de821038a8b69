//! Aero as a case of the program.

use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::strategy::HashClass;
use cfd_mesh::{BILINEAR, FAR_FIELD, WALL};

use super::{Aero, Config};
use crate::case::{Application, Environment, Facts, Generator, Hashes, Limits, Memory, Reference};
use crate::naca0012::{Elements, Naca0012};

const REFERENCES: &[Reference] = &[Reference {
    settings: &[
        ("mesh.generate.size", "[30, 50]"),
        ("mesh.generate.decimals", "6"),
        ("aero.iterations", "4"),
    ],
    hashes: &[
        Hashes {
            class: HashClass::Sequential,
            solution: "blake3:e214669aef2a9e2bdde0dbd95cc1c6b282c87c5231225256c82bcb147c439e98",
            history: "blake3:5743cde6cd2f1c58885a0290cb732024c358df94dc17865b1ed4c246daa76d60",
        },
        Hashes {
            class: HashClass::Greedy,
            solution: "blake3:8cf6ef582a9f3a313f3322e858bed3e1d9d82749721c1dc894b3e1b0c9d879da",
            history: "blake3:839951a122d7a9914fad7175d02c9232996bc8af08d7d783780421dc94eb810b",
        },
        Hashes {
            class: HashClass::Distributed,
            solution: "blake3:76a1b4bd1f1a5f195afe31830ac87d834dee4a203e9d7958d04a5bea66767a04",
            history: "blake3:386da2fea7d3f7e303774dc7e237e4f7b22c54769a87cea86dea815273904280",
        },
    ],
}];

impl Application for Aero {
    type Config = Config;
    const FACTS: Facts = Facts {
        boundaries: &[WALL, FAR_FIELD],
        generator: Some(Generator::of::<Naca0012<Elements>>()),
        references: REFERENCES,
        needs: &[&BILINEAR],
        memory: Memory { element: "cells", mesh: 45, run: 480 },
        ..Facts::NONE
    };

    fn limits(config: &Config) -> Limits {
        Limits { iterations: config.iterations, tolerance: config.tolerance }
    }

    fn conditions(config: &Config) -> String {
        format!("Mach {}", config.mach)
    }

    fn method(config: &Config) -> String {
        let steps = config.cg_iterations;
        format!("linear systems to {} or {steps} CG steps, gamma {}", config.cg_tolerance, config.gamma)
    }

    fn new(domain: &mut Domain, config: &Config, _environment: &Environment) -> Result<Aero, DomainError> {
        Aero::new(domain, config)
    }
}

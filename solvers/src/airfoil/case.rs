//! Airfoil as a case of the program.

use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::strategy::HashClass;
use cfd_mesh::{CELL_EDGES, FAR_FIELD, WALL};

use super::{Airfoil, Config};
use crate::case::{Application, Environment, Facts, Generator, Hashes, Limits, Memory, Reference};
use crate::naca0012::{Cells, Naca0012};

const REFERENCES: &[Reference] = &[
    Reference {
        settings: &[
            ("mesh.generate.size", "[47, 78]"),
            ("mesh.generate.decimals", "6"),
            ("airfoil.iterations", "100"),
        ],
        hashes: &[
            Hashes {
                class: HashClass::Sequential,
                solution: "blake3:55780b9cc1d9fbbf70bb9fa0450c2f53b42c0a1478b542bf8a8fb2db2f29c55b",
                history: "blake3:d6288b598f2107bc031756253da93ad003663d6abc64c67984698cfbc46cd3d6",
            },
            Hashes {
                class: HashClass::Greedy,
                solution: "blake3:863b9d9ddaf1c6ba1ade52a296dbc517e7732eed0ba0c4aa710b5c347b7e94f3",
                history: "blake3:4fc8528f42afb2f9bf45d5f20206f9e2519437b77013431bc6aea6d931711c10",
            },
            Hashes {
                class: HashClass::Distributed,
                solution: "blake3:22966aaaeed919a46b2ec5e3e7ab958a88e897ae2f4d914db6be00f514248a62",
                history: "blake3:a0195cf8fb33e1a974276372d46c3590df743b0d47e701fd08691e1ec50da5ff",
            },
        ],
    },
    Reference {
        settings: &[
            ("mesh.generate.size", "[47, 78]"),
            ("mesh.generate.decimals", "6"),
            ("airfoil.iterations", "100"),
            ("execution.order", "\"hilbert\""),
        ],
        hashes: &[
            Hashes {
                class: HashClass::Sequential,
                solution: "blake3:2fe61c57ca8a97687b8cb06fa3ee5b0207d53eaba42aadbf284e821c2c34257a",
                history: "blake3:b5da6a7f5f0aa98572aa52dd3654423644c51ca0f8773e4be694dd32eb3df961",
            },
            Hashes {
                class: HashClass::Greedy,
                solution: "blake3:5de2dd28a29112d3c1068c2dfd1dc516423ca12bc7f0c6b8d3b01bb9029be3cb",
                history: "blake3:42a13a5c7a2238ea2ccc4189d4090482c8f34a3375c87386736ad8636d9c9f2a",
            },
            // Distributed colors ignore the order, and elements of one color share no target: the same bits as in
            // file order.
            Hashes {
                class: HashClass::Distributed,
                solution: "blake3:22966aaaeed919a46b2ec5e3e7ab958a88e897ae2f4d914db6be00f514248a62",
                history: "blake3:a0195cf8fb33e1a974276372d46c3590df743b0d47e701fd08691e1ec50da5ff",
            },
        ],
    },
];

impl Application for Airfoil {
    type Config = Config;
    const FACTS: Facts = Facts {
        boundaries: &[WALL, FAR_FIELD],
        generator: Some(Generator::of::<Naca0012<Cells>>()),
        references: REFERENCES,
        needs: &[&CELL_EDGES],
        memory: Memory { element: "cells", mesh: 130, run: 480 },
        ..Facts::NONE
    };

    fn limits(config: &Config) -> Limits {
        Limits { iterations: config.iterations, tolerance: config.tolerance }
    }

    fn conditions(config: &Config) -> String {
        format!("Mach {}, angle of attack {} degrees", config.mach, config.alpha)
    }

    fn method(config: &Config) -> String {
        format!("CFL {}, dissipation {}, gamma {}", config.cfl, config.eps, config.gamma)
    }

    fn new(domain: &mut Domain, config: &Config, _environment: &Environment) -> Result<Airfoil, DomainError> {
        Airfoil::new(domain, config)
    }
}

//! MG-CFD as a case of the program.

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::HashClass;
use cfd_mesh::generate::hexahedra;
use cfd_mesh::{BoundaryKind, ClosureDefect, DUAL_LEVELS, FAR_FIELD, MeshError, PERIODIC, closure_defect};

use super::mesh::Levels;
use super::{Config, Mgcfd, Scheme};
use crate::case::{Application, Environment, Facts, Generator, Hashes, Limits, Memory, Reference};

/// The largest defect of a dual cell that rounding can cause, even in single-precision files.
const LARGEST_DEFECT: f64 = 1e-6;

/// The flags are groups of boundary nodes.
const BOUNDARIES: &[BoundaryKind] = &[
    BoundaryKind {
        name: "body",
        flag: hexahedra::BODY,
        known: &["body", "wing", "airfoil", "aerofoil", "cylinder"],
        meaning: "the body, whose forces are reported",
    },
    BoundaryKind {
        name: "symmetry",
        flag: hexahedra::SYMMETRY,
        known: &["symmetry", "sym"],
        meaning: "planes of symmetry",
    },
    BoundaryKind {
        name: "wall",
        flag: hexahedra::WALL,
        known: &["wall", "walls", "lower_wall", "upper_wall", "bump"],
        meaning: "other walls",
    },
    BoundaryKind { flag: hexahedra::FAR_FIELD, ..FAR_FIELD },
    // No boundary node has it.
    BoundaryKind { name: PERIODIC, flag: -1, known: &[], meaning: "boundaries that continue at another" },
];

const REFERENCES: &[Reference] = &[
    Reference {
        settings: &[
            ("mesh.generate.size", "[16, 7, 8]"),
            ("mesh.generate.levels", "3"),
            ("mgcfd.iterations", "3"),
        ],
        hashes: &[
            Hashes {
                class: HashClass::Sequential,
                solution: "blake3:77e09c16b726a9d23a513966d86254e79a3282a00c6249078400aad7ca3519f8",
                history: "blake3:93250d57d6b979dfcdde4e876a25428a7f4dfd432b433ed9ffb53e0f0d58d087",
            },
            Hashes {
                class: HashClass::Greedy,
                solution: "blake3:91025361937abc4f78b5b37ecf6f3f0738b76a9567bc0d166fa0f88ee1b5c000",
                history: "blake3:6a555f1041a20fce369f705a9af877156615b17355d52368adcd71eb6a4e44b6",
            },
            Hashes {
                class: HashClass::Distributed,
                solution: "blake3:45dee11e0c74edb4d906044af774c35b14cb83a2206bf76aa60f827835152951",
                history: "blake3:a6e0cf3b416c6cf6c8a8d8d80670b056b0993945e17fe61fe58ddf11fa3755d0",
            },
        ],
    },
    Reference {
        settings: &[
            ("mesh.generate.size", "[12, 8, 10]"),
            ("mesh.generate.levels", "3"),
            ("mesh.generate.shape", "\"box\""),
            ("mgcfd.scheme", "\"proxy\""),
            ("mgcfd.iterations", "4"),
        ],
        hashes: &[
            Hashes {
                class: HashClass::Sequential,
                solution: "blake3:869b10af5aba346ed687bf7f9d2b09b65bd416ed403b3a575891da1949f66a11",
                history: "blake3:7458bd5cfaf8fa3b3bf087a202af8d255cb811d74b582508e62b33d7ae8920b1",
            },
            Hashes {
                class: HashClass::Greedy,
                solution: "blake3:0ffbd6ac1cdfa592c4c2659e56f6af3a7bf34e31cd58e1010df67ce89145fbd1",
                history: "blake3:7458bd5cfaf8fa3b3bf087a202af8d255cb811d74b582508e62b33d7ae8920b1",
            },
            Hashes {
                class: HashClass::Distributed,
                solution: "blake3:91c865d5a9466276b792827c00fa528a37ced13a3835a0393e4b6e9a15a5e811",
                history: "blake3:7458bd5cfaf8fa3b3bf087a202af8d255cb811d74b582508e62b33d7ae8920b1",
            },
        ],
    },
];

impl Application for Mgcfd {
    type Config = Config;
    const FACTS: Facts = Facts {
        boundaries: BOUNDARIES,
        title: "MG-CFD",
        generator: Some(Generator::of::<Levels>()),
        references: REFERENCES,
        needs: &[&DUAL_LEVELS],
        memory: Memory { element: "nodes", mesh: 700, run: 1200 },
        ..Facts::NONE
    };

    fn limits(config: &Config) -> Limits {
        Limits { iterations: config.iterations, tolerance: config.tolerance }
    }

    fn conditions(config: &Config) -> String {
        format!("Mach {}, angle of attack {} degrees", config.mach(), config.alpha())
    }

    fn method(config: &Config) -> String {
        match config.scheme {
            Scheme::Euler => format!("scheme euler, CFL {}, {} cycles", config.cfl, config.cycle.word()),
            Scheme::Proxy => format!("scheme proxy, smoothing {}", config.smoothing),
        }
    }

    fn levels(config: &Config) -> cfd_mesh::Levels {
        (config.levels as usize).into()
    }

    /// Open dual cells do not preserve the free stream.
    fn check_mesh(comm: &Comm, mesh: &Mesh, config: &Config) -> Result<(), MeshError> {
        if config.scheme != Scheme::Euler {
            return match mesh.set("level0/copies") {
                None => Ok(()),
                Some(_) => Err(MeshError::Unsuitable(
                    "a boundary is periodic, which the proxy does not know; use mgcfd.scheme = \"euler\""
                        .into(),
                )),
            };
        }
        let ClosureDefect { level, node, defect } = closure_defect(comm, mesh);
        if defect <= LARGEST_DEFECT {
            return Ok(());
        }
        Err(MeshError::Unsuitable(format!(
            "the dual cell of node {node} on level {level} is open: its area vectors add up to {defect:.1e} of the \
             largest one, but at most {LARGEST_DEFECT:.0e} is allowed; use another mesh, or mgcfd.scheme = \"proxy\""
        )))
    }

    fn new(domain: &mut Domain, config: &Config, _environment: &Environment) -> Result<Mgcfd, DomainError> {
        Mgcfd::new(domain, config)
    }
}

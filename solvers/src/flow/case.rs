//! Flow as a case of the program.

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::HashClass;
use cfd_mesh::{DUAL, MeshError};

use super::config::{Config, Scheme};
use super::{check, conditions, mesh, plane, space};
use crate::Solver;
use crate::case::{Application, Environment, Facts, Generator, Hashes, Limits, Memory, Reference};

const REFERENCES: &[Reference] = &[Reference {
    settings: &[
        ("mesh.generate.size", "[10, 8]"),
        ("mesh.generate.elements", "\"mixed\""),
        ("mesh.generate.distortion", "0.1"),
        (
            "flow.boundaries",
            "{ x_min = \"supersonic_inlet\", y_max = \"supersonic_inlet\", x_max = \"supersonic_outlet\", y_min = \"slip\" }",
        ),
        ("flow.mach", "2.0"),
        ("flow.alpha", "-10.0"),
        ("flow.cfl", "0.8"),
        ("flow.iterations", "20"),
    ],
    hashes: &[
        Hashes {
            class: HashClass::Sequential,
            solution: "blake3:2ca3fff59931119adc263c6457de75b3dd2dc30104bc2d60ead3f9b69d7bbb89",
            history: "blake3:549f3d563777a8ce6c54109b6992f259bd84ad35670745a8d1f4aa95e3b2968f",
        },
        Hashes {
            class: HashClass::Greedy,
            solution: "blake3:88b82578e1e99378bd98d315c57990d207f47661179a15bb2a282d47e08701e0",
            history: "blake3:9bd492f8e992c1b63dbc323ef43b5a4ad53c1b534b378049ef223796c97596f9",
        },
        Hashes {
            class: HashClass::Distributed,
            solution: "blake3:afb9f2f1ec27547f4c1e6aa32e565011f46c02042aab11e1d840dc3c2700c427",
            history: "blake3:ac573d83bf60a3150ac087a1b4c93b061908729c05330975acbd2dddab2e9b7d",
        },
    ],
}];

impl Application for plane::Flow {
    type Config = Config;
    const FACTS: Facts = Facts {
        boundaries: conditions::KINDS,
        generator: Some(Generator::of::<mesh::Boxes>()),
        references: REFERENCES,
        needs: &[&DUAL],
        memory: Memory { element: "nodes", mesh: 300, run: 600 },
        ..Facts::NONE
    };

    fn limits(config: &Config) -> Limits {
        Limits { iterations: config.iterations, tolerance: config.tolerance }
    }

    fn conditions(config: &Config) -> String {
        let reynolds = config.reynolds.map_or(String::new(), |reynolds| format!(", Reynolds {reynolds}"));
        let Config { equations, mach, alpha, .. } = config;
        let angle = match config.target_lift {
            Some(lift) => format!("lift {lift}, angle of attack {alpha} degrees at first"),
            None => format!("angle of attack {alpha} degrees"),
        };
        format!("{}, Mach {mach}, {angle}{reynolds}", equations.word())
    }

    fn method(config: &Config) -> String {
        let Config { flux, limiter, scheme, time_step, cfl_max, .. } = config;
        let step = match (scheme, time_step) {
            (Scheme::Rk3 | Scheme::Bdf2, Some(dt)) => format!("time step {dt}"),
            (Scheme::Newton, _) => format!("CFL {} to {cfl_max}", config.cfl()),
            _ => format!("CFL {}", config.cfl()),
        };
        format!("flux {}, limiter {}, scheme {}, {step}", flux.word(), limiter.word(), scheme.word())
    }

    fn start_from(config: &Config) -> Option<String> {
        config.start_from.clone()
    }

    /// Refuses a configuration that makes no sense.
    fn check_mesh(_comm: &Comm, mesh: &Mesh, config: &Config) -> Result<(), MeshError> {
        let x = &mesh.dats[mesh.dat("x").expect("a dual mesh has coordinates")];
        check::check(config, x.dim).map_err(MeshError::Unsuitable)
    }

    fn new(
        domain: &mut Domain,
        config: &Config,
        environment: &Environment,
    ) -> Result<plane::Flow, DomainError> {
        plane::Flow::new(domain, config, &environment.boundaries)
    }

    fn solver(
        domain: &mut Domain,
        config: &Config,
        environment: &Environment,
    ) -> Result<Box<dyn Solver>, DomainError> {
        let boundaries = &environment.boundaries;
        Ok(match domain.any_dat("x")?.dim() {
            2 => Box::new(plane::Flow::new(domain, config, boundaries)?),
            _ => Box::new(space::Flow::new(domain, config, boundaries)?),
        })
    }
}

//! Flow as a case of the program.

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_engine::strategy::HashClass;
use cfd_mesh::{DUAL, Levels, MeshError};

use super::adaptive::Adaptive;
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
            solution: "blake3:3350785078f44e65a959942f20788b1ca60ab693767d90b550d16f95c7205736",
            history: "blake3:d80af8984a7a63cc6d9602f9b015229502b088aa42efdc009a7c13d5920a90e1",
        },
        Hashes {
            class: HashClass::Greedy,
            solution: "blake3:04c2b275262a1891675889eb9e27d9a9a5bef7b7a0c8d4eea17d94d99ad0a4b5",
            history: "blake3:b62a9273a649042a46e860a30e4c52a6d11418d99fba291f8aaa86b2f298387b",
        },
        Hashes {
            class: HashClass::Distributed,
            solution: "blake3:288edcfb2bf0a7461244e5631b66586bbcf1f51076dee893bcf3db2db2c67cd7",
            history: "blake3:f4bcf75ec566d1b6231c105a0578a50faa90b780296bd3fbfdd9f3d649b1ed2d",
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
        let Config { flux, limiter, scheme, time_step, cfl_max, coarse_levels, .. } = config;
        let step = match (scheme, time_step) {
            (Scheme::Rk3 | Scheme::Bdf2, Some(dt)) => format!("time step {dt}"),
            (Scheme::Newton, _) => format!("CFL {} to {cfl_max}", config.cfl()),
            _ => format!("CFL {}", config.cfl()),
        };
        let levels = match coarse_levels {
            None if config.most_coarse_levels() > 0 => ", coarse levels where systems need them".into(),
            None | Some(0) => String::new(),
            Some(1) => ", 1 coarse level".into(),
            Some(levels) => format!(", {levels} coarse levels"),
        };
        format!("flux {}, limiter {}, scheme {}, {step}{levels}", flux.word(), limiter.word(), scheme.word())
    }

    /// Implicit schemes have matrices, and vectors of GMRES; matrices on coarse levels count where they are used from the start.
    fn memory(config: &Config) -> Memory {
        let run = match config.coarse_levels {
            _ if !config.scheme.is_implicit() => Self::FACTS.memory.run,
            None | Some(0) => 2000,
            Some(_) => 2100,
        };
        Memory { run, ..Self::FACTS.memory }
    }

    fn levels(config: &Config) -> Levels {
        let have_fluxes = config.scheme == Scheme::Explicit;
        Levels { number: 1 + config.most_coarse_levels() as usize, have_fluxes }
    }

    fn start_from(config: &Config) -> Option<String> {
        config.start_from.clone()
    }

    /// Refuses a configuration that makes no sense.
    fn check_mesh(comm: &Comm, mesh: &Mesh, config: &Config) -> Result<(), MeshError> {
        let x = &mesh.dats[mesh.dat("x").expect("a dual mesh has coordinates")];
        check::check(config, x.dim).map_err(MeshError::Unsuitable)?;
        check::stated_pairs(config, mesh).map_err(MeshError::Unsuitable)?;
        check::stated_turns(comm, config, mesh).map_err(MeshError::Unsuitable)?;
        check::adaptation(config, x.dim, mesh).map_err(MeshError::Unsuitable)
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
            2 if config.adaptation.is_on() => Box::new(Adaptive::new(domain, config, environment)?),
            2 => Box::new(plane::Flow::new(domain, config, boundaries)?),
            _ => Box::new(space::Flow::new(domain, config, boundaries)?),
        })
    }
}

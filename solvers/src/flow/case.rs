//! Flow as a case of the program.

use cfd_engine::comm::Comm;
use cfd_engine::domain::{Domain, DomainError};
use cfd_engine::mesh::Mesh;
use cfd_mesh::{DUAL, MeshError};

use super::config::{Config, Scheme};
use super::{check, conditions, mesh, plane, space};
use crate::Solver;
use crate::case::{Application, Environment, Facts, Generator, Limits, Memory};

impl Application for plane::Flow {
    type Config = Config;
    const FACTS: Facts = Facts {
        boundaries: conditions::KINDS,
        generator: Some(Generator::of::<mesh::Boxes>()),
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
        format!("{}, Mach {mach}, angle of attack {alpha} degrees{reynolds}", equations.word())
    }

    fn method(config: &Config) -> String {
        let Config { flux, limiter, scheme, cfl, time_step, .. } = config;
        let step = match time_step {
            Some(dt) if *scheme == Scheme::Rk3 => format!("time step {dt}"),
            _ => format!("CFL {cfl}"),
        };
        format!("flux {}, limiter {}, scheme {}, {step}", flux.word(), limiter.word(), scheme.word())
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

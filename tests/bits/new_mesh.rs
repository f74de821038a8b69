//! A solver that replaces its mesh in the middle of a run: iterations, output, checkpoints and hashes continue on the
//! new one, on any number of ranks, also after a restart.

use std::path::Path;

use cfd_engine::prelude::*;
use cfd_mesh::CELL_EDGES;
use cfd_mesh::generate::naca0012;
use cfd_partition::{Method, Options, Order, set_up};
use cfd_solvers::case::{Application, Environment, Facts, Limits, Of};
use cfd_solvers::heat::{self, Heat};
use cfd_solvers::{Field, NewMesh, Solver, Step, Stopped, Work};

use crate::harness::case;

/// Iterations on the given mesh.
const BEFORE: u64 = 3;
const FINER: [u64; 2] = [9, 11];

/// Heat conduction that continues on a finer mesh after some iterations.
pub struct Refined {
    heat: Heat,
    config: heat::Config,
    environment: Environment,
    iteration: u64,
    new_mesh: Option<NewMesh>,
}

/// A case without references.
pub static REFINED: Of<Refined> = Of::CASE;

impl Application for Refined {
    type Config = heat::Config;
    const FACTS: Facts = Facts { references: &[], ..Heat::FACTS };

    fn limits(config: &heat::Config) -> Limits {
        Heat::limits(config)
    }

    fn new(
        domain: &mut Domain,
        config: &heat::Config,
        environment: &Environment,
    ) -> Result<Refined, DomainError> {
        let heat: Heat = Application::new(domain, config, environment)?;
        let (config, environment) = (config.clone(), environment.clone());
        Ok(Refined { heat, config, environment, iteration: 0, new_mesh: None })
    }
}

impl Solver for Refined {
    fn step(&mut self, domain: &mut Domain, report: bool) -> Result<Step, Stopped> {
        if self.iteration == BEFORE {
            let comm = domain.comm().clone();
            let mesh = naca0012::cells(&comm, FINER[0], FINER[1], None).expect("a mesh");
            self.new_mesh = Some(NewMesh { sets: mesh.clone(), elements: None });
            let primary = CELL_EDGES.primary(&mesh);
            let options = Options { method: Method::Random, ..Options::default() };
            let finer = set_up(&comm, mesh, &primary, &options, Order::File, DomainOptions::default());
            domain.replace(finer.expect("a sound mesh"));
            self.heat = Application::new(domain, &self.config, &self.environment).expect("a mesh for heat");
            self.heat.resume(self.iteration, &[]);
        }
        self.iteration += 1;
        self.heat.step(domain, report)
    }

    fn new_mesh(&mut self) -> Option<NewMesh> {
        self.new_mesh.take()
    }

    fn check(&mut self, domain: &mut Domain) -> Result<(), Stopped> {
        self.heat.check(domain)
    }

    fn columns(&self) -> Vec<String> {
        self.heat.columns()
    }

    fn fields(&self) -> Vec<Field> {
        self.heat.fields()
    }

    fn resume(&mut self, iteration: u64, numbers: &[f64]) {
        self.iteration = iteration;
        self.heat.resume(iteration, numbers);
    }

    fn work(&self, iterations: u64) -> Work {
        self.heat.work(iterations)
    }
}

/// Runs this many iterations on simulated ranks.
fn run(directory: &Path, ranks: usize, iterations: u64, restart: Option<&Path>) -> serde_json::Value {
    let iterations = iterations.to_string();
    let settings = [
        ("mesh.generate.size", "[6, 7]"),
        ("heat.iterations", &iterations),
        ("output.checkpoint_every", "2"),
        ("output.formats", "[\"h5\", \"vtu\"]"),
    ];
    let mut config = case::config("heat", &settings, directory);
    config.run.case = &REFINED;
    case::run(&config, ranks, restart)
}

#[test]
fn a_run_goes_on_with_the_mesh_that_its_solver_puts_in_place_of_the_first() {
    let folder = tempfile::tempdir().expect("a directory");
    let whole = run(&folder.path().join("whole"), 1, 8, None);
    assert_eq!(whole["mesh"]["cells"], 3 * 6 * 7, "the mesh that was given");
    let finer = naca0012::cells(&Comm::single(), FINER[0], FINER[1], None).expect("a mesh");
    assert_eq!(whole["mesh_hash"], cfd_io::mesh_hash(&Comm::single(), &finer).to_string());
    let solution = cfd_io::SolutionFile::open(&folder.path().join("whole/solution.h5")).expect("a solution");
    assert_eq!(solution.fields()[0].rows, 3 * FINER[0] * FINER[1], "the solution is on the finer mesh");
    let vtu = std::fs::read(folder.path().join("whole/solution.vtu")).expect("a picture");
    let cells = format!("NumberOfCells=\"{}\"", 3 * FINER[0] * FINER[1]);
    assert!(String::from_utf8_lossy(&vtu).contains(&cells));
    let calls = |name: &str| {
        let of = |l: &&serde_json::Value| l["name"] == name;
        whole["loops"].as_array().expect("loops").iter().find(of).expect("a loop")["calls"].clone()
    };
    assert_eq!(calls("jacobi"), 8, "the timers go on");
    for ranks in [1, 3] {
        let other = run(&folder.path().join(format!("on-{ranks}")), ranks, 8, None);
        // The first part ends on the finer mesh; the second one begins there, on other ranks.
        let part = folder.path().join(format!("part-{ranks}"));
        run(&part, ranks, 5, None);
        let rest = run(&folder.path().join(format!("rest-{ranks}")), 4 - ranks, 8, Some(&part));
        for summary in [other, rest] {
            for key in ["hash", "history_hash", "mesh_hash"] {
                assert_eq!(summary[key], whole[key], "{key} on {ranks} ranks");
            }
        }
    }
}

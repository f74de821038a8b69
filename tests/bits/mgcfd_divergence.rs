//! An unphysical state ends an MG-CFD run, with the same message on any number of ranks: level, node, place, cycle.

use cfd_engine::prelude::*;
use cfd_mesh::generate::hexahedra::{Cuboid, cuboid};
use cfd_solvers::mgcfd::{Config, Mgcfd, Scheme};
use cfd_solvers::{Solver, Stopped};

use crate::harness::{Split, domain_by};

const SPLITS: [(usize, &str); 3] = [(1, "block"), (3, "metis"), (8, "random")];
const SIZE: [u64; 3] = [8, 6, 4];
const LEVELS: usize = 2;

/// The end of a run that starts from the free stream except at one node of a level.
fn ends(
    config: &Config,
    level: usize,
    node: u64,
    q: [f64; 5],
    (ranks, method): (usize, &'static str),
) -> Stopped {
    let split = Split::new(ranks, method);
    let mut results = Comm::simulate(ranks, |comm| {
        let mesh = cuboid(&comm, SIZE, LEVELS, &Cuboid::default()).expect("a mesh");
        let primary = cfd_mesh::DUAL_LEVELS.primary(&mesh);
        let mut domain = domain_by(&comm, mesh, &split, &primary);
        let mut solver = Mgcfd::new(&mut domain, config).expect("a mesh for MG-CFD");
        solver.step(&mut domain, false).expect("the free stream");
        let variables = solver.variables()[level];
        let mut values = domain.read(variables).unwrap();
        for (row, &id) in domain.global_ids(variables.set()).iter().enumerate() {
            if id == node {
                values[5 * row..5 * row + 5].copy_from_slice(&q);
            }
        }
        domain.write(variables, &values);
        assert!(solver.check(&mut domain).is_err(), "the state is not sound before the step, either");
        solver.step(&mut domain, true).expect_err("nothing continues from here")
    });
    let messages: Vec<String> = results.iter().map(|stopped| stopped.to_string()).collect();
    assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
    results.swap_remove(0)
}

/// Coordinates of a node of the finest level.
fn place(node: u64) -> [f64; 3] {
    let (columns, rows) = (SIZE[0] + 1, SIZE[1] + 1);
    let at = [node % columns, node / columns % rows, node / (columns * rows)];
    std::array::from_fn(|d| at[d] as f64 / SIZE[d] as f64)
}

#[test]
fn the_published_scheme_names_the_node_whose_state_makes_no_sense() {
    let config = Config { scheme: Scheme::Proxy, ..Config::default() };
    for q in [[-1.0, 0.0, 0.0, 0.0, 2.5], [1.4, 3.0, 0.0, 0.0, 1.0], [1.4, f64::NAN, 0.0, 0.0, 2.5]] {
        for split in SPLITS {
            let Stopped::Diverged { quantity, set, element, position, iteration, .. } =
                ends(&config, 0, 100, q, split)
            else {
                panic!("a state that makes no sense")
            };
            assert_eq!((set.as_str(), element, iteration), ("level0/nodes", 100, 2));
            assert_eq!(position, place(100));
            assert_eq!(quantity, if q[0] < 0.0 { "density" } else { "pressure" });
        }
    }
}

#[test]
fn the_euler_scheme_names_a_node_next_to_it_in_the_loop_that_makes_it() {
    let bad = [1.4, f64::NAN, 0.0, 0.0, 2.5];
    let message = |split| ends(&Config::default(), 0, 100, bad, split).to_string();
    for split in SPLITS {
        let stopped = ends(&Config::default(), 0, 100, bad, split);
        let Stopped::Diverged { set, element, position, iteration, .. } = stopped else {
            panic!("a state that makes no sense")
        };
        assert_eq!((set.as_str(), iteration), ("level0/nodes", 2));
        assert_eq!(position, place(element));
        // One stage carries it over two edges: through the gradients and the fluxes.
        let steps = (0..3).map(|d| (SIZE[d] as f64 * (position[d] - place(100)[d])).abs()).sum::<f64>();
        assert!(steps < 2.5, "node {element} is {steps} edges away");
        assert_eq!(message(split), message(SPLITS[0]), "the same on any number of ranks");
    }
}

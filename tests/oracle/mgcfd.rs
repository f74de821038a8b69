//! MG-CFD by the sequential reference.

use cfd_engine::mesh::{Mesh, Values};
use cfd_reference::mgcfd::{Level, Mgcfd, Options, State};
use cfd_reference::sum::Sum;
use cfd_solvers::mgcfd::{Config, Up};

/// The published scheme on a mesh that one rank holds: the residual of every cycle, with sums of the kind `S`, and
/// every level's variables.
pub fn run<S: Sum>(mesh: &Mesh, config: &Config, cycles: usize) -> (Vec<f64>, Vec<Vec<State>>) {
    let mut mgcfd = program(levels(mesh), config);
    let history = (0..cycles).map(|_| mgcfd.cycle::<S>()).collect();
    let variables = (0..mgcfd.levels()).map(|level| mgcfd.variables(level).to_vec()).collect();
    (history, variables)
}

/// The reference with the keys of a configuration.
pub fn program(levels: Vec<Level>, config: &Config) -> Mgcfd {
    let options = Options {
        gamma: config.gamma,
        mach: config.mach(),
        alpha: config.alpha(),
        up: match config.up {
            Up::Y => 1,
            Up::Z => 2,
        },
        smoothing: f64::from(config.smoothing as f32),
    };
    Mgcfd::new(levels, options).expect("a generated mesh is sound")
}

/// The reference's form of a mesh that one rank holds.
pub fn levels(mesh: &Mesh) -> Vec<Level> {
    let count = (0..).take_while(|level| mesh.set(&format!("level{level}/nodes")).is_some()).count();
    (0..count).map(|number| level(mesh, number)).collect()
}

fn level(mesh: &Mesh, number: usize) -> Level {
    let name = |what: &str| format!("level{number}/{what}");
    let dat = |what: &str| &mesh.dats[mesh.dat(&name(what)).expect("every level has the dat")].values;
    let vectors = |what: &str| {
        let Values::F64(values) = dat(what) else { panic!("vectors are double precision") };
        values.as_chunks::<3>().0.to_vec()
    };
    let Values::I32(group) = dat("bnode_group") else { panic!("groups are integers") };
    let one = |[target]: [u32; 1]| target;
    Level {
        x: vectors("x"),
        edge_nodes: super::map(mesh, &name("edge_nodes")),
        edge_weights: vectors("edge_weights"),
        bnode_node: super::map(mesh, &name("bnode_node")).into_iter().map(one).collect(),
        bnode_weights: vectors("bnode_weights"),
        bnode_group: group.clone(),
        node_mg_node: match mesh.map(&name("node_mg_node")) {
            Some(_) => super::map(mesh, &name("node_mg_node")).into_iter().map(one).collect(),
            None => Vec::new(),
        },
    }
}

//! MG-CFD on simulated ranks, and its results.

use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;
use cfd_io::{Digest, field_hash, solution_hash};
use cfd_mesh::generate::hexahedra::{BODY, Cuboid, FAR_FIELD, SYMMETRY, Shape, Spec, WALL, cuboid, generate};
use cfd_solvers::Solver;
use cfd_solvers::mgcfd::{Config, Mgcfd};

use super::flow::bits;
use super::{Split, domain_by, in_global_order};

/// A mesh of several levels.
#[derive(Clone, Copy, Debug)]
pub enum Grid {
    /// A generated one.
    Plain(Spec),
    /// Distorted unit hexahedra between two walls and a body, all area vectors multiplied by a number.
    ///
    /// The published scheme multiplies area vectors by 1e-7, so its steps hardly move the state, and rounding, let
    /// alone an order of additions, shows in few bits. A step moves the state by an amount that grows with the cube
    /// root of the area vectors' scale.
    Scaled(Spec, f64),
}

impl Grid {
    /// This rank's block of the mesh.
    pub fn mesh(&self, comm: &Comm) -> Mesh {
        match *self {
            Grid::Plain(spec) => generate(comm, &spec).expect("a mesh"),
            Grid::Scaled(Spec { size, levels, .. }, factor) => {
                let groups = [FAR_FIELD, FAR_FIELD, SYMMETRY, FAR_FIELD + 2, BODY, WALL];
                let lengths = size.map(|hexahedra| hexahedra as f64);
                let shape = Cuboid { lengths, distortion: 0.2, groups };
                let mut mesh = cuboid(comm, size, levels, &shape).expect("a mesh");
                for dat in mesh.dats.iter_mut().filter(|dat| dat.name.ends_with("_weights")) {
                    let Values::F64(values) = &mut dat.values else { panic!("area vectors are numbers") };
                    values.iter_mut().for_each(|value| *value *= factor);
                }
                mesh
            }
        }
    }
}

/// A wing in a small grid.
pub fn wing(levels: usize) -> Grid {
    Grid::Plain(Spec { shape: Shape::Wing, size: [16, 7, 8], levels })
}

/// A mesh, a number of cycles, the keys of `[mgcfd]`.
#[derive(Clone, Debug)]
pub struct Case {
    pub grid: Grid,
    pub cycles: usize,
    pub config: Config,
}

/// A run's results: the residual of every cycle, and every level's variables in global order.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub history: Vec<f64>,
    pub variables: Vec<Vec<[f64; 5]>>,
}

impl Case {
    /// Runs MG-CFD on simulated ranks.
    pub fn run(&self, split: &Split) -> Outcome {
        let runs = Comm::simulate(split.ranks, |comm| {
            let mesh = self.grid.mesh(&comm);
            let primary = cfd_mesh::DUAL_LEVELS.primary(&mesh);
            let mut domain = domain_by(&comm, mesh, split, &primary);
            let mut solver = Mgcfd::new(&mut domain, &self.config).expect("a mesh for MG-CFD");
            let step = |_| solver.step(&mut domain, false).expect("a flow that stays sound").residual;
            let history: Vec<f64> = (0..self.cycles).map(step).collect();
            let part = |q: Dat<5>| (domain.global_ids(q.set()).to_vec(), domain.read(q).unwrap());
            let parts: Vec<_> = solver.variables().into_iter().map(part).collect();
            (history, parts)
        });
        let (histories, mut parts): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        assert!(
            histories.iter().all(|history| bits(history) == bits(&histories[0])),
            "{split:?}: all ranks know one history"
        );
        // As many levels as the run has used.
        let levels = parts[0].len();
        let level = |_| in_global_order(parts.iter_mut().map(|levels| levels.remove(0)).collect());
        let variables = (0..levels).map(level).collect();
        Outcome { history: histories[0].clone(), variables }
    }
}

impl Outcome {
    /// The hash of the solution, as the program prints it.
    pub fn hash(&self) -> String {
        let field = |(number, level): (usize, &Vec<[f64; 5]>)| {
            let (name, rows) = (format!("level{number}/variables"), level.len() as u64);
            field_hash(&Comm::single(), &name, 5, rows, level.as_flattened()).expect("finite values")
        };
        let fields: Vec<Digest> = self.variables.iter().enumerate().map(field).collect();
        solution_hash(&fields).to_string()
    }

    /// Whether all residuals and all levels' variables have the same bits.
    pub fn has_bits_of(&self, other: &Outcome) -> bool {
        bits(&self.history) == bits(&other.history) && self.differing_levels(other).is_empty()
    }

    /// The levels on which some variable has other bits.
    pub fn differing_levels(&self, other: &Outcome) -> Vec<usize> {
        assert_eq!(self.variables.len(), other.variables.len());
        let same = |&level: &usize| {
            let [a, b] = [self, other].map(|outcome| outcome.variables[level].as_flattened());
            bits(a) == bits(b)
        };
        (0..self.variables.len()).filter(|level| !same(level)).collect()
    }
}

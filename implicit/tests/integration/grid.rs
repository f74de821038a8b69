//! A stretched grid of nodes, and a system of two unknowns on it.

use std::rc::Rc;

use cfd_device::{DeviceOptions, Emulated, Placement};
use cfd_engine::Stored;
use cfd_engine::mesh::Blocks;
use cfd_engine::operand::Operand;
use cfd_engine::prelude::*;
use cfd_implicit::lines::LineSet;
use cfd_implicit::matrix::BlockMatrix;
use cfd_implicit::{BlockLoops, Loops};
use cfd_mesh::derive::lines::{add_lines, names};
use cfd_partition::{Options, Order, Primary, set_up};

/// Nodes along x and y.
pub const SIZE: [u64; 2] = [13, 17];

/// How a test divides and runs the system.
#[derive(Clone, Debug)]
pub struct Way {
    pub ranks: usize,
    pub method: &'static str,
    pub threads: usize,
    pub device: bool,
    pub lanes: Option<usize>,
    /// Nodes and edges are numbered in another order.
    pub shuffle: u64,
    /// Cells next to the wall are this many times thinner than long.
    pub stretching: f64,
}

impl Way {
    pub fn new(ranks: usize, method: &'static str) -> Way {
        Way { ranks, method, threads: 1, device: false, lanes: None, shuffle: 1, stretching: 1e4 }
    }

    pub fn domain(&self) -> DomainOptions {
        let mut run = DomainOptions { threads: self.threads, ..DomainOptions::default() };
        if let Some(lanes) = self.lanes {
            run.lanes = cfd_engine::lane::Width::new(lanes).unwrap();
        }
        run
    }

    pub fn use_device(&self, comm: &Comm, domain: &mut Domain) {
        if self.device {
            let texts = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
            let device = Rc::new(Emulated::new(texts, comm.rank() as u64 + 1));
            let options =
                DeviceOptions { threads: Some(64), placement: Placement::ByUse, ..DeviceOptions::default() };
            cfd_device::use_device(domain, device, options).unwrap();
        }
    }
}

/// The system on one rank.
pub struct System<T = f64> {
    pub domain: Domain,
    pub matrix: BlockMatrix<2, 4, T>,
    pub ends: Map<2>,
    pub along: [Map<1>; 3],
    pub b: Dat<2>,
    pub x: Dat<2>,
}

/// Diffusion of two coupled quantities, and advection of the first: the blocks of an edge from its coupling and drift.
#[kernel]
fn assemble(coupling: Read<1>, drift: Read<1>, upper: Write<4>, lower: Write<4>, diagonal: [Inc<4>; 2]) {
    let w = coupling[0];
    let d = drift[0];
    upper[0] = -w + d;
    upper[1] = 0.1 * w;
    upper[2] = 0.05 * w;
    upper[3] = -0.5 * w;
    lower[0] = -w - d;
    lower[1] = 0.1 * w;
    lower[2] = 0.05 * w;
    lower[3] = -0.5 * w;
    for m in 0..2 {
        diagonal[m][0] += w;
        diagonal[m][1] -= 0.1 * w;
        diagonal[m][2] -= 0.05 * w;
        diagonal[m][3] += 0.5 * w;
    }
}

/// Reaction, which keeps the system regular.
#[kernel]
fn react(volume: Read<1>, diagonal: Inc<4>) {
    diagonal[0] += volume[0];
    diagonal[1] += 0.3 * volume[0];
    diagonal[2] -= 0.2 * volume[0];
    diagonal[3] += 2.0 * volume[0];
}

/// All nodes' rows in a scrambled order.
fn scrambled(rows: u64, step: u64) -> impl Fn(u64) -> u64 {
    assert!(
        (1..rows).all(|k| k == 1 || !rows.is_multiple_of(k) || !step.is_multiple_of(k)),
        "no factor in common"
    );
    move |row| row * step % rows
}

/// y of the rows of nodes: geometric from the wall.
fn heights(stretching: f64) -> Vec<f64> {
    let cells = (SIZE[1] - 1) as f64;
    let ratio = stretching.powf(1.0 / (cells - 1.0));
    let first = (ratio - 1.0) / (ratio.powf(cells) - 1.0);
    (0..SIZE[1]).map(|j| first * (ratio.powf(j as f64) - 1.0) / (ratio - 1.0)).collect()
}

pub fn system(comm: &Comm, way: &Way) -> System {
    system_of(comm, way)
}

/// The same with blocks of edges of any type.
pub fn system_of<T: Stored>(comm: &Comm, way: &Way) -> System<T>
where
    Loops: BlockLoops<2, 4, T>,
    Dat<4, T>: Operand<Write<4>>,
{
    let [n, m] = SIZE;
    let row = scrambled(n * m, way.shuffle);
    let (y, dx) = (heights(way.stretching), 1.0 / (n - 1) as f64);
    let node = |i: u64, j: u64| row(i * m + j);
    let width = |j: u64| {
        let at = |j: u64| y[j as usize];
        0.5 * (at((j + 1).min(m - 1)) - at(j.saturating_sub(1)))
    };
    let (mut edges, mut couplings, mut drifts) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        for j in 0..m {
            if i + 1 < n {
                edges.push([node(i, j), node(i + 1, j)]);
                couplings.push(width(j) / dx);
                drifts.push(0.5 * width(j));
            }
            if j + 1 < m {
                edges.push([node(i, j), node(i, j + 1)]);
                couplings.push(dx / (y[j as usize + 1] - y[j as usize]));
                drifts.push(0.0);
            }
        }
    }
    let count = edges.len() as u64;
    let order: Vec<usize> = (0..count).map(|k| (k * 11 % count) as usize).collect();
    assert!(!count.is_multiple_of(11));
    let mut coordinates = vec![[0.0; 2]; (n * m) as usize];
    let mut volumes = vec![0.0; (n * m) as usize];
    let mut right = vec![[0.0; 2]; (n * m) as usize];
    for i in 0..n {
        for j in 0..m {
            let at = node(i, j) as usize;
            coordinates[at] = [i as f64 * dx, y[j as usize]];
            volumes[at] = dx * width(j);
            right[at] = [dx * width(j) * (1.0 + i as f64), ((i * 5 + j * 3) % 7) as f64 * dx * width(j)];
        }
    }
    let own = |rows: u64| {
        let range = Blocks::new(rows, comm.size()).range(comm.rank());
        range.start as usize..range.end as usize
    };
    let mut mesh = Mesh::default();
    let nodes = mesh.add_set("nodes", n * m);
    let edge_set = mesh.add_set("edges", count);
    let here = own(count);
    let of_edges = |all: &[f64]| order[here.clone()].iter().map(|&k| all[k]).collect::<Vec<f64>>();
    let ends: Vec<u64> = order[here.clone()].iter().flat_map(|&k| edges[k]).collect();
    mesh.add_map("edge_nodes", edge_set, nodes, 2, ends);
    let x = coordinates[own(n * m)].as_flattened().to_vec();
    mesh.add_dat("x", nodes, 2, Values::F64(x));
    mesh.add_dat("volume", nodes, 1, Values::F64(volumes[own(n * m)].to_vec()));
    mesh.add_dat("b", nodes, 2, Values::F64(right[own(n * m)].as_flattened().to_vec()));
    mesh.add_dat("coupling", edge_set, 1, Values::F64(of_edges(&couplings)));
    mesh.add_dat("drift", edge_set, 1, Values::F64(of_edges(&drifts)));
    add_lines(comm, &mut mesh, "edge_nodes", "x", &of_edges(&couplings));

    let primary = Primary {
        set: names::LINES.into(),
        graph: vec![names::EDGE_LINES.into()],
        nodes: None,
        coordinates: names::MIDDLE.into(),
        members: Some(names::NODE_LINE.into()),
        coarser: Vec::new(),
    };
    let options = Options { method: way.method.parse().unwrap(), ..Options::default() };
    let mut domain = set_up(comm, mesh, &primary, &options, Order::File, way.domain()).unwrap();
    way.use_device(comm, &mut domain);
    let ends: Map<2> = domain.map("edge_nodes").unwrap();
    let matrix = BlockMatrix::new(&mut domain, ends, "matrix");
    matrix.clear(&mut domain);
    let (coupling, drift): (Dat<1>, Dat<1>) = (domain.dat("coupling").unwrap(), domain.dat("drift").unwrap());
    let volume: Dat<1> = domain.dat("volume").unwrap();
    let operands = (coupling, drift, matrix.edges.upper, matrix.edges.lower, matrix.diagonal.all(ends));
    domain.par_loop(assemble, ends.from(), operands, &());
    domain.par_loop(react, ends.to(), (volume, matrix.diagonal), &());
    let along = [names::BEFORE, names::AFTER, names::NODE_LINE].map(|name| domain.map(name).unwrap());
    let b = domain.dat("b").unwrap();
    let x = domain.new_dat(ends.to(), "solution");
    System { domain, matrix, ends, along, b, x }
}

impl<T> System<T> {
    pub fn lines(&mut self, colors: usize) -> LineSet {
        LineSet::new(&mut self.domain, self.along, self.ends, colors).unwrap()
    }

    /// The solution at all nodes, by the place of the node in the grid.
    pub fn solution(&mut self, comm: &Comm, way: &Way) -> Vec<[f64; 2]> {
        let x: AnyDat = self.x.into();
        let Values::F64(block) = x.read_block(&mut self.domain).unwrap() else { panic!("of f64") };
        let all = comm.all_gather(&block).concat();
        let row = scrambled(SIZE[0] * SIZE[1], way.shuffle);
        (0..SIZE[0] * SIZE[1]).map(|k| all.as_chunks::<2>().0[row(k) as usize]).collect()
    }
}

/// The whole matrix, by columns of its action on unit vectors, and the solution by elimination.
pub fn by_elimination(system: &mut System) -> Vec<[f64; 2]> {
    let count = (2 * SIZE[0] * SIZE[1]) as usize;
    let (x, y): (Dat<2>, Dat<2>) =
        (system.domain.new_dat(system.ends.to(), "unit"), system.domain.new_dat(system.ends.to(), "column"));
    let mut a = nalgebra::DMatrix::zeros(count, count);
    for j in 0..count {
        let mut unit = vec![0.0; count];
        unit[j] = 1.0;
        system.domain.write(x, &unit);
        system.matrix.record(&mut system.domain, x, y);
        a.set_column(j, &nalgebra::DVector::from_vec(system.domain.read(y).unwrap()));
    }
    let b = nalgebra::DVector::from_vec(system.domain.read(system.b).unwrap());
    let solution = a.lu().solve(&b).expect("a regular system");
    solution.as_slice().as_chunks::<2>().0.to_vec()
}

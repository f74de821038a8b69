//! Diffusion on the dual of stretched quadrilaterals and prisms, and on squares.

use cfd_engine::prelude::*;
use cfd_implicit::loops::Agglomerates;
use cfd_implicit::matrix::BlockMatrix;
use cfd_mesh::derive::coarse::{Names, add_levels};
use cfd_mesh::{Boundaries, BoundaryKind, DUAL, ElementKind, ElementMeshBuilder, Given, Prepared};
use cfd_partition::{Order, set_up};

use crate::grid::Way;

const WALLS: [BoundaryKind; 1] =
    [BoundaryKind { name: "wall", flag: 1, known: &["all"], meaning: "all around" }];

/// A box above a plate.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    /// Along x, away from the plate, and, of prisms, across.
    pub cells: [u64; 3],
    /// The thickest cells over the thinnest.
    pub stretching: f64,
    /// The steps from a node's number to the next node's.
    pub shuffle: u64,
}

pub const QUADRILATERALS: Cells = Cells { cells: [20, 24, 0], stretching: 1e4, shuffle: 1 };
pub const PRISMS: Cells = Cells { cells: [9, 14, 3], stretching: 1e4, shuffle: 1 };
/// Squares, so many along each side.
pub const fn squares(n: u64) -> Cells {
    Cells { cells: [n, n, 0], stretching: 1.0, shuffle: 1 }
}

impl Cells {
    fn nodes(&self) -> u64 {
        self.cells.iter().map(|n| n + 1).product()
    }

    /// The places of all nodes.
    pub fn places(&self) -> impl Iterator<Item = [u64; 3]> {
        let [n, m, depth] = self.cells;
        (0..=n).flat_map(move |i| (0..=m).flat_map(move |j| (0..=depth).map(move |k| [i, j, k])))
    }

    /// The number of the node at a place.
    pub fn number(&self, [i, j, k]: [u64; 3]) -> u64 {
        ((i * (self.cells[2] + 1) + k) * (self.cells[1] + 1) + j) * self.shuffle % self.nodes()
    }

    fn heights(&self) -> Vec<f64> {
        let n = self.cells[1];
        let ratio = self.stretching.powf(1.0 / (n - 1) as f64);
        let mut y = vec![0.0];
        (0..n).for_each(|j| y.push(y[j as usize] + ratio.powf(j as f64)));
        y.iter().map(|height| height / y[n as usize]).collect()
    }

    fn build(&self, comm: &Comm) -> Given {
        let (n, is_plane) = (self.cells[0], self.cells[2] == 0);
        let mut builder = ElementMeshBuilder::new(if is_plane { 2 } else { 3 });
        if comm.is_root() {
            let y = self.heights();
            let mut x = vec![[0.0; 3]; self.nodes() as usize];
            for place @ [i, j, k] in self.places() {
                x[self.number(place) as usize] = [i as f64 / n as f64, y[j as usize], k as f64 / n as f64];
            }
            builder.add_nodes(
                x.iter().flat_map(|x| if is_plane { x[..2].to_vec() } else { vec![x[0], x[2], x[1]] }),
            );
            if is_plane {
                self.add_plane(&mut builder)
            } else {
                self.add_space(&mut builder)
            }
            builder.name_group(if is_plane { 1 } else { 2 }, 1, "all");
        }
        Given::Elements(builder.build(comm).unwrap())
    }

    fn add_plane(&self, builder: &mut ElementMeshBuilder) {
        let ([n, m, _], node) = (self.cells, |i, j| self.number([i, j, 0]));
        for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
            let corners = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
            builder.add_elements(ElementKind::Quadrilateral, 0, corners);
        }
        for i in 0..n {
            builder.add_elements(
                ElementKind::Line,
                1,
                [node(i, 0), node(i + 1, 0), node(i, m), node(i + 1, m)],
            );
        }
        for j in 0..m {
            builder.add_elements(
                ElementKind::Line,
                1,
                [node(0, j), node(0, j + 1), node(n, j), node(n, j + 1)],
            );
        }
    }

    fn add_space(&self, builder: &mut ElementMeshBuilder) {
        let ([n, m, depth], node) = (self.cells, |[i, k]: [u64; 2], j| self.number([i, j, k]));
        for (i, k) in (0..n).flat_map(|i| (0..depth).map(move |k| (i, k))) {
            let corners = [[i, k], [i + 1, k], [i + 1, k + 1], [i, k + 1]];
            for places in [[0, 1, 2], [0, 2, 3]] {
                let base = |j: u64| places.map(|at: usize| node(corners[at], j));
                for j in 0..m {
                    builder.add_elements(ElementKind::Prism, 0, base(j).into_iter().chain(base(j + 1)));
                }
                builder.add_elements(ElementKind::Triangle, 1, base(0).into_iter().chain(base(m)));
            }
        }
        let mut side = |a: [u64; 2], b: [u64; 2]| {
            for j in 0..m {
                let corners = [node(a, j), node(b, j), node(b, j + 1), node(a, j + 1)];
                builder.add_elements(ElementKind::Quadrilateral, 1, corners);
            }
        };
        for i in 0..n {
            side([i, 0], [i + 1, 0]);
            side([i, depth], [i + 1, depth]);
        }
        for k in 0..depth {
            side([0, k], [0, k + 1]);
            side([n, k], [n, k + 1]);
        }
    }
}

/// Diffusion through an edge.
#[kernel(couple_2d<2>, couple_3d<3>)]
fn couple<const DIM: usize>(
    x: [Read<DIM>; 2],
    area: Read<DIM>,
    upper: Write<1>,
    lower: Write<1>,
    diagonal: [Inc<1>; 2],
) {
    let mut length = 0.0;
    let mut size = 0.0;
    for i in 0..DIM {
        let d = x[1][i] - x[0][i];
        length += d * d;
        size += area[i] * area[i];
    }
    let coupling = (size / length).sqrt();
    upper[0] = -coupling;
    lower[0] = -coupling;
    diagonal[0][0] += coupling;
    diagonal[1][0] += coupling;
}

/// A reaction that is in balance with a source: b is 1 beside the origin, less farther away.
#[kernel(react_2d<2>, react_3d<3>)]
fn react<const DIM: usize>(x: Read<DIM>, volume: Read<1>, diagonal: Inc<1>, b: Write<1>) {
    let mut r2 = 0.0;
    for i in 0..DIM {
        r2 += x[i] * x[i];
    }
    diagonal[0] += volume[0];
    b[0] = volume[0] / (0.01 + r2);
}

/// The system on one rank.
pub struct Diffusion {
    pub domain: Domain,
    pub matrix: BlockMatrix<1, 1>,
    pub b: Dat<1>,
    pub t: Dat<1>,
    pub levels: Vec<Agglomerates>,
}

/// The system on this rank, with at most three coarse levels.
pub fn diffusion(comm: &Comm, cells: &Cells, way: &Way) -> Diffusion {
    let given = cells.build(comm);
    let Prepared { mut mesh, boundaries, .. } =
        given.prepare(comm, &[&DUAL], &Boundaries::new(&WALLS), 1).unwrap();
    let levels = add_levels(comm, &mut mesh, &boundaries, 4.into());
    let partition = cfd_partition::Options { method: way.method.parse().unwrap(), ..Default::default() };
    let primary = DUAL.primary(&mesh);
    let mut domain = set_up(comm, mesh, &primary, &partition, Order::File, way.domain()).unwrap();
    way.use_device(comm, &mut domain);
    let ends: Map<2> = domain.map("edge_nodes").unwrap();
    let matrix: BlockMatrix<1, 1> = BlockMatrix::new(&mut domain, ends, "matrix");
    let [b, t] = ["b", "t"].map(|name| domain.new_dat::<1, f64>(ends.to(), name));
    assemble(&mut domain, cells, &matrix, b);
    let levels = (1..=levels).map(|level| agglomerates(&domain, &Names::of(level))).collect();
    Diffusion { domain, matrix, b, t, levels }
}

fn agglomerates(domain: &Domain, names: &Names) -> Agglomerates {
    Agglomerates {
        nodes: domain.map(&names.of_nodes).unwrap(),
        edges: domain.map(&names.of_edges).unwrap(),
        firsts: domain.map(&names.of_firsts).unwrap(),
        direction: domain.dat(&names.direction).unwrap(),
        ends: domain.map(&names.ends).unwrap(),
    }
}

fn assemble(domain: &mut Domain, cells: &Cells, matrix: &BlockMatrix<1, 1>, b: Dat<1>) {
    let (edges, diagonal) = (&matrix.edges, matrix.diagonal);
    let ends = edges.ends;
    let volume: Dat<1> = domain.dat("volume").unwrap();
    if cells.cells[2] == 0 {
        let (x, area): (Dat<2>, Dat<2>) = (domain.dat("x").unwrap(), domain.dat("edge_area").unwrap());
        let operands = (x.all(ends), area, edges.upper, edges.lower, diagonal.all(ends));
        domain.par_loop(couple_2d, ends.from(), operands, &());
        domain.par_loop(react_2d, ends.to(), (x, volume, diagonal, b), &());
    } else {
        let (x, area): (Dat<3>, Dat<3>) = (domain.dat("x").unwrap(), domain.dat("edge_area").unwrap());
        let operands = (x.all(ends), area, edges.upper, edges.lower, diagonal.all(ends));
        domain.par_loop(couple_3d, ends.from(), operands, &());
        domain.par_loop(react_3d, ends.to(), (x, volume, diagonal, b), &());
    }
}

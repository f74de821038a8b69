//! Diffusion on the dual of stretched quadrilaterals and prisms, and on squares.

use std::rc::Rc;

use cfd_device::{DeviceOptions, Emulated, Placement};
use cfd_engine::prelude::*;
use cfd_implicit::Preconditioner;
use cfd_implicit::gmres::{Gmres, Options, Solved};
use cfd_implicit::lines::{LinePreconditioner, LineSet, Relaxation};
use cfd_implicit::loops::Agglomerates;
use cfd_implicit::matrix::BlockMatrix;
use cfd_implicit::multigrid::{self, Multigrid};
use cfd_implicit::points::BlockJacobi;
use cfd_mesh::derive::coarse::{Names, add_levels};
use cfd_mesh::derive::lines::names;
use cfd_mesh::{Boundaries, BoundaryKind, DUAL, ElementKind, ElementMeshBuilder, Given};
use cfd_partition::{Order, set_up};

use crate::grid::Way;

const OPTIONS: Options = Options { tolerance: 1e-10, iterations: 1000, restart: 60, flexible: false };
const WALLS: [BoundaryKind; 1] =
    [BoundaryKind { name: "wall", flag: 1, known: &["all"], meaning: "all around" }];

/// A box above a plate.
#[derive(Clone, Copy, Debug)]
struct Cells {
    /// Along x, away from the plate, and, of prisms, across.
    cells: [u64; 3],
    /// The thickest cells over the thinnest.
    stretching: f64,
    /// The steps from a node's number to the next node's.
    shuffle: u64,
}

const QUADRILATERALS: Cells = Cells { cells: [20, 24, 0], stretching: 1e4, shuffle: 1 };
const PRISMS: Cells = Cells { cells: [9, 14, 3], stretching: 1e4, shuffle: 1 };
/// Squares, so many along each side.
const fn squares(n: u64) -> Cells {
    Cells { cells: [n, n, 0], stretching: 1.0, shuffle: 1 }
}

impl Cells {
    fn nodes(&self) -> u64 {
        self.cells.iter().map(|n| n + 1).product()
    }

    /// The number of the node at a place.
    fn number(&self, [i, j, k]: [u64; 3]) -> u64 {
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
        let ([n, m, depth], is_plane) = (self.cells, self.cells[2] == 0);
        let mut builder = ElementMeshBuilder::new(if is_plane { 2 } else { 3 });
        if comm.is_root() {
            let y = self.heights();
            let mut x = vec![[0.0; 3]; self.nodes() as usize];
            for (i, j, k) in
                (0..=n).flat_map(|i| (0..=m).flat_map(move |j| (0..=depth).map(move |k| (i, j, k))))
            {
                let at = [i as f64 / n as f64, y[j as usize], k as f64 / n as f64];
                x[self.number([i, j, k]) as usize] = at;
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

/// Which preconditioner.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Points,
    Lines,
    Colors,
    /// Multigrid, with points on the finest level.
    Levels,
    /// Multigrid, with colored lines there.
    LevelsOfColors,
}

/// The solution at all nodes, by place, and how it was found.
fn solve(comm: &Comm, cells: &Cells, way: &Way, by: By, options: Options) -> (Solved, Vec<u64>) {
    let given = cells.build(comm);
    let mut mesh = given.prepare(comm, &[&DUAL], &Boundaries::new(&WALLS), 1).unwrap().mesh;
    let levels = add_levels(comm, &mut mesh, 3);
    let partition = cfd_partition::Options { method: way.method.parse().unwrap(), ..Default::default() };
    let mut run = DomainOptions { threads: way.threads, ..DomainOptions::default() };
    if let Some(lanes) = way.lanes {
        run.lanes = cfd_engine::lane::Width::new(lanes).unwrap();
    }
    let primary = DUAL.primary(&mesh);
    let mut domain = set_up(comm, mesh, &primary, &partition, Order::File, run).unwrap();
    if way.device {
        let texts = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
        let device = Rc::new(Emulated::new(texts, comm.rank() as u64 + 1));
        let options =
            DeviceOptions { threads: Some(64), placement: Placement::ByUse, ..DeviceOptions::default() };
        cfd_device::use_device(&mut domain, device, options).unwrap();
    }
    let ends: Map<2> = domain.map("edge_nodes").unwrap();
    let matrix: BlockMatrix<1, 1> = BlockMatrix::new(&mut domain, ends, "matrix");
    let [b, t] = ["b", "t"].map(|name| domain.new_dat::<1, f64>(ends.to(), name));
    assemble(&mut domain, cells, &matrix, b);
    let solved = by_gmres(&mut domain, &matrix, [b, t], levels, by, options);
    let t: AnyDat = t.into();
    let Values::F64(block) = t.read_block(&mut domain).unwrap() else { panic!("of f64") };
    let all = comm.all_gather(&block).concat();
    let [n, m, depth] = cells.cells;
    let places = (0..=n).flat_map(|i| (0..=m).flat_map(move |j| (0..=depth).map(move |k| [i, j, k])));
    (solved, places.map(|at| all[cells.number(at) as usize].to_bits()).collect())
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

fn by_gmres(
    domain: &mut Domain,
    matrix: &BlockMatrix<1, 1>,
    [b, t]: [Dat<1>; 2],
    levels: usize,
    by: By,
    options: Options,
) -> Solved {
    let along = [names::BEFORE, names::AFTER, names::NODE_LINE].map(|name| domain.map(name).unwrap());
    let colors = if by == By::Lines { 1 } else { 2 };
    let lines = LineSet::new(domain, along, matrix.edges.ends, colors).unwrap();
    let points = BlockJacobi::new(domain, matrix);
    let relaxation = if by == By::Lines { Relaxation::Jacobi } else { Relaxation::GaussSeidel };
    let lines = LinePreconditioner::new(domain, matrix, &lines, relaxation);
    points.update(domain);
    lines.update(domain);
    let coarser: Vec<Agglomerates> = (1..=levels)
        .map(|level| {
            let names = Names::of(level);
            Agglomerates {
                nodes: domain.map(&names.of_nodes).unwrap(),
                edges: domain.map(&names.of_edges).unwrap(),
                firsts: domain.map(&names.of_firsts).unwrap(),
                direction: domain.dat(&names.direction).unwrap(),
                ends: domain.map(&names.ends).unwrap(),
            }
        })
        .collect();
    let gmres = Gmres::new(domain, b.set(), options);
    let run = |domain: &mut Domain, preconditioner: &dyn Preconditioner<1>| {
        gmres.solve(domain, matrix, &Of(preconditioner), b, t).unwrap()
    };
    let cycles = multigrid::Options::default();
    match by {
        By::Points => run(domain, &points),
        By::Lines | By::Colors => run(domain, &lines),
        By::Levels => {
            let levels = Multigrid::new(domain, matrix, points, &coarser, cycles);
            levels.update(domain);
            run(domain, &levels)
        }
        By::LevelsOfColors => {
            let levels = Multigrid::new(domain, matrix, lines, &coarser, cycles);
            levels.update(domain);
            run(domain, &levels)
        }
    }
}

/// A preconditioner of any kind.
struct Of<'a>(&'a dyn Preconditioner<1>);

impl Preconditioner<1> for Of<'_> {
    fn apply(&self, domain: &mut Domain, r: Dat<1>, z: Dat<1>) {
        self.0.apply(domain, r, z);
    }
}

fn iterations(cells: &Cells, by: By) -> u64 {
    let (solved, _) = solve(&Comm::single(), cells, &Way::new(1, "block"), by, OPTIONS);
    assert!(solved.is_solved, "{cells:?}, {by:?}: {:e}", solved.reduction());
    solved.iterations
}

#[test]
fn elements_have_one_solution_and_number_of_iterations_on_any_ranks_threads_partitioners_lanes_and_devices() {
    let ways = [
        Way::new(1, "block"),
        Way { lanes: Some(1), threads: 2, ..Way::new(1, "block") },
        Way { lanes: Some(8), ..Way::new(2, "metis") },
        Way { threads: 2, ..Way::new(3, "rcb") },
        Way::new(5, "random"),
        Way { lanes: Some(4), threads: 2, ..Way::new(8, "hilbert") },
        Way { device: true, ..Way::new(3, "metis") },
    ];
    for (cells, by) in [
        (QUADRILATERALS, By::Lines),
        (QUADRILATERALS, By::LevelsOfColors),
        (PRISMS, By::Colors),
        (PRISMS, By::Levels),
    ] {
        let options = Options { iterations: 12, ..OPTIONS };
        let expected = solve(&Comm::single(), &cells, &ways[0], by, options);
        for way in &ways[1..] {
            for found in Comm::simulate(way.ranks, |comm| solve(&comm, &cells, way, by, options)) {
                assert!(found == expected, "{cells:?}, {by:?}: {way:?}");
            }
        }
    }
}

#[test]
fn files_with_other_numbers_take_as_many_iterations_within_five_percent() {
    for cells in [QUADRILATERALS, PRISMS] {
        for by in [By::Lines, By::Colors] {
            let shuffles = [1, 11, 101, 211];
            let counts = shuffles.map(|shuffle| iterations(&Cells { shuffle, ..cells }, by) as f64);
            let mean = counts.iter().sum::<f64>() / counts.len() as f64;
            println!("{cells:?}, {by:?}: {counts:?}");
            assert!(counts.iter().all(|count| (count - mean).abs() <= 0.05 * mean), "{by:?}: {counts:?}");
        }
    }
}

#[test]
fn lines_take_a_fraction_of_the_iterations_of_points_in_both_dimensions() {
    for cells in [QUADRILATERALS, PRISMS].map(|cells| Cells { stretching: 100.0, ..cells }) {
        let [points, lines, colors] = [By::Points, By::Lines, By::Colors].map(|by| iterations(&cells, by));
        println!("{cells:?}: {points}, {lines}, {colors}");
        assert!(3 * lines < 2 * points && colors < lines, "{cells:?}: {points}, {lines}, {colors}");
    }
}

/// Iterations with points double as cells are halved; those with multigrid hardly grow.
#[test]
fn multigrid_takes_about_as_many_iterations_on_finer_squares() {
    let counts = [16, 32, 64].map(|n| {
        [By::Points, By::Colors, By::Levels, By::LevelsOfColors].map(|by| iterations(&squares(n), by))
    });
    println!("{counts:?}");
    let [coarse, _, fine] = counts;
    assert!(2 * fine[0] > 5 * coarse[0], "points: {counts:?}");
    assert!(2 * fine[2] < 3 * coarse[2] && 4 * fine[2] < fine[0], "multigrid: {counts:?}");
    assert!(fine[3] <= fine[2], "with lines: {counts:?}");
}

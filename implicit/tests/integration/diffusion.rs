//! Diffusion on stretched elements and on squares: one number of iterations on any ranks and with any numbers of nodes; lines and
//! levels against points.

use cfd_engine::lane::Width;
use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Options, Solved};
use cfd_implicit::lines::{LinePreconditioner, LineSet, Relaxation};
use cfd_implicit::matrix::BlockMatrix;
use cfd_implicit::multigrid::{self, Multigrid};
use cfd_implicit::points::BlockJacobi;
use cfd_implicit::{Loops, Preconditioner, VectorLoops};
use cfd_mesh::derive::lines::names;

use crate::elements::{Cells, Diffusion, PRISMS, QUADRILATERALS, diffusion, squares};
use crate::grid::Way;
use crate::matrix;

const OPTIONS: Options = Options { tolerance: 1e-10, iterations: 1000, restart: 60, flexible: false };

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

/// How the system is solved, and the bits of the solution at all nodes, by place.
fn solve(comm: &Comm, cells: &Cells, way: &Way, by: By, options: Options) -> (Solved, Vec<u64>) {
    let mut system = diffusion(comm, cells, way);
    let solved = system.solve(by, options);
    let t: AnyDat = system.t.into();
    let Values::F64(block) = t.read_block(&mut system.domain).unwrap() else { panic!("of f64") };
    let all = comm.all_gather(&block).concat();
    (solved, cells.places().map(|at| all[cells.number(at) as usize].to_bits()).collect())
}

impl Diffusion {
    fn solve(&mut self, by: By, options: Options) -> Solved {
        let Diffusion { domain, matrix, levels, .. } = self;
        let points = BlockJacobi::new(domain, matrix);
        points.update(domain);
        let cycles = multigrid::Options::default();
        match by {
            By::Points => self.solve_with(&points, options),
            By::Lines => {
                let lines = self.lines(Relaxation::Jacobi);
                self.solve_with(&lines, options)
            }
            By::Colors => {
                let lines = self.lines(Relaxation::GaussSeidel);
                self.solve_with(&lines, options)
            }
            By::Levels => {
                let levels = Multigrid::new(domain, *matrix, points, levels, cycles);
                levels.update(domain);
                self.solve_with(&levels, options)
            }
            By::LevelsOfColors => {
                let lines = self.lines(Relaxation::GaussSeidel);
                let levels = Multigrid::new(&mut self.domain, self.matrix, lines, &self.levels, cycles);
                levels.update(&mut self.domain);
                self.solve_with(&levels, options)
            }
        }
    }

    fn lines(&mut self, relaxation: Relaxation) -> LinePreconditioner<1, 1> {
        let Diffusion { domain, matrix, .. } = self;
        let along = [names::BEFORE, names::AFTER, names::NODE_LINE].map(|name| domain.map(name).unwrap());
        let set = LineSet::new(domain, along, matrix.edges.ends, 2).unwrap();
        let lines = LinePreconditioner::new(domain, matrix, &set, relaxation);
        lines.update(domain);
        lines
    }

    fn solve_with(&mut self, preconditioner: &impl Preconditioner<1>, options: Options) -> Solved {
        let gmres = Gmres::new(&mut self.domain, self.b.set(), options);
        gmres.solve(&mut self.domain, &self.matrix, preconditioner, self.b, self.t).unwrap()
    }
}

/// So many vectors that points are not kept from converging by starting again.
fn iterations(cells: &Cells, by: By) -> u64 {
    let options = Options { restart: 300, ..OPTIONS };
    let (solved, _) = solve(&Comm::single(), cells, &Way::new(1, "block"), by, options);
    assert!(solved.is_solved, "{cells:?}, {by:?}: {:e}", solved.reduction());
    solved.iterations
}

/// Every number of ranks, threads and lanes, every partitioner, and the device.
fn some_ways() -> Vec<Way> {
    vec![
        Way::new(1, "block"),
        Way { lanes: Some(1), threads: 2, ..Way::new(1, "block") },
        Way::new(2, "metis"),
        Way { threads: 2, ..Way::new(3, "rcb") },
        Way::new(5, "random"),
        Way { threads: 2, ..Way::new(8, "hilbert") },
        Way { device: true, ..Way::new(3, "metis") },
    ]
}

/// All of these with each other.
fn all_ways() -> Vec<Way> {
    let mut ways = vec![Way::new(1, "block")];
    for ranks in [1, 2, 3, 5, 8] {
        for method in ["block", "metis", "rcb", "hilbert", "random"] {
            for threads in [1, 2] {
                let lanes = Width::available().map(|width| Some(width.lanes()));
                ways.extend(lanes.map(|lanes| Way { threads, lanes, ..Way::new(ranks, method) }));
            }
            ways.push(Way { device: true, ..Way::new(ranks, method) });
        }
    }
    ways
}

#[test]
fn elements_have_one_solution_and_number_of_iterations_on_any_ranks_threads_partitioners_lanes_and_devices() {
    let ways = if matrix::is_whole() { all_ways() } else { some_ways() };
    for (cells, by) in [
        (QUADRILATERALS, By::Lines),
        (QUADRILATERALS, By::LevelsOfColors),
        (PRISMS, By::Colors),
        (PRISMS, By::Levels),
    ] {
        let options = Options { iterations: 6, ..OPTIONS };
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
            assert!(
                counts.iter().all(|count| (count - mean).abs() <= 0.05 * mean),
                "{cells:?}, {by:?}: {counts:?}"
            );
        }
    }
}

#[test]
fn lines_take_a_fraction_of_the_iterations_of_points_in_both_dimensions() {
    for cells in [QUADRILATERALS, PRISMS].map(|cells| Cells { stretching: 30.0, ..cells }) {
        let [points, lines, colors] = [By::Points, By::Lines, By::Colors].map(|by| iterations(&cells, by));
        assert!(3 * lines < 2 * points && colors < lines, "{cells:?}: {points}, {lines}, {colors}");
    }
}

/// As of a flow that carries two scalars.
#[test]
fn one_domain_has_several_systems_of_one_size() {
    let mut system = diffusion(&Comm::single(), &QUADRILATERALS, &Way::new(1, "block"));
    let first = system.solve(By::LevelsOfColors, OPTIONS);
    let Diffusion { domain, matrix, t, .. } = &mut system;
    let other: BlockMatrix<1, 1> = BlockMatrix::new(domain, matrix.edges.ends, "another");
    for (from, to) in [
        (matrix.diagonal, other.diagonal),
        (matrix.edges.upper, other.edges.upper),
        (matrix.edges.lower, other.edges.lower),
    ] {
        Loops::copy(domain, from, to);
    }
    Loops::clear(domain, *t);
    let second = Diffusion { matrix: other, ..system }.solve(By::LevelsOfColors, OPTIONS);
    assert_eq!(first.iterations, second.iterations);
}

/// Iterations with points double as cells are halved; those with multigrid hardly grow.
#[test]
fn multigrid_takes_about_as_many_iterations_on_finer_squares() {
    let counts =
        [16, 32].map(|n| [By::Points, By::Levels, By::LevelsOfColors].map(|by| iterations(&squares(n), by)));
    let [coarse, fine] = counts;
    assert!(5 * fine[0] > 9 * coarse[0], "points: {counts:?}");
    assert!(3 * fine[1] < 4 * coarse[1] && 4 * fine[1] < fine[0], "multigrid: {counts:?}");
    assert!(fine[2] <= fine[1], "with lines: {counts:?}");
}

/// Blocks that differ from edge to edge and from one way to the other.
#[kernel]
fn differ(x: [Read<2>; 2], upper: Write<1>, lower: Write<1>) {
    upper[0] = 1.0 + x[0][0] - 3.0 * x[1][1];
    lower[0] = -2.0 + x[0][1] + 5.0 * x[1][0];
}

/// A coarse matrix is P^T A P: the same as going to the fine level, through its matrix, and back.
#[test]
fn coarse_matrices_act_as_the_finer_ones_on_constant_agglomerates() {
    let comm = Comm::single();
    let Diffusion { mut domain, matrix, levels, .. } = diffusion(&comm, &squares(24), &Way::new(1, "block"));
    let (edges, domain) = (matrix.edges, &mut domain);
    let x: Dat<2> = domain.dat("x").unwrap();
    domain.par_loop(differ, edges.ends.from(), (x.all(edges.ends), edges.upper, edges.lower), &());
    let points = BlockJacobi::new(domain, &matrix);
    let multigrid = Multigrid::new(domain, matrix, points, &levels, multigrid::Options::default());
    multigrid.update(domain);
    assert!(levels.len() >= 2);
    let mut fine = matrix;
    for (level, (from, coarse)) in levels.iter().zip(multigrid.coarse_matrices()).enumerate() {
        let vectors = [fine, *coarse].map(|of| {
            ["x", "y", "z"].map(|name| {
                domain.new_dat::<1, f64>(
                    of.diagonal.set(),
                    &format!("{name}{level}{}", domain.rows(of.diagonal.set())),
                )
            })
        });
        let [[x, y, _], [x_c, y_c, z_c]] = vectors;
        let values: Vec<f64> = (0..domain.rows(x_c.set())).map(|k| ((k * 7 + 3) % 11) as f64 - 4.0).collect();
        domain.write(x_c, &values);
        Loops::add_down(domain, from, 1.0, x_c, x);
        fine.record(domain, x, y);
        Loops::add_up(domain, from, y, y_c);
        coarse.record(domain, x_c, z_c);
        let (found, expected) = (domain.read(z_c).unwrap(), domain.read(y_c).unwrap());
        let size = expected.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        assert!(
            found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12 * size),
            "{found:?}, {expected:?}"
        );
        fine = *coarse;
    }
}

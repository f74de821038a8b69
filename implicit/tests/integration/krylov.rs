use cfd_engine::Stored;
use cfd_engine::operand::Operand;
use cfd_engine::prelude::*;
use cfd_implicit::gmres::{Gmres, Options, Solved, Unsolved};
use cfd_implicit::lines::{LinePreconditioner, Relaxation};
use cfd_implicit::points::BlockJacobi;
use cfd_implicit::{BlockLoops, Identity, Loops};

use crate::grid::{System, Way, by_elimination, system, system_of};

const OPTIONS: Options = Options { tolerance: 1e-10, iterations: 3000, restart: 60, flexible: false };

/// Which preconditioner.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Nothing,
    Points,
    Lines,
    Colors,
}

fn solve<T: Stored>(system: &mut System<T>, by: By, options: Options) -> Result<Solved, Unsolved>
where
    Loops: BlockLoops<2, 4, T>,
{
    let gmres = Gmres::new(&mut system.domain, system.b.set(), options);
    let lines = system.lines(2);
    let System { domain, matrix, b, x, .. } = system;
    match by {
        By::Nothing => gmres.solve(domain, matrix, &Identity, *b, *x),
        By::Points => {
            let points = BlockJacobi::new(domain, matrix);
            points.update(domain);
            gmres.solve(domain, matrix, &points, *b, *x)
        }
        By::Lines | By::Colors => {
            let relaxation = if by == By::Lines { Relaxation::Jacobi } else { Relaxation::GaussSeidel };
            let along = LinePreconditioner::new(domain, matrix, &lines, relaxation);
            along.update(domain);
            gmres.solve(domain, matrix, &along, *b, *x)
        }
    }
}

fn largest_difference(found: &[[f64; 2]], expected: &[[f64; 2]]) -> f64 {
    let size = expected.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let differences =
        found.as_flattened().iter().zip(expected.as_flattened()).map(|(a, b)| (a - b).abs() / size);
    differences.fold(0.0, f64::max)
}

/// Iterations with each preconditioner; solutions are compared with elimination.
fn iterations(stretching: f64, all: &[By]) -> Vec<u64> {
    let comm = Comm::single();
    let way = Way { stretching, ..Way::new(1, "block") };
    let expected = by_elimination(&mut system(&comm, &way));
    let mut iterations = Vec::new();
    for &by in all {
        let counts = [false, true].map(|flexible| {
            let mut system = system(&comm, &way);
            let solved = solve(&mut system, by, Options { flexible, ..OPTIONS }).unwrap();
            assert!(solved.is_solved && !solved.stagnates, "{by:?}: {:e}", solved.reduction());
            assert_eq!(solved.history.len() as u64, solved.iterations);
            let found = system.solution(&comm, &way);
            assert!(largest_difference(&found, &expected) < 1e-7, "{by:?}");
            solved.iterations
        });
        assert!(
            counts[0].abs_diff(counts[1]) <= 1,
            "a fixed preconditioner needs no flexible method: {counts:?}"
        );
        iterations.push(counts[0]);
    }
    iterations
}

#[test]
fn solutions_are_those_of_elimination_and_lines_take_a_fraction_of_the_iterations() {
    let [points, lines, colors] = iterations(30.0, &[By::Points, By::Lines, By::Colors])[..] else {
        panic!("three")
    };
    assert!(2 * lines < points && colors < lines, "iterations: {points}, {lines}, {colors}");
    let [lines, colors] = iterations(1e4, &[By::Lines, By::Colors])[..] else { panic!("two") };
    assert!(lines < 80 && colors < lines, "iterations in a boundary layer: {lines}, {colors}");
    // There, points alone are far from it after forty times as many.
    let comm = Comm::single();
    let solved = solve(&mut system(&comm, &Way::new(1, "block")), By::Points, OPTIONS).unwrap();
    assert!(!solved.is_solved && solved.reduction() > 1e-6, "{:e}", solved.reduction());
}

#[test]
fn iterations_and_bits_are_the_same_on_any_ranks_threads_partitioners_lanes_and_devices() {
    let double = same_in_every_way::<f64>();
    let single = same_in_every_way::<f32>();
    for ((by, (of_double, x)), (_, (of_single, y))) in double.into_iter().zip(single) {
        // Another matrix, by 6e-8 of its blocks on edges, of which nearly nothing is left beside the diagonal in thin cells.
        let difference = largest_difference(&x, &y);
        assert!(0.0 < difference && difference < 1e-2, "{by:?}: {difference:e}");
        let (fall, other) = (of_double.reduction(), of_single.reduction());
        assert!(other < 1.1 * fall + 1e-9, "{by:?}: {fall:e} and {other:e} of the start in 40 iterations");
    }
}

/// How a solver ended, and the solution at the nodes.
type Ended = (Solved, Vec<[f64; 2]>);

/// What 40 iterations with each preconditioner make of the system, with blocks of edges of this type.
fn same_in_every_way<T: Stored>() -> Vec<(By, Ended)>
where
    Loops: BlockLoops<2, 4, T>,
    Dat<4, T>: Operand<Write<4>>,
{
    let ways = [
        Way::new(1, "block"),
        Way { lanes: Some(1), ..Way::new(1, "block") },
        Way { threads: 2, ..Way::new(2, "metis") },
        Way::new(3, "rcb"),
        Way::new(5, "random"),
        Way { device: true, ..Way::new(2, "hilbert") },
    ];
    let all = [By::Points, By::Lines, By::Colors].map(|by| {
        let mut expected: Option<Ended> = None;
        let bits = |x: &[[f64; 2]]| x.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        for way in &ways {
            let results = Comm::simulate(way.ranks, |comm| {
                let mut system = system_of::<T>(&comm, way);
                let solved = solve(&mut system, by, Options { iterations: 40, ..OPTIONS }).unwrap();
                (solved, system.solution(&comm, way))
            });
            for (solved, x) in results {
                let (first, at_first) = expected.get_or_insert_with(|| (solved.clone(), x.clone()));
                assert!((&*first, bits(at_first)) == (&solved, bits(&x)), "{by:?}: {way:?}");
            }
        }
        (by, expected.unwrap())
    });
    all.into()
}

/// However many vectors: each of the two passes over them has one.
#[test]
fn an_iteration_takes_two_messages() {
    let messages = |iterations: u64| {
        let of_ranks = Comm::simulate(2, |comm| {
            let mut system = system(&comm, &Way::new(2, "block"));
            solve(&mut system, By::Lines, Options { iterations, ..OPTIONS }).unwrap();
            system.domain.reductions().messages
        });
        assert_eq!(of_ranks[0], of_ranks[1]);
        of_ranks[0]
    };
    assert_eq!(messages(45) - messages(5), 2 * 40);
}

#[test]
fn another_numbering_takes_about_as_many_iterations() {
    let comm = Comm::single();
    for by in [By::Lines, By::Colors] {
        let iterations = [1, 10, 23].map(|shuffle| {
            let way = Way { shuffle, ..Way::new(1, "block") };
            solve(&mut system(&comm, &way), by, OPTIONS).unwrap().iterations as f64
        });
        let mean = iterations.iter().sum::<f64>() / 3.0;
        // Colors are drawn from the lines' numbers.
        let allowed = if by == By::Lines { 0.05 } else { 0.25 };
        assert!(
            iterations.iter().all(|i| (i - mean).abs() <= allowed * mean + 1.0),
            "{by:?}: {iterations:?}"
        );
    }
}

#[test]
fn a_system_that_is_not_finite_and_one_that_cannot_be_solved_are_named() {
    let comm = Comm::single();
    let mut broken = system(&comm, &Way::new(1, "block"));
    let mut b = broken.domain.read(broken.b).unwrap();
    b[17] = f64::NAN;
    broken.domain.write(broken.b, &b);
    let error = solve(&mut broken, By::Nothing, OPTIONS).unwrap_err().to_string();
    assert!(error.contains("iteration 0 of GMRES: the residual is not finite"), "{error}");

    // The matrix 0.
    let mut singular = system(&comm, &Way::new(1, "block"));
    singular.matrix.clear(&mut singular.domain);
    let solved = solve(&mut singular, By::Nothing, OPTIONS).unwrap();
    assert!(solved.stagnates && !solved.is_solved && solved.iterations < 40, "{solved:?}");
    // Nothing to do.
    let mut solved_already = system(&comm, &Way::new(1, "block"));
    let zeros = vec![0.0; b.len()];
    solved_already.domain.write(solved_already.b, &zeros);
    let solved = solve(&mut solved_already, By::Lines, OPTIONS).unwrap();
    assert!((solved.iterations, solved.is_solved) == (0, true) && solved.reduction() == 0.0);
}

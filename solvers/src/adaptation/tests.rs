//! The adapted mesh does not depend on the division among ranks; what cannot be adapted is refused.

use std::path::{Path, PathBuf};

use cfd_adapt::metric::{Analytic, Curvature, Floors, Limits, Norm, Waves};
use cfd_adapt::operation::Bounds;
use cfd_adapt::tensor::Tensor;
use cfd_engine::domain::DomainOptions;
use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;
use cfd_mesh::{TRIANGLES, generate};
use cfd_partition::{Options, Order, set_up};
use cfd_solvers::adaptation::{Adaptation, Config, Repartition, Shape, VertexNumbers, outline};
use cfd_solvers::case::{Application, Environment};
use cfd_solvers::output::{Drawing, Output};
use cfd_solvers::{Solver, Stopped};

/// How a run is divided.
#[derive(Clone, Debug)]
struct Split {
    ranks: usize,
    threads: usize,
    method: &'static str,
    room: u64,
}

const ALONE: Split = Split { ranks: 1, threads: 1, method: "hilbert", room: u64::MAX };

/// A run's final results on rank 0.
struct Ending {
    mesh_hash: String,
    values: Vec<f64>,
    figures: serde_json::Value,
    drawings: Vec<Drawing>,
    residuals: Vec<f64>,
}

fn domain(comm: &Comm, mesh: Mesh, split: &Split) -> (Domain, Options) {
    let options = Options { method: split.method.parse().unwrap(), ..Options::default() };
    let primary = TRIANGLES.primary(&mesh);
    let domain = DomainOptions { threads: split.threads, ..DomainOptions::default() };
    (set_up(comm, mesh, &primary, &options, Order::File, domain).unwrap(), options)
}

/// Adapts a square of n by n cells a few times.
fn run(config: &Config, n: u64, split: &Split) -> Result<Ending, Stopped> {
    let results = Comm::simulate(split.ranks, |comm| {
        let mesh = generate::triangles(&comm, [n, n]).unwrap();
        Adaptation::check_mesh(&comm, &mesh, config).unwrap();
        let (mut domain, partition) = domain(&comm, mesh, split);
        let environment = Environment { partition, room: split.room, ..Environment::default() };
        let mut solver = Adaptation::new(&mut domain, config, &environment).unwrap();
        let (mut values, mut residuals, mut mesh) = (Vec::new(), Vec::new(), None);
        for _ in 0..config.iterations {
            let step = solver.step(&mut domain, true)?;
            residuals.push(step.residual);
            values = step.values;
            mesh = solver.new_mesh();
        }
        solver.check(&mut domain)?;
        let mesh = mesh.or_else(|| solver.new_mesh()).expect("an adapted mesh").sets;
        let mesh_hash = cfd_io::mesh_hash(&comm, &mesh).to_string();
        let (mut figures, mut drawings) = (serde_json::Map::new(), Vec::new());
        for output in solver.outputs() {
            match output {
                Output::Entries(entries) => figures.extend(entries),
                Output::Drawing(drawing) => drawings.push(drawing),
                _ => {}
            }
        }
        Ok(Ending { mesh_hash, values, figures: figures.into(), drawings, residuals })
    });
    results.into_iter().next().unwrap()
}

fn front() -> Config {
    Config { eta: 0.05, iterations: 2, time_step: 10.0, ..Config::default() }
}

#[test]
fn defaults_are_those_of_the_operations() {
    assert_eq!(Config::default().bounds(), Bounds::default());
}

#[test]
fn one_mesh_comes_out_on_any_ranks_threads_and_partitions() {
    let alone = run(&front(), 12, &ALONE).unwrap();
    let of = |split: Split| run(&front(), 12, &split).unwrap();
    for split in [
        Split { ranks: 2, ..ALONE },
        Split { ranks: 3, threads: 2, method: "rcb", ..ALONE },
        Split { ranks: 5, method: "random", ..ALONE },
    ] {
        let other = of(split.clone());
        assert_eq!(other.mesh_hash, alone.mesh_hash, "{split:?}");
        assert_eq!((&other.values, &other.residuals), (&alone.values, &alone.residuals), "{split:?}");
        let quality = |ending: &Ending| ending.figures["quality"].clone();
        assert_eq!(quality(&other), quality(&alone), "{split:?}");
    }
    for (repartition, imbalance) in
        [(Repartition::Never, 1.2), (Repartition::Before, 1.2), (Repartition::Passes, 1.0)]
    {
        let config = Config { repartition, imbalance, ..front() };
        let other = run(&config, 12, &Split { ranks: 3, method: "random", ..ALONE }).unwrap();
        assert_eq!(other.mesh_hash, alone.mesh_hash, "{repartition:?}");
    }
}

#[test]
fn figures_tell_of_the_mesh_and_add_up() {
    let ending = run(&front(), 12, &ALONE).unwrap();
    let figures = &ending.figures;
    let number = |pointer: &str| figures.pointer(pointer).and_then(|v| v.as_f64()).expect("a number");
    let (least, mean) = (number("/quality/min"), number("/quality/mean"));
    assert!(0.3 < least && least < mean && mean < 1.0, "{figures}");
    assert!((number("/quality/mean_input_metric") - mean).abs() < 0.1, "{figures}");
    assert!(
        number("/edges/min") > 0.2 && number("/edges/max") < 3.0 && number("/edges/in_band") > 0.7,
        "{figures}"
    );
    // A triangle with unit sides has area sqrt(3)/4 in the metric.
    let ideal = number("/complexity") / 0.433;
    assert!((0.8..1.6).contains(&(number("/elements") / ideal)), "{figures}");
    assert_eq!(ending.values[5], number("/elements"), "the history has the same");
    assert!(number("/operations/splits") > 0.0 && number("/operations/moves") > 0.0);
    assert_eq!((number("/messages"), number("/bytes")), (0.0, 0.0), "one rank sends nothing");
}

#[test]
fn histograms_count_every_element_and_every_edge_once() {
    for ranks in [1, 3] {
        let ending = run(&front(), 12, &Split { ranks, ..ALONE }).unwrap();
        let counted = |name: &str| -> u64 {
            let of = |drawing: &&Drawing| drawing.file() == name;
            match ending.drawings.iter().find(of) {
                Some(Drawing::Histogram { counts, .. }) => counts.iter().sum(),
                other => panic!("{other:?}"),
            }
        };
        let [vertices, elements] = ["vertices", "elements"].map(|key| ending.figures[key].as_u64().unwrap());
        assert_eq!(counted("quality"), elements);
        // Euler's formula for a disc; bins of half edges are rounded down.
        let edges = vertices + elements - 1;
        assert!((edges - 25..=edges).contains(&counted("lengths")), "{} of {edges}", counted("lengths"));
    }
}

#[test]
fn a_mesh_that_fits_its_metric_stays_and_has_one_quality_before_and_after() {
    let lines: String = (0..49).map(|v| format!("{} 0 25\n", 25.0 + 0.05 * f64::from(v))).collect();
    with_file("fits", &lines, |path| {
        let still = Config { swap: 0.0, turns: 0, laplacian: 0, optimisation: 0, ..by_file(path, 1) };
        for ranks in [1, 3] {
            let ending = run(&still, 6, &Split { ranks, ..ALONE }).unwrap();
            assert_eq!(ending.residuals, [0.0], "nothing is done");
            let number = |key: &str| ending.figures["quality"][key].as_f64().unwrap();
            assert!((number("mean") - number("mean_input_metric")).abs() < 1e-12, "{}", ending.figures);
        }
    });
}

#[test]
fn an_adapted_mesh_hardly_changes_under_the_same_metric() {
    let config = Config { metric: "ramp".into(), iterations: 4, ..Config::default() };
    let residuals = run(&config, 10, &ALONE).unwrap().residuals;
    assert!(residuals[0] > 0.3 && residuals[3] < 0.1, "{residuals:?}");
}

#[test]
fn without_iterations_the_first_mesh_is_told_of() {
    let config = Config { iterations: 0, ..front() };
    let ending = run(&config, 6, &Split { ranks: 2, ..ALONE }).unwrap();
    assert_eq!(ending.figures["elements"], 72);
    assert_eq!(ending.figures["operations"]["splits"], 0);
}

#[test]
fn a_complexity_that_cannot_be_had_and_a_mesh_that_does_not_fit_are_refused() {
    let refused = |config: &Config, split: &Split| match run(config, 6, split).map(drop).unwrap_err() {
        Stopped::Refused { what, iteration: 1 } => what,
        other => panic!("{other}"),
    };
    let config = Config { complexity: Some(1e4), h_min: Some(0.2), ..front() };
    let message = refused(&config, &Split { ranks: 2, ..ALONE });
    assert!(message.starts_with("adaptation.complexity = 10000 cannot be reached"), "{message}");
    let config = Config { complexity: Some(1e6), ..front() };
    let message = refused(&config, &Split { ranks: 2, room: 1 << 20, ..ALONE });
    assert!(message.starts_with("not enough memory: the metric's complexity is 1.0"), "{message}");
}

#[test]
fn limits_of_sizes_hold() {
    let config = Config { h_min: Some(0.08), h_max: Some(0.3), gradation: Some(1.5), ..front() };
    let free = run(&front(), 12, &ALONE).unwrap();
    let limited = run(&config, 12, &ALONE).unwrap();
    assert!(limited.figures["complexity"].as_f64() < free.figures["complexity"].as_f64());
}

/// A file of metrics in a directory of its own.
fn with_file(name: &str, text: &str, test: impl FnOnce(&Path)) {
    let folder = std::env::temp_dir().join(format!("cfd-metric-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path: PathBuf = folder.join("m.txt");
    std::fs::write(&path, text).unwrap();
    test(&path);
    std::fs::remove_dir_all(&folder).unwrap();
}

fn by_file(path: &Path, iterations: u64) -> Config {
    Config { metric: format!("file:{}", path.display()), iterations, ..Config::default() }
}

#[test]
fn a_metric_from_a_file_is_carried_from_iteration_to_iteration() {
    with_file("good", &"100.0 0 25\n".repeat(49), |path| {
        let alone = run(&by_file(path, 2), 6, &ALONE).unwrap();
        // 100 and 25 request sizes of 0.1 and 0.2.
        assert!((alone.figures["complexity"].as_f64().unwrap() - 50.0).abs() < 1e-6, "{}", alone.figures);
        let other = run(&by_file(path, 2), 6, &Split { ranks: 3, ..ALONE }).unwrap();
        assert_eq!(other.mesh_hash, alone.mesh_hash);
    });
}

/// The places of the vertices of a square of n by n cells, by row.
fn places(n: u64) -> Vec<[f64; 2]> {
    let mesh = generate::triangles(&Comm::single(), [n, n]).unwrap();
    let x = mesh.dats.iter().find(|dat| dat.name == "x").expect("coordinates");
    let Values::F64(x) = &x.values else { panic!("coordinates are numbers") };
    x.as_chunks::<2>().0.to_vec()
}

/// A file says of every row what a formula says of its place.
#[test]
fn a_metric_from_a_file_goes_to_the_vertices_of_its_rows() {
    let formula: Analytic = "ramp".parse().unwrap();
    let line = |x: &[f64; 2]| {
        let m = formula.at(x).0;
        format!("{:?} {:?} {:?}\n", m[0][0], m[0][1], m[1][1])
    };
    with_file("rows", &places(12).iter().map(line).collect::<String>(), |path| {
        let given = run(&by_file(path, 1), 12, &ALONE).unwrap();
        let expected = run(&Config { metric: "ramp".into(), ..Config::default() }, 12, &ALONE).unwrap();
        let of = |ending: &Ending, key: &str| ending.figures[key].as_f64().unwrap();
        for key in ["complexity", "elements"] {
            let ratio = of(&given, key) / of(&expected, key);
            assert!((0.95..1.05).contains(&ratio), "{key}: {ratio}");
        }
        for numbering in [VertexNumbers::Canonical, VertexNumbers::File] {
            let config = Config { numbering, ..by_file(path, 2) };
            let alone = run(&config, 12, &ALONE).unwrap();
            let other = run(&config, 12, &Split { ranks: 3, method: "random", ..ALONE }).unwrap();
            assert_eq!(other.mesh_hash, alone.mesh_hash, "{numbering:?}");
        }
    });
}

/// The metric that a run with these settings leaves at the vertices, with their places.
fn left_by(config: &Config, n: u64, ranks: usize) -> Vec<([f64; 2], [f64; 3])> {
    let blocks = Comm::simulate(ranks, |comm| {
        let mesh = generate::triangles(&comm, [n, n]).unwrap();
        let (mut domain, partition) = domain(&comm, mesh, &ALONE);
        let environment = Environment { partition, room: u64::MAX, ..Environment::default() };
        let mut solver = Adaptation::new(&mut domain, config, &environment).unwrap();
        solver.step(&mut domain, true).unwrap();
        let (x, metric) = (domain.dat::<2, f64>("x").unwrap(), domain.dat::<3, f64>("metric").unwrap());
        let (x, metric) = (domain.read(x).unwrap(), domain.read(metric).unwrap());
        let rows = x.as_chunks::<2>().0.iter().zip(metric.as_chunks::<3>().0);
        rows.map(|(x, m)| (*x, *m)).collect::<Vec<_>>()
    });
    blocks.concat()
}

/// What the reported qualities and lengths are measured in is the metric itself, not what is left of it after
/// interpolation from vertex to vertex.
#[test]
fn a_metric_given_by_a_formula_is_evaluated_at_every_new_vertex() {
    let curvature = Curvature {
        norm: Norm::Eta { p: 2.0, eta: 0.05, epsilon: 0.0 },
        floors: Floors { absolute: 1e-3, relative: 0.0 },
    };
    let field = Waves { time: 0.0, period: 100.0 };
    let at = |x: &[f64; 2]| {
        let m = curvature.metric_at(&field.hessian(x)).unwrap().0;
        [m[0][0], m[0][1], m[1][1]]
    };
    let config = Config { iterations: 1, ..front() };
    for ranks in [1, 3] {
        let left = left_by(&config, 12, ranks);
        assert!(left.len() > 200 && left.iter().all(|(x, m)| *m == at(x)), "{} vertices", left.len());
    }
    // Limits and a complexity are applied at the place; gradation is not known there.
    let limits = Limits { h_min: 0.02, h_max: 0.2, aspect_ratio: 5.0 };
    let limited = Config { h_min: Some(0.02), h_max: Some(0.2), aspect_ratio: Some(5.0), ..config.clone() };
    for (x, m) in left_by(&limited, 12, 1) {
        let [xx, xy, yy] = at(&x);
        let expected = limits.apply(&Tensor([[xx, xy], [xy, yy]])).0;
        assert_eq!(m, [expected[0][0], expected[0][1], expected[1][1]], "at {x:?}");
    }
    let graded = left_by(&Config { gradation: Some(1.5), ..config }, 12, 1);
    assert!(graded.iter().any(|(x, m)| *m != at(x)));
}

#[test]
fn numbers_by_the_file_are_another_choice_between_equals() {
    let hash = |numbering| run(&Config { numbering, ..front() }, 12, &ALONE).unwrap().mesh_hash;
    assert_ne!(hash(VertexNumbers::File), hash(VertexNumbers::Canonical));
}

/// The metric asks for 591 elements at least, and there is room for 600; more are on the way.
#[test]
fn a_mesh_that_outgrows_its_prediction_is_refused_before_memory_is_taken() {
    let config = Config { metric: "ramp".into(), ..Config::default() };
    for ranks in [1, 3] {
        let split = Split { ranks, room: 600 * 800 / ranks as u64, ..ALONE };
        let message = run(&config, 10, &split).map(drop).unwrap_err().to_string();
        assert!(
            message.contains("not enough memory: ") && message.contains("splits would make"),
            "{message}"
        );
        assert!(message.contains("adaptation.h_min"), "{message}");
    }
}

#[test]
fn files_that_are_no_metrics_are_refused_with_what_is_wrong() {
    let line = "100 0 25\n";
    let cases = [
        ("short", line.repeat(48), "expected one line for each of the 49 vertices; there are 48 lines"),
        ("long", line.repeat(50), "there are more lines than that"),
        (
            "word",
            format!("{}1 2\n{}", line.repeat(7), line.repeat(41)),
            "line 8: \"1 2\"; expected three numbers",
        ),
        ("nan", format!("NaN 0 1\n{}", line.repeat(48)), "not finite"),
        ("negative", format!("{}1 2 1\n", line.repeat(48)), "is not positive definite"),
        ("row", format!("{}1 2 1\n{}", line.repeat(17), line.repeat(31)), "vertex 17 at (0.5, 0.33"),
    ];
    for (name, text, expected) in cases {
        with_file(name, &text, |path| {
            for ranks in [1, 3] {
                let error = run(&by_file(path, 1), 6, &Split { ranks, ..ALONE }).map(drop).unwrap_err();
                let message = error.to_string();
                assert!(message.contains(expected) && message.contains("m.txt"), "{ranks}: {message}");
            }
        });
    }
    let message = run(&by_file(Path::new("missing.txt"), 1), 6, &ALONE).map(drop).unwrap_err().to_string();
    assert!(message.contains("missing.txt: "), "{message}");
}

#[test]
fn one_size_is_had_everywhere_and_a_boundary_may_have_a_smaller_one() {
    let uniform = Config { metric: "uniform".into(), size: Some(0.1), ..Config::default() };
    let number = |ending: &Ending, key: &str| ending.figures[key].as_f64().unwrap();
    let all = run(&uniform, 12, &ALONE).unwrap();
    assert!((number(&all, "complexity") - 100.0).abs() < 1e-9);
    let bottom = [("1".to_string(), Shape::Polygon { h_min: None, h_max: Some(0.02) })];
    let outline = outline::Config { boundaries: bottom.into(), ..outline::Config::default() };
    let finer = Config { outline, gradation: Some(1.5), ..uniform.clone() };
    let alone = run(&finer, 12, &ALONE).unwrap();
    assert!(number(&alone, "elements") > 1.3 * number(&all, "elements"), "{}", alone.figures);
    assert_eq!(
        run(&finer, 12, &Split { ranks: 3, method: "random", ..ALONE }).unwrap().mesh_hash,
        alone.mesh_hash
    );
    // Next to that boundary alone.
    let small: Vec<f64> =
        left_by(&finer, 12, 1).into_iter().filter(|(_, m)| m[0] > 2000.0).map(|(x, _)| x[1]).collect();
    assert!(small.len() > 25 && small.iter().all(|&y| y < 0.1), "{small:?}");
}

/// The metric of the mesh itself asks for as many elements as there are, of better shape.
#[test]
fn the_mesh_s_own_sizes_keep_it_about_as_fine() {
    let config = Config { metric: "mesh".into(), iterations: 2, ..Config::default() };
    let alone = run(&config, 12, &ALONE).unwrap();
    let elements = alone.figures["elements"].as_f64().unwrap();
    assert!((230.0..350.0).contains(&elements), "{elements} instead of 288");
    assert!(alone.figures["quality"]["mean"].as_f64().unwrap() > 0.8, "{}", alone.figures);
    assert_eq!(run(&config, 12, &Split { ranks: 3, ..ALONE }).unwrap().mesh_hash, alone.mesh_hash);
}

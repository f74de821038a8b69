//! Heat conduction against an exact solution, on meshes with boundaries named in a file, and on meshes that adapt.

use std::f64::consts::{LN_2, TAU};
use std::fmt::Write;
use std::path::Path;

use cfd_adapt::metric::{MetricError, View};
use cfd_adapt::remesh::Remesh;
use cfd_adapt::tensor::Tensor;
use cfd_engine::domain::DomainOptions;
use cfd_engine::prelude::*;
use cfd_mesh::generate::element_box::{ElementBox, Filling};
use cfd_mesh::{Boundaries, ElementKind, ElementMesh, Given, Motion, Periodic, USUAL_TOLERANCE};
use cfd_partition::{Method, Options, Order, set_up};
use cfd_solvers::Solver;
use cfd_solvers::case::{Application, Environment};
use cfd_solvers::heat::{Config, Heat};
use cfd_solvers::output::Output;

crate::device::kernels! {
    heat: cfd_solvers::heat::kernels =>
        start cell_middle conductance seam_conductance boundary_conductance flux boundary_flux jacobi heat_flow boundary_heat find_body
        find_hottest;
}

/// A ring between the radii 1 and 2 in SU2's format, `n` cells around and `m` across, its boundaries "inner" and "outer".
fn ring(n: usize, m: usize) -> String {
    let node = |i: usize, j: usize| (i % n) + n * j;
    let mut text = format!("NDIME= 2\nNELEM= {}\n", n * m);
    for (i, j) in (0..m).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let corners = [node(i, j), node(i, j + 1), node(i + 1, j + 1), node(i + 1, j)];
        let [a, b, c, d] = corners;
        writeln!(text, "9 {a} {b} {c} {d} {}", i + n * j).unwrap();
    }
    writeln!(text, "NPOIN= {}", n * (m + 1)).unwrap();
    for (i, j) in (0..=m).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let (r, angle) = (1.0 + j as f64 / m as f64, TAU * i as f64 / n as f64);
        writeln!(text, "{:?} {:?} {}", r * same_math::cos(angle), r * same_math::sin(angle), node(i, j))
            .unwrap();
    }
    text.push_str("NMARK= 2\n");
    for (name, j) in [("inner", 0), ("outer", m)] {
        writeln!(text, "MARKER_TAG= {name}\nMARKER_ELEMS= {n}").unwrap();
        (0..n).for_each(|i| writeln!(text, "3 {} {}", node(i, j), node(i + 1, j)).unwrap());
    }
    text
}

/// Results of a converged run on a ring: the largest temperature error, and the heat flowing in and out.
fn solve(path: &Path, ranks: usize) -> (f64, [f64; 2]) {
    let results = Comm::simulate(ranks, |comm| {
        let boundaries = Boundaries::new(Heat::FACTS.boundaries).give("hot", ["inner"]);
        let given = cfd_io::read_mesh_of(&comm, path, boundaries.kinds).unwrap();
        let prepared = given.prepare(&comm, Heat::FACTS.needs, &boundaries, 1).unwrap();
        let mesh = prepared.mesh;
        let environment = Environment { boundaries: prepared.boundaries, ..Environment::default() };
        let primary = Heat::FACTS.needs[0].primary(&mesh);
        let options = Options { method: Method::Rcb, ..Options::default() };
        let mut domain =
            set_up(&comm, mesh, &primary, &options, Order::File, DomainOptions::default()).unwrap();
        let mut heat: Heat = Application::new(&mut domain, &Config::default(), &environment).unwrap();
        let mut step = heat.step(&mut domain, true).unwrap();
        while step.residual > 1e-13 {
            step = heat.step(&mut domain, true).unwrap();
        }
        heat.check(&mut domain).unwrap();
        let middles: Dat<2> = domain.dat("middle").unwrap();
        let middles = domain.read(middles).unwrap();
        let temperatures = domain.read(heat.temperature()).unwrap();
        assert!(temperatures.iter().all(|t| (0.0..=1.0).contains(t)), "no extremum inside");
        let exact = |x: &[f64]| 1.0 - 0.5 * same_math::ln(x[0] * x[0] + x[1] * x[1]) / LN_2;
        let errors = temperatures.iter().zip(middles.chunks_exact(2)).map(|(t, x)| (t - exact(x)).abs());
        (errors.fold(0.0, f64::max), [step.values[0], step.values[1]])
    });
    let (errors, flows): (Vec<f64>, Vec<[f64; 2]>) = results.into_iter().unzip();
    assert!(flows.iter().all(|flow| *flow == flows[0]), "all ranks know one heat flow");
    (errors.into_iter().fold(0.0, f64::max), flows[0])
}

#[test]
fn temperatures_in_a_ring_approach_the_exact_ones_with_the_square_of_the_cells_size() {
    let folder = std::env::temp_dir().join(format!("cfd-heat-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let errors = [4, 8, 16].map(|m| {
        let path = folder.join(format!("ring-{m}.su2"));
        std::fs::write(&path, ring(6 * m, m)).unwrap();
        let (error, [heat_in, heat_out]) = solve(&path, 1);
        assert_eq!(solve(&path, 3), (error, [heat_in, heat_out]), "on three ranks");
        assert!((heat_in - heat_out).abs() < 1e-9 * heat_in, "{heat_in} comes in, {heat_out} goes out");
        (error, (heat_in - TAU / LN_2).abs())
    });
    std::fs::remove_dir_all(&folder).unwrap();
    for pair in errors.windows(2) {
        let order = |coarse: f64, fine: f64| (coarse / fine).log2();
        let (of_t, of_heat) = (order(pair[0].0, pair[1].0), order(pair[0].1, pair[1].1));
        assert!(of_t > 1.8 && of_heat > 1.8, "orders {of_t:.2} and {of_heat:.2}: {errors:?}");
    }
    assert!(errors[2].0 < 2e-3, "{errors:?}");
}

/// Runs `body` with a heat solver between periodic boundaries, on one rank and on several; the results of one rank in the
/// order of the cells, which all others must have, too.
fn periodic(
    mesh: impl Fn(&Comm) -> ElementMesh + Sync,
    pair: Periodic,
    others: [(&'static str, &'static str); 2],
    body: impl Fn(&mut Domain, &mut Heat) + Sync,
) -> Vec<([f64; 2], f64)> {
    let run = |ranks: usize, method: Method| {
        let results = Comm::simulate(ranks, |comm| {
            let boundaries = Boundaries::new(Heat::FACTS.boundaries).pair(pair.clone());
            let boundaries = others.iter().fold(boundaries, |all, (kind, name)| all.give(kind, [*name]));
            let given = Given::Elements(mesh(&comm));
            let prepared = given.prepare(&comm, Heat::FACTS.needs, &boundaries, 1).unwrap();
            let environment = Environment { boundaries: prepared.boundaries, ..Environment::default() };
            let primary = Heat::FACTS.needs[0].primary(&prepared.mesh);
            let options = Options { method: method.clone(), ..Options::default() };
            let domain =
                set_up(&comm, prepared.mesh, &primary, &options, Order::File, DomainOptions::default());
            let mut domain = domain.unwrap();
            let mut heat: Heat = Application::new(&mut domain, &Config::default(), &environment).unwrap();
            body(&mut domain, &mut heat);
            assert!(heat.carried().is_err(), "no adaptation");
            let middle: Dat<2> = domain.dat("middle").unwrap();
            let (x, t) = (domain.read(middle).unwrap(), domain.read(heat.temperature()).unwrap());
            let ids = domain.global_ids(heat.temperature().set()).to_vec();
            let rows = ids.into_iter().zip(x.as_chunks::<2>().0.iter().copied().zip(t));
            rows.collect::<Vec<_>>()
        });
        let mut rows = results.concat();
        rows.sort_by_key(|(id, _)| *id);
        rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>()
    };
    let one = run(1, Method::Block);
    for (ranks, method) in [(2, Method::Rcb), (3, Method::Random), (5, Method::Rcb)] {
        assert!(run(ranks, method) == one, "{ranks} ranks");
    }
    one
}

/// In a row of n cells whose ends are one, Jacobi's method makes a wave sin(2 pi x) smaller by cos(2 pi / n) in each
/// iteration, wherever its zeros are.
#[test]
fn a_wave_between_periodic_boundaries_keeps_its_shape() {
    let n = 16;
    let mesh = ElementBox {
        filling: Filling::Only(ElementKind::Quadrilateral),
        cells: [n, 2, 1],
        lengths: [1.0, 0.1, 1.0],
        distortion: 0.0,
    };
    let wave = |x: f64| same_math::sin(TAU * (x - 0.1));
    for motion in [Motion::Translation(None), Motion::Translation(Some(vec![-1.0, 0.0]))] {
        let names = if motion == Motion::Translation(None) { ["x_min", "x_max"] } else { ["x_max", "x_min"] };
        let pair = Periodic { names: names.map(String::from), motion, tolerance: USUAL_TOLERANCE };
        let others = [("insulated", "y_min"), ("insulated", "y_max")];
        let rows = periodic(
            |comm| mesh.mesh(comm).unwrap(),
            pair,
            others,
            |domain, heat| {
                let middle: Dat<2> = domain.dat("middle").unwrap();
                let x = domain.read(middle).unwrap();
                let start: Vec<f64> = x.as_chunks::<2>().0.iter().map(|x| wave(x[0])).collect();
                domain.write(heat.temperature(), &start);
                (0..10).for_each(|_| {
                    heat.step(domain, false).unwrap();
                });
            },
        );
        // Cells are 1/16 wide and 1/20 high: the other neighbour has the same temperature, but counts in the sum.
        let (along, across) = (0.05 * 16.0, (1.0 / 16.0) / 0.05);
        let of_step = (2.0 * along * same_math::cos(TAU / n as f64) + across) / (2.0 * along + across);
        let factor = (0..10).fold(1.0, |factor: f64, _| factor * of_step);
        for ([x, _], t) in rows {
            assert!((t - factor * wave(x)).abs() < 1e-14, "at {x}: {t} is not {}", factor * wave(x));
        }
    }
}

/// A ring's temperature is that of a quarter of it whose sides are one, turned.
#[test]
fn a_quarter_of_a_ring_has_the_temperature_of_the_ring() {
    let (n, m) = (8, 6);
    let mesh = |comm: &Comm| {
        let node = |i: usize, j: usize| (i + (n + 1) * j) as u64;
        let mut builder = cfd_mesh::ElementMeshBuilder::new(2);
        for (id, name) in [(1, "inner"), (2, "rim"), (3, "start"), (4, "end")] {
            builder.name_group(1, id, name);
        }
        if comm.is_root() {
            for (i, j) in (0..=m).flat_map(|j| (0..=n).map(move |i| (i, j))) {
                let (r, angle) = (1.0 + j as f64 / m as f64, 0.25 * TAU * i as f64 / n as f64);
                // Spirals, so that sides are not straight.
                let angle = angle + 0.1 * (r - 1.0);
                builder.add_nodes([5.0 + r * same_math::cos(angle), r * same_math::sin(angle)]);
            }
            for (i, j) in (0..m).flat_map(|j| (0..n).map(move |i| (i, j))) {
                let corners = [node(i, j), node(i, j + 1), node(i + 1, j + 1), node(i + 1, j)];
                builder.add_elements(ElementKind::Quadrilateral, 0, corners);
            }
            for i in 0..n {
                builder.add_elements(ElementKind::Line, 1, [node(i, 0), node(i + 1, 0)]);
                builder.add_elements(ElementKind::Line, 2, [node(i, m), node(i + 1, m)]);
            }
            for j in 0..m {
                builder.add_elements(ElementKind::Line, 3, [node(0, j), node(0, j + 1)]);
                builder.add_elements(ElementKind::Line, 4, [node(n, j + 1), node(n, j)]);
            }
        }
        builder.build(comm).unwrap()
    };
    let motion = Motion::Rotation { center: vec![5.0, 0.0], axis: [0.0, 0.0, 1.0], angle: 90.0 };
    let pair = Periodic { names: ["start", "end"].map(String::from), motion, tolerance: USUAL_TOLERANCE };
    let rows = periodic(mesh, pair, [("hot", "inner"), ("cold", "rim")], |domain, heat| {
        while heat.step(domain, false).unwrap().residual > 1e-13 {}
    });
    // All cells at one radius are alike.
    for row in rows.chunks_exact(n) {
        assert!(row.iter().all(|(_, t)| (t - row[0].1).abs() < 1e-10), "{row:?}");
        let [x, y] = row[0].0;
        let exact = 1.0 - 0.5 * same_math::ln((x - 5.0) * (x - 5.0) + y * y) / LN_2;
        assert!((row[0].1 - exact).abs() < 2e-2, "{} is not {exact}", row[0].1);
    }
}

#[test]
fn a_temperature_that_is_none_is_found_with_its_cell() {
    let comm = Comm::single();
    let mesh = cfd_mesh::generate::block(&comm, 4, 3).unwrap();
    let primary = Heat::FACTS.needs[0].primary(&mesh);
    let mut domain =
        set_up(&comm, mesh, &primary, &Options::default(), Order::File, DomainOptions::default()).unwrap();
    let mut heat: Heat = Application::new(&mut domain, &Config::default(), &Environment::default()).unwrap();
    let mut temperatures = domain.read(heat.temperature()).unwrap();
    let row = domain.global_ids(heat.temperature().set()).iter().position(|&id| id == 7).unwrap();
    temperatures[row] = f64::NAN;
    domain.write(heat.temperature(), &temperatures);
    let message = heat.check(&mut domain).unwrap_err().to_string();
    assert!(message.starts_with("temperature is NaN in element 7 of cells at ("), "{message}");
    assert!(heat.step(&mut domain, false).is_err());
}

/// A square of triangles, hot on the left, cold on the right, insulated above and below.
struct Square {
    domain: Domain,
    heat: Heat,
    remesh: Remesh,
    elements: cfd_mesh::ElementMesh,
}

impl Square {
    fn new(comm: &Comm, method: &str, config: &Config) -> Square {
        let boundaries = Boundaries::new(Heat::FACTS.boundaries)
            .give("hot", ["x_min"])
            .give("cold", ["x_max"])
            .give("insulated", ["y_min", "y_max"]);
        let triangles = ElementBox::unit(Filling::Only(ElementKind::Triangle), [12, 9, 1]);
        let given = Given::Elements(triangles.mesh(comm).unwrap());
        let prepared = given.prepare(comm, Heat::FACTS.needs, &boundaries, 1).unwrap();
        let primary = Heat::FACTS.needs[0].primary(&prepared.mesh);
        let partition = Options { method: method.parse().unwrap(), ..Options::default() };
        let options = DomainOptions::default();
        let mut domain = set_up(comm, prepared.mesh, &primary, &partition, Order::File, options).unwrap();
        let environment = Environment { boundaries: prepared.boundaries, ..Environment::default() };
        let heat = Application::new(&mut domain, config, &environment).unwrap();
        let remesh = Remesh { partition, ..Remesh::new(Heat::FACTS.needs, boundaries) };
        Square { domain, heat, remesh, elements: prepared.elements.unwrap() }
    }

    fn steps(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.heat.step(&mut self.domain, false).unwrap().residual.to_bits()).collect()
    }

    /// Adapts the mesh to be fine where x is near a place; the integral of the temperature.
    fn adapt(&mut self, near: f64) -> u64 {
        let metric = |mesh: &cfd_adapt::mesh::Mesh<2>| -> Result<Vec<Tensor<2>>, MetricError> {
            let size = |v: u32| 0.03 + 0.25 * (View::position(mesh, v)[0] - near).abs();
            let tensor = |v: u32| Tensor([[1.0 / (size(v) * size(v)), 0.0], [0.0, 64.0]]);
            Ok((0..View::vertices(mesh) as u32).map(tensor).collect())
        };
        let carried = self.heat.carried().unwrap();
        let round = self.remesh.round(&mut self.domain, &self.elements, &carried, metric).unwrap();
        let total = round.total("temperature").unwrap()[0].to_bits();
        self.elements = round.elements.clone();
        self.heat.rebuild(&mut self.domain, round).unwrap();
        total
    }

    fn temperatures(&mut self) -> Vec<f64> {
        match AnyDat::from(self.heat.temperature()).read_block(&mut self.domain).unwrap() {
            Values::F64(block) => self.domain.comm().all_gather(&block).concat(),
            Values::I32(_) => panic!("temperatures are f64"),
        }
    }
}

#[test]
fn a_run_goes_on_over_adapted_meshes_with_the_same_bits_on_any_ranks_and_keeps_its_heat() {
    let run = |comm: Comm, method: &str| {
        let mut square = Square::new(&comm, method, &Config::default());
        let mut residuals = square.steps(40);
        let first = square.adapt(0.2);
        let [second, third] = [square.adapt(0.5), square.adapt(0.8)];
        assert_eq!((second, third), (first, first), "no bit of the heat is lost between steps");
        residuals.extend(square.steps(40));
        square.adapt(0.4);
        residuals.extend(square.steps(3));
        square.heat.check(&mut square.domain).unwrap();
        let temperatures = square.temperatures();
        assert!(temperatures.iter().all(|t| (0.0..=1.0).contains(t)), "no extremum inside: {temperatures:?}");
        let outputs = square.heat.outputs();
        let values = outputs.iter().find_map(|output| match output {
            Output::Values(values) => Some(values(&mut square.domain).unwrap()),
            _ => None,
        });
        let values = values.unwrap();
        let names: Vec<&str> = values.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!(names, ["heat.x_max", "heat.x_min", "heat.y_max", "heat.y_min"], "names stay");
        assert!(values[0].1 < 0.0 && values[1].1 > 0.0, "{values:?}");
        assert_eq!((values[2].1, values[3].1), (0.0, 0.0), "no heat flows through insulated boundaries");
        (first, residuals, temperatures.iter().map(|t| t.to_bits()).collect::<Vec<_>>())
    };
    let alone = run(Comm::single(), "block");
    for (ranks, method) in [(2, "rcb"), (5, "random")] {
        for other in Comm::simulate(ranks, |comm| run(comm, method)) {
            assert!(other == alone, "{ranks} ranks");
        }
    }
}

#[test]
fn a_constant_temperature_stays_constant_on_adapted_meshes() {
    let comm = Comm::single();
    let mut square = Square::new(&comm, "block", &Config { hot: 0.7, cold: 0.7, ..Config::default() });
    for near in [0.2, 0.5, 0.8] {
        square.adapt(near);
        let furthest = square.temperatures().iter().map(|t| (t - 0.7).abs()).fold(0.0, f64::max);
        assert!(furthest < 1e-14, "{furthest:e}");
        square.steps(2);
    }
}

#[test]
fn a_case_that_carries_nothing_refuses_another_mesh_before_its_own_is_gone() {
    let comm = Comm::single();
    let mesh = cfd_mesh::generate::block(&comm, 4, 3).unwrap();
    let primary = Heat::FACTS.needs[0].primary(&mesh);
    let mut domain =
        set_up(&comm, mesh, &primary, &Options::default(), Order::File, DomainOptions::default()).unwrap();
    let airfoil = cfd_solvers::airfoil::Airfoil::new(&mut domain, &Default::default()).unwrap();
    let refusal = airfoil.carried().unwrap_err().to_string();
    assert!(refusal.starts_with("this case cannot continue on another mesh"), "{refusal}");
}

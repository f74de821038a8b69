//! Heat conduction against an exact solution, on meshes with boundaries named in a file.

use std::f64::consts::{LN_2, TAU};
use std::fmt::Write;
use std::path::Path;

use cfd_engine::domain::DomainOptions;
use cfd_engine::prelude::*;
use cfd_mesh::{Boundaries, Named};
use cfd_partition::{Method, Options, Order, set_up};
use cfd_solvers::Solver;
use cfd_solvers::case::Application;
use cfd_solvers::heat::{Config, Heat};

crate::device::kernels! {
    heat: cfd_solvers::heat::kernels =>
        start cell_middle conductance boundary_conductance flux boundary_flux jacobi heat_flow find_body find_hottest;
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
        let (mesh, boundaries) = (prepared.mesh, prepared.boundaries);
        let primary = Heat::FACTS.needs[0].primary(&mesh);
        let options = Options { method: Method::Rcb, ..Options::default() };
        let mut domain =
            set_up(&comm, mesh, &primary, &options, Order::File, DomainOptions::default()).unwrap();
        let mut heat: Heat = Application::new(&mut domain, &Config::default(), &boundaries).unwrap();
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

#[test]
fn a_temperature_that_is_none_is_found_with_its_cell() {
    let comm = Comm::single();
    let mesh = cfd_mesh::generate::block(&comm, 4, 3).unwrap();
    let primary = Heat::FACTS.needs[0].primary(&mesh);
    let mut domain =
        set_up(&comm, mesh, &primary, &Options::default(), Order::File, DomainOptions::default()).unwrap();
    let mut heat: Heat = Application::new(&mut domain, &Config::default(), &Named::default()).unwrap();
    let mut temperatures = domain.read(heat.temperature()).unwrap();
    let row = domain.global_ids(heat.temperature().set()).iter().position(|&id| id == 7).unwrap();
    temperatures[row] = f64::NAN;
    domain.write(heat.temperature(), &temperatures);
    let message = heat.check(&mut domain).unwrap_err().to_string();
    assert!(message.starts_with("temperature is NaN in element 7 of cells at ("), "{message}");
    assert!(heat.step(&mut domain, false).is_err());
}

//! Airfoil and Aero on meshes of other programs, in which triangles and quadrilaterals meet: free stream, and the flow
//! around a cylinder against known results.

use std::fmt::Write as _;

use cfd_engine::prelude::*;
use cfd_io::read_derived;
use cfd_mesh::{BILINEAR, Boundaries, CELL_EDGES, Derived};
use cfd_solvers::Solver;
use cfd_solvers::aero::{self, Aero};
use cfd_solvers::airfoil::{Airfoil, Config, Flow};

use crate::harness::{Split, domain_by, in_global_order};

/// A ring around a cylinder of diameter 1, with `around` cells around it: quadrilaterals near it, outside triangles, out
/// to 20 diameters. SU2's format, with the markers "inside" and "outside".
fn ring(around: usize) -> String {
    let angle = std::f64::consts::TAU / around as f64;
    let outward = (40f64.ln() / (1.5 * angle)).round() as usize;
    let mut text = String::from("NDIME= 2\n");
    let mut cells = Vec::new();
    for j in 0..outward {
        for i in 0..around {
            let next = (i + 1) % around;
            let [a, b, c, d] = [(j, i), (j + 1, i), (j + 1, next), (j, next)].map(|(j, i)| j * around + i);
            if j < outward / 3 {
                cells.push(format!("9 {a} {b} {c} {d}"));
            } else if 2 * i < around {
                // Diagonals are mirrored about y = 0; every other cell runs clockwise.
                cells.extend([format!("5 {a} {b} {c}"), format!("5 {a} {d} {c}")]);
            } else {
                cells.extend([format!("5 {a} {d} {b}"), format!("5 {b} {c} {d}")]);
            }
        }
    }
    writeln!(text, "NELEM= {}\n{}\nNPOIN= {}", cells.len(), cells.join("\n"), around * (outward + 1))
        .unwrap();
    for j in 0..=outward {
        for i in 0..around {
            let (r, phi) = (0.5 * 40f64.powf(j as f64 / outward as f64), i as f64 * angle);
            writeln!(text, "{:?} {:?}", r * phi.cos(), r * phi.sin()).unwrap();
        }
    }
    for (name, first) in [("inside", 0), ("outside", around * outward)] {
        writeln!(text, "MARKER_TAG= {name}\nMARKER_ELEMS= {around}").unwrap();
        (0..around).for_each(|i| writeln!(text, "3 {} {}", first + i, first + (i + 1) % around).unwrap());
    }
    text
}

/// A file with this content, and the kinds of its boundaries.
struct Read {
    file: tempfile::NamedTempFile,
    boundaries: Boundaries,
}

impl Read {
    fn new(content: &str, wall: &[&str], far_field: &[&str]) -> Read {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), content).expect("a mesh file");
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        Read {
            file,
            boundaries: Boundaries::default().give("wall", list(wall)).give("far_field", list(far_field)),
        }
    }

    fn domain(&self, comm: &Comm, split: &Split) -> Domain {
        self.domain_of(comm, split, &CELL_EDGES)
    }

    fn domain_of(&self, comm: &Comm, split: &Split, derived: &'static Derived) -> Domain {
        let mesh = read_derived(comm, self.file.path(), derived, &self.boundaries).expect("a mesh");
        let primary = derived.primary(&mesh);
        domain_by(comm, mesh, split, &primary)
    }
}

#[test]
fn the_free_stream_stays_on_triangles_and_quadrilaterals() {
    let read = Read::new(&ring(24), &[], &["inside", "outside"]);
    let config = Config { alpha: 3.0, ..Config::default() };
    let expected = Flow::new(&config).qinf;
    for split in [Split::new(1, "block"), Split::new(3, "metis")] {
        Comm::simulate(split.ranks, |comm| {
            let mut domain = read.domain(&comm, &split);
            let mut airfoil = Airfoil::new(&mut domain, &config).expect("an airfoil mesh");
            for _ in 0..100 {
                let residual = airfoil.step(&mut domain, false).expect("a flow that stays sound").residual;
                assert!(residual < 1e-15, "{split:?}: residual {residual:e}");
            }
            for q in domain.read(airfoil.q()).unwrap().as_chunks::<4>().0 {
                assert!((0..4).all(|m| (q[m] - expected[m]).abs() < 1e-15 * expected[3]), "{split:?}: {q:?}");
            }
        });
    }
}

#[test]
fn one_flow_has_the_same_bits_on_any_number_of_ranks() {
    let read = Read::new(&ring(24), &["inside"], &["outside"]);
    let solution = |split: &Split| {
        in_global_order::<4>(Comm::simulate(split.ranks, |comm| {
            let mut domain = read.domain(&comm, split);
            let mut airfoil = Airfoil::new(&mut domain, &Config::default()).expect("an airfoil mesh");
            (0..50).for_each(|_| drop(airfoil.step(&mut domain, false).expect("a sound flow")));
            (domain.global_ids(airfoil.q().set()).to_vec(), domain.read(airfoil.q()).unwrap())
        }))
    };
    let bits = |q: Vec<[f64; 4]>| q.into_flattened().into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let expected = bits(solution(&Split::new(1, "block")));
    for split in [Split::new(2, "metis"), Split::new(3, "random"), Split::new(5, "rcb")] {
        assert!(bits(solution(&split)) == expected, "{split:?}");
    }
}

/// Known results for the flow around a cylinder.
#[derive(Debug)]
struct Cylinder {
    /// Highest and lowest pressure coefficient on the wall.
    stagnation: f64,
    suction: f64,
    lift: f64,
    drag: f64,
}

fn cylinder(around: usize, config: &Config, iterations: u64) -> Cylinder {
    let read = Read::new(&ring(around), &["inside"], &["outside"]);
    let comm = Comm::single();
    let mut domain = read.domain(&comm, &Split::new(1, "block"));
    let mut airfoil = Airfoil::new(&mut domain, config).expect("an airfoil mesh");
    let mut last = None;
    for iteration in 1..=iterations {
        last = Some(airfoil.step(&mut domain, iteration == iterations).expect("a sound flow"));
    }
    let last = last.expect("a step");
    assert!(last.residual < 1e-5, "{around}: the flow has settled: {:e}", last.residual);
    let cp = airfoil.wall_pressure(&mut domain).unwrap().into_iter().map(|[_, _, cp]| cp);
    let (low, high) =
        cp.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), cp| (low.min(cp), high.max(cp)));
    Cylinder { stagnation: high, suction: low, lift: last.values[0], drag: last.values[1] }
}

#[test]
fn the_flow_around_a_cylinder_tends_to_what_theory_says() {
    let mach = 0.3;
    let config = Config { mach, eps: 0.02, ..Config::default() };
    let coarse = cylinder(32, &config, 1500);
    let fine = cylinder(64, &config, 3000);
    // The gas brought to rest without losses:
    // cp = ((1 + (gamma - 1) M^2 / 2)^(gamma / (gamma - 1)) - 1) / (gamma M^2 / 2) = 1 + M^2 / 4 + ...
    let theory = ((1.0 + 0.2 * mach * mach).powf(3.5) - 1.0) / (0.7 * mach * mach);
    assert!((theory - 1.0 - mach * mach / 4.0).abs() < 1e-3);
    // The scheme is first order: halving the cell size about halves the errors.
    let error = |found: &Cylinder| (found.stagnation - theory).abs();
    assert!(error(&fine) < 0.15 && error(&fine) < 0.85 * error(&coarse), "{theory}: {coarse:?}, {fine:?}");
    // Without losses and at low speed the lowest pressure coefficient is -3, and there is no drag.
    let error = |found: &Cylinder| found.suction + 3.0;
    assert!(error(&fine) > 0.0 && error(&fine) < 0.7 * error(&coarse), "{coarse:?}, {fine:?}");
    assert!(fine.drag > 0.0 && fine.drag < 0.7 * coarse.drag, "{coarse:?}, {fine:?}");
    assert!(coarse.lift.abs() < 1e-10 && fine.lift.abs() < 1e-10, "above and below are the same");
}

#[test]
fn the_potential_around_a_cylinder_is_the_known_one_and_has_the_same_bits_on_any_number_of_ranks() {
    let read = Read::new(&ring(48), &["inside"], &["outside"]);
    let config = aero::Config::default();
    let potential = |split: &Split| {
        in_global_order::<1>(Comm::simulate(split.ranks, |comm| {
            let mut domain = read.domain_of(&comm, split, &BILINEAR);
            let mut aero = Aero::new(&mut domain, &config).expect("a mesh of bilinear elements");
            (0..8).for_each(|_| drop(aero.step(&mut domain, false).expect("a sound flow")));
            (domain.global_ids(aero.phi().set()).to_vec(), domain.read(aero.phi()).unwrap())
        }))
    };
    let bits = |phi: &[[f64; 1]]| phi.iter().map(|[phi]| phi.to_bits()).collect::<Vec<_>>();
    let expected = potential(&Split::new(1, "block"));
    for split in [Split::new(2, "metis"), Split::new(5, "rcb")] {
        assert!(bits(&potential(&split)) == bits(&expected), "{split:?}");
    }
    // phi = M (r + R^2 / r) cos(angle), so M at the rearmost node of a cylinder of radius 1/2, the first of the file; a free
    // stream has half of it there.
    let [rear] = expected[0];
    assert!((rear / config.mach - 1.0).abs() < 0.02, "{rear}");
}

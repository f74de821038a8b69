//! Quantities derived from the potential.

use cfd_engine::prelude::*;
use cfd_solvers::aero::{Aero, Config};
use cfd_solvers::{Solver, Work};

use crate::aero::harness::{Split, domain, naca0012, run_alone};

fn values(domain: &mut Domain, solver: &Aero) -> [Vec<f64>; 3] {
    let fields = solver.cell_fields(domain);
    assert_eq!(fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["velocity", "mach", "cp"]);
    [0, 1, 2].map(|field| fields[field].dat.read_f64(domain).unwrap())
}

#[test]
fn the_free_stream_has_its_velocity_and_mach_number_and_no_pressure_coefficient() {
    let comm = Comm::single();
    let mesh = cfd_mesh::generate::square(&comm, 6, 0.2).expect("a mesh");
    let mut domain = domain(&comm, mesh, &Split::new(1, "block"));
    let mut solver = Aero::new(&mut domain, &Config { mach: 0.25, ..Config::default() }).unwrap();
    let [velocity, mach, cp] = values(&mut domain, &solver);
    for ((velocity, mach), cp) in velocity.chunks_exact(2).zip(mach).zip(cp) {
        assert!((velocity[0] - 0.25).abs() < 1e-14 && velocity[1].abs() < 1e-14);
        assert!((mach - 0.25).abs() < 1e-14 && cp.abs() < 1e-12);
    }
    assert_eq!(
        solver.wall_pressure(&mut domain).unwrap(),
        Vec::<[f64; 3]>::new(),
        "all of the boundary is far field"
    );
    assert!(solver.check(&mut domain).is_ok());
}

#[test]
fn pressure_and_mach_number_are_those_of_isentropic_flow() {
    for gamma in [1.4, 1.25] {
        let config = Config { gamma, mach: 0.5, ..Config::default() };
        let (mut domain, solver, _) = run_alone(|comm| naca0012(comm, [12, 10]), &config, 4);
        let [velocity, mach, cp] = values(&mut domain, &solver);
        for ((velocity, mach), cp) in velocity.chunks_exact(2).zip(mach).zip(cp) {
            // Total temperature is constant: (1 + (gamma-1)/2 Ma^2) T = 1 + (gamma-1)/2 Ma_inf^2.
            let total = |mach: f64| 1.0 + 0.5 * (gamma - 1.0) * mach * mach;
            let t = total(0.5) / total(mach);
            let speed = mach * t.sqrt();
            assert!((velocity[0].hypot(velocity[1]) - speed).abs() < 1e-14);
            let pressure = t.powf(gamma / (gamma - 1.0));
            assert!((cp - (pressure - 1.0) / (0.5 * gamma * 0.25)).abs() < 1e-13);
        }
    }
}

#[test]
fn the_wall_runs_once_around_the_airfoil_from_its_trailing_edge() {
    let (mut domain, solver, _) = run_alone(|comm| naca0012(comm, [40, 50]), &Config::default(), 8);
    let wall = solver.wall_pressure(&mut domain).unwrap();
    assert_eq!(wall.len(), 40, "a piece for each of the airfoil's sides");
    let (one, other) = wall.split_at(20);
    assert!(one.is_sorted_by(|a, b| a[0] > b[0]) && other.is_sorted_by(|a, b| a[0] < b[0]), "{wall:?}");
    // No lift, stagnation at the nose, suction on the sides.
    for (a, b) in one.iter().zip(other.iter().rev()) {
        assert_eq!((a[0], a[1]), (b[0], -b[1]));
        assert!((a[2] - b[2]).abs() < 1e-9, "{a:?} {b:?}");
    }
    let highest = wall.iter().map(|p| p[2]).fold(f64::MIN, f64::max);
    let lowest = wall.iter().map(|p| p[2]).fold(f64::MAX, f64::min);
    assert!((0.85..1.003).contains(&highest) && one[19][2] == highest, "{highest}");
    // Incompressible flow around a NACA0012 has its lowest cp near -0.41.
    assert!((-0.43..-0.39).contains(&lowest), "{lowest}");
}

#[test]
fn the_figure_of_merit_counts_the_steps_of_the_conjugate_gradients() {
    let (_, solver, history) = run_alone(|comm| naca0012(comm, [8, 8]), &Config::default(), 3);
    let steps: f64 = history.iter().map(|row| row[1]).sum();
    let Work { steps: name, count, .. } = solver.work(3);
    assert_eq!((name, count), ("CG-steps", steps as u64));
    assert_eq!(solver.columns().len(), 3);
    assert!(history.iter().all(|row| row[2] <= 0.1), "{history:?}");
}

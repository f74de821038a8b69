use cfd_adapt::geometry::Point;
use cfd_adapt::mesh::Mesh;
use cfd_adapt::transfer::{Admits, Conserve};
use cfd_engine::comm::Comm;

use crate::mesh::{adapt, at_vertices, start};
use crate::nodal::{BOTH, adapt_to, front};

fn is_inside(p: &Point<2>) -> bool {
    (p[0] - 0.4) * (p[0] - 0.4) + (p[1] - 0.5) * (p[1] - 0.5) < 0.09
}

#[test]
fn a_step_stays_within_its_bounds() {
    let step = |p: &Point<2>| [if is_inside(p) { 0.7 } else { 0.1 }];
    Comm::simulate(2, |comm| {
        let mut mesh = start(&comm);
        for (name, conserve) in BOTH {
            mesh.add_nodal_field(name, 1, conserve, None, &at_vertices(&mesh, step)).unwrap();
        }
        for turn in 0..6 {
            adapt(&mut mesh, turn, 1);
            for (name, conserve) in BOTH {
                let values = mesh.nodal_field(name).unwrap();
                let own: Vec<f64> = mesh.local().own_vertices().map(|v| values[v as usize]).collect();
                let slack = if conserve == Conserve::Exact { 1e-14 } else { 0.0 };
                let inside = |value: &f64| (0.1 - slack..=0.7 + slack).contains(value);
                assert!(own.iter().all(inside), "{name} after {turn}: {own:?}");
                // A step is spread, not lost.
                let [low, high] = [0.2, 0.6].map(|bound| own.iter().filter(|&&u| u < bound).count());
                let [low, high] = [low, own.len() - high].map(|count| mesh.comm().sum(count as u64));
                assert!(low > 10 && high > 10, "{name}: {low} {high}");
            }
        }
    });
}

/// Pressure of density, momentum and energy, for an ideal gas with the ratio 1.4 of its specific heats.
fn pressure(u: &[f64]) -> f64 {
    0.4 * (u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0])
}

fn is_gas(u: &[f64]) -> bool {
    u[0] > 0.0 && pressure(u) > 0.0
}

fn state(density: f64, [u, v]: [f64; 2], pressure: f64) -> [f64; 4] {
    [density, density * u, density * v, pressure / 0.4 + 0.5 * density * (u * u + v * v)]
}

/// A gas beside one that is 10^18 times as dense, and flows another way.
fn gas(p: &Point<2>) -> [f64; 4] {
    match is_inside(p) {
        true => state(1e12, [1.0, -2.0], 1e12),
        false => state(1e-6, [-1.0 + p[1], 3.0], 1e-6),
    }
}

/// A fast one, whose energy is nearly that of its motion.
fn fast(p: &Point<2>) -> [f64; 4] {
    match is_inside(p) {
        true => state(1.0, [10.0, 0.0], 0.02),
        false => state(0.125, [-10.0, 5.0 * p[0]], 0.01),
    }
}

/// The vertices whose values are not those of a gas, after adaptations there and back.
fn lost(field: impl Fn(&Point<2>) -> [f64; 4] + Sync, admits: Option<Admits>) -> [u64; 2] {
    let counts = Comm::simulate(2, |comm| {
        let mut mesh = start(&comm);
        for (name, conserve) in BOTH {
            mesh.add_nodal_field(name, 4, conserve, admits, &at_vertices(&mesh, &field)).unwrap();
        }
        let count = |mesh: &Mesh<2>, name: &str| {
            let values = mesh.nodal_field(name).unwrap();
            let is_lost = |v: &u32| !is_gas(&values[4 * *v as usize..][..4]);
            mesh.comm().sum(mesh.local().own_vertices().filter(is_lost).count() as u64)
        };
        let mut lost = [0; 2];
        let mut note = |mesh: &Mesh<2>| (0..2).for_each(|i| lost[i] += count(mesh, BOTH[i].0));
        for turn in 0..4 {
            adapt(&mut mesh, turn, 1);
            note(&mesh);
        }
        adapt_to(&mut mesh, front);
        note(&mesh);
        lost
    });
    counts[0]
}

#[test]
fn density_and_pressure_stay_positive() {
    assert_eq!(lost(gas, Some(is_gas)), [0; 2]);
    assert_eq!(lost(fast, Some(is_gas)), [0; 2]);
}

/// Bounds of each component by itself do not bound a pressure.
#[test]
fn without_knowing_what_is_admitted_pressures_become_negative() {
    let counts = lost(fast, None);
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

//! Periodic boundaries, on the finest level and below.

use cfd_engine::domain::DomainOptions;
use cfd_engine::mesh::Values;
use cfd_engine::prelude::*;
use cfd_mesh::generate::element_box::{ElementBox, Filling, SIDES};
use cfd_mesh::{Boundaries, ElementKind, ElementMesh, Given, Motion, Periodic, USUAL_TOLERANCE};
use cfd_partition::{Method, Options, Order, set_up};
use cfd_solvers::Solver;
use cfd_solvers::case::{Application, Environment};
use cfd_solvers::mgcfd::config::{Config, Limiter, Scheme, TimeStep, Up};
use cfd_solvers::mgcfd::{Flow, Mgcfd};

/// The condition of sides; the z ones continue at each other.
type Conditions = [(&'static str, &'static str)];

const OPEN: &Conditions =
    &[("x_min", "far_field"), ("x_max", "far_field"), ("y_min", "far_field"), ("y_max", "far_field")];
const CHANNEL: &Conditions =
    &[("x_min", "far_field"), ("x_max", "far_field"), ("y_min", "wall"), ("y_max", "wall")];

/// Positions with values of their nodes.
type Rows = Vec<([f64; 3], [f64; 5])>;

fn continued(along: &[usize], other: &Conditions) -> Boundaries {
    let pair = |axis: &usize| Periodic {
        names: [2 * axis, 2 * axis + 1].map(|side| SIDES[side].into()),
        motion: Motion::Translation(None),
        tolerance: USUAL_TOLERANCE,
    };
    let other = other
        .iter()
        .fold(Boundaries::new(Mgcfd::FACTS.boundaries), |all, (side, kind)| all.give(kind, [*side]));
    along.iter().map(pair).fold(other, Boundaries::pair)
}

/// The states at the end of some cycles on each rank.
fn after(
    cycles: usize,
    ranks: usize,
    mesh: impl Fn(&Comm) -> ElementMesh + Sync,
    boundaries: &Boundaries,
    config: &Config,
    start: impl Fn([f64; 3]) -> Option<[f64; 5]> + Sync,
) -> Vec<(Rows, f64)> {
    Comm::simulate(ranks, |comm| {
        let given = Given::Elements(mesh(&comm));
        let levels = config.levels as usize;
        let prepared = given.prepare(&comm, Mgcfd::FACTS.needs, boundaries, levels).expect("a dual mesh");
        Mgcfd::check_mesh(&comm, &prepared.mesh, config).expect("closed cells");
        let primary = Mgcfd::FACTS.needs[0].primary(&prepared.mesh);
        let options = Options { method: Method::Rcb, ..Options::default() };
        let domain = set_up(&comm, prepared.mesh, &primary, &options, Order::File, DomainOptions::default());
        let mut domain = domain.expect("a domain");
        let environment = Environment { boundaries: prepared.boundaries, ..Environment::default() };
        let mut solver =
            <Mgcfd as Application>::new(&mut domain, config, &environment).expect("a mesh of levels");
        let q = solver.variables()[0];
        let x: Dat<3> = domain.dat("level0/x").expect("positions");
        let x = domain.read(x).unwrap().as_chunks::<3>().0.to_vec();
        let free = domain.read(q).unwrap();
        let rows = x.iter().zip(free.as_chunks::<5>().0);
        let begun: Vec<f64> = rows.flat_map(|(x, free)| start(*x).unwrap_or(*free)).collect();
        domain.write(q, &begun);
        let mut residual = f64::INFINITY;
        for _ in 0..cycles {
            residual = solver.step(&mut domain, false).expect("a flow that stays sound").residual;
        }
        let q = domain.read(q).unwrap();
        (x.into_iter().zip(q.as_chunks::<5>().0.iter().copied()).collect(), residual)
    })
}

fn free_stream(config: &Config) -> [f64; 5] {
    Flow::new(config).qinf
}

fn largest(rows: &Rows, of: impl Fn([f64; 3], [f64; 5]) -> f64) -> f64 {
    rows.iter().fold(0.0, |most, (x, q)| most.max(of(*x, *q).abs()))
}

#[test]
fn the_free_stream_stays_between_periodic_boundaries_on_all_levels() {
    let (cells, lengths) = ([8, 7, 7], [1.2, 1.0, 0.8]);
    for kind in [ElementKind::Hexahedron, ElementKind::Tetrahedron, ElementKind::Prism] {
        let mesh = ElementBox { filling: Filling::Only(kind), cells, lengths, distortion: 0.2 };
        for time_step in [TimeStep::Matrix, TimeStep::Scalar] {
            let config = Config { levels: 2, time_step, alpha: Some(12.0), up: Up::Z, ..Config::default() };
            let free = free_stream(&config);
            let boundaries = continued(&[2], OPEN);
            let mesh = |comm: &Comm| mesh.mesh(comm).expect("a box");
            for (rows, _) in after(5, 2, mesh, &boundaries, &config, |_| None) {
                let off = largest(&rows, |_, q| (0..5).map(|m| (q[m] - free[m]).abs()).sum());
                assert!(off < 1e-12, "{kind:?}, {time_step:?}: {off:e}");
            }
        }
    }
}

/// A channel of hexahedra whose lower wall has a bump that does not vary along z.
fn bump(comm: &Comm, [i, j, k]: [u64; 3], width: f64) -> ElementMesh {
    let filling = Filling::Only(ElementKind::Hexahedron);
    let mesh = ElementBox { filling, cells: [i, j, k], lengths: [3.0, 1.0, width], distortion: 0.0 };
    let mut mesh = mesh.mesh(comm).expect("a box");
    let x = mesh.mesh.dat("x").expect("positions");
    let Values::F64(x) = &mut mesh.mesh.dats[x].values else { panic!("positions are real numbers") };
    for [x, y, _] in x.as_chunks_mut::<3>().0 {
        let along = (std::f64::consts::PI * (*x - 1.0)).sin();
        if (1.0..2.0).contains(x) {
            *y += 0.06 * along * along * (1.0 - *y);
        }
    }
    mesh
}

/// A flow that also goes through periodic boundaries is the flow without that motion, beside it: density, pressure and the
/// velocity across do not know of it. Multigrid gets there.
#[test]
fn a_swept_flow_is_the_flow_in_the_plane() {
    let alpha: f64 = 25.0;
    let (across, along) = (0.4, 0.4 * alpha.to_radians().tan());
    let still = Config {
        mach: Some(across),
        alpha: Some(0.0),
        up: Up::Z,
        limiter: Limiter::None,
        levels: 3,
        ..Config::default()
    };
    let swept = Config { mach: Some(across.hypot(along)), alpha: Some(alpha), ..still.clone() };
    let boundaries = continued(&[2], CHANNEL);
    let mesh = |comm: &Comm| bump(comm, [24, 8, 4], 0.5);
    let [(still_rows, first), (swept_rows, second)] = [&still, &swept].map(|config| {
        let mut of_ranks = after(125, 1, mesh, &boundaries, config, |_| None);
        of_ranks.pop().expect("one rank")
    });
    assert!(first < 1e-9 && second < 1e-9, "{first:e}, {second:e}");
    let z_velocity = {
        let q = free_stream(&swept);
        q[3] / q[0]
    };
    let mut off: f64 = 0.0;
    for ((x, a), (y, b)) in still_rows.iter().zip(&swept_rows) {
        assert_eq!(x, y);
        let pressure = |q: &[f64; 5]| 0.4 * (q[4] - 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / q[0]);
        off = off.max((b[3] / b[0] - z_velocity).abs()).max((pressure(a) - pressure(b)).abs());
        off = (0..3).fold(off, |off, m| off.max((a[m] - b[m]).abs()));
    }
    assert!(off < 1e-6, "{off:e}");
    let disturbed = largest(&swept_rows, |_, q| q[0] - 1.4);
    assert!(disturbed > 0.02, "a bump that nothing feels: {disturbed:e}");
}

/// One period alone is each of two, wave by wave, on the finest level, whose cells are the same ones; coarse cells are not.
#[test]
fn one_period_alone_is_each_of_two() {
    let config = Config { levels: 1, cfl: 0.8, ..Config::default() };
    let wave = |x: [f64; 3]| {
        let [s, c] = [(4.0 * std::f64::consts::PI * x[2]).sin(), (3.0 * x[0]).cos()];
        Some([1.4 + 0.1 * s, 0.8, 0.1 * c, 0.2 + 0.1 * s * c, 3.0])
    };
    for time_step in [TimeStep::Matrix, TimeStep::Scalar] {
        let config = Config { time_step, ..config.clone() };
        let rows = |periods: u64| {
            let mesh = |comm: &Comm| bump(comm, [12, 5, 6 * periods], 0.5 * periods as f64);
            let (rows, _) =
                after(4, 1, mesh, &continued(&[2], CHANNEL), &config, wave).pop().expect("one rank");
            rows
        };
        let two = rows(2);
        for (x, one) in rows(1) {
            for shift in [0.0, 0.5] {
                let near = |y: [f64; 3]| {
                    (y[0] - x[0]).abs() + (y[1] - x[1]).abs() + (y[2] - x[2] - shift).abs() < 1e-9
                };
                let (_, other) = two.iter().find(|(y, _)| near(*y)).expect("the same node");
                let off = (0..5).fold(0.0f64, |off, m| off.max((one[m] - other[m]).abs()));
                assert!(off < 1e-11, "{time_step:?}, {x:?}: {off:e}");
            }
        }
    }
}

#[test]
fn ranks_change_no_bit_and_copies_have_those_of_each_other() {
    let config = Config { levels: 2, ..Config::default() };
    let (cells, lengths) = ([7, 6, 6], [1.2, 1.0, 0.8]);
    let mesh = ElementBox { filling: Filling::MixedSpace, cells, lengths, distortion: 0.2 };
    let mesh = |comm: &Comm| mesh.mesh(comm).expect("a box");
    let start = |x: [f64; 3]| Some([1.4 + 0.1 * (5.0 * x[0]).sin(), 0.6, 0.1 * (4.0 * x[1]).cos(), 0.3, 3.0]);
    let bits = |ranks: usize| {
        let all = after(3, ranks, mesh, &continued(&[2], OPEN), &config, start);
        let rows = all.into_iter().flat_map(|(rows, _)| rows);
        let mut rows: Vec<_> = rows.map(|(x, q)| (x.map(f64::to_bits), q.map(f64::to_bits))).collect();
        rows.sort_unstable();
        rows
    };
    let one = bits(1);
    for ranks in [2, 3, 5] {
        assert!(bits(ranks) == one, "{ranks} ranks");
    }
    for (x, q) in &one {
        let [x, y, z] = x.map(f64::from_bits);
        let is_copy = |other: &[u64; 3]| {
            let [other_x, other_y, other_z] = other.map(f64::from_bits);
            (other_x - x).abs() + (other_y - y).abs() + (other_z - 0.8).abs() < 1e-9
        };
        if z == 0.0 {
            let (_, copy) = one.iter().find(|(other, _)| is_copy(other)).expect("the copy is there");
            assert_eq!(copy, q);
        }
    }
}

#[test]
fn the_proxy_refuses_them() {
    let comm = Comm::single();
    let prepared = Given::Elements(bump(&comm, [4, 3, 3], 0.5))
        .prepare(&comm, Mgcfd::FACTS.needs, &continued(&[2], CHANNEL), 1)
        .expect("a dual mesh");
    let config = Config { scheme: Scheme::Proxy, ..Config::default() };
    let refusal = Mgcfd::check_mesh(&comm, &prepared.mesh, &config).unwrap_err().to_string();
    assert!(refusal.contains("use mgcfd.scheme = \"euler\""), "{refusal}");
}

#[path = "turned.rs"]
mod turned;

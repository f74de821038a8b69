use std::collections::BTreeSet;

use cfd_adapt::geometry::Point;
use cfd_adapt::mesh::Mesh;
use cfd_adapt::metric::{Curvature, Floors, Norm, Waves};
use cfd_adapt::operation::{Adapter, Bounds, Counts, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_adapt::transfer::Conserve;
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;

use crate::mesh::{adapt, at_vertices, square, start};

/// How a field may be conserved, with a name for it.
pub const BOTH: [(&str, Conserve); 2] = [("rounding", Conserve::Rounding), ("exact", Conserve::Exact)];

/// The metric of the front of the published benchmark.
pub fn front(p: &Point<2>) -> Tensor<2> {
    let waves = Waves { time: 0.0, period: 100.0 };
    let floors = Floors { absolute: 1e-3, ..Floors::default() };
    let curvature = Curvature { norm: Norm::Eta { p: 2.0, eta: 0.02, epsilon: 0.0 }, floors };
    curvature.metric_at(&waves.hessian(p)).expect("a metric of a place")
}

fn uniform(h: f64) -> impl Fn(&Point<2>) -> Tensor<2> {
    move |_| Tensor([[1.0 / (h * h), 0.0], [0.0, 1.0 / (h * h)]])
}

/// Adapts the mesh with the usual bounds.
pub fn adapt_to(mesh: &mut Mesh<2>, metric: impl Fn(&Point<2>) -> Tensor<2>) {
    let counts = adapt_within(mesh, metric, Bounds::default());
    assert!(counts.changes() > 50 && counts.moves > 50, "{counts:?}");
}

/// Adapts the mesh, and checks it after every pass.
fn adapt_within(mesh: &mut Mesh<2>, metric: impl Fn(&Point<2>) -> Tensor<2>, bounds: Bounds) -> Counts {
    mesh.set_metric_at(metric);
    let pool = ThreadPool::new(1);
    let adapter = Adapter { bounds, metric: MetricAt::Carried, pool: &pool, balance: None, most: None };
    let checked = |mesh: &Mesh<2>, phase| {
        mesh.check().unwrap_or_else(|defect| panic!("after {phase:?}: {defect}"));
    };
    adapter.adapt(mesh, checked).expect("it can be adapted").total
}

/// The largest difference of values at this rank's vertices.
pub fn worst(mesh: &Mesh<2>, one: &[f64], other: &[f64], dim: usize) -> f64 {
    let own = mesh.local().own_vertices().flat_map(|v| v as usize * dim..(v as usize + 1) * dim);
    own.map(|i| (one[i] - other[i]).abs()).fold(0.0, f64::max)
}

fn linear(p: &Point<2>) -> [f64; 2] {
    [1.0 + 2.0 * p[0] - 3.0 * p[1], 0.7 * p[1] - 5.0]
}

#[test]
fn linear_fields_stay_what_they_are() {
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let mut mesh = start(&comm);
            for (name, conserve) in BOTH {
                mesh.add_nodal_field(name, 2, conserve, None, &at_vertices(&mesh, linear)).unwrap();
            }
            adapt_to(&mut mesh, front);
            let exact = at_vertices(&mesh, linear);
            for (name, _) in BOTH {
                let error = worst(&mesh, &mesh.nodal_field(name).unwrap(), &exact, 2);
                assert!(error < 1e-12, "{name}: {error:e}");
            }
        });
    }
}

/// The corners of the elements around a vertex, in an order of their own.
fn star(mesh: &Mesh<2>, v: u32) -> Vec<[u64; 2]> {
    let (vertices, elements) = (mesh.local().vertices(), mesh.local().elements());
    let corners = mesh.local().star(v).iter().flat_map(|&e| elements.corners(e));
    let mut places: Vec<[u64; 2]> = corners.map(|&c| vertices.position(c).map(f64::to_bits)).collect();
    places.sort_unstable();
    places
}

#[test]
fn values_at_vertices_around_which_nothing_changes_are_returned() {
    let field = |p: &Point<2>| [(7.0 * p[0]).exp() * (0.1 + p[1]), -1e-6 / (0.1 + p[0]), 0.1 + 0.2];
    Comm::simulate(2, |comm| {
        let mut mesh = start(&comm);
        for (name, conserve) in BOTH {
            mesh.add_nodal_field(name, 3, conserve, None, &at_vertices(&mesh, field)).unwrap();
        }
        let before: BTreeSet<Vec<[u64; 2]>> = mesh.local().own_vertices().map(|v| star(&mesh, v)).collect();
        // Only the left is refined, and nothing moves.
        let metric = |p: &Point<2>| {
            let h = if p[0] < 0.25 { 0.06 } else { 0.12 };
            let [x, y] = [h * (1.0 - 0.3 * p[1]), h];
            Tensor([[1.0 / (x * x), 0.0], [0.0, 1.0 / (y * y)]])
        };
        let still =
            Bounds { passes: 2, turns: 0, laplacian: 0, optimisation: 0, swap: 0.0, ..Bounds::default() };
        let counts = adapt_within(&mut mesh, metric, still);
        assert!(counts.changes() > 20, "{counts:?}");
        let same: Vec<u32> =
            mesh.local().own_vertices().filter(|&v| before.contains(&star(&mesh, v))).collect();
        assert!(mesh.comm().sum(same.len() as u64) > 40, "{}", same.len());
        let exact = at_vertices(&mesh, field);
        for (name, conserve) in BOTH {
            let values = mesh.nodal_field(name).unwrap();
            for i in same.iter().flat_map(|&v| 3 * v as usize..3 * v as usize + 3) {
                let allowed = if conserve == Conserve::Exact { 1e-15 * exact[i].abs() } else { 0.0 };
                let [found, value] = [values[i], exact[i]];
                assert!((found - value).abs() <= allowed, "{name}: {found:e} instead of {value:e}");
            }
        }
    });
}

fn wave(p: &Point<2>) -> [f64; 1] {
    [2.0 + (3.0 * p[0]).sin() * (2.0 * p[1] + 0.3).cos()]
}

/// The largest errors after the adaptation to a mesh twice as fine, and back again.
fn errors(n: u64) -> [f64; 2] {
    let errors = Comm::simulate(1, |comm| {
        let mut mesh = Mesh::new(&comm, &square(&comm, n)).unwrap();
        for (name, conserve) in BOTH {
            mesh.add_nodal_field(name, 1, conserve, None, &at_vertices(&mesh, wave)).unwrap();
        }
        let total = |mesh: &Mesh<2>| BOTH.map(|(name, _)| mesh.total(name).unwrap()[0]);
        let before = total(&mesh);
        let h = 1.0 / n as f64;
        let errors = [0.5 * h, h].map(|size| {
            adapt_to(&mut mesh, uniform(size));
            let exact = at_vertices(&mesh, wave);
            let [one, other] =
                BOTH.map(|(name, _)| worst(&mesh, &mesh.nodal_field(name).unwrap(), &exact, 1));
            assert!((one - other).abs() < 1e-12, "conserved exactly or not, {one:e} and {other:e}");
            one
        });
        let after = total(&mesh);
        assert!((after[0] - before[0]).abs() < 1e-13 * before[0], "{after:?} {before:?}");
        assert_eq!(after[1], before[1]);
        errors
    });
    errors[0]
}

#[test]
fn the_error_of_a_smooth_field_is_of_second_order() {
    let errors = [8, 16, 32].map(errors);
    for turn in 0..2 {
        let [coarse, middle, fine] = errors.map(|of| of[turn]);
        assert!(fine < coarse / 10.0 && fine < 3e-3, "{coarse:e} {middle:e} {fine:e}");
    }
}

#[test]
fn ten_adaptations_there_and_back_keep_the_mass() {
    let field = |p: &Point<2>| {
        let inside = (p[0] - 0.4).powi(2) + (p[1] - 0.5).powi(2) < 0.09;
        [if inside { 3.0 } else { 0.2 }, p[0] * p[0] - 2.0 * p[1] + 0.7]
    };
    for ranks in [1, 3] {
        Comm::simulate(ranks, |comm| {
            let mut mesh = start(&comm);
            let values = at_vertices(&mesh, field);
            for (name, conserve) in BOTH {
                mesh.add_nodal_field(name, 2, conserve, None, &values).unwrap();
            }
            let before = BOTH.map(|(name, _)| mesh.total(name).unwrap());
            let units = mesh.total_units("exact").unwrap();
            let volume = |v: u32| -> f64 {
                let star = mesh.local().star(v).iter();
                star.map(|&e| mesh.local().measure(e)).sum::<f64>() / 3.0
            };
            let of = |v: u32, i: usize| values[2 * v as usize + i] * volume(v);
            for i in 0..2 {
                let sum = mesh.exact_sum(mesh.local().own_vertices().map(|v| of(v, i)));
                assert!(before.iter().all(|total| (total[i] - sum).abs() < 1e-14), "{before:?} {sum}");
            }
            for turn in 0..10 {
                adapt(&mut mesh, turn, 1);
            }
            // Relative to 1, about the size of both fields' absolute values: the second's mass nearly cancels.
            let now = BOTH.map(|(name, _)| mesh.total(name).unwrap());
            for i in 0..2 {
                assert!((now[0][i] - before[0][i]).abs() < 1e-13, "{:e} {:e}", now[0][i], before[0][i]);
            }
            assert_eq!(now[1], before[1]);
            assert_eq!(mesh.total_units("exact").unwrap(), units);
            assert!(units[0].0 > 1 << 98, "a total has about a hundred bits: {units:?}");
        });
    }
}

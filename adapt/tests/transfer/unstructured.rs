use cfd_adapt::geometry::{Point, difference, dot};
use cfd_adapt::mesh::Mesh;
use cfd_adapt::operation::{Adapter, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_adapt::transfer::{Conserve, Order, Rule};
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;

use crate::delaunay;
use crate::mesh::{FIRST, FIRST_EXACT, SECOND, SECOND_EXACT, at_centroids, at_vertices};
use crate::nodal::BOTH;

/// How far a field of second order may leave its bounds, as a share of their distance.
const BEYOND: f64 = 0.1;

/// An element that is no flatter than this is more than rounding.
const FLAT: f64 = 0.9e-9;

/// A step and a smooth part.
fn field(p: &Point<2>) -> [f64; 1] {
    let step = if p[0] + 0.3 * p[1] < 0.6 { 2.0 } else { 1.0 };
    [step + 0.1 * p[0] * p[1]]
}

/// Lowest and highest value on all ranks, of elements or at vertices.
fn bounds(mesh: &Mesh<2>, name: &str) -> [f64; 2] {
    let own: Vec<f64> = match mesh.nodal_field(name) {
        Ok(values) => mesh.local().own_vertices().map(|v| values[v as usize]).collect(),
        Err(_) => {
            let values = mesh.cell_field(name).unwrap();
            mesh.local().own_elements().map(|e| values[e as usize]).collect()
        }
    };
    let all = mesh.comm().all_gather(&own).concat();
    assert!(all.iter().all(|value| value.is_finite()), "{name}: {all:?}");
    let [low, high] = [f64::min, f64::max].map(|f| all.iter().copied().reduce(f));
    [low.expect("an element"), high.expect("an element")]
}

/// The area of an element relative to the square of its longest edge.
fn thickness(mesh: &Mesh<2>, e: u32) -> f64 {
    let (local, corners) = (mesh.local(), mesh.local().elements().corners(e));
    let edges = (0..3).map(|i| {
        let [a, b] = [i, (i + 1) % 3].map(|i| local.vertices().position(corners[i]));
        let edge = difference(a, b);
        dot(&edge, &edge)
    });
    local.measure(e) / edges.fold(0.0, f64::max)
}

/// Adapts a random mesh to coarser metrics of other directions; after every pass, all that must hold.
fn adapt(comm: &Comm, seed: u64) {
    let input = delaunay::mesh(comm, seed, 14);
    let mut mesh = Mesh::new(comm, &input).expect("a mesh");
    let rules = [("a", FIRST), ("b", SECOND), ("c", FIRST_EXACT), ("d", SECOND_EXACT)];
    for (name, rule) in rules {
        mesh.add_cell_field(name, 1, rule, &at_centroids(&mesh, field)).unwrap();
    }
    for (name, conserve) in BOTH {
        mesh.add_nodal_field(name, 1, conserve, None, &at_vertices(&mesh, field)).unwrap();
    }
    let slacks = |[low, high]: [f64; 2]| -> Vec<(&str, f64)> {
        let slack = |rule: Rule| match (rule.order, rule.conserve) {
            (Order::First, Conserve::Rounding) => 0.0,
            // A unit an element.
            (Order::First, Conserve::Exact) => 1e-12,
            (Order::Second, _) => BEYOND * (high - low),
        };
        rules
            .iter()
            .map(|&(name, rule)| (name, slack(rule)))
            .chain([(BOTH[0].0, 0.0), (BOTH[1].0, 1e-14)])
            .collect()
    };
    let exact = ["c", "d", BOTH[1].0];
    let first = slacks([0.0; 2]).into_iter().map(|(name, _)| name);
    let before: Vec<(f64, [f64; 2])> =
        first.map(|name| (mesh.total(name).unwrap()[0], bounds(&mesh, name))).collect();
    let units = exact.map(|name| mesh.total_units(name).unwrap());
    let check = |mesh: &Mesh<2>, phase| {
        mesh.check().expect("a sound mesh");
        for ((name, slack), &(before, [low, high])) in slacks(before[0].1).into_iter().zip(&before) {
            let [lowest, highest] = bounds(mesh, name);
            assert!(
                lowest >= low - slack && highest <= high + slack,
                "seed {seed}: {name} from {lowest} to {highest}, not {low} to {high}, after {phase:?}"
            );
            let mass = mesh.total(name).unwrap()[0];
            // Where collapses straighten a side, the area changes by what the side was off, for bounds' sake.
            let allowed = 1e-13 * before + 10.0 * delaunay::off(seed);
            assert!((mass - before).abs() < allowed, "seed {seed}: {name} has {mass}, not {before}");
        }
        assert_eq!(exact.map(|name| mesh.total_units(name).unwrap()), units, "seed {seed}");
        let thinnest = mesh.local().own_elements().map(|e| thickness(mesh, e)).fold(1.0, f64::min);
        assert!(thinnest > FLAT, "seed {seed}: an element of thickness {thinnest:e} after {phase:?}");
    };
    let pool = ThreadPool::new(1);
    for size in [0.15, 0.3] {
        mesh.set_metric_at(|p| {
            let (x, y) = (1.0 / (size * (0.5 + p[0] * p[0])), 1.5 / size);
            Tensor([[x * x, 0.0], [0.0, y * y]])
        });
        let adapter = Adapter {
            bounds: Bounds::default(),
            metric: MetricAt::Carried,
            pool: &pool,
            balance: None,
            most: None,
        };
        let report = adapter.adapt(&mut mesh, check).expect("it can be adapted");
        assert!(report.total.collapses > 5, "seed {seed}: {:?}", report.total);
    }
}

#[test]
fn values_stay_finite_and_within_bounds_and_mass_is_kept() {
    for seed in 22..34 {
        Comm::simulate(1 + seed as usize % 3, |comm| adapt(&comm, seed));
    }
}

//! Curved boundaries.

use std::f64::consts::PI;
use std::sync::Arc;

use cfd_adapt::geometry::{Circle, Curve, Side, Spline};
use cfd_adapt::mesh::{Input, Mesh, Sides};
use cfd_adapt::operation::{Adapter, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;

use crate::square::{hash, perimeter, quality, square};

/// The square mapped to the unit disk, with one boundary.
fn disk(comm: &Comm, n: u64) -> Input<2> {
    let mut input = square(comm, n);
    for p in &mut input.positions {
        let [x, y] = p.map(|c| 2.0 * c - 1.0);
        *p = [x * (1.0 - 0.5 * y * y).sqrt(), y * (1.0 - 0.5 * x * x).sqrt()];
    }
    input.tags.fill(1);
    input.boundaries = vec!["rim".into()];
    input
}

/// Adapts the disk to edges of length h everywhere; returns hash, area, perimeter, qualities, and the largest distance
/// of a boundary vertex from the curve.
fn adapted(ranks: usize, h: f64, curve: &Arc<dyn Curve<2>>) -> (String, [f64; 5]) {
    let results = Comm::simulate(ranks, |comm| {
        let mut mesh = {
            let side = Side::Curved { curve: curve.clone(), deviation: 1.0 };
            let sides = Sides { sides: vec![side], ..Sides::default() };
            Mesh::with_sides(&comm, &disk(&comm, 8), &sides).expect("a mesh")
        };
        let pool = ThreadPool::new(1);
        let uniform = |_: &[f64; 2]| Tensor([[1.0 / (h * h), 0.0], [0.0, 1.0 / (h * h)]]);
        for _ in 0..2 {
            mesh.set_metric_at(uniform);
            let adapter = Adapter {
                bounds: Bounds::default(),
                metric: MetricAt::Carried,
                pool: &pool,
                balance: None,
                most: None,
            };
            adapter
                .adapt(&mut mesh, |mesh, _| mesh.check().expect("a sound mesh"))
                .expect("it can be adapted");
        }
        let [least, mean] = quality(&mesh);
        let off = off_curve(&mesh, &**curve);
        (hash(&mesh), [mesh.measure(), perimeter(&mesh), least, mean, off])
    });
    results[0].clone()
}

fn off_curve(mesh: &Mesh<2>, curve: &dyn Curve<2>) -> f64 {
    let local = mesh.local();
    let mut off = 0.0f64;
    for e in local.own_elements() {
        for (i, _) in local.elements().tags(e).iter().enumerate().filter(|(_, tag)| **tag != 0) {
            let ends = (0..3).filter(|&j| j != i).map(|j| local.elements().corners(e)[j]);
            for p in ends.map(|c| *local.vertices().position(c)) {
                let nearest = curve.nearest(&p);
                off = off.max((p[0] - nearest[0]).hypot(p[1] - nearest[1]));
            }
        }
    }
    off
}

#[test]
fn a_polygon_becomes_a_disk() {
    let circle: Arc<dyn Curve<2>> = Arc::new(Circle { centre: [0.0, 0.0], radius: 1.0 });
    let (one, [area, perimeter, least, mean, off]) = adapted(1, 0.1, &circle);
    // A polygon with edges of length h lacks about pi h² / 6 of the area.
    assert!((PI - area).abs() < 0.008, "area {area}");
    assert!((2.0 * PI - perimeter).abs() < 0.01, "perimeter {perimeter}");
    assert!(off < 1e-12, "{off} off the circle");
    assert!(least > 0.6 && mean > 0.9, "qualities {least}, {mean}");
    assert_eq!(adapted(3, 0.1, &circle).0, one);
    // The error falls with the square of the edges' length.
    let (_, [finer, ..]) = adapted(1, 0.05, &circle);
    assert!((PI - finer) * 3.0 < PI - area, "{finer} after {area}");
}

#[test]
fn a_spline_through_the_vertices_is_followed() {
    let n = 32;
    let angle = |i: i32| 2.0 * PI * f64::from(i) / f64::from(n);
    let points = (0..n).map(|i| [same_math::cos(angle(i)), same_math::sin(angle(i))]).collect();
    let spline: Arc<dyn Curve<2>> = Arc::new(Spline::new(points, true));
    let (one, [area, _, _, _, off]) = adapted(1, 0.08, &spline);
    assert!((PI - area).abs() < 0.004, "area {area}");
    assert!(off < 1e-9, "{off} off the spline");
    assert_eq!(adapted(2, 0.08, &spline).0, one);
}

/// Without a curve, a polygon keeps its corners.
#[test]
fn a_polygon_without_a_curve_stays_one() {
    let comm = Comm::single();
    let mut mesh = Mesh::new(&comm, &disk(&comm, 8)).expect("a mesh");
    let before = mesh.measure();
    mesh.set_metric_at(|_| Tensor([[100.0, 0.0], [0.0, 100.0]]));
    let pool = ThreadPool::new(1);
    let adapter = Adapter {
        bounds: Bounds::default(),
        metric: MetricAt::Carried,
        pool: &pool,
        balance: None,
        most: None,
    };
    adapter.adapt(&mut mesh, |mesh, _| mesh.check().expect("a sound mesh")).expect("it can be adapted");
    assert!((mesh.measure() - before).abs() < 1e-12);
}

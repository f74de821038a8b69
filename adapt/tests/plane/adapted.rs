//! Requests and results: the properties of the adapted mesh.

use cfd_adapt::mesh::{Input, Mesh};
use cfd_adapt::operation::{Adapter, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::mesh::Values;
use cfd_engine::plug::ThreadPool;

use crate::square::{Wanted, adapt, lengths, mesh, quality, square};

const FRONT: Wanted = Wanted::Front { eta: 0.03, time: 0.0 };

#[test]
fn elements_have_the_size_and_shape_that_the_metric_asks_for() {
    let comm = Comm::single();
    let mut mesh = mesh(&comm, 20);
    let report = adapt(&mut mesh, FRONT, 1, Bounds::default());
    let [least, mean] = quality(&mesh);
    assert!(mean >= 0.88 && least >= 0.55, "mean {mean}, least {least}");
    let lengths = lengths(&mesh);
    let good = lengths.iter().filter(|length| (0.71..=1.41).contains(*length)).count();
    assert!(good * 100 >= 92 * lengths.len(), "{good} of {} edges", lengths.len());
    assert!(report.total.splits > 0 && report.total.collapses > 0 && report.total.swaps > 0);
}

/// On a regular grid, right-angled triangles with edges between 0.7 and 1 are as right as equilateral ones by their lengths,
/// but there are up to 1.7 times too many.
#[test]
fn a_uniform_metric_gives_as_many_elements_as_fit() {
    for size in [0.025, 0.03, 0.035] {
        let mut mesh = mesh(&Comm::single(), 20);
        adapt(&mut mesh, Wanted::Stretched { long: size, aspect: 1.0, direction: 0.0 }, 1, Bounds::default());
        let [_, elements] = mesh.counts();
        let share = elements as f64 * 0.4330127 * size * size;
        let [least, mean] = quality(&mesh);
        let here = format!("size {size}: {elements} elements, {share} of those that fit, {least}, {mean}");
        assert!((0.97..=1.03).contains(&share), "{here}");
        assert!(least >= 0.7 && mean >= 0.9, "{here}");
    }
}

/// What already fits stays.
#[test]
fn an_adapted_mesh_is_hardly_changed_again() {
    let comm = Comm::single();
    let mut mesh = mesh(&comm, 20);
    let wanted = Wanted::Named("radial".parse().expect("a name"));
    for _ in 0..2 {
        adapt(&mut mesh, wanted, 1, Bounds::default());
    }
    let (before, [_, elements]) = (quality(&mesh), mesh.counts());
    let report = adapt(&mut mesh, wanted, 1, Bounds::default());
    let after = quality(&mesh);
    assert!(report.total.changes() * 50 <= elements, "{:?} with {elements} elements", report.total);
    assert!(after[1] >= before[1] - 1e-3, "{before:?} became {after:?}");
}

/// Halving coordinates k times and quadrupling the metric k times gives the same mesh, scaled.
#[test]
fn scaling_by_powers_of_two_scales_the_mesh() {
    let comm = Comm::single();
    let scaled = |k: i32| {
        let factor = 2f64.powi(-k);
        let mut input: Input<2> = square(&comm, 12);
        input.positions.iter_mut().for_each(|p| *p = p.map(|c| factor * c));
        let mut mesh = Mesh::new(&comm, &input).expect("a mesh");
        mesh.set_metric_at(|p| {
            let Tensor(m) = FRONT.at(&p.map(|c| c / factor));
            Tensor(m.map(|row| row.map(|entry| entry / (factor * factor))))
        });
        let pool = ThreadPool::new(1);
        let adapter = Adapter {
            bounds: Bounds::default(),
            metric: MetricAt::Carried,
            pool: &pool,
            balance: None,
            most: None,
        };
        adapter.adapt(&mut mesh, |_, _| ()).expect("it can be adapted");
        let canonical = mesh.canonical().mesh;
        let Values::F64(x) = canonical.dats[0].values.clone() else { panic!("numbers") };
        (canonical.maps, x.into_iter().map(|c| c / factor).collect::<Vec<f64>>())
    };
    let plain = scaled(0);
    for k in [1, 7] {
        let (maps, x) = scaled(k);
        assert_eq!(maps.len(), plain.0.len());
        for (one, other) in maps.iter().zip(&plain.0) {
            assert_eq!(one.rows, other.rows, "{} at scale 2^-{k}", one.name);
        }
        assert_eq!(x, plain.1, "coordinates at scale 2^-{k}");
    }
}

/// Names of boundaries stay with their sides.
#[test]
fn boundaries_keep_their_names() {
    let comm = Comm::single();
    let mut mesh = mesh(&comm, 12);
    adapt(&mut mesh, FRONT, 1, Bounds::default());
    let local = mesh.local();
    for e in local.own_elements() {
        for (i, &tag) in local.elements().tags(e).iter().enumerate().filter(|(_, tag)| **tag != 0) {
            let others = local.elements().corners(e).iter().enumerate().filter(|&(j, _)| j != i);
            for (_, &c) in others {
                let [x, y] = *local.vertices().position(c);
                let on = match &mesh.boundaries()[tag as usize - 1][..] {
                    "bottom" => y == 0.0,
                    "right" => x == 1.0,
                    "top" => y == 1.0,
                    _ => x == 0.0,
                };
                assert!(on, "({x}, {y}) is not on boundary {tag}");
            }
        }
    }
}

//! Metrics whose sizes differ by orders of magnitude over one element of the first mesh.

use cfd_adapt::mesh::Mesh;
use cfd_adapt::operation::{AdaptError, Adapter, Bounds, MetricAt};
use cfd_adapt::tensor::Tensor;
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;

use crate::square::{hash, lengths, mesh, quality};

/// h_x = 0.1, h_y = h + 0.2 y.
fn layer(h: f64, [_, y]: &[f64; 2]) -> Tensor<2> {
    Tensor::diagonal([100.0, 1.0 / ((h + 0.2 * y) * (h + 0.2 * y))])
}

fn adapt(mesh: &mut Mesh<2>, h: f64, metric: MetricAt<2>, most: Option<u64>) -> Result<(), AdaptError> {
    mesh.set_metric_at(|x| layer(h, x));
    let pool = ThreadPool::new(1);
    let adapter = Adapter { bounds: Bounds::default(), metric, pool: &pool, balance: None, most };
    adapter.adapt(mesh, |mesh, _| mesh.check().expect("a sound mesh")).map(drop)
}

/// The metric is known at the vertices of 20 by 20 squares only, where it grows from 1e-5 to 1e-2 over one of them. A second
/// pass, to the metric at the vertices of the new mesh, changes little.
#[test]
fn one_pass_sees_a_layer_that_is_thinner_than_the_elements() {
    for h in [1e-3, 1e-4, 1e-5] {
        let mut mesh = mesh(&Comm::single(), 20);
        adapt(&mut mesh, h, MetricAt::Carried, None).expect("it can be adapted");
        mesh.set_metric_at(|x| layer(h, x));
        let (first, [least, mean]) = (mesh.counts()[1] as f64, quality(&mesh));
        assert!(least > 0.6 && mean > 0.9, "{h}: qualities {least} and {mean}");
        let lengths = lengths(&mesh);
        let good = lengths.iter().filter(|length| (0.71..=1.41).contains(*length)).count();
        assert!(good * 100 >= 95 * lengths.len(), "{h}: {good} of {}", lengths.len());
        adapt(&mut mesh, h, MetricAt::Carried, None).expect("it can be adapted");
        let second = mesh.counts()[1] as f64;
        assert!(first <= 1.2 * second && second <= 1.2 * first, "{h}: {first} elements, then {second}");
        let expected = 50.0 * ((h + 0.2) / h).ln() / 0.3776;
        assert!((0.8..1.1).contains(&(second / expected)), "{h}: {second} elements, not {expected}");
    }
}

/// The same mesh, whether the metric between vertices comes from a formula or is interpolated, is not to be had; nearly the
/// same number of elements is.
#[test]
fn a_formula_and_its_values_at_vertices_ask_for_as_many_elements() {
    let elements = |metric: MetricAt<2>| {
        let mut mesh = mesh(&Comm::single(), 20);
        adapt(&mut mesh, 1e-4, metric, None).expect("it can be adapted");
        mesh.counts()[1] as f64
    };
    let formula = |x: &[f64; 2]| layer(1e-4, x);
    let (given, carried) = (elements(MetricAt::Given(&formula)), elements(MetricAt::Carried));
    assert!((0.95..1.05).contains(&(given / carried)), "{given} and {carried}");
}

/// Both halves of a split edge have the same length, however steep the metric along it.
#[test]
fn a_split_halves_the_length_of_a_steep_edge() {
    use cfd_adapt::tensor::{interpolate_between, length};
    for ratio in [1.5, 10.0, 100.0, 1e4] {
        let of = |h: f64| Tensor::diagonal([1.0 / (h * h), 1.0]);
        let (near, far) = ([0.0, 0.0], [1.0, 0.0]);
        let (fine, coarse) = (of(0.5 / ratio), of(0.5));
        let at = 1.0 / (1.0 + f64::sqrt(ratio));
        let middle = interpolate_between(&[(1.0 - at, near, fine), (at, far, coarse)]);
        let halves = [length(&[at, 0.0], &fine, &middle), length(&[1.0 - at, 0.0], &middle, &coarse)];
        assert!((halves[0] / halves[1] - 1.0).abs() < 1e-12, "{ratio}: {halves:?}");
    }
}

#[test]
fn a_mesh_that_becomes_too_large_is_refused_before_it_is() {
    for ranks in [1, 3] {
        let results = Comm::simulate(ranks, |comm| {
            let mut mesh = mesh(&comm, 20);
            let error = adapt(&mut mesh, 1e-4, MetricAt::Carried, Some(900)).expect_err("too many");
            let [_, elements] = mesh.counts();
            (error, elements)
        });
        for (error, elements) in results {
            let AdaptError::Elements { elements: needed, most, .. } = error else { panic!("{error}") };
            assert!(needed > most && most == 900.0 && elements <= 900, "{needed}, {elements}");
        }
    }
    let of = |most| {
        let mut mesh = mesh(&Comm::single(), 12);
        adapt(&mut mesh, 1e-3, MetricAt::Carried, most).expect("it can be adapted");
        hash(&mesh)
    };
    assert_eq!(of(Some(100_000)), of(None));
}

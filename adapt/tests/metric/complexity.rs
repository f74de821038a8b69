//! The integral of sqrt(det M), on meshes whose elements are larger than the sizes asked for.

use cfd_adapt::metric::{Analytic, Limits, Measure, MetricAt, Wanted, reach, reach_formula};
use cfd_adapt::tensor::Tensor;

use crate::mesh::Whole;

/// A layer at y = 0: h_x = 0.1, h_y = h + 0.2 y.
fn layer(h: f64) -> impl Fn(&[f64; 2]) -> Tensor<2> + Sync {
    move |[_, y]| Tensor::diagonal([100.0, 1.0 / ((h + 0.2 * y) * (h + 0.2 * y))])
}

fn near(a: f64, b: f64, part: f64) -> bool {
    (a - b).abs() <= part * b.abs()
}

/// The means of the corners' densities give 2,678 and 25,179 for the last two.
#[test]
fn a_layer_of_small_sizes_counts_for_what_it_is() {
    for h in [1e-2, 1e-3, 1e-4, 1e-5] {
        let part = Whole::<2>::boxes(20, 0.0).single();
        let formula = layer(h);
        let metrics: Vec<Tensor<2>> =
            part.global.iter().map(|&v| formula(&[0.0, (v / 21) as f64 / 20.0])).collect();
        let exact = 50.0 * ((h + 0.2) / h).ln();
        for at in [MetricAt::Carried, MetricAt::Given(&formula)] {
            let complexity = Measure::new(&part).complexity(&part, &metrics, at);
            assert!(near(complexity, exact, 5e-3), "{h}: {complexity}, not {exact}");
        }
    }
}

/// Published complexities (docs of [`Analytic`]); from formulas, also where the smallest sizes are within elements.
#[test]
fn formulas_have_their_complexities_on_any_mesh() {
    for (name, exact) in [
        ("linear", 255.84),
        ("linear-fine", 691.47),
        ("ramp", 255.84),
        ("polar-2", 758.72),
        ("cosine", 1954.3),
        ("radial", 1000.0),
    ] {
        let formula: Analytic = name.parse().unwrap();
        for n in [20, 40] {
            let part = Whole::<2>::boxes(n, 0.2).single();
            let reached = reach_formula(&part, &|x| formula.at(x), &Wanted::default()).unwrap();
            assert!(
                near(reached.complexity, exact, 0.02),
                "{name}, {n}: {}, not {exact}",
                reached.complexity
            );
        }
    }
}

#[test]
fn a_formula_with_a_complexity_and_limits_is_known_everywhere() {
    let part = Whole::<2>::boxes(15, 0.2).single();
    let limits = Limits { h_min: 0.01, h_max: 0.1, ..Limits::default() };
    let wanted = Wanted { complexity: Some(800.0), limits, beta: None };
    let formula = layer(1e-3);
    let reached = reach_formula(&part, &formula, &wanted).unwrap();
    assert!(reached.reached && near(reached.complexity, 800.0, 1e-3), "{}", reached.complexity);
    for (v, metric) in reached.metrics.iter().enumerate() {
        let x = cfd_adapt::metric::View::position(&part, v as u32);
        assert_eq!(wanted.applied(reached.scale, &formula(&x)), *metric, "vertex {v}");
    }
    // With gradation, sizes at a place depend on those at others.
    let graded = Wanted { beta: Some(1.3), ..wanted };
    let metrics: Vec<Tensor<2>> = (0..part.global.len() as u32)
        .map(|v| formula(&cfd_adapt::metric::View::position(&part, v)))
        .collect();
    let (one, other) =
        (reach_formula(&part, &formula, &graded).unwrap(), reach(&part, &metrics, &graded).unwrap());
    assert_eq!(one.metrics, other.metrics);
}

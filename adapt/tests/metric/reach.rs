use cfd_adapt::metric::{Curvature, Floors, Limits, Norm, Recovery, Wanted, hessian, intersect_all, reach};
use cfd_adapt::tensor::Tensor;

use crate::mesh::Whole;

fn steep(x: &[f64; 2]) -> f64 {
    (40.0 * (x[0] - 0.5 - 0.2 * (6.0 * x[1]).sin())).tanh()
}

#[test]
fn a_wanted_complexity_is_reached_to_a_thousandth_with_limits_and_gradation() {
    let whole = Whole::<2>::boxes(40, 0.2);
    let part = whole.single();
    let hessians = hessian(&part, &whole.on(&part, steep), Recovery::LeastSquares).unwrap();
    let curvature =
        Curvature { norm: Norm::Eta { p: 2.0, eta: 0.01, epsilon: 0.0 }, floors: Floors::default() };
    let metrics = curvature.metric(&part, &hessians).unwrap();
    let limits = Limits { h_min: 1e-3, h_max: 0.3, aspect_ratio: 100.0 };
    for complexity in [300.0, 1000.0, 30_000.0] {
        for (beta, limits) in
            [(None, Limits::default()), (None, limits), (Some(1.5), limits), (Some(1.2), limits)]
        {
            let wanted = Wanted { complexity: Some(complexity), limits, beta };
            let found = reach(&part, &metrics, &wanted).unwrap();
            println!("{complexity} {beta:?}: {} in {} rounds", found.complexity, found.rounds);
            assert!(found.reached && found.settled);
            assert!((found.complexity / complexity - 1.0).abs() <= 1e-3);
        }
    }
}

#[test]
fn what_limits_forbid_is_told() {
    let whole = Whole::<2>::boxes(4, 0.0);
    let part = whole.single();
    let limits = Limits { h_min: 0.1, h_max: 0.2, ..Limits::default() };
    let metrics = vec![Tensor::diagonal([70.0, 30.0]); 25];
    for (complexity, nearest) in [(1e6, 100.0), (1.0, 25.0)] {
        let wanted = Wanted { complexity: Some(complexity), limits, beta: None };
        let found = reach(&part, &metrics, &wanted).unwrap();
        assert!(!found.reached && found.settled);
        assert!((found.complexity - nearest).abs() < 1e-9, "{}", found.complexity);
    }
    let found = reach(&part, &metrics, &Wanted::default()).unwrap();
    assert!(found.reached && found.rounds == 1 && found.metrics == metrics);
    for wrong in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
        assert!(reach(&part, &metrics, &Wanted { complexity: Some(wrong), ..Wanted::default() }).is_err());
    }
}

/// The given sizes are far above the largest that is allowed, so that at first scaling changes nothing.
#[test]
fn a_complexity_far_from_that_of_the_given_metric_is_reached() {
    let whole = Whole::<2>::boxes(4, 0.0);
    let part = whole.single();
    let limits = Limits { h_max: 0.05, ..Limits::default() };
    for size in [1e-4, 1e-2, 1.0, 1e2, 1e6, 1e20] {
        let metrics = vec![Tensor::diagonal([1.0 / (size * size), 4.0 / (size * size)]); 25];
        for complexity in [450.0, 800.0, 1e5] {
            let wanted = Wanted { complexity: Some(complexity), limits, beta: None };
            let found = reach(&part, &metrics, &wanted).unwrap();
            assert!(found.reached, "{size:e}: {} after {} rounds", found.complexity, found.rounds);
        }
    }
}

#[test]
fn several_metrics_are_intersected_one_after_the_other() {
    let of = |x: f64, y: f64| vec![Tensor::diagonal([x, y]); 3];
    let (a, b, c) = (of(1.0, 9.0), of(4.0, 2.0), of(2.0, 3.0));
    let all = intersect_all(&[&a, &b, &c]);
    assert!(all.iter().all(|m| (m.0[0][0] - 4.0).abs() < 1e-14 && (m.0[1][1] - 9.0).abs() < 1e-14));
    assert_eq!(intersect_all(&[&a]), a);
}

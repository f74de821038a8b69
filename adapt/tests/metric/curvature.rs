use cfd_adapt::metric::{Curvature, Floors, Measure, Norm, Recovery, hessian};
use cfd_adapt::tensor::Tensor;

use crate::mesh::Whole;

fn complexity_norm(p: f64, complexity: f64) -> Curvature {
    Curvature { norm: Norm::Complexity { p, complexity }, floors: Floors::default() }
}

fn eta_norm(p: f64, eta: f64, epsilon: f64) -> Curvature {
    Curvature { norm: Norm::Eta { p, eta, epsilon }, floors: Floors::default() }
}

fn near(a: f64, b: f64, part: f64) -> bool {
    (a - b).abs() <= part * b.abs()
}

#[test]
fn the_metric_of_least_error_has_the_wanted_complexity() {
    fn check<const D: usize>(n: usize) {
        let whole = Whole::<D>::boxes(n, 0.2);
        let part = whole.single();
        let field = whole.on(&part, |x| (4.0 * x[0]).sin() * x[1] + x[D - 1] * x[D - 1]);
        let hessians = hessian(&part, &field, Recovery::LeastSquares).unwrap();
        for (p, wanted) in [(1.0, 100.0), (2.0, 5000.0), (4.0, 1e6)] {
            let metrics = complexity_norm(p, wanted).metric(&part, &hessians).unwrap();
            let complexity =
                Measure::new(&part).integral(&part, |v| metrics[v as usize].determinant().sqrt());
            assert!(near(complexity, wanted, 1e-12));
        }
    }
    check::<2>(20);
    check::<3>(5);
}

/// For a quadratic field the metric is |H| times a constant, the same everywhere.
#[test]
fn a_quadratic_field_asks_for_the_same_everywhere() {
    let whole = Whole::<2>::boxes(8, 0.3);
    let part = whole.single();
    let field = whole.on(&part, |x| 4.0 * x[0] * x[0] - x[1] * x[1]);
    let hessians = hessian(&part, &field, Recovery::LeastSquares).unwrap();
    let metrics = complexity_norm(2.0, 1000.0).metric(&part, &hessians).unwrap();
    // sqrt(det M) = 1000 over the area 1, eigenvalues as 8 to 2.
    for m in metrics {
        assert!(near(m.0[0][0], 2000.0, 1e-9) && near(m.0[1][1], 500.0, 1e-9) && m.0[0][1].abs() < 1e-6);
    }
}

#[test]
fn the_form_with_eta_is_the_published_one() {
    let h = Tensor([[3.0, 1.0], [1.0, -2.0]]);
    let size = h.map(f64::abs);
    let part = Whole::<2>::boxes(1, 0.0).single();
    let metric = |curvature: Curvature| curvature.metric(&part, &[h; 4]).unwrap()[2];
    let close = |m: Tensor<2>, expected: Tensor<2>| {
        m.0.iter().flatten().zip(expected.0.iter().flatten()).all(|(a, b)| near(*a, *b, 1e-14))
    };
    // det |H| = 7, and det^(-1/6) = 1 / cbrt(sqrt(det)).
    let factor = 1.0 / 7f64.sqrt().cbrt();
    assert!(close(metric(eta_norm(2.0, 1e-3, 0.0)), size.scaled(1e3 * factor)));
    assert!(close(metric(eta_norm(0.0, 1e-3, 0.0)), size.scaled(1e3)));
    assert!(close(metric(eta_norm(-1.0, 0.1, 5.0)), size.scaled(10.0)));
    let factor = 1.0 / 8f64.sqrt().cbrt();
    assert!(close(metric(eta_norm(2.0, 1e-3, 1.0)), size.scaled(1e3 * factor)));
    let at = eta_norm(2.0, 1e-3, 1.0).metric_at(&h).unwrap();
    assert_eq!(at, metric(eta_norm(2.0, 1e-3, 1.0)));
    assert_eq!(complexity_norm(2.0, 10.0).metric_at(&h), None);
}

#[test]
fn floors_keep_metrics_of_flat_fields_definite() {
    let whole = Whole::<2>::boxes(6, 0.0);
    let part = whole.single();
    let flat = vec![Tensor([[0.0; 2]; 2]); 49];
    let metrics = complexity_norm(2.0, 100.0).metric(&part, &flat).unwrap();
    assert!(metrics.iter().all(|m| near(m.0[0][0], 100.0, 1e-12) && m.is_positive_definite()));
    let mut one_curved = flat;
    one_curved[5] = Tensor::diagonal([1e4, 0.0]);
    let floors = Floors { absolute: 1e-12, relative: 1e-3 };
    let metrics = Curvature { norm: Norm::Eta { p: 0.0, eta: 1.0, epsilon: 0.0 }, floors }
        .metric(&part, &one_curved)
        .unwrap();
    assert_eq!(metrics[5], Tensor::diagonal([1e4, 10.0]));
    assert_eq!(metrics[6], Tensor::diagonal([10.0, 10.0]));
}

#[test]
fn settings_out_of_range_and_hessians_without_numbers_are_refused() {
    let whole = Whole::<2>::boxes(1, 0.0);
    let part = whole.single();
    let h = [Tensor::diagonal([1.0, 2.0]); 4];
    let message = |curvature: Curvature| curvature.metric(&part, &h).unwrap_err().to_string();
    assert_eq!(message(complexity_norm(0.5, 1.0)), "p = 0.5; use a number from 1 on");
    assert_eq!(message(complexity_norm(2.0, -1.0)), "complexity = -1; use a positive number");
    assert_eq!(message(eta_norm(2.0, 0.0, 0.0)), "eta = 0; use a positive number");
    assert_eq!(message(eta_norm(2.0, 1.0, f64::NAN)), "epsilon = NaN; use a number from 0 on");
    let floors = Floors { absolute: 0.0, relative: 0.0 };
    let norm = Norm::Eta { p: 2.0, eta: 1.0, epsilon: 0.0 };
    assert!(message(Curvature { norm, floors }).starts_with("floors.absolute = 0"));
    let bad = [Tensor::diagonal([f64::NAN, 2.0]); 4];
    let error = eta_norm(2.0, 1.0, 0.0).metric(&part, &bad).unwrap_err().to_string();
    assert!(error.contains("the Hessian [[NaN"), "{error}");
}

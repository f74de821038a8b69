use cfd_adapt::metric::Limits;
use cfd_adapt::tensor::{Eigen, Tensor};

#[test]
fn sizes_and_aspect_ratio_are_bounded_along_the_metrics_own_axes() {
    let limits = Limits { h_min: 0.01, h_max: 2.0, aspect_ratio: 10.0 };
    assert_eq!(limits.apply(&Tensor::diagonal([1e6, 1e-6])), Tensor::diagonal([1e4, 1e2]));
    assert_eq!(limits.apply(&Tensor::diagonal([1.0, 1e-6])), Tensor::diagonal([1.0, 0.25]));
    assert_eq!(limits.apply(&Tensor::diagonal([5.0, 4.0, 3.0])), Tensor::diagonal([5.0, 4.0, 3.0]));
    let vectors = [[0.8, 0.6], [-0.6, 0.8]];
    let m = limits.apply(&Tensor::from_eigen(&Eigen { values: [1e6, 1.0], vectors }));
    let expected = Tensor::from_eigen(&Eigen { values: [1e4, 1e2], vectors });
    assert!(m.plus(-1.0, &expected).0.iter().flatten().all(|d| d.abs() < 1e-9));
}

#[test]
fn metrics_within_the_bounds_stay_to_the_bit() {
    let m = Tensor([[3.0, 1.1], [1.1, 7.3]]);
    assert_eq!(Limits::default().apply(&m), m);
    assert_eq!(Limits { h_min: 0.1, h_max: 1.0, aspect_ratio: 3.0 }.apply(&m), m);
}

#[test]
fn bounds_that_contradict_each_other_are_refused() {
    let none = Limits::default();
    assert!(none.check().is_ok());
    let message = |limits: Limits| limits.check().unwrap_err().to_string();
    assert_eq!(message(Limits { h_min: 2.0, h_max: 1.0, ..none }), "h_max = 1; use a size from h_min on");
    assert_eq!(message(Limits { h_min: -1.0, ..none }), "h_min = -1; use a number from 0 on");
    assert_eq!(message(Limits { aspect_ratio: 0.5, ..none }), "aspect_ratio = 0.5; use a number from 1 on");
    assert!(Limits { h_max: f64::NAN, ..none }.check().is_err());
}

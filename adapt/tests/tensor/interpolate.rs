use cfd_adapt::tensor::{Tensor, interpolate, interpolate_edge};

use crate::random::{CASES, Random, bits, distance};

#[test]
fn equal_tensors_stay_to_the_bit() {
    let mut random = Random(12);
    for _ in 0..1000 {
        let m: Tensor<2> = random.metric(1e6);
        assert_eq!(bits(&interpolate(&[(0.2, m), (0.3, m), (0.5, m)])), bits(&m));
        assert_eq!(bits(&interpolate_edge(0.3, &m, &m)), bits(&m));
    }
}

#[test]
fn two_terms_may_be_exchanged() {
    let mut random = Random(13);
    for _ in 0..CASES / 20 {
        let (a, b): (Tensor<2>, Tensor<2>) = (random.metric(1e6), random.metric(1e6));
        let t = random.uniform(0.0, 1.0);
        let there = interpolate(&[(1.0 - t, a), (t, b)]);
        assert_eq!(bits(&there), bits(&interpolate(&[(t, b), (1.0 - t, a)])));
        assert_eq!(bits(&there), bits(&interpolate_edge(t, &a, &b)));
        assert!(there.is_positive_definite());
    }
}

#[test]
fn sizes_along_common_axes_are_interpolated_geometrically() {
    let (a, b) = (Tensor::diagonal([1e12, 1.0, 4.0]), Tensor::diagonal([1e4, 1e6, 4.0]));
    let middle = interpolate(&[(0.5, a), (0.5, b)]);
    let expected = Tensor::diagonal([1e8, 1e3, 4.0]);
    assert!((0..3).all(|i| (middle.0[i][i] / expected.0[i][i] - 1.0).abs() < 1e-14));
    assert!(distance(&middle, &expected) < 1e-14);
}

/// det exp(sum w ln M) = product of det M^w.
#[test]
fn determinants_are_interpolated_geometrically() {
    let mut random = Random(14);
    for _ in 0..CASES / 20 {
        let (a, b, c): (Tensor<3>, Tensor<3>, Tensor<3>) =
            (random.metric(100.0), random.metric(100.0), random.metric(100.0));
        let mean = interpolate(&[(0.5, a), (0.25, b), (0.25, c)]);
        let expected = a.determinant().sqrt() * b.determinant().sqrt().sqrt() * c.determinant().sqrt().sqrt();
        assert!((mean.determinant() / expected - 1.0).abs() < 1e-9);
    }
}

use cfd_adapt::tensor::{Tensor, interpolate, interpolate_between};

use crate::random::{CASES, Random, bits, distance};

#[test]
fn equal_tensors_stay_to_the_bit() {
    let mut random = Random(12);
    for _ in 0..1000 {
        let m: Tensor<2> = random.metric(1e6);
        assert_eq!(bits(&interpolate(&[(0.2, m), (0.3, m), (0.5, m)])), bits(&m));
        assert_eq!(bits(&interpolate_between(&[(0.3, [0.0, 0.0], m), (0.7, [1.0, 2.0], m)])), bits(&m));
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
        assert!(there.is_positive_definite());
    }
}

#[test]
fn sizes_along_common_axes_are_interpolated_linearly() {
    let (a, b) = (Tensor::diagonal([1e12, 1.0, 4.0]), Tensor::diagonal([1e4, 1e6, 4.0]));
    let middle = interpolate(&[(0.75, a), (0.25, b)]);
    let sizes = [0.75e-6 + 0.25e-2, 0.75 + 0.25e-3, 0.5];
    let expected = Tensor::diagonal(sizes.map(|h: f64| 1.0 / (h * h)));
    assert!((0..3).all(|i| (middle.0[i][i] / expected.0[i][i] - 1.0).abs() < 1e-14));
    assert!(distance(&middle, &expected) < 1e-14);
}

/// Two metrics whose axes are turned by as much to either side: those of the mean are between them, and as anisotropic.
#[test]
fn axes_turn_without_loss_of_anisotropy() {
    let turned = |angle: f64| {
        let (s, c) = angle.sin_cos();
        Tensor([[1e6 * c * c + s * s, (1e6 - 1.0) * s * c], [(1e6 - 1.0) * s * c, 1e6 * s * s + c * c]])
    };
    let middle = interpolate(&[(0.5, turned(0.05)), (0.5, turned(-0.05))]).eigen();
    assert!((middle.vectors[0][1]).abs() < 1e-12, "{middle:?}");
    let ratio = (middle.values[0] / middle.values[1]).sqrt();
    assert!((900.0..1000.0).contains(&ratio), "aspect ratio {ratio}");
}

/// The mean asks for no smaller sizes than the log-Euclidean one, whose determinant is the product of det M^w.
#[test]
fn densities_are_at_most_those_of_geometric_means() {
    let mut random = Random(14);
    for _ in 0..CASES / 20 {
        let (a, b, c): (Tensor<3>, Tensor<3>, Tensor<3>) =
            (random.metric(100.0), random.metric(100.0), random.metric(100.0));
        let mean = interpolate(&[(0.5, a), (0.25, b), (0.25, c)]);
        let geometric =
            a.determinant().sqrt() * b.determinant().sqrt().sqrt() * c.determinant().sqrt().sqrt();
        assert!(mean.is_positive_definite() && mean.determinant() <= geometric * (1.0 + 1e-9));
    }
}

/// A size of 1 within sizes of 0.01, one edge away.
#[test]
fn one_large_size_among_small_ones_grows_by_no_more_than_the_distance() {
    let of = |h: f64| Tensor::diagonal([1.0 / (h * h); 2]);
    let middle = |far: f64| {
        let terms = [(0.5, [0.0, 0.0], of(0.01)), (0.5, [0.02, 0.0], of(far))];
        1.0 / interpolate_between(&terms).0[0][0].sqrt()
    };
    assert!((middle(0.02) - 0.015).abs() < 1e-15, "sizes that can be are kept: {}", middle(0.02));
    assert!((middle(1.0) - 0.02).abs() < 1e-15, "0.01 + 0.02 is the most at the other end: {}", middle(1.0));
}

#[test]
fn exchanging_two_points_gives_the_same_bits() {
    let mut random = Random(15);
    for _ in 0..CASES / 20 {
        let (a, b): (Tensor<2>, Tensor<2>) = (random.metric(1e6), random.metric(1e6));
        let (x, y): ([f64; 2], [f64; 2]) = (random.vector(), random.vector());
        let there = interpolate_between(&[(0.25, x, a), (0.75, y, b)]);
        assert_eq!(bits(&there), bits(&interpolate_between(&[(0.75, y, b), (0.25, x, a)])));
        assert!(there.is_positive_definite());
    }
}

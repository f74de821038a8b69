use cfd_adapt::tensor::{Eigen, Tensor};

use crate::dyadic::Dyadic;
use crate::random::{CASES, Random, distance, size};

const EPSILON: f64 = f64::EPSILON;

fn exact<const D: usize>(m: &Tensor<D>, i: usize, j: usize) -> Dyadic {
    m.0[i][j].into()
}

fn exact_det3(m: &Tensor<3>) -> Dyadic {
    let e = |i, j| exact(m, i, j);
    let minor = |i: usize, j: usize| Dyadic::det2(&e(1, i), &e(1, j), &e(2, i), &e(2, j));
    e(0, 0) * minor(1, 2) - e(0, 1) * minor(0, 2) + e(0, 2) * minor(0, 1)
}

/// det(m - x I).
fn characteristic(m: &Tensor<2>, x: &Dyadic) -> Dyadic {
    let b = exact(m, 0, 1);
    (exact(m, 0, 0) - x.clone()) * (exact(m, 1, 1) - x.clone()) - b.clone() * b
}

/// Whether det(m - x I) changes its sign within this fraction of x.
fn has_eigenvalue_near(m: &Tensor<2>, x: f64, part: f64) -> bool {
    let width = Dyadic::from(x) * Dyadic::from(part);
    let below = characteristic(m, &(Dyadic::from(x) - width.clone())).signum();
    below * characteristic(m, &(Dyadic::from(x) + width)).signum() <= 0
}

#[test]
fn both_eigenvalues_in_two_dimensions_are_right_to_a_few_units_in_the_last_place_at_any_aspect_ratio() {
    let mut random = Random(1);
    for case in 0..CASES / 10 {
        let m: Tensor<2> = match case % 3 {
            0 => random.metric(1e6),
            1 => Tensor::from_upper(|_, _| random.uniform(-1.0, 1.0)),
            // Nearly equal eigenvalues.
            _ => Tensor::from_upper(|i, j| f64::from(i == j) + random.uniform(-1e-13, 1e-13)),
        };
        let Eigen { values, vectors } = m.eigen();
        assert_eq!(m.axes(), vectors);
        assert!(values[0] >= values[1]);
        for value in values {
            // Two in the same interval change the sign twice.
            let both = values[0] - values[1] <= 16.0 * EPSILON * values[0].abs();
            assert!(both || has_eigenvalue_near(&m, value, 6.0 * EPSILON), "{m:?} {values:?}");
        }
        let dot = vectors[0][0] * vectors[1][0] + vectors[0][1] * vectors[1][1];
        assert_eq!(dot, 0.0);
        let again = Tensor::from_eigen(&Eigen { values, vectors });
        assert!(distance(&m, &again) <= 4.0 * EPSILON, "{m:?} {again:?}");
    }
}

#[test]
fn jacobi_rotations_give_orthonormal_vectors_and_the_tensor_again() {
    let mut random = Random(2);
    for case in 0..CASES / 20 {
        let m: Tensor<3> = if case % 2 == 0 {
            random.metric(1e6)
        } else {
            Tensor::from_upper(|_, _| random.uniform(-1.0, 1.0))
        };
        let eigen = m.eigen();
        assert_eq!(m.axes(), eigen.vectors);
        assert!(eigen.values.is_sorted_by(|a, b| a >= b));
        for i in 0..3 {
            for j in 0..3 {
                let dot: f64 = (0..3).map(|k| eigen.vectors[i][k] * eigen.vectors[j][k]).sum();
                assert!((dot - f64::from(i == j)).abs() <= 16.0 * EPSILON);
            }
        }
        assert!(distance(&m, &Tensor::from_eigen(&eigen)) <= 16.0 * EPSILON);
        let product = eigen.values.iter().product::<f64>();
        if case % 2 == 1 && product.abs() > 1e-3 {
            assert!((product / exact_det3(&m).value() - 1.0).abs() <= 1e-12);
        }
    }
}

#[test]
fn small_eigenvalues_along_nearly_axes_are_right_in_three_dimensions() {
    let m = Tensor([[1.0, 1e-3, 2e-5], [1e-3, 1e8, 50.0], [2e-5, 50.0, 1e12]]);
    let product = m.eigen().values.iter().product::<f64>();
    assert!((product / exact_det3(&m).value() - 1.0).abs() <= 16.0 * EPSILON);
}

#[test]
fn determinants_and_inverses_are_those_of_exact_arithmetic() {
    let mut random = Random(3);
    let near = |x: f64, y: &Dyadic| (x - y.value()).abs() <= 4.0 * EPSILON * y.value().abs();
    for _ in 0..CASES / 20 {
        let m: Tensor<2> = random.metric(1e6);
        let e = |i, j| exact(&m, i, j);
        let exact_det = Dyadic::det2(&e(0, 0), &e(0, 1), &e(1, 0), &e(1, 1));
        assert!(near(m.determinant(), &exact_det));
        assert!(near(m.inverse().0[0][1] * m.determinant(), &-e(0, 1)));

        let m: Tensor<3> = random.metric(1e5);
        let e = |i, j| exact(&m, i, j);
        assert!(near(m.determinant(), &exact_det3(&m)), "{m:?}");
        let cofactor = Dyadic::det2(&e(0, 1), &e(0, 2), &e(2, 1), &e(2, 2));
        assert!(near(-m.inverse().0[1][0] * m.determinant(), &cofactor));
    }
}

#[test]
fn the_exponential_of_the_logarithm_and_the_square_of_the_root_give_the_tensor_again() {
    fn largest<const D: usize>(random: &mut Random) -> (f64, f64) {
        (0..CASES / 20).fold((0.0, 0.0), |(log, root), _| {
            let m: Tensor<D> = random.metric(1e6);
            let half = m.sqrt();
            let square = Tensor::from_upper(|i, j| (0..D).map(|k| half.0[i][k] * half.0[k][j]).sum());
            (distance(&m, &m.ln().exp()).max(log), distance(&m, &square).max(root))
        })
    }
    for (log, root) in [largest::<2>(&mut Random(4)), largest::<3>(&mut Random(5))] {
        println!("exp ln: {log:e}, square of root: {root:e}");
        assert!(log <= 1e-13 && root <= 1e-14);
    }
}

#[test]
fn diagonal_and_isotropic_tensors_have_exact_eigenvalues() {
    assert_eq!(Tensor::diagonal([3.0, 1e12]).eigen().values, [1e12, 3.0]);
    assert_eq!(Tensor::diagonal([0.1, 0.1]).eigen().values, [0.1, 0.1]);
    assert_eq!(Tensor::diagonal([-1.0, 7.0, 0.3]).eigen().values, [7.0, 0.3, -1.0]);
    assert_eq!(Tensor::<2>::diagonal([0.0; 2]).eigen().values, [0.0; 2]);
    assert_eq!(Tensor::<3>::diagonal([0.0; 3]).eigen().values, [0.0; 3]);
}

#[test]
fn what_is_no_metric_is_told_from_what_is() {
    let mut random = Random(6);
    for _ in 0..CASES / 100 {
        let m: Tensor<2> = random.metric(1e6);
        assert!(m.is_positive_definite() && m.is_symmetric());
        assert!(!m.scaled(-1.0).is_positive_definite());
        let least = m.eigen().values[1];
        let shifted = Tensor::<3>::from_upper(|i, j| if i < 2 && j < 2 { m.0[i][j] } else { 0.0 });
        assert!(!shifted.is_positive_definite());
        assert!(least > 0.0 && size(&m) >= least);
    }
    assert!(!Tensor([[1.0, 1.0], [1.0, 1.0]]).is_positive_definite());
    assert!(!Tensor([[1.0, 2.0], [2.0, 1.0]]).is_positive_definite());
    assert!(!Tensor([[f64::NAN, 0.0], [0.0, 1.0]]).is_positive_definite());
    assert!(!Tensor([[f64::INFINITY, 0.0], [0.0, 1.0]]).is_finite());
    assert!(!Tensor([[1.0, 0.5], [0.25, 1.0]]).is_symmetric());
    assert!(!Tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 1.0]]).is_positive_definite());
}

use cfd_adapt::tensor::{Tensor, intersect};

use crate::dyadic::Dyadic;
use crate::random::{CASES, Random, bits, distance, size};

/// det(a + part max(a, b) I - b), exactly, and whether the trace is positive.
fn covers(a: &Tensor<2>, b: &Tensor<2>, part: f64) -> bool {
    let slack = Dyadic::from(part * size(a).max(size(b)));
    let e = |i: usize, j: usize| Dyadic::from(a.0[i][j]) - Dyadic::from(b.0[i][j]);
    let (p, q, r) = (e(0, 0) + slack.clone(), e(0, 1), e(1, 1) + slack);
    p.signum() >= 0 && r.signum() >= 0 && Dyadic::det2(&p, &q, &q, &r).signum() >= 0
}

#[test]
fn an_intersection_is_nowhere_smaller_than_either() {
    let mut random = Random(15);
    for aspect in [10.0, 1e3, 1e6] {
        for _ in 0..CASES / 100 {
            let (a, b): (Tensor<2>, Tensor<2>) = (random.metric(aspect), random.metric(aspect));
            let m = intersect(&a, &b);
            let part = 8.0 * f64::EPSILON;
            assert!(covers(&m, &a, part) && covers(&m, &b, part), "{a:?} {b:?} {m:?}");
            assert!(m.is_positive_definite());
        }
    }
}

/// In two dimensions an intersection that is neither tensor touches both: det(m - a) = det(m - b) = 0.
#[test]
fn an_intersection_is_no_greater_than_it_must_be() {
    let mut random = Random(16);
    let mut mixed = 0;
    for _ in 0..CASES / 100 {
        let (a, b): (Tensor<2>, Tensor<2>) = (random.metric(1e6), random.metric(1e6));
        let m = intersect(&a, &b);
        if m == a || m == b {
            continue;
        }
        mixed += 1;
        for other in [&a, &b] {
            let smaller = m.plus(-16.0 * f64::EPSILON * size(&m), &Tensor::diagonal([1.0; 2]));
            assert!(!covers(&smaller, other, 0.0), "{a:?} {b:?} {m:?}");
        }
    }
    assert!(mixed > CASES / 1000);
}

#[test]
fn of_two_metrics_of_which_one_covers_the_other_it_is_returned_to_the_bit() {
    fn check<const D: usize>(random: &mut Random) {
        for _ in 0..CASES / 100 {
            // Rounding of the entries counts as 1e-10 of the greatest one's smallest eigenvalue.
            let a: Tensor<D> = random.metric(1e3);
            assert_eq!(bits(&intersect(&a, &a)), bits(&a));
            for factor in [2.0, 1.5, 1.0 + 1e-6] {
                assert_eq!(
                    bits(&intersect(&a, &a.scaled(factor * factor))),
                    bits(&a.scaled(factor * factor))
                );
                assert_eq!(bits(&intersect(&a.scaled(factor), &a)), bits(&a.scaled(factor)));
            }
        }
    }
    check::<2>(&mut Random(17));
    check::<3>(&mut Random(18));
}

#[test]
fn along_common_axes_the_greater_eigenvalue_remains() {
    let m = intersect(&Tensor::diagonal([1.0, 1e12, 5.0]), &Tensor::diagonal([1e6, 1.0, 5.0]));
    assert!(distance(&m, &Tensor::diagonal([1e6, 1e12, 5.0])) <= 4.0 * f64::EPSILON);
    assert!((m.0[0][0] / 1e6 - 1.0).abs() <= 4.0 * f64::EPSILON && m.0[2][2] == 5.0);

    let mut random = Random(19);
    for _ in 0..CASES / 100 {
        let vectors = random.frame::<2>();
        let of = |values| Tensor::from_eigen(&cfd_adapt::tensor::Eigen { values, vectors });
        let m = intersect(&of([1e4, 7.0]), &of([3.0, 2e5]));
        assert!(distance(&m, &of([1e4, 2e5])) <= 1e-14);
    }
}

#[test]
fn arguments_may_be_exchanged() {
    fn check<const D: usize>(random: &mut Random) {
        for _ in 0..CASES / 100 {
            let (a, b): (Tensor<D>, Tensor<D>) = (random.metric(1e6), random.metric(1e6));
            assert_eq!(bits(&intersect(&a, &b)), bits(&intersect(&b, &a)));
        }
        // Equal traces, too.
        let a: Tensor<D> = Tensor::from_upper(|i, j| if i == j { 1.0 + f64::from(i == 0) } else { 0.25 });
        let b = Tensor::from_upper(|i, j| a.0[D - 1 - j][D - 1 - i]);
        assert_eq!(bits(&intersect(&a, &b)), bits(&intersect(&b, &a)));
    }
    check::<2>(&mut Random(20));
    check::<3>(&mut Random(21));
}

/// P^T diag P with integer entries: exact in double precision.
fn congruent<const D: usize>(p: &[[f64; D]; D], diagonal: [f64; D]) -> Tensor<D> {
    Tensor::from_upper(|i, j| (0..D).map(|k| p[k][i] * diagonal[k] * p[k][j]).sum())
}

/// P^T max(A, B) P is the intersection of P^T A P and P^T B P for diagonal A and B.
#[test]
fn tensors_that_are_diagonal_in_the_same_oblique_coordinates_have_the_known_intersection() {
    fn worst<const D: usize>(random: &mut Random, power: u64) -> f64 {
        let mut worst = 0.0f64;
        for _ in 0..CASES / 50 {
            let p: [[f64; D]; D] =
                std::array::from_fn(|_| std::array::from_fn(|_| (random.word() % 15) as f64 - 7.0));
            let mut values = || {
                std::array::from_fn(|_| {
                    (1 + random.word() % 1000) as f64 * 2f64.powi((random.word() % power) as i32)
                })
            };
            let (a, b): ([f64; D], [f64; D]) = (values(), values());
            let expected = congruent(&p, std::array::from_fn(|i| a[i].max(b[i])));
            // Nearly singular coordinates make the problem itself sensitive.
            if congruent(&p, [1.0; D]).determinant() < 1600.0 {
                continue;
            }
            worst = worst.max(distance(&intersect(&congruent(&p, a), &congruent(&p, b)), &expected));
        }
        worst
    }
    for power in [1, 10, 20, 30] {
        let (plane, space) = (worst::<2>(&mut Random(24), power), worst::<3>(&mut Random(25), power));
        println!("up to 2^{power}: largest error {plane:e} in two dimensions, {space:e} in three");
        assert!(plane <= 1e-14 && space <= 5e-13);
    }
}

#[test]
fn in_three_dimensions_it_is_not_smaller_along_any_of_many_directions() {
    let mut random = Random(23);
    for _ in 0..CASES / 200 {
        let (a, b): (Tensor<3>, Tensor<3>) = (random.metric(1e4), random.metric(1e4));
        let m = intersect(&a, &b);
        for _ in 0..10 {
            let e: [f64; 3] = random.vector();
            let greater = a.quadratic(&e).max(b.quadratic(&e));
            assert!(m.quadratic(&e) >= greater - 1e-14 * size(&m), "{a:?} {b:?} {m:?}");
        }
    }
}

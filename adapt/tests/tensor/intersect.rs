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
            // Rounding of the entries counts for 1e-10 of the greatest one's smallest eigenvalue.
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
fn arguments_may_be_exchanged_up_to_rounding() {
    fn check<const D: usize>(random: &mut Random, aspect: f64) -> f64 {
        (0..CASES / 100).fold(0.0, |most: f64, _| {
            let (a, b): (Tensor<D>, Tensor<D>) = (random.metric(aspect), random.metric(aspect));
            most.max(distance(&intersect(&a, &b), &intersect(&b, &a)))
        })
    }
    let plane = check::<2>(&mut Random(20), 1e6);
    let (flat, flattest) = (check::<3>(&mut Random(21), 1e4), check::<3>(&mut Random(22), 1e6));
    println!("largest difference: {plane:e} in two dimensions, {flat:e} and {flattest:e} in three");
    assert!(plane <= 1e-10 && flat <= 1e-10 && flattest <= 1e-6);
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

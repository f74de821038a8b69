use cfd_adapt::tensor::{Tensor, length};

use crate::dyadic::{Dyadic, log_mean_of_roots};
use crate::random::{CASES, Random};

fn negated<const D: usize>(e: [f64; D]) -> [f64; D] {
    e.map(|x| -x)
}

#[test]
fn exchanged_ends_give_the_same_bits() {
    fn check<const D: usize>(random: &mut Random, cases: usize) {
        for case in 0..cases {
            let a: Tensor<D> = random.metric(1e6);
            // Half of them nearly equal, for the series.
            let near = Tensor::from_upper(|i, j| a.0[i][j] * random.uniform(0.9, 1.1));
            let b = if case % 2 == 0 { random.metric(1e6) } else { near };
            let e = random.vector();
            let there = length(&e, &a, &b);
            assert_eq!(there.to_bits(), length(&negated(e), &b, &a).to_bits());
            assert!(there.is_finite() && there >= 0.0);
        }
    }
    check::<2>(&mut Random(7), CASES);
    check::<3>(&mut Random(8), CASES);
}

#[test]
fn the_length_is_the_logarithmic_mean_of_high_precision() {
    let mut random = Random(9);
    let mut worst = 0.0f64;
    for case in 0..CASES / 500 {
        let la = random.uniform(1.0, 2.0);
        // Small differences, both sides of the series' end (ratio 17/15), and large ones.
        let ratio =
            [random.uniform(1.0, 1.12), random.uniform(1.12, 1.15), random.uniform(1.0, 1e6)][case % 3];
        let (a, b) = (Tensor::diagonal([la, 1.0]), Tensor::diagonal([la * ratio * ratio, 1.0]));
        let exact = log_mean_of_roots(&Dyadic::from(a.0[0][0]), &Dyadic::from(b.0[0][0]));
        let part = (length(&[1.0, 0.0], &a, &b) - exact).abs() / exact;
        worst = worst.max(part);
    }
    println!("largest relative error {worst:e}");
    assert!(worst <= 4.0 * f64::EPSILON);
}

#[test]
fn the_length_lies_between_those_of_the_ends_and_is_theirs_where_they_agree() {
    let mut random = Random(10);
    for _ in 0..CASES / 10 {
        let (a, b): (Tensor<2>, Tensor<2>) = (random.metric(1e3), random.metric(1e3));
        let e = random.vector();
        let (la, lb) = (a.quadratic(&e).sqrt(), b.quadratic(&e).sqrt());
        let l = length(&e, &a, &b);
        let slack = 4.0 * f64::EPSILON;
        assert!(l >= la.min(lb) * (1.0 - slack) && l <= la.max(lb) * (1.0 + slack));
        assert_eq!(length(&e, &a, &a), la);
    }
    let one: Tensor<2> = Tensor::diagonal([1.0; 2]);
    assert_eq!(length(&[0.0, 0.0], &one, &one), 0.0);
    assert_eq!(length(&[3.0, 4.0], &one, &one), 5.0);
    assert!(length(&[1.0, 0.0], &one.scaled(f64::NAN), &one).is_nan());
}

#[test]
fn powers_of_two_in_coordinates_and_metric_leave_the_bits() {
    let mut random = Random(11);
    for _ in 0..CASES / 10 {
        let (a, b): (Tensor<2>, Tensor<2>) = (random.metric(1e6), random.metric(1e6));
        let e: [f64; 2] = random.vector();
        let scaled = length(&e.map(|x| x / 1024.0), &a.scaled(1048576.0), &b.scaled(1048576.0));
        assert_eq!(scaled.to_bits(), length(&e, &a, &b).to_bits());
    }
}

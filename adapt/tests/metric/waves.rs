use cfd_adapt::metric::{Curvature, Floors, Norm, Waves};

#[test]
fn the_hessian_is_that_of_the_field() {
    for time in [0.0, 13.0, 50.0] {
        let waves = Waves { time, period: 100.0 };
        for at in [[0.31, 0.42], [0.5, 0.5], [0.9, 0.05], [0.123, 0.77]] {
            let h = 1e-4;
            let f = |i: i32, j: i32| waves.value(&[at[0] + h * f64::from(i), at[1] + h * f64::from(j)]);
            let second = |a: f64, b: f64, c: f64| (a - 2.0 * b + c) / (h * h);
            let xx = second(f(1, 0), f(0, 0), f(-1, 0));
            let yy = second(f(0, 1), f(0, 0), f(0, -1));
            let xy = (f(1, 1) - f(1, -1) - f(-1, 1) + f(-1, -1)) / (4.0 * h * h);
            let exact = waves.hessian(&at);
            for (found, expected) in [(exact.0[0][0], xx), (exact.0[0][1], xy), (exact.0[1][1], yy)] {
                assert!(
                    (found - expected).abs() < 2e-3 * (10.0 + expected.abs()),
                    "{time} {at:?} {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn the_field_is_continuous_across_the_front_and_periodic_in_time() {
    let waves = Waves { time: 0.0, period: 100.0 };
    // 2 x = sin 5 y at X = Y = 1/2.
    assert!((waves.value(&[0.5 - 1e-9, 0.5]) - waves.value(&[0.5 + 1e-9, 0.5])).abs() < 1e-6);
    let later = Waves { time: 100.0, period: 100.0 };
    assert!((waves.value(&[0.2, 0.7]) - later.value(&[0.2, 0.7])).abs() < 1e-12);
}

/// eta = 1e-3, p = 2: by midpoints of n^2 boxes, 29,769.2 for n = 800, 29,755.8 for 1600, 29,755.6 for 12,800. The
/// density has cusps where the determinant changes its sign, so the sums converge slowly.
#[test]
fn the_benchmarks_metric_has_the_known_complexity() {
    let norm = Norm::Eta { p: 2.0, eta: 1e-3, epsilon: 0.0 };
    let curvature = Curvature { norm, floors: Floors::default() };
    let waves = Waves { time: 0.0, period: 100.0 };
    let metric = |at: [f64; 2]| curvature.metric_at(&waves.hessian(&at)).unwrap();
    let n = 1600;
    let at = |k: usize| (k as f64 + 0.5) / n as f64;
    let row = |i: usize| -> f64 { (0..n).map(|j| metric([at(i), at(j)]).determinant().sqrt()).sum() };
    let found = (0..n).map(row).sum::<f64>() / (n * n) as f64;
    println!("{found}");
    assert!((found - 29_755.788_3).abs() < 1e-3, "{found}");
}

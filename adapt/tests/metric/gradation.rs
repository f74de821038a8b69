use cfd_adapt::metric::{Graded, Limits, View, gradate};
use cfd_adapt::tensor::{Eigen, Tensor, excess, size_along};

use crate::mesh::{Part, Whole, noise};

/// The largest fraction by which M_q (1 + ln(beta) l)^-2 exceeds M_p, over all edges.
fn violation<const D: usize>(whole: &Whole<D>, part: &Part<D>, metrics: &[Tensor<D>], beta: f64) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for element in &whole.elements {
        for (&p, &q) in
            element.iter().flat_map(|p| element.iter().map(move |q| (p, q))).filter(|(p, q)| p != q)
        {
            let (x, y) = (part.position(p), part.position(q));
            let edge: [f64; D] = std::array::from_fn(|i| y[i] - x[i]);
            let growth = 1.0 + beta.ln() * size_along(&edge, &metrics[q as usize]);
            let least = metrics[q as usize].scaled(1.0 / (growth * growth));
            most = most.max(excess(&least, &metrics[p as usize]));
        }
    }
    most
}

#[test]
fn sizes_grow_from_a_fine_spot_by_beta_an_edge_at_most() {
    let whole = Whole::<2>::boxes(40, 0.2);
    let part = whole.single();
    let mut metrics = vec![Tensor::diagonal([100.0, 100.0]); whole.positions.len()];
    metrics[41 * 20 + 20] = Tensor::diagonal([1e6, 1e6]);
    assert!(violation(&whole, &part, &metrics, 1.5) > 50.0);
    let Graded { metrics: graded, sweeps, settled } =
        gradate(&part, &metrics, 1.5, &Limits::default()).unwrap();
    println!("{sweeps} sweeps");
    assert!(settled && sweeps > 1);
    assert!(violation(&whole, &part, &graded, 1.5) <= 2e-6);
    assert_eq!(graded[41 * 20 + 20], metrics[41 * 20 + 20]);
    // h grows by ln(beta) times the distance, from 0.001; the path along edges is at most about 1.2 times as long.
    for (v, m) in graded.iter().enumerate() {
        let x = part.position(v as u32);
        let centre = part.position(41 * 20 + 20);
        let distance = ((x[0] - centre[0]).powi(2) + (x[1] - centre[1]).powi(2)).sqrt();
        let h = 1.0 / m.0[0][0].sqrt();
        assert!(h >= (0.001 + 1.5f64.ln() * distance).min(0.1) * (1.0 - 1e-5), "{h} {distance}");
        assert!(h <= 0.1 * (1.0 + 1e-12) && h <= 0.001 + 1.5f64.ln() * 1.8 * distance + 1e-9);
    }
}

#[test]
fn gradation_of_anisotropic_metrics_holds_in_every_direction_and_leaves_nothing_smaller() {
    fn check<const D: usize>(n: usize) {
        let whole = Whole::<D>::boxes(n, 0.2);
        let part = whole.single();
        let metric = |v: u64| {
            let values = std::array::from_fn(|i| 10f64.powf(3.0 + 2.0 * noise(3 * v + i as u64)));
            let (s, c) = (10.0 * noise(v + 1000)).sin_cos();
            let mut vectors = Tensor::<D>::diagonal([1.0; D]).0;
            (vectors[0][0], vectors[0][1], vectors[1][0], vectors[1][1]) = (c, s, -s, c);
            Tensor::from_eigen(&Eigen { values, vectors })
        };
        let metrics: Vec<Tensor<D>> = (0..whole.positions.len() as u64).map(metric).collect();
        for beta in [1.1, 1.5, 3.0] {
            let graded = gradate(&part, &metrics, beta, &Limits::default()).unwrap();
            assert!(graded.settled);
            assert!(violation(&whole, &part, &graded.metrics, beta) <= 2e-6);
            assert!(metrics.iter().zip(&graded.metrics).all(|(m, graded)| excess(m, graded) <= 1e-10));
        }
    }
    check::<2>(12);
    check::<3>(4);
}

#[test]
fn a_graded_metric_stays_and_limits_win() {
    let whole = Whole::<2>::boxes(10, 0.0);
    let part = whole.single();
    let mut metrics = vec![Tensor::diagonal([25.0, 100.0]); 121];
    let same = gradate(&part, &metrics, 1.2, &Limits::default()).unwrap();
    assert!(same.settled && same.sweeps == 0 && same.metrics == metrics);
    metrics[60] = Tensor::diagonal([1e4, 1.0]);
    metrics[61] = Tensor([[5000.5, 4999.5], [4999.5, 5000.5]]);
    let limits = Limits { h_min: 0.01, h_max: 1.0, aspect_ratio: 20.0 };
    let graded = gradate(&part, &metrics, 1.2, &limits).unwrap();
    assert!(graded.settled);
    for (m, before) in graded.metrics.iter().zip(&metrics) {
        let values = m.eigen().values;
        let changed = m != before;
        assert!(!changed || values[0] <= 1e4 * (1.0 + 1e-12) && values[0] <= 400.0001 * values[1]);
    }
    for beta in [1.0, 0.5, f64::NAN] {
        assert!(gradate(&part, &metrics, beta, &limits).is_err());
    }
    metrics[7] = Tensor::diagonal([1.0, -1.0]);
    let error = gradate(&part, &metrics, 1.5, &limits).unwrap_err().to_string();
    assert!(error.contains("not positive definite"), "{error}");
}

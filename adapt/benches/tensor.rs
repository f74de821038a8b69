//! Nanoseconds per call of the functions that adaptation calls most often: the fastest of many rounds over a thousand
//! pairs of tensors.

use std::hint::black_box;
use std::time::Instant;

use cfd_adapt::tensor::{Eigen, Tensor, interpolate, intersect, length};

const PAIRS: usize = 1000;
const REPEAT: usize = 1000;

/// Aspect ratios up to 1e3, at rotating angles; the second tensor differs a little or much from the first.
fn pairs<const D: usize>(part: f64) -> Vec<(Tensor<D>, Tensor<D>)> {
    let tensor = |k: usize, change: f64| {
        let mut vectors = Tensor::<D>::diagonal([1.0; D]).0;
        let (sine, cosine) = ((k as f64 + change).sin(), (k as f64 + change).cos());
        (vectors[0][0], vectors[0][1], vectors[1][0], vectors[1][1]) = (cosine, sine, -sine, cosine);
        let values = std::array::from_fn(|i| 1e2 + (1.0 + change) * 1e6 * ((k * (i + 3)) % 17) as f64);
        Tensor::from_eigen(&Eigen { values, vectors })
    };
    (0..PAIRS).map(|k| (tensor(k, 0.0), tensor(k, part))).collect()
}

fn time<const D: usize, T>(name: &str, part: f64, call: impl Fn(&Tensor<D>, &Tensor<D>) -> T) {
    let pairs = pairs::<D>(part);
    let mut fastest = f64::INFINITY;
    for _ in 0..REPEAT {
        let start = Instant::now();
        for (a, b) in black_box(&pairs) {
            black_box(call(a, b));
        }
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    println!("{name:32} D = {D}  {:8.2}", fastest * 1e9 / PAIRS as f64);
}

fn all<const D: usize>() {
    let mut e = [0.25; D];
    e[0] = 1.0;
    time::<D, _>("length, ends alike", 0.01, |a, b| length(&e, a, b));
    time::<D, _>("length, ends unlike", 1.0, |a, b| length(&e, a, b));
    time::<D, _>("interpolate", 0.1, |a, b| interpolate(&[(0.7, *a), (0.3, *b)]));
    time::<D, _>("intersect", 1.0, intersect);
    time::<D, _>("determinant", 0.1, |a, _| a.determinant());
    time::<D, _>("eigen", 0.1, |a, _| a.eigen());
    time::<D, _>("ln", 0.1, |a, _| a.ln());
    time::<D, _>("exp", 0.1, |a, _| a.scaled(1e-7).exp());
}

fn main() {
    all::<2>();
    all::<3>();
}

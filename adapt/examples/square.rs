//! Adapts a mesh of the unit square to a field with waves and a front, and reports the result.
//!
//! ```text
//! cargo run --release --package cfd-adapt --example square -- [SQUARES A SIDE] [THREADS]
//! ```

use cfd_adapt::mesh::{Input, Mesh};
use cfd_adapt::metric::{Curvature, Floors, Norm, Recovery, Waves, hessian};
use cfd_adapt::operation::{Adapter, Bounds, MetricAt};
use cfd_engine::comm::Comm;
use cfd_engine::plug::ThreadPool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let (squares, threads) = (arguments.next().unwrap_or(Ok(200))?, arguments.next().unwrap_or(Ok(1))?);
    let mut mesh = Mesh::new(&Comm::single(), &square(squares as u64))?;

    let field = Waves { time: 0.0, period: 100.0 };
    let local = mesh.local().vertices();
    let values: Vec<f64> = (0..local.len() as u32).map(|v| field.value(local.position(v))).collect();
    let hessians = hessian(&mesh, &values, Recovery::LeastSquares)?;
    let norm = Norm::Eta { p: 2.0, eta: 1e-3, epsilon: 0.0 };
    mesh.set_metric(&Curvature { norm, floors: Floors::default() }.metric(&mesh, &hessians)?);

    let pool = ThreadPool::new(threads);
    let adapter = Adapter {
        bounds: Bounds::default(),
        metric: MetricAt::Carried,
        pool: &pool,
        balance: None,
        most: None,
    };
    let started = std::time::Instant::now();
    let report = adapter.adapt(&mut mesh, |_, _| ())?;
    let seconds = started.elapsed().as_secs_f64();

    let local = mesh.local();
    let qualities: Vec<f64> = local.own_elements().map(|e| local.quality(e)).collect();
    let least = qualities.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = mesh.exact_sum(qualities.iter().copied()) / qualities.len() as f64;
    let [vertices, elements] = mesh.counts();
    println!("{vertices} vertices, {elements} triangles, quality {least:.4} to {mean:.4} in the mean");
    println!("{:?} in {} passes", report.total, report.passes.len());
    println!("{seconds:.2} s, of which coarsen, refine, swap, smooth {:.2?}", report.times);
    Ok(())
}

/// `n` by `n` squares, each cut by a diagonal, with a boundary for each side.
fn square(n: u64) -> Input<2> {
    let at = |i: u64, j: u64| j * (n + 1) + i;
    let mut input = Input {
        boundaries: ["bottom", "right", "top", "left"].map(String::from).to_vec(),
        ..Input::default()
    };
    for j in 0..=n {
        input.positions.extend((0..=n).map(|i| [i as f64 / n as f64, j as f64 / n as f64]));
    }
    for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        input.elements.extend(if (i + j) % 2 == 0 { [a, b, c, a, c, d] } else { [a, b, d, b, c, d] });
    }
    for i in 0..n {
        let sides = [
            (at(i, 0), at(i + 1, 0)),
            (at(n, i), at(n, i + 1)),
            (at(i, n), at(i + 1, n)),
            (at(0, i), at(0, i + 1)),
        ];
        for (tag, (a, b)) in (1..).zip(sides) {
            input.facets.extend([a, b]);
            input.tags.push(tag);
        }
    }
    input.rows = [(n + 1) * (n + 1), 2 * n * n, 4 * n];
    input
}

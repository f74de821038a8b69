//! What overlapping halo exchanges with the core gains, by the latency of messages.
//!
//! Ranks are simulated, and their halo messages arrive a given time after they were sent. An iteration advances the
//! values of cells in a square, then spreads them over its sides, which needs copies of the cells on its rim. Runs with
//! and without overlap take turns; times are medians over the rounds.
//!
//! `cargo bench -p cfd-engine --bench overlap` prints the table in Markdown.

use std::time::{Duration, Instant};

use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_engine::prelude::*;

/// Cells on each side of the square, iterations of a measurement, and rounds; changed by `NAME=NUMBER` arguments.
const DEFAULTS: [(&str, u64); 3] = [("side", 400), ("iterations", 20), ("rounds", 7)];
const RANKS: [usize; 3] = [2, 4, 8];
const LATENCIES: [Duration; 3] = [Duration::ZERO, Duration::from_micros(100), Duration::from_millis(1)];

#[kernel]
fn advance(u: Rw<2>, sum: Rw<1>) {
    u[0] = 0.75 * u[0] + 0.1 * sum[0];
    u[1] = 0.5 * u[1] - 0.1 * u[0];
    sum[0] = 0.0;
}

#[kernel]
fn spread(one: Read<2>, other: Read<2>, to_one: Inc<1>, to_other: Inc<1>) {
    let d = (one[0] - other[0]) / (1.0 + one[1] * one[1] + other[1] * other[1]);
    to_one[0] -= d;
    to_other[0] += d;
}

/// A square of `side` by `side` cells in strips, one for each rank.
fn square(comm: &Comm, side: u64, overlap: bool) -> Domain {
    let mut mesh = Mesh::default();
    let mine = |rows: u64| Blocks::new(rows, comm.size()).range(comm.rank());
    let owner = |cell: u64| Blocks::new(side * side, comm.size()).owner(cell) as u32;
    let cells = mesh.add_set("cells", side * side);
    let sides = mesh.add_set("sides", 2 * side * (side - 1));
    // First those between neighbors of a row, then those between rows.
    let pair = |at: u64| {
        let across = side * (side - 1);
        match at.checked_sub(across) {
            None => (side * (at / (side - 1)) + at % (side - 1), 1),
            Some(at) => (at, side),
        }
    };
    let pairs: Vec<[u64; 2]> = mine(2 * side * (side - 1))
        .map(|at| {
            let (cell, step) = pair(at);
            [cell, cell + step]
        })
        .collect();
    mesh.add_map("cells", sides, cells, 2, pairs.as_flattened().to_vec());
    let u = mine(side * side).flat_map(|cell| [(cell as f64 * 0.37).sin(), (cell as f64 * 0.11).cos()]);
    mesh.add_dat("u", cells, 2, Values::F64(u.collect()));
    let owners =
        vec![mine(side * side).map(owner).collect(), pairs.iter().map(|pair| owner(pair[0])).collect()];
    let layout = cfd_partition::distribute(comm, mesh, &owners).expect("a layout");
    Domain::new(comm.clone(), layout, DomainOptions { overlap, ..DomainOptions::default() })
}

/// Seconds of an iteration, with and without overlap, by round.
fn measure(ranks: usize, latency: Duration, [side, iterations, rounds]: [u64; 3]) -> [Vec<f64>; 2] {
    let of_ranks = Comm::simulate_delayed(ranks, latency, |comm| {
        let mut domains = [true, false].map(|overlap| square(&comm, side, overlap));
        let mut seconds = [Vec::new(), Vec::new()];
        for round in 0..=rounds {
            for (domain, seconds) in domains.iter_mut().zip(&mut seconds) {
                let time = iterate(domain, &comm, iterations);
                // The first round makes the schedules.
                if round > 0 {
                    seconds.push(time);
                }
            }
        }
        seconds
    });
    of_ranks.into_iter().next().expect("a rank")
}

fn iterate(domain: &mut Domain, comm: &Comm, iterations: u64) -> f64 {
    let (cells, sides) = (domain.set("cells").expect("a set"), domain.set("sides").expect("a set"));
    let map: Map<2> = domain.map("cells").expect("a map");
    let u: Dat<2> = domain.dat("u").expect("a dat");
    let sum: Dat<1> = domain.dat("sum").unwrap_or_else(|_| domain.new_dat(cells, "sum"));
    let (one, other) = (map.target::<0>(), map.target::<1>());
    comm.barrier();
    let begin = Instant::now();
    for _ in 0..iterations {
        domain.par_loop(advance, cells, (u, sum), &());
        domain.par_loop(spread, sides, (u.at(one), u.at(other), sum.at(one), sum.at(other)), &());
    }
    domain.flush().expect("the processor does not fail");
    comm.barrier();
    begin.elapsed().as_secs_f64() / iterations as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let mut numbers = DEFAULTS;
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        let known = argument.split_once('=').and_then(|(name, value)| {
            Some((numbers.iter_mut().find(|(known, _)| *known == name)?, value.parse().ok()?))
        });
        let Some((number, value)) = known else {
            eprintln!("{argument}: not one of {DEFAULTS:?} as NAME=NUMBER");
            std::process::exit(2);
        };
        number.1 = value;
    }
    let numbers = numbers.map(|(_, value)| value);
    println!("| ranks | latency, ms | with overlap, ms | without, ms | ratio |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for ranks in RANKS {
        for latency in LATENCIES {
            let [with, without] = measure(ranks, latency, numbers);
            let ratio = median(with.iter().zip(&without).map(|(with, without)| with / without));
            let [with, without] = [with, without].map(|seconds| 1e3 * median(seconds.into_iter()));
            let latency = 1e3 * latency.as_secs_f64();
            println!("| {ranks} | {latency} | {with:.2} | {without:.2} | {ratio:.2} |");
        }
    }
}

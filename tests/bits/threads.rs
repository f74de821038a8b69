//! Several threads of a rank: their changes through maps, sums and extrema, in every strategy.

use cfd_engine::mesh::{Mesh, Values};
use cfd_engine::prelude::*;
use cfd_engine::strategy::{Mode, Strategy};
use cfd_reducers::strategies;

use crate::harness::flow::{Case, Outcome, bits};
use crate::harness::{self, Split, in_global_order};

const THREADS: [usize; 4] = [1, 2, 4, 8];
const SOURCES: usize = 6000;
const TARGETS: usize = 900;

#[kernel]
fn give(w: Read<1>, a: Inc<2>, b: Inc<2>, c: Inc<1>, total: Sum<2>, least: Min<1>, most: Max<1>) {
    a[0] += w[0];
    a[1] += 2.0 * w[0];
    b[0] -= 3.0 * w[0];
    b[1] += 1.0;
    c[0] += w[0] + 1.0;
    total[0] += w[0];
    total[1] += 1.0;
    least[0] = w[0];
    most[0] = w[0];
}

/// The number of a round.
#[derive(Clone, Copy, Constants)]
struct Round {
    number: f64,
}

/// All sources of a target write the same.
#[kernel]
fn mark(seen: Write<1>, c: &Round) {
    seen[0] = c.number;
}

/// A target of a source: half the sources share a few targets, which makes the work uneven; the others' are anywhere.
fn target(source: usize, which: usize) -> u32 {
    let number = (source as u64 * 3 + which as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    (if source < SOURCES / 2 { number % 7 } else { number % TARGETS as u64 }) as u32
}

/// A whole number, so sums are exact in any order.
fn weight(source: usize) -> f64 {
    ((source * 37 + 11) % 101) as f64 - 50.0
}

/// What the targets and the globals of `rounds` loops must be.
struct Expected {
    pairs: Vec<[f64; 2]>,
    singles: Vec<[f64; 1]>,
    total: [f64; 2],
}

fn expected(rounds: usize) -> Expected {
    let mut pairs = vec![[0.0; 2]; TARGETS];
    let mut singles = vec![[0.0; 1]; TARGETS];
    for source in 0..SOURCES {
        let (w, n) = (weight(source), rounds as f64);
        let [a, b, c] = [0, 1, 2].map(|which| target(source, which) as usize);
        pairs[a][0] += n * w;
        pairs[a][1] += n * 2.0 * w;
        pairs[b][0] -= n * 3.0 * w;
        pairs[b][1] += n;
        singles[c][0] += n * (w + 1.0);
    }
    let total = (0..SOURCES).map(weight).sum();
    Expected { pairs, singles, total: [total, SOURCES as f64] }
}

/// Gives in `rounds` loops on simulated ranks, the rows of each set dealt out by blocks of 50.
fn run(ranks: usize, options: &DomainOptions, rounds: usize) {
    let results = Comm::simulate(ranks, |comm| {
        let mut mesh = Mesh::default();
        let rows = |rows: usize| {
            let range = cfd_engine::mesh::Blocks::new(rows as u64, comm.size()).range(comm.rank());
            range.start as usize..range.end as usize
        };
        let sources = mesh.add_set("sources", SOURCES as u64);
        let targets = mesh.add_set("targets", TARGETS as u64);
        let own = rows(SOURCES);
        let indices = own.clone().flat_map(|s| [0, 1, 2].map(|which| u64::from(target(s, which)))).collect();
        mesh.add_map("targets", sources, targets, 3, indices);
        mesh.add_dat("w", sources, 1, Values::F64(own.map(weight).collect()));
        let owners: Vec<Vec<u32>> = [SOURCES, TARGETS]
            .map(|set| rows(set).map(|row| (row / 50 % comm.size()) as u32).collect())
            .to_vec();
        let layout = cfd_partition::distribute(&comm, mesh, &owners).expect("a layout");
        let mut domain = Domain::new(comm, layout, options.clone());
        let (sources, targets) = (domain.set("sources").unwrap(), domain.set("targets").unwrap());
        let map: Map<3> = domain.map("targets").unwrap();
        let w: Dat<1> = domain.dat("w").unwrap();
        let (pairs, singles): (Dat<2>, Dat<1>) =
            (domain.new_dat(targets, "pairs"), domain.new_dat(targets, "singles"));
        let (total, least, most) = (domain.new_sum("total"), domain.new_min("least"), domain.new_max("most"));
        let mut globals = Vec::new();
        let seen: Dat<1> = domain.new_dat(targets, "seen");
        for round in 0..rounds {
            let number = (round + 1) as f64;
            domain.par_loop(mark, sources, (seen.at(map.target::<0>()),), &Round { number });
            let increments = (pairs.at(map.target::<0>()), pairs.at(map.target::<1>()));
            let operands = (w, increments.0, increments.1, singles.at(map.target::<2>()), total, least, most);
            domain.par_loop(give, sources, operands, &());
            globals.push((
                domain.get(total).unwrap(),
                domain.extremum(least).unwrap()[0],
                domain.extremum(most).unwrap()[0],
            ));
        }
        let ids = domain.global_ids(targets).to_vec();
        let seen = (ids.clone(), domain.read(seen).unwrap());
        ((ids.clone(), domain.read(pairs).unwrap()), (ids, domain.read(singles).unwrap()), globals, seen)
    });
    let Expected { pairs, singles, total } = expected(rounds);
    let what = format!("{:?}, {} threads, {ranks} ranks", options.strategy(), options.threads);
    let first = |value: f64| (0..SOURCES).find(|&s| weight(s) == value).map(|s| s as u64);
    for (found, least, most) in results.iter().flat_map(|(_, _, globals, _)| globals) {
        assert_eq!(*found, total, "{what}");
        assert_eq!((least.value, least.element), (-50.0, first(-50.0)), "{what}");
        assert_eq!((most.value, most.element), (50.0, first(50.0)), "{what}");
    }
    let seen = in_global_order::<1>(results.iter().map(|(_, _, _, seen)| seen.clone()).collect());
    let mut marked = vec![[0.0]; TARGETS];
    (0..SOURCES).for_each(|source| marked[target(source, 0) as usize] = [rounds as f64]);
    assert_eq!(seen, marked, "{what}");
    let (pair_parts, single_parts) = results.into_iter().map(|(p, s, _, _)| (p, s)).unzip();
    assert_eq!(in_global_order::<2>(pair_parts), pairs, "{what}");
    assert_eq!(in_global_order::<1>(single_parts), singles, "{what}");
}

#[test]
fn every_strategy_loses_no_increment_when_work_is_uneven() {
    for (number, strategy) in strategies::all().enumerate() {
        let mode = if strategy.is_reproducible() { Mode::Reproducible } else { Mode::Fast };
        for (at, threads) in THREADS.into_iter().enumerate() {
            let ways = [(1, 1, 0, 64), (1, 500, 70, 1024), (3, 1, 7, 1)];
            for (way, (ranks, grain, region_rows, block_rows)) in ways.into_iter().enumerate() {
                // Every second combination, including all threads and strategies.
                if !harness::matrix::is_whole() && (number + at + way) % 2 == 1 {
                    continue;
                }
                let options = DomainOptions {
                    mode,
                    strategy: Some(strategy),
                    threads,
                    grain,
                    region_rows,
                    block_rows,
                    ..DomainOptions::default()
                };
                run(ranks, &options, 3);
            }
        }
    }
}

const CASE: Case = Case { size: [12, 15], iterations: 20 };

fn fast(strategy: Strategy, ranks: usize, threads: usize) -> Outcome {
    let split = Split::new(ranks, "rcb").with(|options| {
        options.mode = Mode::Fast;
        options.strategy = Some(strategy);
        options.threads = threads;
        options.grain = 8;
        options.block_rows = 16;
    });
    CASE.run(&split)
}

#[test]
fn in_fast_mode_one_number_of_ranks_and_threads_always_gives_the_same_bits() {
    for strategy in strategies::all().filter(|s| s.is_repeatable()) {
        for (ranks, threads) in [(1, 4), (2, 3)] {
            let first = fast(strategy, ranks, threads);
            for _ in 0..2 {
                let again = fast(strategy, ranks, threads);
                assert_eq!(first.differing_values(&again.q), 0, "{strategy:?}");
                assert_eq!(bits(&first.history), bits(&again.history), "{strategy:?}");
            }
        }
    }
}

#[test]
fn fast_strategies_differ_from_the_reproducible_result_by_rounding_alone() {
    let exact = CASE.run(&Split::new(1, "block"));
    for strategy in strategies::all().filter(|s| !s.is_reproducible()) {
        for threads in THREADS {
            let outcome = fast(strategy, 2, threads);
            for (found, expected) in outcome.q.iter().flatten().zip(exact.q.iter().flatten()) {
                assert!((found - expected).abs() < 1e-11, "{strategy:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn core_regions_and_colored_blocks_give_the_same_field_on_any_number_of_threads_in_fast_mode_too() {
    for strategy in [Strategy::Core, Strategy::Regions, Strategy::ColoredBlocks] {
        let alone = fast(strategy, 2, 1);
        for threads in [2, 3, 8] {
            assert_eq!(alone.differing_values(&fast(strategy, 2, threads).q), 0, "{strategy:?}");
        }
    }
}

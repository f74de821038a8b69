//! The cube of everything that must not change a bit, and the hashes that all its points must give.
//!
//! The full cube has 5,600 points, with a number of lanes for each. A covering array of some forty of them holds every
//! value and every pair of values: most faults in such a cube show in one value or in a combination of two. Two points
//! of every strategy hold every value: they guard a merge, and the others run at night.

use cfd_engine::lane::Width;
use cfd_engine::strategy::Strategy;
use cfd_partition::Order;
use cfd_reducers::strategies;
use cfd_solvers::CASES;

use super::Split;
use super::flow::{Case, Outcome};
use super::hashes::{of, stated};

/// The mesh and the iterations whose hashes Airfoil states: its references, in file and in Hilbert order.
pub const CASE: Case = Case { size: [47, 78], iterations: 100 };

const RANKS: [usize; 7] = [1, 2, 3, 5, 7, 8, 16];
const METHODS: [&str; 5] = ["metis", "rcb", "hilbert", "block", "random"];
const SEEDS: [u64; 2] = [1, 2];
const OVERLAPS: [bool; 2] = [true, false];
/// Targets per region; 0: one region per thread.
const REGION_ROWS: [usize; 2] = [0, 60];
const THREADS: [usize; 4] = [1, 2, 4, 7];
/// If the processor has fewer, as many as it has.
const LANES: [usize; 4] = [1, 2, 4, 8];
/// Without chains; with tiles that fit the cache; with tiles of this many elements.
const TILE_ROWS: [Option<usize>; 3] = [None, Some(0), Some(40)];
/// The axis of the strategies.
pub const STRATEGY: usize = 4;
/// Number of values on each axis, in the order of [`point`].
pub const AXES: [usize; 9] = [
    RANKS.len(),
    METHODS.len(),
    SEEDS.len(),
    OVERLAPS.len(),
    5,
    REGION_ROWS.len(),
    THREADS.len(),
    LANES.len(),
    TILE_ROWS.len(),
];

/// The strategies that guarantee their bits.
pub fn reproducible() -> Vec<Strategy> {
    strategies::all().filter(|s| s.is_reproducible()).collect()
}

/// The place of a point on each axis.
pub type Indices = [usize; AXES.len()];

fn point([ranks, method, seed, overlap, strategy, rows, threads, lanes, tiles]: Indices) -> Split {
    let split = Split { seed: SEEDS[seed], ..Split::new(RANKS[ranks], METHODS[method]) };
    split.with(|options| {
        options.overlap = OVERLAPS[overlap];
        options.strategy = Some(reproducible()[strategy]);
        options.region_rows = REGION_ROWS[rows];
        options.threads = THREADS[threads];
        options.grain = 20;
        options.lanes = width(LANES[lanes]);
        options.backend = cfd_chains::backend_if(TILE_ROWS[tiles].is_some());
        options.tile_rows = TILE_ROWS[tiles].unwrap_or(0);
        // The mesh is small: half of all points have no cache.
        options.cache_bytes = (seed % 2 == 0).then_some(0);
    })
}

/// This many lanes, or as many as the processor has.
pub fn width(lanes: usize) -> Width {
    Width::new(lanes).unwrap_or(Width::widest())
}

/// Every point, by its place on the axes. The last two, lanes and tiles, follow from the others, so each of their
/// values meets every value of the other axes without enlarging the cube.
pub fn all_indices() -> Vec<Indices> {
    assert_eq!(reproducible().len(), AXES[STRATEGY], "a new strategy joins the cube");
    let mut points = vec![[0; AXES.len()]];
    let (axes, &[lanes, tiles]) = AXES.split_last_chunk().expect("there are more axes");
    for (axis, &values) in axes.iter().enumerate() {
        let along = |p: Indices| {
            (0..values).map(move |value| {
                let mut p = p;
                p[axis] = value;
                p
            })
        };
        points = points.into_iter().flat_map(along).collect();
    }
    for point in &mut points {
        let [a, b, c, d, e, f, g, ..] = *point;
        point[axes.len()] = (a + b + c + d + e + f + g) % lanes;
        point[axes.len() + 1] = (a + 2 * b + c + d + e + 2 * f + g + g / 2) % tiles;
    }
    points
}

/// The pairs of values that meet in a point: (axis, value, other axis, other value).
fn pairs(point: Indices) -> impl Iterator<Item = [usize; 4]> {
    (0..AXES.len()).flat_map(move |a| (0..a).map(move |b| [b, point[b], a, point[a]]))
}

/// Points that hold every pair of values: always the first of those that add most.
pub fn covering_indices() -> Vec<Indices> {
    let all = all_indices();
    let mut missing: std::collections::BTreeSet<[usize; 4]> = all.iter().flat_map(|&p| pairs(p)).collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let gain = |p: &Indices| pairs(*p).filter(|pair| missing.contains(pair)).count();
        let best = *all.iter().rev().max_by_key(|p| gain(p)).expect("the cube has points");
        pairs(best).for_each(|pair| {
            missing.remove(&pair);
        });
        chosen.push(best);
    }
    chosen
}

/// Two points of every strategy, which hold every value of every axis: always the first of those that add most.
pub fn sparse_indices() -> Vec<Indices> {
    let all = all_indices();
    let mut missing: std::collections::BTreeSet<[usize; 2]> =
        AXES.iter().enumerate().flat_map(|(axis, &values)| (0..values).map(move |v| [axis, v])).collect();
    let mut chosen = Vec::new();
    for strategy in (0..AXES[STRATEGY]).flat_map(|strategy| [strategy, strategy]) {
        let gain = |p: &Indices| p.iter().enumerate().filter(|&(a, &v)| missing.contains(&[a, v])).count();
        let its = all.iter().rev().filter(|p| p[STRATEGY] == strategy);
        let best = *its.max_by_key(|p| gain(p)).expect("every strategy has points");
        best.iter().enumerate().for_each(|(axis, &value)| {
            missing.remove(&[axis, value]);
        });
        chosen.push(best);
    }
    chosen
}

/// Every point.
pub fn full() -> Vec<Split> {
    all_indices().into_iter().map(point).collect()
}

/// The points of a strategy that a test takes: those that hold every value, or every pair of values if the whole matrix
/// is requested.
pub fn points_of(strategy: Strategy) -> Vec<Split> {
    let chosen = if super::matrix::is_whole() { covering_indices() } else { sparse_indices() };
    chosen.into_iter().map(point).filter(|split| split.options.strategy() == strategy).collect()
}

/// Runs [`CASE`]; what differs from the stored hashes, if anything does.
pub fn run_and_compare(split: &Split) -> Result<(), String> {
    compare(&CASE.run(split), split)
}

/// What differs from the stored hashes, if anything does.
pub fn compare(outcome: &Outcome, split: &Split) -> Result<(), String> {
    let reference = match split.order {
        Order::File => &CASES[0].facts().references[0],
        Order::Hilbert => &CASES[0].facts().references[1],
        Order::CuthillMckee => return Err("no hash is stored for this order".into()),
    };
    let expected = of(&stated(reference), split.options.strategy().class());
    let (solution, history) = (outcome.hash(), outcome.history_hash());
    if [&solution, &history] == expected {
        return Ok(());
    }
    Err(format!(
        "{split:?}\n  solution {solution}\n  expected {}\n  history  {history}\n  expected {}",
        expected[0], expected[1]
    ))
}

//! Minima and maxima into dats through maps, as a limiter needs them: in every strategy, on any ranks and threads, in any
//! number of lanes, in chains and on the emulated device the bits of a plain program, whatever order its elements have.

use cfd_engine::lane::Width;
use cfd_engine::mesh::{Blocks, Mesh, Values};
use cfd_engine::prelude::*;
use cfd_engine::strategy::{Mode, Strategy};
use cfd_reducers::strategies;

use crate::harness::{Split, use_device};

const EDGES: u64 = 150;
const CELLS: u64 = 61;
const ROUNDS: usize = 2;

/// The bounds of the limiter of Barth and Jespersen begin with a cell's own values.
#[kernel]
fn begin(u: Read<3>, low: Write<3>, high: Write<3>) {
    for m in 0..3 {
        low[m] = u[m];
        high[m] = u[m];
    }
}

/// Every edge shows each of its cells the other's values.
#[kernel]
fn meet(u: [Read<3>; 2], low: [Min<3>; 2], high: [Max<3>; 2]) {
    for j in 0..2 {
        for m in 0..3 {
            low[j][m] = u[1 - j][m];
            high[j][m] = u[1 - j][m];
        }
    }
}

#[kernel]
fn meet_one_by_one(u1: Read<3>, u2: Read<3>, low1: Min<3>, low2: Min<3>, high1: Max<3>, high2: Max<3>) {
    for m in 0..3 {
        low1[m] = u2[m];
        low2[m] = u1[m];
        high1[m] = u2[m];
        high2[m] = u1[m];
    }
}

/// Candidates of the edge itself for four cells, not always set, beside increments whose sums are exact.
#[kernel]
fn spread(w: Read<3>, low: [Min<3>; 4], count: [Inc<1>; 4]) {
    for j in 0..4 {
        if w[0] < 0.5 {
            low[j][0] = w[0] + w[0];
        }
        low[3 - j][2] = w[2];
        count[j][0] += 1.0;
    }
}

/// New values between the bounds; of the special ones, one bound or the other. Own values are compared, too.
#[kernel]
fn limit(low: Read<3>, high: Read<3>, u: Write<3>, ever: Max<3>) {
    u[0] = 0.75 * low[0] + 0.25 * high[0];
    for m in 1..3 {
        u[m] = if low[0] < 0.3 { low[m] } else { high[m] };
    }
    for m in 0..3 {
        ever[m] = high[m];
    }
}

/// SplitMix64.
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Three values: a number, a zero or a small number of either sign, and what is none: infinities and several NaN.
fn values(seed: u64) -> [f64; 3] {
    let (number, word) = ((random(seed) >> 11) as f64 / (1u64 << 53) as f64, random(seed + 1));
    let special = match word % 97 {
        0 => f64::INFINITY,
        1 => f64::NEG_INFINITY,
        2 => f64::NAN,
        3 => f64::from_bits(f64::NAN.to_bits() | 1 << 63 | word >> 20),
        _ => number - 0.5,
    };
    let zero = [0.0, -0.0, f64::from_bits(1), -f64::from_bits(1)][(word >> 8) as usize % 4];
    [number, zero, special]
}

/// Edges lead to arbitrary cells; every seventh leads to one of them several times.
fn cell(edge: u64, target: u64) -> u64 {
    let target = if edge.is_multiple_of(7) { target / 3 } else { target };
    random(1000 * edge + target) % CELLS
}

fn row(stream: u64, i: u64) -> [f64; 3] {
    values(stream << 32 | i << 8)
}

/// Streams of random numbers: of the cells' `u`, and of the edges' `w`.
const U: u64 = 1;
const W: u64 = 2;

/// The values of a cell: `low`, `high`, `u`, `ever`.
type Cell = [[f64; 3]; 4];

/// The first in the order of minima: NaN, then ascending with -0 before 0; one NaN for all.
fn least(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if b.total_cmp(&a).is_lt() => b,
        (false, false) => a,
        _ => f64::NAN,
    }
}

fn most(a: f64, b: f64) -> f64 {
    let opposite = least(-a, -b);
    if opposite.is_nan() { opposite } else { -opposite }
}

fn compare(row: &mut [f64; 3], candidates: [f64; 3], better: fn(f64, f64) -> f64) {
    row.iter_mut().zip(candidates).for_each(|(value, candidate)| *value = better(*value, candidate));
}

/// The plain program, its edges by ascending or descending number: the cells, and how often each is counted.
fn plain(descending: bool) -> (Vec<Cell>, Vec<f64>) {
    let mut cells: Vec<Cell> =
        (0..CELLS).map(|i| [[0.0; 3], [0.0; 3], row(U, i), [f64::NEG_INFINITY; 3]]).collect();
    let mut count = vec![0.0; CELLS as usize];
    let mut edges: Vec<u64> = (0..EDGES).collect();
    if descending {
        edges.reverse();
    }
    for _ in 0..ROUNDS {
        for cell in &mut cells {
            (cell[0], cell[1]) = (cell[2], cell[2]);
        }
        for &edge in &edges {
            let ends = [0, 1].map(|target| cell(edge, target) as usize);
            let u = ends.map(|end| cells[end][2]);
            for j in 0..2 {
                compare(&mut cells[ends[j]][0], u[1 - j], least);
                compare(&mut cells[ends[j]][1], u[1 - j], most);
            }
        }
        for &edge in &edges {
            let w = row(W, edge);
            for j in 0..4 {
                let target = cell(edge, j) as usize;
                let first = if w[0] < 0.5 { w[0] + w[0] } else { f64::INFINITY };
                compare(&mut cells[target][0], [first, f64::INFINITY, w[2]], least);
                count[target] += 1.0;
            }
        }
        for [low, high, u, ever] in &mut cells {
            u[0] = 0.75 * low[0] + 0.25 * high[0];
            for m in 1..3 {
                u[m] = if low[0] < 0.3 { low[m] } else { high[m] };
            }
            compare(ever, *high, most);
        }
    }
    (cells, count)
}

fn bits(cells: &[Cell], count: &[f64]) -> Vec<Vec<u64>> {
    let of = |(cell, count): (&Cell, &f64)| {
        cell.as_flattened().iter().chain([count]).map(|value| value.to_bits()).collect()
    };
    cells.iter().zip(count).map(of).collect()
}

/// By row of the cells in global order: the bits of all their values.
fn expected() -> Vec<Vec<u64>> {
    let (cells, count) = plain(false);
    bits(&cells, &count)
}

fn world(comm: &Comm, split: &Split) -> Domain {
    let rows = |count: u64| Blocks::new(count, comm.size()).range(comm.rank());
    let mut mesh = Mesh::default();
    let (edges, cells) = (mesh.add_set("edges", EDGES), mesh.add_set("cells", CELLS));
    for (name, arity) in [("ends", 2), ("four", 4)] {
        let to = rows(EDGES).flat_map(|e| (0..arity).map(move |i| cell(e, i))).collect();
        mesh.add_map(name, edges, cells, arity as usize, to);
    }
    let numbers = |stream, count| Values::F64(rows(count).flat_map(|i| row(stream, i)).collect());
    mesh.add_dat("u", cells, 3, numbers(U, CELLS));
    mesh.add_dat("w", edges, 3, numbers(W, EDGES));
    let own_rows = rows(CELLS).count();
    mesh.add_dat("ever", cells, 3, Values::F64(vec![f64::NEG_INFINITY; 3 * own_rows]));
    let owner =
        |set: u64, i: u64| (random(split.seed * 7919 + set * 1_000_003 + i) % comm.size() as u64) as u32;
    let owners =
        [rows(EDGES).map(|i| owner(0, i)).collect(), rows(CELLS).map(|i| owner(1, i)).collect::<Vec<u32>>()];
    let layout = cfd_partition::distribute(comm, mesh, &owners).expect("a layout");
    let mut domain = Domain::new(comm.clone(), layout, split.options.clone());
    use_device(&mut domain, split);
    domain
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Whole,
    OneByOne,
}

/// Runs the program on the engine.
fn found(split: &Split, form: Form) -> Vec<Vec<u64>> {
    let parts = Comm::simulate(split.ranks, |comm| {
        let mut domain = world(&comm, split);
        let (edges, cells) = (domain.set("edges").unwrap(), domain.set("cells").unwrap());
        let (ends, four): (Map<2>, Map<4>) = (domain.map("ends").unwrap(), domain.map("four").unwrap());
        let (one, two) = (ends.target::<0>(), ends.target::<1>());
        let [u, w, ever]: [Dat<3>; 3] = ["u", "w", "ever"].map(|name| domain.dat(name).unwrap());
        let [low, high]: [Dat<3>; 2] = ["low", "high"].map(|name| domain.new_dat(cells, name));
        let count: Dat<1> = domain.new_dat(cells, "count");
        for _ in 0..ROUNDS {
            domain.par_loop(begin, cells, (u, low, high), &());
            match form {
                Form::Whole => {
                    domain.par_loop(meet, edges, (u.all(ends), low.all(ends), high.all(ends)), &());
                }
                Form::OneByOne => {
                    let operands =
                        (u.at(one), u.at(two), low.at(one), low.at(two), high.at(one), high.at(two));
                    domain.par_loop(meet_one_by_one, edges, operands, &());
                }
            }
            domain.par_loop(spread, edges, (w, low.all(four), count.all(four)), &());
            domain.par_loop(limit, cells, (low, high, u, ever), &());
        }
        let read = [low, high, u, ever].map(|dat| domain.read(dat).unwrap());
        let count = domain.read(count).unwrap();
        let cells: Vec<Cell> = (0..count.len())
            .map(|row| [0, 1, 2, 3].map(|dat| std::array::from_fn(|m| read[dat][3 * row + m])))
            .collect();
        let ids = domain.global_ids(domain.set("cells").unwrap()).to_vec();
        ids.into_iter().zip(bits(&cells, &count)).collect::<Vec<_>>()
    });
    let mut rows = parts.concat();
    rows.sort_unstable();
    rows.into_iter().map(|(_, row)| row).collect()
}

#[track_caller]
fn assert_plain(split: &Split) {
    for form in [Form::Whole, Form::OneByOne] {
        let (found, expected) = (found(split, form), expected());
        assert_eq!(found.len(), expected.len());
        for (cell, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "cell {cell}, {form:?}: {split:?}");
        }
    }
}

#[test]
fn the_plain_program_does_not_depend_on_its_order() {
    let (cells, count) = plain(true);
    assert_eq!(bits(&cells, &count), expected());
    // There is something to see: NaN, infinities, and zeros of both signs.
    let any =
        |wanted: fn(f64) -> bool| cells.as_flattened().as_flattened().iter().any(|&value| wanted(value));
    assert!(any(f64::is_nan) && any(f64::is_infinite));
    assert!(any(|value| value.to_bits() == 0) && any(|value| value.to_bits() == 1 << 63));
}

/// In fast mode, too, where nothing else has one answer.
#[test]
fn extrema_have_the_bits_of_the_plain_program_in_every_strategy() {
    for strategy in strategies::all() {
        for (ranks, threads) in [(1, 1), (1, 3), (3, 2), (5, 1), (8, 1)] {
            for lanes in [1, 8] {
                assert_plain(&Split::new(ranks, "random").with(|options| {
                    options.strategy = Some(strategy);
                    options.mode = if strategy.is_reproducible() { Mode::Reproducible } else { Mode::Fast };
                    options.threads = threads;
                    options.lanes = Width::new(lanes).unwrap_or(Width::widest());
                    options.region_rows = 7;
                    options.block_rows = 16;
                    options.grain = 1;
                }));
            }
        }
    }
}

#[test]
fn extrema_have_one_answer_on_any_ranks_threads_lanes_and_in_chains() {
    for (ranks, threads, lanes, tile_rows) in [
        (1, 1, 1, None),
        (1, 2, 2, None),
        (2, 1, 4, None),
        (3, 2, 8, None),
        (4, 1, 8, Some(9)),
        (1, 1, 8, Some(5)),
        (1, 3, 1, Some(5)),
        (3, 2, 4, Some(11)),
        (6, 1, 2, Some(1)),
        (7, 1, 8, None),
    ] {
        let mut split = Split::new(ranks, "random").with(|options| {
            options.threads = threads;
            options.lanes = Width::new(lanes).unwrap_or(Width::widest());
            options.backend = cfd_chains::backend_if(tile_rows.is_some());
            options.tile_rows = tile_rows.unwrap_or(0);
            options.grain = 1;
        });
        split.seed = ranks as u64;
        assert_plain(&split);
    }
}

#[test]
fn extrema_have_the_bits_of_the_plain_program_on_the_emulated_device() {
    let atomic = strategies::all().find(|strategy| strategy.name() == "atomic").expect("a strategy");
    for strategy in [Strategy::Regions, Strategy::TemporaryArray, Strategy::ColoredBlocks, atomic] {
        for ranks in [1, 3] {
            let split = Split::new(ranks, "random").with(|options| {
                options.strategy = Some(strategy);
                options.mode = if strategy.is_reproducible() { Mode::Reproducible } else { Mode::Fast };
            });
            assert_plain(&split.on_device(5));
        }
    }
}

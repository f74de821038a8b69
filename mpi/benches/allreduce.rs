//! Microseconds of an all-reduce of 1 to 4096 sums: MPI's own of doubles, and those with the same bits in any order, as
//! the engine does them: exact sums, whole or in the digits in use, and binned sums. Alternating rounds, medians of the
//! slowest rank, as a Markdown table.
//!
//! ```text
//! cargo bench -p cfd-mpi --bench allreduce                  one rank
//! mpirun -n 2 cargo bench -p cfd-mpi --bench allreduce      two; all else must be built by then
//! ```

use std::hint::black_box;
use std::time::Instant;

use cfd_engine::comm::{Comm, ReduceOp};
use clap::Parser;
use exact_sum::{BinnedSum, DigitRange, ExactSum, WORDS, round};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::CommunicatorCollectives;

/// All-reduces, microseconds.
#[derive(Parser)]
struct Options {
    /// Rounds; in each, every way is measured once for every number of sums.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Numbers of sums reduced at once.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 4, 16, 64, 256, 1024, 4096])]
    sums: Vec<usize>,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// The ways; the others are compared with the first.
const WAYS: [(&str, Way); 5] = [
    ("MPI_Allreduce of doubles", plain),
    ("exact, digits in use", short),
    ("exact, whole", whole),
    ("binned", binned),
    ("exact, digits in use, message alone", message),
];

type Way = fn(&Comm, &mut State);

/// This rank's part of all sums, in every form.
struct State {
    doubles: Vec<f64>,
    exact: Vec<ExactSum>,
    binned: Vec<BinnedSum>,
    ranges: Vec<DigitRange>,
    values: Vec<f64>,
    words: Vec<u64>,
}

fn main() {
    let options = Options::parse();
    let comm = cfd_mpi::world().expect("MPI can be started");
    if comm.is_root() {
        let (ranks, library) = (comm.size(), cfd_mpi::library_version());
        let library = library.lines().next().unwrap_or_default();
        println!(
            "{ranks} ranks, {library}; {} rounds, medians, us; in brackets times the first\n",
            options.rounds
        );
        println!(
            "| sums | {} |\n| --- |{}",
            WAYS.map(|(name, _)| name).join(" | "),
            " --- |".repeat(WAYS.len())
        );
    }
    for &sums in &options.sums {
        let mut state = State::new(sums, comm.rank());
        // Enough calls for a few milliseconds.
        let calls = (2000 / (sums + 9)).max(3);
        let mut times = vec![Vec::new(); WAYS.len()];
        for round in 0..=options.rounds {
            for (times, (_, way)) in times.iter_mut().zip(WAYS) {
                comm.barrier();
                let start = Instant::now();
                (0..calls).for_each(|_| way(&comm, &mut state));
                let nanoseconds = start.elapsed().as_nanos() as u64 / calls as u64;
                // The first round agrees on digits and touches all memory.
                if round > 0 {
                    times.push(comm.max(nanoseconds) as f64 / 1000.0);
                }
            }
        }
        if comm.is_root() {
            let cells: Vec<String> = times
                .iter()
                .map(|way| {
                    let ratio = median(way.iter().zip(&times[0]).map(|(time, plain)| time / plain).collect());
                    format!("{:.2} ({ratio:.2})", median(way.clone()))
                })
                .collect();
            println!("| {sums} | {} |", cells.join(" | "));
        }
    }
}

impl State {
    /// Residuals of a flow: `sums` sums of squares over 40 binades.
    fn new(sums: usize, rank: usize) -> State {
        let mut bits = 88_172_645_463_325_252u64 + rank as u64;
        let mut random = move || {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            bits
        };
        let mut term =
            || (1.0 + (random() >> 12) as f64 * 2f64.powi(-52)) * 2f64.powi(-((random() % 40) as i32));
        let terms: Vec<Vec<f64>> = (0..sums).map(|_| (0..40).map(|_| term()).collect()).collect();
        let mut exact = vec![ExactSum::new(); sums];
        exact.iter_mut().zip(&terms).for_each(|(sum, terms)| sum.add_slice(terms));
        let mut binned = vec![BinnedSum::new(); sums];
        binned.iter_mut().zip(&terms).for_each(|(sum, terms)| sum.add_slice(terms));
        State {
            doubles: terms.iter().map(|terms| terms.iter().sum()).collect(),
            exact,
            binned,
            ranges: vec![DigitRange::WHOLE; sums],
            values: vec![0.0; sums],
            words: Vec::new(),
        }
    }
}

fn plain(_: &Comm, state: &mut State) {
    let world = SimpleCommunicator::world();
    world.all_reduce_into(&state.doubles[..], &mut state.values[..], SystemOperation::sum());
    black_box(&state.values);
}

fn whole(comm: &Comm, state: &mut State) {
    let State { exact, values, words, .. } = state;
    words.resize(WORDS * exact.len(), 0);
    for (words, sum) in words.chunks_exact_mut(WORDS).zip(exact) {
        sum.write_digits(&DigitRange::WHOLE, words);
    }
    comm.all_reduce(words, ReduceOp::Sum);
    values.iter_mut().zip(words.chunks_exact(WORDS)).for_each(|(value, words)| *value = round(words));
    black_box(values);
}

fn short(comm: &Comm, state: &mut State) {
    let State { exact, ranges, values, words, .. } = state;
    words.clear();
    words.resize(1 + ranges.iter().map(DigitRange::len).sum::<usize>(), 0);
    let mut at = 1;
    for (sum, range) in exact.iter().zip(&*ranges) {
        words[0] |= u64::from(!sum.write_digits(range, &mut words[at..at + range.len()]));
        at += range.len();
    }
    comm.all_reduce(words, ReduceOp::Sum);
    assert_eq!(words[0], 0, "the same terms every time");
    let mut rest = &words[1..];
    for (value, range) in values.iter_mut().zip(ranges) {
        let digits = rest.split_off(..range.len()).expect("sent above");
        *value = range.round(digits);
        range.follow(digits);
    }
    black_box(values);
}

/// As many integers as the digits in use, without making or rounding them.
fn message(comm: &Comm, state: &mut State) {
    let State { ranges, words, .. } = state;
    words.resize(1 + ranges.iter().map(DigitRange::len).sum::<usize>(), 1);
    comm.all_reduce(words, ReduceOp::Sum);
    black_box(words);
}

fn binned(comm: &Comm, state: &mut State) {
    let words: Vec<u64> = state.binned.iter().flat_map(BinnedSum::words).collect();
    let gathered = comm.all_gather(&words);
    for (i, value) in state.values.iter_mut().enumerate() {
        let mut total = BinnedSum::new();
        for rank in &gathered {
            total.merge(&BinnedSum::from_words(&rank.as_chunks().0[i]));
        }
        *value = total.value();
    }
    black_box(&state.values);
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

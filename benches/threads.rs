//! Threads against ranks, and both against the plain sequential program: the program on one rank of one thread, one rank
//! of two threads and two ranks of one thread, and the reference on one core.
//!
//! Every measurement is a separate run of the program, all in turns; a ratio is the median of the ratios within the
//! rounds, so drifts in the machine's speed do not matter.
//!
//! `cargo bench --bench threads -- --size 400,600 --rounds 9` prints the table in Markdown. With `--threads 8`, one
//! rank of eight threads is compared with eight ranks.

#[path = "../tests/oracle/mod.rs"]
mod oracle;
mod timing;

use std::path::Path;

use cfd_engine::domain::DomainOptions;
use cfd_reference::LOOPS;
use cfd_solvers::airfoil::Config;
use clap::Parser;
use serde_json::Value;

use oracle::Pair;
use timing::{median, program};

/// Threads against ranks.
#[derive(Parser)]
struct Options {
    /// I,J: the mesh has 3 I J cells.
    #[arg(long, value_delimiter = ',', num_args = 1, default_value = "400,600")]
    size: Vec<u64>,
    /// Rounds, in each of which every setting runs once.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Iterations of a run.
    #[arg(long, default_value_t = 40)]
    iterations: u32,
    /// Threads of one rank that are compared with as many ranks.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// The launcher; `-n` and the number of ranks follow.
    #[arg(long, default_value = "mpirun")]
    launcher: String,
    /// More settings for every run.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Ranks, and threads of each.
#[derive(Clone, Copy)]
struct Setting {
    ranks: usize,
    threads: usize,
}

/// Seconds of each loop, the slowest rank's; of the loops that the reference has under [`SUM`], of all iterations under
/// [`WHOLE`].
type Times = Vec<(String, f64)>;

const SUM: &str = "the five loops";
const WHOLE: &str = "whole run";

/// The columns of a round: the reference, and the program in three settings.
const COLUMNS: usize = 4;

fn main() {
    let options = Options::parse();
    let n = options.threads;
    let settings = [
        Setting { ranks: 1, threads: 1 },
        Setting { ranks: 1, threads: n },
        Setting { ranks: n, threads: 1 },
    ];
    let &[i, j] = &options.size[..] else { panic!("--size I,J has two numbers") };
    let mut reference = Pair::new([i, j], &Config::default(), DomainOptions::default()).reference;
    reference.iterate();
    let directory = tempfile::tempdir().expect("a directory for the runs' output");
    let mut rounds: Vec<[Times; COLUMNS]> = Vec::new();
    let mut hashes: Vec<String> = Vec::new();
    for round in 0..options.rounds {
        let mut times: [Times; COLUMNS] = Default::default();
        // A different one is first in every round.
        for place in 0..COLUMNS {
            let at = (place + round) % COLUMNS;
            times[at] = match at.checked_sub(1) {
                None => reference_times(&mut reference, options.iterations),
                Some(setting) => {
                    let summary = run(&options, settings[setting], directory.path());
                    hashes.push(program::hash(&summary));
                    times_of(&summary)
                }
            };
        }
        rounds.push(times);
    }
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]), "ranks and threads change no bit: {hashes:?}");
    print!("{}", table(&rounds, n));
}

/// Runs the program once and returns its summary.
fn run(options: &Options, setting: Setting, directory: &Path) -> Value {
    let size = &options.size;
    let text = format!(
        "case = \"airfoil\"\nmesh.generate = {{ size = [{}, {}], decimals = 6 }}\n",
        size[0], size[1]
    );
    let mut arguments = vec!["--threads".into(), setting.threads.to_string()];
    arguments.extend(["--iterations".into(), options.iterations.to_string()]);
    arguments.extend(options.set.iter().flat_map(|set| ["--set".into(), set.clone()]));
    program::run(&text, setting.ranks, &options.launcher, &arguments, directory)
}

fn times_of(summary: &Value) -> Times {
    let mut times: Times =
        program::loops(summary).into_iter().map(|(name, seconds, _)| (name, seconds)).collect();
    let sum = times.iter().filter(|(name, _)| LOOPS.contains(&&name[..])).map(|(_, seconds)| seconds).sum();
    times.extend([(SUM.into(), sum), (WHOLE.into(), program::seconds(summary))]);
    times
}

fn reference_times(reference: &mut cfd_reference::Airfoil, iterations: u32) -> Times {
    let before = reference.times();
    (0..iterations).for_each(|_| {
        reference.iterate();
    });
    let spent =
        reference.times().into_iter().zip(before).map(|(after, before)| (after - before).as_secs_f64());
    let mut times: Times = LOOPS.iter().map(|name| name.to_string()).zip(spent).collect();
    times.push((SUM.into(), times.iter().map(|(_, seconds)| seconds).sum()));
    times
}

/// A row for each loop and the run: medians of the times, and of the ratios within the rounds.
fn table(rounds: &[[Times; COLUMNS]], n: usize) -> String {
    let mut text = format!(
        "| loop | plain, s | 1 rank, s | 1 rank x {n} threads, s | {n} ranks, s | threads against ranks | plain against threads | \
         plain against ranks |\n|{}\n",
        " --- |".repeat(8)
    );
    let names = rounds.first().map_or(&[][..], |round| &round[1][..]).iter().map(|(name, _)| name);
    for name in names {
        let time = |round: &[Times; COLUMNS], at: usize| {
            round[at].iter().find(|(other, _)| other == name).map(|(_, seconds)| *seconds)
        };
        let cell = |value: Option<Vec<f64>>, digits: usize| match value {
            Some(values) => format!(" {:.digits$} |", median(values)),
            None => " |".into(),
        };
        let seconds = |at: usize| rounds.iter().map(|round| time(round, at)).collect::<Option<Vec<f64>>>();
        let ratio = |a: usize, b: usize| {
            rounds.iter().map(|round| Some(time(round, a)? / time(round, b)?)).collect::<Option<Vec<f64>>>()
        };
        text.push_str(&format!("| {name} |"));
        (0..COLUMNS).for_each(|at| text.push_str(&cell(seconds(at), 3)));
        [(2, 3), (0, 2), (0, 3)].into_iter().for_each(|(a, b)| text.push_str(&cell(ratio(a, b), 2)));
        text.push('\n');
    }
    text
}

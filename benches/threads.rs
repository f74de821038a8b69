//! Threads against ranks: the program on one rank of one thread, one rank of two threads and two ranks of one thread.
//!
//! Every measurement is a run of the program of its own, the three in turns; a ratio is the median of the ratios
//! within the rounds, so that a machine whose speed drifts does not decide.
//!
//! `cargo bench --bench threads -- --size 400,600 --rounds 9` prints the table in Markdown. With `--threads 8` one rank
//! of eight threads is compared with eight ranks.

use std::path::Path;
use std::process::Command;

use clap::Parser;
use serde_json::Value;

/// Threads against ranks.
#[derive(Parser)]
struct Options {
    /// I,J: the mesh has 3 I J cells.
    #[arg(long, default_value = "400,600")]
    size: String,
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

/// Seconds of each loop, the slowest rank's, and of all iterations under "run".
type Times = Vec<(String, f64)>;

fn main() {
    let options = Options::parse();
    let n = options.threads;
    let settings = [
        Setting { ranks: 1, threads: 1 },
        Setting { ranks: 1, threads: n },
        Setting { ranks: n, threads: 1 },
    ];
    let directory = tempfile::tempdir().expect("a directory for the runs' output");
    let mut rounds: Vec<[Times; 3]> = Vec::new();
    let mut hashes: Vec<String> = Vec::new();
    for round in 0..options.rounds {
        let mut times: [Times; 3] = Default::default();
        // Another one is first in every round.
        for place in 0..settings.len() {
            let at = (place + round) % settings.len();
            let summary = run(&options, settings[at], directory.path());
            hashes.push(summary["hash"]["solution"].as_str().expect("a hash").into());
            times[at] = times_of(&summary);
        }
        rounds.push(times);
    }
    assert!(hashes.windows(2).all(|pair| pair[0] == pair[1]), "ranks and threads change no bit: {hashes:?}");
    print!("{}", table(&rounds, n));
}

/// Runs the program once and gives its summary.
fn run(options: &Options, setting: Setting, directory: &Path) -> Value {
    let program = env!("CARGO_BIN_EXE_cfd");
    let config = directory.join("case.toml");
    let text = format!("case = \"airfoil\"\nmesh.generate = {{ size = [{}], decimals = 6 }}\n", options.size);
    std::fs::write(&config, text).expect("the directory takes files");
    let mut command = if setting.ranks == 1 {
        Command::new(program)
    } else {
        let mut command = Command::new(&options.launcher);
        command.args(["-n", &setting.ranks.to_string(), program]);
        // Open MPI refuses to start as root unless told twice.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
    };
    command.arg("--config").arg(&config).arg("--out").arg(directory.join("out"));
    command.args(["--progress", "never", "--set", "output.formats=[]"]);
    command.args(["--threads", &setting.threads.to_string()]);
    command.args(["--iterations", &options.iterations.to_string()]);
    options.set.iter().for_each(|set| {
        command.args(["--set", set]);
    });
    let ended = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(ended.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ended.stderr));
    let summary = std::fs::read_to_string(directory.join("out/summary.json")).expect("a run's summary");
    serde_json::from_str(&summary).expect("JSON")
}

fn times_of(summary: &Value) -> Times {
    let number = |value: &Value| value.as_f64().expect("a number");
    let loops = summary["loops"].as_array().expect("a list").iter();
    let mut times: Times = loops
        .map(|l| (l["name"].as_str().expect("a name").to_string(), number(&l["time_s"]["max"])))
        .collect();
    times.push(("run".into(), number(&summary["time"]["solve_s"])));
    times
}

/// A row for each loop and the run: medians of the times, and of the ratios within the rounds.
fn table(rounds: &[[Times; 3]], n: usize) -> String {
    let mut text = format!(
        "| loop | 1 rank, s | 1 rank x {n} threads, s | {n} ranks, s | speed-up by threads | threads against ranks |\n\
         | --- | --- | --- | --- | --- | --- |\n"
    );
    let names = rounds.first().map_or(&[][..], |round| &round[0][..]).iter().map(|(name, _)| name);
    for (row, name) in names.enumerate() {
        let seconds = |setting: usize| median(rounds.iter().map(|round| round[setting][row].1));
        let ratio = |a: usize, b: usize| median(rounds.iter().map(|round| round[a][row].1 / round[b][row].1));
        text.push_str(&format!(
            "| `{name}` | {:.3} | {:.3} | {:.3} | {:.2} | {:.3} |\n",
            seconds(0),
            seconds(1),
            seconds(2),
            ratio(0, 1),
            ratio(1, 2),
        ));
    }
    text
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

//! `cfd repro`: the same case in many ways, each in a separate run of this program, and a comparison of the bits.
//!
//! ```text
//! build        the programs that run: this one, or builds of it
//! mpirun       the launcher that belongs to a program, and its options; alone: what stands for it without MPI
//! ahead        how long the runs may take, and whether they have room
//! child        a run as a process that does not outlive this one
//! report       the table, the verdict, JSON
//! ```

mod ahead;
mod build;
mod child;
#[cfg_attr(feature = "mpi", path = "mpirun.rs")]
#[cfg_attr(not(feature = "mpi"), path = "alone.rs")]
mod launcher;
mod report;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use cfd_engine::strategy::{HashClass, Mode};
use cfd_io::write_atomically;
use serde::{Deserialize, Serialize};

use self::ahead::Machine;
use self::build::Build;
use self::report::Report;
use crate::checkpoint::signal::StopSignals;
use crate::cli::ReproArgs;
use crate::config::ByName;
use crate::console::{Console, complain, say};
use crate::exit::{Code, Error};
use crate::report::summary;

/// The settings of one run; those not given come from the configuration.
#[derive(Clone, Debug, PartialEq)]
struct Variant {
    /// Which of the programs runs.
    build: usize,
    /// Its name, if it is not this one.
    binary: Option<String>,
    ranks: u32,
    threads: Option<u32>,
    partitioner: Option<String>,
    seed: Option<u64>,
    strategy: Option<String>,
    backend: Option<String>,
}

/// What one run was and its results.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Outcome {
    /// The build that ran, if it is not this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    binary: Option<String>,
    ranks: u64,
    threads: u64,
    partitioner: String,
    seed: u64,
    mode: Mode,
    strategy: ByName,
    backend: String,
    class: HashClass,
    /// Hash of the solution.
    solution: String,
    /// Hash of all residuals' bits.
    history: String,
    /// Hash of the mesh that replaced the given one.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<String>,
    /// From the start to the end of the program.
    time_s: f64,
    /// The sum of all ranks' largest memory, if the system tells.
    #[serde(skip)]
    bytes: Option<u64>,
}

/// Runs every combination and compares the hashes within each class.
///
/// # Errors
/// A run fails: its error, with its exit code. Two runs of a class differ: the first such pair. A signal asks to stop:
/// ends the current run.
pub fn repro(args: &ReproArgs, signals: &StopSignals) -> Result<(), Error> {
    let console = Console::new(true);
    let builds = Build::all(args)?;
    let variants = variants(args, &builds);
    let most = args.ranks.iter().copied().max().unwrap_or(1);
    let temporary = match args.out {
        None => Some(temporary_directory()?),
        Some(_) => None,
    };
    let root = args.out.as_deref().or(temporary.as_ref().map(|t| t.path())).expect("one of the two");
    if !args.json {
        let version = env!("CARGO_PKG_VERSION");
        say!(
            console,
            "cfd {version}    repro, {}, {} runs on up to {most} ranks",
            args.config,
            variants.len()
        );
        for Build { name, launcher } in &builds {
            let name = name.as_ref().map_or(String::new(), |name| format!("{name} by "));
            say!(console, "launcher     {name}{launcher}");
        }
        say!(console, "\n{}", report::heading(builds.iter().any(|build| build.name.is_some())));
    }
    let machine = Machine::here();
    let warn = |text: Option<String>| text.iter().for_each(|text| console.warn(format_args!("{text}")));
    warn(machine.crowded(most));
    let mut outcomes = Vec::with_capacity(variants.len());
    for (at, variant) in variants.iter().enumerate() {
        let directory = root.join(variant.directory());
        let launcher = &builds[variant.build].launcher;
        let outcome = run(args, launcher, variant, &directory, temporary.is_some(), signals)?;
        if !args.json {
            say!(console, "{}", outcome.row());
        }
        if let (0, Some(most)) = (at, variants[1..].iter().map(|next| next.ranks).max()) {
            warn(machine.full(&outcome, most));
            machine
                .forecast(&outcome, &variants[1..])
                .iter()
                .for_each(|text| complain(format_args!("{text}")));
        }
        outcomes.push(outcome);
    }
    let report = Report::new(args, &builds, outcomes);
    let kept = args.out.as_ref().map(|directory| directory.join("report.html"));
    for path in args.report.iter().chain(&kept) {
        write_atomically(path, |file| file.write_all(report.to_html().as_bytes()))?;
    }
    if args.json {
        say!(console, "{}", report.to_json());
    } else {
        say!(console, "\n{}", report.verdict());
    }
    report.result()
}

/// All combinations, the number of ranks changing fastest.
fn variants(args: &ReproArgs, builds: &[Build]) -> Vec<Variant> {
    let of_build = |(at, build): (usize, &Build)| {
        let mut variants = variants_of(args);
        for variant in &mut variants {
            (variant.build, variant.binary) = (at, build.name.clone());
        }
        variants
    };
    builds.iter().enumerate().flat_map(of_build).collect()
}

/// All combinations for one program.
fn variants_of(args: &ReproArgs) -> Vec<Variant> {
    fn each<T: Clone>(list: &[T]) -> Vec<Option<T>> {
        if list.is_empty() { vec![None] } else { list.iter().cloned().map(Some).collect() }
    }
    let mut variants = Vec::new();
    for backend in each(&args.backend) {
        for strategy in each(&args.strategy) {
            for partitioner in each(&args.partitioner) {
                for seed in each(&args.seed) {
                    for threads in each(&args.threads) {
                        variants.extend(args.ranks.iter().map(|&ranks| Variant {
                            build: 0,
                            binary: None,
                            ranks,
                            threads,
                            partitioner: partitioner.clone(),
                            seed,
                            strategy: strategy.clone(),
                            backend: backend.clone(),
                        }));
                    }
                }
            }
        }
    }
    variants
}

impl Variant {
    /// The name of the run's output directory.
    fn directory(&self) -> String {
        let Variant { build: _, binary, ranks, threads, partitioner, seed, strategy, backend } = self;
        let given = [
            binary.clone(),
            backend.clone(),
            strategy.clone(),
            partitioner.clone(),
            seed.map(|seed| format!("seed-{seed}")),
            threads.map(|threads| format!("threads-{threads}")),
        ];
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let names = given.into_iter().flatten().chain([format!("ranks-{ranks}")]);
        names.collect::<Vec<_>>().join("-").chars().map(plain).collect()
    }

    /// The run in the words of an error message.
    fn words(&self) -> String {
        let Variant { build: _, binary, ranks, threads, partitioner, seed, strategy, backend } = self;
        let some = |number: u32, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let given = [
            Some(some(*ranks, "rank")),
            threads.map(|threads| some(threads, "thread")),
            partitioner.as_ref().map(|name| format!("partitioner {name}")),
            seed.map(|seed| format!("seed {seed}")),
            strategy.as_ref().map(|name| format!("strategy {name}")),
            backend.as_ref().map(|name| format!("backend {name}")),
            binary.clone(),
        ];
        given.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

fn own_program() -> Result<PathBuf, Error> {
    std::env::current_exe()
        .map_err(|error| Error::Mpi { reason: format!("this program cannot be found: {error}") })
}

fn temporary_directory() -> Result<tempfile::TempDir, Error> {
    tempfile::Builder::new().prefix("cfd-repro-").tempdir().map_err(|error| Error::OutputDirectory {
        path: std::env::temp_dir().display().to_string(),
        reason: error.to_string(),
    })
}

/// Runs the program; with `discard`, nobody will read its files.
fn run(
    args: &ReproArgs,
    launcher: &launcher::Launcher,
    variant: &Variant,
    directory: &Path,
    discard: bool,
    signals: &StopSignals,
) -> Result<Outcome, Error> {
    let mut command = launcher.command(variant.ranks);
    command.args(["run", "--config", &args.config, "--progress", "never"]);
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            command.args([name, &value]);
        }
    };
    for set in &args.set {
        option("--set", Some(set.clone()));
    }
    option("--mode", args.mode.clone());
    option("--strategy", variant.strategy.clone());
    option("--backend", variant.backend.clone());
    option("--threads", variant.threads.map(|threads| threads.to_string()));
    option("--partitioner", variant.partitioner.clone());
    option("--seed", variant.seed.map(|seed| seed.to_string()));
    option("--iterations", args.iterations.map(|iterations| iterations.to_string()));
    for key in ["formats=[]", "pictures=false", "report=false"] {
        option("--set", discard.then(|| format!("output.{key}")));
    }
    command.arg("--out").arg(directory);
    finish(command, variant, signals)?;
    let path = directory.join("summary.json");
    let text = summary::read_text(&path).map_err(|error| error.to_string());
    let outcome = text.and_then(|text| Outcome::read(&text));
    outcome.map(|outcome| Outcome { binary: variant.binary.clone(), ..outcome }).map_err(|reason| {
        Error::Run {
            variant: variant.words(),
            reason: format!("{}: {reason}", path.display()),
            code: Code::Failure as u8,
        }
    })
}

/// Waits for a run to end; its error and exit code when it fails.
fn finish(mut command: Command, variant: &Variant, signals: &StopSignals) -> Result<(), Error> {
    let failed =
        |reason: String, code: Code| Error::Run { variant: variant.words(), reason, code: code as u8 };
    let ended = child::run(&mut command, signals)
        .map_err(|error| failed(format!("{}: {error}", command.get_program().display()), Code::Failure))?;
    let Some((status, stderr)) = ended else {
        let signal = signals.name().unwrap_or_default().into();
        return Err(Error::Interrupted {
            signal,
            state: format!(": the run of {} was ended", variant.words()),
        });
    };
    if status.success() {
        return Ok(());
    }
    let code = status.code().and_then(Code::from_status).unwrap_or(Code::Failure);
    // The launcher may add output of its own.
    let own = stderr.lines().find_map(|line| line.strip_prefix("error: "));
    let reason = match (own, stderr.trim()) {
        (Some(own), _) => own.to_string(),
        (None, "") => format!("it ended with {status}"),
        (None, all) => all.to_string(),
    };
    Err(failed(reason, code))
}

impl Outcome {
    /// Reads the needed values from a `summary.json`.
    fn read(text: &str) -> Result<Outcome, String> {
        #[derive(Deserialize)]
        struct Summary {
            ranks: u64,
            threads: u64,
            partitioner: String,
            seed: u64,
            mode: Mode,
            strategy: ByName,
            backend: String,
            hash_class: HashClass,
            hash: Hashes,
            history_hash: String,
            mesh_hash: Option<String>,
            time: Time,
            peak_rss_bytes: Option<u64>,
        }
        #[derive(Deserialize)]
        struct Hashes {
            solution: String,
        }
        #[derive(Deserialize)]
        struct Time {
            total_s: f64,
        }
        let summary: Summary = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let Summary { ranks, threads, partitioner, seed, mode, strategy, backend, hash_class, .. } = summary;
        Ok(Outcome {
            binary: None,
            ranks,
            threads,
            partitioner,
            seed,
            mode,
            strategy,
            backend,
            class: hash_class,
            solution: summary.hash.solution,
            history: summary.history_hash,
            mesh: summary.mesh_hash,
            time_s: summary.time.total_s,
            bytes: summary.peak_rss_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(more: &[&str]) -> ReproArgs {
        use clap::Parser;
        let words = ["cfd", "repro", "--config", "c.toml", "--ranks", "1,3"];
        let cli = crate::cli::Cli::try_parse_from(words.iter().chain(more)).unwrap();
        let Some(crate::cli::Command::Repro(args)) = cli.command else { panic!("repro") };
        args
    }

    #[test]
    fn every_combination_is_run_once_in_a_directory_of_its_own() {
        assert_eq!(variants_of(&args(&[])).len(), 2);
        let all = variants_of(&args(&[
            "--partitioner",
            "rcb,file:a/b.txt",
            "--seed",
            "1,2",
            "--strategy",
            "regions,temporary-array,core",
            "--threads",
            "1,4",
            "--backend",
            "cpu,cuda",
        ]));
        assert_eq!(all.len(), 2 * 2 * 2 * 3 * 2 * 2);
        let mut directories: Vec<String> = all.iter().map(Variant::directory).collect();
        assert_eq!(directories[0], "cpu-regions-rcb-seed-1-threads-1-ranks-1");
        assert_eq!(directories[11], "cpu-regions-file_a_b.txt-seed-1-threads-4-ranks-3");
        directories.sort();
        directories.dedup();
        assert_eq!(directories.len(), all.len());
        assert_eq!(
            all[0].words(),
            "1 rank, 1 thread, partitioner rcb, seed 1, strategy regions, backend cpu"
        );
    }

    #[test]
    fn a_summary_without_what_is_needed_is_refused() {
        assert!(Outcome::read("{\"ranks\": 3}").unwrap_err().contains("missing field"));
    }
}

//! `cfd reference`: the hashes that a case promises, as its `case.rs` states them.

use std::fmt::Write;
use std::time::Duration;

use cfd_engine::comm::Comm;
use cfd_engine::strategy::Strategy;
use cfd_io::{Field, IoError, solution_hash};

use crate::checkpoint::signal::StopSignals;
use crate::cli::ReferenceArgs;
use crate::config::{Config, Override};
use crate::console::{Console, say};
use crate::exit::Error;
use crate::history::History;
use crate::report::stages::Stages;
use crate::setup::Setup;

/// A strategy of each class.
const CLASSES: [Strategy; 3] = [Strategy::Regions, Strategy::GreedyColoring, Strategy::DistributedColoring];

/// Runs a configuration in each class of strategies and prints its settings and hashes as Rust. Collective.
///
/// # Errors
/// The configuration is wrong or its results cannot be a reference, or a run fails.
pub fn reference(comm: &Comm, args: &ReferenceArgs, signals: &StopSignals) -> Result<(), Error> {
    let config = Config::load(comm, &args.config, &args.overrides()?)?;
    let settings = comm.agree(settings(&args.config, &config))?;
    let mut text = String::from("const REFERENCES: &[Reference] = &[Reference {\n    settings: &[\n");
    for (key, value) in settings {
        writeln!(text, "        ({key:?}, {value:?}),").expect("writing to a string");
    }
    text += "    ],\n    hashes: &[\n";
    // Nothing stays: colorings go elsewhere than into an output directory.
    let folder = if comm.is_root() { tempfile::tempdir().map(Some) } else { Ok(None) };
    let folder = folder.map_err(|error| IoError::write(&std::env::temp_dir(), error));
    let folder = comm.agree(folder)?;
    let path = folder.as_ref().map(|folder| folder.path().display().to_string());
    let cache: String = comm.broadcast(0, path);
    for strategy in CLASSES {
        let mut overrides = args.overrides()?;
        for (path, value) in [("execution.strategy", strategy.name()), ("execution.coloring_cache", &cache)] {
            let flag = format!("--set {path}={value}");
            overrides.push(Override { flag, path: path.into(), value: value.into(), bare: false });
        }
        let config = Config::load(comm, &args.config, &overrides)?;
        let [solution, history] = hashes(comm, &args.config, &config, signals)?;
        write!(
            text,
            "        Hashes {{\n            class: HashClass::{:?},\n            solution: {solution:?},\n\
             {:12}history: {history:?},\n        }},\n",
            strategy.class(),
            ""
        )
        .expect("writing to a string");
    }
    say!(Console::new(comm.is_root()), "{text}    ],\n}}];");
    Ok(())
}

/// The keys of mesh and case that differ from their defaults, with their values as TOML.
fn settings(file: &str, config: &Config) -> Result<Vec<(String, String)>, Error> {
    let refuse = |reason: &str| Error::Argument { argument: file.into(), reason: reason.into() };
    let changed = config.changed();
    let others = ["mesh.file", "execution.order", "execution.sums"];
    if let Some((key, _)) = changed.iter().find(|(key, _)| others.contains(&key.as_str())) {
        let what = "a reference has a generated mesh, the order of the file and exact sums; remove";
        return Err(refuse(&format!("{what} {key}")));
    }
    if config.run.execution.mode != cfd_engine::strategy::Mode::Reproducible {
        return Err(refuse("a reference is of reproducible mode; remove execution.mode"));
    }
    let belongs = |key: &str| {
        key.starts_with("mesh.")
            || key.split_once('.').is_some_and(|(table, _)| table == config.run.case.name())
    };
    Ok(changed.into_iter().filter(|(key, _)| belongs(key)).collect())
}

/// The hashes of the solution and of the history. Collective.
fn hashes(comm: &Comm, file: &str, config: &Config, signals: &StopSignals) -> Result<[String; 2], Error> {
    let (run, quiet) = (&config.run, Console::new(false));
    let setup = Setup { comm, run, console: quiet, signals, stages: &Stages::begin() };
    let (given, facts) = setup.read()?;
    let environment = setup.environment(given.boundaries, given.elements)?;
    let mut domain = setup.distribute(given.mesh, &facts, &environment, false)?.domain;
    let mut solver = comm.agree(run.case.solver(&mut domain, &run.keys, &environment))?;
    let limits = run.limits();
    let mut history = History::new(solver.columns(), limits.iterations);
    for iteration in 1..=limits.iterations {
        signals.check(comm)?;
        let residual = solver.step(&mut domain, false)?.residual;
        solver.new_mesh();
        history.push(residual, None, Duration::ZERO);
        let is_over = solver.done().is_some_and(|share| share >= 1.0);
        if iteration < limits.iterations && (residual < limits.tolerance || is_over) {
            let reason = format!(
                "the run ends by itself after {iteration} iterations; a reference makes all of them, so set \
                 {}.iterations = {iteration}",
                run.case.name()
            );
            return Err(Error::Argument { argument: file.into(), reason });
        }
    }
    solver.check(&mut domain)?;
    let mut digests = Vec::new();
    for field in solver.fields() {
        digests.push(Field::of(&mut domain, &field.name, field.dat)?.hash(comm)?);
    }
    Ok([solution_hash(&digests).to_string(), history.hash()])
}

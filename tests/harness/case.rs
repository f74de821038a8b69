//! Runs any case as the program does, on simulated ranks, into a directory.

use std::path::Path;

use cfd::checkpoint::signal::StopSignals;
use cfd::cli::{Progress, RunArgs};
use cfd::config::{Config, Mesh, Override};
use cfd_engine::comm::Comm;
use cfd_io::{Digest, Field, solution_hash};
use cfd_solvers::case::{Case, Environment, Reference};

use super::references::Ending;
use super::{Split, domain_by, flow};

/// The configuration of a case with these settings, written into a directory without files of the solution.
pub fn config(case: &str, settings: &[(&str, &str)], directory: &Path) -> Config {
    let text = format!(
        "case = {case:?}\noutput = {{ directory = {directory:?}, formats = [], pictures = false }}\n"
    );
    let set = |(path, value): &(&str, &str)| Override {
        flag: format!("--set {path}={value}"),
        path: path.to_string(),
        value: value.to_string(),
        bare: false,
    };
    let overrides: Vec<Override> = settings.iter().map(set).collect();
    Config::parse("c.toml", &text, &overrides).expect("a configuration")
}

/// Runs a reference of any case and returns its results; writes nothing.
pub fn ending(case: &Case, reference: &Reference, split: &Split) -> Ending {
    let config = config(case.name(), reference.settings, Path::new("unused"));
    let Mesh::Generate(generator, keys) = &config.run.mesh else { panic!("a reference's mesh is generated") };
    let runs = Comm::simulate(split.ranks, |comm| {
        let given = generator.mesh(&comm, keys).expect("a mesh");
        let (needs, levels) = (case.facts().needs, case.levels(&config.run.keys));
        let prepared =
            given.prepare(&comm, needs, &config.run.boundaries, levels).expect("what the case needs");
        let primary = needs[0].primary(&prepared.mesh);
        let mut domain = domain_by(&comm, prepared.mesh, split, &primary);
        let environment = Environment { boundaries: prepared.boundaries, ..Environment::default() };
        let solver = case.solver(&mut domain, &config.run.keys, &environment);
        let mut solver = solver.expect("a mesh of the case");
        let step = |_| solver.step(&mut domain, false).expect("a state that stays sound").residual;
        let history: Vec<f64> = (0..config.run.limits().iterations).map(step).collect();
        let mut values = Vec::new();
        let mut hashes: Vec<Digest> = Vec::new();
        for field in solver.fields() {
            let field = Field::of(&mut domain, &field.name, field.dat).unwrap();
            hashes.push(field.hash(&comm).expect("finite values"));
            values.extend(comm.all_gather(field.block.values()).concat());
        }
        (flow::history_hash(&history), solution_hash(&hashes).to_string(), values)
    });
    let (history, solution, values) = runs[0].clone();
    assert!(runs.iter().all(|run| run.0 == history), "{split:?}: all ranks know one history");
    Ending { values, solution, history }
}

/// Runs it on this many simulated ranks; returns its `summary.json`.
pub fn run(config: &Config, ranks: usize, restart: Option<&Path>) -> serde_json::Value {
    let args = RunArgs {
        config: "c.toml".into(),
        restart: restart.map(Path::to_path_buf),
        progress: Progress::Never,
        ..RunArgs::default()
    };
    let results =
        Comm::simulate(ranks, |comm| cfd::run::run_config(&comm, config, &args, &StopSignals::default()));
    results.into_iter().for_each(|result| result.expect("a run"));
    let summary = config.run.output.directory.join("summary.json");
    let summary = std::fs::read_to_string(summary).expect("a summary");
    serde_json::from_str(&summary).expect("JSON")
}

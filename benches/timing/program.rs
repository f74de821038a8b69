//! Separate runs of the program.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Runs the program once, on this many ranks, without any files but its summary, and returns that.
pub fn run(config: &str, ranks: usize, launcher: &str, arguments: &[String], directory: &Path) -> Value {
    let program = env!("CARGO_BIN_EXE_cfd");
    let file = directory.join("case.toml");
    std::fs::write(&file, config).expect("the directory takes files");
    let mut command = Command::new(if ranks == 1 { program } else { launcher });
    if ranks > 1 {
        command.args(["-n", &ranks.to_string(), program]);
        // Open MPI refuses to start as root unless told twice.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    command.arg("--config").arg(&file).arg("--out").arg(directory.join("out"));
    command.args(["--progress", "never", "--set", "output.formats=[]"]).args(arguments);
    let ended = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(ended.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ended.stderr));
    let summary = std::fs::read_to_string(directory.join("out/summary.json")).expect("a run's summary");
    serde_json::from_str(&summary).expect("JSON")
}

/// The summary's loops that have executed elements: name, seconds of the slowest rank, elements.
pub fn loops(summary: &Value) -> Vec<(String, f64, f64)> {
    let cost = |l: &Value| {
        (l["name"].as_str().expect("a name").into(), number(&l["time_s"]["max"]), number(&l["elements"]))
    };
    let all = summary["loops"].as_array().expect("a list").iter().map(cost);
    all.filter(|(_, _, elements)| *elements > 0.0).collect()
}

/// Seconds of all iterations.
pub fn seconds(summary: &Value) -> f64 {
    number(&summary["time"]["solve_s"])
}

/// The hash of the solution.
pub fn hash(summary: &Value) -> String {
    summary["hash"]["solution"].as_str().expect("a hash").into()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

//! Zones per second of the program and of a plain C++ one, in turns.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Options;
use crate::timing::{median, program, ratio};

/// Compiled as the published program is.
const FLAGS: [&str; 2] = ["-O3", "-march=native"];

/// The plain program, compiled into a directory.
fn compile(directory: &Path) -> PathBuf {
    let program = directory.join("staged");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/lulesh/staged.cpp");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".into());
    let mut command = Command::new(compiler);
    let status = command.args(FLAGS).arg("-o").arg(&program).arg(source).status();
    assert!(status.is_ok_and(|status| status.success()), "{command:?} compiles the plain program");
    program
}

/// Seconds of the plain program's cycles, and their number.
fn run_plain(plain: &Path, options: &Options) -> (f64, u64) {
    let arguments = [options.size, options.cycles, options.regions, options.cost].map(|n| n.to_string());
    let output = Command::new(plain).args(arguments).output().expect("the plain program runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words: Vec<&str> = text.split_whitespace().collect();
    let [cycles, seconds, _] = words[..] else { panic!("three numbers, not {text:?}") };
    (seconds.parse().expect("seconds"), cycles.parse().expect("a number of cycles"))
}

/// A table of zones per second, all programs in turns.
pub fn table(options: &Options) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let plain = compile(directory.path());
    let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); 1 + options.threads.len()];
    let mut cycles = options.cycles;
    for _ in 0..options.rounds {
        let (taken, done) = run_plain(&plain, options);
        seconds[0].push(taken);
        cycles = done;
        for (at, threads) in options.threads.iter().enumerate() {
            let config = format!(
                "case = \"lulesh\"\nlulesh = {{ size = {}, regions = {}, cost = {}, iterations = {} }}\n\
                 execution.threads = {threads}\noutput = {{ history_every = 1000000, pictures = false }}\n",
                options.size, options.regions, options.cost, options.cycles
            );
            let summary = program::run(&config, 1, "", &[], directory.path());
            assert_eq!(summary["iterations"], cycles, "both run as many cycles");
            seconds[1 + at].push(program::seconds(&summary));
        }
    }
    let Options { size, regions, cost, .. } = options;
    let mut text = format!(
        "{size}^3 elements, {cycles} cycles, {regions} regions, cost {cost}.\n\n\
         | program | threads | s | million zones/s | times the plain program | times one thread |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n"
    );
    let zones = (size * size * size) as f64 * cycles as f64;
    let names =
        std::iter::once(("plain C++", 1)).chain(options.threads.iter().map(|&threads| ("cfd", threads)));
    for ((name, threads), taken) in names.zip(&seconds) {
        let own = median(taken.clone());
        let (plain, one) = (ratio(&seconds[0], taken), ratio(&seconds[1], taken));
        let one = if name == "cfd" { format!("{one:.2}") } else { "-".into() };
        writeln!(text, "| {name} | {threads} | {own:.3} | {:.2} | {plain:.2} | {one} |", zones / own / 1e6)
            .expect("writing to a string");
    }
    text
}

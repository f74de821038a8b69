//! Lanes: every loop of every case with each number of lanes that the processor has, against the scalar executor: one
//! lane, and memory left to the processor (`execution.look_ahead = false`).
//!
//! Every measurement is a separate run of the program, on one rank and one thread, with the variants in turns; a ratio
//! is the median of the ratios within the rounds, so drifts in the machine's speed do not matter. All runs of a case
//! must end with the same bits.
//!
//! `cargo bench --bench lanes -- --rounds 9 --setting "processor, date"` prints the tables of `notes/lanes.md`.

mod timing;

use std::collections::BTreeMap;
use std::path::Path;

use cfd_engine::lane::Width;
use clap::Parser;
use serde_json::Value;

use timing::{median, program};

/// Every loop with each number of lanes.
#[derive(Parser)]
struct Options {
    /// I,J: the airfoil meshes have 3 I J cells.
    #[arg(long, default_value = "400,600")]
    size: String,
    /// I,J,K: hexahedra of MG-CFD's box, four levels.
    #[arg(long, default_value = "64,64,64")]
    box_size: String,
    /// Rounds, in each of which every variant runs once.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Only cases whose name contains this.
    #[arg(long, default_value = "")]
    case: String,
    /// Where it runs, for the tables: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// More settings for every run.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// How the program runs: the scalar executor is first, then every width.
struct Variant {
    width: Width,
    look_ahead: bool,
}

fn variants() -> Vec<Variant> {
    let scalar = Variant { width: Width::SCALAR, look_ahead: false };
    std::iter::once(scalar)
        .chain(Width::available().map(|width| Variant { width, look_ahead: true }))
        .collect()
}

/// A configuration and the loops with a required ratio in the widest lanes.
struct Case {
    name: &'static str,
    text: String,
    iterations: u32,
    wanted: &'static [(&'static str, f64)],
}

fn cases(options: &Options) -> Vec<Case> {
    let Options { size, box_size, .. } = options;
    let airfoil = format!("mesh.generate = {{ size = [{size}], decimals = 6 }}\n");
    let mgcfd = format!("mesh.generate = {{ size = [{box_size}], levels = 4, shape = \"box\" }}\n");
    // Every linear system takes all its steps.
    let steps = "aero.cg_tolerance = 1e-300\naero.cg_iterations";
    let all = vec![
        Case {
            name: "airfoil",
            text: format!("case = \"airfoil\"\n{airfoil}"),
            iterations: 100,
            wanted: &[("adt_calc", 2.3), ("res_calc", 2.0), ("update", 1.0), (WHOLE, 1.9)],
        },
        Case {
            name: "aero",
            text: format!("case = \"aero\"\n{airfoil}{steps} = 50\n"),
            iterations: 2,
            wanted: &[("spmv", 1.6)],
        },
        Case {
            name: "aero, gamma = 1.3",
            text: format!("case = \"aero\"\n{airfoil}{steps} = 2\naero.gamma = 1.3\n"),
            iterations: 2,
            wanted: &[],
        },
        Case {
            name: "mgcfd, proxy",
            text: format!("case = \"mgcfd\"\n{mgcfd}mgcfd.scheme = \"proxy\"\n"),
            iterations: 5,
            wanted: &[("edge_flux", 2.2)],
        },
        Case { name: "mgcfd, euler", text: format!("case = \"mgcfd\"\n{mgcfd}"), iterations: 2, wanted: &[] },
    ];
    all.into_iter().filter(|case| case.name.contains(&options.case)).collect()
}

/// All iterations together.
const WHOLE: &str = "whole run";

/// Seconds of every loop, and nanoseconds an element.
type Times = BTreeMap<String, [f64; 2]>;

fn main() {
    let options = Options::parse();
    let variants = variants();
    let directory = tempfile::tempdir().expect("a directory for the runs' output");
    for case in cases(&options) {
        let mut rounds: Vec<Vec<Times>> = Vec::new();
        let mut hashes: Vec<String> = Vec::new();
        for round in 0..options.rounds {
            let mut times = vec![Times::new(); variants.len()];
            // A different one is first in every round.
            for place in 0..variants.len() {
                let at = (place + round) % variants.len();
                let summary = run(&options, &case, &variants[at], directory.path());
                hashes.push(program::hash(&summary));
                times[at] = times_of(&summary);
            }
            rounds.push(times);
        }
        assert!(
            hashes.windows(2).all(|pair| pair[0] == pair[1]),
            "neither lanes nor looking ahead change a bit: {hashes:?}"
        );
        println!("{}", table(&case, &variants, &rounds, &options));
    }
}

/// Runs the program once and returns its summary.
fn run(options: &Options, case: &Case, variant: &Variant, directory: &Path) -> Value {
    let mut arguments = vec!["--threads".into(), "1".into()];
    arguments.extend(["--iterations".into(), case.iterations.to_string()]);
    arguments.extend(["--set".into(), format!("execution.lanes={}", variant.width)]);
    arguments.extend(["--set".into(), format!("execution.look_ahead={}", variant.look_ahead)]);
    arguments.extend(options.set.iter().flat_map(|set| ["--set".into(), set.clone()]));
    program::run(&case.text, 1, "", &arguments, directory)
}

fn times_of(summary: &Value) -> Times {
    let loops = program::loops(summary).into_iter();
    let mut times: Times =
        loops.map(|(name, seconds, elements)| (name, [seconds, 1e9 * seconds / elements])).collect();
    times.insert(WHOLE.into(), [program::seconds(summary), f64::NAN]);
    times
}

/// A row for each loop and the run: its share and time in the scalar executor, the ratios to that within the rounds.
fn table(case: &Case, variants: &[Variant], rounds: &[Vec<Times>], options: &Options) -> String {
    let mut text = format!(
        "## {}\n\n{} rounds of {} iterations, one core; medians. {}\n\n| loop | share | scalar, ns an element |",
        case.name, options.rounds, case.iterations, options.setting
    );
    let others = 1..variants.len();
    others.clone().for_each(|at| text.push_str(&format!(" lanes: {}, ns | ratio |", variants[at].width)));
    text.push_str(" required |\n| --- |");
    text.push_str(&" --- |".repeat(3 + 2 * others.len()));
    text.push('\n');
    let names: Vec<&String> = rounds.first().map_or(Vec::new(), |round| round[0].keys().collect());
    for name in names {
        let cost =
            |at: usize, which: usize| median(rounds.iter().map(|round| round[at][name][which]).collect());
        let share = median(rounds.iter().map(|round| round[0][name][0] / round[0][WHOLE][0]).collect());
        // The run as a whole has no elements.
        let cell = |at: usize| {
            Some(cost(at, 1)).filter(|ns| !ns.is_nan()).map_or(String::new(), |ns| format!("{ns:.2}"))
        };
        text.push_str(&format!("| `{name}` | {:.0} % | {} |", 100.0 * share, cell(0)));
        for at in others.clone() {
            let ratio = median(rounds.iter().map(|round| round[0][name][0] / round[at][name][0]).collect());
            text.push_str(&format!(" {} | {ratio:.2} |", cell(at)));
        }
        let wanted = case.wanted.iter().find(|(wanted, _)| wanted == name);
        text.push_str(&format!(" {} |\n", wanted.map_or(String::new(), |(_, ratio)| format!("{ratio:.1}"))));
    }
    text
}

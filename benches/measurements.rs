//! What every case achieves per second, what reproducible bits cost, and what a second core gains: the table of
//! `docs/measurements.md`.
//!
//! `cargo bench --features mpio --bench measurements -- --setting "processor, date"` prints it. Whole runs of the program in turns;
//! every ratio is the median of the ratios within the rounds.

mod timing;

use clap::Parser;
use serde_json::Value;

use timing::program;
use timing::{median, ratio};

/// Every case's speed.
#[derive(Parser)]
struct Options {
    /// Rounds, in each of which everything runs once.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Cores of the columns with several.
    #[arg(long, default_value_t = 2)]
    cores: usize,
    /// What starts several ranks.
    #[arg(long, default_value = "mpirun")]
    launcher: String,
    /// The cases with these names alone.
    #[arg(long, value_delimiter = ',')]
    cases: Vec<String>,
    /// Where it runs: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// A line of the table.
struct Measured {
    name: &'static str,
    size: &'static str,
    config: &'static str,
    /// Whether it has loops, whose order fast mode leaves open.
    has_modes: bool,
}

const MEASURED: &[Measured] = &[
    Measured {
        name: "Airfoil",
        size: "720,000 cells",
        config: "case = \"airfoil\"\nmesh.generate = { size = [400, 600], decimals = 6 }\nairfoil.iterations = 60\n",
        has_modes: true,
    },
    Measured {
        name: "Aero",
        size: "720,000 cells",
        config: "case = \"aero\"\nmesh.generate = { size = [400, 600] }\naero = { iterations = 1, cg_iterations = 100 }\n",
        has_modes: true,
    },
    Measured {
        name: "MG-CFD, proxy",
        size: "275,000 nodes, 4 levels",
        config: "case = \"mgcfd\"\nmesh.generate = { shape = \"box\", size = [64, 64, 64], levels = 4 }\n\
                 mgcfd = { scheme = \"proxy\", iterations = 20 }\n",
        has_modes: true,
    },
    Measured {
        name: "MG-CFD, Euler",
        size: "132,000 nodes, 4 levels",
        config: "case = \"mgcfd\"\nmesh.generate = { shape = \"wing\", size = [64, 31, 64], levels = 4 }\n\
                 mgcfd = { scheme = \"euler\", iterations = 6 }\n",
        has_modes: true,
    },
    Measured {
        name: "LULESH",
        size: "27,000 elements",
        config: "case = \"lulesh\"\nlulesh = { size = 30, iterations = 150 }\n",
        has_modes: true,
    },
    Measured {
        name: "Adaptation",
        size: "69,000 triangles",
        config: "case = \"adaptation\"\nmesh.generate = { size = [200, 200] }\nadaptation.hessian = \"least-squares\"\n",
        has_modes: false,
    },
];

/// Everything of one case, in turns.
#[derive(Default)]
struct Times {
    alone: Vec<f64>,
    fast: Vec<f64>,
    threads: Vec<f64>,
    ranks: Vec<f64>,
    /// The figure of merit on one core.
    rates: Vec<f64>,
    what: String,
}

impl Times {
    fn round(&mut self, measured: &Measured, options: &Options) {
        let directory = tempfile::tempdir().expect("a directory");
        let run = |ranks: usize, threads: usize, mode: &str| -> Value {
            let words = ["--threads", &threads.to_string(), "--mode", mode].map(String::from);
            let config =
                format!("{}output = {{ history_every = 1000000, pictures = false }}\n", measured.config);
            program::run(&config, ranks, &options.launcher, &words, directory.path())
        };
        let alone = run(1, 1, "reproducible");
        self.rates.push(alone["fom"]["value"].as_f64().expect("a figure of merit"));
        self.what = alone["fom"]["name"].as_str().expect("its name").into();
        self.alone.push(program::seconds(&alone));
        let (threads, ranks) = (run(1, options.cores, "reproducible"), run(options.cores, 1, "reproducible"));
        assert_eq!(program::hash(&alone), program::hash(&threads), "{}", measured.name);
        assert_eq!(program::hash(&alone), program::hash(&ranks), "{}", measured.name);
        self.threads.push(program::seconds(&threads));
        self.ranks.push(program::seconds(&ranks));
        if measured.has_modes {
            self.fast.push(program::seconds(&run(1, 1, "fast")));
        }
    }

    fn line(&self, measured: &Measured) -> String {
        let fast =
            if measured.has_modes { format!("{:.2}", ratio(&self.alone, &self.fast)) } else { "-".into() };
        let (threads, ranks) = (ratio(&self.alone, &self.threads), ratio(&self.alone, &self.ranks));
        let Measured { name, size, .. } = measured;
        let (rate, what) = (median(self.rates.clone()), &self.what);
        format!("| {name} | {size} | {rate:.3} million {what} | {fast} | {threads:.2} | {ranks:.2} |")
    }
}

fn main() {
    let options = Options::parse();
    let chosen = |measured: &&Measured| {
        options.cases.is_empty() || options.cases.iter().any(|name| measured.name.contains(name.as_str()))
    };
    let Options { setting, rounds, cores, .. } = &options;
    println!("{setting}; medians of {rounds} rounds in turns; load average {:.1}.\n", timing::load());
    println!(
        "| case | size | rate on one core | reproducible / fast | {cores} threads against 1 | {cores} ranks against 1 |\n\
         | --- | --- | ---: | ---: | ---: | ---: |"
    );
    for measured in MEASURED.iter().filter(chosen) {
        let mut times = Times::default();
        (0..options.rounds).for_each(|_| times.round(measured, &options));
        println!("{}", times.line(measured));
    }
}

//! Colorings of meshes and random graphs: colors, rounds, conflicts and time, and whether all runs give the same
//! result.
//!
//! Every coloring runs on every number of threads, all in rotation, with a different one first in each round; a ratio
//! is the median of the ratios within the rounds. Each result is checked.
//!
//! `cargo bench -p cfd-adapt --bench colorings -- --rounds 9 --setting "processor, date"` prints the tables of
//! `docs/adaptation-study.md`; `--pictures FOLDER` draws what Figures 5.2 to 5.17 of the thesis show.

mod study;

use std::path::{Path, PathBuf};

use cfd_adapt::coloring::{Algorithm, Coloring, Graph, Numbering, Quadrants, check, rmat, triangulation};
use cfd_engine::plug::ThreadPool;
use clap::Parser;

use study::chart::{Curve, Panel, curves};
use study::{heading, median, range, ratio, seconds, turns, wake, write_picture};

/// Colorings of graphs.
#[derive(Parser)]
struct Options {
    /// Vertices along a side of the meshes.
    #[arg(long, default_value_t = 500)]
    side: u32,
    /// The random graphs have 2^SCALE vertices.
    #[arg(long, default_value_t = 18)]
    scale: u32,
    /// Edges per vertex of the random graphs.
    #[arg(long, default_value_t = 8)]
    edges: usize,
    /// Numbers of threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4")]
    threads: Vec<usize>,
    /// Colorings.
    #[arg(long, value_delimiter = ',', default_values = Algorithm::NAMES)]
    colorings: Vec<Algorithm>,
    /// Graphs from Matrix Market files, whose entries off the diagonal are edges, instead of meshes and random graphs.
    #[arg(long, value_name = "FILE,...", value_delimiter = ',')]
    graphs: Vec<PathBuf>,
    /// Colors so that vertices with a common neighbor have different colors, too.
    #[arg(long)]
    distance_two: bool,
    /// Rounds, in each of which every coloring runs on every number of threads.
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Seed of the graphs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where it runs, for the tables: processor, date.
    #[arg(long, default_value = "")]
    setting: String,
    /// Draws pictures into this folder; needs the colorings catalyurek and rokos.
    #[arg(long)]
    pictures: Option<PathBuf>,
    /// Passed by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

/// A coloring on a number of threads, and the results of its runs.
struct Variant {
    algorithm: Algorithm,
    threads: usize,
    /// Index of its pool.
    pool: usize,
    runs: Vec<Run>,
    /// The colors of the first run.
    first: Vec<u32>,
    is_same: bool,
}

struct Run {
    seconds: f64,
    colors: usize,
    rounds: usize,
    barriers: usize,
    conflicts: usize,
}

impl Variant {
    fn note(&mut self, seconds: f64, coloring: Coloring) {
        let colors = coloring.count();
        let Coloring { rounds, barriers, conflicts, .. } = coloring;
        if self.runs.is_empty() {
            self.first = coloring.colors;
        } else {
            self.is_same &= self.first == coloring.colors;
        }
        self.runs.push(Run { seconds, colors, rounds, barriers, conflicts });
    }

    fn seconds(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.seconds).collect()
    }
}

fn main() {
    let options = Options::parse();
    println!("{}", heading(&options.setting, options.rounds));
    let pools: Vec<ThreadPool> = options.threads.iter().map(|&threads| ThreadPool::new(threads)).collect();
    let finish = |graph: Graph| if options.distance_two { graph.of_distance_two() } else { graph };
    if !options.graphs.is_empty() {
        for path in &options.graphs {
            let graph = finish(read(path));
            println!("{}", table(&path.display().to_string(), &graph, &measure(&graph, &options, &pools)));
        }
        return;
    }
    let meshes = [("mesh, shuffled", Numbering::Shuffled), ("mesh, row by row", Numbering::Natural)];
    let random = [("RMAT-ER", Quadrants::ER), ("RMAT-G", Quadrants::G), ("RMAT-B", Quadrants::B)];
    let mesh = |numbering| triangulation([options.side; 2], numbering, options.seed);
    let meshes = meshes.map(|(name, numbering)| (name, mesh(numbering)));
    let edges = options.edges << options.scale;
    let random = random.map(|(name, quadrants)| {
        (name, rmat(options.scale, edges, quadrants, Numbering::Shuffled, options.seed))
    });
    for (file, group) in [("colorings-meshes.svg", &meshes[..]), ("colorings-rmat.svg", &random[..])] {
        let mut measured = Vec::new();
        for (name, graph) in group {
            let graph = finish(graph.clone().unwrap_or_else(|error| panic!("{name}: {error}")));
            let variants = measure(&graph, &options, &pools);
            println!("{}", table(name, &graph, &variants));
            measured.push((*name, variants));
        }
        if let Some(folder) = &options.pictures {
            write_picture(folder, file, &picture(&options.threads, &measured));
        }
    }
}

/// The graph of a matrix; ends the benchmark with code 2 if there is none.
fn read(path: &Path) -> Graph {
    let matrix = cfd_io::read_matrix_market(path).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        std::process::exit(2)
    });
    let edges: Vec<[u32; 2]> = matrix.entries.iter().map(|&(row, column, _)| [row, column]).collect();
    Graph::from_edges(matrix.rows.max(matrix.columns), &edges).expect("entries are within the matrix")
}

fn measure(graph: &Graph, options: &Options, pools: &[ThreadPool]) -> Vec<Variant> {
    let mut variants = Vec::new();
    for &algorithm in &options.colorings {
        for (pool, &threads) in options.threads.iter().enumerate() {
            // First fit uses one thread, whatever the pool.
            if algorithm != Algorithm::FirstFit || pool == 0 {
                let threads = if algorithm == Algorithm::FirstFit { 1 } else { threads };
                let (runs, first) = (Vec::new(), Vec::new());
                variants.push(Variant { algorithm, threads, pool, runs, first, is_same: true });
            }
        }
    }
    // The first round touches all memory.
    for round in 0..=options.rounds {
        for place in turns(variants.len(), round) {
            let Variant { algorithm, pool, .. } = variants[place];
            let pool = &pools[pool];
            let (seconds, coloring) = seconds(|| wake(pool), || algorithm.color(graph, pool));
            check(graph, &coloring.colors).unwrap_or_else(|error| panic!("{}: {error}", algorithm.name()));
            if round > 0 {
                variants[place].note(seconds, coloring);
            }
        }
    }
    variants
}

fn table(name: &str, graph: &Graph, variants: &[Variant]) -> String {
    let (vertices, edges, most) = (graph.vertices(), graph.edges(), graph.max_degree());
    let mut text = format!(
        "### {name}\n\n{vertices} vertices, {edges} edges; a vertex has at most {most} neighbours.\n\n\
         | coloring | threads | colors | rounds | barriers | conflicts | ms | best | of first-fit | same in all runs | same on all threads |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n"
    );
    let plain =
        variants.iter().find(|variant| variant.algorithm == Algorithm::FirstFit).map(Variant::seconds);
    for variant in variants {
        let of = |value: fn(&Run) -> usize| range(variant.runs.iter().map(value));
        let times = variant.seconds();
        let ratio = plain.as_ref().map_or("-".into(), |plain| format!("{:.2}", ratio(&times, plain)));
        let mut others = variants.iter().filter(|other| other.algorithm == variant.algorithm);
        let on_all = others.all(|other| other.is_same && other.first == variant.first);
        let yes = |is: bool| if is { "yes" } else { "no" };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {ratio} | {} | {} |\n",
            variant.algorithm.name(),
            variant.threads,
            of(|run| run.colors),
            of(|run| run.rounds),
            of(|run| run.barriers),
            of(|run| run.conflicts),
            1e3 * median(times.clone()),
            1e3 * times.iter().copied().fold(f64::INFINITY, f64::min),
            yes(variant.is_same),
            yes(on_all),
        ));
    }
    text
}

/// The colorings that the thesis draws, and, for the speedup, one that does not depend on timing.
const DRAWN: [Algorithm; 3] = [Algorithm::Catalyurek, Algorithm::Rokos, Algorithm::JonesPlassmann];

/// Time, speedup, ratio of the two speculative colorings, conflicts and rounds against threads.
fn picture(threads: &[usize], measured: &[(&str, Vec<Variant>)]) -> String {
    // Makes a value for each number of threads from a coloring's variants.
    type Values = fn(&[&Variant]) -> Vec<f64>;
    let curves_of = |algorithms: &[Algorithm], values: Values| {
        let mut found = Vec::new();
        for (colour, (graph, variants)) in measured.iter().enumerate() {
            for (dash, algorithm) in algorithms.iter().enumerate() {
                let own: Vec<&Variant> = variants.iter().filter(|v| v.algorithm == *algorithm).collect();
                if !own.is_empty() {
                    let name = format!("{graph}: {}", algorithm.name());
                    found.push(Curve { name, style: (colour, dash), values: values(&own) });
                }
            }
        }
        found
    };
    fn of(variants: &[&Variant], value: impl Fn(&Variant) -> f64) -> Vec<f64> {
        variants.iter().map(|variant| value(variant)).collect()
    }
    fn mean(variant: &Variant, value: impl Fn(&Run) -> usize) -> f64 {
        variant.runs.iter().map(|run| value(run) as f64).sum::<f64>() / variant.runs.len() as f64
    }
    let panel = |title: &str, curves| Panel { title: title.into(), curves };
    let ratios = measured.iter().enumerate().map(|(colour, (graph, variants))| {
        let times =
            |algorithm| variants.iter().filter(move |v| v.algorithm == algorithm).map(Variant::seconds);
        let pairs = times(Algorithm::Catalyurek).zip(times(Algorithm::Rokos));
        let values = pairs.map(|(catalyurek, rokos)| ratio(&catalyurek, &rokos)).collect();
        Curve { name: (*graph).into(), style: (colour, 0), values }
    });
    let panels = [
        panel(
            "time, ms (Figures 5.2, 5.3)",
            curves_of(&DRAWN[..2], |all| of(all, |v| 1e3 * median(v.seconds()))),
        ),
        panel(
            &format!("speedup over threads: {} (Figures 5.4, 5.5)", threads[0]),
            curves_of(&DRAWN, |all| of(all, |v| ratio(&all[0].seconds(), &v.seconds()))),
        ),
        panel("time of catalyurek / rokos (Figure 5.10)", ratios.collect()),
        panel(
            "conflicts, mean (Figures 5.12, 5.13)",
            curves_of(&DRAWN[..2], |all| of(all, |v| mean(v, |run| run.conflicts))),
        ),
        panel(
            "rounds, mean (Figures 5.16, 5.17)",
            curves_of(&DRAWN[..2], |all| of(all, |v| mean(v, |run| run.rounds))),
        ),
    ];
    curves("Colorings: time, conflicts, rounds", threads, &panels)
}

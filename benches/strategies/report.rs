//! Tables in Markdown.

use std::fmt::Write;

use cfd_reference::LOOPS;

use crate::measure::{Memory, Timing, VariantTiming};
use crate::timing::{median, ratio};
use crate::variant::{BINNED, FAST_REGIONS, PLAIN, REGIONS};

/// The allowed time of a reproducible run's loops, relative to the fastest strategy.
const TIME_LIMIT: f64 = 1.05;
/// The allowed time of `update` with an exact sum, relative to a plain sum.
const SUM_LIMIT: f64 = 1.05;
/// The allowed memory of regions, relative to the plain strategy.
const MEMORY_LIMIT: f64 = 1.1;

const PUBLISHED: &str = "\
## Published figures

Siklósi, Mudalige, Reguly, \"Enabling bitwise reproducibility for the unstructured computational motif\", Applied
Sciences 14(2):639, 2024, DOI 10.3390/app14020639, for OP2 with 40 MPI processes on Xeons and on one V100:

| figure | Airfoil | Aero | MG-CFD |
| --- | --- | --- | --- |
| slowdown against the non-reproducible version, all methods, CPU (text to Figure 7) | 1-3.21 | 1-3.21 | 1-3.21 |
| the same, GPU | 2.31-10.7 | 2.31-10.7 | 2.31-10.7 |
| memory, GB: non-reproducible, temporary arrays, coloring (Table 2) | 0.92, 1.6, 1.3 | 2.6, 3.4, 2.8 | 7.5, 14.4, 9 |
| memory, ratio: temporary arrays, coloring | 1.74, 1.41 | 1.31, 1.08 | 1.92, 1.20 |
| colors, greedy and distributed (Table 3) | 4, 14 | 5, 17 | 7, 19 |
| reversed map and greedy coloring on one process (Table 4) | 4.65 s | 1.79 s | 128.88 s |

The text gives one range of slowdowns for the three applications together. OP2's public reproducible branch, built and
run on another machine with 2 cores of a Zen 5, had on Airfoil, 1 and 2 ranks: temporary arrays 1.25-1.29,
distributed coloring 2.6-3.0, greedy 0.9-1.03, trivial 1.07-1.10; memory on 1 rank 312 MiB, and 450, 877, 451, 415
with the four methods.
";

/// The page of the documentation.
pub fn page(timings: &[Timing], memory: &[Memory]) -> String {
    let mut page = String::from(
        "# Strategies against each other\n\n\
         Written by `run-scripts/bench-strategies`; [performance.md](performance.md) explains the figures.\n\n\
         ![Slowdown of each strategy](benchmark-strategies.svg)\n",
    );
    for timing in timings {
        let _ = write!(page, "\n{}", tables(timing, memory));
    }
    let _ = write!(page, "\n{PUBLISHED}");
    page
}

/// The tables of one number of ranks.
pub fn tables(timing: &Timing, memory: &[Memory]) -> String {
    let ranks = timing.ranks;
    let rounds = timing.variants[0].whole.len();
    let divided = if ranks == 1 { String::new() } else { format!(" by {}", timing.partitioner) };
    let mut text = format!("## {}\n\n", layout(timing));
    let _ = writeln!(
        text,
        "{} cells{divided}, {} lanes; {rounds} alternating rounds of {} iterations; medians, ratios within the rounds. {}, load {:.1}.\n",
        timing.cells, timing.lanes, timing.iterations, timing.setting, timing.load
    );
    let fastest = fastest(timing);
    whole_run(&mut text, timing, fastest);
    text.push('\n');
    loops(&mut text, timing);
    // Memory is measured with one thread per rank.
    let memory: Vec<&Memory> = memory.iter().filter(|m| m.ranks == ranks && timing.threads == 1).collect();
    if !memory.is_empty() {
        text.push('\n');
        memory_table(&mut text, &memory);
    }
    text.push('\n');
    targets(&mut text, timing, &memory, fastest);
    text
}

/// Ranks and threads in words.
pub fn layout(timing: &Timing) -> String {
    let plural = if timing.ranks == 1 { "" } else { "s" };
    let each = if timing.threads == 1 { String::new() } else { format!(", {} threads each", timing.threads) };
    format!("{} rank{plural}{each}", timing.ranks)
}

fn whole_run(text: &mut String, timing: &Timing, fastest: &VariantTiming) {
    let plain = named(timing, PLAIN);
    text.push_str(
        "| variant | s per 100 iterations | against `fast: core` | against the fastest | schedules, s | colors | edges executed twice |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for v in &timing.variants {
        let colors = v.colors.map_or("-".into(), |colors| colors.to_string());
        let _ = writeln!(
            text,
            "| `{}` | {:.3} | {:.3} | {:.3} | {:.2} | {colors} | {:.2} % |",
            v.name,
            median(v.whole.clone()),
            ratio(&v.whole, &plain.whole),
            ratio(&v.whole, &fastest.whole),
            median(v.setup.clone()),
            100.0 * v.redundant
        );
    }
}

fn loops(text: &mut String, timing: &Timing) {
    let plain = named(timing, PLAIN);
    let _ = writeln!(text, "Loops, s per 100 iterations, in brackets against `fast: core`:\n");
    let _ = writeln!(text, "| variant | `{}` |", LOOPS.join("` | `"));
    let _ = writeln!(text, "| --- |{}", " --- |".repeat(LOOPS.len()));
    for v in &timing.variants {
        let cells: Vec<String> = v
            .loops
            .iter()
            .zip(&plain.loops)
            .map(|(own, plain)| match ratio(own, plain) {
                ratio if ratio.is_finite() => format!("{:.3} ({ratio:.2})", median(own.clone())),
                // Not executed: the copy of `save_soln` is a buffer swap.
                _ => format!("{:.3}", median(own.clone())),
            })
            .collect();
        let _ = writeln!(text, "| `{}` | {} |", v.name, cells.join(" | "));
    }
}

fn memory_table(text: &mut String, memory: &[&Memory]) {
    text.push_str(
        "Memory of all ranks in MiB, each variant in processes of its own, in brackets against `fast: core`:\n\n\
         | variant | dats, maps, schedules | resident after the run | largest, set-up included |\n\
         | --- | --- | --- | --- |\n",
    );
    let plain = plain_memory(memory);
    for m in memory {
        let cell = |own: u64, plain: u64| {
            format!("{:.1} ({:.3})", own as f64 / f64::from(1 << 20), own as f64 / plain as f64)
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            m.name,
            cell(m.domain, plain.domain),
            cell(m.resident, plain.resident),
            cell(m.peak, plain.peak)
        );
    }
}

fn targets(text: &mut String, timing: &Timing, memory: &[&Memory], fastest: &VariantTiming) {
    let update = LOOPS.iter().position(|&name| name == "update").expect("Airfoil has the loop");
    let update_of = |name: &str| &named(timing, name).loops[update];
    let regions = ratio(&named(timing, REGIONS).whole, &fastest.whole);
    let mut rows = vec![
        (format!("`regions` against the fastest (`{}`), whole run", fastest.name), regions, Some(TIME_LIMIT)),
        (
            "`update`: exact against plain sum".into(),
            ratio(update_of(REGIONS), update_of(FAST_REGIONS)),
            Some(SUM_LIMIT),
        ),
        (
            "`update`: binned against plain sum".into(),
            ratio(update_of(BINNED), update_of(FAST_REGIONS)),
            None,
        ),
    ];
    if let Some(regions) = memory.iter().find(|m| m.name == REGIONS) {
        let plain = plain_memory(memory);
        rows.push((
            "`regions` against `fast: core`, memory of dats, maps, schedules".into(),
            regions.domain as f64 / plain.domain as f64,
            Some(MEMORY_LIMIT),
        ));
        rows.push((
            "`regions` against `fast: core`, resident memory".into(),
            regions.resident as f64 / plain.resident as f64,
            Some(MEMORY_LIMIT),
        ));
    }
    text.push_str("| target | measured | at most |\n| --- | --- | --- |\n");
    for (what, measured, limit) in rows {
        let limit = limit.map_or("-".into(), |limit| limit.to_string());
        let _ = writeln!(text, "| {what} | {measured:.3} | {limit} |");
    }
}

/// The variant with the shortest whole run.
pub fn fastest(timing: &Timing) -> &VariantTiming {
    let plain = named(timing, PLAIN);
    timing
        .variants
        .iter()
        .min_by(|a, b| ratio(&a.whole, &plain.whole).total_cmp(&ratio(&b.whole, &plain.whole)))
        .expect("there are variants")
}

/// The times of a variant.
pub fn named<'a>(timing: &'a Timing, name: &str) -> &'a VariantTiming {
    timing.variants.iter().find(|v| v.name == name).expect("every variant is measured")
}

fn plain_memory<'a>(memory: &[&'a Memory]) -> &'a Memory {
    memory.iter().find(|m| m.name == PLAIN).expect("the memory of every variant is measured")
}

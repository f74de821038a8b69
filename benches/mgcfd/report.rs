//! Tables in Markdown.

use std::fmt::Write;

use cfd_solvers::mgcfd::Scheme;

use crate::measure::{FAST, REFERENCE, REPRODUCIBLE, Timing, VARIANTS};
use crate::timing::{median, ratio};

/// The allowed time of a reproducible run, relative to fast mode.
const LIMIT: f64 = 1.1;

const PUBLISHED: &str = "\
## Published figures

Siklósi, Mudalige, Reguly, \"Enabling bitwise reproducibility for the unstructured computational motif\", Applied
Sciences 14(2):639, 2024, DOI 10.3390/app14020639, on 40 MPI processes of two 20-core Xeons:

| figure | MG-CFD | relative |
| --- | --- | --- |
| slowdown against the non-reproducible version, all methods and applications (text to Figure 7) | - | 1-3.21 |
| memory, GB: non-reproducible, temporary arrays, coloring (Table 2) | 7.5, 14.4, 9 | 1, 1.92, 1.2 |
| colors, greedy and distributed (Table 3) | 7, 19 | - |

The public MG-CFD on another machine with 2 cores of a Zen 5 (triad 33 GB/s), a box of 274,625 nodes, 4 levels: 84-104 ms a
cycle on 1 core, 68 ms on 2 ranks; its edge flux 22-26 ns an edge.
";

/// The tables of one number of ranks, and the published figures.
pub fn tables(timing: &Timing, setting: &str) -> String {
    let Timing { ranks, rounds, cycles, load, triad, .. } = timing;
    let divided = if *ranks == 1 { String::new() } else { format!(" by {}", timing.partitioner) };
    let plural = if *ranks == 1 { "" } else { "s" };
    let scheme = match timing.scheme {
        Scheme::Euler => "euler",
        Scheme::Proxy => "proxy",
    };
    let sizes: Vec<String> =
        timing.levels.iter().map(|[nodes, edges]| format!("{nodes} nodes, {edges} edges")).collect();
    let mut text = format!("## `scheme = \"{scheme}\"`, {ranks} rank{plural}\n\n");
    let _ = writeln!(
        text,
        "{}{divided}. {rounds} alternating rounds of {cycles} cycles; medians, ratios within the rounds. {setting}, \
         load {load:.1}. Triad a = b + s c: {:.1} GB/s.\n",
        sizes.join("; "),
        triad / 1e9
    );
    whole(&mut text, timing);
    loops(&mut text, timing);
    against_reference(&mut text, timing);
    text + PUBLISHED
}

/// Whole cycles, memory and colors, each variant against fast mode.
fn whole(text: &mut String, timing: &Timing) {
    text.push_str("| variant | ms a cycle | against fast | limit | memory, GB | against fast | colors | schedules, s |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    let fast = &timing.variants[FAST];
    for (name, ..) in VARIANTS {
        let Some(own) = timing.variants.get(name) else { continue };
        let limit = if name == REPRODUCIBLE { format!("{LIMIT}") } else { String::new() };
        let _ = writeln!(
            text,
            "| `{name}` | {:.2} | {:.3} | {limit} | {:.3} | {:.3} | {} | {:.2} |",
            1e3 * median(own.whole.clone()),
            ratio(&own.whole, &fast.whole),
            own.memory as f64 / 1e9,
            own.memory as f64 / fast.memory as f64,
            own.colors.map_or("-".into(), |colors| colors.to_string()),
            median(own.setup.clone())
        );
    }
    if let Some(reference) = timing.variants.get(REFERENCE) {
        let (time, against) = (median(reference.whole.clone()), ratio(&reference.whole, &fast.whole));
        let _ = writeln!(text, "| reference | {:.2} | {against:.3} | | - | - | - | - |", 1e3 * time);
    }
    text.push_str("\nMemory: dats, maps, schedules and increment buffers of all ranks.\n\n");
}

/// The loops of the default.
fn loops(text: &mut String, timing: &Timing) {
    let columns = [
        "loop",
        "calls a cycle",
        "ms a cycle",
        "share",
        "ns an element",
        "bytes an element",
        "GB/s",
        "share of triad",
        "GFLOP/s",
        "against fast",
        "colors, greedy and distributed",
    ];
    let _ = writeln!(text, "| {} |\n|{}", columns.join(" | "), " --- |".repeat(columns.len()));
    let own = &timing.variants[REPRODUCIBLE];
    let whole = median(own.whole.clone());
    let mut named: Vec<_> =
        own.loops.iter().map(|(name, found)| (median(found.seconds.clone()), name, found)).collect();
    named.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (time, name, found) in named {
        let bandwidth = found.bytes / time;
        let of = |variant: &str| timing.variants.get(variant).and_then(|other| other.loops.get(name));
        let against =
            of(FAST).map_or("-".into(), |fast| format!("{:.2}", ratio(&found.seconds, &fast.seconds)));
        let colors = ["greedy-coloring", "distributed-coloring"].map(|variant| {
            of(variant).and_then(|other| other.colors).map_or("-".into(), |colors| colors.to_string())
        });
        let _ = writeln!(
            text,
            "| `{name}` | {:.0} | {:.3} | {:.0} % | {:.2} | {:.0} | {:.1} | {:.0} % | {:.2} | {against} | {} |",
            found.calls,
            1e3 * time,
            100.0 * time / whole,
            1e9 * time * timing.ranks as f64 / found.elements,
            found.bytes / found.elements,
            bandwidth / 1e9,
            100.0 * bandwidth / timing.triad,
            found.flops / time / 1e9,
            colors.join(", ")
        );
    }
    text.push_str(
        "\nLoops of all levels together, in `regions`. ns: of one rank. Bytes: every touched row once each way, and the \
         maps; the triad counts 24 an element, without what a store reads first.\n\n",
    );
}

/// The engine's loops against the sequential program's, if there is one.
fn against_reference(text: &mut String, timing: &Timing) {
    if timing.against_reference.is_empty() {
        return;
    }
    text.push_str("| loop of the reference | ms a cycle | `regions` against it |\n| --- | --- | --- |\n");
    for (name, [reference, own]) in &timing.against_reference {
        let _ = writeln!(
            text,
            "| `{name}` | {:.3} | {:.2} |",
            1e3 * median(reference.clone()),
            ratio(own, reference)
        );
    }
    text.push('\n');
}

//! Tables in Markdown.

use std::fmt::Write;

use crate::measure::{FAST, FAST_SINGLE, METHODS, REFERENCE, REPRODUCIBLE, SINGLE, Timing};
use crate::timing::{median, ratio};

/// The allowed time of a reproducible run, relative to fast mode.
const LIMIT: f64 = 1.1;

/// Conjugate-gradient steps of the published run: 20 Newton steps of 200.
const PUBLISHED_STEPS: u64 = 4000;

const PUBLISHED: &str = "\
## Published figures

Siklósi, Mudalige, Reguly, \"Enabling bitwise reproducibility for the unstructured computational motif\", Applied
Sciences 14(2):639, 2024, DOI 10.3390/app14020639, on 40 MPI processes of two 20-core Xeons:

| figure | Aero |
| --- | --- |
| slowdown against the non-reproducible version, all methods and applications (text to Figure 7) | 1-3.21 |
| memory, GB: non-reproducible, temporary arrays, coloring (Table 2) | 2.6, 3.4, 2.8 |
| colors, greedy and distributed (Table 3) | 5, 17 |

OP2's public Aero on another machine with 2 cores of a Zen 5 (triad 33 GB/s), 720,000 elements, 20 Newton steps of 200:
33.8-38.0 s on 1 core, 17.4 s on 2 ranks; `spmv` 6.5 ms a call, 9 ns an element.
";

/// The tables of one number of ranks, and the published figures.
pub fn tables(timing: &Timing, setting: &str) -> String {
    let Timing { cells, ranks, steps, rounds, load, triad, .. } = timing;
    let divided = if *ranks == 1 { String::new() } else { format!(" by {}", timing.partitioner) };
    let plural = if *ranks == 1 { "" } else { "s" };
    let mut text = format!("## {ranks} rank{plural}\n\n");
    let _ = writeln!(
        text,
        "{cells} elements{divided}; {rounds} alternating rounds of one Newton step of {steps} conjugate-gradient \
         steps; medians, ratios within the rounds. {setting}, load {load:.1}. Triad a = b + s c: {:.1} GB/s.\n",
        triad / 1e9
    );
    whole(&mut text, timing);
    loops(&mut text, timing);
    text + PUBLISHED
}

/// Whole Newton steps, and each variant against fast mode.
fn whole(text: &mut String, timing: &Timing) {
    let scale = PUBLISHED_STEPS as f64 / timing.steps as f64;
    text.push_str(
        "| variant | ms a CG step | s per 4,000 CG steps | against fast | limit | memory, GB | against fast | colors | \
         schedules, s |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let names = [FAST, REPRODUCIBLE].into_iter().chain(METHODS).chain([FAST_SINGLE, SINGLE, REFERENCE]);
    for name in names {
        let Some(seconds) = timing.whole.get(name) else { continue };
        let time = median(seconds.clone());
        let limit = if name == REPRODUCIBLE { format!("{LIMIT}") } else { String::new() };
        let needs = timing.needs.get(name).map_or(" - | - | - | -".into(), |needs| {
            format!(
                " {:.3} | {:.3} | {} | {:.2}",
                needs.memory as f64 / 1e9,
                needs.memory as f64 / timing.needs[FAST].memory as f64,
                needs.colors.map_or("-".into(), |colors| colors.to_string()),
                needs.schedules
            )
        });
        let _ = writeln!(
            text,
            "| {name} | {:.3} | {:.1} | {:.3} | {limit} |{needs} |",
            1e3 * time / timing.steps as f64,
            scale * time,
            ratio(seconds, &timing.whole[FAST])
        );
    }
    let _ = writeln!(
        text,
        "\nMemory: dats, maps, schedules and increment buffers of all ranks.\n\nSingle-reduction against standard: {:.3} reproducible, {:.3} fast.\n",
        ratio(&timing.whole[SINGLE], &timing.whole[REPRODUCIBLE]),
        ratio(&timing.whole[FAST_SINGLE], &timing.whole[FAST])
    );
}

/// The loops of the reproducible standard form.
fn loops(text: &mut String, timing: &Timing) {
    text.push_str("| loop | calls | ms a call | ns an element | bytes an element | GB/s | share of triad | against fast | against reference |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    let cells = timing.cells as f64;
    let own = timing.loops.iter().filter(|((variant, _), _)| *variant == REPRODUCIBLE);
    for ((_, name), found) in own {
        let time = median(found.seconds.clone());
        let bandwidth = found.bytes / time;
        let against = |variant| match timing.loops.get(&(variant, name.clone())) {
            Some(other) => format!("{:.2}", ratio(&found.seconds, &other.seconds)),
            None => "-".into(),
        };
        let _ = writeln!(
            text,
            "| `{name}` | {} | {:.3} | {:.2} | {:.0} | {:.1} | {:.0} % | {} | {} |",
            found.calls,
            1e3 * time,
            1e9 * time / cells,
            found.bytes / cells,
            bandwidth / 1e9,
            100.0 * bandwidth / timing.triad,
            against(FAST),
            against(REFERENCE)
        );
    }
    text.push_str(
        "\nAn element here is one of the mesh's cells whatever the loop's set. Bytes: every touched row once each way, \
         and the maps; the triad counts 24 an element, without what a store reads first.\n\n",
    );
}

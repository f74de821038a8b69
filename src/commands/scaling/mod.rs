//! `cfd plot --scaling`: runs on several numbers of cores, as a table and a picture with a curve for each method.
//!
//! ```text
//! run          what a summary says of a run, and what makes two runs unlike
//! sweep        runs as curves; which cannot stand in one chart
//! loops        a curve for each loop instead
//! ```
//!
//! With the rate r of a run (its figure of merit, work per unit of time) and the base b, the runs on the fewest cores of
//! those that are alike but for ranks and threads,
//!
//! ```text
//! speedup(p) = b.cores * r(p) / r(b)        efficiency(p) = speedup(p) / p.cores
//! ```
//!
//! This is the usual speedup for one mesh (strong scaling, Amdahl 1967, doi:10.1145/1465482.1465560), and the scaled
//! speedup for meshes that grow with the cores (weak scaling, Gustafson 1988, doi:10.1145/42411.42415).

mod loops;
mod run;
mod sweep;

use std::io::Write;
use std::path::Path;

use cfd_io::write_atomically;

use self::run::Run;
use self::sweep::{Sweep, cores};
use crate::cli::PlotArgs;
use crate::console::Console;
use crate::exit::Error;
use crate::plot::scaling::{Curve, Point, Scale, svg};

/// Draws the runs and writes their medians into `table`.
///
/// # Errors
/// A summary is missing or damaged, has no rate, or belongs to a run that cannot stand in one chart with another, or, loop
/// by loop, has another method.
pub fn plot(args: &PlotArgs, table: &Path) -> Result<(), Error> {
    let runs = args.histories.iter().map(|path| Run::read(path)).collect::<Result<Vec<_>, _>>()?;
    let sweep = Sweep::of(&runs)?;
    for warning in sweep.curves.iter().flat_map(|curve| impossible(curve, sweep.curves.len() > 1)) {
        Console::new(true).warn(format_args!("{warning}"));
    }
    let title = args.title.clone().unwrap_or_else(|| {
        format!(
            "{}: {}scaling",
            sweep.cases.join(", "),
            sweep.kind.map_or(String::new(), |kind| format!("{kind} "))
        )
    });
    write_atomically(table, |file| file.write_all(csv(&sweep).as_bytes()))?;
    let subtitle = subtitle(&runs, &sweep);
    let picture = svg(&title, &subtitle, &sweep.scale, &sweep.curves);
    write_atomically(&args.output, |file| file.write_all(picture.as_bytes()))?;
    if let Some(table) = &args.loops {
        let loops = loops::of(&runs, &sweep)?;
        write_atomically(table, |file| file.write_all(loops::csv(&loops).as_bytes()))?;
        let picture = svg(&format!("{title}, by loop"), &subtitle, &Scale::SpeedUp, &loops::shown(&loops));
        write_atomically(&table.with_extension("svg"), |file| file.write_all(picture.as_bytes()))?;
    }
    Ok(())
}

/// What all runs have in common, how many there are of a point, and the rate of a single method's base.
fn subtitle(runs: &[Run], sweep: &Sweep) -> String {
    let points = || sweep.curves.iter().flat_map(|curve| &curve.points);
    let shared = |name: &str| sweep.properties.iter().all(|property| property != name);
    let mut parts: Vec<&str> = ["mode", "strategy", "backend"]
        .into_iter()
        .filter(|name| shared(name))
        .filter_map(|name| runs[0].property(name))
        .collect();
    let threads = sweep::per_rank(runs[0].threads);
    if runs.iter().all(|run| run.threads == runs[0].threads) {
        parts.push(&threads);
    }
    let common = if parts.is_empty() { String::new() } else { format!("{}; ", parts.join(", ")) };
    let fom = &runs[0].fom;
    let base = match (&sweep.scale, points().min_by_key(|point| (point.cores(), point.threads))) {
        (Scale::SpeedUp, Some(base)) if sweep.properties.is_empty() => {
            format!("; on {} {:.4} {} ({})", cores(base.cores()), base.rate(), fom.unit, fom.name)
        }
        _ => String::new(),
    };
    format!("{common}medians of {} runs{base}", points().map(|point| point.rates.len()).min().unwrap_or(0))
}

/// Efficiency that more cores alone cannot explain: equal runs on a quiet machine vary by up to this much.
const MOST: f64 = 1.05;

/// Warnings about efficiencies that more cores alone cannot give.
fn impossible(curve: &Curve, is_one_of_several: bool) -> Vec<String> {
    let name = if is_one_of_several { format!("{}: ", curve.label) } else { String::new() };
    let warning = |point: &Point| {
        format!(
            "{name}more cores alone cannot give an efficiency of {:.0} % on {}: either the base runs, on the fewest \
             cores, were disturbed (other programs, a processor that slowed down; repeat them), or each core's share \
             of the data fits in its caches and the base's does not",
            100.0 * point.efficiency(),
            cores(point.cores())
        )
    };
    curve.points.iter().filter(|point| point.efficiency() > MOST).map(warning).collect()
}

/// The table of the points, with a column for each property in which curves differ.
fn csv(sweep: &Sweep) -> String {
    let mut csv = String::new();
    for property in &sweep.properties {
        csv += &format!("{},", quoted(property));
    }
    csv += "ranks,threads,cores,runs,rate,lowest,highest,speedup,efficiency\n";
    for (curve, values) in sweep.curves.iter().zip(&sweep.values) {
        let values: String = values.iter().map(|value| format!("{},", quoted(value))).collect();
        for point in &curve.points {
            let (ranks, threads, cores, runs) =
                (point.ranks, point.threads, point.cores(), point.rates.len());
            let (lowest, highest) = point.range();
            let (rate, speedup, efficiency) = (point.rate(), point.speedup, point.efficiency());
            csv += &format!(
                "{values}{ranks},{threads},{cores},{runs},{rate:.6e},{lowest:.6e},{highest:.6e},{speedup:.4},\
                 {efficiency:.4}\n"
            );
        }
    }
    csv
}

/// A value of a table; one with a comma or a quotation mark between quotation marks.
fn quoted(value: &str) -> String {
    match value.contains([',', '"']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.into(),
    }
}

#[cfg(test)]
mod tests;

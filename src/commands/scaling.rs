//! `cfd plot --scaling`: runs of one case on several numbers of cores, as a table and a picture.
//!
//! With the rate r of a run (its figure of merit, work per unit of time) and the base b, the runs on the fewest cores,
//!
//! ```text
//! speed-up(p) = b.cores * r(p) / r(b)        efficiency(p) = speed-up(p) / p.cores
//! ```
//!
//! This is the usual speed-up for one mesh (strong scaling, Amdahl 1967, doi:10.1145/1465482.1465560), and the scaled
//! speed-up for meshes that grow with the cores (weak scaling, Gustafson 1988, doi:10.1145/42411.42415).

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use cfd_engine::given::short;
use cfd_io::{IoError, write_atomically};
use serde::Deserialize;

use crate::cli::PlotArgs;
use crate::console::Console;
use crate::exit::Error;
use crate::plot::scaling::{Point, svg};
use crate::report::summary;

/// The part of `summary.json` that is read.
#[derive(Debug, Deserialize)]
struct Run {
    case: String,
    mesh: Mesh,
    ranks: u64,
    threads: u64,
    fom: Rate,
}

#[derive(Debug, Deserialize)]
struct Mesh {
    hash: String,
}

#[derive(Debug, Deserialize)]
struct Rate {
    name: String,
    unit: String,
    value: f64,
}

/// Draws the runs and writes their medians into `table`.
///
/// # Errors
/// A summary is missing or damaged, has no rate, or belongs to another case than the first.
pub fn plot(args: &PlotArgs, table: &Path) -> Result<(), Error> {
    let runs = args.histories.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let first = &runs[0];
    let one_mesh = runs.iter().all(|run| run.mesh.hash == first.mesh.hash);
    let points = points(&runs);
    for warning in impossible(&points) {
        Console::new(true).warn(format_args!("{warning}"));
    }
    let title = args
        .title
        .clone()
        .unwrap_or_else(|| format!("{}: {} scaling", first.case, if one_mesh { "strong" } else { "weak" }));
    let base = &points[0];
    let cores = if base.cores() == 1 { "core" } else { "cores" };
    let subtitle = format!(
        "medians of {} runs; on {} {cores} {:.4} {} ({})",
        points.iter().map(|point| point.rates.len()).min().unwrap_or(0),
        base.cores(),
        base.rate(),
        first.fom.unit,
        first.fom.name
    );
    write_atomically(table, |file| file.write_all(csv(&points).as_bytes()))?;
    let svg = svg(&title, &subtitle, &points);
    Ok(write_atomically(&args.output, |file| file.write_all(svg.as_bytes()))?)
}

fn read(path: &Path) -> Result<Run, IoError> {
    let file: PathBuf = if path.is_dir() { path.join("summary.json") } else { path.into() };
    let text = summary::read_text(&file).map_err(|e| IoError::read(&file, e))?;
    let run: Run = serde_json::from_str(&text).map_err(|e| {
        IoError::file(&file, format!("this is not the summary of a run: {}", short(&e.to_string())))
    })?;
    if run.fom.value > 0.0 {
        Ok(run)
    } else {
        Err(IoError::file(&file, "the run made no iterations, so it has no rate; give it some"))
    }
}

/// Runs with equal ranks and threads together, by cores, then threads, ascending.
fn points(runs: &[Run]) -> Vec<Point> {
    let mut rates: BTreeMap<(u64, u64), Vec<f64>> = BTreeMap::new();
    for run in runs {
        rates.entry((run.ranks * run.threads, run.threads)).or_default().push(run.fom.value);
    }
    let point = |((cores, threads), rates)| Point::new(cores / threads, threads, rates);
    let mut points: Vec<Point> = rates.into_iter().map(point).collect();
    let base = points.first().map(|base| base.rate() / base.cores() as f64);
    for point in &mut points {
        point.speedup = point.rate() / base.expect("there are points");
    }
    points
}

/// Efficiency that more cores alone cannot explain: equal runs on a quiet machine vary by up to this much.
const MOST: f64 = 1.05;

/// Warnings about efficiencies that more cores alone cannot give.
fn impossible(points: &[Point]) -> Vec<String> {
    let Some(base) = points.first() else { return Vec::new() };
    let counted = |cores: u64| format!("{cores} core{}", if cores == 1 { "" } else { "s" });
    let warning = |point: &Point| {
        let (cores, base) = (counted(point.cores()), counted(base.cores()));
        format!(
            "more cores alone cannot give an efficiency of {:.0} % on {cores}: either the base runs, on {base}, were \
             disturbed (other programs, a processor that slowed down; repeat them), or each core's share of the data \
             fits in its caches and the base's does not",
            100.0 * point.efficiency()
        )
    };
    points.iter().filter(|point| point.efficiency() > MOST).map(warning).collect()
}

/// The table of the points.
fn csv(points: &[Point]) -> String {
    let mut csv = String::from("ranks,threads,cores,runs,rate,lowest,highest,speedup,efficiency\n");
    for point in points {
        let (ranks, threads, cores, runs) = (point.ranks, point.threads, point.cores(), point.rates.len());
        let (lowest, highest) = point.range();
        let (rate, speedup, efficiency) = (point.rate(), point.speedup, point.efficiency());
        csv += &format!(
            "{ranks},{threads},{cores},{runs},{rate:.6e},{lowest:.6e},{highest:.6e},{speedup:.4},{efficiency:.4}\n"
        );
    }
    csv
}

#[cfg(test)]
mod tests {
    use cfd_engine::comm::Comm;

    use super::*;
    use crate::commands::plot::plot;

    /// Draws runs given as (mesh, ranks, threads, rate); the table's rows and the picture.
    fn drawn(runs: &[(&str, u64, u64, f64)]) -> Result<(Vec<String>, String), Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let histories = (0..).zip(runs).map(|(at, (mesh, ranks, threads, rate))| {
            let directory = path(&format!("run{at}"));
            std::fs::create_dir(&directory).unwrap();
            let summary = serde_json::json!({
                "case": "smoke", "mesh": { "hash": mesh, "cells": 7 }, "ranks": ranks, "threads": threads,
                "fom": { "name": "cell-iterations per second", "unit": "million/s", "value": rate },
            });
            std::fs::write(directory.join("summary.json"), summary.to_string()).unwrap();
            directory
        });
        let args = PlotArgs {
            histories: histories.collect(),
            over: None,
            labels: Vec::new(),
            title: None,
            scaling: Some(path("scaling.csv")),
            output: path("scaling.svg"),
        };
        plot(&Comm::single(), &args)?;
        let table = std::fs::read_to_string(path("scaling.csv")).unwrap();
        Ok((
            table.lines().skip(1).map(String::from).collect(),
            std::fs::read_to_string(&args.output).unwrap(),
        ))
    }

    #[test]
    fn speed_up_is_of_medians_against_the_fewest_cores() {
        let runs = [
            ("m", 2, 1, 6.0),
            ("m", 1, 1, 4.0),
            ("m", 1, 2, 7.0),
            ("m", 1, 1, 100.0),
            ("m", 1, 1, 1.0),
            ("m", 2, 1, 10.0),
        ];
        let (rows, svg) = drawn(&runs).unwrap();
        assert_eq!(
            rows,
            [
                "1,1,1,3,4.000000e0,1.000000e0,1.000000e2,1.0000,1.0000",
                "2,1,2,2,8.000000e0,6.000000e0,1.000000e1,2.0000,1.0000",
                "1,2,2,1,7.000000e0,7.000000e0,7.000000e0,1.7500,0.8750",
            ]
        );
        assert!(svg.contains("smoke: strong scaling") && svg.contains("2 threads per rank"));
    }

    #[test]
    fn a_sweep_that_begins_with_several_cores_has_an_ideal_line_through_them() {
        let (rows, svg) = drawn(&[("a", 4, 2, 80.0), ("b", 8, 2, 120.0)]).unwrap();
        assert_eq!(rows[0], "4,2,8,1,8.000000e1,8.000000e1,8.000000e1,8.0000,1.0000");
        assert_eq!(rows[1], "8,2,16,1,1.200000e2,1.200000e2,1.200000e2,12.0000,0.7500");
        assert!(svg.contains("weak scaling") && svg.contains("on 8 cores 80.0000 million/s"));
    }

    #[test]
    fn efficiencies_that_cannot_be_are_warned_of() {
        let point = |ranks, rate: f64, speedup| {
            let mut point = Point::new(ranks, 1, vec![rate]);
            point.speedup = speedup;
            point
        };
        assert!(impossible(&[point(1, 1.0, 1.0), point(2, 2.06, 2.06), point(4, 2.0, 2.0)]).is_empty());
        let warnings = impossible(&[point(1, 1.0, 1.0), point(2, 2.6, 2.6), point(4, 3.0, 3.0)]);
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].starts_with("more cores alone cannot give an efficiency of 130 % on 2 cores"),
            "{warnings:?}"
        );
        assert!(impossible(&[]).is_empty());
    }

    #[test]
    fn summaries_without_a_rate_and_other_files_are_refused() {
        let message = |result: Result<(Vec<String>, String), Error>| result.unwrap_err().to_string();
        assert!(message(drawn(&[("m", 1, 1, 0.0)])).contains("made no iteration"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("summary.json");
        std::fs::write(&file, "{\"case\": \"smoke\"}").unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("not the summary of a run"));
    }
}

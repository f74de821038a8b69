//! The curves, tables and refusals of `cfd plot --scaling`.

use cfd_engine::comm::Comm;
use serde_json::{Value, json};

use super::*;
use crate::commands::plot::plot;

/// A summary with these entries in place of the usual ones; a path such as "mesh.hash" leads into objects.
fn summary(mesh: &str, ranks: u64, threads: u64, rate: f64, others: &[(&str, Value)]) -> Value {
    let mut summary = json!({
        "case": "airfoil", "mesh": { "hash": mesh, "cells": 7000 }, "ranks": ranks, "threads": threads,
        "iterations": 100, "mode": "fast", "strategy": "core", "backend": "cpu", "lanes": 4,
        "fom": { "name": "cell-iterations per second", "unit": "million/s", "value": rate },
        "config": {
            "execution": { "mode": "fast", "threads": threads, "order": "file" },
            "airfoil": { "iterations": 100, "cfl": 0.9 },
        },
    });
    for (path, value) in others {
        let mut keys: Vec<&str> = path.split('.').collect();
        let last = keys.pop().expect("a key");
        let mut table = &mut summary;
        for key in keys {
            table = &mut table[key];
        }
        table[last] = value.clone();
    }
    summary
}

/// Draws runs; the table's rows, the first being its heading, and the picture.
fn drawn(runs: &[Value]) -> Result<(Vec<String>, String), Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let histories = runs.iter().enumerate().map(|(at, run)| {
        let directory = path(&format!("run{at}"));
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(directory.join("summary.json"), run.to_string()).unwrap();
        directory
    });
    let args = PlotArgs {
        histories: histories.collect(),
        over: None,
        labels: Vec::new(),
        title: None,
        scaling: Some(path("scaling.csv")),
        loops: None,
        output: path("scaling.svg"),
    };
    plot(&Comm::single(), &args)?;
    let table = std::fs::read_to_string(path("scaling.csv")).unwrap();
    Ok((table.lines().map(String::from).collect(), std::fs::read_to_string(&args.output).unwrap()))
}

fn refused(runs: &[Value], words: &[&str]) {
    let message = drawn(runs).unwrap_err().to_string();
    for word in words {
        assert!(message.contains(word), "{word}: {message}");
    }
}

const PLAIN: &str = "ranks,threads,cores,runs,rate,lowest,highest,speedup,efficiency";

#[test]
fn speed_up_is_of_medians_against_the_fewest_cores() {
    let run = |ranks, threads, rate| summary("m", ranks, threads, rate, &[]);
    let runs =
        [run(2, 1, 6.0), run(1, 1, 4.0), run(1, 2, 7.0), run(1, 1, 100.0), run(1, 1, 1.0), run(2, 1, 10.0)];
    let (rows, svg) = drawn(&runs).unwrap();
    assert_eq!(
        rows,
        [
            PLAIN,
            "1,1,1,3,4.000000e0,1.000000e0,1.000000e2,1.0000,1.0000",
            "2,1,2,2,8.000000e0,6.000000e0,1.000000e1,2.0000,1.0000",
            "1,2,2,1,7.000000e0,7.000000e0,7.000000e0,1.7500,0.8750",
        ]
    );
    for words in
        ["airfoil: strong scaling", "2 threads per rank", "fast, core, cpu; medians of 1 runs; on 1 core"]
    {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn a_sweep_that_begins_with_several_cores_has_an_ideal_line_through_them() {
    let twice = [("mesh.cells", json!(14_100))];
    let (rows, svg) = drawn(&[summary("a", 4, 2, 80.0, &[]), summary("b", 8, 2, 120.0, &twice)]).unwrap();
    assert_eq!(rows[1], "4,2,8,1,8.000000e1,8.000000e1,8.000000e1,8.0000,1.0000");
    assert_eq!(rows[2], "8,2,16,1,1.200000e2,1.200000e2,1.200000e2,12.0000,0.7500");
    assert!(svg.contains("weak scaling") && svg.contains("on 8 cores 80.0000 million/s"));
    assert!(svg.contains("measured"), "a single curve has nothing to be told from");
}

#[test]
fn each_method_is_a_curve_with_a_base_of_its_own() {
    let regions = [("mode", json!("reproducible")), ("strategy", json!("regions"))];
    let greedy = [("mode", json!("reproducible")), ("strategy", json!("greedy-coloring"))];
    let run = |ranks, rate, others: &[(&str, Value)]| summary("m", ranks, 1, rate, others);
    let runs = [
        run(1, 10.0, &[]),
        run(1, 8.0, &regions),
        run(1, 4.0, &greedy),
        run(2, 20.0, &[]),
        run(2, 16.0, &regions),
        run(2, 6.0, &greedy),
    ];
    let (rows, svg) = drawn(&runs).unwrap();
    assert_eq!(rows[0], format!("mode,strategy,{PLAIN}"));
    assert_eq!(rows[1..3].iter().map(|row| row.split(',').nth(1).unwrap()).collect::<Vec<_>>(), ["core"; 2]);
    assert_eq!(rows[4], "reproducible,regions,2,1,2,1,1.600000e1,1.600000e1,1.600000e1,2.0000,1.0000");
    assert_eq!(
        rows[6],
        "reproducible,greedy-coloring,2,1,2,1,6.000000e0,6.000000e0,6.000000e0,1.5000,0.7500"
    );
    for words in [
        "fast, core\n",
        "reproducible, regions\n",
        "reproducible, greedy-coloring\n",
        "cell-iterations per second (million/s)",
    ] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(svg.contains("cpu, 1 thread per rank; medians of 1 runs\n"), "what all have stands above");
    // Methods differ in markers, of which two have corners, and dashes.
    assert!(svg.contains("<polygon"));
}

#[test]
fn any_key_or_machine_that_differs_makes_another_curve() {
    let (order, slow) = (("config.execution.order", json!("hilbert")), ("config.airfoil.cfl", json!(0.5)));
    let on = |name: &str| ("provenance", json!({ "processor": name }));
    for (others, heading, labels) in [
        (vec![order], "execution.order", ["order file", "order hilbert"]),
        (vec![slow], "airfoil.cfl", ["cfl 0.9", "cfl 0.5"]),
        (vec![("lanes", json!(8))], "lanes", ["lanes 4", "lanes 8"]),
        (vec![on("A, B")], "processor", ["processor unknown", "A, B"]),
    ] {
        let (rows, svg) = drawn(&[summary("m", 1, 1, 1.0, &[]), summary("m", 1, 1, 2.0, &others)]).unwrap();
        assert_eq!((&*rows[0], rows.len()), (&*format!("{heading},{PLAIN}"), 3), "{others:?}");
        assert!(labels.iter().all(|label| svg.contains(&format!("{label}\n"))), "{labels:?}");
        assert!(!svg.contains("core, order") && !svg.contains("core, cfl"), "{labels:?}");
    }
}

#[test]
fn what_only_says_where_files_are_or_how_a_mesh_is_made_makes_none() {
    let others = [
        ("config.execution.kernel_cache", json!("there")),
        ("config.airfoil.iterations", json!(101)),
        ("config.output", json!({ "directory": "there" })),
        ("config.mesh", json!({ "file": "a.h5" })),
    ];
    let (rows, _) = drawn(&[summary("m", 1, 1, 1.0, &[]), summary("m", 1, 1, 2.0, &others)]).unwrap();
    assert_eq!(rows, [PLAIN, "1,1,1,2,1.500000e0,1.000000e0,2.000000e0,1.0000,1.0000"]);
    // LULESH's size makes its mesh.
    let cube = |ranks, size: u64| {
        let own = json!({ "execution": {}, "lulesh": { "size": size, "regions": 11 } });
        let others = [("case", json!("lulesh")), ("mesh.cells", json!(size.pow(3))), ("config", own)];
        summary(&format!("{size}"), ranks, 1, 1.0, &others)
    };
    let (rows, svg) = drawn(&[cube(1, 10), cube(8, 20)]).unwrap();
    assert_eq!((&*rows[0], rows.len()), (PLAIN, 3));
    assert!(svg.contains("lulesh: weak scaling"));
}

#[test]
fn cases_are_curves_of_speed_up_and_keys_of_one_are_no_difference_to_another() {
    let blast = [
        ("case", json!("lulesh")),
        ("iterations", json!(231)),
        ("fom.name", json!("zones per second")),
        ("config", json!({ "execution": { "order": "file" }, "lulesh": { "regions": 11 } })),
    ];
    let runs = [
        summary("a", 1, 1, 10.0, &[]),
        summary("a", 2, 1, 20.0, &[]),
        summary("l", 1, 1, 3.0, &blast),
        summary("l", 2, 1, 6.0, &blast),
    ];
    let (rows, svg) = drawn(&runs).unwrap();
    assert_eq!(rows[0], format!("case,{PLAIN}"));
    assert_eq!(rows[4], "lulesh,2,1,2,1,6.000000e0,6.000000e0,6.000000e0,2.0000,1.0000");
    assert!(svg.contains("airfoil, lulesh: strong scaling") && svg.contains("speedup"));
    assert!(svg.contains("airfoil\n") && svg.contains("lulesh\n") && !svg.contains("zones per second"));
}

#[test]
fn unlike_meshes_and_numbers_of_iterations_are_refused() {
    let run = |mesh, ranks, others: &[(&str, Value)]| summary(mesh, ranks, 1, 1.0, others);
    let fine = [("mesh.cells", json!(28_000))];
    let words = ["on 2 cores they have different meshes", "7,000 and 28,000 elements", "run1", "run2"];
    refused(&[run("a", 1, &[]), run("a", 2, &[]), run("b", 2, &fine)], &words);
    let words =
        ["on 1 core and 2 cores they have different meshes", "neither one mesh nor", "7,000 and 28,000"];
    refused(&[run("a", 1, &[]), run("b", 2, &fine)], &words);
    // A mesh that grows with the cores is one sweep; its strategies have the same meshes.
    let regions = [fine[0].clone(), ("strategy", json!("regions"))];
    assert_eq!(drawn(&[run("a", 1, &[]), run("b", 4, &fine), run("b", 4, &regions)]).unwrap().0.len(), 4);
    let iterations = |number: u64| [("iterations", json!(number))];
    refused(
        &[run("a", 1, &[]), run("a", 2, &iterations(1000))],
        &["these runs of airfoil cannot stand in one chart", "100 and 1,000 iterations on one mesh"],
    );
    assert!(
        drawn(&[run("a", 1, &[]), run("a", 2, &iterations(101))]).is_ok(),
        "rounding decides on the last ones"
    );
}

#[test]
fn efficiencies_that_cannot_be_are_warned_of() {
    let curve = |speedups: &[f64]| Curve {
        label: "core".into(),
        points: (1..)
            .zip(speedups)
            .map(|(ranks, &speedup)| Point { speedup, ..Point::new(ranks, 1, vec![speedup]) })
            .collect(),
    };
    assert!(impossible(&curve(&[1.0, 2.06, 2.9]), false).is_empty());
    let warnings = impossible(&curve(&[1.0, 2.6, 3.0]), false);
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].starts_with("more cores alone cannot give an efficiency of 130 % on 2 cores"),
        "{warnings:?}"
    );
    assert!(impossible(&curve(&[1.0, 2.6]), true)[0].starts_with("core: more cores"));
    assert!(impossible(&curve(&[]), false).is_empty());
}

#[test]
fn summaries_without_a_rate_and_other_files_are_refused() {
    refused(&[summary("m", 1, 1, 0.0, &[])], &["made no iteration"]);
    refused(&[summary("m", 0, 1, 1.0, &[])], &["no ranks"]);
    refused(&[json!({ "case": "airfoil" })], &["not the summary of a run", "missing field"]);
    refused(&[summary("m", 1, 1, 1.0, &[("mesh", json!({}))])], &["its mesh has no hash"]);
}

#[test]
fn each_loop_has_a_curve_of_its_own_by_the_slowest_rank() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let draw = |runs: &[Value]| {
        let write = |(at, run): (usize, &Value)| {
            let file = path(&format!("{at}.json"));
            std::fs::write(&file, run.to_string()).unwrap();
            file
        };
        let args = PlotArgs {
            histories: runs.iter().enumerate().map(write).collect(),
            over: None,
            labels: Vec::new(),
            title: None,
            scaling: Some(path("scaling.csv")),
            loops: Some(path("loops.csv")),
            output: path("scaling.svg"),
        };
        plot(&Comm::single(), &args)
    };
    let cost = |name: &str, elements: u64, max: f64| json!({ "name": name, "elements": elements, "time_s": { "min": 0.0, "mean": 0.5 * max, "max": max } });
    let run = |ranks: u64, flux: f64, update: f64, others: &[(&str, Value)]| {
        let rare = [cost("once", 7, 0.01), cost("never", 0, 0.0)];
        let loops = json!([cost("update", 100, update), cost("flux", 300, flux), rare[0], rare[1]]);
        let others = [&[("loops", loops)], others].concat();
        summary("m", ranks, 1, 10.0 * ranks as f64, &others)
    };
    draw(&[run(1, 3.0, 0.5, &[]), run(2, 1.0, 0.5, &[]), run(2, 2.0, 0.25, &[])]).unwrap();
    let table = std::fs::read_to_string(path("loops.csv")).unwrap();
    assert_eq!(
        table.lines().collect::<Vec<_>>(),
        [
            "loop,ranks,threads,cores,runs,seconds,rate,lowest,highest,speedup,efficiency",
            "flux,1,1,1,1,3.000000,1.000000e2,1.000000e2,1.000000e2,1.0000,1.0000",
            "flux,2,1,2,2,1.333333,2.250000e2,1.500000e2,3.000000e2,2.2500,1.1250",
            "update,1,1,1,1,0.500000,2.000000e2,2.000000e2,2.000000e2,1.0000,1.0000",
            "update,2,1,2,2,0.333333,3.000000e2,2.000000e2,4.000000e2,1.5000,0.7500",
            "once,1,1,1,1,0.010000,7.000000e2,7.000000e2,7.000000e2,1.0000,1.0000",
            "once,2,1,2,2,0.010000,7.000000e2,7.000000e2,7.000000e2,1.0000,0.5000",
        ]
    );
    let svg = std::fs::read_to_string(path("loops.svg")).unwrap();
    assert!(svg.contains("strong scaling, by loop") && svg.contains("flux") && !svg.contains("once"));
    let greedy = [("strategy", json!("greedy-coloring"))];
    let message = draw(&[run(1, 3.0, 0.5, &[]), run(2, 1.0, 0.5, &greedy)]).unwrap_err().to_string();
    assert!(message.contains("--loops") && message.contains("differ in strategy"), "{message}");
}

//! Output during a run, and its time limit.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::launch::{Place, Ranks, last_limit, ways};
use crate::restart::{AIRFOIL, checkpoints, hashes};

fn place() -> Place {
    let place = Place::new();
    place.write("airfoil.toml", AIRFOIL);
    place
}

/// Names of the files in a directory that begin with this.
fn files(place: &Place, directory: &str, beginning: &str) -> Vec<String> {
    let names = std::fs::read_dir(place.path(directory)).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.starts_with(beginning));
    names.sort();
    names
}

#[test]
fn the_history_grows_and_its_last_row_has_all_values_when_a_run_is_stopped() {
    let place = place();
    let endless =
        ["--config", "airfoil.toml", "--iterations", "1000000000", "--set", "output.history_every=3"];
    let mut child = place.child(&endless);
    let text = || std::fs::read_to_string(place.path("out/history.csv")).unwrap_or_default();
    let begin = Instant::now();
    // Two writes: the first is immediate.
    let first = loop {
        let rows = text().lines().count();
        if rows > 1 {
            break rows;
        }
        assert!(child.try_wait().unwrap().is_none() && begin.elapsed() < last_limit());
        std::thread::sleep(Duration::from_millis(5));
    };
    while text().lines().count() <= first {
        assert!(child.try_wait().unwrap().is_none() && begin.elapsed() < last_limit());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(75));
    let text = text();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["iteration", "residual", "lift", "drag", "time_s"]);
    assert!(rows.iter().all(|row| row.len() == 5 && row.iter().all(|field| !field.is_empty())));
    let last = checkpoints(&place, "out").pop().unwrap();
    assert!(last.contains(&format!("{:08}", rows[rows.len() - 1][0].parse::<u64>().unwrap())), "{last}");
    let between = rows[1..rows.len() - 1].iter().map(|row| row[0].parse::<u64>().unwrap());
    assert!(between.eq((1..rows.len() as u64 - 1).map(|row| 3 * row)), "every third iteration");
}

#[test]
fn a_run_that_is_stopped_anywhere_and_continued_has_the_history_of_one_that_was_not() {
    let place = place();
    let every = ["--set", "output.history_every=4", "--set", "output.checkpoint_every=5"];
    let run = |options: &[&str]| {
        place.run(Ranks::Alone, &[&["--config", "airfoil.toml"], &every[..], options].concat()).succeeded();
    };
    run(&["--iterations", "18", "--out", "whole"]);
    run(&["--iterations", "10", "--out", "part"]);
    run(&["--iterations", "18", "--out", "rest", "--restart", "part"]);
    let rows = |directory: &str| {
        let text = place.read(&format!("{directory}/history.csv"));
        text.lines().map(|line| line.rsplit_once(',').unwrap().0.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(rows("rest"), rows("whole"));
    assert_eq!(rows("part").len(), 1 + 3, "iterations 4, 8 and 10");
    // Nothing is left to do, but the numbers are still those of the last iteration.
    run(&["--iterations", "15", "--out", "again", "--restart", "whole/checkpoint-00000015.h5"]);
    run(&["--iterations", "15", "--out", "fifteen"]);
    assert_eq!(place.summary("again")["values"], place.summary("fifteen")["values"]);
    assert_eq!(rows("again"), rows("fifteen"));
}

#[test]
fn a_killed_run_that_is_continued_has_every_row_of_its_probes_once() {
    let place = place();
    // More iterations than are written at once, and checkpoints at iterations without a row.
    let set = ["output.probes=[[0.5,0.0],[1.0,0.5]]", "output.history_every=2", "output.checkpoint_every=7"];
    let set: Vec<&str> = set.into_iter().flat_map(|key| ["--set", key]).collect();
    let with = |options: &[&'static str]| [&["--config", "airfoil.toml"], &set[..], options].concat();
    let mut child = place.child(&with(&["--iterations", "1000000000"]));
    let begin = Instant::now();
    let last = loop {
        let last = checkpoints(&place, "out").pop().unwrap_or_default();
        if last.as_str() >= "checkpoint-00000035.h5" {
            break last;
        }
        assert!(child.try_wait().unwrap().is_none() && begin.elapsed() < last_limit());
        std::thread::sleep(Duration::from_millis(5));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    let done: u64 = last["checkpoint-".len()..].trim_end_matches(".h5").parse().unwrap();
    let all = (done + 20).to_string();
    for (out, restart) in [("out", &["--restart", "out"][..]), ("whole", &[])] {
        let options = [&with(&["--out"])[..], &[out, "--iterations", &all], restart].concat();
        place.run(Ranks::Alone, &options).succeeded();
    }
    assert_eq!(place.read("out/probes.csv"), place.read("whole/probes.csv"));
    assert_eq!(hashes(&place, "out"), hashes(&place, "whole"));
}

#[test]
fn a_run_that_was_killed_after_its_last_iteration_has_nothing_left_to_do() {
    let place = place();
    let probes = ["--set", "output.probes=[[0.5,0.1]]", "--set", "output.history_every=4"];
    let run = |options: &[&str]| {
        place.run(Ranks::Alone, &[&["--config", "airfoil.toml"], &probes[..], options].concat()).succeeded()
    };
    run(&["--iterations", "30", "--out", "long", "--set", "output.history_every=1"]);
    // Between the residuals of iterations 12 and 13 or later, at one that has no row by its number.
    let residuals = place.residuals("long");
    let at = (13..29).find(|&at| at % 4 != 3 && residuals[..at].iter().all(|r| *r > residuals[at])).unwrap();
    let tolerance = format!("airfoil.tolerance={:e}", residuals[at].next_up());
    let ends = ["--iterations", "1000", "--set", &tolerance, "--set", "output.checkpoint_every=1000"];
    run(&[&ends[..], &["--out", "whole"]].concat());
    let last = format!("whole/checkpoint-{:08}.h5", at + 1);
    let ended = run(&[&ends[..], &["--out", "again", "--restart", &last]].concat());
    assert!(ended.stderr.contains("nothing left to do: the checkpoint's residual"), "{ended:#?}");
    for file in ["history.csv", "probes.csv"] {
        assert_eq!(place.read(&format!("again/{file}")), place.read(&format!("whole/{file}")), "{file}");
    }
    assert_eq!(hashes(&place, "again"), hashes(&place, "whole"));
    assert_eq!(place.summary("again")["converged"], true);
    // Continued to a lower tolerance, nothing of the end stays.
    let more = ["--iterations", "25", "--restart", &last, "--out", "more"];
    run(&more);
    run(&["--iterations", "25", "--out", "whole"]);
    assert_eq!(place.read("more/probes.csv"), place.read("whole/probes.csv"));
}

#[test]
fn fields_of_some_iterations_are_written_and_listed_and_change_no_bit() {
    let place = place();
    let run = |ranks: Ranks, options: &[&str]| {
        place.run(ranks, &[&["--config", "airfoil.toml", "--iterations", "20"], options].concat()).succeeded()
    };
    run(Ranks::Alone, &["--out", "plain", "--hash-trace", "20"]);
    for ranks in ways() {
        for every in [1, 7, 20, 21] {
            let out = format!("every{every}");
            let set = format!("output.every={every}");
            let probes = "output.probes=[[0.5,0.1]]";
            let ended = run(ranks, &["--out", &out, "--set", &set, "--set", probes, "--hash-trace", "20"]);
            assert_eq!(hashes(&place, &out), hashes(&place, "plain"), "{every}");
            assert_eq!(place.read(&format!("{out}/trace.csv")), place.read("plain/trace.csv"), "{every}");
            let list = place.read(&format!("{out}/solution.pvd"));
            let suffix = if ranks == Ranks::Alone { "vtu" } else { "pvtu" };
            let steps = (1..=20).filter(|iteration| iteration % every == 0);
            let expected: Vec<String> = steps
                .map(|n| format!("<DataSet timestep=\"{n}\" part=\"0\" file=\"solution-{n}.{suffix}\"/>"))
                .collect();
            let lines: Vec<&str> = list.lines().filter(|line| line.starts_with("<DataSet")).collect();
            assert_eq!(lines, expected);
            for line in lines {
                let file = line.split('"').nth(5).unwrap();
                assert!(place.path(&out).join(file).is_file(), "{file}");
            }
            assert!(ended.stdout.contains("solution.pvd"), "{ended:#?}");
            std::fs::remove_dir_all(place.path(&out)).unwrap();
        }
    }
}

#[test]
fn a_list_of_fields_goes_on_after_a_restart_and_ends_with_the_last_iteration() {
    let place = place();
    let run = |options: &[&str]| {
        let set = ["--set", "output.every=4", "--set", "output.formats=[\"vtu\"]"];
        place.run(Ranks::Alone, &[&["--config", "airfoil.toml"], &set[..], options].concat()).succeeded();
    };
    run(&["--iterations", "10", "--set", "output.checkpoint_every=9"]);
    let steps = |list: &str| {
        let lines = list.lines().filter(|line| line.starts_with("<DataSet"));
        lines.map(|line| line.split('"').nth(5).unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(steps(&place.read("out/solution.pvd")), ["solution-4.vtu", "solution-8.vtu", "solution.vtu"]);
    run(&["--iterations", "14", "--restart", "out/checkpoint-00000009.h5"]);
    let all = ["solution-4.vtu", "solution-8.vtu", "solution-12.vtu", "solution.vtu"];
    assert_eq!(steps(&place.read("out/solution.pvd")), all);
    assert_eq!(files(&place, "out", "solution"), {
        let mut names = [&all[..], &["solution.pvd"]].concat();
        names.sort();
        names
    });
}

#[test]
fn probes_have_the_values_of_the_nearest_elements_and_the_same_bits_on_any_ranks() {
    let place = place();
    // Between two cells at the same distance, on the wall, far away.
    let probes = "output.probes=[[0.5,0.0],[1.0,0.0],[-100.0,3.0]]";
    let every = ["--set", probes, "--set", "output.history_every=3"];
    let mut texts = Vec::new();
    for ranks in ways() {
        let options = ["--config", "airfoil.toml", "--iterations", "10", "--partitioner", "random"];
        place.run(ranks, &[&options[..], &every].concat()).succeeded();
        texts.push(place.read("out/probes.csv"));
    }
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:#?}");
    let rows: Vec<Vec<&str>> = texts[0].lines().map(|line| line.split(',').collect()).collect();
    let begin =
        ["iteration", "probe", "x", "y", "cells", "q.density", "q.momentum_x", "q.momentum_y", "q.energy"];
    assert_eq!(rows[0][..9], begin);
    let iterations: Vec<&str> = rows[1..].iter().map(|row| row[0]).collect();
    assert_eq!(iterations, ["3", "3", "3", "6", "6", "6", "9", "9", "9", "10", "10", "10"]);
    let comm = cfd_engine::comm::Comm::single();
    let field = cfd_io::read_field(&comm, &place.path("out/solution.h5"), "q").unwrap();
    for row in &rows[10..] {
        let cell: usize = row[4].parse().unwrap();
        let values: Vec<f64> = row[5..9].iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(values, field.block.values()[4 * cell..4 * cell + 4], "{row:?}");
    }
    // Continued from iteration 5, of which no row stays.
    let first = ["--config", "airfoil.toml", "--iterations", "5", "--out", "part"];
    let saved = ["--set", "output.checkpoint_every=5"];
    place.run(Ranks::Alone, &[&first[..], &every, &saved].concat()).succeeded();
    assert!(place.read("part/probes.csv").contains("\n5,0,"));
    for (ranks, out) in ways().into_iter().zip(["rest", "part"]) {
        let more = ["--config", "airfoil.toml", "--iterations", "10", "--restart", "part", "--out", out];
        let ended = place.run(ranks, &[&more[..], &every].concat()).succeeded();
        assert_eq!(place.read(&format!("{out}/probes.csv")), texts[0], "{ended:#?}");
    }
    // Other points: a new file, and a message about it.
    let other = ["--set", "output.probes=[[0.25,0.0]]", "--set", "output.checkpoint_every=5"];
    place.run(Ranks::Alone, &[&first[..], &every, &saved].concat()).succeeded();
    let more = ["--config", "airfoil.toml", "--iterations", "10", "--restart", "part", "--out", "other"];
    let ended = place.run(Ranks::Alone, &[&more[..], &other].concat()).succeeded();
    assert!(ended.stderr.contains("probes.csv begins after iteration 5"), "{ended:#?}");
    assert_eq!(place.read("other/probes.csv").lines().count(), 1 + 5);
}

#[test]
fn probes_follow_moving_nodes_and_look_for_elements_of_new_meshes() {
    let place = Place::new();
    place.write("lulesh.toml", "case = \"lulesh\"\nlulesh.size = 4\n");
    place.write(
        "adaptation.toml",
        "case = \"adaptation\"\nmesh.generate.size = [6, 6]\nadaptation.eta = 0.1\n",
    );
    let probes = |points: &str| format!("output.probes={points}");
    for (config, points, set) in
        [("lulesh.toml", "[[0,0,0],[0.6,0.6,0.6]]", "elems"), ("adaptation.toml", "[[0.2,0.7]]", "elements")]
    {
        let mut texts = Vec::new();
        for ranks in ways() {
            place
                .run(ranks, &["--config", config, "--set", &probes(points), "--iterations", "3"])
                .succeeded();
            texts.push(place.read("out/probes.csv"));
        }
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:#?}");
        assert!(texts[0].lines().next().unwrap().split(',').any(|name| name == set), "{}", texts[0]);
    }
    let wrong = ["--config", "lulesh.toml", "--set", "output.probes=[[0,0,0],[0.5,0.5]]"];
    place.run(Ranks::Alone, &wrong).refused(2, &["output.probes", "point 2 has 2 coordinates"]);
    let wrong = ["--config", "lulesh.toml", "--set", "output.probes=[[0]]"];
    place.run(Ranks::Alone, &wrong).refused(2, &["output.probes", "lists of two or three finite numbers"]);
}

#[test]
fn a_run_that_has_no_more_time_writes_a_checkpoint_and_ends_with_code_75() {
    let place = place();
    for ranks in ways() {
        let out = format!("{ranks:?}");
        let args = ["--config", "airfoil.toml", "--out", &out, "--set", "output.history_every=1000"];
        let ended = place
            .run(ranks, &[&args[..], &["--iterations", "1000000000", "--time-limit", "0:00:02"]].concat());
        assert_eq!(ended.code, 75, "{ended:#?}");
        assert!(ended.stderr.contains("stopped by its time limit"), "{ended:#?}");
        if ended.stderr.contains("nothing to save yet") {
            continue; // A machine so busy that two seconds are none.
        }
        let last = checkpoints(&place, &out).pop().unwrap();
        assert!(ended.stderr.contains(&format!("continue with --restart {out}/{last}")), "{ended:#?}");
        let done: u64 = last["checkpoint-".len()..].trim_end_matches(".h5").parse().unwrap();
        let history = place.read(&format!("{out}/history.csv"));
        assert_eq!(history.lines().last().unwrap().split(',').next().unwrap(), done.to_string());
        let more = (done + 2).to_string();
        place.run(ranks, &[&args[..], &["--iterations", &more, "--restart", &out]].concat()).succeeded();
        place
            .run(Ranks::Alone, &["--config", "airfoil.toml", "--iterations", &more, "--out", "whole"])
            .succeeded();
        assert_eq!(hashes(&place, &out), hashes(&place, "whole"));
    }
    for wrong in ["5", "0:05", "1:00:99", "soon"] {
        let ended = place.run(Ranks::Alone, &["--config", "airfoil.toml", "--time-limit", wrong]);
        ended.refused(2, &["--time-limit", "H:MM:SS"]);
    }
}

#[test]
fn a_run_that_diverges_leaves_the_probes_of_all_iterations_before() {
    let place = place();
    let set = ["--set", "airfoil.cfl=50", "--set", "output.probes=[[0.5,0.1]]", "--iterations", "500"];
    place
        .run(Ranks::Alone, &[&["--config", "airfoil.toml"], &set[..]].concat())
        .refused(3, &["in iteration "]);
    let iterations = |file: &str| {
        let text = place.read(file);
        text.lines().skip(1).map(|line| line.split(',').next().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(iterations("out/probes.csv"), iterations("out/history.csv"));
    assert!(!place.path("out/summary.json").exists());
}

//! `cfd repro`: many runs, their comparison, its exit code.

use crate::launch::{Ended, Place, Ranks};

const CONFIG: &str =
    "case = \"airfoil\"\nmesh.generate = { size = [12, 10], decimals = 6 }\nairfoil.iterations = 15\n";

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", CONFIG);
    place
}

fn repro(place: &Place, options: &[&str]) -> Ended {
    let args: Vec<&str> = ["repro", "--config", "c.toml"].iter().chain(options).copied().collect();
    place.run(Ranks::Alone, &args)
}

/// The JSON of a repro.
fn json(ended: &Ended) -> serde_json::Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"))
}

#[cfg(feature = "mpi")]
#[test]
fn one_hash_a_class_over_ranks_threads_partitioners_and_strategies() {
    let place = place();
    let cube =
        ["--ranks", "1,2,5", "--threads", "1,3", "--partitioner", "rcb,random", "--seed", "1", "--strategy"];
    let ended = repro(&place, &[&cube[..], &["regions,distributed-coloring"]].concat()).succeeded();
    let rows: Vec<Vec<&str>> = ended
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("ranks "))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 3 * 2 * 2 * 2, "{ended:#?}");
    assert_eq!(rows[0][..6], ["1", "1", "rcb", "1", "regions", "sequential"]);
    assert_eq!(rows[23][..6], ["5", "3", "random", "1", "distributed-coloring", "distributed"]);
    for class in ["sequential", "distributed"] {
        let mut hashes: Vec<_> = rows.iter().filter(|row| row[5] == class).map(|row| &row[6..8]).collect();
        assert_eq!(hashes.len(), 12);
        hashes.dedup();
        assert_eq!(hashes.len(), 1, "{class}: {ended:#?}");
    }
    assert!(ended.stdout.contains("verdict            equal within each class"), "{ended:#?}");
    assert!(!place.path("out").exists(), "the runs write elsewhere");
}

#[cfg(feature = "mpi")]
#[test]
fn runs_that_differ_end_with_code_4_and_the_first_pair() {
    let place = place();
    let options = ["--mode", "fast", "--strategy", "core", "--partitioner", "rcb", "--iterations", "20"];
    let ended = repro(&place, &[&options[..], &["--ranks", "1,3"]].concat());
    ended.refused(4, &["1 rank by rcb", "3 ranks by rcb", "solution", "blake3:"]);
    assert!(ended.stdout.contains("DIFFERENT"), "{ended:#?}");
    // The guarantee of fast mode: the same number of ranks gives the same bits.
    repro(&place, &[&options[..], &["--ranks", "3,3"]].concat()).succeeded();

    let ended = repro(&place, &[&options[..], &["--ranks", "3,3,1", "--json"]].concat());
    ended.refused(4, &["1 rank by rcb"]);
    let report = json(&ended);
    assert_eq!(report["equal"], false);
    assert_eq!(report["first_difference"]["runs"], serde_json::json!([0, 2]));
    assert_eq!(report["runs"][0]["class"], "none");
}

#[cfg(feature = "mpi")]
#[test]
fn a_run_that_fails_gives_its_error_and_its_exit_code() {
    let place = place();
    let ended = repro(&place, &["--ranks", "2", "--set", "airfoil.cfl=50", "--iterations", "500"]);
    ended.refused(3, &["error: 2 ranks: ", "of cells at ("]);
    repro(&place, &["--ranks", "1,2", "--set", "airfoil.clf=1"])
        .refused(2, &["1 rank: ", "did you mean \"cfl\"?"]);
    repro(&place, &["--ranks", "1", "--strategy", "core"])
        .refused(2, &["strategy core: ", "is not reproducible"]);
    place.write("file", "");
    repro(&place, &["--ranks", "1", "--out", "file"]).refused(2, &["cannot write into the output directory"]);
}

#[cfg(feature = "mpi")]
#[test]
fn it_says_before_it_starts_what_is_ahead_and_that_ranks_share_a_machine() {
    let place = place();
    // A launcher that starts one rank, however many it is asked for.
    place.write(
        "launcher",
        "#!/bin/sh\ntest \"$1\" = --version && exec mpirun --version\nwhile test $1 != run; do program=$1; shift; done\n\
         exec $program \"$@\"\n",
    );
    let script = "chmod +x launcher; $CFD repro --config c.toml --mpirun ./launcher --ranks";
    let ended = place.script(&format!("{script} 1,1000000")).succeeded();
    assert!(ended.stdout.contains("repro, c.toml, 2 runs on up to 1000000 ranks\n"), "{ended:#?}");
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert!(lines[0].starts_with("warning: 1000000 ranks share "), "{ended:#?}");
    assert!(lines[1].starts_with("warning: 1000000 ranks of "), "{ended:#?}");
    assert!(lines[2].starts_with("the first run took ") && lines[2].contains("; 1 more run may take about "));
    let ended = place.script(&format!("{script} 1,2 --json")).succeeded();
    assert_eq!((ended.stderr.as_str(), &json(&ended)["equal"]), ("", &true.into()));
}

#[cfg(feature = "mpi")]
#[test]
fn it_is_refused_under_a_launcher_and_with_another_ones() {
    let place = place();
    let ended = place.run(Ranks::Launched(2), &["repro", "--config", "c.toml", "--ranks", "1"]);
    ended.refused(2, &["run it without mpirun"]);
    for program in ["true", "no-such-launcher"] {
        repro(&place, &["--ranks", "1", "--mpirun", program]).refused(1, &[program, "--mpirun"]);
    }
}

#[test]
fn runs_are_kept_where_asked_and_reported_as_json() {
    let place = place();
    let ended = repro(&place, &["--ranks", "1", "--seed", "4,5", "--out", "kept", "--json"]).succeeded();
    let report = json(&ended);
    assert_eq!(report["equal"], true);
    assert_eq!(report["first_difference"], serde_json::Value::Null);
    assert_eq!(report["classes"][0]["class"], "sequential");
    assert_eq!(report["classes"][0]["runs"], 2);
    for (run, seed) in [(0, 4), (1, 5)] {
        let directory = format!("kept/seed-{seed}-ranks-1");
        assert!(place.path(&directory).join("solution.h5").is_file());
        let summary = place.summary(&directory);
        assert_eq!(summary["seed"], seed);
        assert_eq!(report["runs"][run]["solution"], summary["hash"]["solution"]);
        assert_eq!(report["runs"][run]["history"], summary["history_hash"]);
        assert_eq!(report["runs"][run]["time_s"], summary["time"]["total_s"]);
    }
}

#[cfg(not(feature = "mpi"))]
#[test]
fn without_mpi_more_than_one_rank_is_refused() {
    let place = place();
    repro(&place, &["--ranks", "1,2"]).refused(2, &["--ranks 2: ", "built without MPI"]);
    repro(&place, &["--ranks", "1,1"]).succeeded();
}

#[test]
fn a_page_has_the_table_where_it_is_asked_for_and_beside_kept_runs() {
    let place = place();
    repro(&place, &["--ranks", "1", "--seed", "4,5", "--out", "kept", "--report", "page.html"]).succeeded();
    let page = place.read("page.html");
    for words in ["<!DOCTYPE html>", "verdict good", "equal within each class", "solution hashes", "metis"] {
        assert!(page.contains(words), "{words}");
    }
    assert_eq!(page, place.read("kept/report.html"));
    assert!(!page.contains("http:") && !page.contains("https:"));
}

#[cfg(feature = "mpi")]
#[test]
fn other_builds_run_in_all_combinations_and_are_named() {
    let place = place();
    for directory in ["gcc", "clang"] {
        std::fs::create_dir(place.path(directory)).expect("a directory");
    }
    let script =
        "ln -s $CFD gcc/cfd; ln -s $CFD clang/cfd; ln -s $CFD cfd-other; $CFD repro --config c.toml --ranks";
    let ended =
        place.script(&format!("{script} 1,2 --binaries gcc/cfd,clang/cfd,cfd-other --json")).succeeded();
    let report = json(&ended);
    let runs = report["runs"].as_array().expect("runs");
    let names: Vec<_> =
        runs.iter().map(|run| (run["binary"].as_str().unwrap_or(""), run["ranks"].as_u64())).collect();
    let one_and_two = |name| [(name, Some(1)), (name, Some(2))];
    assert_eq!(names, [one_and_two("build 1"), one_and_two("build 2"), one_and_two("cfd-other")].concat());
    assert_eq!(report["equal"], true);
    let ended = repro(&place, &["--ranks", "1", "--binaries", "cfd-other"]).succeeded();
    assert!(
        ended.stdout.contains("launcher     cfd-other by ") && ended.stdout.contains("time s  build"),
        "{ended:#?}"
    );
    repro(&place, &["--ranks", "1", "--binaries", "c.toml"]).refused(2, &["--binaries c.toml"]);
    repro(&place, &["--ranks", "1", "--binaries", "/bin/true"]).refused(2, &["this is not a build of cfd"]);
}

#[cfg(feature = "mpi")]
#[test]
fn a_difference_of_fast_mode_is_no_surprise() {
    let place = place();
    let options = ["--mode", "fast", "--strategy", "core", "--partitioner", "rcb", "--iterations", "20"];
    let ended = repro(&place, &[&options[..], &["--ranks", "1,3"]].concat());
    ended.refused(4, &["1 rank by rcb"]);
    assert!(ended.stdout.contains("differences are expected; --mode reproducible"), "{ended:#?}");
}

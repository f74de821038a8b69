//! Runs with known results, and where their time goes.

use crate::launch::{Place, Ranks, ways};

#[test]
fn a_benchmark_is_called_by_its_name_and_checks_itself_on_any_ranks() {
    let place = Place::new();
    for ranks in ways() {
        for options in [&["--partitioner", "random"][..], &["--mode", "fast"]] {
            let args = [
                "--config",
                "airfoil-small",
                "--threads",
                "1",
                "--set",
                "output.pictures=false",
                "--out",
                "out",
            ];
            let ended = place.run(ranks, &[&args[..], options].concat()).succeeded();
            assert!(ended.stdout.contains("reference matched (airfoil-small"), "{ended:#?}");
            let reference = &place.summary("out")["reference"];
            assert_eq!((&reference["name"], &reference["matched"]), (&"airfoil-small".into(), &true.into()));
        }
        let args = ["--config", "airfoil-small", "--threads", "1", "--iterations", "2", "--out", "out"];
        let ended = place.run(ranks, &args).succeeded();
        assert!(!ended.stdout.contains("reference"), "another run: {ended:#?}");
        assert!(place.summary("out").get("reference").is_none());
    }
    // A file of that name takes precedence over the benchmark.
    place.write("heat", "case = \"heat\"\nmesh.generate.size = [4, 4]\nheat.iterations = 1\n");
    place.run(Ranks::Alone, &["--config", "heat", "--out", "own"]).succeeded();
    assert_eq!(place.summary("own")["mesh"]["cells"], 48);
    place.run(Ranks::Alone, &["--config", "airfoil-huge"]).refused(2, &["airfoil-huge", "No such file"]);
}

#[test]
fn the_benchmarks_are_listed() {
    let place = Place::new();
    let list = place.run(Ranks::Alone, &["info", "--benchmarks"]).succeeded().stdout;
    let names: Vec<&str> = list.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    let known: Vec<&str> = cfd::references::known().iter().map(|reference| reference.name.as_str()).collect();
    assert_eq!(names, known);
    assert!(list.lines().all(|line| line.len() <= 120), "{list}");
}

#[test]
fn a_profile_is_a_tree_whose_times_add_up() {
    let place = Place::new();
    place.write("c.toml", "case = \"airfoil\"\nmesh.generate.size = [10, 8]\nairfoil.iterations = 5\n");
    for ranks in ways() {
        place.run(ranks, &["--config", "c.toml", "--set", "output.profile=true"]).succeeded();
        let text = place.read("out/profile.json");
        let roots: Vec<serde_json::Value> = serde_json::from_str(&text).expect("JSON");
        let names = |node: &serde_json::Value| -> Vec<String> {
            let children = node["children"].as_array().expect("children").iter();
            children.map(|child| child["frame"]["name"].as_str().expect("a name").to_string()).collect()
        };
        assert_eq!(roots.len(), 1);
        assert_eq!(names(&roots[0]), ["set-up", "iterations", "output"]);
        let iterations = &roots[0]["children"][1];
        assert!(names(iterations).contains(&"res_calc".to_string()), "{iterations}");
        let summary = place.summary("out");
        assert_eq!(iterations["metrics"]["time (inc)"], summary["time"]["solve_s"]);
        assert_eq!(roots[0]["metrics"]["time (inc)"], summary["time"]["total_s"]);
    }
}

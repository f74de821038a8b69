//! `cfd compare --growth` and `cfd plot`: how two runs differ from checkpoint to checkpoint.

use crate::launch::{Ended, Place, Ranks, ways};

/// Runs with a checkpoint every 5 iterations.
fn place() -> Place {
    let place = Place::new();
    let airfoil = "case = \"airfoil\"\nmesh.generate = { size = [20, 30], decimals = 6 }\n\
                   airfoil.iterations = 15\noutput.checkpoint_every = 5\noutput.checkpoint_keep = 9\n";
    place.write("c.toml", airfoil);
    place
}

fn run(place: &Place, ranks: Ranks, out: &str, more: &[&str]) {
    let args = ["--config", "c.toml", "--threads", "1", "--out", out];
    place.run(ranks, &[&args, more].concat()).succeeded();
}

fn compare(place: &Place, a: &str, b: &str, more: &[&str]) -> Ended {
    place.run(Ranks::Alone, &[&["compare", a, b], more].concat())
}

/// The columns of a table's rows, without its heading.
fn rows(place: &Place, name: &str) -> Vec<Vec<String>> {
    let text = place.read(name);
    text.lines().skip(1).map(|row| row.split(',').map(String::from).collect()).collect()
}

#[test]
fn differences_are_measured_at_each_common_checkpoint_and_are_zero_on_any_ranks() {
    let place = place();
    run(&place, Ranks::Alone, "one", &[]);
    run(&place, *ways().last().expect("a way"), "ranks", &[]);
    // Another order of increments, as other ranks have in fast mode.
    run(&place, Ranks::Alone, "colors", &["--strategy", "greedy-coloring"]);

    let equal = compare(&place, "one", "ranks", &["--growth", "equal.csv"]).succeeded();
    assert!(equal.stdout.contains("verdict: EQUAL, all bits are the same"), "{equal:#?}");
    for (row, iteration) in rows(&place, "equal.csv").iter().zip(["5", "10", "15"]) {
        assert_eq!(row[..5], [iteration, "q", "7200", "0", "0"], "{row:?}");
        assert!(row[5..].iter().all(|figure| figure == "0e0"), "{row:?}");
    }

    let fast = compare(&place, "one", "colors", &["--growth", "fast.csv", "--plot", "fast.svg"]);
    fast.refused(4, &["one and colors differ", "of 7200 values of field q after iteration 5"]);
    assert!(fast.stdout.contains("verdict: DIFFERENT"), "{fast:#?}");
    let differing = rows(&place, "fast.csv");
    assert_eq!(differing.len(), 3);
    for row in &differing {
        let figures: Vec<f64> = row[5..].iter().map(|figure| figure.parse().expect("a number")).collect();
        let [largest, mean, relative, mean_relative, scaled] = figures[..] else { panic!("{row:?}") };
        assert!(0.0 < mean && mean < largest && largest < 1e-8, "{row:?}");
        assert!(0.0 < mean_relative && mean_relative < relative && scaled <= relative, "{row:?}");
    }
    let json = compare(&place, "one", "colors", &["--growth", "fast.csv", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON and nothing else");
    assert_eq!((&json["steps"][2]["iteration"], &json["steps"][2]["field"]), (&15.into(), &"q".into()));

    let args = ["plot", "fast.csv", "equal.csv", "--labels", "fast,equal", "--title", "t", "-o", "both.svg"];
    place.run(Ranks::Alone, &args).succeeded();
    let both = place.read("both.svg");
    for words in ["\nfast\n", "\nequal\n", "iteration", "values with different bits", "\n0\n"] {
        assert!(both.contains(words), "{words}");
    }
    assert!(place.read("fast.svg").contains("one against colors"));
}

#[test]
fn what_has_no_common_checkpoints_or_is_no_such_table_is_refused() {
    let place = place();
    let without = ["--set", "output.checkpoint_every=0", "--iterations", "1"];
    run(&place, Ranks::Alone, "one", &["--set", "output.pictures=false"]);
    run(&place, Ranks::Alone, "without", &without);
    run(&place, Ranks::Alone, "every-4", &["--set", "output.checkpoint_every=4", "--iterations", "8"]);
    run(&place, Ranks::Alone, "other-mesh", &["--set", "mesh.generate.size=[8, 6]"]);
    let growth = ["--growth", "new.csv"];
    let common = "they have no checkpoint after the same iteration";
    for (other, words) in [
        (
            "without",
            &[common, "those of A are after 5, 10, 15, those of B after none", "checkpoint_keep"][..],
        ),
        ("every-4", &[common, "those of B after 4, 8"]),
        ("other-mesh", &["checkpoint-00000005.h5", "one has the mesh blake3:"]),
        ("nowhere", &["nowhere", "No such file"]),
    ] {
        compare(&place, "one", other, &growth).refused(2, words);
    }
    assert!(!place.path("new.csv").exists());
    std::fs::copy(place.path("one/checkpoint-00000005.h5"), place.path("one/checkpoint-00000005-00aa.h5"))
        .expect("a second lineage");
    compare(&place, "one", "one", &growth).refused(2, &["two checkpoints after iteration 5", "00aa"]);
    compare(&place, "one", "one", &["--growth", "new.csv", "--rtol", "1e-9"]).refused(2, &["--rtol"]);

    std::fs::remove_file(place.path("one/checkpoint-00000005-00aa.h5")).expect("it was there");
    std::fs::remove_file(place.path("every-4/checkpoint-00000004.h5")).expect("it was there");
    compare(&place, "one", "one", &growth).succeeded();
    let plot =
        |args: &[&str]| place.run(Ranks::Alone, &[&["plot", "-o", "new.svg", "new.csv"], args].concat());
    plot(&[]).succeeded();
    plot(&["one"]).refused(2, &["new.csv and one/history.csv", "draw them separately"]);
    plot(&["--over", "work"]).refused(2, &["--over", "over iterations"]);
}

//! `partition.weights`: measured, printed, kept in a file that gives the same partition again.

use crate::launch::{Ended, Place, Ranks};

const CONFIG: &str = "case = \"airfoil\"\nmesh.generate = { size = [20, 16], decimals = 6 }\n\
                      airfoil.iterations = 6\noutput.checkpoint_every = 4\noutput.pictures = false\n";

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", CONFIG);
    place
}

fn run(place: &Place, out: &str, weights: &str, more: &[&str]) -> Ended {
    let weights = format!("partition.weights=\"{weights}\"");
    let args = ["--config", "c.toml", "--out", out, "--set", &weights];
    let args: Vec<&str> = args.iter().chain(more).copied().collect();
    place.run(Ranks::Launched(3), &args)
}

/// The line of stdout that begins with a word.
fn line<'a>(ended: &'a Ended, word: &str) -> &'a str {
    let found = ended.stdout.lines().find(|line| line.starts_with(word));
    found.unwrap_or_else(|| panic!("no line {word} in {ended:#?}"))
}

/// Columns of the loop table that count: the loop's name and its calls.
fn calls(place: &Place, out: &str) -> Vec<String> {
    let text = place.read(&format!("{out}/loops.csv"));
    text.lines().map(|line| line.split(',').take(2).collect::<Vec<_>>().join(",")).collect()
}

#[test]
fn measured_weights_leave_no_trace_but_their_file_and_the_partition() {
    let place = place();
    let plain = run(&place, "plain", "none", &[]).succeeded();
    assert!(!plain.stdout.contains("weights"), "{plain:#?}");
    let measured = run(&place, "measured", "measured", &["--partitioner", "hilbert"]).succeeded();
    let said = line(&measured, "weights");
    for words in ["measured in ", "bedges ", "cells ", "edges ", "ns per element", "of the mean speed"] {
        assert!(said.contains(words), "{words} in {said}");
    }
    assert!(measured.stdout.contains("measured/weights.toml"), "{measured:#?}");
    let (a, b) = (place.summary("plain"), place.summary("measured"));
    for key in ["hash", "history_hash", "iterations", "residual"] {
        assert!(!a[key].is_null(), "{key}");
        assert_eq!(a[key], b[key], "{key}");
    }
    assert_eq!(place.residuals("plain").len(), place.residuals("measured").len());
    assert_eq!(calls(&place, "plain"), calls(&place, "measured"), "the steps measured are not counted");
    let checkpoints = |out: &str| {
        let names = std::fs::read_dir(place.path(out)).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("checkpoint")).count()
    };
    assert_eq!(checkpoints("plain"), checkpoints("measured"));

    let fast = run(&place, "fast", "measured", &["--mode", "fast"]).succeeded();
    assert!(line(&fast, "guarantee").contains("none: the bits may differ from run to run"), "{fast:#?}");

    let again = run(&place, "again", "file:measured/weights.toml", &["--partitioner", "hilbert"]).succeeded();
    assert_eq!(line(&measured, "partition"), line(&again, "partition"), "the file reproduces the partition");
    assert_eq!(b["halo"], place.summary("again")["halo"]);
}

#[test]
fn a_rank_that_is_said_to_be_faster_gets_more() {
    let place = place();
    place.write("w.toml", "speeds = [1000, 1000, 4000]\n[costs]\ncells = 10\nedges = 10\n");
    let methods = ["metis", "rcb", "hilbert", "block", "random"];
    let scotch = cfd_partition::partitioner::library_found().is_ok().then_some("pt-scotch");
    for method in methods.into_iter().chain(scotch) {
        let ended = run(&place, "o", "file:w.toml", &["--partitioner", method]).succeeded();
        let said = line(&ended, "partition");
        let imbalance: f64 = said.rsplit(' ').next().unwrap().parse().unwrap();
        assert!((1.9..2.1).contains(&imbalance), "two thirds are twice the mean: {said}");
    }
}

#[test]
fn where_there_is_nothing_to_weigh_it_is_said() {
    let place = place();
    let measured = ["--config", "c.toml", "--set", "partition.weights=\"measured\""];
    let alone = place.run(Ranks::Alone, &measured).succeeded();
    assert!(line(&alone, "weights").contains("one rank has all elements"), "{alone:#?}");
    let dry = place.run(Ranks::Launched(3), &[&measured[..], &["--dry-run"]].concat()).succeeded();
    assert!(line(&dry, "weights").contains("not measured in a dry run"), "{dry:#?}");
}

#[test]
fn wrong_weights_are_refused_with_what_would_be_right() {
    let place = place();
    place.write("two.toml", "speeds = [1, 1]\n[costs]\n");
    place.write("word.toml", "speeds = [1, 1, 1]\n[costs]\ncells = \"much\"\n");
    place.write("set.toml", "speeds = [1, 1, 1]\n[costs]\ncell = 3\n");
    place.write("parts.txt", "0\n".repeat(960));
    let refused = |weights: &str, more: &[&str], words: &[&str]| {
        run(&place, "o", weights, more).refused(2, words);
    };
    refused("file:two.toml", &[], &["2 speeds, one per part, but there are 3 parts"]);
    refused("file:word.toml", &[], &["word.toml: line 3: ", "expected u32", "docs/partition.md"]);
    refused("file:set.toml", &[], &["cost of \"cell\"", "nodes, edges, bedges, cells"]);
    refused("file:none.toml", &[], &["none.toml: "]);
    refused("measured", &["--partitioner", "file:parts.txt"], &["fixes where each element goes"]);
    refused("much", &[], &["partition.weights must be \"none\", \"measured\" or \"file:PATH\""]);
}

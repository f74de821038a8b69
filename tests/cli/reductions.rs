//! `cfd reductions`: files, tables, refusals.

use cfd_engine::comm::Comm;
use cfd_io::{Field, write_solution};

use crate::launch::{Ended, Place, Ranks, ways};

/// Small, but complete.
const SMALL: [&str; 10] =
    ["--ranks", "8,12", "--sets", "40", "--nodes", "2,4", "--variants", "20", "--elements", "1,2048"];

fn run(place: &Place, ranks: Ranks, args: &[&str]) -> Ended {
    place.run(ranks, &[&["reductions", "-o", "study"], args].concat())
}

/// The rows of the table about `what`, each by the names of the columns.
fn rows(place: &Place, what: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let table = place.read("study/reductions.csv");
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().expect("a heading").split(',').collect();
    let mut found = Vec::new();
    for line in lines {
        let texts: Vec<&str> = line.split(',').collect();
        assert_eq!(texts.len(), names.len(), "{line}");
        let row = names.iter().zip(texts).map(|(name, text)| (name.to_string(), text.to_string()));
        found.extend(
            [row.collect()].into_iter().filter(|row: &std::collections::BTreeMap<_, _>| row["what"] == what),
        );
    }
    found
}

#[test]
fn the_study_leaves_a_table_a_picture_and_nothing_else() {
    let place = Place::new();
    let ended = run(&place, Ranks::Alone, &SMALL).succeeded();
    for text in [
        "8 ranks",
        "12 ranks",
        "linear",
        "node-aware-reduce",
        "random 4",
        "time on a torus",
        "reductions.svg",
    ] {
        assert!(ended.stdout.contains(text), "{text}: {ended:#?}");
    }
    assert!(ended.stdout.contains("only simulates"), "{ended:#?}");
    let mut names: Vec<String> = std::fs::read_dir(place.path("study"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["reductions.csv", "reductions.svg"]);
    assert!(place.read("study/reductions.svg").contains("share of the data sets"));

    let bits = rows(&place, "bits");
    let of = |tree: &str, ranks: &str| {
        let found = bits.iter().filter(|row| row["tree"] == tree && row["ranks"] == ranks);
        found.cloned().collect::<Vec<_>>()
    };
    assert!(of("binomial", "8").iter().all(|row| row["differ_from_binomial"] == "0"));
    assert!(of("recursive-doubling", "8").iter().all(|row| row["differ_from_binomial"] == "0"));
    assert!(of("exact", "12").iter().all(|row| row["differ_from_exact"] == "0"));
    assert!(of("linear", "12").iter().all(|row| row["differ_from_exact"].parse::<u64>().unwrap() > 5));
    for row in &bits {
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        assert!(number("largest_error") <= number("bound"), "{row:?}");
    }
    let results = rows(&place, "results");
    let exact = results.iter().filter(|row| row["tree"].starts_with("exact"));
    assert!(exact.clone().count() == 4 && exact.clone().all(|row| row["results"] == "1"), "{results:?}");
    let costs = rows(&place, "cost");
    let seconds = |row: &std::collections::BTreeMap<String, String>| row["time_s"].parse::<f64>().unwrap();
    assert!(costs.iter().all(|row| seconds(row) > 0.0));
    assert_eq!(rows(&place, "library").len(), 0);
}

#[test]
fn the_same_seed_gives_the_same_files_and_another_one_others() {
    let place = Place::new();
    let mut files = Vec::new();
    for seed in ["1", "1", "2"] {
        run(&place, Ranks::Alone, &[&SMALL[..], &["--seed", seed]].concat()).succeeded();
        files.push(place.read("study/reductions.csv"));
    }
    assert_eq!(files[0], files[1]);
    assert_ne!(files[0], files[2]);
}

#[test]
fn parameters_of_the_time_are_taken() {
    let place = Place::new();
    let flat =
        ["latency=1", "hop=0", "byte=0", "gap=0", "sharing=0", "node-latency=1", "node-byte=0", "add=0"];
    let costs: Vec<&str> = flat.iter().flat_map(|cost| ["--cost", cost]).collect();
    let few = ["--ranks", "16", "--sets", "4", "--trees", "binomial,linear", "--variants", "2"];
    run(&place, Ranks::Alone, &[&few[..], &costs].concat()).succeeded();
    for row in rows(&place, "cost") {
        let steps = if row["tree"] == "linear" { 15.0 } else { 4.0 };
        assert_eq!(row["time_s"].parse(), Ok(steps), "{row:?}");
    }
}

/// Balaji and Kimpe's ratios: a reduction of 2^20 doubles that knows nodes of eight takes 0.65 of the time of MPICH's on
/// 16 ranks, 0.35 on 1,024, and an all-reduction half; the model is within a factor of 1.5.
#[test]
fn times_are_shown_relative_to_what_mpich_chooses() {
    let place = Place::new();
    let ratio = |tree: &str, other: &str, ranks: &str| -> f64 {
        let few =
            ["--ranks", ranks, "--sets", "2", "--variants", "2", "--nodes", "8", "--placements", "block"];
        let what =
            ["--topologies", "fat-tree", "--elements", "1048576", "--trees", tree, "--relative-to", other];
        let ended = run(&place, Ranks::Alone, &[&few[..], &what].concat()).succeeded();
        let (_, table) = ended.stdout.split_once("ratio of times on a fat-tree").expect("a table");
        let last = |tree: &str| -> f64 {
            let line = table.lines().find(|line| line.starts_with(tree)).expect("a line for the tree");
            line.split_whitespace().next_back().expect("a ratio").parse().expect("a number")
        };
        assert_eq!(last(other), 1.0);
        last(tree)
    };
    for (ranks, measured) in [("16", 0.65), ("1024", 0.35)] {
        let modelled = ratio("node-aware-reduce", "mpich-reduce", ranks);
        assert!((measured / 1.5..measured * 1.5).contains(&modelled), "{modelled} on {ranks} ranks");
    }
    let modelled = ratio("node-aware-allreduce", "mpich-allreduce", "64");
    assert!((0.5 / 1.5..0.5 * 1.5).contains(&modelled), "{modelled}");
    let wrong = run(&place, Ranks::Alone, &["--ranks", "4", "--relative-to", "binomial:4"]);
    wrong.refused(2, &["--relative-to binomial:4", "no rank 4 of 4"]);
}

/// "Told of k": the library builds its tree for nodes of k cores, whatever the machine has. Neither the machine nor what it
/// costs to send changes; the bits and the messages do.
#[test]
fn a_library_may_be_told_of_other_nodes_than_there_are() {
    let place = Place::new();
    let few = ["--ranks", "48", "--sets", "20", "--variants", "2", "--nodes", "8", "--placements", "block"];
    let what = ["--topologies", "fat-tree", "--elements", "524288", "--trees", "node-aware-reduce,linear"];
    let study = |more: &[&str]| {
        let ended = run(&place, Ranks::Alone, &[&few[..], &what, more].concat()).succeeded();
        let text = |row: &std::collections::BTreeMap<String, String>, column: &str| row[column].clone();
        let of = |kind: &str| {
            let rows = rows(&place, kind).into_iter().filter(|row| row["tree"] == "node-aware-reduce");
            rows.collect::<Vec<_>>()
        };
        let costs: Vec<(String, f64)> =
            of("cost").iter().map(|row| (text(row, "told"), row["time_s"].parse().unwrap())).collect();
        assert!(of("cost").iter().all(|row| row["node_ranks"] == "8"));
        let bits: Vec<String> = of("bits").iter().map(|row| text(row, "node_ranks")).collect();
        (costs, bits, ended.stdout)
    };
    let (plain, _, _) = study(&[]);
    let (told, bits, said) = study(&["--told", "2,4,8"]);
    assert_eq!(told.iter().map(|(told, _)| &told[..]).collect::<Vec<_>>(), ["2", "4", "8"]);
    // The more of its cores a library knows, the faster it is; told of all of them, it is what it is without being told.
    assert!(told[0].1 > told[1].1 && told[1].1 > told[2].1, "{told:?}");
    assert_eq!(told[2], plain[0]);
    assert!(said.contains("node-aware-reduce, told of 4"), "{said}");
    // For both kinds of data.
    assert_eq!(bits, ["2", "4", "8", "2", "4", "8"]);
    let (relative, _, said) = study(&["--told", "2,8", "--relative-to", "mpich-reduce"]);
    assert_eq!(relative.len(), 2);
    assert!(said.contains("lengths.svg"), "{said}");
    let drawn = place.read("study/lengths.svg");
    assert!(
        drawn.contains("node-aware-reduce, told of 2 (model)") && drawn.contains("relative to mpich-reduce")
    );
}

#[test]
fn scans_and_reduce_scatters_are_studied_if_asked_for() {
    let place = Place::new();
    let few = ["--ranks", "8,12", "--sets", "50", "--trees", "linear", "--variants", "2"];
    run(&place, Ranks::Alone, &few).succeeded();
    assert_eq!(rows(&place, "call").len(), 0);
    let calls = ["--calls", "scan,reduce-scatter", "--nodes", "4"];
    let ended = run(&place, Ranks::Alone, &[&few[..], &calls].concat()).succeeded();
    assert!(ended.stdout.contains("scan-doubling") && ended.stdout.contains("rank order"), "{ended:#?}");
    let found = rows(&place, "call");
    // Three ways to scan and four to reduce and scatter, two kinds of data, on two numbers of ranks.
    assert_eq!(found.len(), 2 * 2 * (3 + 4), "{found:?}");
    for row in &found {
        let count = |column: &str| row[column].parse::<u64>().unwrap();
        assert_eq!(count("sets"), 50 * count("ranks"));
        let (order, exact) = (count("differ_from_order"), count("differ_from_exact"));
        match &row["tree"][..] {
            "scan-chain" => assert!(order == 0 && exact > 0, "{row:?}"),
            "scan-exact" | "reduce-scatter-exact" => assert!(exact == 0 && order > 0, "{row:?}"),
            _ => assert!(order > 0 && exact > 0, "{row:?}"),
        }
    }
    let costs = rows(&place, "cost");
    let chain = costs.iter().filter(|row| row["tree"] == "scan-chain" && row["ranks"] == "12");
    // On three placements, two networks, for two lengths.
    assert_eq!(chain.clone().count(), 12);
    assert!(chain.clone().all(|row| row["messages"] == "11"), "{costs:?}");
    run(&place, Ranks::Alone, &["--ranks", "8", "--calls", "scans"]).refused(2, &["scans", "'scan'"]);
    let refused = run(&place, Ranks::Alone, &["--ranks", "8192", "--calls", "scan"]);
    refused.refused(2, &["--calls", "at most 4096 ranks, but --ranks names 8192"]);
}

#[test]
fn delays_cost_time_and_change_the_order_of_arrival() {
    let place = Place::new();
    let few =
        ["--ranks", "32", "--sets", "50", "--trees", "binomial,arrival", "--variants", "40", "--nodes", "8"];
    let study = |delay: &str| {
        run(&place, Ranks::Alone, &[&few[..], &["--jitter", delay]].concat()).succeeded();
        let (times, arrivals): (Vec<_>, Vec<_>) =
            rows(&place, "jitter").into_iter().partition(|row| row["data"].is_empty());
        let binomial = times.iter().find(|row| row["tree"] == "binomial").unwrap();
        let differ = arrivals.iter().map(|row| row["differ_from_order"].parse::<u64>().unwrap()).collect();
        let time = |column: &str| binomial[column].parse::<f64>().unwrap();
        (time("time_s"), time("worst_s"), differ, place.read("study/reductions.csv"))
    };
    let (none, longest, differ, _): (f64, f64, Vec<u64>, String) = study("uniform:0");
    assert!((none - longest).abs() < 1e-12 * none && differ == [0, 0]);
    let (late, longest, differ, table) = study("exponential:1e-5");
    assert!(late > none + 5e-5 && longest > late, "{late}, {longest}, {none}");
    assert!(differ.iter().all(|&sets| sets > 20), "{differ:?}");
    assert_eq!(study("exponential:1e-5").3, table, "the same seed gives the same delays");
    let refused = |delay: &str, words: &[&str]| {
        run(&place, Ranks::Alone, &["--ranks", "8", "--jitter", delay]).refused(2, words);
    };
    refused("normal:1", &["normal:1", "exponential:MEAN"]);
    refused("uniform:-1", &["uniform:-1", "not negative"]);
    refused("rare:2:1e-4", &["rare:2:1e-4", "from 0 to 1"]);
}

/// Writes a solution of two fields, of which `derived/a` is not the first.
fn solution(place: &Place, name: &str, change: f64) {
    let block: Vec<f64> = (0..96).map(|k| f64::from(k).sqrt() * (1.0 + change)).collect();
    let q = Field { name: "q".into(), dim: 2, rows: 48, block: block.into() };
    let a = Field { name: "derived/a".into(), dim: 1, rows: 20, block: vec![0.5; 20].into() };
    write_solution(&Comm::single(), &place.path(name), &[], &[a, q]).expect("a solution file");
}

#[test]
fn terms_come_from_texts_solutions_and_the_differences_of_two() {
    let place = Place::new();
    solution(&place, "a.h5", 0.0);
    solution(&place, "b.h5", 1e-3);
    place.write("a.txt", "# terms\n1.5, 2.5\n-0.25 1e-3 # the last one\n");
    let few = ["--ranks", "4", "--trees", "linear,exact", "--variants", "2"];
    let said = |more: &[&str]| run(&place, Ranks::Alone, &[&few[..], more].concat()).succeeded().stdout;
    assert!(said(&["--data", "a.txt"]).contains("4 terms of a.txt, sum 3.751e0"));
    assert!(said(&["--data", "a.h5"]).contains("96 terms of a.h5, sum "));
    assert!(said(&["--data", "a.h5", "--field", "derived/a"]).contains("20 terms of a.h5, sum 1e1"));
    let said = said(&["--data", "b.h5", "--minus", "a.h5"]);
    // The sum of 1e-6 k for k below 96.
    assert!(said.contains("96 terms of b.h5 less a.h5, squared, sum 4.5"), "{said}");
    assert!(said.contains("exact sums of the parts that are not the exact sum of the terms: "), "{said}");
    assert!(rows(&place, "bits").iter().all(|row| row["data"] == "terms" && row["sets"] == "24"));
}

#[test]
fn what_is_wrong_is_named_with_what_would_be_right() {
    let place = Place::new();
    solution(&place, "a.h5", 0.0);
    place.write("a.txt", "1.5\n2.5 x\n");
    place.write("b.txt", "1.5\n2.5\n");
    place.write("nan.txt", "1.5\nnan\n");
    let refused = |args: &[&str], words: &[&str]| run(&place, Ranks::Alone, args).refused(2, words);
    refused(&["--trees", "linear,bionmial"], &["bionmial", "did you mean \"binomial\"?"]);
    refused(&["--trees", "tree"], &["'tree'", "use one of linear, reverse"]);
    refused(&["--trees", "k-ary:0"], &["k-ary:0", "at least 1"]);
    refused(&["--trees", "linear:2"], &["only binomial, ring, k-ary and interleaved"]);
    refused(&["--trees", "binomial:64"], &["--trees binomial:64", "no rank 64 of 64", "below 64"]);
    refused(&["--ranks", "0"], &["--ranks", "0"]);
    refused(&["--placements", "blok"], &["blok", "'block'"]);
    refused(&["--cost", "latncy=1"], &["latncy", "did you mean \"latency\"?"]);
    refused(&["--cost", "gap=-1"], &["gap=-1", "not negative"]);
    refused(&["--cost", "gap"], &["NAME=VALUE"]);
    for cost in ["byte=1e308", "latency=inf", "gap=1e7", "add=nan"] {
        refused(&["--cost", cost], &[cost, "at most 1e6"]);
    }
    for (option, number) in
        [("--sets", "18446744073709551615"), ("--sets", "99999999"), ("--variants", "99999999")]
    {
        let named = format!("{option} {number}: the study would sum ");
        refused(&[option, number], &[&named, "but at most 1e11 are possible", "ask for fewer --sets"]);
        assert!(!place.path("study").exists());
    }
    refused(&["--minus", "a.h5"], &["--minus", "--data"]);
    refused(&["--data", "missing.txt"], &["missing.txt", "cannot be read"]);
    refused(&["--data", "a.txt"], &["a.txt:2:5", "\"x\" is not a number"]);
    refused(&["--data", "nan.txt"], &["nan.txt", "number 2 is NaN"]);
    refused(&["--data", "b.txt"], &["b.txt", "2 numbers are too few for 1024 ranks"]);
    refused(&["--data", "b.txt", "--field", "q"], &["b.txt", "leave --field out"]);
    refused(&["--data", "a.h5", "--field", "p"], &["a.h5", "`p`", "there are derived/a, q"]);
    refused(&["--data", "a.h5", "--minus", "b.txt"], &["b.txt", "2 numbers, but a.h5 has 96"]);
    assert!(!place.path("study").exists(), "nothing was begun");
    place.write("file", "");
    for ranks in ways() {
        let ended = place.run(ranks, &["reductions", "--ranks", "4", "-o", "file/study"]);
        ended.refused(2, &["file/study", "output directory"]);
    }
}

/// The library's tree is identified if the study knows it; and what all ranks do is done once.
#[cfg(feature = "mpi")]
#[test]
fn the_librarys_own_sums_stand_beside_the_simulated_ones() {
    let place = Place::new();
    let ended = run(&place, Ranks::Launched(4), &[&SMALL[..2], &["--sets", "4", "--variants", "2"]].concat())
        .succeeded();
    assert_eq!(ended.stdout.matches("\n8 ranks").count(), 1, "{ended:#?}");
    let library = rows(&place, "library");
    // Two calls, two maps, two lengths, two kinds of data, on all four ranks.
    assert_eq!(library.len(), 16, "{library:?}");
    for row in &library {
        assert_eq!((&row["ranks"][..], &row["sets"][..]), ("4", "100"), "{row:?}");
        assert!(row["tree"] == "MPI_Reduce" || row["tree"] == "MPI_Allreduce", "{row:?}");
        assert!(!row["same_as"].is_empty(), "{row:?}");
        // With four ranks, the study knows every order of additions.
        if row["placement"] == "block" && row["same_as"] == "binomial" {
            assert_eq!(row["differ_from_binomial"], "0", "{row:?}");
        }
    }
    // A permutation of the terms gives other bits with the same tree.
    let differ = |map: &str| {
        let rows = library.iter().filter(|row| row["placement"] == map && row["tree"] == "MPI_Allreduce");
        rows.map(|row| row["differ_from_binomial"].parse::<u64>().unwrap()).sum::<u64>()
    };
    assert_ne!(differ("block"), differ("cyclic"));
    let refused = run(&place, Ranks::Launched(3), &["--data", "missing.txt"]);
    refused.refused(2, &["missing.txt"]);
}

/// Every tree over messages has the bits of its simulation, on the numbers of ranks that are asked for and on all.
#[cfg(feature = "mpi")]
#[test]
fn trees_are_measured_over_messages() {
    let place = Place::new();
    let trees = "linear,binomial,ring,rabenseifner,arrival,node-aware-allreduce,node-aware-reduce,exact";
    let few = ["--ranks", "2,3,64", "--sets", "4", "--variants", "2", "--elements", "1,1500"];
    let more = ["--told", "2,3", "--trees", trees, "--measure"];
    let ended = run(&place, Ranks::Launched(4), &[&few[..], &more].concat()).succeeded();
    assert!(ended.stdout.contains("as simulated") && !ended.stdout.contains("OTHERS"), "{ended:#?}");
    let measured = rows(&place, "measured");
    for ranks in ["2", "3", "4"] {
        for elements in ["1", "1500"] {
            let of = |tree: &str| {
                let rows = measured.iter().filter(|row| row["ranks"] == ranks && row["elements"] == elements);
                rows.filter(|row| row["tree"] == tree).cloned().collect::<Vec<_>>()
            };
            for tree in
                ["linear", "binomial", "ring", "rabenseifner", "arrival", "node-aware-reduce", "exact"]
            {
                let of = of(tree);
                assert!(!of.is_empty(), "{tree} on {ranks} ranks: {measured:?}");
                assert!(of.iter().all(|row| row["same_as"] == "simulation"), "{of:?}");
            }
            for call in ["MPI_Reduce", "MPI_Allreduce"] {
                assert_eq!(of(call)[0]["same_as"], "");
            }
            // Told of three cores, two ranks are on one node, as if told of two.
            let told = of("node-aware-allreduce").iter().map(|row| row["told"].clone()).collect::<Vec<_>>();
            assert_eq!(told, if ranks == "2" { vec!["2"] } else { vec!["2", "3"] });
        }
    }
    assert!(measured.iter().all(|row| row["time_s"].parse::<f64>().unwrap() > 0.0));
    assert!(place.read("study/lengths.svg").contains("(measured)"));
    let long = ["--measure", "--elements", "1,99999999"];
    run(&place, Ranks::Launched(2), &long).refused(2, &["--elements 99999999", "at most 16777216"]);
    run(&place, Ranks::Alone, &["--measure"]).refused(2, &["--measure", "mpirun -n 4"]);
}

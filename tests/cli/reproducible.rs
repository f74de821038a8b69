//! Bits through the program: strategies, guarantee, kept colorings, traces.

use cfd_engine::lane::Width;

use crate::launch::{Ended, Place, Ranks};

const CONFIG: &str =
    "case = \"airfoil\"\nmesh.generate = { size = [12, 10], decimals = 6 }\nairfoil.iterations = 15\n";

const REPRODUCIBLE: [(&str, &str); 5] = [
    ("regions", "sequential"),
    ("temporary-array", "sequential"),
    ("trivial-coloring", "sequential"),
    ("greedy-coloring", "greedy"),
    ("distributed-coloring", "distributed"),
];

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", CONFIG);
    place
}

fn run(place: &Place, ranks: Ranks, options: &[&str]) -> Ended {
    let args: Vec<&str> = ["--config", "c.toml"].iter().chain(options).copied().collect();
    place.run(ranks, &args).succeeded()
}

/// Without a launcher and, with MPI, on two and five ranks.
fn ways() -> Vec<Ranks> {
    let mut ways = vec![Ranks::Alone];
    if cfg!(feature = "mpi") {
        ways.extend([2, 5].map(Ranks::Launched));
    }
    ways
}

/// The hashes of the solution and of the history.
fn hashes(place: &Place) -> (String, String) {
    let summary = place.summary("out");
    let text = |value: &serde_json::Value| value.as_str().expect("a hash").to_string();
    (text(&summary["hash"]["solution"]), text(&summary["history_hash"]))
}

#[test]
fn strategies_of_a_class_have_one_hash_on_any_ranks() {
    let place = place();
    let mut classes: Vec<(&str, (String, String))> = Vec::new();
    for (strategy, class) in REPRODUCIBLE {
        for ranks in ways() {
            run(
                &place,
                ranks,
                &["--strategy", strategy, "--partitioner", "random", "--set", "execution.region_size=9"],
            );
            let summary = place.summary("out");
            assert_eq!(summary["strategy"], strategy);
            assert_eq!(summary["hash_class"], class);
            let found = hashes(&place);
            match classes.iter().find(|(known, _)| *known == class) {
                Some((_, first)) => assert_eq!(found, *first, "{strategy}, {ranks:?}"),
                None => classes.push((class, found)),
            }
        }
    }
    assert_eq!(classes.len(), 3);
    assert!(classes[0].1 != classes[1].1 && classes[1].1 != classes[2].1 && classes[2].1 != classes[0].1);
}

#[test]
fn lanes_change_no_bits_and_the_summary_names_them() {
    let place = place();
    let mut found = Vec::new();
    for width in Width::available() {
        run(&place, Ranks::Alone, &["--set", &format!("execution.lanes={width}")]);
        assert_eq!(place.summary("out")["lanes"], width.lanes());
        found.push(hashes(&place));
    }
    run(&place, Ranks::Alone, &["--set", "execution.lanes=auto"]);
    assert_eq!(place.summary("out")["lanes"], Width::widest().lanes());
    found.push(hashes(&place));
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
}

#[test]
fn threads_change_no_bits_and_the_summary_names_them() {
    let place = Place::new();
    // Enough cells to give every thread some, on one rank.
    let text = CONFIG.replace("[12, 10]", "[70, 90]").replace("= 15", "= 3");
    place.write("c.toml", &text);
    let mut found = Vec::new();
    for (ranks, threads) in [(Ranks::Alone, 1), (Ranks::Alone, 3)] {
        run(&place, ranks, &["--threads", &threads.to_string()]);
        assert_eq!(place.summary("out")["threads"], threads);
        found.push(hashes(&place));
    }
    if cfg!(feature = "mpi") {
        // Under a launcher, a rank has one thread unless more are requested.
        run(&place, Ranks::Launched(2), &[]);
        assert_eq!(place.summary("out")["threads"], 1);
        found.push(hashes(&place));
        run(&place, Ranks::Launched(2), &["--set", "execution.threads=2"]);
        assert_eq!(place.summary("out")["threads"], 2);
        found.push(hashes(&place));
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
}

#[test]
fn the_canonical_order_and_the_kind_of_sums_fix_the_bits_on_any_ranks() {
    let place = place();
    let mut found = Vec::new();
    for options in [
        &[][..],
        &["--set", "execution.order=hilbert"],
        &["--set", "execution.order=cuthill-mckee"],
        &["--set", "execution.sums=binned"],
    ] {
        let each: Vec<_> = ways()
            .into_iter()
            .map(|ranks| {
                run(&place, ranks, options);
                hashes(&place)
            })
            .collect();
        assert!(each.iter().all(|hashes| *hashes == each[0]), "{options:?}: {each:?}");
        found.push(each[0].clone());
    }
    let [file, hilbert, cuthill_mckee, binned] = [0, 1, 2, 3].map(|k: usize| &found[k].0);
    assert!(file != hilbert && file != cuthill_mckee, "another order, other bits");
    assert_eq!(file, binned, "sums feed nothing back");
}

#[test]
fn the_guarantee_is_printed_and_stored() {
    let place = place();
    for (options, words, class) in [
        (&[][..], &["the same bits on any number of ranks", "correctly rounded"][..], "sequential"),
        (&["--set", "execution.sums=binned"], &["any number of ranks", "binned"], "sequential"),
        (
            &["--strategy", "distributed-coloring"],
            &["any number of ranks", "distributed color"],
            "distributed",
        ),
        (&["--mode", "fast"], &["run after run on one number of ranks", "different bits on others"], "none"),
        (
            &["--mode", "fast", "--strategy", "regions"],
            &["canonical order on any ranks, but global sums"],
            "none",
        ),
        (
            &["--mode", "fast", "--strategy", "atomic", "--threads", "1"],
            &["run after run on one number of ranks"],
            "none",
        ),
        (
            &["--mode", "fast", "--strategy", "atomic", "--threads", "2"],
            &["none: the bits may differ from run to run", "strategy atomic"],
            "none",
        ),
    ] {
        let ended = run(&place, Ranks::Alone, options);
        let summary = place.summary("out");
        let guarantee = summary["guarantee"].as_str().expect("a text");
        for word in words {
            assert!(guarantee.contains(word), "{word} in {guarantee}");
        }
        // Long text continues in the next line.
        let said = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&format!("guarantee {guarantee} mesh")), "{ended:#?}");
        assert_eq!(summary["hash_class"], class);
    }
    assert_eq!(place.summary("out")["mode"], "fast");
}

#[test]
fn fast_mode_runs_the_core_first_and_repeats_its_bits_on_as_many_ranks() {
    let place = place();
    for ranks in ways() {
        let options = ["--mode", "fast", "--partitioner", "rcb"];
        run(&place, ranks, &options);
        assert_eq!(place.summary("out")["strategy"], "core");
        let first = hashes(&place);
        run(&place, ranks, &[&options[..], &["--set", "execution.overlap=false"]].concat());
        assert_eq!(hashes(&place), first, "{ranks:?}");
    }
}

#[test]
fn the_summary_has_colors_and_what_schedules_cost() {
    let place = place();
    let mut memory = Vec::new();
    for (strategy, _) in REPRODUCIBLE {
        // Chains, which not every strategy has, take extra memory.
        run(&place, Ranks::Alone, &["--strategy", strategy, "--set", "execution.chain=false"]);
        let summary = place.summary("out");
        let loops = summary["loops"].as_array().expect("a list");
        let fluxes = loops.iter().find(|cost| cost["name"] == "res_calc").expect("the loop over edges");
        // Every cell of the mesh has at least two interior sides, so one color is not enough.
        assert_eq!(
            fluxes["colors"].as_u64().is_some_and(|colors| colors >= 3),
            strategy.ends_with("y-coloring") || strategy.starts_with("dist"),
            "{strategy}: {fluxes}"
        );
        assert!(fluxes["setup_s"].as_f64().expect("a time") > 0.0);
        memory.push(summary["memory_bytes"].as_u64().expect("bytes"));
    }
    assert!(memory[1] > memory[0], "temporary arrays take memory: {memory:?}");
}

#[test]
fn a_greedy_coloring_is_kept_and_an_unsound_one_replaced() {
    let place = place();
    let greedy = ["--strategy", "greedy-coloring"];
    let kept = || std::fs::read(place.path("out/colorings/edges-edge_cells.coloring")).expect("a coloring");
    let ended = run(&place, Ranks::Alone, &greedy);
    assert!(!ended.stderr.contains("warning"), "{ended:#?}");
    let (first, expected) = (kept(), hashes(&place));
    for ranks in ways() {
        let ended = run(&place, ranks, &greedy);
        assert!(!ended.stderr.contains("coloring"), "it is used: {ended:#?}");
        assert_eq!(hashes(&place), expected, "{ranks:?}");
        assert_eq!(kept(), first);

        let mut flipped = first.clone();
        flipped[200] ^= 1;
        let empty = Vec::new();
        for unsound in [&flipped, &first[..first.len() - 1].to_vec(), &empty] {
            place.write("out/colorings/edges-edge_cells.coloring", unsound);
            let ended = run(&place, ranks, &greedy);
            assert_eq!(ended.stderr.matches("edges-edge_cells.coloring: ").count(), 1, "{ended:#?}");
            assert_eq!(hashes(&place), expected, "{ranks:?}");
            assert_eq!(kept(), first, "computed again and replaced");
        }
    }
}

#[test]
fn a_coloring_of_another_mesh_or_order_is_not_used() {
    let place = place();
    let cache = ["--strategy", "greedy-coloring", "--set", "execution.coloring_cache=kept", "--out", "out"];
    let other = [&cache[..], &["--set", "mesh.generate.size=[10, 12]"]].concat();
    let hilbert = [&cache[..], &["--set", "execution.order=hilbert"]].concat();
    let mut fresh = Vec::new();
    for options in [&cache[..], &other, &hilbert] {
        run(&place, Ranks::Alone, options);
        fresh.push(hashes(&place));
        std::fs::remove_dir_all(place.path("kept")).expect("the colorings are there");
        assert!(!place.path("out/colorings").exists());
    }
    for (options, fresh) in
        [(&other, 1), (&cache.to_vec(), 0), (&hilbert, 2), (&cache.to_vec(), 0)].map(|(o, i)| (o, &fresh[i]))
    {
        run(&place, Ranks::Alone, options);
        assert_eq!(hashes(&place), *fresh, "{options:?}");
    }
}

#[test]
fn a_trace_has_every_loop_and_changes_no_bits() {
    let place = place();
    let mut traces = Vec::new();
    for ranks in ways() {
        run(&place, ranks, &[]);
        assert!(!place.path("out/trace.csv").exists());
        let plain = hashes(&place);
        run(&place, ranks, &["--hash-trace", "3"]);
        assert_eq!(hashes(&place), plain);
        traces.push(place.read("out/trace.csv"));
        std::fs::remove_dir_all(place.path("out")).expect("it is there");
    }
    assert!(traces.iter().all(|trace| *trace == traces[0]), "the same on any ranks");
    let rows: Vec<Vec<&str>> = traces[0].lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["iteration", "loop", "name", "dat", "hash"]);
    assert_eq!(rows[1][..4], ["0", "1", "free_stream", "q"]);
    let of = |iteration: &str| -> Vec<String> {
        rows.iter().filter(|row| row[0] == iteration).map(|row| row[1..4].join(" ")).collect()
    };
    assert_eq!(
        of("1"),
        [
            "1 save_soln q_old",
            "2 adt_calc adt",
            "3 res_calc res",
            "4 bres_calc res",
            "5 update q",
            "5 update res",
            "6 adt_calc adt",
            "7 res_calc res",
            "8 bres_calc res",
            "9 update q",
            "9 update res",
        ]
    );
    assert!(of("2") == of("1") && of("3") == of("1") && of("4").is_empty());
    assert!(rows[1..].iter().all(|row| row[4].starts_with("blake3:") && row[4].len() == 71));
}

#[test]
fn a_trace_names_the_first_loop_whose_bits_differ() {
    let place = place();
    let trace = |options: &[&str]| {
        run(&place, Ranks::Alone, &[options, &["--hash-trace", "2"]].concat());
        place.read("out/trace.csv")
    };
    let (file, hilbert) = (trace(&[]), trace(&["--set", "execution.order=hilbert"]));
    let (one, other) = file.lines().zip(hilbert.lines()).find(|(a, b)| a != b).expect("other bits");
    assert!(one.starts_with("1,3,res_calc,res,") && other.starts_with("1,3,res_calc,res,"), "{one}\n{other}");
}

#[test]
fn the_trace_of_a_run_that_diverges_is_kept() {
    let place = place();
    let args =
        ["--config", "c.toml", "--set", "airfoil.cfl=50", "--iterations", "500", "--hash-trace", "500"];
    let ended = place.run(Ranks::Alone, &args);
    assert_eq!(ended.code, 3, "{ended:#?}");
    assert!(place.read("out/trace.csv").lines().count() > 11);
}

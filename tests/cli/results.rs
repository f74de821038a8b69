//! What a run leaves behind, and what the commands print.

use crate::launch::{Ended, Place, Ranks, ways};

const CONFIG: &str =
    "case = \"airfoil\"\nmesh.generate = { size = [10, 8], decimals = 6 }\nairfoil.iterations = 12\n";

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", CONFIG);
    place
}

fn run(place: &Place, ranks: Ranks, options: &[&str]) -> Ended {
    let args: Vec<&str> = ["--config", "c.toml"].iter().chain(options).copied().collect();
    place.run(ranks, &args).succeeded()
}

/// Rows of a CSV file, the heading first.
fn csv(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn a_run_leaves_every_file_of_its_output() {
    let place = place();
    for ranks in ways() {
        let ended = run(&place, ranks, &["--out", "o"]);
        for file in [
            "summary.json",
            "history.csv",
            "loops.csv",
            "solution.h5",
            "convergence.svg",
            "cp.csv",
            "cp.svg",
            "mach.svg",
            "report.html",
        ] {
            assert!(place.path("o").join(file).is_file(), "{file}");
            assert!(ended.stdout.contains(file), "{file} is named");
        }
        let left: Vec<_> = std::fs::read_dir(place.path("o")).unwrap().collect();
        assert_eq!(left.len(), 9, "nothing is left beside them: {left:?}");
        for word in ["res_calc", "figure of merit", "blake3:", "completed 12 iterations"] {
            assert!(ended.stdout.contains(word), "{word} in {ended:#?}");
        }
        std::fs::remove_dir_all(place.path("o")).unwrap();
    }
}

#[test]
fn the_summary_has_every_key_and_agrees_with_the_history() {
    let place = place();
    for (ranks, count) in ways().into_iter().zip([1, 3]) {
        run(&place, ranks, &["--seed", "5", "--partitioner", "rcb"]);
        let summary = place.summary("out");
        for key in [
            "schema",
            "version",
            "case",
            "config",
            "mesh",
            "ranks",
            "threads",
            "backend",
            "lanes",
            "mode",
            "strategy",
            "guarantee",
            "partitioner",
            "seed",
            "iterations",
            "converged",
            "residual",
            "hash",
            "time",
            "fom",
            "hash_class",
            "history_hash",
            "values",
            "loops",
            "halo",
            "memory_bytes",
            "peak_rss_bytes",
            "verified",
            "provenance",
        ] {
            assert!(summary.get(key).is_some(), "{key}");
        }
        assert_eq!(summary["schema"], 1);
        assert_eq!(summary["ranks"], count);
        assert_eq!(summary["seed"], 5);
        assert_eq!(summary["partitioner"], "rcb");
        assert_eq!(summary["mode"], "reproducible");
        assert_eq!(summary["strategy"], "regions");
        assert_eq!(summary["hash_class"], "sequential");
        assert_eq!(summary["iterations"], 12);
        assert_eq!(summary["config"]["partition"]["seed"], 5);
        assert_eq!(summary["mesh"]["cells"], 240);
        assert_eq!(summary["verified"], serde_json::Value::Null);
        for path in [
            "/time/total_s",
            "/time/setup_s",
            "/time/solve_s",
            "/time/io_s",
            "/fom/value",
            "/loops/0/time_s/mean",
            "/loops/0/halo_wait_s",
            "/loops/0/gbytes",
            "/loops/0/gflop",
            "/loops/0/elements",
            "/loops/0/redundant_elements",
            "/loops/0/setup_s",
            "/halo/neighbours_mean",
            "/halo/elements_mean",
            "/halo/halo_share",
        ] {
            assert!(summary.pointer(path).is_some_and(|value| value.is_number()), "{path}");
        }
        assert_eq!(summary["halo"]["halo_share"].as_f64().unwrap() > 0.0, count > 1);

        let text = place.read("out/history.csv");
        let history = csv(&text);
        assert_eq!(history[0], ["iteration", "residual", "lift", "drag", "time_s"]);
        assert_eq!(history.len(), 1 + 12);
        let last: f64 = history[12][1].parse().unwrap();
        let bits = summary["residual"]["final_bits"].as_str().unwrap();
        assert_eq!(format!("{:016x}", last.to_bits()), bits, "all digits are in history.csv");
        assert_eq!(summary["residual"]["final"].as_f64().unwrap().to_bits(), last.to_bits());

        let text = place.read("out/loops.csv");
        let loops = csv(&text);
        assert!(loops.iter().all(|row| row.len() == loops[0].len()));
        let updates = loops.iter().find(|row| row[0] == "update").expect("the loop update");
        assert_eq!(updates[1], "24", "two updates in each of 12 iterations");
        let elements = loops[0].iter().position(|name| *name == "elements").unwrap();
        assert_eq!(updates[elements], (24 * 240).to_string());
    }
}

#[test]
fn the_printed_configuration_repeats_the_run() {
    let place = place();
    let options =
        ["--set", "airfoil.alpha=1.25", "--set", "airfoil.cfl=0.30000000000000004", "--out", "first"];
    run(&place, Ranks::Alone, &options);
    let printed = run(&place, Ranks::Alone, &[&options[..], &["--print-config"]].concat());
    place.write("printed.toml", &printed.stdout);
    place.run(Ranks::Alone, &["run", "--config", "printed.toml", "--out", "second"]).succeeded();
    assert_eq!(place.summary("first")["hash"], place.summary("second")["hash"]);
    assert_eq!(place.summary("first")["history_hash"], place.summary("second")["history_hash"]);
    let again = place.run(Ranks::Alone, &["--config", "printed.toml", "--print-config"]).succeeded();
    assert!(printed.stdout.contains("alpha = 1.25") && printed.stdout.contains("cfl = 0.30000000000000004"));
    assert_eq!(printed.stdout, again.stdout);
    let everywhere: Vec<String> =
        ways().into_iter().map(|ranks| run(&place, ranks, &["--print-config"]).stdout).collect();
    assert!(everywhere.iter().all(|text| *text == everywhere[0]), "once, whatever the ranks");
}

#[test]
fn the_same_run_verifies_against_its_summary_and_its_hash() {
    let place = place();
    run(&place, Ranks::Alone, &["--out", "first"]);
    let hash = place.summary("first")["hash"]["solution"].as_str().unwrap().to_string();
    for expected in ["first/summary.json", &hash] {
        let ended = run(&place, Ranks::Alone, &["--verify", expected]);
        assert!(ended.stdout.contains("VERIFIED"), "{ended:#?}");
        assert_eq!(place.summary("out")["verified"], true);
    }
}

#[test]
fn the_hash_in_the_summary_is_that_of_the_file() {
    let place = place();
    for ranks in ways() {
        run(&place, ranks, &[]);
        let comm = cfd_engine::comm::Comm::single();
        let field = cfd_io::read_field(&comm, &place.path("out/solution.h5"), "q").unwrap();
        assert_eq!((field.rows, field.dim), (240, 4));
        let hash = field.hash(&comm).unwrap();
        assert_eq!(place.summary("out")["hash"]["q"], hash.to_string());
        assert_eq!(place.summary("out")["hash"]["solution"], cfd_io::solution_hash(&[hash]).to_string());
    }
}

#[test]
fn a_tolerance_ends_the_run_and_says_so() {
    let place = place();
    let options =
        ["--iterations", "2000", "--set", "airfoil.tolerance=3e-3", "--set", "output.history_every=7"];
    let ended = run(&place, Ranks::Alone, &options);
    let summary = place.summary("out");
    let iterations = summary["iterations"].as_u64().unwrap();
    assert_eq!(summary["converged"], true);
    assert!(iterations > 1 && iterations < 2000, "{iterations}");
    assert!(summary["residual"]["final"].as_f64().unwrap() < 3e-3);
    assert!(ended.stdout.contains("verdict           converged"), "{ended:#?}");
    let text = place.read("out/history.csv");
    let history = csv(&text);
    assert_eq!(history.last().unwrap()[0], iterations.to_string(), "the last iteration is there");
    assert_eq!(history.len() as u64, 1 + iterations / 7 + u64::from(!iterations.is_multiple_of(7)));
    assert!(history.iter().all(|row| row.len() == 5));

    let ended = run(&place, Ranks::Alone, &["--iterations", "2", "--set", "airfoil.tolerance=1e-9"]);
    assert_eq!(place.summary("out")["converged"], false);
    assert!(ended.stdout.contains("NOT converged"), "{ended:#?}");
}

#[test]
fn a_run_that_steady_forces_end_says_so() {
    let place = Place::new();
    let flow = "case = \"flow\"\nmesh.generate = { shape = \"naca0012\", size = [29, 7], wall = 0.03 }\n\
                [flow]\ntolerance = 1e-12\nforce_tolerance = 5.0\nforce_steps = 3\n\
                [flow.boundaries]\nairfoil = \"slip\"\nfar_field = \"far_field\"\n";
    place.write("flow.toml", flow);
    let ended = place.run(Ranks::Alone, &["--config", "flow.toml", "--out", "out"]).succeeded();
    let verdict = "verdict           forces steady to 5e0 over 3 iterations, after 3 iterations; residual not below 1e-12";
    assert!(ended.stdout.contains(verdict), "{ended:#?}");
    assert_eq!(place.summary("out")["converged"], false);
}

/// What `work` counts are the calls of the loop over edges, before and after a restart.
#[test]
fn the_work_of_a_flow_is_the_evaluations_of_its_residual() {
    let place = Place::new();
    place.write(
        "f.toml",
        "case = \"flow\"\nmesh.generate = { size = [9, 7], elements = \"mixed\", distortion = 0.2 }\n\
         output.checkpoint_every = 3\n\
         [flow]\nequations = \"laminar\"\nreynolds = 100.0\nmach = 0.4\nlimiter = \"none\"\niterations = 6\n\
         boundaries = { x_min = \"far_field\", x_max = \"far_field\", y_min = \"no_slip\", y_max = \"symmetry\" }\n",
    );
    let newton = "flow.scheme=newton";
    for (name, settings) in [
        ("explicit", ["flow.scheme=explicit", "flow.order=2"]),
        ("rk3", ["flow.scheme=rk3", "flow.order=2"]),
        ("bdf2", ["flow.scheme=bdf2", "flow.time_step=0.1"]),
        ("first-order", [newton, "flow.jacobian=first-order"]),
        ("matrix-free", [newton, "flow.jacobian=matrix-free"]),
    ] {
        let sets = settings.iter().flat_map(|setting| ["--set", setting]);
        let args: Vec<&str> = ["--config", "f.toml"].into_iter().chain(sets).collect();
        place.run(Ranks::Alone, &[&args[..], &["--out", name]].concat()).succeeded();
        let summary = place.summary(name);
        let loops = summary["loops"].as_array().unwrap();
        let calls = loops.iter().find(|cost| cost["name"] == "roe_unlimited_2d").unwrap()["calls"].as_u64();
        assert_eq!(summary["values"]["work"].as_f64(), calls.map(|calls| calls as f64), "{name}");

        let history = place.read(&format!("{name}/history.csv"));
        let rows = csv(&history);
        let totals = |column: &str| {
            let at = rows[0].iter().position(|name| *name == column)?;
            Some(rows[1..].iter().map(|row| row[at].parse::<f64>().unwrap()).sum::<f64>())
        };
        for column in ["newton_steps", "linear_iterations"] {
            assert_eq!(
                summary["values"][format!("total.{column}")].as_f64(),
                totals(column),
                "{name} {column}"
            );
        }

        let checkpoint = format!("{name}/checkpoint-00000003.h5");
        place
            .run(Ranks::Alone, &[&args[..], &["--restart", &checkpoint, "--out", "rest"]].concat())
            .succeeded();
        for value in ["work", "total.newton_steps", "total.linear_iterations"] {
            assert_eq!(place.summary("rest")["values"][value], summary["values"][value], "{name} {value}");
        }
    }
}

#[test]
fn a_run_that_ends_anywhere_states_the_values_of_its_last_iteration() {
    let cases = [
        ("airfoil", "mesh.generate.size=[10,8]", "3e-3", &["lift", "drag"][..]),
        ("heat", "mesh.generate.size=[10,8]", "2e-3", &["heat_in", "heat_out"]),
        ("aero", "mesh.generate.size=[10,8]", "1e-4", &["cg_iterations", "mach_max"]),
        (
            "mgcfd",
            "mesh.generate={size=[16,7,8],levels=3}",
            "2e-2",
            &["work", "residual_level1", "lift", "drag"],
        ),
    ];
    for (case, mesh, tolerance, names) in cases {
        let place = Place::new();
        place.write("c.toml", format!("case = \"{case}\"\n"));
        let limit = format!("{case}.tolerance={tolerance}");
        let settings = ["--set", mesh, "--set", &limit, "--iterations", "5000"];
        // No regular row, line or checkpoint where it ends.
        let rare = ["--set", "output.history_every=4999", "--set", "output.formats=[]"];
        let ended = run(&place, Ranks::Alone, &[&settings[..], &rare].concat());
        let summary = place.summary("out");
        assert_eq!(summary["converged"], true, "{case}");
        let iterations = summary["iterations"].to_string();
        assert!(ended.stdout.contains("converged: residual below"), "{ended:#?}");
        run(&place, Ranks::Alone, &["--set", mesh, "--iterations", &iterations, "--out", "all"]);
        let all = place.summary("all");
        assert_eq!(all["hash"], summary["hash"], "{case}");
        assert_eq!(all["values"], summary["values"], "{case}");
        for name in names {
            assert!(summary["values"][name].is_number(), "{case}: {name} in {}", summary["values"]);
            assert!(ended.stdout.lines().any(|line| line.starts_with(&format!("{name} "))), "{ended:#?}");
        }
        let [text, other] = ["out", "all"].map(|directory| place.read(&format!("{directory}/history.csv")));
        let last = |text: &str| {
            let row = text.lines().last().unwrap().rsplit_once(',').unwrap().0.to_string();
            assert!(!row.split(',').any(str::is_empty), "{case}: {row}");
            row
        };
        assert_eq!(last(&text), last(&other), "{case}");
        assert_eq!(text.lines().count(), 2);
    }
}

#[test]
fn a_blast_and_an_adaptation_end_with_their_numbers() {
    let place = Place::new();
    place.write("c.toml", "case = \"lulesh\"\nlulesh.size = 4\n");
    run(&place, Ranks::Alone, &["--set", "output.history_every=1000000"]);
    let values = place.summary("out")["values"].clone();
    assert!(values["origin_energy"].as_f64().unwrap() > 0.0 && values["cycles"].as_u64().is_none());
    assert_eq!(values["cycles"].as_f64().unwrap(), place.summary("out")["iterations"].as_f64().unwrap());
    place.write("c.toml", "case = \"adaptation\"\nmesh.generate.size = [6, 6]\nadaptation.eta = 0.1\n");
    run(&place, Ranks::Alone, &["--set", "output.history_every=1000000"]);
    let summary = place.summary("out");
    assert_eq!(summary["values"]["elements"].as_f64(), summary["elements"].as_f64(), "{summary}");
}

#[test]
fn a_run_says_where_it_came_from_and_no_comparison_minds() {
    let place = place();
    let ended = run(&place, Ranks::Alone, &["--out", "first", "--set", "airfoil.alpha=3"]);
    let provenance = place.summary("first")["provenance"].clone();
    for key in ["commit", "compiler", "mpi", "hdf5", "host", "processor", "date", "command"] {
        assert!(provenance[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {provenance}");
    }
    let text = |key: &str| provenance[key].as_str().unwrap().to_string();
    assert!(text("compiler").starts_with("rustc ") && text("date").ends_with('Z'), "{provenance}");
    assert!(text("command").ends_with("--config c.toml --out first --set airfoil.alpha=3"), "{provenance}");
    for said in ["Mach 0.4, angle of attack 3 degrees", "CFL 0.9", &text("host"), &text("date"), "lane"] {
        assert!(ended.stdout.contains(said), "{said} in {ended:#?}");
    }
    let file = hdf5::File::open(place.path("first/solution.h5")).unwrap();
    for (key, value) in provenance.as_object().unwrap() {
        let attribute = file.attr(key).unwrap().read_scalar::<hdf5::types::VarLenUnicode>().unwrap();
        assert_eq!(attribute.as_str(), value.as_str().unwrap(), "{key}");
    }
    drop(file);
    run(&place, Ranks::Alone, &["--out", "second", "--set", "airfoil.alpha=3.0"]);
    assert_ne!(place.summary("second")["provenance"], provenance);
    for files in [["first", "second"], ["first/summary.json", "second/summary.json"]] {
        let ended = place.run(Ranks::Alone, &["compare", files[0], files[1]]).succeeded();
        assert!(ended.stdout.contains("EQUAL"), "{ended:#?}");
    }
}

#[test]
fn no_line_on_stdout_is_longer_than_a_terminal_is_wide() {
    let place = place();
    for ranks in ways() {
        for options in
            [&["--bandwidth"][..], &["--strategy", "greedy-coloring", "--bandwidth"], &["--dry-run"]]
        {
            let ended = run(&place, ranks, options);
            for line in ended.stdout.lines() {
                assert!(line.chars().count() <= 120, "{line}");
            }
        }
    }
}

#[test]
fn no_iteration_writes_the_initial_state() {
    let place = place();
    for ranks in ways() {
        run(&place, ranks, &["--iterations", "0"]);
        let summary = place.summary("out");
        assert_eq!(summary["iterations"], 0);
        assert_eq!(summary["residual"]["final"], serde_json::Value::Null);
        let comm = cfd_engine::comm::Comm::single();
        let field = cfd_io::read_field(&comm, &place.path("out/solution.h5"), "q").unwrap();
        assert!(
            field.block.values().chunks_exact(4).all(|q| q == &field.block.values()[..4] && q[0] == 1.0),
            "the free stream"
        );
    }
}

#[test]
fn output_options_change_no_bits() {
    let place = place();
    run(&place, Ranks::Alone, &["--out", "plain"]);
    let options = ["--set", "output.history_every=5", "--set", "output.formats=[]", "--progress", "always"];
    run(&place, Ranks::Alone, &options);
    assert_eq!(place.summary("plain")["hash"], place.summary("out")["hash"]);
    assert_eq!(place.summary("plain")["history_hash"], place.summary("out")["history_hash"]);
    assert!(!place.path("out/solution.h5").exists());
    let text = place.read("out/history.csv");
    let rows: Vec<&str> = csv(&text).iter().map(|row| row[0]).collect();
    assert_eq!(rows, ["iteration", "5", "10", "12"]);
}

#[test]
fn progress_stays_out_of_the_results_and_puts_no_control_characters_into_a_log() {
    let place = place();
    let mut printed = Vec::new();
    for ranks in ways() {
        for when in ["auto", "never", "always"] {
            let ended = run(&place, ranks, &["--progress", when]);
            // The program's output goes to a file here, as in a batch job.
            let bar = ended.stderr.contains("iterations");
            let wanted = when == "always" && ranks == Ranks::Alone;
            assert_eq!(bar, wanted, "a short run needs no line, a launcher gets no bar: {ended:#?}");
            assert!(wanted || !ended.stderr.contains('\x1b'), "{ended:#?}");
            assert!(!ended.stdout.contains('\x1b') && !ended.stdout.contains('\r'), "{ended:#?}");
            let history =
                ended.stdout.lines().skip_while(|line| !line.trim_start().starts_with("iteration "));
            let history = history.take_while(|line| !line.is_empty());
            printed.push(history.map(String::from).collect::<Vec<_>>());
        }
    }
    assert!(printed[0].len() > 1 && printed.iter().all(|lines| *lines == printed[0]), "{printed:#?}");
}

#[test]
fn a_dry_run_prints_halo_sizes_and_writes_nothing() {
    let place = place();
    for (ranks, count) in ways().into_iter().zip([1, 3]) {
        let ended = run(&place, ranks, &["--dry-run"]);
        let table: Vec<&str> =
            ended.stdout.lines().skip_while(|line| !line.starts_with("rank ")).skip(1).collect();
        for row in (0..count).map(|rank| rank.to_string()).chain(["min", "mean", "max"].map(String::from)) {
            assert!(
                table.iter().any(|line| line.split_whitespace().next() == Some(&row)),
                "{row} in {ended:#?}"
            );
        }
        let cells: u64 = table[..count]
            .iter()
            .map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap())
            .sum();
        assert_eq!(cells, 240, "every cell has one owner");
        assert!(ended.stdout.contains("imbalance") && ended.stdout.contains("memory MiB"), "{ended:#?}");
        let stages: Vec<&str> = ended.stdout.lines().skip_while(|line| !line.starts_with("stage ")).collect();
        for stage in ["mesh", "partition", "distribution", "solver"] {
            assert!(stages.iter().any(|line| line.starts_with(stage)), "{stage} in {ended:#?}");
        }
        assert!(!place.path("out").exists());
    }
}

#[test]
fn ranks_write_their_files_at_once_where_hdf5_knows_mpi() {
    let place = place();
    for (ranks, in_turns) in ways().into_iter().zip(["one rank", "ordered, one rank after the other"]) {
        let way = if cfg!(feature = "mpio") { "MPI-IO, all ranks at once" } else { in_turns };
        let ended = run(&place, ranks, &["--dry-run"]);
        let line = ended.stdout.lines().find(|line| line.starts_with("files "));
        assert!(line.is_some_and(|line| line.ends_with(&format!("writes: {way}"))), "{way}: {ended:#?}");
    }
}

/// The hash that a mesh command prints.
fn printed_hash(ended: &Ended) -> String {
    let line = ended.stdout.lines().find(|line| line.trim_start().starts_with("hash")).map(str::trim);
    line.unwrap_or_else(|| panic!("{ended:#?}")).to_string()
}

#[test]
fn meshes_are_generated_inspected_and_converted_on_any_ranks() {
    let place = place();
    let mut hashes = Vec::new();
    for ranks in ways() {
        let generate = ["mesh", "generate", "airfoil", "--size", "10,8", "--decimals", "6", "-o", "m.h5"];
        hashes.push(printed_hash(&place.run(ranks, &generate).succeeded()));
        hashes.push(printed_hash(&place.run(ranks, &["mesh", "convert", "m.h5", "m.dat"]).succeeded()));
        hashes.push(printed_hash(
            &place.run(ranks, &["mesh", "convert", "m.dat", "n", "--format", "op2-h5"]).succeeded(),
        ));
        hashes.push(printed_hash(&place.run(ranks, &["mesh", "info", "n"]).succeeded()));
    }
    assert!(hashes.iter().all(|other| *other == hashes[0]), "{hashes:?}");
    run(&place, Ranks::Alone, &["--out", "generated"]);
    run(&place, Ranks::Alone, &["--set", "mesh.file=n", "--out", "read"]);
    assert_eq!(place.summary("generated")["mesh"], place.summary("read")["mesh"]);
    assert_eq!(place.summary("generated")["hash"], place.summary("read")["hash"]);
}

#[test]
fn meshes_of_elements_are_generated_inspected_and_converted_on_any_ranks() {
    let place = place();
    let mut hashes = Vec::new();
    for ranks in ways() {
        let run = |args: &[&str]| place.run(ranks, args).succeeded();
        let generated =
            run(&["mesh", "generate", "aero", "--size", "10,8", "--decimals", "6", "-o", "FE_grid.dat"]);
        assert!(generated.stdout.contains("a valid mesh of bilinear elements (for aero)"), "{generated:#?}");
        hashes.push(printed_hash(&generated));
        hashes.push(printed_hash(&run(&["mesh", "convert", "FE_grid.dat", "a.h5"])));
        hashes.push(printed_hash(&run(&["mesh", "convert", "a.h5", "a", "--format", "op2-h5"])));
        let info = run(&["mesh", "info", "a"]);
        let words: Vec<&str> = info.stdout.split_whitespace().collect();
        // (3 I + 1)(J + 1) - (I + 1) nodes, 3 I J cells, 3 I + 2 J far-field nodes.
        for size in [["nodes", "268"], ["cells", "240"], ["bnodes", "46"]] {
            assert!(words.windows(2).any(|pair| pair == size), "{size:?} in {info:#?}");
        }
        hashes.push(printed_hash(&info));
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
}

#[test]
fn partition_figures_are_the_same_on_any_ranks() {
    let place = place();
    place.run(Ranks::Alone, &["mesh", "generate", "airfoil", "--size", "20,16", "-o", "m.h5"]).succeeded();
    let mut figures = Vec::new();
    for ranks in ways() {
        let args = ["partition", "--mesh", "m.h5", "--parts", "1,4,7", "--partitioner", "hilbert", "--json"];
        let ended = place.run(ranks, &args).succeeded();
        let mut rows: Vec<serde_json::Value> = serde_json::from_str(&ended.stdout).unwrap();
        for row in &mut rows {
            row.as_object_mut().unwrap().retain(|key, _| !key.ends_with("_s"));
        }
        figures.push(rows);
    }
    assert!(figures.iter().all(|rows| *rows == figures[0]));
    assert_eq!(figures[0][0]["halo_share"], 0.0);
    assert!(figures[0][1]["edge_cut"].as_u64().unwrap() > 0);
    let ended = place.run(Ranks::Alone, &["partition", "--mesh", "m.h5", "--parts", "1,4,7"]).succeeded();
    assert_eq!(ended.stdout.lines().filter(|line| line.trim_start().starts_with(['1', '4', '7'])).count(), 3);
}

#[test]
fn help_version_and_info_are_printed_once() {
    let place = place();
    for ranks in ways() {
        for (args, word) in [(["--help"], "Usage:"), (["--version"], "cfd "), (["info"], "METIS")] {
            let ended = place.run(ranks, &args).succeeded();
            assert_eq!(ended.stdout.matches(word).count(), 1, "{args:?}: {ended:#?}");
        }
    }
}

#[test]
fn the_bandwidth_of_the_memory_and_the_arithmetic_are_measured_when_asked_for() {
    let place = place();
    let ended = place.run(Ranks::Alone, &["info", "--bandwidth", "--threads", "2"]).succeeded();
    for (kind, end) in [
        ("copy", "ordinary stores"),
        ("triad", "ordinary stores"),
        ("arithmetic", "additions and multiplications"),
    ] {
        let lines: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with(kind)).collect();
        assert!(lines.iter().any(|line| line.ends_with(end)), "{ended:#?}");
        for line in lines {
            let figures: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            assert!(figures.len() == 2 && figures[0] >= figures[1] && figures[1] > 0.0, "{line}");
        }
    }
    let plain = run(&place, Ranks::Alone, &[]);
    assert!(!plain.stdout.contains("of triad") && place.summary("out")["bandwidth"].is_null());
    let hash = place.summary("out")["hash"].clone();
    let ended = run(&place, Ranks::Alone, &["--bandwidth"]);
    let summary = place.summary("out");
    let [triad, peak] =
        ["triad", "arithmetic"].map(|kind| summary["bandwidth"][kind]["best"].as_f64().expect(kind));
    assert!(triad > 0.0 && ended.stdout.contains("of triad") && summary["hash"] == hash);
    assert!(peak > 0.0 && ended.stdout.contains("of peak"), "{ended:#?}");
    let text = place.read("out/loops.csv");
    let loops = csv(&text);
    let column = |name: &str| loops[0].iter().position(|column| *column == name).expect(name);
    for row in &loops[1..] {
        for (share, rate, whole) in
            [("share_of_triad", "gbytes_per_s", triad), ("share_of_peak", "gflop_per_s", peak)]
        {
            let [share, rate] = [share, rate].map(|name| row[column(name)].parse::<f64>().expect(name));
            assert!((share - rate / whole).abs() < 1e-5, "{row:?}");
        }
    }
}

#[test]
fn completions_and_manual_pages_cover_every_command() {
    let place = place();
    for shell in ["bash", "zsh", "fish"] {
        let ended = place.run(Ranks::Alone, &["completions", shell]).succeeded();
        for word in ["restart", "generate", "repro", "partitioner"] {
            assert!(ended.stdout.contains(word), "{word} for {shell}");
        }
    }
    place.run(Ranks::Alone, &["man", "pages"]).succeeded();
    let help = place.run(Ranks::Alone, &["--help"]).succeeded().stdout;
    let commands = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    // Text further to the right continues a description.
    let commands = commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 6, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let page = place.read(&format!("pages/cfd-{name}.1"));
        assert!(page.contains(".TH cfd-"), "{name}");
    }
    assert!(place.read("pages/cfd-run.1").contains("checkpoint"));
    place.write("file", "");
    place.run(Ranks::Alone, &["man", "file/pages"]).refused(1, &["file/pages", "cannot be written"]);
}

//! Adapted meshes, from outside: one hash for all runs, files, restarts, refusals.

use cfd_engine::comm::Comm;
use serde_json::Value;

use crate::launch::{Place, Ranks, unlock, ways};

const CONFIG: &str = "case = \"adaptation\"\nmesh.generate = { size = [10, 10] }\n\
                      adaptation = { eta = 0.05, time_step = 10.0, iterations = 3 }\n\
                      output = { directory = \"out\", checkpoint_every = 1 }\n";

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", CONFIG);
    place
}

/// What must not depend on how a run is divided.
pub fn results(summary: &Value) -> Vec<Value> {
    [
        "mesh_hash",
        "hash",
        "history_hash",
        "quality",
        "edges",
        "vertices",
        "elements",
        "complexity",
        "passes",
        "operations",
    ]
    .map(|key| summary[key].clone())
    .to_vec()
}

pub fn run(place: &Place, ranks: Ranks, options: &[&str]) -> String {
    place.run(ranks, &[&["--config", "c.toml"], options].concat()).succeeded().stdout
}

#[test]
fn every_division_gives_one_mesh_and_all_its_figures() {
    let place = place();
    run(&place, Ranks::Alone, &["--out", "alone"]);
    let alone = results(&place.summary("alone"));
    assert!(alone.iter().all(|value| !value.is_null()), "{alone:?}");
    for ranks in ways() {
        for options in
            [&["--partitioner", "rcb", "--threads", "2"][..], &["--partitioner", "random", "--seed", "7"]]
        {
            run(&place, ranks, &[options, &["--out", "other"]].concat());
            assert_eq!(results(&place.summary("other")), alone, "{ranks:?} {options:?}");
            let (messages, bytes) = (&place.summary("other")["messages"], &place.summary("other")["bytes"]);
            assert_eq!(messages.as_u64() > Some(0), ranks != Ranks::Alone, "{ranks:?}: {messages}, {bytes}");
        }
    }
    let given = ["--verify", "alone/summary.json", "--out", "again"];
    run(&place, Ranks::Alone, &given);
    let right = place.summary("alone")["mesh_hash"].as_str().unwrap().to_string();
    let wrong = format!("blake3:{}", "0".repeat(64));
    place.write("wrong.json", place.read("alone/summary.json").replace(&right, &wrong));
    let ended = place.run(Ranks::Alone, &["--config", "c.toml", "--verify", "wrong.json", "--out", "again"]);
    ended.refused(4, &["the mesh's hash is", &wrong]);
}

#[test]
fn a_run_leaves_its_pictures_and_says_what_it_has_done() {
    let place = place();
    for ranks in ways() {
        let stdout = run(&place, ranks, &["--out", "o", "--set", "output.formats=[\"h5\", \"vtu\"]"]);
        for file in ["mesh.svg", "quality.svg", "lengths.svg", "phases.svg", "convergence.svg", "solution.h5"]
        {
            assert!(place.path("o").join(file).is_file() && stdout.contains(file), "{file}");
        }
        for word in ["collapses", "quality_min", "coarsen", "mesh hash", "element-adaptations per second"] {
            assert!(stdout.contains(word), "{word} in {stdout}");
        }
        let summary = place.summary("o");
        let values = summary["values"].as_object().unwrap();
        assert_eq!(values["elements"], summary["elements"].as_f64().unwrap());
        for phase in ["adapt_s", "coarsen_s", "smooth_s"] {
            assert!(summary["time"][phase].as_f64().unwrap() > 0.0, "{phase}");
        }
        // The mesh is one for other cases, the solution says that it is none.
        let info = place.run(ranks, &["mesh", "info", "o/adapted.h5"]).succeeded();
        let words: Vec<&str> = info.stdout.split_whitespace().collect();
        let elements = summary["elements"].to_string();
        assert!(
            words.windows(2).any(|pair| pair.contains(&"triangles") && pair.contains(&elements.as_str())),
            "{info:#?}"
        );
        place.run(ranks, &["mesh", "info", "o/solution.h5"]).refused(2, &["solution", "adapted.h5"]);
        let kinds: String =
            (1..=4).map(|k| format!("{k} = \"{}\"\n", if k == 1 { "hot" } else { "cold" })).collect();
        let case = "case = \"heat\"\nmesh.file = \"o/adapted.h5\"\nheat.iterations = 2\n[heat.boundaries]\n";
        place.write("heat.toml", format!("{case}{kinds}"));
        place.run(ranks, &["--config", "heat.toml", "--out", "heat"]).succeeded();
        std::fs::remove_dir_all(place.path("o")).unwrap();
    }
}

#[test]
fn a_run_that_continues_ends_with_the_mesh_of_one_without_a_stop() {
    let place = place();
    run(&place, Ranks::Alone, &["--out", "whole"]);
    for ranks in ways() {
        run(&place, ranks, &["--iterations", "2", "--out", "part", "--partitioner", "hilbert"]);
        for other in ways() {
            run(&place, other, &["--restart", "part", "--out", "rest"]);
            assert_eq!(results(&place.summary("rest"))[..3], results(&place.summary("whole"))[..3]);
            let operations = |directory: &str| place.summary(directory)["operations"].clone();
            assert_eq!(operations("rest"), operations("whole"), "{ranks:?} then {other:?}");
        }
        // Nothing is left to do, but the mesh is reported all the same.
        run(&place, ranks, &["--iterations", "2", "--restart", "part", "--out", "nothing"]);
        let [part, nothing] = ["part", "nothing"].map(|directory| place.summary(directory));
        for key in ["mesh_hash", "hash", "edges", "vertices", "elements"] {
            assert_eq!(part[key], nothing[key], "{key}");
        }
    }
}

#[test]
fn what_cannot_be_adapted_is_refused() {
    let place = place();
    place.write("short.txt", "1 0 1\n");
    place.write("negative.txt", "1 2 1\n".repeat(121));
    for ranks in ways() {
        let refused = |options: &[&str], words: &[&str]| {
            place.run(ranks, &[&["--config", "c.toml"], options].concat()).refused(2, words);
        };
        let device = ["--backend", "emulated"];
        refused(&device, &["case \"adaptation\" runs on processors only", "execution.backend = \"cpu\""]);
        let far = ["--set", "adaptation.complexity=1e5", "--set", "adaptation.h_min=0.2"];
        refused(&far, &["adaptation.complexity = 100000 cannot be reached"]);
        refused(&["--set", "adaptation.complexity=1e15"], &["not enough memory"]);
        refused(
            &["--set", "adaptation.metric=file:short.txt"],
            &["short.txt", "each of the 121 vertices", "1 lines"],
        );
        refused(
            &["--set", "adaptation.metric=file:negative.txt"],
            &["negative.txt", "is not positive definite"],
        );
        refused(&["--set", "adaptation.metric=polar-3"], &["adaptation.metric must be", "polar-2"]);
    }
}

#[test]
fn meshes_from_files_are_adapted_as_those_that_are_made() {
    let place = place();
    place.run(Ranks::Alone, &["mesh", "generate", "adaptation", "--size", "10,10", "-o", "m.h5"]).succeeded();
    let info = place.run(Ranks::Alone, &["mesh", "info", "m.h5"]).succeeded().stdout;
    assert!(info.contains("triangles with boundary facets (for adaptation)"), "{info}");
    place.write("file.toml", CONFIG.replace("mesh.generate = { size = [10, 10] }", "mesh.file = \"m.h5\""));
    run(&place, Ranks::Alone, &["--out", "made"]);
    for ranks in ways() {
        place.run(ranks, &["--config", "file.toml", "--out", "read"]).succeeded();
        assert_eq!(results(&place.summary("read")), results(&place.summary("made")));
    }
}

/// The same mesh as another program might write it: nodes and triangles backwards, their corners rotated.
fn backwards(text: &str, n: usize) -> String {
    let last = (n + 1) * (n + 1) - 1;
    let other = |word: &str| (last - word.parse::<usize>().expect("a node")).to_string();
    let elements = |lines: &[&str]| -> Vec<String> {
        let turned = |line: &&str| {
            let mut words: Vec<String> = line.split(' ').skip(1).map(other).collect();
            words.rotate_left(1);
            format!("{} {}", &line[..1], words.join(" "))
        };
        lines.iter().rev().map(turned).collect()
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut new: Vec<String> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        new.push(lines[at].into());
        let count =
            |key: &str| lines[at].strip_prefix(key).map(|count| count.parse::<usize>().expect("a count"));
        let rows = count("NELEM= ").or(count("MARKER_ELEMS= "));
        let points = count("NPOIN= ");
        let block = &lines[at + 1..][..rows.or(points).unwrap_or(0)];
        new.extend(match points {
            Some(_) => block.iter().rev().map(|line| line.to_string()).collect(),
            None => elements(block),
        });
        at += 1 + block.len();
    }
    new.join("\n") + "\n"
}

#[test]
fn the_order_in_which_a_file_has_vertices_and_triangles_changes_nothing() {
    let place = Place::new();
    place.write("square.su2", named_square(9));
    place.write("backwards.su2", backwards(&named_square(9), 9));
    for mesh in ["square", "backwards"] {
        let case = "case = \"adaptation\"\nadaptation = { eta = 0.05, iterations = 2, time_step = 10.0 }\n";
        place.write(&format!("{mesh}.toml"), format!("{case}mesh.file = \"{mesh}.su2\"\n"));
    }
    let hash = |ranks: Ranks, options: &[&str]| {
        place.run(ranks, &[options, &["--out", "o"]].concat()).succeeded();
        place.summary("o")["mesh_hash"].clone()
    };
    let one = hash(Ranks::Alone, &["--config", "square.toml"]);
    for ranks in ways() {
        assert_eq!(hash(ranks, &["--config", "backwards.toml", "--partitioner", "random"]), one, "{ranks:?}");
    }
    let by_file = ["--set", "adaptation.numbering=file"];
    let [forth, back] = ["square.toml", "backwards.toml"]
        .map(|config| hash(Ranks::Alone, &[&["--config", config][..], &by_file].concat()));
    assert_ne!(forth, back);
}

/// The adapted mesh and its metric, as Mmg reads and writes them, go in again and hardly change.
#[test]
fn a_mesh_and_its_metric_go_out_to_medits_format_and_in_again() {
    let place = Place::new();
    place.write("square.su2", named_square(9));
    let config = |mesh: &str, keys: &str| {
        format!("case = \"adaptation\"\nmesh.file = \"{mesh}\"\nadaptation = {{ iterations = 1, {keys} }}\n")
    };
    place.write("out.toml", config("square.su2", "metric = \"ramp\", medit = true"));
    run_with(&place, Ranks::Alone, "out.toml", "first");
    let nodes = place.summary("first")["vertices"].as_u64().expect("a number");
    assert!(place.read("first/adapted.sol").contains(&format!("SolAtVertices\n{nodes}\n1 3\n")));
    place.write("in.toml", config("first/adapted.mesh", "metric = \"file:first/adapted.sol\""));
    let mut hashes = Vec::new();
    for ranks in ways() {
        run_with(&place, ranks, "in.toml", "second");
        let summary = place.summary("second");
        assert!(summary["residual"]["final"].as_f64().expect("a number") < 0.1, "{}", summary["residual"]);
        hashes.push(summary["mesh_hash"].clone());
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]));
    // An intersection with a finer metric is that metric; a size is a metric, too.
    let sizes = "0.02\n".repeat(nodes as usize);
    let sol = format!("MeshVersionFormatted 2\nDimension 2\nSolAtVertices\n{nodes}\n1 1\n{sizes}End\n");
    place.write("fine.sol", &sol);
    let both = "metric = \"file:first/adapted.sol\", intersect = [\"fine.sol\"]";
    place.write("in.toml", config("first/adapted.mesh", both));
    run_with(&place, Ranks::Alone, "in.toml", "fine");
    let complexity = place.summary("fine")["complexity"].as_f64().expect("a number");
    assert!((2500.0..2900.0).contains(&complexity), "{complexity}");
    for (keys, words) in [
        ("metric = \"file:vector.sol\"", &["vector.sol", "expected a size (kind 1)"][..]),
        ("metric = \"file:few.sol\"", &["few.sol: values at 3 nodes, but the mesh has"]),
        (
            "metric = \"ramp\", intersect = [\"fine.sol\"]",
            &["adaptation.intersect is for metrics at vertices"],
        ),
    ] {
        place.write("vector.sol", sol.replace("\n1 1\n", "\n1 2\n").replace("0.02", "0.02 0.02"));
        place.write("few.sol", "MeshVersionFormatted 2\nDimension 2\nSolAtVertices\n3\n1 1\n1\n1\n1\nEnd\n");
        place.write("in.toml", config("first/adapted.mesh", keys));
        place.run(Ranks::Alone, &["--config", "in.toml", "--out", "no"]).refused(2, words);
    }
}

fn run_with(place: &Place, ranks: Ranks, config: &str, out: &str) {
    place.run(ranks, &["--config", config, "--out", out]).succeeded();
}

/// The metric of a field of a solution, on the solution's mesh and on another one.
#[test]
fn a_field_of_a_solution_becomes_a_metric() {
    let place = Place::new();
    place.write("square.su2", named_square(9));
    let flow = "case = \"flow\"\nmesh.file = \"square.su2\"\noutput.mesh = true\n[flow]\nmach = 2.0\nalpha = -10.0\n\
                scheme = \"explicit\"\ncfl = 0.5\niterations = 60\n[flow.boundaries]\nfloor = \"slip\"\n\
                ceiling = \"supersonic_inlet\"\nentry = \"supersonic_inlet\"\nexit = \"supersonic_outlet\"\n";
    place.write("flow.toml", flow);
    run_with(&place, Ranks::Alone, "flow.toml", "flow");
    let config = |mesh: &str, keys: &str| {
        format!(
            "case = \"adaptation\"\nmesh.{mesh}\n[adaptation]\nmetric = \"field\"\n{keys}\ncomplexity = 150.0\n\
             h_max = 0.3\ngradation = 1.5\n"
        )
    };
    let keys = "field = \"mach\"\nsolution = \"flow/solution.h5\"";
    for mesh in ["file = \"square.su2\"", "generate = { size = [14, 14] }"] {
        place.write("c.toml", config(mesh, keys));
        let mut hashes = Vec::new();
        for ranks in ways() {
            run_with(&place, ranks, "c.toml", "o");
            let summary = place.summary("o");
            let elements = summary["elements"].as_f64().expect("a number");
            assert!((300.0..480.0).contains(&elements), "{elements}");
            hashes.push(summary["mesh_hash"].clone());
        }
        assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{mesh}");
    }
    let square = "file = \"square.su2\"";
    // Fields that are carried along.
    place.write(
        "c.toml",
        config(square, &format!("{keys}\nfields = [\"derived/pressure\", \"mach\"]\niterations = 2")),
    );
    let range = |file: &str, name: &str| {
        let field = cfd_io::read_field(&Comm::single(), &place.path(file), name).expect("a field");
        let values = field.block.values();
        values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)])
    };
    let mut hashes = Vec::new();
    for ranks in ways() {
        run_with(&place, ranks, "c.toml", "o");
        hashes.push(place.summary("o")["hash"].clone());
        run(&place, ranks, &["--iterations", "1", "--out", "part", "--set", "output.checkpoint_every=1"]);
        run(&place, ranks, &["--restart", "part", "--out", "rest"]);
        hashes.push(place.summary("rest")["hash"].clone());
        for name in ["pressure", "mach"] {
            let ([low, high], [least, most]) =
                (range("flow/solution.h5", &format!("derived/{name}")), range("o/solution.h5", name));
            let near = 0.1 * (high - low);
            assert!(low <= least && least < low + near && high - near < most && most <= high, "{name}");
        }
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    for (keys, words) in [
        (
            "solution = \"flow/solution.h5\"\nfield = \"mach\"\nfields = [\"metric\"]",
            &["another field of this name"][..],
        ),
        ("field = \"mach\"", &["adaptation.metric = \"field\" needs", "adaptation.solution"]),
        ("field = \"macht\"\nsolution = \"flow/solution.h5\"", &["no field `macht`", "derived/mach"]),
        ("field = \"velocity\"\nsolution = \"flow/solution.h5\"", &["expected a scalar field"]),
    ] {
        place.write("c.toml", config(square, keys));
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", "no"]).refused(2, words);
    }
}

#[test]
fn a_mesh_that_a_run_refuses_is_refused_by_mesh_info_in_the_same_words() {
    let place = place();
    let comm = Comm::single();
    let whole = cfd_mesh::generate::triangles(&comm, [4, 4]).unwrap();
    type Change = fn(&mut Vec<u64>);
    let changes: [(&str, Change); 3] = [
        ("missing", |corners| drop(corners.drain(9..12))),
        ("doubled", |corners| corners.extend_from_within(9..12)),
        ("added", |corners| corners.extend([0, 12, 23])),
    ];
    for (name, change) in changes {
        let mut mesh = whole.clone();
        change(&mut mesh.maps[0].rows);
        mesh.sets[1].rows = mesh.maps[0].rows.len() as u64 / 3;
        let file = format!("{name}.h5");
        cfd_io::write_mesh(&comm, &mesh, &cfd_mesh::TRIANGLES, &place.path(&file)).unwrap();
        unlock(&place.path(&file));
        let config =
            CONFIG.replace("mesh.generate = { size = [10, 10] }", &format!("mesh.file = \"{file}\""));
        place.write("file.toml", config);
        for ranks in ways() {
            let info = place.run(ranks, &["mesh", "info", &file]);
            info.refused(2, &[&format!("{file}: `"), "the side between vertices "]);
            let run = place.run(ranks, &["--config", "file.toml"]);
            assert_eq!(run.stderr.lines().next(), info.stderr.lines().next());
        }
    }
}

#[test]
fn the_shipped_configurations_run_at_a_small_size() {
    let place = Place::new();
    let small = ["--set", "mesh.generate.size=[12, 12]", "--iterations", "1", "--out", "o"];
    for (name, setting) in [("front", "adaptation.eta=0.05"), ("metrics", "adaptation.metric=radial")] {
        let config = format!("{}/configs/adaptation-{name}.toml", env!("CARGO_MANIFEST_DIR"));
        place.run(Ranks::Alone, &[&["--config", &config, "--set", setting][..], &small].concat()).succeeded();
        assert!(place.summary("o")["mesh_hash"].is_string());
    }
}

/// The unit square in triangles, its sides named, in SU2's format.
pub fn named_square(n: usize) -> String {
    named_patch(n, |x, y| [x, y])
}

/// The same, every place mapped.
pub fn named_patch(n: usize, map: impl Fn(f64, f64) -> [f64; 2]) -> String {
    let node = |i: usize, j: usize| i + (n + 1) * j;
    let mut text = format!("NDIME= 2\nNELEM= {}\n", 2 * n * n);
    for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        text += &format!("5 {a} {b} {c}\n5 {a} {c} {d}\n");
    }
    text += &format!("NPOIN= {}\n", (n + 1) * (n + 1));
    for (i, j) in (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j))) {
        let [x, y] = map(i as f64 / n as f64, j as f64 / n as f64);
        text += &format!("{x:?} {y:?}\n");
    }
    let side = |name: &str, ends: &dyn Fn(usize) -> [usize; 2]| {
        let lines: String = (0..n).map(|k| format!("3 {} {}\n", ends(k)[0], ends(k)[1])).collect();
        format!("MARKER_TAG= {name}\nMARKER_ELEMS= {n}\n{lines}")
    };
    text += "NMARK= 4\n";
    text += &side("floor", &|k| [node(k, 0), node(k + 1, 0)]);
    text += &side("exit", &|k| [node(n, k), node(n, k + 1)]);
    text += &side("ceiling", &|k| [node(k, n), node(k + 1, n)]);
    text + &side("entry", &|k| [node(0, k), node(0, k + 1)])
}

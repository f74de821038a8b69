//! Flow that adapts its mesh, from outside: one mesh and one flow for all divisions, restarts, files, refusals.

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, Mark};
use serde_json::Value;

use crate::launch::{Place, Ranks, ways};

/// A supersonic flow that a wall turns; 14 steps with adaptations after the fifth and the tenth.
const STEADY: &str = "case = \"flow\"\nmesh.generate = { size = [10, 10], elements = \"triangles\" }\n[flow]\nmach = 2.0\n\
                      alpha = -10.0\nscheme = \"newton\"\niterations = 14\n[flow.boundaries]\nx_min = \"supersonic_inlet\"\n\
                      y_max = \"supersonic_inlet\"\nx_max = \"supersonic_outlet\"\ny_min = \"slip\"\n[flow.adaptation]\n\
                      cycles = 2\nsteps = 5\ntolerance = 0.0\nsensors = [\"mach\", \"pressure\"]\ncomplexity = 150\n\
                      growth = 1.5\ngradation = 2.0\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\n\
                      checkpoint_keep = 20\n";

/// A vortex in time; meshes are for the steps to come, masses are conserved to the last bit.
const IN_TIME: &str = "case = \"flow\"\nmesh.generate = { size = [12, 12], elements = \"triangles\", lengths = [10.0, 10.0] }\n\
                       [flow]\nmach = 0.5\nlimiter = \"none\"\nscheme = \"rk3\"\ntime_step = 0.2\nstart = \"vortex\"\n\
                       vortex = [4.0, 5.0, 1.0, 0.4]\niterations = 10\n[flow.boundaries]\nx_min = \"far_field\"\n\
                       x_max = \"far_field\"\ny_min = \"far_field\"\ny_max = \"far_field\"\n[flow.adaptation]\ncycles = 100\n\
                       steps = 4\nsamples = 2\ntolerance = 0.0\nsensors = [\"density\"]\ncomplexity = 150\nwindow = \"ahead\"\n\
                       conserve = \"exact\"\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\ncheckpoint_keep = 20\n";

/// Turbulent flow along a plate whose layer forms on meshes that are adapted to it.
const TURBULENT: &str = "case = \"flow\"\nmesh.generate = { size = [12, 10], elements = \"triangles\", lengths = [2.0, 1.0] }\n\
     [flow]\nequations = \"spalart-allmaras\"\nmach = 0.3\nreynolds = 1e4\nlimiter = \"none\"\n\
     scheme = \"newton\"\niterations = 14\n[flow.boundaries]\nx_min = \"far_field\"\n\
     x_max = \"far_field\"\ny_max = \"far_field\"\ny_min = \"no_slip\"\n[flow.adaptation]\n\
     cycles = 3\nsteps = 4\ntolerance = 0.0\nsensors = [\"mach\", \"nu_tilde\"]\ncomplexity = 150\n\
     h_min = 1e-3\ngradation = 2.0\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\n\
     checkpoint_keep = 20\n";

/// The same with SST.
fn sst() -> String {
    TURBULENT
        .replace("spalart-allmaras", "sst")
        .replace("\"nu_tilde\"", "\"turbulent_kinetic_energy\", \"specific_dissipation\"")
}

/// The vortex, which leaves a box that continues on all sides.
fn between_periods() -> String {
    IN_TIME
        .replace("x_max = \"far_field\"", "x_max = { kind = \"periodic\", partner = \"x_min\" }")
        .replace("y_max = \"far_field\"", "y_max = { kind = \"periodic\", partner = \"y_min\" }")
        .replace("x_min = \"far_field\"\n", "")
        .replace("y_min = \"far_field\"\n", "")
        .replace("vortex = [4.0,", "vortex = [9.0,")
}

/// The turbulent flow, which goes on where it left.
fn turbulent_between_periods() -> String {
    TURBULENT
        .replace("x_max = \"far_field\"", "x_max = { kind = \"periodic\", partner = \"x_min\" }")
        .replace("x_min = \"far_field\"\n", "")
        .replace("[flow.adaptation]", "[flow.adaptation]\ncfl = 5.0")
}

fn place(config: &str) -> Place {
    let place = Place::new();
    place.write("c.toml", config);
    place
}

/// What must not depend on how a run is divided.
fn results(summary: &Value) -> Vec<Value> {
    ["mesh_hash", "hash", "history_hash", "quality", "edges", "vertices", "passes", "operations", "values"]
        .map(|key| summary[key].clone())
        .to_vec()
}

fn run(place: &Place, ranks: Ranks, options: &[&str]) -> String {
    place.run(ranks, &[&["--config", "c.toml"], options].concat()).succeeded().stdout
}

#[test]
fn every_division_gives_one_mesh_and_one_flow() {
    let behind = IN_TIME.replace("\"ahead\"", "\"behind\"");
    let periodic = [between_periods(), turbulent_between_periods()];
    for config in [STEADY, IN_TIME, &behind, TURBULENT, &sst(), &periodic[0], &periodic[1]] {
        let place = place(config);
        let stdout = run(&place, Ranks::Alone, &["--out", "alone"]);
        assert!(stdout.contains("triangles, complexity"), "{stdout}");
        let alone = results(&place.summary("alone"));
        assert!(alone.iter().all(|value| !value.is_null()), "{alone:?}");
        for ranks in ways() {
            run(&place, ranks, &["--partitioner", "random", "--threads", "2", "--out", "other"]);
            assert_eq!(results(&place.summary("other")), alone, "{ranks:?}");
        }
        let verified = ["--verify", "alone/summary.json", "--out", "device"];
        run(&place, Ranks::Alone, &[&["--backend", "emulated"], &verified[..]].concat());
        assert_eq!(results(&place.summary("device")), alone);
    }
}

#[test]
fn every_mesh_gets_the_coarse_levels_that_are_asked_for() {
    let explicit = STEADY.replace("\"newton\"", "\"explicit\"").replace("[10, 10]", "[30, 30]");
    let explicit = explicit.replace("complexity = 150", "complexity = 800");
    for (config, measure) in [(STEADY, "total.linear_iterations"), (&explicit, "residual_density")] {
        let place = place(config);
        let levels = ["--set", "flow.coarse_levels=2"];
        let value = |out: &str| place.summary(out)["values"][measure].as_f64().unwrap();
        run(&place, Ranks::Alone, &["--set", "flow.coarse_levels=0", "--out", "lines"]);
        run(&place, Ranks::Alone, &[&["--out", "alone"], &levels[..]].concat());
        assert!(value("alone") < value("lines"), "{}, {}", value("alone"), value("lines"));
        for ranks in ways() {
            run(&place, ranks, &[&["--partitioner", "random", "--out", "other"], &levels[..]].concat());
            assert_eq!(results(&place.summary("other")), results(&place.summary("alone")), "{ranks:?}");
        }
    }
}

/// Without a number of them, levels are used from the first system on that takes many iterations without, on all later meshes
/// as well.
#[test]
fn coarse_levels_begin_where_systems_need_them_and_stay_from_mesh_to_mesh() {
    let place = place(&STEADY.replace("iterations = 14", "iterations = 14\nlinear_iterations = 6"));
    let levels = |out: &str| {
        let history = place.read(&format!("{out}/history.csv"));
        let mut rows = history.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
        let names = rows.next().unwrap();
        let at = |name: &str| names.iter().position(|own| own == name).unwrap();
        let columns = ["linear_iterations", "coarse_levels"].map(at);
        rows.map(|row| columns.map(|at| row[at].parse::<f64>().unwrap())).collect::<Vec<_>>()
    };
    run(&place, Ranks::Alone, &["--out", "whole"]);
    let rows = levels("whole");
    let hard = rows.iter().position(|[iterations, _]| *iterations >= 6.0).expect("a hard system");
    assert!((1..4).contains(&hard), "before the mesh changes: {rows:?}");
    for (step, [_, levels]) in rows.iter().enumerate() {
        assert_eq!(*levels > 0.0, step > hard, "{rows:?}");
    }
    for (ranks, stop) in ways().into_iter().cycle().zip(["2", "4", "7"]) {
        run(&place, ranks, &["--iterations", stop, "--out", stop, "--partitioner", "hilbert"]);
        run(&place, Ranks::Alone, &["--restart", stop, "--out", "rest"]);
        let [rest, whole] = ["rest", "whole"].map(|out| results(&place.summary(out)));
        assert_eq!(rest, whole, "{stop}");
        assert_eq!(levels("rest"), rows, "{stop}");
        std::fs::remove_dir_all(place.path("rest")).unwrap();
    }
}

#[test]
fn a_run_that_continues_in_the_middle_of_a_cycle_ends_as_one_without_a_stop() {
    for (config, stops) in [
        // After the last adaptation, too, whose figures are then those of the run before.
        (STEADY, ["3", "5", "12"]),
        (TURBULENT, ["3", "4", "13"]),
        (&sst(), ["5", "8", "12"]),
        (IN_TIME, ["1", "4", "7"]),
        (&IN_TIME.replace("\"ahead\"", "\"behind\""), ["2", "4", "7"]),
        (&between_periods(), ["2", "4", "7"]),
    ] {
        let place = place(config);
        run(&place, Ranks::Alone, &["--out", "whole"]);
        for (ranks, stop) in ways().into_iter().cycle().zip(stops) {
            run(&place, ranks, &["--iterations", stop, "--out", stop, "--partitioner", "hilbert"]);
            run(&place, Ranks::Alone, &["--restart", stop, "--out", "rest"]);
            let [rest, whole] = ["rest", "whole"].map(|out| results(&place.summary(out)));
            assert_eq!(rest, whole, "{stop}");
            std::fs::remove_dir_all(place.path("rest")).unwrap();
        }
    }
}

#[test]
fn a_run_leaves_its_mesh_its_pictures_and_its_times() {
    let place =
        place(&STEADY.replace("[output]", "[output]\nformats = [\"h5\", \"vtu\", \"vtkhdf\"]\nmesh = true"));
    let stdout = run(&place, Ranks::Alone, &["--out", "o"]);
    for file in
        ["mesh.svg", "quality.svg", "phases.svg", "mach.svg", "solution.vtu", "adapted.h5", "wall.csv"]
    {
        assert!(place.path("o").join(file).is_file() && stdout.contains(file), "{file}");
    }
    let summary = place.summary("o");
    let values = summary["values"].as_object().unwrap();
    assert_eq!(values["nodes"], summary["vertices"].as_f64().unwrap());
    assert!(summary["time"]["adapt_s"].as_f64().unwrap() > 0.0);
    let history = place.read("o/history.csv");
    let at = history.lines().next().unwrap().split(',').position(|name| name == "nodes").unwrap();
    let nodes: Vec<&str> = history.lines().map(|line| line.split(',').nth(at).unwrap()).collect();
    assert!(nodes[1] == nodes[4] && nodes[4] != nodes[5] && nodes[9] != nodes[10], "{nodes:?}");
    // The row of a step whose mesh is then adapted has that step's work, and its line on the console all values.
    let column = |name: &str| -> Vec<f64> {
        let at = history.lines().next().unwrap().split(',').position(|known| known == name).unwrap();
        history.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    for name in ["newton_steps", "linear_iterations"] {
        assert!(column(name).iter().all(|&count| count >= 1.0), "{name}: {:?}", column(name));
    }
    let iterations: f64 = column("linear_iterations").iter().sum();
    assert_eq!(values["total.linear_iterations"], iterations);
    let heading = stdout.lines().find(|line| line.trim_start().starts_with("iteration")).unwrap();
    let adapted = stdout.lines().find(|line| line.trim_start().starts_with("5  ")).unwrap();
    assert_eq!(adapted.split_whitespace().count(), heading.split_whitespace().count(), "{adapted}");
    // The mesh that it leaves is one to start from.
    let on = STEADY.replace(
        "mesh.generate = { size = [10, 10], elements = \"triangles\" }",
        "mesh.file = \"o/adapted.h5\"",
    );
    let on = on
        .replace("cycles = 2", "cycles = 0")
        .replace("[flow]\n", "[flow]\nstart_from = \"o/solution.h5\"\n");
    place.write("c.toml", on);
    run(&place, Ranks::Alone, &["--out", "on"]);
    assert_eq!(place.summary("on")["start_from"]["interpolated"], true);
}

/// The film of a run, without what says how it was divided.
fn film(place: &Place, out: &str) -> String {
    place.read(&format!("{out}/film.svg"))
}

#[test]
fn a_film_is_the_same_on_any_ranks_and_goes_on_after_a_restart() {
    let frames = |config: &str| config.replace("[output]", "[output]\nfilm = 3");
    for (config, labels, stops) in [
        (frames(STEADY), ["first mesh", "after 1 adaptation:", "after 2 adaptations"], ["3", "8"]),
        (
            frames(&IN_TIME.replace("iterations", "end_time = 2.0\niterations")),
            ["time 0.8", "time 1.4", "time 2.0"],
            ["5", "9"],
        ),
    ] {
        let place = place(&config);
        let stdout = run(&place, Ranks::Alone, &["--out", "whole"]);
        let whole = film(&place, "whole");
        assert!(
            stdout.contains("film.svg") && labels.iter().all(|label| whole.contains(label)),
            "{labels:?}"
        );
        assert_eq!(whole.matches("data:image/png").count(), 6);
        // It only looks: the flow, the meshes and the work are those of a run without it.
        run(&place, Ranks::Alone, &["--set", "output.film=0", "--out", "without"]);
        assert!(!place.path("without/film.svg").exists());
        assert_eq!(results(&place.summary("without")), results(&place.summary("whole")));
        for (ranks, stop) in ways().into_iter().cycle().zip(stops) {
            run(&place, ranks, &["--partitioner", "random", "--out", "other"]);
            assert_eq!(film(&place, "other"), whole, "{ranks:?}");
            run(&place, ranks, &["--iterations", stop, "--out", stop]);
            run(&place, Ranks::Alone, &["--restart", stop, "--out", "rest"]);
            assert_eq!(film(&place, "rest"), whole, "{stop}");
            std::fs::remove_dir_all(place.path("rest")).unwrap();
        }
    }
}

/// Mass and energy of a solution: conserved variables at nodes, whose cells have a third of the triangles around them.
fn totals(place: &Place, out: &str) -> [f64; 2] {
    let file = hdf5::File::open(place.path(out).join("solution.h5")).unwrap();
    let read = |name: &str| file.dataset(name).unwrap().read_raw::<f64>().unwrap();
    let (x, q) = (read("mesh/coordinates"), read("variables"));
    let corners = file.dataset("mesh/connectivity").unwrap().read_raw::<i64>().unwrap();
    let point = |node: i64| [x[2 * node as usize], x[2 * node as usize + 1]];
    let mut totals = [0.0; 2];
    for &[a, b, c] in corners.as_chunks::<3>().0 {
        let [[x0, y0], [x1, y1], [x2, y2]] = [a, b, c].map(point);
        let third = ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) / 6.0;
        for node in [a, b, c] {
            totals[0] += third * q[4 * node as usize];
            totals[1] += third * q[4 * node as usize + 3];
        }
    }
    totals
}

#[test]
fn fifty_adaptations_to_a_blast_between_walls_keep_its_mass_and_its_energy() {
    let walls = ["x_min", "x_max", "y_min", "y_max"].map(|name| format!("{name} = \"slip\"\n")).concat();
    let config = format!(
        "case = \"flow\"\nmesh.generate = {{ size = [10, 10], elements = \"triangles\", lengths = [2.0, 2.0] }}\n[flow]\n\
         scheme = \"rk3\"\nstart = \"blast\"\nblast = [0.9, 1.1, 0.4, 10.0, 8.0]\niterations = 51\n[flow.boundaries]\n\
         {walls}[flow.adaptation]\ncycles = 50\nsteps = 1\nsensors = [\"density\"]\ncomplexity = 150\ngradation = 1.5\n\
         conserve = \"exact\"\n[output]\nmesh = true\n"
    );
    let place = place(&config);
    run(&place, Ranks::Alone, &["--iterations", "0", "--out", "start"]);
    let stdout = run(&place, Ranks::Alone, &["--out", "alone"]);
    assert!(stdout.contains("50 of 50"), "{stdout}");
    let (start, end) = (totals(&place, "start"), totals(&place, "alone"));
    // The gas in the circle of 100 squares' nodes, and around it.
    assert!((1.1..2.0).contains(&(start[0] / 4.0)), "{start:?}");
    for (before, after) in start.iter().zip(&end) {
        assert!((after / before - 1.0).abs() < 1e-13, "{start:?} {end:?}");
    }
    for ranks in ways() {
        run(&place, ranks, &["--partitioner", "random", "--out", "other"]);
        assert_eq!(results(&place.summary("other")), results(&place.summary("alone")), "{ranks:?}");
    }
    for (from, to, words) in [
        ("0.4, 10.0, 8.0]", "0.4, 10.0, 8.0, 1.0]", &["flow.blast has 6 numbers", "expected 5"][..]),
        ("0.4, 10.0, 8.0]", "0.0, 10.0, 8.0]", &["its radius is 0"]),
        ("0.4, 10.0, 8.0]", "0.4, -10.0, 8.0]", &["its pressure is -10"]),
        ("iterations = 51", "start_from = \"a.h5\"", &["keep one of them"]),
    ] {
        place.write("c.toml", config.replace(from, to));
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", "wrong"]).refused(2, words);
    }
}

/// Between periodic boundaries, what leaves comes in: nothing is lost, on meshes that follow a vortex through a corner.
#[test]
fn a_vortex_between_periodic_boundaries_keeps_its_mass_on_meshes_that_follow_it() {
    let config = between_periods()
        .replace("iterations = 10", "iterations = 24")
        .replace("[output]", "[output]\nmesh = true");
    let place = place(&config);
    run(&place, Ranks::Alone, &["--iterations", "0", "--out", "start"]);
    run(&place, Ranks::Alone, &["--out", "end"]);
    let (start, end) = (totals(&place, "start"), totals(&place, "end"));
    for (before, after) in start.iter().zip(&end) {
        assert!((after / before - 1.0).abs() < 1e-13, "{start:?} {end:?}");
    }
    // Copies of a node have one state, at the same places.
    let file = hdf5::File::open(place.path("end/solution.h5")).unwrap();
    let read = |name: &str| file.dataset(name).unwrap().read_raw::<f64>().unwrap();
    let (x, q) = (read("mesh/coordinates"), read("variables"));
    let side = |at: f64| -> Vec<Vec<u64>> {
        let nodes = (0..x.len() / 2).filter(|node| x[2 * node] == at);
        let row = |node: usize| x[2 * node + 1..2 * node + 2].iter().chain(&q[4 * node..4 * node + 4]);
        let mut rows: Vec<Vec<u64>> =
            nodes.map(|node| row(node).map(|value| value.to_bits()).collect()).collect();
        rows.sort_unstable();
        rows
    };
    assert!(side(0.0).len() > 4);
    assert_eq!(side(0.0), side(10.0));
}

/// What is marked in a mesh stays through a flow's adaptations, too, and so do curves.
#[test]
fn marks_and_curves_stay_while_a_flow_adapts_its_mesh() {
    let place = Place::new();
    place.write("disk.mesh", disk());
    place.write("disk.mapbc", "1\n3 0 rim\n");
    place.write(
        "c.toml",
        "case = \"flow\"\nmesh.file = \"disk.mesh\"\n[flow]\nmach = 2.0\nscheme = \"newton\"\niterations = 12\nstart = \
         \"vortex\"\nvortex = [0.2, 0.0, 0.2, 0.3]\n[flow.boundaries]\nrim = \"far_field\"\n[flow.adaptation]\ncycles = 2\n\
         steps = 4\ntolerance = 0.0\nsensors = [\"density\"]\ncomplexity = 200\ngradation = 2.0\n[adaptation.boundaries]\nrim = \
         { kind = \"circle\", center = [0.0, 0.0], radius = 1.0, h_max = 0.1 }\n[output]\ndirectory = \"out\"\n\
         checkpoint_every = 1\ncheckpoint_keep = 20\n",
    );
    run(&place, Ranks::Alone, &["--out", "whole"]);
    let whole = results(&place.summary("whole"));
    for ranks in ways() {
        run(&place, ranks, &["--partitioner", "random", "--out", "other"]);
        assert_eq!(results(&place.summary("other")), whole, "{ranks:?}");
        run(&place, ranks, &["--iterations", "6", "--out", "part"]);
        run(&place, Ranks::Alone, &["--restart", "part", "--out", "rest"]);
        assert_eq!(results(&place.summary("rest")), whole, "{ranks:?}");
    }
    let mesh = cfd_io::read_element_mesh(&Comm::single(), &place.path("whole/adapted.h5")).expect("a mesh");
    let x = mesh.x().as_chunks::<2>().0;
    let marked: Vec<[f64; 2]> = mesh.marked(Mark::Node).iter().map(|node| x[*node as usize]).collect();
    assert_eq!(marked, [[0.5, 0.0]]);
    let lists = mesh.elements();
    let rim = lists.iter().find(|list| list.kind == ElementKind::Line).expect("lines");
    assert!(rim.nodes.len() / 2 > 60, "{} sides", rim.nodes.len() / 2);
    for &node in rim.nodes {
        let [x, y] = x[node as usize];
        assert!((x.hypot(y) - 1.0).abs() < 1e-3, "{x}, {y}");
    }
}

/// A disk of radius 1 in Medit's format, 6 rings; the node at (0.5, 0) is required.
fn disk() -> String {
    const RINGS: usize = 6;
    let start = |ring: usize| if ring == 0 { 1 } else { 2 + 3 * ring * (ring - 1) };
    let node = |ring: usize, at: usize| start(ring) + if ring == 0 { 0 } else { at % (6 * ring) };
    let mut vertices = String::from("0 0 0\n");
    let (mut triangles, mut count) = (String::new(), 0);
    for ring in 1..=RINGS {
        for at in 0..6 * ring {
            let angle = std::f64::consts::TAU * at as f64 / (6 * ring) as f64;
            let r = ring as f64 / RINGS as f64;
            vertices += &format!("{:?} {:?} 3\n", r * angle.cos(), r * angle.sin());
        }
        for sector in 0..6 {
            for k in 0..ring {
                let [a, b] = [k, k + 1].map(|k| node(ring, sector * ring + k));
                let inner = |k: usize| node(ring - 1, sector * (ring - 1) + k);
                triangles += &format!("{a} {b} {} 1\n", inner(k));
                count += 1;
                if k + 1 < ring {
                    triangles += &format!("{b} {} {} 1\n", inner(k + 1), inner(k));
                    count += 1;
                }
            }
        }
    }
    let rim: String =
        (0..6 * RINGS).map(|at| format!("{} {} 3\n", node(RINGS, at), node(RINGS, at + 1))).collect();
    format!(
        "MeshVersionFormatted 2\nDimension 2\nVertices\n{}\n{vertices}Edges\n{}\n{rim}Triangles\n{count}\n{triangles}\
         RequiredVertices\n1\n{}\nEnd\n",
        start(RINGS + 1) - 1,
        6 * RINGS,
        node(3, 0)
    )
}

#[test]
fn what_cannot_be_adapted_is_refused_with_what_would_be_right() {
    for (from, to, words) in [
        (
            "\"triangles\"",
            "\"quadrilaterals\"",
            &["quadrilaterals", "mesh.generate.elements = \"triangles\""][..],
        ),
        ("size = [10, 10], elements = \"triangles\"", "size = [4, 4, 4]", &["3 dimensions"]),
        ("sensors = [\"mach\", \"pressure\"]", "sensors = []", &["flow.adaptation.sensors is empty"]),
        (
            "\"mach\", \"pressure\"",
            "\"nu_tilde\"",
            &["flow.adaptation.sensors has \"nu_tilde\"", "\"euler\"", "\"spalart-allmaras\" or"],
        ),
        ("\"mach\", \"pressure\"", "\"vorticity\"", &["flow.adaptation.sensors", "\"entropy\""]),
        ("cycles", "cycels", &["did you mean \"cycles\""]),
        (
            "[output]",
            "[adaptation.boundaries]\nroof = \"spline\"\n[output]",
            &["there is no boundary \"roof\""],
        ),
        (
            "[output]",
            "[adaptation.boundaries]\ny_max = { kind = \"periodic\", partner = \"y_min\" }\n[output]",
            &["adaptation.boundaries.y_max", "flow.boundaries says"],
        ),
    ] {
        assert!(STEADY.contains(from), "{from}");
        let config = STEADY.replace(from, to);
        let config = if to.contains("4, 4, 4") {
            config.replace("y_min = \"slip\"", "y_min = \"slip\"\nz_min = \"symmetry\"\nz_max = \"symmetry\"")
        } else {
            config
        };
        let place = place(&config);
        place.run(Ranks::Alone, &["--config", "c.toml"]).refused(2, words);
    }
    let stays = ["--config", "c.toml", "--set", "flow.adaptation.cycles=0", "--set", "output.film=3"];
    place(STEADY).run(Ranks::Alone, &stays).refused(2, &["output.film = 3", "flow.adaptation.cycles"]);
    let many = IN_TIME.replace("steps = 4\n", "steps = 400\n").replace("samples = 2", "samples = 1");
    place(&many).run(Ranks::Alone, &["--config", "c.toml"]).refused(2, &["399 states", "at most 32"]);
}

//! Names of boundaries, regions and curves through an adaptation, from outside.

use cfd_engine::comm::Comm;

use crate::adaptation::{named_patch, named_square, results, run};
use crate::launch::{Place, Ranks, ways};

/// A mesh of another program goes in with the names of its boundaries, comes out with them, and goes in again.
#[test]
fn names_of_boundaries_go_through_an_adaptation_and_into_the_next_run() {
    let place = Place::new();
    place.write("square.su2", named_square(9));
    let config = |mesh: &str| {
        format!(
            "case = \"adaptation\"\nmesh.file = \"{mesh}\"\nadaptation = {{ metric = \"ramp\", iterations = 1 }}\n\
             output = {{ directory = \"out\" }}\n"
        )
    };
    place.write("c.toml", config("square.su2"));
    for ranks in ways() {
        run(&place, ranks, &["--out", "first"]);
        let info = place.run(Ranks::Alone, &["mesh", "info", "first/adapted.h5"]).succeeded().stdout;
        for name in ["floor", "exit", "ceiling", "entry"] {
            assert!(info.contains(name), "{name} in {info}");
        }
    }
    // The flow's conditions are those of the names.
    let flow = "case = \"flow\"\nmesh.file = \"first/adapted.h5\"\n[flow]\nmach = 0.3\niterations = 2\n[flow.boundaries]\n\
                floor = \"slip\"\nceiling = \"slip\"\nentry = \"inlet\"\nexit = \"outlet\"\n";
    place.write("flow.toml", flow);
    place.run(Ranks::Alone, &["--config", "flow.toml", "--out", "flow"]).succeeded();
    // Adapted again to the same metric, hardly anything changes.
    place.write("c.toml", config("first/adapted.h5"));
    run(&place, Ranks::Alone, &["--out", "second"]);
    let residual = place.summary("second")["residual"]["final"].as_f64().expect("a number");
    assert!(residual < 0.2, "{residual}");
    let info = place.run(Ranks::Alone, &["mesh", "info", "second/adapted.h5"]).succeeded().stdout;
    assert!(info.contains("ceiling"), "{info}");
}

/// Triangles of a unit square in Gmsh's format, in two regions with a wave between them.
fn two_regions(n: usize) -> String {
    two_regions_with(n, &[])
}

/// The same with a line inside.
fn two_regions_with(n: usize, wire: &[[usize; 2]]) -> String {
    let node = |i: usize, j: usize| i + (n + 1) * j + 1;
    let mut text =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 3 \"rim\"\n1 4 \"wire\"\n2 1 \"steel\"\n2 2 \"air\"\n\
                    $EndPhysicalNames\n"
            .to_string();
    text += &format!("$Nodes\n{}\n", (n + 1) * (n + 1));
    for (i, j) in (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j))) {
        let [x, y] = [i, j].map(|k| k as f64 / n as f64);
        text += &format!("{} {:?} {y:?} 0\n", node(i, j), x + 0.4 * x * (1.0 - x) * (6.2 * y).sin());
    }
    let mut elements: Vec<String> = Vec::new();
    for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        let region = if 2 * i < n { 1 } else { 2 };
        elements.push(format!("2 2 {region} {region} {a} {b} {c}"));
        elements.push(format!("2 2 {region} {region} {a} {c} {d}"));
    }
    for k in 0..n {
        let ends = [
            [node(k, 0), node(k + 1, 0)],
            [node(k, n), node(k + 1, n)],
            [node(0, k), node(0, k + 1)],
            [node(n, k), node(n, k + 1)],
        ];
        elements.extend(ends.map(|[a, b]| format!("1 2 3 3 {a} {b}")));
    }
    elements.extend(wire.iter().map(|[a, b]| format!("1 2 4 4 {a} {b}")));
    let rows: String = (1..).zip(&elements).map(|(k, row)| format!("{k} {row}\n")).collect();
    text + &format!("$EndNodes\n$Elements\n{}\n{rows}$EndElements\n", elements.len())
}

/// The run whose results are in `whole` has the same ones on any ranks, and if it goes on in `rest` after a stop.
fn hold_on_any_ranks(place: &Place) {
    let whole = results(&place.summary("whole"));
    for ranks in ways() {
        run(place, ranks, &["--out", "other", "--partitioner", "random"]);
        assert_eq!(results(&place.summary("other")), whole, "{ranks:?}");
        run(place, ranks, &["--iterations", "1", "--out", "part"]);
        run(place, Ranks::Alone, &["--restart", "part", "--out", "rest"]);
        assert_eq!(results(&place.summary("rest"))[..3], whole[..3]);
    }
}

/// The shortest and the longest side between triangles of different regions.
fn lines_between(place: &Place, file: &str) -> [f64; 2] {
    let mesh = cfd_io::read_element_mesh(&Comm::single(), &place.path(file)).expect("a mesh");
    let triangles = &mesh.elements()[0];
    let mut first = std::collections::BTreeMap::new();
    let mut ends = [f64::INFINITY, 0.0f64];
    let x = mesh.x().as_chunks::<2>().0;
    for (corners, region) in triangles.nodes.as_chunks::<3>().0.iter().zip(triangles.groups) {
        for k in 0..3 {
            let [mut a, mut b] = [corners[k] as usize, corners[(k + 1) % 3] as usize];
            if a > b {
                (a, b) = (b, a);
            }
            if first.insert((a, b), region).is_some_and(|other| other != region) {
                let length = (x[a][0] - x[b][0]).hypot(x[a][1] - x[b][1]);
                ends = [ends[0].min(length), ends[1].max(length)];
            }
        }
    }
    ends
}

/// What `mesh info` says of regions.
fn regions(place: &Place, file: &str) -> Vec<String> {
    let info = place.run(Ranks::Alone, &["mesh", "info", file]).succeeded().stdout;
    let lines = info.lines().map(str::trim).filter(|line| line.starts_with("region"));
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The line between two regions stays where it is, whatever the ranks, after a restart and in the next run, and so do names.
#[test]
fn regions_and_their_names_stay_on_any_ranks_after_a_restart_and_in_the_next_run() {
    let place = Place::new();
    place.write("two.msh", two_regions(12));
    let config = |mesh: &str, size: f64| {
        format!(
            "case = \"adaptation\"\nmesh.file = \"{mesh}\"\n[adaptation]\nmetric = \"uniform\"\nsize = {size}\n\
             medit = true\niterations = 2\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\n"
        )
    };
    place.write("c.toml", config("two.msh", 0.05));
    run(&place, Ranks::Alone, &["--out", "whole"]);
    let found = regions(&place, "whole/adapted.h5");
    assert!(found.len() == 2 && found[0].contains("air") && found[1].contains("steel"), "{found:?}");
    hold_on_any_ranks(&place);
    assert_eq!(regions(&place, "rest/adapted.h5"), found);
    // Sizes at the line between the regions, which is named by them.
    let at_line = "[adaptation.boundaries]\n\"air|steel\" = { kind = \"spline\", h_max = 0.02 }\n";
    let graded = config("two.msh", 0.1).replace("[output]", "gradation = 1.4\n[output]");
    place.write("c.toml", graded + at_line);
    run(&place, Ranks::Alone, &["--out", "whole"]);
    let [shortest, longest] = lines_between(&place, "whole/adapted.h5");
    assert!(shortest > 0.014 && longest < 0.029, "{shortest} {longest}");
    place.write("c.toml", config("two.msh", 0.1));
    run(&place, Ranks::Alone, &["--out", "whole"]);
    assert!(lines_between(&place, "whole/adapted.h5")[1] > 0.05);
    // One region as it is, the other finer.
    let of_regions =
        "[adaptation.regions]\nair = \"required\"\nsteel = { kind = \"adapted\", h_max = 0.03 }\n";
    place.write("c.toml", config("two.msh", 0.1) + of_regions);
    run(&place, Ranks::Alone, &["--out", "whole"]);
    hold_on_any_ranks(&place);
    let counts = |file: &str| -> Vec<usize> {
        let words = regions(&place, file).into_iter().map(|line| line.split(' ').nth(2)?.parse().ok());
        words.map(|count| count.expect("a number of triangles")).collect()
    };
    let ([air, steel], [same, fine]) = (
        counts("two.msh")[..].try_into().expect("two"),
        counts("whole/adapted.h5")[..].try_into().expect("two"),
    );
    assert!(same == air && fine > 6 * steel, "{air} {steel}, then {same} {fine}");
    for (line, words) in [
        (
            "copper = \"required\"",
            &["adaptation.regions: there is no region \"copper\"; the mesh has \"air\", \"steel\""][..],
        ),
        ("air = \"frozen\"", &["\"adapted\" or \"required\"", "frozen"]),
        ("air = 0.1", &["adaptation.regions.air"]),
    ] {
        place.write("c.toml", config("two.msh", 0.1) + &format!("[adaptation.regions]\n{line}\n"));
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", "no"]).refused(2, words);
    }
    place.write("c.toml", config("two.msh", 0.05));
    run(&place, Ranks::Alone, &["--out", "whole"]);
    // Coarser, from either format; Medit's has numbers for names.
    for (file, names) in [("whole/adapted.h5", ["air", "steel"]), ("whole/adapted.mesh", ["1", "2"])] {
        place.write("c.toml", config(file, 0.2));
        run(&place, Ranks::Alone, &["--out", "coarse"]);
        let coarse = regions(&place, "coarse/adapted.h5");
        assert!(coarse.len() == 2 && (0..2).all(|k| coarse[k].contains(names[k])), "{coarse:?}");
    }
}

/// A line inside a region and a vertex stay, whatever the ranks, after a restart and in the next run from either format.
#[test]
fn lines_inside_regions_and_chosen_vertices_stay_on_any_ranks_after_a_restart_and_in_the_next_run() {
    let place = Place::new();
    // Five sides in the region to the right, from node (7, 6) on.
    let wire: Vec<[usize; 2]> = (7..12).map(|i| [i, i + 1].map(|i| i + 13 * 6 + 1)).collect();
    place.write("wired.msh", two_regions_with(12, &wire));
    let config = |mesh: &str, line: &str, points: &str| {
        format!(
            "case = \"adaptation\"\nmesh.file = \"{mesh}\"\n[adaptation]\nmetric = \"uniform\"\nsize = 0.3\n\
             medit = true\niterations = 2\npoints = {points}\n[adaptation.boundaries]\n{line}\n[output]\n\
             directory = \"out\"\ncheckpoint_every = 1\n"
        )
    };
    let vertex = [0.25 + 0.4 * 0.25 * 0.75 * (6.2f64 * 0.25).sin(), 0.25];
    let points = format!("[[{:.9}, 0.25]]", vertex[0]);
    place.write("c.toml", config("wired.msh", "wire = \"required\"", &points));
    run(&place, Ranks::Alone, &["--out", "whole"]);
    hold_on_any_ranks(&place);
    let stays = |file: &str| {
        let mesh = cfd_io::read_element_mesh(&Comm::single(), &place.path(file)).expect("a mesh");
        mesh.x().as_chunks::<2>().0.contains(&vertex)
    };
    for file in ["whole/adapted.h5", "rest/adapted.h5"] {
        assert_eq!((sides(&place, file, "wire"), stays(file)), (5, true), "{file}");
    }
    for file in ["whole/adapted.h5", "whole/adapted.mesh"] {
        place.write("c.toml", config(file, "wire = \"polygon\"", "[]"));
        run(&place, Ranks::Alone, &["--out", "next"]);
        let count = sides(&place, "next/adapted.h5", "wire");
        assert!((1..5).contains(&count) && !stays("next/adapted.h5"), "{file}: {count}");
    }
    for (points, words) in [
        ("[[0.3, 0.3]]", &["adaptation.points: there is no vertex at [0.3, 0.3]; the nearest is"][..]),
        ("[[0.3, 0.3, 0.0]]", &["adaptation.points", "two coordinates"]),
    ] {
        place.write("c.toml", config("wired.msh", "wire = \"required\"", points));
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", "no"]).refused(2, words);
    }
    // No flow is computed around it.
    place.write(
        "flow.toml",
        "case = \"flow\"\nmesh.file = \"wired.msh\"\n[flow.boundaries]\nrim = \"slip\"\n",
    );
    place.run(Ranks::Alone, &["--config", "flow.toml", "--out", "no"]).refused(2, &["wired.msh", "wire"]);
}

/// Sides on the boundary of this name, as `mesh info` counts them.
fn sides(place: &Place, file: &str, name: &str) -> usize {
    let info = place.run(Ranks::Alone, &["mesh", "info", file]).succeeded().stdout;
    let line = info.lines().find(|line| line.contains(&format!("boundary {name} "))).expect("the boundary");
    line.split_whitespace().nth(2).and_then(|count| count.parse().ok()).expect("a number")
}

/// The ceiling is an arch of 24 sides; a coarse mesh has fewer, a fine one of the next iteration more, all at the arch.
#[test]
fn a_curved_boundary_is_followed_on_any_ranks_and_after_a_restart() {
    let place = Place::new();
    let height = |x: f64| 1.0 + x * (1.0 - x);
    place.write("arch.su2", named_patch(24, |x, y| [x, y * height(x)]));
    let config = |size: f64, more: &str| {
        format!(
            "case = \"adaptation\"\nmesh.file = \"arch.su2\"\n[adaptation]\nmetric = \"uniform\"\nsize = {size}\n\
             iterations = 2\n{more}\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\n"
        )
    };
    let curved = |size: f64| {
        place.write("c.toml", config(size, ""));
        run(&place, Ranks::Alone, &["--out", "whole"]);
        hold_on_any_ranks(&place);
        sides(&place, "whole/adapted.h5", "ceiling")
    };
    assert!(curved(0.4) < 9);
    assert!(curved(0.02) > 45);
    let mesh = cfd_io::read_element_mesh(&Comm::single(), &place.path("whole/adapted.h5")).expect("a mesh");
    let top =
        mesh.x().as_chunks::<2>().0.iter().map(|[x, y]| y - height(*x)).fold(f64::NEG_INFINITY, f64::max);
    assert!(top.abs() < 1e-4, "{top}");
    // What the configuration says of boundaries.
    place.write("c.toml", config(0.4, "[adaptation.boundaries]\nceiling = \"required\""));
    run(&place, Ranks::Alone, &["--out", "required"]);
    assert_eq!(sides(&place, "required/adapted.h5", "ceiling"), 24);
    for (line, words) in [
        ("roof = \"spline\"", &["adaptation.boundaries: there is no boundary \"roof\"", "\"ceiling\""][..]),
        (
            "ceiling = { kind = \"circle\", center = [0.5, 0.0], radius = 1.5 }",
            &["from its curve", "expected at most"],
        ),
        (
            "ceiling = \"arch\"",
            &[
                "\"spline\", \"line\", \"polygon\", \"required\", \"periodic\", \"circle\", \"ellipse\" or \"naca0012\"",
            ],
        ),
    ] {
        place.write("c.toml", config(0.4, &format!("[adaptation.boundaries]\n{line}")));
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", "no"]).refused(2, words);
    }
    // A checkpoint whose curve the configuration gives no more.
    let round = |x: f64| (4.25 - (x - 0.5) * (x - 0.5)).sqrt() - 1.0;
    place.write("arch.su2", named_patch(8, |x, y| [x, y * round(x)]));
    let circle = "ceiling = { kind = \"circle\", center = [0.5, -1.0], radius = 2.0615528128088303 }";
    place.write("c.toml", config(0.2, &format!("[adaptation.boundaries]\n{circle}")));
    run(&place, Ranks::Alone, &["--iterations", "1", "--out", "round"]);
    place.write("c.toml", config(0.2, ""));
    place
        .run(Ranks::Alone, &["--config", "c.toml", "--restart", "round", "--out", "no"])
        .refused(2, &["the checkpoint has curves that adaptation.boundaries does not give"]);
    place.write("c.toml", config(0.4, "").replace("size = 0.4\n", ""));
    place
        .run(Ranks::Alone, &["--config", "c.toml", "--out", "no"])
        .refused(2, &["adaptation.size belong together"]);
}

//! Curves of boundaries by name, and sizes at boundaries and in regions, from outside.

use cfd_engine::comm::Comm;

use crate::adaptation::{named_patch, results, run};
use crate::launch::{Place, Ranks, ways};

/// The places of the vertices on a boundary.
fn vertices(place: &Place, file: &str, name: &str) -> Vec<[f64; 2]> {
    let mesh = cfd_io::read_element_mesh(&Comm::single(), &place.path(file)).expect("a mesh");
    let lines = mesh.elements()[1];
    let named = lines.nodes.chunks_exact(2).zip(lines.groups);
    let of_name = named.filter(|(_, group)| mesh.groups.names(1, **group).any(|of| of == name));
    let mut nodes: Vec<u64> = of_name.flat_map(|(ends, _)| ends.to_vec()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.iter().map(|v| mesh.x().as_chunks::<2>().0[*v as usize]).collect()
}

fn config(mesh: &str, size: f64, more: &str) -> String {
    format!(
        "case = \"adaptation\"\nmesh.file = \"{mesh}\"\n[adaptation]\nmetric = \"uniform\"\nsize = {size}\n\
         iterations = 2\n{more}\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\n"
    )
}

/// The results with this configuration are the same on any ranks and after a restart.
fn hold(place: &Place) {
    run(place, Ranks::Alone, &["--out", "whole"]);
    let whole = results(&place.summary("whole"));
    for ranks in ways() {
        run(place, ranks, &["--out", "other", "--partitioner", "random", "--threads", "2"]);
        assert_eq!(results(&place.summary("other")), whole, "{ranks:?}");
        run(place, ranks, &["--iterations", "1", "--out", "part"]);
        run(place, Ranks::Alone, &["--restart", "part", "--out", "rest"]);
        assert_eq!(results(&place.summary("rest"))[..3], whole[..3]);
    }
}

/// An arc of an ellipse with half axes 1 and 1.2 about (0.5, 0): x at the share t.
fn arc(x: f64) -> f64 {
    1.2 * (1.0 - (x - 0.5) * (x - 0.5)).sqrt()
}

#[test]
fn vertices_come_onto_an_ellipse_and_onto_a_curve_through_the_points_of_a_file() {
    let place = Place::new();
    // 8 sides, whose spline is 1e-4 off; the points of the file are those of 80.
    place.write("arch.su2", named_patch(8, |x, y| [x, y * arc(x)]));
    let points: String =
        (0..=80).map(|k| f64::from(k) / 80.0).map(|x| format!("{x}, {}\n", arc(x))).collect();
    place.write("points.csv", format!("# x, y\n{points}"));
    let most_off = |rule: &str| {
        place
            .write("c.toml", config("arch.su2", 0.02, &format!("[adaptation.boundaries]\nceiling = {rule}")));
        hold(&place);
        let ceiling = vertices(&place, "whole/adapted.h5", "ceiling");
        assert!(ceiling.len() > 45, "{}", ceiling.len());
        ceiling.iter().map(|[x, y]| (y - arc(*x)).abs()).fold(0.0, f64::max)
    };
    let ellipse = most_off("{ kind = \"ellipse\", center = [0.5, 0.0], radii = [1.0, 1.2] }");
    assert!(ellipse < 1e-14, "{ellipse}");
    let turned = most_off("{ kind = \"ellipse\", center = [0.5, 0.0], radii = [1.2, 1.0], angle = 90.0 }");
    assert!(turned < 1e-14, "{turned}");
    let file = most_off("{ kind = \"spline\", file = \"points.csv\" }");
    assert!((1e-12..1e-6).contains(&file), "{file}");
    assert!(most_off("\"spline\"") > 1e-5);
    for (rule, words) in [
        (
            "{ kind = \"ellipse\", center = [0.5, 0.0] }",
            &["adaptation.boundaries.ceiling", "`radii`, its half axes"][..],
        ),
        (
            "{ kind = \"ellipse\", center = [0.5, 0.0], radii = [1.0, 0.0] }",
            &["adaptation.boundaries.ceiling.radii"],
        ),
        (
            "{ kind = \"ellipse\", center = [0.5, 0.2], radii = [1.0, 1.2] }",
            &["boundary \"ceiling\"", "from its curve"],
        ),
        ("{ kind = \"spline\", file = \"none.csv\" }", &["adaptation.boundaries.ceiling.file: none.csv: "]),
        (
            "{ kind = \"spline\", file = \"arch.su2\" }",
            &["arch.su2:1: \"NDIME= 2\"; expected two numbers: x and y"],
        ),
    ] {
        place.write("c.toml", config("arch.su2", 0.1, &format!("[adaptation.boundaries]\nceiling = {rule}")));
        for ranks in ways() {
            place.run(ranks, &["--config", "c.toml", "--out", "no"]).refused(2, words);
        }
    }
}

/// Corners of a curve are corners of the mesh.
#[test]
fn a_curve_of_a_file_keeps_its_corner_and_a_line_makes_a_noisy_side_straight() {
    let place = Place::new();
    // A roof that turns by 60 degrees over a floor whose vertices are up to 1e-4 off.
    let roof = |x: f64| 1.0 + 0.29 * (1.0 - (2.0 * x - 1.0).abs());
    let noise = |x: f64| if x == 0.0 || x == 1.0 { 0.0 } else { 1e-4 * (97.0 * x).sin() };
    place.write("roof.su2", named_patch(16, |x, y| [x, noise(x) + y * (roof(x) - noise(x))]));
    place.write("roof.csv", "0 1\n0.5 1.29\n1 1\n");
    let rules = "corner_angle = 30.0\n[adaptation.boundaries]\nceiling = { kind = \"spline\", file = \"roof.csv\" }\n";
    place.write("c.toml", config("roof.su2", 0.4, &format!("{rules}floor = \"line\"\n")));
    hold(&place);
    let ceiling = vertices(&place, "whole/adapted.h5", "ceiling");
    assert!(ceiling.contains(&[0.5, 1.29]) && ceiling.len() < 8, "{ceiling:?}");
    assert!(ceiling.iter().all(|[x, y]| (y - roof(*x)).abs() < 1e-12), "{ceiling:?}");
    let floor = vertices(&place, "whole/adapted.h5", "floor");
    assert!(floor.len() < 6 && floor.iter().all(|[_, y]| y.abs() < 1e-4), "{floor:?}");
    place.write("c.toml", config("roof.su2", 0.4, &format!("{rules}floor = \"polygon\"\n")));
    run(&place, Ranks::Alone, &["--out", "polygon"]);
    assert_eq!(vertices(&place, "polygon/adapted.h5", "floor").len(), 17);
    // Without a corner at its ridge, it is no line.
    place.write(
        "c.toml",
        config("roof.su2", 0.4, "corner_angle = 90.0\n[adaptation.boundaries]\nceiling = \"line\"\n"),
    );
    place
        .run(Ranks::Alone, &["--config", "c.toml", "--out", "no"])
        .refused(2, &["boundary \"ceiling\"", "from its curve"]);
}

#[test]
fn boundaries_have_smallest_and_largest_sizes_of_their_own() {
    let place = Place::new();
    place.write("square.su2", named_patch(10, |x, y| [x, y]));
    let sides = |boundaries: &str| {
        place.write("c.toml", config("square.su2", 0.05, &format!("[adaptation.boundaries]\n{boundaries}")));
        hold(&place);
        ["ceiling", "floor"].map(|name| vertices(&place, "whole/adapted.h5", name).len() - 1)
    };
    let [ceiling, floor] = sides("ceiling = { kind = \"spline\", h_min = 0.2 }");
    assert!(ceiling < 14 && (16..26).contains(&floor), "{ceiling} {floor}");
    let [ceiling, _] = sides("ceiling = { kind = \"line\", h_min = 0.01, h_max = 0.02 }");
    assert!((35..70).contains(&ceiling), "{ceiling}");
    for (keys, words) in [
        (
            "[adaptation.boundaries]\nceiling = { kind = \"spline\", h_min = 0.2, h_max = 0.1 }",
            "adaptation.boundaries.ceiling.h_min = 0.2 is above adaptation.boundaries.ceiling.h_max = 0.1",
        ),
        (
            "h_max = 0.1\n[adaptation.boundaries]\nfloor = { kind = \"polygon\", h_min = 0.2 }",
            "adaptation.boundaries.floor.h_min = 0.2 is above adaptation.h_max = 0.1",
        ),
        (
            "h_min = 0.1\n[adaptation.regions]\n\"0\" = { kind = \"adapted\", h_max = 0.05 }",
            "adaptation.h_min = 0.1 is above adaptation.regions.0.h_max = 0.05",
        ),
    ] {
        place.write("c.toml", config("square.su2", 0.05, keys));
        place.run(Ranks::Alone, &["--config", "c.toml", "--out", "no"]).refused(2, &[words]);
    }
}

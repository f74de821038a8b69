//! What Medit's files mark as staying, and names of lines between regions, through adaptations, from outside.

use std::collections::BTreeSet;

use cfd_engine::comm::Comm;
use cfd_mesh::{ElementKind, Mark};

use crate::adaptation::{results, run};
use crate::launch::{Place, Ranks, ways};

const N: usize = 10;

fn node(i: usize, j: usize) -> usize {
    i + (N + 1) * j + 1
}

/// The unit square in Medit's format: regions 1 to the left and 2 to the right, the rim with the number 3, the line between
/// the regions with 5, a line inside the region to the right with 0.
fn square(marks: &str) -> String {
    let mut vertices = String::new();
    for (i, j) in (0..=N).flat_map(|j| (0..=N).map(move |i| (i, j))) {
        let [x, y] = [i, j].map(|k| k as f64 / N as f64);
        vertices += &format!("{:?} {y:?} 0\n", x + 0.3 * x * (1.0 - x) * (6.0 * y).sin());
    }
    let mut edges: Vec<[usize; 3]> = Vec::new();
    for k in 0..N {
        edges.push([node(k, 0), node(k + 1, 0), 3]);
        edges.push([node(k, N), node(k + 1, N), 3]);
        edges.push([node(0, k), node(0, k + 1), 3]);
        edges.push([node(N, k), node(N, k + 1), 3]);
    }
    edges.extend((0..N).map(|k| [node(N / 2, k), node(N / 2, k + 1), 5]));
    edges.push([node(7, 5), node(8, 5), 0]);
    let edges: String = edges.iter().map(|[a, b, of]| format!("{a} {b} {of}\n")).collect();
    let mut triangles = String::new();
    for (i, j) in (0..N).flat_map(|j| (0..N).map(move |i| (i, j))) {
        let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        let region = if 2 * i < N { 1 } else { 2 };
        triangles += &format!("{a} {b} {c} {region}\n{a} {c} {d} {region}\n");
    }
    format!(
        "MeshVersionFormatted 2\nDimension 2\nVertices\n{}\n{vertices}Edges\n{}\n{edges}Triangles\n{}\n{triangles}{marks}End\n",
        (N + 1) * (N + 1),
        5 * N + 1,
        2 * N * N
    )
}

/// A corner on the line between the regions, two vertices inside and one on the rim, three sides, a triangle.
fn marks() -> String {
    format!(
        "Corners\n1\n{}\nRequiredVertices\n3\n{}\n{}\n{}\nRequiredEdges\n3\n9\n{}\n{}\nRequiredTriangles\n1\n{}\n",
        node(N / 2, 7),
        node(2, 2),
        node(8, 3),
        node(3, N),
        4 * N + 3,
        5 * N + 1,
        2 * (8 * N + 1) + 1
    )
}

const RIM: &str = "2\n3 0 rim\n5 0 seam\n";

fn config(mesh: &str, size: f64, more: &str) -> String {
    format!(
        "case = \"adaptation\"\nmesh.file = \"{mesh}\"\n[adaptation]\nmetric = \"uniform\"\nsize = {size}\nmedit = true\n\
         iterations = 2\n{more}\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\n"
    )
}

/// The places of all that a file marks, and of the sides of lines with a name.
fn found(place: &Place, file: &str) -> [BTreeSet<Vec<[u64; 2]>>; 5] {
    let mesh = cfd_io::read_element_mesh(&Comm::single(), &place.path(file)).expect("a mesh");
    let x = mesh.x().as_chunks::<2>().0;
    let row = |row: &[u64]| {
        let mut row: Vec<[u64; 2]> = row.iter().map(|v| x[*v as usize].map(f64::to_bits)).collect();
        row.sort_unstable();
        row
    };
    let marked = |mark: Mark| mesh.marked(mark).chunks_exact(mark.nodes()).map(row).collect();
    let lists = mesh.elements();
    let lines = lists.iter().find(|list| list.kind == ElementKind::Line).expect("lines");
    let named = lines.nodes.chunks_exact(2).zip(lines.groups);
    let seam = named.filter(|(_, group)| mesh.groups.names(1, **group).any(|name| name == "seam"));
    let [corners, nodes, lines, triangles] = Mark::ALL.map(marked);
    [corners, nodes, lines, triangles, seam.map(|(ends, _)| row(ends)).collect()]
}

fn all_the_same(place: &Place) {
    let whole = results(&place.summary("whole"));
    for ranks in ways() {
        run(place, ranks, &["--out", "other", "--partitioner", "random", "--threads", "2"]);
        assert_eq!(results(&place.summary("other")), whole, "{ranks:?}");
        run(place, ranks, &["--iterations", "1", "--out", "part"]);
        run(place, ranks, &["--restart", "part", "--out", "rest"]);
        assert_eq!(results(&place.summary("rest"))[..3], whole[..3], "{ranks:?}");
    }
}

#[test]
fn what_medit_marks_stays_on_any_ranks_after_a_restart_and_in_the_next_run() {
    let place = Place::new();
    place.write("marked.mesh", square(&marks()));
    place.write("marked.mapbc", RIM);
    let given = found(&place, "marked.mesh");
    assert_eq!(given.each_ref().map(BTreeSet::len), [1, 3, 3, 1, N]);
    for size in [0.3, 0.04] {
        place.write("c.toml", config("marked.mesh", size, ""));
        run(&place, Ranks::Alone, &["--out", "whole"]);
        all_the_same(&place);
        for file in ["whole/adapted.h5", "whole/adapted.mesh", "rest/adapted.h5", "rest/adapted.mesh"] {
            let left = found(&place, file);
            assert_eq!(left[..4], given[..4], "{file}");
            assert!(left[4].len() != N, "{file}: {}", left[4].len());
        }
    }
    // Rules for a whole boundary are for the rest of it.
    let coarse = config("whole/adapted.mesh", 0.3, "[adaptation.boundaries]\nrim = \"polygon\"");
    place.write("c.toml", coarse.replace("[output]", "[output]\nformats = [\"h5\"]"));
    run(&place, Ranks::Alone, &["--out", "next"]);
    assert_eq!(found(&place, "next/adapted.h5")[..4], given[..4]);
    // Without the marks, nothing of it stays.
    place.write("plain.mesh", square(""));
    place.write("c.toml", config("plain.mesh", 0.3, ""));
    run(&place, Ranks::Alone, &["--out", "plain"]);
    let plain = std::fs::read_to_string(place.path("plain/adapted.mesh")).expect("a mesh");
    assert!(!plain.contains("Required") && !plain.contains("Corners"));
    // Edges without a name between the regions come back no more; a name is kept by itself.
    place.write("plain.mapbc", RIM);
    let numbered =
        cfd_io::read_element_mesh(&Comm::single(), &place.path("plain/adapted.h5")).expect("a mesh");
    let names: Vec<String> = numbered.groups.iter().map(|group| group.name.clone()).collect();
    let lines = numbered.elements()[1];
    let listed =
        |name: &str| lines.groups.iter().any(|id| numbered.groups.names(1, *id).any(|of| of == name));
    assert!(listed("3") && listed("0") && !listed("5"), "{names:?}");
    place.write("wrong.mesh", square("RequiredEdges\n1\n77\n"));
    place.write("c.toml", config("wrong.mesh", 0.3, ""));
    place
        .run(Ranks::Alone, &["--config", "c.toml", "--out", "no"])
        .refused(2, &["wrong.mesh", "there is no edge 77; expected one of the edges 1 to 51"]);
}

#[test]
fn a_line_between_regions_keeps_its_name_which_selects_it_before_that_of_the_regions() {
    let place = Place::new();
    place.write("named.mesh", square(""));
    place.write("named.mapbc", RIM);
    let seam = |mesh: &str, more: &str| {
        place.write("c.toml", config(mesh, 0.4, more));
        run(&place, Ranks::Alone, &["--out", "whole"]);
        found(&place, "whole/adapted.h5")[4].len()
    };
    let coarse = seam("named.mesh", "");
    assert!(coarse < 8, "{coarse}");
    all_the_same(&place);
    assert_eq!(found(&place, "rest/adapted.h5")[4].len(), coarse);
    for (boundaries, sides) in [
        ("seam = \"required\"", N..N + 1),
        ("\"1|2\" = \"required\"", N..N + 1),
        ("seam = \"spline\"\n\"1|2\" = \"required\"", 1..8),
        ("seam = { kind = \"spline\", h_max = 0.02 }", 40..80),
        ("\"1|2\" = { kind = \"spline\", h_max = 0.02 }", 40..80),
    ] {
        let left = seam("named.mesh", &format!("gradation = 1.4\n[adaptation.boundaries]\n{boundaries}"));
        assert!(sides.contains(&left), "{boundaries}: {left}");
    }
    all_the_same(&place);
    // In the next run, from either format; the name goes along.
    place.write("fine.toml", config("named.mesh", 0.05, "").replace("\"out\"", "\"fine\""));
    place.run(Ranks::Alone, &["--config", "fine.toml", "--out", "fine"]).succeeded();
    for mesh in ["fine/adapted.h5", "fine/adapted.mesh"] {
        let left = seam(mesh, "");
        assert!((1..8).contains(&left), "{mesh}: {left}");
    }
    place.write("c.toml", config("named.mesh", 0.4, "[adaptation.boundaries]\nweld = \"spline\""));
    place
        .run(Ranks::Alone, &["--config", "c.toml", "--out", "no"])
        .refused(2, &["adaptation.boundaries: there is no boundary \"weld\"", "\"seam\", \"1|2\""]);
    // As before the adaptation, no flow is computed with it, and it is so without.
    let flow = "case = \"flow\"\nmesh.file = \"fine/adapted.h5\"\nflow.iterations = 2\n[flow.boundaries]\nrim = \"slip\"\n\
                \"0\" = \"slip\"\nseam = \"slip\"\n";
    place.write("flow.toml", flow);
    place.run(Ranks::Alone, &["--config", "flow.toml", "--out", "no"]).refused(2, &["adapted.h5"]);
}

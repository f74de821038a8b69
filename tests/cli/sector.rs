//! A sector of a ring in SU2's format: one side is turned into the other.

use std::fmt::Write as _;

use crate::launch::{Place, Ranks};

/// Cells around the sector of 60 degrees, and across it.
const CELLS: [usize; 2] = [6, 5];

/// The sector between the radii 1 and 2.
fn sector() -> String {
    let [n, m] = CELLS;
    let node = |i: usize, j: usize| i + (n + 1) * j;
    let mut text = format!("NDIME= 2\nNELEM= {}\n", n * m);
    for (i, j) in (0..m).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let [a, b, c, d] = [node(i, j), node(i, j + 1), node(i + 1, j + 1), node(i + 1, j)];
        writeln!(text, "9 {a} {b} {c} {d}").unwrap();
    }
    writeln!(text, "NPOIN= {}", (n + 1) * (m + 1)).unwrap();
    for (i, j) in (0..=m).flat_map(|j| (0..=n).map(move |i| (i, j))) {
        let (r, angle) = (1.0 + j as f64 / m as f64, (60.0 * i as f64 / n as f64).to_radians());
        writeln!(text, "{:?} {:?}", r * angle.cos(), r * angle.sin()).unwrap();
    }
    let around = |j: usize| (0..n).map(move |i| [node(i, j), node(i + 1, j)]).collect::<Vec<_>>();
    let across = |i: usize| (0..m).map(move |j| [node(i, j), node(i, j + 1)]).collect::<Vec<_>>();
    let markers = [("inner", around(0)), ("outer", around(m)), ("start", across(0)), ("end", across(n))];
    writeln!(text, "NMARK= {}", markers.len()).unwrap();
    for (name, lines) in markers {
        writeln!(text, "MARKER_TAG= {name}\nMARKER_ELEMS= {}", lines.len()).unwrap();
        lines.iter().for_each(|[a, b]| writeln!(text, "3 {a} {b}").unwrap());
    }
    text
}

/// A configuration whose side `start` has these keys.
fn config(side: &str) -> String {
    format!(
        "case = \"flow\"\nmesh.file = \"ring.su2\"\n[flow]\nequations = \"laminar\"\nreynolds = 50.0\nmach = 0.3\n\
         iterations = 6\n[flow.boundaries]\ninner = {{ kind = \"no_slip\", temperature = 1.2 }}\nouter = \"no_slip\"\n\
         start = {{ kind = \"periodic\", partner = \"end\", {side} }}\n"
    )
}

#[test]
fn a_sector_has_one_hash_and_a_wrong_angle_is_refused_with_the_worst_pair() {
    let place = Place::new();
    place.write("ring.su2", sector());
    place.write("c.toml", config("angle = 60.0"));
    let ways = if cfg!(feature = "mpi") { &[Ranks::Alone, Ranks::Launched(3)][..] } else { &[Ranks::Alone] };
    let hashes: Vec<String> = ways
        .iter()
        .map(|&ranks| {
            place.run(ranks, &["--config", "c.toml"]).succeeded();
            place.summary("out").pointer("/hash/solution").expect("a hash").to_string()
        })
        .collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");

    place.write("c.toml", config("angle = -60.0"));
    let ended = place.run(Ranks::Alone, &["--config", "c.toml"]);
    ended.refused(2, &["\"start\" and \"end\" do not match: node", "goes to (", "nearest node there is"]);
    place.write("c.toml", config("angle = 60.0, center = [0.0, 0.0, 0.0]"));
    let ended = place.run(Ranks::Alone, &["--config", "c.toml"]);
    ended.refused(2, &["\"start\" has a center of 3 numbers, but the mesh has 2 dimensions"]);
    place.write("c.toml", config("angle = 60.0, axis = [0.0, 0.0, 0.0]"));
    place.run(Ranks::Alone, &["--config", "c.toml"]).refused(2, &["has an axis of length 0"]);
}

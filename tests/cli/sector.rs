//! A sector of a ring in SU2's format: one side is turned into the other.

use std::fmt::Write as _;

use crate::launch::{Place, Ranks};

/// Cells around the sector of 60 degrees, and across it.
const CELLS: [usize; 2] = [6, 5];

/// The node after `i` cells around and `j` across. Those of the side `start` come last.
fn node(i: usize, j: usize) -> usize {
    let [n, m] = CELLS;
    if i == 0 { n * (m + 1) + j } else { i - 1 + n * j }
}

/// The sector between the radii 1 and 2.
pub fn sector() -> String {
    let [n, m] = CELLS;
    let mut text = format!("NDIME= 2\nNELEM= {}\n", n * m);
    for (i, j) in (0..m).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let [a, b, c, d] = [node(i, j), node(i, j + 1), node(i + 1, j + 1), node(i + 1, j)];
        writeln!(text, "9 {a} {b} {c} {d}").unwrap();
    }
    writeln!(text, "NPOIN= {}", (n + 1) * (m + 1)).unwrap();
    let inner = (0..=m).flat_map(|j| (1..=n).map(move |i| (i, j)));
    for (i, j) in inner.chain((0..=m).map(|j| (0, j))) {
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

/// The same sector, which states itself that its side `start`, of copies, is turned into its side `end`.
pub fn sector_that_turns() -> String {
    let [n, m] = CELLS;
    let all = (n + 1) * (m + 1);
    let side = |to: i32, i: usize| {
        let nodes: String = (0..=m).map(|j| format!("1 {} 1\n", node(i, j))).collect();
        format!("MARKER_TAG= SEND_RECEIVE\nMARKER_ELEMS= {}\nSEND_TO= {to}\n{nodes}", m + 1)
    };
    let turn = format!("PERIODIC_INDEX= 1\n0 0 0\n0 0 {}\n0 0 0\n", 60f64.to_radians());
    sector()
        .replace(&format!("NPOIN= {all}"), &format!("NPOIN= {all} {}", n * (m + 1)))
        .replace("NMARK= 4", "NMARK= 6")
        + &side(1, n)
        + &side(-1, 0)
        + "NPERIODIC= 2\nPERIODIC_INDEX= 0\n0 0 0\n0 0 0\n0 0 0\n"
        + &turn
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

/// Coarse levels go on beyond a turned boundary that a mesh states; what has no effect there, or would not be the same in the
/// next sector, is refused as it is where the configuration turns it.
#[test]
fn a_mesh_that_states_that_it_turns_is_treated_as_one_that_the_configuration_turns() {
    let place = Place::new();
    place.write("ring.su2", sector_that_turns());
    let config = config("");
    let (stated, _) = config.split_once("start =").unwrap();
    place.write("c.toml", stated);
    let newton = ["--config", "c.toml", "--set", "flow.scheme=newton"];
    place.run(Ranks::Alone, &[&newton[..], &["--out", "alone"]].concat()).succeeded();
    let levels = ["--set", "flow.coarse_levels=2", "--out", "levels"];
    place.run(Ranks::Alone, &[&newton[..], &levels].concat()).succeeded();
    let none = ["--set", "flow.coarse_levels=0", "--out", "none"];
    place.run(Ranks::Alone, &[&newton[..], &none].concat()).succeeded();
    let euler = ["--config", "c.toml", "--set", "flow.local_step=matrix"];
    place.run(Ranks::Alone, &euler).refused(2, &["flow.local_step = \"matrix\"", "mesh itself states"]);
    place.write("c.toml", stated.replace("outer = \"no_slip\"", "outer = \"far_field\""));
    let words = ["the free stream of the boundary \"outer\" is not along the axis", "mesh itself states"];
    place.run(Ranks::Alone, &["--config", "c.toml"]).refused(2, &words);
}

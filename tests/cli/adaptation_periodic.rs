//! Periodic boundaries of a mesh that is adapted, from outside.

use crate::adaptation::{results, run};
use crate::launch::{Place, Ranks, ways};
use crate::sector::{sector, sector_that_turns};

/// The unit square, which continues on all sides.
fn config(more: &str) -> String {
    format!(
        "case = \"adaptation\"\nmesh.generate = {{ size = [12, 12] }}\n[adaptation]\nmetric = \"front\"\neta = 0.03\n\
         iterations = 3\ntime_step = 7.0\n[adaptation.boundaries]\n\"4\" = {{ kind = \"periodic\", partner = \"2\"{more} }}\n\
         \"1\" = {{ kind = \"periodic\", partner = \"3\", h_max = 0.1 }}\n[output]\ndirectory = \"out\"\ncheckpoint_every = 1\n"
    )
}

#[test]
fn a_mesh_between_periodic_boundaries_is_one_for_a_flow_between_them() {
    let place = Place::new();
    place.write("c.toml", config(", translation = [1.0, 0.0]"));
    run(&place, Ranks::Alone, &["--out", "whole"]);
    let whole = results(&place.summary("whole"));
    for ranks in ways() {
        run(&place, ranks, &["--out", "other", "--partitioner", "random", "--threads", "2"]);
        assert_eq!(results(&place.summary("other")), whole, "{ranks:?}");
        run(&place, ranks, &["--iterations", "1", "--out", "part"]);
        run(&place, Ranks::Alone, &["--restart", "part", "--out", "rest"]);
        assert_eq!(results(&place.summary("rest"))[..3], whole[..3], "{ranks:?}");
    }
    place.write(
        "flow.toml",
        "case = \"flow\"\nmesh.file = \"whole/adapted.h5\"\n[flow]\nmach = 0.5\nscheme = \"rk3\"\niterations = 2\n\
         [flow.boundaries]\n\"2\" = { kind = \"periodic\", partner = \"4\", tolerance = 1e-9 }\n\"3\" = { kind = \"periodic\", \
         partner = \"1\", tolerance = 1e-9 }\n",
    );
    place.run(Ranks::Alone, &["--config", "flow.toml", "--out", "flow"]).succeeded();
}

/// A mesh in SU2's format with two triangles in place of each quadrilateral.
fn of_triangles(mesh: &str) -> String {
    let line = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
        ["9", a, b, c, d] => format!("5 {a} {b} {c}\n5 {a} {c} {d}\n"),
        ["NELEM=", count] => format!("NELEM= {}\n", 2 * count.parse::<usize>().unwrap()),
        _ => format!("{line}\n"),
    };
    mesh.lines().map(line).collect()
}

#[test]
fn a_mesh_that_states_that_it_turns_is_adapted_as_one_that_the_configuration_turns() {
    let place = Place::new();
    let hash = |ranks, out| {
        run(&place, ranks, &["--out", out, "--partitioner", "random"]);
        place.summary(out).pointer("/mesh_hash").expect("a hash").to_string()
    };
    let config = "case = \"adaptation\"\nmesh.file = \"ring.su2\"\n[adaptation]\nmetric = \"uniform\"\nsize = 0.11\n\
                  iterations = 2\n";
    let pair = "[adaptation.boundaries]\nstart = { kind = \"periodic\", partner = \"end\", angle = 60.0 }\n";
    place.write("ring.su2", of_triangles(&sector()));
    place.write("c.toml", format!("{config}{pair}"));
    let turned = hash(Ranks::Alone, "turned");
    place.write("c.toml", config);
    assert_ne!(hash(Ranks::Alone, "free"), turned, "the pair changes nothing");
    place.write("ring.su2", of_triangles(&sector_that_turns()));
    for ranks in ways() {
        assert_eq!(hash(ranks, "stated"), turned, "{ranks:?}");
    }
}

#[test]
fn pairs_that_are_none_are_refused() {
    let place = Place::new();
    let refused = |more: &str, words: &[&str]| {
        place.write("c.toml", config(more));
        place.run(Ranks::Alone, &["--config", "c.toml"]).refused(2, words);
    };
    refused(
        ", translation = [0.5, 0.0]",
        &["the periodic boundaries \"4\" and \"2\" do not match", "has no ends"],
    );
    refused(", angle = 90.0", &["the periodic boundaries \"4\" and \"2\" do not match"]);
    let wrong = |from: &str, to: &str, words: &[&str]| {
        place.write("c.toml", config("").replace(from, to));
        place.run(Ranks::Alone, &["--config", "c.toml"]).refused(2, words);
    };
    wrong("partner = \"2\"", "partner = \"5\"", &["there is no boundary \"5\""]);
    wrong("partner = \"2\"", "partner = \"1\"", &["\"1\" is in more than one pair"]);
    wrong("partner = \"2\"", "h_max = 1.0", &["partner"]);
}

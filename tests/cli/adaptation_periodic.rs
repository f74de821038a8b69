//! Periodic boundaries of a mesh that is adapted, from outside.

use crate::adaptation::{results, run};
use crate::launch::{Place, Ranks, ways};

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

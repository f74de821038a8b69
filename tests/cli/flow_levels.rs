//! Flow with coarse levels: of explicit steps, and of Newton's systems.

use crate::launch::{Place, Ranks, ways};

/// With a lift that is looked for and a mass flow, which change what holds on the boundaries of all levels.
const FLOW: &str = "case = \"flow\"\nmesh.generate = { size = [40, 32], elements = \"mixed\", distortion = 0.1 }\n\
                    output.checkpoint_every = 4\noutput.checkpoint_keep = 20\n\
                    [flow]\nmach = 0.4\ntarget_lift = 0.1\nlift_steps = 2\niterations = 9\ncoarse_levels = 3\n\
                    [flow.boundaries]\nx_min = \"far_field\"\nx_max = { kind = \"outlet\", mass_flow = 0.4 }\n\
                    y_min = \"slip\"\ny_max = \"far_field\"\n";

#[test]
fn a_run_with_coarse_levels_continues_bitwise() {
    let place = Place::new();
    place.write("f.toml", FLOW);
    let run = |ranks, args: &[&str]| place.run(ranks, &[&["--config", "f.toml"], args].concat()).succeeded();
    let results = |out: &str| {
        let summary = place.summary(out);
        ["work", "alpha", "total.linear_iterations"]
            .map(|value| summary["values"][value].clone())
            .into_iter()
            .chain([summary["hash"].clone()])
            .collect::<Vec<_>>()
    };
    for (scheme, shown) in
        [("newton", "CFL 10 to 10000, 3 coarse levels"), ("explicit", "CFL 1, 3 coarse levels")]
    {
        let set = format!("flow.scheme={scheme}");
        let whole = run(Ranks::Alone, &["--set", &set, "--out", scheme]);
        let words: Vec<&str> = whole.stdout.split_whitespace().collect();
        assert!(words.join(" ").contains(shown), "{whole:#?}");
        for (ranks, stop) in ways().into_iter().cycle().zip(["00000004", "00000008"]) {
            let other = format!("{scheme}-{stop}");
            run(ranks, &["--set", &set, "--out", &other, "--partitioner", "random"]);
            assert_eq!(results(&other), results(scheme), "{ranks:?}");
            let checkpoint = format!("{other}/checkpoint-{stop}.h5");
            run(Ranks::Alone, &["--set", &set, "--restart", &checkpoint, "--out", "rest"]);
            assert_eq!(results("rest"), results(scheme), "{ranks:?} {stop}");
            std::fs::remove_dir_all(place.path("rest")).unwrap();
        }
    }
    // Coarse levels count by their share of the edges.
    let work = results("explicit")[0].as_f64().unwrap();
    assert!(work > 9.0 * 6.5 && work < 9.0 * 9.0, "{work}");
}

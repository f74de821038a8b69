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

/// Without a number of them, they are used from the first system on that takes many iterations without.
#[test]
fn coarse_levels_begin_where_systems_need_them_and_continue_bitwise() {
    let place = Place::new();
    let config = FLOW.replace("coarse_levels = 3", "scheme = \"newton\"\nlinear_iterations = 7");
    place.write("f.toml", config);
    let run = |ranks, args: &[&str]| place.run(ranks, &[&["--config", "f.toml"], args].concat()).succeeded();
    let levels = |out: &str| {
        let history = place.read(&format!("{out}/history.csv"));
        let mut rows = history.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
        let names = rows.next().unwrap();
        let at = |name: &str| names.iter().position(|own| own == name).unwrap();
        let columns = ["linear_iterations", "coarse_levels"].map(at);
        rows.map(|row| columns.map(|at| row[at].parse::<f64>().unwrap())).collect::<Vec<_>>()
    };
    let whole = run(Ranks::Alone, &["--out", "whole"]);
    let words: Vec<&str> = whole.stdout.split_whitespace().collect();
    assert!(words.join(" ").contains("coarse levels where systems need them"), "{whole:#?}");
    let rows = levels("whole");
    let hard = rows.iter().position(|[iterations, _]| *iterations >= 7.0).expect("a hard system");
    assert!((1..7).contains(&hard), "{rows:?}");
    for (step, [_, levels]) in rows.iter().enumerate() {
        assert_eq!(*levels, if step > hard { 3.0 } else { 0.0 }, "{rows:?}");
    }
    assert_eq!(place.summary("whole")["values"]["coarse_levels"], 3.0);
    run(Ranks::Alone, &["--set", "flow.coarse_levels=0", "--out", "lines"]);
    assert!(levels("lines").iter().all(|[_, levels]| *levels == 0.0));
    for (ranks, stop) in ways().into_iter().cycle().zip(["00000004", "00000008"]) {
        run(ranks, &["--out", stop, "--partitioner", "random"]);
        assert_eq!(place.summary(stop)["hash"], place.summary("whole")["hash"], "{ranks:?}");
        run(Ranks::Alone, &["--restart", &format!("{stop}/checkpoint-{stop}.h5"), "--out", "rest"]);
        assert_eq!(place.summary("rest")["hash"], place.summary("whole")["hash"], "{ranks:?} {stop}");
        assert_eq!(levels("rest"), levels("whole"), "{stop}");
        std::fs::remove_dir_all(place.path("rest")).unwrap();
    }
}

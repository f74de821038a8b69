//! Checkpoints: a run that was stopped, killed or continued elsewhere ends with the bits of an uninterrupted one.

use std::path::Path;

use cfd_engine::comm::Comm;

use crate::launch::{Place, Ranks, ways};

pub const AIRFOIL: &str = "case = \"airfoil\"\nmesh.generate = { size = [8, 6], decimals = 6 }\n";
const AERO: &str = "case = \"aero\"\nmesh.generate = { size = [8, 6], decimals = 6 }\naero.mach = 0.3\n";
/// Three levels, of 1,377, 153 and 25 nodes.
const MGCFD: &str = "case = \"mgcfd\"\nmesh.generate = { size = [16, 7, 8], levels = 3 }\n";
const PROXY: &str = "case = \"mgcfd\"\nmgcfd.scheme = \"proxy\"\n\
                     mesh.generate = { size = [12, 8, 10], levels = 3, shape = \"box\" }\n";

const LULESH: &str = "case = \"lulesh\"\nlulesh.size = 7\n";

/// Newton's method, in which the angle of attack changes for a lift.
const FLOW: &str = "case = \"flow\"\nmesh.generate = { shape = \"naca0012\", size = [29, 7], wall = 0.03 }\n\
                    [flow]\nscheme = \"newton\"\ntarget_lift = 0.3\nlift_steps = 2\n\
                    force_tolerance = 1e-12\nforce_steps = 6\n\
                    [flow.boundaries]\nairfoil = \"slip\"\nfar_field = \"far_field\"\n";

/// Newton's method whose residual does not halve in 30 steps: then its matrix changes.
const STALLING: &str = "case = \"flow\"\nmesh.generate = { shape = \"naca0012\", size = [29, 7], wall = 0.03 }\n\
                        [flow]\nscheme = \"newton\"\ncfl = 0.02\ncfl_max = 0.02\n\
                        [flow.boundaries]\nairfoil = \"slip\"\nfar_field = \"far_field\"\n";

fn place() -> Place {
    let place = Place::new();
    place.write("airfoil.toml", AIRFOIL);
    place.write("aero.toml", AERO);
    place.write("mgcfd.toml", MGCFD);
    place.write("proxy.toml", PROXY);
    place.write("lulesh.toml", LULESH);
    place.write("flow.toml", FLOW);
    place.write("stalling.toml", STALLING);
    place.write("first-order.toml", STALLING.replace("[flow]\n", "[flow]\njacobian = \"first-order\"\n"));
    place
}

/// Hash of the solution and of all residuals.
pub fn hashes(place: &Place, directory: &str) -> [String; 2] {
    let summary = place.summary(directory);
    [&summary["hash"]["solution"], &summary["history_hash"]].map(|hash| hash.as_str().unwrap().to_string())
}

pub fn checkpoints(place: &Place, directory: &str) -> Vec<String> {
    let entries = std::fs::read_dir(place.path(directory)).into_iter().flatten();
    let names = entries.map(|e| e.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.starts_with("checkpoint-"));
    names.sort();
    names
}

/// Runs to the end, and up to a checkpoint and on from there; both must give the same bits.
fn continues(config: &str, before: u64, all: u64, pairs: &[(Ranks, Ranks)]) {
    let place = place();
    let total = all.to_string();
    place.run(Ranks::Alone, &["--config", config, "--iterations", &total, "--out", "whole"]).succeeded();
    let whole = hashes(&place, "whole");
    for (number, (first, second)) in pairs.iter().enumerate() {
        let (half, rest) = (format!("half{number}"), format!("rest{number}"));
        let until = before.to_string();
        let args = ["--config", config, "--iterations", &until, "--out", &half, "--partitioner", "rcb"];
        let with = ["--set", "output.checkpoint_every=1000", "--set", "output.history_every=2"];
        place.run(*first, &[&args[..], &with].concat()).succeeded();
        let file = format!("{half}/checkpoint-{before:08}.h5");
        let args = ["--config", config, "--iterations", &total, "--out", &rest, "--restart", &file];
        let ended = place.run(*second, &args).succeeded();
        assert!(ended.stdout.contains(&format!("after iteration {before}")), "{ended:#?}");
        assert_eq!(hashes(&place, &rest), whole, "{first:?} to {second:?}");
        let summary = place.summary(&rest);
        assert_eq!(summary["iterations"], all);
        assert_eq!(summary["restart"]["iteration"], before);
        assert_eq!(summary["restart"]["changed"].as_array().unwrap().len(), 0);
        assert_eq!(place.residuals(&rest).last(), place.residuals("whole").last());
    }
}

#[cfg(feature = "mpi")]
fn pairs() -> Vec<(Ranks, Ranks)> {
    let on = |ranks: usize| if ranks == 1 { Ranks::Alone } else { Ranks::Launched(ranks) };
    let pairs = [(1, 8), (8, 3), (16, 5)];
    pairs[..if crate::matrix::is_whole() { 3 } else { 2 }]
        .iter()
        .map(|&(first, second)| (on(first), on(second)))
        .collect()
}

#[cfg(not(feature = "mpi"))]
fn pairs() -> Vec<(Ranks, Ranks)> {
    vec![(Ranks::Alone, Ranks::Alone)]
}

#[test]
fn airfoil_continued_on_other_ranks_has_the_bits_of_one_run() {
    continues("airfoil.toml", 7, 15, &pairs());
}

#[test]
fn aero_continued_on_other_ranks_has_the_bits_of_one_run() {
    continues("aero.toml", 2, 4, &pairs());
}

#[test]
fn mgcfd_continued_on_other_ranks_has_the_bits_of_one_run() {
    continues("mgcfd.toml", 3, 5, &pairs());
}

#[test]
fn the_proxy_of_mgcfd_continued_on_other_ranks_has_the_bits_of_one_run() {
    continues("proxy.toml", 3, 5, &pairs());
}

#[test]
fn lulesh_continued_on_other_ranks_has_the_bits_of_one_run() {
    continues("lulesh.toml", 9, 21, &pairs());
}

#[test]
fn flow_that_looks_for_a_lift_continued_on_other_ranks_has_the_bits_of_one_run() {
    continues("flow.toml", 9, 20, &pairs());
}

/// What a run knows of its residual's fall outlives a restart: before the matrix changes, and after.
#[test]
fn flow_whose_residual_stalls_continues_bit_for_bit() {
    for before in [20, 34] {
        continues("stalling.toml", before, 37, &pairs()[..1]);
    }
    let place = place();
    let ends = [("30", "automatic"), ("30", "first-order"), ("37", "automatic"), ("37", "first-order")];
    let [early, early_too, late, late_too] = ends.map(|(iterations, jacobian)| {
        let set = format!("flow.jacobian=\"{jacobian}\"");
        let args = ["--config", "stalling.toml", "--iterations", iterations, "--set", &set, "--out", "end"];
        place.run(Ranks::Alone, &args).succeeded();
        hashes(&place, "end")
    });
    assert!(early == early_too && late != late_too);
}

/// Then nothing is known of the residual's fall, not even its least value.
#[test]
fn flow_with_one_matrix_throughout_continues_bit_for_bit() {
    continues("first-order.toml", 4, 7, &pairs()[..1]);
}

#[test]
fn the_last_checkpoints_are_kept_and_the_newest_of_a_directory_is_found() {
    let place = place();
    let every = ["--set", "output.checkpoint_every=4", "--set", "output.checkpoint_keep=3"];
    let args = ["--config", "airfoil.toml", "--iterations", "18"];
    place.run(Ranks::Alone, &[&args[..], &every].concat()).succeeded();
    let kept = ["checkpoint-00000012.h5", "checkpoint-00000016.h5", "checkpoint-00000018.h5"];
    assert_eq!(checkpoints(&place, "out"), kept);
    for ranks in ways() {
        let args = ["--config", "airfoil.toml", "--iterations", "20", "--restart", "out", "--out", "more"];
        let ended = place.run(ranks, &args).succeeded();
        assert!(ended.stdout.contains("checkpoint-00000018.h5, after iteration 18"), "{ended:#?}");
    }
}

#[test]
fn what_does_not_fit_the_run_is_refused_and_a_changed_key_is_named() {
    let place = place();
    let every = ["--iterations", "3", "--set", "output.checkpoint_every=3"];
    place.run(Ranks::Alone, &[&["--config", "airfoil.toml"][..], &every].concat()).succeeded();
    let file = "out/checkpoint-00000003.h5";
    for ranks in ways() {
        let with = |args: &[&str]| {
            place.run(ranks, &[&["--restart", file, "--out", "x", "--iterations", "4"], args].concat())
        };
        with(&["--config", "aero.toml"]).refused(2, &[file, "case \"airfoil\"", "\"aero\""]);
        let other_mesh = ["--config", "airfoil.toml", "--set", "mesh.generate.size=[8,7]"];
        with(&other_mesh).refused(2, &[file, "another mesh"]);
        let ended =
            with(&["--config", "airfoil.toml", "--set", "airfoil.cfl=0.5", "--seed", "9"]).succeeded();
        assert!(ended.stderr.contains("airfoil.cfl: 0.9 -> 0.5"), "{ended:#?}");
        assert!(!ended.stderr.contains("seed"), "it changes no bits: {ended:#?}");
        assert_eq!(place.summary("x")["restart"]["changed"][0], "airfoil.cfl: 0.9 -> 0.5");
        let mesh = ["--config", "airfoil.toml", "--restart", "airfoil.toml"];
        place.run(ranks, &mesh).refused(2, &["airfoil.toml", "damaged HDF5 file"]);
        let none = ["--config", "airfoil.toml", "--restart", "nowhere"];
        place.run(ranks, &none).refused(2, &["nowhere", "No such file"]);
        std::fs::create_dir_all(place.path("empty")).unwrap();
        let empty = ["--config", "airfoil.toml", "--restart", "empty"];
        place.run(ranks, &empty).refused(2, &["empty", "no intact checkpoint-*.h5"]);
    }
}

#[test]
fn a_damaged_checkpoint_is_refused_wherever_it_is_damaged_and_the_one_before_is_named() {
    let place = place();
    let args = ["--config", "airfoil.toml", "--iterations", "6", "--set", "output.checkpoint_every=3"];
    place.run(Ranks::Alone, &args).succeeded();
    place.run(Ranks::Alone, &["--config", "airfoil.toml", "--iterations", "8", "--out", "whole"]).succeeded();
    let whole = hashes(&place, "whole");
    let path = place.path("out/checkpoint-00000006.h5");
    let good = std::fs::read(&path).unwrap();
    let restart = ["--config", "airfoil.toml", "--iterations", "8", "--out", "more"];
    let from = |name: &str| place.run(Ranks::Alone, &[&restart[..], &["--restart", name]].concat());
    for part in 0..24 {
        std::fs::write(&path, &good[..good.len() * part / 24]).unwrap();
        let before = "--restart out/checkpoint-00000003.h5, after iteration 3";
        from("out/checkpoint-00000006.h5").refused(2, &["out/checkpoint-00000006.h5", before]);
    }
    let mut refused = 0;
    for part in 0..48 {
        let mut bad = good.clone();
        bad[good.len() * part / 48 + 5] ^= 0x10;
        std::fs::write(&path, &bad).unwrap();
        let ended = from("out/checkpoint-00000006.h5");
        match ended.code {
            // The file has bytes that nothing depends on.
            0 => assert_eq!(hashes(&place, "more"), whole, "byte {}", good.len() * part / 48 + 5),
            _ => {
                ended.refused(2, &["out/checkpoint-00000006.h5", "--restart out/checkpoint-00000003.h5"]);
                refused += 1;
            }
        }
    }
    assert!(refused >= 20, "most bytes are data: {refused}");
    // A directory's newest intact one.
    std::fs::write(&path, &good[..good.len() / 2]).unwrap();
    let ended = from("out").succeeded();
    assert!(ended.stdout.contains("out/checkpoint-00000003.h5, after iteration 3"), "{ended:#?}");
    assert_eq!(hashes(&place, "more"), whole);
}

/// Writes a copy of a checkpoint with one number of a dataset replaced, and hashes that fit.
fn replace_in_checkpoint(from: &Path, to: &Path, dataset: &str, at: usize, value: f64) {
    use cfd::checkpoint::read_header;
    use cfd_io::{Digest, bits_hash, read_field, write_fields};

    let comm = Comm::single();
    let mut header = read_header(from).unwrap();
    let mut fields = Vec::new();
    for described in &mut header.datasets {
        let mut field = read_field(&comm, from, &described.name).unwrap();
        if field.name == dataset {
            field.block.values_mut()[at] = value;
            let rows: Vec<u64> = (0..field.rows).collect();
            let words: Vec<u64> = field.block.values().iter().map(|value| value.to_bits()).collect();
            described.hash = bits_hash(&comm, dataset, field.dim, field.rows, &rows, &words);
        }
        fields.push(field);
    }
    assert!(fields.iter().any(|field| field.name == dataset), "{dataset} is one of them");
    let text = serde_json::to_string(&header).unwrap();
    let hash = Digest(*blake3::hash(text.as_bytes()).as_bytes()).to_string();
    let attributes = [("checkpoint".to_string(), text), ("checkpoint_hash".to_string(), hash)];
    write_fields(&comm, to, &attributes, &fields).unwrap();
}

#[test]
fn a_number_that_is_none_in_the_state_ends_with_code_3_and_becomes_no_checkpoint() {
    let place = place();
    for (config, dataset) in [
        ("airfoil.toml", "state/q"),
        ("aero.toml", "state/phi"),
        ("mgcfd.toml", "state/level0/variables"),
        ("proxy.toml", "state/level0/variables"),
    ] {
        let out = format!("{config}.out");
        let every = ["--config", config, "--out", &out, "--set", "output.checkpoint_every=1"];
        place.run(Ranks::Alone, &[&every[..], &["--iterations", "2"]].concat()).succeeded();
        let [before, last] = ["checkpoint-00000001.h5", "checkpoint-00000002.h5"];
        let last = place.path(&out).join(last);
        replace_in_checkpoint(&last, &last, dataset, 7, f64::NAN);
        let good = std::fs::read(place.path(&out).join(before)).unwrap();
        for ranks in ways() {
            for iterations in ["5", "2"] {
                let restart = ["--iterations", iterations, "--restart", &out];
                let ended = place.run(ranks, &[&every[..], &restart].concat());
                ended.refused(3, &[]);
                assert!(ended.stdout.contains("checkpoint-00000002.h5, after iteration 2"), "{ended:#?}");
                assert_eq!(checkpoints(&place, &out).len(), 2, "{config}: no state after it is kept");
                assert!(std::fs::read(place.path(&out).join(before)).unwrap() == good, "{config}");
            }
        }
        let (named, rest) = (format!("{out}/{before}"), format!("{config}.rest"));
        let restart = ["--config", config, "--iterations", "3", "--restart", &named, "--out", &rest];
        place.run(Ranks::Alone, &restart).succeeded();
    }
}

#[test]
fn keys_that_change_no_bits_may_change_and_the_others_are_named_or_refused() {
    let place = place();
    let every = ["--iterations", "4", "--set", "output.checkpoint_every=4"];
    let with = |config: &str, args: &[&str]| {
        let restart = ["--iterations", "6", "--restart", "out", "--out", "x", "--config", config];
        place.run(Ranks::Alone, &[&restart[..], args].concat())
    };
    let set =
        |keys: &[&'static str]| -> Vec<&'static str> { keys.iter().flat_map(|key| ["--set", key]).collect() };
    place.run(Ranks::Alone, &[&["--config", "airfoil.toml"][..], &every].concat()).succeeded();
    place.run(Ranks::Alone, &["--config", "airfoil.toml", "--iterations", "6", "--out", "whole"]).succeeded();
    let free = set(&[
        "execution.threads=2",
        "execution.overlap=false",
        "execution.region_size=3",
        "execution.tile_size=5",
        "execution.lanes=1",
        "execution.strategy=\"trivial-coloring\"",
        "partition.method=\"random\"",
        "partition.seed=7",
        "airfoil.tolerance=1e-300",
        "output.history_every=3",
        "output.checkpoint_keep=9",
        "output.formats=[]",
        "output.pictures=false",
    ]);
    let ended = with("airfoil.toml", &free).succeeded();
    assert!(!ended.stderr.contains("has changed"), "{ended:#?}");
    assert_eq!(hashes(&place, "x"), hashes(&place, "whole"));
    assert_eq!(place.summary("x")["restart"]["changed"].as_array().unwrap().len(), 0);
    for (key, named) in [
        ("airfoil.cfl=0.5", "airfoil.cfl: 0.9 -> 0.5"),
        ("airfoil.mach=0.3", "airfoil.mach: 0.4 -> 0.3"),
        ("execution.strategy=\"greedy-coloring\"", "execution.strategy: \"regions\" -> \"greedy-coloring\""),
        ("execution.order=\"hilbert\"", "execution.order: "),
        ("execution.sums=\"binned\"", "execution.sums: "),
        ("execution.mode=\"fast\"", "execution.mode: \"reproducible\" -> \"fast\""),
    ] {
        let ended = with("airfoil.toml", &set(&[key])).succeeded();
        assert!(ended.stderr.contains("has changed") && ended.stderr.contains(named), "{ended:#?}");
        let changed = place.summary("x")["restart"]["changed"].clone();
        assert!(changed[0].as_str().unwrap().contains(named), "{changed}");
    }
    with("airfoil.toml", &set(&["mesh.generate.decimals=5"])).refused(2, &["another mesh"]);

    std::fs::remove_dir_all(place.path("out")).unwrap();
    place.run(Ranks::Alone, &[&["--config", "mgcfd.toml"][..], &every].concat()).succeeded();
    // Another scheme reports other values, and fewer levels have a different state.
    with("mgcfd.toml", &set(&["mgcfd.scheme=\"proxy\""]))
        .refused(2, &["out/checkpoint-00000004.h5", "reports"]);
    with("mgcfd.toml", &set(&["mgcfd.levels=2"])).refused(2, &["out/checkpoint-00000004.h5"]);
    let ended = with("mgcfd.toml", &set(&["mgcfd.cfl=0.5"])).succeeded();
    assert!(ended.stderr.contains("mgcfd.cfl: "), "{ended:#?}");
}

#[test]
fn a_divergence_leaves_the_checkpoints_from_before_it() {
    let place = place();
    let args = ["--config", "airfoil.toml", "--set", "airfoil.cfl=50", "--iterations", "500"];
    let ended = place.run(Ranks::Alone, &[&args[..], &["--set", "output.checkpoint_every=1"]].concat());
    ended.refused(3, &["in iteration "]);
    let kept = checkpoints(&place, "out");
    let newest = format!("out/{}", kept.last().expect("some iteration was good"));
    let args = ["--config", "airfoil.toml", "--restart", &newest, "--iterations", "500", "--out", "x"];
    place
        .run(Ranks::Alone, &[&args[..], &["--set", "airfoil.cfl=50"]].concat())
        .refused(3, &["in iteration "]);
}

#[cfg(feature = "mpi")]
pub mod stopped {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::launch::{Running, last_limit};

    pub fn signal(name: &str, process: u32) {
        assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
    }

    pub fn wait_for(running: &Running, what: &str, ready: impl Fn() -> bool) {
        let begin = Instant::now();
        while !ready() {
            assert!(begin.elapsed() < last_limit(), "{what}: {}", running.stdout());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_signal_to_one_rank_ends_all_with_code_75_and_the_rest_gives_the_same_bits() {
        let place = place();
        for (number, name) in ["-USR1", "-TERM"].into_iter().enumerate() {
            let out = format!("stopped{number}");
            let args = ["--config", "airfoil.toml", "--iterations", "1000000000", "--out", &out];
            let running = place.start(Ranks::Launched(3), &args);
            wait_for(&running, "it iterates", || {
                running.stdout().contains("iteration  ") && running.ranks().len() == 3
            });
            signal(name, running.ranks()[1]);
            let ended = running.wait();
            assert_eq!(ended.code, 75, "{ended:#?}");
            let signal = name.replace('-', "SIG");
            assert!(ended.stderr.contains(&format!("stopped by {signal} after iteration ")), "{ended:#?}");
            assert!(!ended.stderr.contains("error:"), "{ended:#?}");
            let [file] = &checkpoints(&place, &out)[..] else { panic!("one checkpoint") };
            let done: u64 = file["checkpoint-".len()..file.len() - 3].parse().unwrap();
            let total = (done + 5).to_string();
            let restart = format!("{out}/{file}");
            let args = ["--config", "airfoil.toml", "--iterations", &total, "--out"];
            place.run(Ranks::Alone, &[&args[..], &["rest", "--restart", &restart]].concat()).succeeded();
            place.run(Ranks::Alone, &[&args[..], &["whole"]].concat()).succeeded();
            assert_eq!(hashes(&place, "rest"), hashes(&place, "whole"), "after {done} iterations");
        }
    }

    /// How often a rank is killed; the nightly run requests more.
    fn kills() -> usize {
        std::env::var("CFD_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6)
    }

    #[test]
    fn ranks_killed_at_any_moment_lose_no_good_checkpoint() {
        let place = place();
        let total = "1000000000";
        let config =
            ["--config", "airfoil.toml", "--set", "output.checkpoint_every=1", "--set", "airfoil.cfl=0.5"];
        let mut done = 0;
        for round in 0..kills() {
            let restart: &[&str] = if round == 0 { &[] } else { &["--restart", "out"] };
            let run = [&config[..], &["--iterations", total], restart].concat();
            let running = place.start(Ranks::Launched(2), &run);
            let newest = || checkpoints(&place, "out").last().cloned().unwrap_or_default();
            let first = newest();
            wait_for(&running, "it writes checkpoints", || {
                std::fs::exists(place.path("out")).unwrap_or(false)
                    && newest() != first
                    && running.ranks().len() == 2
            });
            // At any moment: checkpoints take most of the time of these iterations.
            std::thread::sleep(Duration::from_micros(977 * (round as u64 * 7919 % 31)));
            signal("-KILL", running.ranks()[round % 2]);
            assert_ne!(running.wait().code, 0);
            let file = newest();
            let now: u64 = file["checkpoint-".len()..file.len() - 3].parse().unwrap();
            assert!(now > done, "round {round}: {now} after {done}");
            done = now;
        }
        let total = (done + 3).to_string();
        let end = ["--iterations", &total];
        place.run(Ranks::Alone, &[&config[..], &end, &["--restart", "out"]].concat()).succeeded();
        let whole = ["--config", "airfoil.toml", "--set", "airfoil.cfl=0.5", "--out", "whole"];
        place.run(Ranks::Alone, &[&whole[..], &end].concat()).succeeded();
        assert_eq!(hashes(&place, "out"), hashes(&place, "whole"), "after {} kills", kills());
    }
}

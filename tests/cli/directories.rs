//! One directory, several runs: only one at a time, and checkpoints do not mix.

use std::path::Path;

use crate::launch::{Place, Ranks, ways};
use crate::restart::{AIRFOIL, checkpoints, hashes};

fn place() -> Place {
    let place = Place::new();
    place.write("airfoil.toml", AIRFOIL);
    place
}

const CHECKPOINT: [&str; 2] = ["--set", "output.checkpoint_every=1000"];

/// Runs into `out` up to an iteration, with a checkpoint there; the hash of the solution.
fn run(place: &Place, iterations: u64, more: &[&str]) -> [String; 2] {
    let iterations = iterations.to_string();
    let args = ["--config", "airfoil.toml", "--iterations", &iterations];
    place.run(Ranks::Alone, &[&args[..], &CHECKPOINT, more].concat()).succeeded();
    hashes(place, "out")
}

/// What a run from `out` to iteration 9 says.
fn continued(place: &Place, ranks: Ranks, more: &[&str]) -> crate::launch::Ended {
    let args = ["--config", "airfoil.toml", "--iterations", "9", "--restart", "out", "--out", "more"];
    place.run(ranks, &[&args[..], more].concat())
}

#[test]
fn a_directory_in_use_is_refused_and_those_that_only_read_it_are_not() {
    let place = place();
    run(&place, 3, &[]);
    let mut child = place.child(&["--config", "airfoil.toml", "--iterations", "1000000000"]);
    let lock = place.path("out/.cfd.lock");
    while std::fs::read_to_string(&lock).unwrap_or_default().is_empty() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    for ranks in ways() {
        let ended = place.run(ranks, &["--config", "airfoil.toml", "--iterations", "1"]);
        ended.refused(2, &["out: process ", &format!("process {} on ", child.id()), "is running there"]);
        continued(&place, ranks, &[]).succeeded();
    }
    place.run(Ranks::Alone, &["compare", "out", "more"]);
    place.run(Ranks::Alone, &["--config", "airfoil.toml", "--dry-run"]).succeeded();
    // However it ends: the system releases the lock.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lock.exists(), "it could not clean up");
    let restart = ["--config", "airfoil.toml", "--iterations", "4", "--restart", "out"];
    place.run(Ranks::Alone, &restart).succeeded();
    assert!(!lock.exists());
}

#[test]
fn what_killed_runs_have_left_is_removed_by_their_own_lineage_and_named_by_others() {
    let place = place();
    run(&place, 3, &[]);
    let header = cfd::checkpoint::read_header(&place.path("out/checkpoint-00000003.h5")).unwrap();
    let own = format!("out/.checkpoint-00000004.h5.{}-0badcafe.part", header.lineage);
    let others = ["out/.checkpoint-00000004.h5.123.part", "out/.solution.h5.00112233-00aa.part"];
    others.iter().for_each(|name| place.write(name, "begun"));
    place.write(&own, "begun");
    let args = ["--config", "airfoil.toml", "--iterations", "4", "--restart", "out"];
    let ended = place.run(Ranks::Alone, &args).succeeded();
    for name in others {
        assert!(ended.stderr.contains(name.strip_prefix("out/").unwrap()), "{ended:#?}");
        assert!(place.path(name).exists());
    }
    assert!(!place.path(&own).exists());
}

#[test]
fn a_run_with_other_keys_is_not_continued_while_one_with_the_same_keys_is_there() {
    let place = place();
    run(&place, 5, &[]);
    run(&place, 7, &["--set", "airfoil.mach=0.3"]);
    let args = ["--config", "airfoil.toml", "--iterations", "9", "--out", "whole"];
    place.run(Ranks::Alone, &args).succeeded();
    for ranks in ways() {
        let ended = continued(&place, ranks, &[]).succeeded();
        assert!(ended.stdout.contains("checkpoint-00000005.h5, after iteration 5"), "{ended:#?}");
        assert_eq!(hashes(&place, "more"), hashes(&place, "whole"));
        let none = continued(&place, ranks, &["--set", "airfoil.cfl=0.5"]);
        none.refused(2, &["2 runs", "checkpoint-00000005.h5: iteration 5; airfoil.cfl: 0.9 -> 0.5"]);
        none.refused(2, &["checkpoint-00000007.h5: iteration 7;", "airfoil.mach: 0.3 -> 0.4"]);
        // A named file is what was meant.
        let args = ["--config", "airfoil.toml", "--iterations", "9", "--out", "x"];
        let named = [&args[..], &["--restart", "out/checkpoint-00000007.h5"]].concat();
        let ended = place.run(ranks, &named).succeeded();
        assert!(ended.stderr.contains("airfoil.mach: 0.3 -> 0.4"), "{ended:#?}");
    }
}

#[test]
fn checkpoints_of_another_mesh_do_not_stand_in_the_way() {
    let place = place();
    run(&place, 5, &[]);
    let mesh = ["--set", "mesh.generate.size=[8,7]"];
    run(&place, 7, &mesh);
    for ranks in ways() {
        let ended = continued(&place, ranks, &[]).succeeded();
        assert!(ended.stdout.contains("checkpoint-00000005.h5, after iteration 5"), "{ended:#?}");
        let ended = continued(&place, ranks, &mesh).succeeded();
        assert!(ended.stdout.contains("checkpoint-00000007.h5, after iteration 7"), "{ended:#?}");
        let none = continued(&place, ranks, &["--set", "mesh.generate.size=[7,7]"]);
        none.refused(
            2,
            &[
                "out: all checkpoints there belong to another mesh",
                "checkpoint-00000005.h5: case \"airfoil\"",
            ],
        );
    }
}

#[test]
fn the_newest_by_time_of_writing_is_taken_not_the_highest_iteration() {
    let place = place();
    run(&place, 8, &[]);
    run(&place, 5, &[]);
    let ended = continued(&place, Ranks::Alone, &[]).succeeded();
    assert!(ended.stdout.contains("checkpoint-00000005.h5, after iteration 5"), "{ended:#?}");
}

#[test]
fn a_new_run_says_what_is_there_and_replaces_and_removes_nothing_of_another() {
    let place = place();
    let every = ["--set", "output.checkpoint_every=2", "--set", "output.checkpoint_keep=1"];
    run(&place, 4, &every);
    let before = std::fs::read(place.path("out/checkpoint-00000004.h5")).unwrap();
    let args = ["--config", "airfoil.toml", "--iterations", "6", "--set", "airfoil.cfl=0.5"];
    let ended = place.run(Ranks::Alone, &[&args[..], &every].concat()).succeeded();
    assert!(ended.stdout.contains("checkpoints  of another run in out: 1,"), "{ended:#?}");
    assert_eq!(checkpoints(&place, "out"), ["checkpoint-00000004.h5", "checkpoint-00000006.h5"]);
    assert!(std::fs::read(place.path("out/checkpoint-00000004.h5")).unwrap() == before);
    let args = ["--config", "airfoil.toml", "--iterations", "4", "--set", "airfoil.cfl=0.6"];
    place.run(Ranks::Alone, &[&args[..], &every].concat()).succeeded();
    let kept = checkpoints(&place, "out");
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert!(kept[0].starts_with("checkpoint-00000004-") && kept[0].ends_with(".h5"), "{kept:?}");
    assert!(std::fs::read(place.path("out/checkpoint-00000004.h5")).unwrap() == before);
}

#[test]
fn a_change_of_keys_begins_a_lineage_and_is_remembered_by_what_follows() {
    let place = place();
    run(&place, 3, &[]);
    let changed = ["--set", "airfoil.cfl=0.5"];
    run(&place, 5, &[&changed[..], &["--restart", "out"]].concat());
    let lineage = |name: &str| cfd::checkpoint::read_header(&place.path(name)).unwrap().lineage;
    assert_ne!(lineage("out/checkpoint-00000003.h5"), lineage("out/checkpoint-00000005.h5"));
    // The same keys as the second run, whose own checkpoint is the one that fits.
    let ended = continued(&place, Ranks::Alone, &changed).succeeded();
    assert!(ended.stdout.contains("checkpoint-00000005.h5, after iteration 5"), "{ended:#?}");
    assert!(ended.stderr.contains("airfoil.cfl: 0.9 -> 0.5 after iteration 3"), "{ended:#?}");
    assert_eq!(place.summary("more")["restart"]["changed"][0], "airfoil.cfl: 0.9 -> 0.5 after iteration 3");
}

/// Rewrites a checkpoint without what older versions did not write.
fn without_lineage(path: &Path) {
    use cfd_io::{Digest, read_field, write_fields};

    let comm = cfd_engine::comm::Comm::single();
    let header = cfd::checkpoint::read_header(path).unwrap();
    let fields: Vec<_> =
        header.datasets.iter().map(|dataset| read_field(&comm, path, &dataset.name).unwrap()).collect();
    let mut header = serde_json::to_value(header).unwrap();
    ["lineage", "written", "changed"].iter().for_each(|key| {
        assert!(header.as_object_mut().unwrap().remove(*key).is_some());
    });
    let text = header.to_string();
    let hash = Digest(*blake3::hash(text.as_bytes()).as_bytes()).to_string();
    let attributes = [("checkpoint".to_string(), text), ("checkpoint_hash".to_string(), hash)];
    write_fields(&comm, path, &attributes, &fields).unwrap();
}

#[test]
fn checkpoints_without_a_lineage_are_one() {
    let place = place();
    run(&place, 5, &[]);
    run(&place, 7, &["--set", "airfoil.mach=0.3"]);
    without_lineage(&place.path("out/checkpoint-00000007.h5"));
    without_lineage(&place.path("out/checkpoint-00000005.h5"));
    // A single lineage continues with the warning; the newest checkpoint is the last one written.
    let ended = continued(&place, Ranks::Alone, &["--set", "airfoil.cfl=0.5"]).succeeded();
    assert!(ended.stdout.contains("checkpoint-00000005.h5, after iteration 5"), "{ended:#?}");
    assert!(ended.stderr.contains("airfoil.cfl: 0.9 -> 0.5"), "{ended:#?}");
    // Runs that continue them have one.
    run(&place, 6, &["--restart", "out"]);
    let header = cfd::checkpoint::read_header(&place.path("out/checkpoint-00000006.h5")).unwrap();
    assert_eq!(header.lineage.len(), 16);
}

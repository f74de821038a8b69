//! Disks that are full or read-only: the right exit code, no hang, and the good checkpoints are still there.

use std::fs;

use crate::launch::{Ended, Place, Ranks};
use crate::restart::{AIRFOIL, checkpoints, hashes};

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", AIRFOIL);
    place
}

/// Ways to start the program in a script.
fn launchers() -> &'static [&'static str] {
    if cfg!(feature = "mpi") { &["$CFD", "mpirun -n 3 $CFD"] } else { &["$CFD"] }
}

/// Runs a script where it may mount file systems that nobody else sees; `None` if the system allows that to nobody. A
/// file system vanishes with the script, so its contents must be copied.
fn with_mounts(place: &Place, script: &str) -> Option<Ended> {
    // Root needs no user namespace, which containers often forbid.
    let ways = ["unshare --mount", "unshare --map-root-user --mount"];
    let allowed = |way: &&&str| {
        fs::create_dir_all(place.path("try")).unwrap();
        place.script(&format!("{way} mount -t tmpfs none try")).code == 0
    };
    match ways.iter().find(allowed) {
        Some(way) => {
            place.write("script", script);
            Some(place.script(&format!("{way} sh -e script")))
        }
        None => {
            println!("not checked: nobody may mount anything here");
            None
        }
    }
}

/// The newest checkpoint of a directory is intact, and a run from it has the bits of an uninterrupted one.
#[track_caller]
fn assert_continues(place: &Place, directory: &str) {
    let kept = checkpoints(place, directory);
    let newest = kept.last().unwrap_or_else(|| panic!("{directory} has a checkpoint"));
    let done: u64 = newest["checkpoint-".len()..newest.len() - 3].parse().unwrap();
    let total = (done + 2).to_string();
    let (newest, args) = (format!("{directory}/{newest}"), ["--config", "c.toml", "--iterations", &total]);
    place.run(Ranks::Alone, &[&args[..], &["--out", "rest", "--restart", &newest]].concat()).succeeded();
    place.run(Ranks::Alone, &[&args[..], &["--out", "whole"]].concat()).succeeded();
    assert_eq!(hashes(place, "rest"), hashes(place, "whole"), "from {newest}");
}

/// A directory contains no unfinished files.
#[track_caller]
fn assert_tidy(place: &Place, directory: &str) {
    let names = fs::read_dir(place.path(directory)).unwrap().map(|e| e.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(names.iter().all(|name| !name.ends_with(".part")), "{names:?}");
}

const ENDLESS: &str =
    "--config c.toml --iterations 1000000000 --set output.checkpoint_every=20 --progress never";

#[test]
fn a_full_disk_ends_with_code_1_and_leaves_the_last_good_checkpoint() {
    let place = place();
    fs::create_dir(place.path("out")).unwrap();
    for (number, launcher) in launchers().iter().enumerate() {
        // The history in the checkpoint grows until the disk is full.
        let script = format!(
            "mount -t tmpfs -o size=200k none out\ncode=0\n{launcher} {ENDLESS} || code=$?\ncp -r out kept{number}\nexit $code"
        );
        let Some(ended) = with_mounts(&place, &script) else { return };
        ended.refused(1, &["out/checkpoint-", "cannot be written", "No space left on device", " free there"]);
        let kept = format!("kept{number}");
        assert_tidy(&place, &kept);
        assert_continues(&place, &kept);
    }
}

#[test]
fn a_file_of_all_steps_that_fills_the_disk_is_called_incomplete() {
    let place = place();
    fs::create_dir(place.path("out")).unwrap();
    let options = "--config c.toml --iterations 1000000000 --progress never --set output.every=1 --set \
                   'output.formats=[\"vtkhdf\"]'";
    for (number, launcher) in launchers().iter().enumerate() {
        let script = format!(
            "mount -t tmpfs -o size=300k none out\ncode=0\n{launcher} {options} || code=$?\ncp -r out kept{number}\nexit $code"
        );
        let Some(ended) = with_mounts(&place, &script) else { return };
        let said = "; what there is of it is now out/solution.incomplete.vtkhdf";
        ended.refused(1, &["out/solution.vtkhdf: cannot be written: No space left on device", said]);
        let kept = format!("kept{number}");
        assert!(place.path(&kept).join("solution.incomplete.vtkhdf").exists());
        assert!(!place.path(&kept).join("solution.vtkhdf").exists());
        assert_tidy(&place, &kept);
    }
}

#[test]
fn a_read_only_directory_is_refused_with_code_2_before_anything_is_computed() {
    let place = place();
    let every = ["--config", "c.toml", "--iterations", "2", "--set", "output.checkpoint_every=2"];
    place.run(Ranks::Alone, &every).succeeded();
    for launcher in launchers() {
        let script = format!(
            "mount --bind out out\nmount -o remount,bind,ro out\n{launcher} --config c.toml --iterations 4 --restart out"
        );
        let Some(ended) = with_mounts(&place, &script) else { return };
        ended.refused(2, &["out: cannot write into the output directory: Read-only file system"]);
        assert!(!ended.stdout.contains("iteration  "), "{ended:#?}");
        // To read from it is all right.
        let elsewhere = with_mounts(&place, &format!("{script} --out more")).expect("it was possible before");
        assert!(elsewhere.succeeded().stdout.contains("after iteration 2"));
    }
    assert_tidy(&place, "out");
    assert_continues(&place, "out");
}

#[test]
fn a_directory_that_becomes_read_only_ends_the_run_with_code_1_and_leaves_the_last_good_checkpoint() {
    let place = place();
    fs::create_dir(place.path("out")).unwrap();
    for (number, launcher) in launchers().iter().enumerate() {
        // Between two checkpoints, when no file is open for writing.
        let script = format!(
            "mount -t tmpfs -o size=10m none out\n{launcher} {ENDLESS} &\n\
             until ls out/checkpoint-*0.h5 >/dev/null 2>&1; do sleep 0.01; done\n\
             until mount -o remount,ro out 2>/dev/null; do :; done\n\
             code=0\nwait $! || code=$?\ncp -r out kept{number}\nexit $code"
        );
        let Some(ended) = with_mounts(&place, &script) else { return };
        ended.refused(1, &["out/checkpoint-", "cannot be written", "Read-only file system"]);
        assert_continues(&place, &format!("kept{number}"));
    }
}

#[test]
fn a_checkpoint_cut_off_at_any_byte_while_it_is_written_is_none_and_the_one_before_it_stays() {
    let place = place();
    let every = ["--config", "c.toml", "--set", "output.checkpoint_every=20", "--iterations", "20"];
    place.run(Ranks::Alone, &every).succeeded();
    let bytes = fs::metadata(place.path("out/checkpoint-00000020.h5")).unwrap().len();
    for part in 0..12 {
        // A limit on file size stands in for a full disk. It is set once the run is under way, because MPI has its own
        // files; messages go through a pipe, which has no limit.
        let (limit, out) = (bytes * part / 12 + part, format!("cut{part}"));
        let script = format!(
            "mkfifo {out}.pipe; cat {out}.pipe >&2 &\ntrap '' XFSZ\n$CFD {ENDLESS} --out {out} 2>{out}.pipe & pid=$!\n\
             until ls {out}/checkpoint-*0.h5 >/dev/null 2>&1; do sleep 0.01; done\n\
             prlimit --fsize={limit} --pid $pid\ncode=0; wait $pid || code=$?; wait; exit $code"
        );
        let ended = place.script(&script);
        ended.refused(1, &["/checkpoint-", "cannot be written", "File too large"]);
        assert_tidy(&place, &out);
        assert_continues(&place, &out);
    }
}

//! Requests to stop: at any moment, by any of the signals, with the exit code that a batch system understands.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::launch::{Place, last_limit};
use crate::restart::{AIRFOIL, checkpoints};

fn place() -> Place {
    let place = Place::new();
    place.write("airfoil.toml", AIRFOIL);
    place
}

const ENDLESS: [&str; 4] = ["--config", "airfoil.toml", "--iterations", "1000000000"];

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

fn wait_until(child: &mut Child, what: &str, ready: impl Fn() -> bool) {
    let begin = Instant::now();
    while !ready() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before: {what}");
        assert!(begin.elapsed() < last_limit(), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The exit code, and stderr.
fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// A run whose mesh takes a moment to generate, from the point where it catches signals.
fn in_set_up(place: &Place) -> Child {
    let mesh = ["--set", "mesh.generate.size=[300,400]", "--set", "mesh.generate.decimals=6"];
    let mut child = place.child(&[&ENDLESS[..], &mesh].concat());
    let id = child.id();
    wait_until(&mut child, "it catches signals", || has_signal("SigCgt", id, 15));
    child
}

/// Whether a signal is in one of the sets of a process that the system shows.
fn has_signal(set: &str, process: u32, number: u32) -> bool {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let found = text.lines().find_map(|line| line.strip_prefix(set)?.strip_prefix(':'));
    u64::from_str_radix(found.unwrap_or("0").trim(), 16).unwrap_or(0) >> (number - 1) & 1 == 1
}

#[test]
fn a_signal_before_the_first_iteration_ends_a_run_with_code_75() {
    let place = place();
    for name in ["-USR1", "-TERM", "-INT"] {
        let child = in_set_up(&place);
        signal(name, child.id());
        let (code, stderr) = ended(child);
        assert_eq!(code, Some(75), "{name}: {stderr}");
        let signal = name.replace('-', "SIG");
        assert!(stderr.contains(&format!("stopped by {signal}: nothing to save yet")), "{stderr}");
        assert!(checkpoints(&place, "out").is_empty());
    }
}

#[test]
fn ctrl_c_leaves_a_checkpoint() {
    let place = place();
    let mut child = place.child(&[&ENDLESS[..], &["--set", "output.checkpoint_every=1"]].concat());
    wait_until(&mut child, "it iterates", || !checkpoints(&place, "out").is_empty());
    signal("-INT", child.id());
    let (code, stderr) = ended(child);
    assert_eq!(code, Some(75), "{stderr}");
    let newest = checkpoints(&place, "out").pop().unwrap();
    assert!(stderr.contains("stopped by SIGINT after iteration") && stderr.contains(&newest), "{stderr}");
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let place = place();
    // A set-up that finishes between the two is ended by the first.
    let ended_by_the_second = |_| {
        let mut child = in_set_up(&place);
        let id = child.id();
        signal("-INT", id);
        // Its number stays its own until somebody waits for it, however it ended.
        let begin = Instant::now();
        while has_signal("ShdPnd", id, 2) && begin.elapsed() < last_limit() {
            std::thread::sleep(Duration::from_millis(1));
        }
        signal("-INT", id);
        let status = child.wait().unwrap();
        assert!(status.signal() == Some(2) || status.code() == Some(75), "{status}");
        status.signal() == Some(2)
    };
    assert!((0..20).any(ended_by_the_second), "the second signal ends nothing");
}

#[test]
fn a_command_that_has_nothing_to_save_ends_at_once() {
    let place = place();
    let args = ["mesh", "generate", "airfoil", "--size", "1500,2000", "-o", "mesh.h5"];
    let mut child = place.child(&args);
    let maps = format!("/proc/{}/statm", child.id());
    let pages = || std::fs::read_to_string(&maps).ok().and_then(|text| text.split(' ').nth(1)?.parse().ok());
    wait_until(&mut child, "it generates", || pages().unwrap_or(0u64) > 20_000);
    signal("-TERM", child.id());
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

/// Processes of this program that run in a directory.
fn processes(place: &Place) -> usize {
    let marker = place.path("").canonicalize().unwrap();
    let runs_there = |entry: &std::fs::DirEntry| {
        let program = std::fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe.ends_with("cfd"));
        program && std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == marker)
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(runs_there).count()
}

#[test]
fn repro_ends_its_runs_when_it_is_ended() {
    let place = place();
    let ranks = if cfg!(feature = "mpi") { "2" } else { "1" };
    let args =
        ["repro", "--config", "airfoil.toml", "--ranks", ranks, "--iterations", "1000000000", "--out", "r"];
    for name in ["-TERM", "-INT", "-KILL"] {
        let mut child = place.child(&args);
        let runs = 1 + ranks.parse::<usize>().unwrap();
        wait_until(&mut child, "its run has begun", || processes(&place) == runs);
        signal(name, child.id());
        let status = child.wait().unwrap();
        if name != "-KILL" {
            assert_eq!(status.code(), Some(75), "{name}");
        }
        let begin = Instant::now();
        while processes(&place) > 0 {
            assert!(begin.elapsed() < Duration::from_secs(30), "{name}: its run goes on");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_job_without_a_single_iteration_is_queued_again_a_limited_number_of_times() {
    let place = place();
    let attempt = concat!(env!("CARGO_MANIFEST_DIR"), "/run-scripts/attempt.sh");
    // What a job does; a program stopped before its first iteration, or after one.
    place.write(
        "job",
        format!(
            ". {attempt}\nsleep() {{ :; }}\nscontrol() {{ echo \"scontrol $*\"; }}\nSLURM_JOB_ID=7\n\
             attempt out ./program\nasked=USR1\nrequeue_if_stopped\n"
        ),
    );
    place.write("fruitless", "exit 75\n");
    let job = |program: &str| {
        let program =
            format!("printf '#!/bin/sh\\n. ./{program}\\n' >program; chmod +x program; bash -eu job");
        place.script(&program)
    };
    let is_queued = |program: &str| job(program).stdout.contains("scontrol requeue 7");
    assert!(is_queued("fruitless") && is_queued("fruitless"));
    let third = job("fruitless");
    assert!(!third.stdout.contains("scontrol"), "{third:#?}");
    assert!(third.stderr.contains("3 jobs in a row had no time for a single iteration"), "{third:#?}");
    assert_eq!(third.code, 0, "{third:#?}");
    place.script("rm -r out");
    // An iteration restarts the count.
    assert!(is_queued("fruitless") && is_queued("fruitless"));
    place.write("useful", "touch out/checkpoint-00000001.h5; exit 75\n");
    assert!(is_queued("useful") && is_queued("fruitless") && is_queued("fruitless"));
    assert!(!is_queued("fruitless"));
}

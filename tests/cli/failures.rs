//! Ends that are not input errors: divergence, a killed rank, a wrong launcher, another solution.

use crate::launch::{Place, Ranks, ways};

const CONFIG: &str = "case = \"airfoil\"\nmesh.generate = { size = [8, 6], decimals = 6 }\n";

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", CONFIG);
    place
}

#[test]
fn a_divergence_ends_with_code_3_and_names_cell_place_and_iteration() {
    let place = place();
    for ranks in ways() {
        let args = ["--config", "c.toml", "--set", "airfoil.cfl=50", "--iterations", "500"];
        let ended = place.run(ranks, &args);
        ended.refused(3, &["of cells at (", "in iteration "]);
        assert!(ended.stderr.contains("density is") || ended.stderr.contains("pressure is"), "{ended:#?}");
        // The history is kept, but no result.
        assert!(place.read("out/history.csv").lines().count() >= 1);
        assert!(!place.path("out/summary.json").exists());
    }
}

#[test]
fn another_solution_ends_with_code_4() {
    let place = place();
    let other = format!("blake3:{}", "0".repeat(64));
    for ranks in ways() {
        let ended = place.run(ranks, &["--config", "c.toml", "--iterations", "3", "--verify", &other]);
        ended.refused(4, &["verification failed", &other]);
        assert_eq!(place.summary("out")["verified"], false);
        assert!(ended.stdout.contains("FAILED"), "{ended:#?}");
    }
}

#[test]
fn a_message_that_cannot_be_written_changes_no_exit_code() {
    let place = place();
    for (args, code) in [("--config c.toml --iterations 1", 0), ("--config none.toml", 2), ("--nothing", 2)] {
        let ended = place.script(&format!("$CFD {args} >/dev/full 2>/dev/full"));
        assert_eq!(ended.code, code, "{args}: {ended:#?}");
    }
}

#[test]
fn what_a_command_is_there_to_print_must_be_printed() {
    let place = place();
    place
        .script("$CFD mesh generate airfoil --size 4,3 -o m.dat && $CFD --config c.toml --iterations 1")
        .succeeded();
    for args in [
        "--help",
        "mesh --help",
        "--version",
        "info",
        "completions bash",
        "mesh info m.dat",
        "partition --mesh m.dat --parts 2",
        "partition --mesh m.dat --parts 2 --json",
        "compare out out",
        "compare out out --json",
        "--config c.toml --print-config",
        "--config c.toml --dry-run",
        "repro --config c.toml --iterations 1 --ranks 1",
        "repro --config c.toml --iterations 1 --ranks 1 --json",
    ] {
        let full = place.script(&format!("$CFD {args} >/dev/full"));
        full.refused(1, &["error: stdout: cannot be written: No space left on device"]);
        // A reader that stops has what it wants.
        let script = format!("mkfifo pipe; : <pipe & {{ wait; $CFD {args}; echo $? >code; }} >pipe; rm pipe");
        let closed = place.script(&script);
        assert_eq!((place.read("code").trim(), &closed.stderr[..]), ("0", ""), "{args}: {closed:#?}");
    }
    let written = place.script("$CFD mesh generate airfoil --size 4,3 -o new.dat >/dev/full");
    assert_eq!(written.code, 0, "its product is the file: {written:#?}");
}

#[cfg(feature = "mpi")]
#[test]
fn a_full_stdout_is_every_rank_s_failure_and_one_message() {
    let place = place();
    let ended = place.script("mpirun -n 3 sh -c 'exec $CFD --config c.toml --print-config >/dev/full'");
    ended.refused(1, &["error: stdout: cannot be written: No space left on device"]);
}

#[test]
fn threads_that_cannot_be_started_are_no_internal_error() {
    let place = place();
    // Threads that want more memory than the process may have, so a few are enough; the limit is on addresses.
    let limits = "export RUST_MIN_STACK=4000000000; ulimit -v 20000000; exec $CFD";
    let launchers: &[&str] = if cfg!(feature = "mpi") { &["", "mpirun -n 3"] } else { &[""] };
    for launcher in launchers {
        for args in ["--config c.toml --threads 16", "info --bandwidth --threads 16"] {
            let ended = place.script(&format!("{launcher} sh -c '{limits} {args}'"));
            ended.refused(
                1,
                &["error: execution.threads: rank ", " of 16 threads: ", "--threads", "ulimit -u"],
            );
        }
    }
}

#[test]
fn a_wrong_launcher_is_refused_once() {
    let place = place();
    for (size, rank, inside) in [
        ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", None),
        ("PMI_SIZE", "PMI_RANK", None),
        ("SLURM_NTASKS", "SLURM_PROCID", Some(("SLURM_STEP_ID", "0"))),
    ] {
        // Another library's launcher starts processes that do not know of each other.
        let ends: Vec<_> = ["0", "1", "2"]
            .map(|number| {
                let variables: Vec<_> = [(size, "3"), (rank, number)].into_iter().chain(inside).collect();
                place.run_with(Ranks::Alone, &["--config", "c.toml"], &variables)
            })
            .into();
        ends[0].refused(2, &["wrong launcher", size, "3 ranks"]);
        for other in &ends[1..] {
            assert_eq!(other.code, 2, "{other:#?}");
            assert!(other.stderr.is_empty(), "one message for all: {other:#?}");
        }
    }
}

#[cfg(feature = "mpi")]
#[test]
fn an_error_on_one_rank_ends_the_others_that_wait_for_it() {
    let place = place();
    // The second rank refuses its command line; the others wait for it to take part in the run.
    let run = "$CFD --config c.toml --iterations 3";
    let ended = place.script(&format!("mpirun -n 1 {run} : -n 1 {run} --nothing : -n 1 {run}"));
    ended.refused(2, &["unexpected argument '--nothing'"]);
    // One whose configuration lacks a file that the others have.
    let ended = place.script(&format!(
        "mkdir apart; mpirun -n 2 {run} : -n 1 sh -c 'cd apart && exec {run} --set partition.weights=w.h5'"
    ));
    assert_ne!(ended.code, 0, "{ended:#?}");
    assert!(ended.stderr.contains("error: rank 2: "), "{ended:#?}");
}

#[cfg(feature = "mpi")]
#[test]
fn a_killed_rank_takes_the_job_down_at_once_with_a_message() {
    use std::process::Command;
    use std::time::{Duration, Instant};

    let place = place();
    let running = place.start(Ranks::Launched(3), &["--config", "c.toml", "--iterations", "1000000000"]);
    let begin = Instant::now();
    while !running.stdout().contains("iteration") || running.ranks().len() != 3 {
        assert!(begin.elapsed() < Duration::from_secs(30), "it starts: {}", running.stdout());
        std::thread::sleep(Duration::from_millis(20));
    }
    let ranks = running.ranks();
    // A process that has ended and has not been waited for is still listed, without a program.
    let alive = |id: &&u32| std::fs::read_link(format!("/proc/{id}/exe")).is_ok();
    assert_eq!(ranks.iter().filter(alive).count(), 3);
    let victim = ranks[1].to_string();
    assert!(Command::new("kill").args(["-KILL", &victim]).status().unwrap().success());
    let killed = Instant::now();
    let ended = running.wait();
    assert!(killed.elapsed() < Duration::from_secs(10), "at once, not after {:?}", killed.elapsed());
    assert_ne!(ended.code, 0);
    assert!(ended.stderr.contains("rank 1") && ended.stderr.contains("signal 9"), "{ended:#?}");
    assert_eq!(ranks.iter().filter(alive).count(), 0, "nobody is left behind: {ranks:?}");
}

//! What real ranks give one another: started without arguments, this program starts itself under mpirun.

use std::process::{Command, ExitCode, Stdio};

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_partition::partitioner::LIBRARY_PATH;

mod pt_scotch;

/// Numbers of ranks: powers of two, and those between.
const RANKS: [usize; 6] = [1, 2, 3, 5, 6, 8];

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "as-a-rank") {
        let comm = cfd_mpi::world().expect("MPI can be started");
        let asked = |word: &str| std::env::args().any(|argument| argument == word);
        if asked("partition") {
            pt_scotch::divides_a_mesh(&comm);
            return ExitCode::SUCCESS;
        }
        if asked("refuse") {
            pt_scotch::refuses_another_mpi_library(&comm);
            return ExitCode::SUCCESS;
        }
        integers_are_reduced_as_one_after_the_other(&comm);
        bytes_of_any_length_arrive(&comm);
        return ExitCode::SUCCESS;
    }
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("There is no mpirun here: nothing was run.");
        return ExitCode::SUCCESS;
    }
    for ranks in RANKS {
        println!("{ranks} ranks");
        assert!(launcher(ranks).status().expect("mpirun starts").success(), "{ranks} ranks");
    }
    if pt_scotch::is_here() {
        [1, 2, 3].into_iter().for_each(one_seed_gives_one_partition);
    }
    let folder = tempfile::tempdir().expect("a folder");
    if let Some(library) = pt_scotch::of_another_mpi_library(folder.path()) {
        let mut launcher = launcher(2);
        launcher.arg("refuse").env(LIBRARY_PATH, library);
        assert!(launcher.status().expect("mpirun starts").success(), "another MPI library");
    }
    ExitCode::SUCCESS
}

/// What starts this program on so many ranks.
fn launcher(ranks: usize) -> Command {
    let mut launcher = Command::new("mpirun");
    launcher.args(["-n", &ranks.to_string(), "--oversubscribe"]);
    launcher.arg(std::env::current_exe().expect("the test has a path")).arg("as-a-rank");
    launcher
}

/// What a run that divides a mesh says, in another process each time.
fn one_seed_gives_one_partition(ranks: usize) {
    let run = || {
        let ended =
            launcher(ranks).arg("partition").stderr(Stdio::inherit()).output().expect("mpirun starts");
        assert!(ended.status.success(), "{ranks} ranks");
        String::from_utf8(ended.stdout).expect("words")
    };
    let first = run();
    assert!(first.starts_with("parts: "), "{first}");
    print!("PT-Scotch on {ranks} ranks, {first}");
    assert_eq!(run(), first, "{ranks} ranks");
}

/// A rank's numbers of a round.
fn numbers(rank: usize, round: usize, count: usize) -> Vec<u64> {
    let mut state = (rank as u64) << 32 | round as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 31
    };
    // Small ones, too, so that pairs of a record tie in their first word.
    (0..count).map(|i| if i % 2 == 0 { next() >> 62 } else { next() }).collect()
}

fn integers_are_reduced_as_one_after_the_other(comm: &Comm) {
    let operations = [ReduceOp::Sum, ReduceOp::Min, ReduceOp::Max, ReduceOp::Record { sums: 4 }];
    for (round, count) in [4, 6, 10, 512, 514, 3000].into_iter().enumerate() {
        for op in operations {
            let mut found = numbers(comm.rank(), round, count);
            comm.all_reduce(&mut found, op);
            let mut expected = numbers(0, round, count);
            (1..comm.size()).for_each(|rank| op.combine(&mut expected, &numbers(rank, round, count)));
            assert_eq!(found, expected, "{op:?} of {count} words on {} ranks", comm.size());
        }
    }
}

fn bytes_of_any_length_arrive(comm: &Comm) {
    let (rank, size) = (comm.rank(), comm.size());
    for round in 0..4 {
        let length = |from: usize, to: usize| 1000 * ((from + 2 * to + round) % 4);
        let gathered = comm.all_gather(&numbers(rank, round, length(rank, 0)));
        assert!(gathered.iter().enumerate().all(|(r, sent)| *sent == numbers(r, round, length(r, 0))));
        let received = comm.all_to_all((0..size).map(|to| numbers(rank, round, length(rank, to))).collect());
        assert!(received.iter().enumerate().all(|(r, sent)| *sent == numbers(r, round, length(r, rank))));
        comm.barrier();
    }
}

//! How a program of three ranks ends when something goes wrong on one of them: started without arguments, this program
//! starts itself under mpirun, with what should go wrong as its argument.

use std::error::Error;
use std::process::{Command, ExitCode, Output};

use cfd_api::prelude::*;

/// A way to end, as an argument.
const WAYS: [(&str, fn()); 4] = [
    ("panic", a_panic_on_one_rank_ends_all_with_its_message),
    ("error", an_error_on_one_rank_ends_all_with_its_message),
    ("agreed", an_error_on_all_ranks_is_one_message),
    ("nothing", ranks_that_succeed_say_nothing),
];

fn main() -> ExitCode {
    if let Some(way) = std::env::args().nth(1).filter(|way| WAYS.iter().any(|(name, _)| name == way)) {
        return run(|comm| end(comm, &way));
    }
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("There is no mpirun here: nothing was run.");
        return ExitCode::SUCCESS;
    }
    for (way, test) in WAYS {
        println!("{way}");
        test();
    }
    ExitCode::SUCCESS
}

/// The solver: the ranks exchange messages until the end.
fn end(comm: &Comm, way: &str) -> Result<(), Box<dyn Error>> {
    let mine = comm.rank() == 1;
    match way {
        "panic" if mine => panic!("the second rank has had enough"),
        "error" if mine => return Err("the second rank's disk is full".into()),
        "agreed" => return Err("all ranks see the same fault".into()),
        _ => {}
    }
    comm.barrier();
    Ok(())
}

/// Runs this program on three ranks.
fn ranks(way: &str) -> (Option<i32>, String) {
    let program = std::env::current_exe().expect("the test has a path");
    let Output { status, stderr, .. } = Command::new("mpirun")
        .args(["-n", "3", "--oversubscribe"])
        .arg(program)
        .arg(way)
        .output()
        .expect("mpirun starts");
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

fn a_panic_on_one_rank_ends_all_with_its_message() {
    let (code, said) = ranks("panic");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the second rank has had enough"), "{said}");
    assert!(said.contains("error: rank 1 panicked, and all ranks end\n"), "{said}");
}

fn an_error_on_one_rank_ends_all_with_its_message() {
    let (code, said) = ranks("error");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error: rank 1: the second rank's disk is full\n"), "{said}");
}

fn an_error_on_all_ranks_is_one_message() {
    let (code, said) = ranks("agreed");
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(said.contains("error: all ranks see the same fault\n"), "{said}");
}

fn ranks_that_succeed_say_nothing() {
    let (code, said) = ranks("nothing");
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("error"), "{said}");
}

//! The inputs that fuzzing found worth keeping, `fuzz/corpus/`, go through the same functions without libFuzzer.

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::path::Path;
use std::process::Command;

use targets::limit::{Counting, bounded};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The inputs of a target, with their names.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new("fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

// All in one test: the allocator counts for the whole program.
#[test]
fn no_input_of_the_corpus_panics_hangs_or_takes_memory_out_of_proportion() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = Path::new(env!("CARGO_BIN_EXE_cfd"));
    let mut bytes = 0;
    for target in ["config", "op2_text", "outside", "mesh_structure", "mesh_bytes", "checkpoint"] {
        let inputs = corpus(target);
        assert!(inputs.len() >= 3, "{target} has {} inputs", inputs.len());
        for (name, input) in inputs {
            // Printed when it fails.
            println!("{name}");
            bytes += input.len();
            bounded(input.len(), || match target {
                "config" => targets::config::check(&input),
                "op2_text" => targets::op2_text::check(folder, &input, true),
                "outside" => targets::outside::check(folder, &input, true),
                "mesh_structure" => targets::mesh_structure::check(folder, &input, true),
                "mesh_bytes" => targets::mesh_bytes::check(program, folder, &input),
                _ => targets::checkpoint::check(folder, &input, true),
            });
        }
    }
    assert!(bytes < 200_000, "the corpus has {bytes} bytes; keep what is worth keeping");
}

#[test]
#[ignore = "ends the program; the next test runs it in one of its own"]
fn takes_memory_out_of_proportion() {
    bounded(100, || std::hint::black_box(vec![0u8; 1 << 28]));
}

#[test]
fn memory_out_of_proportion_ends_the_program() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let ended = command.args(["--ignored", "--exact", "takes_memory_out_of_proportion"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && stderr.contains("268435456 bytes exceeds"), "{ended:?}");
}

#[test]
fn one_input_in_sixteen_is_read_on_several_ranks() {
    let several = (0..1600u32).filter(|n| targets::meshes::on_several_ranks(&n.to_le_bytes())).count();
    assert!((50..150).contains(&several), "{several} of 1600");
}

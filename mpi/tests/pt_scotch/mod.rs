//! PT-Scotch among the ranks of an MPI job.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use cfd_engine::comm::{Comm, ReduceOp};
use cfd_engine::mesh::Mesh;
use cfd_mesh::{CELL_EDGES, generate};
use cfd_partition::partitioner::{PtScotch, library_found};
use cfd_partition::{Method, Options, Partitioning, Weights, follow, partition, quality};

const REQUIRED: &str = "CFD_REQUIRE_PTSCOTCH";

/// Whether the library is on this machine, as it must be where [`REQUIRED`] says so.
pub fn is_here() -> bool {
    let found = library_found();
    assert!(found.is_ok() || std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {found:?}");
    found.is_ok()
}

fn divide(comm: &Comm, mesh: &Mesh, parts: usize, options: Options) -> Partitioning {
    let found = partition(comm, mesh, &CELL_EDGES.primary(mesh), parts, &options).expect("a sound mesh");
    assert_eq!(found.note, None);
    found
}

fn scotch(seed: u64) -> Options {
    Options { method: Method::PtScotch, seed, ..Options::default() }
}

/// The same number on every rank for the same parts.
fn hash(comm: &Comm, found: &Partitioning) -> u64 {
    let mut hasher = DefaultHasher::new();
    comm.all_gather(&found.owners).concat().hash(&mut hasher);
    hasher.finish()
}

/// Edges cut, and imbalance.
fn figures(comm: &Comm, mesh: &Mesh, found: Partitioning) -> (u64, f64) {
    let (primary, parts) = (CELL_EDGES.primary(mesh), found.parts);
    let owners = follow(comm, mesh, &primary, found).expect("a sound mesh");
    let quality = quality(comm, mesh, &primary, &owners, parts).expect("a sound mesh");
    assert_eq!(quality.empty_parts(), 0);
    (quality.edge_cut, quality.imbalance())
}

/// Parts are all used, balanced and compact, the same each time, and follow weights; rank 0 prints what they are.
pub fn divides_a_mesh(comm: &Comm) {
    if let Err(problem) = (PtScotch { seed: 0 }).check(comm) {
        // The library may be Open MPI's, and the program MPICH's.
        assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, but {problem}");
        return println!("parts: none, as {problem}");
    }
    let mesh = generate::block(comm, 150, 120).expect("a mesh");
    let mut hashes = Vec::new();
    for parts in [2, 7, 32] {
        let found = divide(comm, &mesh, parts, scotch(1));
        let one = hash(comm, &found);
        for _ in 0..3 {
            assert_eq!(hash(comm, &divide(comm, &mesh, parts, scotch(1))), one, "the same seed");
        }
        // There may be a single best way of halving.
        if parts > 2 {
            assert_ne!(hash(comm, &divide(comm, &mesh, parts, scotch(2))), one, "another seed");
        }
        let (cut, imbalance) = figures(comm, &mesh, found);
        let boxes = Options { method: Method::Rcb, ..Options::default() };
        let (by_boxes, _) = figures(comm, &mesh, divide(comm, &mesh, parts, boxes));
        assert!(imbalance < 1.05, "{parts} parts: {imbalance}");
        assert!(cut as f64 <= 1.3 * by_boxes as f64, "{parts} parts: {cut} edges cut, {by_boxes} by boxes");
        hashes.push(format!("{one:016x}"));
    }
    weights_are_followed(comm, &mesh);
    if comm.is_root() {
        println!("parts: {}", hashes.join(" "));
    }
}

fn weights_are_followed(comm: &Comm, mesh: &Mesh) {
    let speeds = vec![1, 5, 2];
    let weights = Some(Weights { speeds: speeds.clone(), costs: [("cells".to_string(), 7)].into() });
    let found = divide(comm, mesh, 3, Options { weights, ..scotch(1) });
    let mut sizes = [0; 3];
    found.owners.iter().for_each(|&part| sizes[part as usize] += 1);
    comm.all_reduce(&mut sizes, ReduceOp::Sum);
    for (size, speed) in sizes.into_iter().zip(speeds) {
        let share = 150 * 120 * u64::from(speed) / 8;
        assert!(size.abs_diff(share) < share / 20, "{size} cells, its share is {share}");
    }
}

/// What a library for graphs looks like that has an MPI library of its own; `None` without a compiler.
pub fn of_another_mpi_library(folder: &Path) -> Option<PathBuf> {
    const SOURCE: &str = "
        void SCOTCH_version(int *a, int *b, int *c) { *a = 7; *b = 0; *c = 3; }
        int SCOTCH_numSizeof(void) { return 8; }
        int MPI_Comm_rank(void *ranks, int *rank) { return 1; }";
    let (source, library) = (folder.join("another.c"), folder.join("libanother.so"));
    std::fs::write(&source, SOURCE).expect("a file");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]);
    let Ok(status) = compiler.status() else { return None };
    assert!(status.success());
    Some(library)
}

pub fn refuses_another_mpi_library(comm: &Comm) {
    let mesh = generate::block(comm, 30, 20).expect("a mesh");
    let found = partition(comm, &mesh, &CELL_EDGES.primary(&mesh), 4, &scotch(1));
    let message = found.expect_err("it is another library").to_string();
    assert!(message.contains("built for another MPI library"), "{message}");
    // Where METIS would gather too much, it is passed over.
    let options = Options { metis_limit: 100, ..Options::default() };
    let found = partition(comm, &mesh, &CELL_EDGES.primary(&mesh), 4, &options).expect("bisection");
    let note = found.note.expect("a note");
    assert!(note.contains("another MPI library") && note.ends_with("rcb is used instead"), "{note}");
}

//! Tests that need the optimised program: published residuals on the standard meshes, the stored hashes in every width.
//!
//! `cargo test --release --test release`; or with the variable `CFD_TEST_PROGRAM`, the program's path, from any build.

// Each test program uses its own part.
#[allow(dead_code)]
#[path = "../harness/hashes.rs"]
mod hashes;
#[path = "../cli/launch.rs"]
mod launch;
#[allow(dead_code)]
#[path = "../harness/matrix.rs"]
mod matrix;
#[allow(dead_code)]
#[path = "../cli/watch.rs"]
mod watch;

// Aero's published residuals, on 45,000 and on 720,000 elements.
mod aero_published;
// Airfoil's published residuals on 720,000 cells.
mod airfoil_published;
// Benchmarks of known results.
mod benchmarks;
// LULESH's published energies, on 30^3 elements, and at night on 45^3.
mod lulesh_published;
// Every case, class and width once, against the stored hashes.
mod widths;

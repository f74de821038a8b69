//! What takes the optimised program: published residuals on the standard meshes, the stored hashes in every width, the
//! full cube.
//!
//! `./test` runs it but for the full cube; `cargo test --release --test release`.

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../cli/launch.rs"]
mod launch;

// Aero's published residuals, on 45,000 and on 720,000 elements.
mod aero_published;
// Airfoil's published residuals on 720,000 cells.
mod airfoil_published;
// Every point of the cube: a stage of run-scripts/nightly.
mod full_cube;
// Every case, class and width once, against the stored hashes.
mod widths;

//! The solvers as their users see them.

// Aero: published values, equal bits, convergence order, dense references, conjugate gradients.
mod aero;
// The CUDA C of all kernels.
mod device;

#[path = "../../../tests/harness/matrix.rs"]
mod matrix;
// Meshes of sectors.
mod ring;

// The `tests.rs` of the cases' folders.
mod cases {
    include!(concat!(env!("OUT_DIR"), "/tests.rs"));
}

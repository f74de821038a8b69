//! Linear systems on stretched grids: one solution and one number of iterations on any ranks, threads, partitioners, lanes and
//! devices; against dense elimination. Blocks by themselves.

mod blocks;
mod diffusion;
mod elements;
mod grid;
mod krylov;
mod lines;
#[allow(dead_code)]
#[path = "../../../tests/harness/matrix.rs"]
mod matrix;

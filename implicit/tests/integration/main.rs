//! Linear systems on stretched grids: one solution and one number of iterations on any ranks, threads, partitioners, lanes and
//! devices; against dense elimination.

mod diffusion;
mod elements;
mod grid;
mod krylov;
mod lines;

//! Linear systems of blocks, and methods that solve them with the same bits on any number of ranks.
//!
//! A system has a vector of `N` unknowns on every node, a block of N x N on every node, and two on every edge: what each end
//! contributes to the other's equations.
//!
//! | module | contents |
//! | --- | --- |
//! | [`operator`] | what solvers need: a matrix by its action, a preconditioner by its action |
//! | [`matrix`] | blocks on nodes and edges |
//! | [`points`] | block Jacobi: the inverse of each node's block |
//! | [`lines`] | line Jacobi and line Gauss-Seidel: block-tridiagonal systems along lines, solved exactly |
//! | [`multigrid`] | cycles through agglomerated levels |
//! | [`gmres`] | GMRES, restarted, flexible where the preconditioner changes |
//! | [`cg`] | conjugate gradients |
//! | [`loops`] | the loops of all of these, for N = 1 to 6 |
//!
//! Incomplete factorisations and sweeps over a rank's own nodes depend on the partition: with more ranks they take other
//! iterations and, near the limit, diverge. Nothing of that kind is here. Blocks are added in canonical order, dot products are
//! exact, and lines are functions of the mesh, which no partition cuts.
//!
//! ```no_run
//! # use cfd_engine::prelude::*;
//! # use cfd_implicit::{gmres::{Gmres, Options}, matrix::BlockMatrix, points::BlockJacobi};
//! # fn solve(domain: &mut Domain, ends: Map<2>, b: Dat<4>, x: Dat<4>) -> Result<(), Box<dyn std::error::Error>> {
//! let matrix: BlockMatrix<4, 16> = BlockMatrix::new(domain, ends, "matrix");
//! // ... loops that set `matrix.diagonal`, `matrix.upper` and `matrix.lower` ...
//! let points = BlockJacobi::new(domain, &matrix);
//! points.update(domain);
//! let gmres = Gmres::new(domain, b.set(), Options { tolerance: 1e-8, ..Options::default() });
//! let solved = gmres.solve(domain, &matrix, &points, b, x)?;
//! println!("{} iterations, residual {:.1e} of the start", solved.iterations, solved.reduction());
//! # Ok(())
//! # }
//! ```

pub mod cg;
pub mod gmres;
pub mod kernels;
pub mod lines;
pub mod loops;
pub mod matrix;
pub mod multigrid;
pub mod operator;
pub mod points;

pub use self::loops::{BlockLoops, Loops, VectorLoops};
pub use self::operator::{Identity, Operator, Preconditioner};

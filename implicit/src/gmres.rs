//! GMRES: the generalised minimal residual method for A x = b, restarted.
//!
//! ```text
//! z = P v_j,  w = A z,  h = V^T w,  w -= V h,  again,  v_j+1 = w / |w|
//! ```
//!
//! The preconditioner P stands to the right, so the residual is that of the system itself. With `flexible`, every z is kept, and P may
//! differ from step to step. Orthogonalisation is classical Gram-Schmidt, twice: all dot products of a pass are independent, so
//! they take one message, and twice is enough for orthogonality to rounding. Dot products are exact sums, rounded once: they,
//! and so the number of iterations, are the same on any number of ranks.
//!
//! Sources: Saad, Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems", SIAM J. Sci.
//! Stat. Comput. 7 (1986), DOI 10.1137/0907058; Saad, "A flexible inner-outer preconditioned GMRES algorithm", SIAM J. Sci.
//! Comput. 14 (1993), DOI 10.1137/0914028; Giraud, Langou, Rozloznik, van den Eshof, "Rounding error analysis of the
//! classical Gram-Schmidt orthogonalization process", Numer. Math. 101 (2005), DOI 10.1007/s00211-005-0615-4.

use cfd_engine::prelude::*;
use serde::{Deserialize, Serialize};

use crate::matrix::unused_prefix;
use crate::operator::{Operator, Preconditioner};
use crate::{Loops, VectorLoops};

/// A cycle that leaves more than this share of the residual makes no progress.
const STAGNANT: f64 = 0.9999;

/// How to solve systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// A system is solved once |b - A x| is at most this share of its start.
    pub tolerance: f64,
    /// Maximum number of iterations; reaching it is not an error.
    pub iterations: u64,
    /// Vectors kept before the method starts again from what it has.
    pub restart: usize,
    /// Whether the preconditioner may differ from iteration to iteration; takes a second set of vectors.
    pub flexible: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { tolerance: 1e-6, iterations: 1000, restart: 30, flexible: false }
    }
}

/// How far a system has been solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Applications of the preconditioner and the operator, but for the residuals' own.
    pub iterations: u64,
    /// |b - A x| at the start.
    pub start: f64,
    /// |b - A x| at the end, computed anew.
    pub end: f64,
    /// Whether the tolerance is reached.
    pub is_solved: bool,
    /// Whether the method ended because a whole cycle made no progress.
    pub stagnates: bool,
    /// |b - A x| after each iteration, as the method knows it.
    pub history: Vec<f64>,
}

impl Solved {
    /// |b - A x| as a share of its start; 0 if that is 0.
    pub fn reduction(&self) -> f64 {
        if self.start > 0.0 { self.end / self.start } else { 0.0 }
    }
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Unsolved {
    /// A number is not finite.
    #[error("iteration {iteration} of GMRES: {what} is not finite ({value})")]
    NotFinite {
        /// The iteration, from 1; 0 before the first.
        iteration: u64,
        /// What.
        what: String,
        /// The number, as text so that NaN and infinity survive any encoding.
        value: String,
    },
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// The method's vectors and sums on one set.
#[derive(Clone, Debug)]
pub struct Gmres<const N: usize> {
    options: Options,
    /// v_0 to v_restart.
    basis: Vec<Dat<N>>,
    /// z_j of each iteration, if flexible; otherwise one.
    directions: Vec<Dat<N>>,
    /// Sums of eight dot products, of two, and of one.
    eights: Vec<Global<Sum<8>>>,
    twos: Vec<Global<Sum<2>>>,
    one: Global<Sum<1>>,
}

impl<const N: usize> Gmres<N> {
    /// Creates the vectors that the options need.
    ///
    /// # Panics
    /// If the method is to start again after no vector.
    pub fn new(domain: &mut Domain, set: Set, options: Options) -> Gmres<N> {
        assert!(options.restart > 0, "a cycle has at least one vector");
        let own = unused_prefix(domain, &format!("gmres{N}"), "v0");
        let vector =
            |domain: &mut Domain, name: &str, j: usize| domain.new_dat(set, &format!("{own}.{name}{j}"));
        let basis = (0..=options.restart).map(|j| vector(domain, "v", j)).collect();
        let directions = if options.flexible { options.restart } else { 1 };
        Gmres {
            options,
            basis,
            directions: (0..directions).map(|j| vector(domain, "z", j)).collect(),
            eights: (0..(options.restart + 2) / 8)
                .map(|k| domain.new_sum(&format!("{own}.h8.{k}")))
                .collect(),
            twos: (0..4).map(|k| domain.new_sum(&format!("{own}.h2.{k}"))).collect(),
            one: domain.new_sum(&format!("{own}.h")),
        }
    }

    /// Solves A x = b, from x as it is.
    ///
    /// # Errors
    /// A number that is not finite, or a device that fails.
    pub fn solve(
        &self,
        domain: &mut Domain,
        operator: &impl Operator<N>,
        preconditioner: &impl Preconditioner<N>,
        b: Dat<N>,
        x: Dat<N>,
    ) -> Result<Solved, Unsolved>
    where
        Loops: VectorLoops<N>,
    {
        let start = self.residual(domain, operator, b, x, 0)?;
        let mut solved = Solved {
            iterations: 0,
            start,
            end: start,
            is_solved: false,
            stagnates: false,
            history: Vec::new(),
        };
        let goal = self.options.tolerance * start;
        while solved.end > goal && solved.iterations < self.options.iterations {
            let before = solved.end;
            self.cycle(domain, operator, preconditioner, x, goal, &mut solved)?;
            solved.end = self.residual(domain, operator, b, x, solved.iterations)?;
            if solved.end > STAGNANT * before {
                solved.stagnates = true;
                break;
            }
        }
        solved.is_solved = solved.end <= goal;
        Ok(solved)
    }

    /// v_0 = b - A x; its norm.
    fn residual(
        &self,
        domain: &mut Domain,
        operator: &impl Operator<N>,
        b: Dat<N>,
        x: Dat<N>,
        iteration: u64,
    ) -> Result<f64, Unsolved>
    where
        Loops: VectorLoops<N>,
    {
        operator.apply(domain, x, self.basis[0])?;
        Loops::residual(domain, b, self.basis[0], self.one);
        let [rr] = domain.get(self.one)?;
        finite(rr.sqrt(), "the residual", iteration)
    }

    /// Iterations until the method starts again or has reached `goal`; v_0 is the residual on entry.
    fn cycle(
        &self,
        domain: &mut Domain,
        operator: &impl Operator<N>,
        preconditioner: &impl Preconditioner<N>,
        x: Dat<N>,
        goal: f64,
        solved: &mut Solved,
    ) -> Result<(), Unsolved>
    where
        Loops: VectorLoops<N>,
    {
        let restart = self.options.restart;
        Loops::scale(domain, 1.0 / solved.end, self.basis[0]);
        let mut least = LeastSquares::new(solved.end);
        for j in 0..restart {
            let (z, w) = (self.direction(j), self.basis[j + 1]);
            preconditioner.apply(domain, self.basis[j], z);
            operator.apply(domain, z, w)?;
            let (column, norm) = self.orthogonalise(domain, j, solved.iterations + 1)?;
            solved.iterations += 1;
            let left = finite(least.add(column, norm), "the residual", solved.iterations)?;
            solved.history.push(left);
            // Nothing is left to orthogonalise: x is exact in the space spanned so far.
            let ends = norm == 0.0;
            if left <= goal || ends || solved.iterations == self.options.iterations {
                break;
            }
            if j + 1 < restart {
                Loops::scale(domain, 1.0 / norm, w);
            }
        }
        let y = least.solution();
        if self.options.flexible {
            self.add(domain, &self.directions[..y.len()], &y, x);
        } else {
            // x += P (V y): one application more in place of as many vectors.
            let sum = self.basis[y.len()];
            Loops::clear(domain, sum);
            self.add(domain, &self.basis[..y.len()], &y, sum);
            preconditioner.apply(domain, sum, self.directions[0]);
            self.add(domain, &self.directions[..1], &[1.0], x);
        }
        Ok(())
    }

    fn direction(&self, j: usize) -> Dat<N> {
        self.directions[if self.options.flexible { j } else { 0 }]
    }

    /// Makes w = v_j+1 orthogonal to v_0 to v_j, in two passes with a message each; the coefficients, and the norm of what is left.
    fn orthogonalise(
        &self,
        domain: &mut Domain,
        j: usize,
        iteration: u64,
    ) -> Result<(Vec<f64>, f64), Unsolved>
    where
        Loops: VectorLoops<N>,
    {
        let (basis, w) = (&self.basis[..=j], self.basis[j + 1]);
        let mut column = self.dots(domain, w, basis)?;
        let minus = |h: &[f64]| h.iter().map(|h| -h).collect::<Vec<f64>>();
        self.add(domain, basis, &minus(&column), w);
        // Also w . w, so that the norm of what the second pass leaves needs no message of its own.
        let mut second = self.dots(domain, w, &self.basis[..=j + 1])?;
        let square = finite(second.pop().expect("of w"), "a direction's norm", iteration)?;
        self.add(domain, basis, &minus(&second), w);
        column.iter_mut().zip(&second).for_each(|(h, more)| *h += more);
        let removed: f64 = second.iter().map(|h| h * h).sum();
        Ok((column, (square - removed).max(0.0).sqrt()))
    }

    /// w . v for each v, in one message.
    fn dots(&self, domain: &mut Domain, w: Dat<N>, v: &[Dat<N>]) -> Result<Vec<f64>, Unsolved>
    where
        Loops: VectorLoops<N>,
    {
        let (eights, rest) = v.as_chunks::<8>();
        let (twos, rest) = rest.as_chunks::<2>();
        eights.iter().zip(&self.eights).for_each(|(v, &h)| Loops::dots(domain, w, *v, h));
        twos.iter().zip(&self.twos).for_each(|(v, &h)| Loops::two_dots(domain, w, *v, h));
        rest.iter().for_each(|&v| Loops::dot(domain, w, v, self.one));
        let mut found = Vec::new();
        for &h in &self.eights[..eights.len()] {
            found.extend(domain.get(h)?);
        }
        for &h in &self.twos[..twos.len()] {
            found.extend(domain.get(h)?);
        }
        if !rest.is_empty() {
            found.extend(domain.get(self.one)?);
        }
        Ok(found)
    }

    /// w += sum of h_k v_k.
    fn add(&self, domain: &mut Domain, v: &[Dat<N>], h: &[f64], w: Dat<N>)
    where
        Loops: VectorLoops<N>,
    {
        let (eights, rest) = v.as_chunks::<8>();
        let (twos, last) = rest.as_chunks::<2>();
        let (h_eights, h_rest) = h.as_chunks::<8>();
        let (h_twos, h_last) = h_rest.as_chunks::<2>();
        eights.iter().zip(h_eights).for_each(|(v, h)| Loops::combine(domain, *v, *h, w));
        twos.iter().zip(h_twos).for_each(|(v, h)| Loops::two_combine(domain, *v, *h, w));
        // One vector, and once more with nothing.
        last.iter().zip(h_last).for_each(|(&v, &h)| Loops::two_combine(domain, [v, v], [h, 0.0], w));
    }
}

fn finite(value: f64, what: &str, iteration: u64) -> Result<f64, Unsolved> {
    match value.is_finite() {
        true => Ok(value),
        false => Err(Unsolved::NotFinite { iteration, what: what.into(), value: value.to_string() }),
    }
}

/// The least-squares problem of a cycle, |beta e_1 - H y|, triangular by rotations.
struct LeastSquares {
    /// Columns of the triangle.
    columns: Vec<Vec<f64>>,
    rotations: Vec<[f64; 2]>,
    right: Vec<f64>,
}

impl LeastSquares {
    fn new(beta: f64) -> LeastSquares {
        LeastSquares { columns: Vec::new(), rotations: Vec::new(), right: vec![beta] }
    }

    /// Adds a column and the entry below it; the residual that is then left.
    fn add(&mut self, mut column: Vec<f64>, below: f64) -> f64 {
        for (k, [c, s]) in self.rotations.iter().enumerate() {
            let (upper, lower) = (column[k], column[k + 1]);
            column[k] = c * upper + s * lower;
            column[k + 1] = c * lower - s * upper;
        }
        let last = column.len() - 1;
        let radius = (column[last] * column[last] + below * below).sqrt();
        let [c, s] = if radius > 0.0 { [column[last] / radius, below / radius] } else { [1.0, 0.0] };
        column[last] = radius;
        self.rotations.push([c, s]);
        self.columns.push(column);
        let right = self.right[last];
        self.right[last] = c * right;
        self.right.push(-s * right);
        self.right[last + 1].abs()
    }

    /// y, by back substitution; without the columns that are 0.
    fn solution(&self) -> Vec<f64> {
        let count = self.columns.len();
        let mut y = self.right[..count].to_vec();
        for k in (0..count).rev() {
            let pivot = self.columns[k][k];
            y[k] = if pivot == 0.0 { 0.0 } else { y[k] / pivot };
            for i in 0..k {
                y[i] -= self.columns[k][i] * y[k];
            }
        }
        y
    }
}

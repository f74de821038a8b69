//! The conjugate-gradient method for A u = b with a symmetric positive definite operator A that is known only by its
//! action on a dat.
//!
//! ```text
//! kernels      one function a loop
//! standard     two sums a step, each with a message of its own
//! single       two sums a step in one message
//! mod (here)   operator, options, state, outcome
//! ```
//!
//! Sums are accumulated in the loops that compute their operands, and all pending ones are sent in one message. The
//! method and its forms: Hestenes, Stiefel, "Methods of conjugate gradients for solving linear systems", Journal of
//! Research of the National Bureau of Standards 49 (1952), DOI 10.6028/jres.049.044; Chronopoulos, Gear, "s-step
//! iterative methods for symmetric linear systems", Journal of Computational and Applied Mathematics 25 (1989), DOI
//! 10.1016/0377-0427(89)90045-9.

pub mod kernels;
mod single;
mod standard;

use cfd_engine::prelude::*;
use serde::{Deserialize, Serialize};

use kernels::{clear_diagonal, init_cg, jacobi};

use crate::matrix::unused_prefix;

/// Bound on the residual relative to its start. In exact arithmetic it stays below the square root of the operator's
/// condition number, which double precision tolerates up to about 1e16.
const GROWTH_LIMIT: f64 = 1e8;

/// A linear operator on the dats of dimension 1 of one set, symmetric and positive definite on the rows that are not
/// constrained.
///
/// A constrained row's unknown is 0: the operator ignores its column and leaves 0 in its row. Right-hand sides are 0
/// there.
pub trait Operator {
    /// Records the loops that compute v = A p, with 0 in constrained rows. `v` is 0 on entry.
    fn apply(&self, domain: &mut Domain, p: Dat<1>, v: Dat<1>);

    /// Records the loops that set d to the diagonal of A; constrained rows may hold anything but 0. `d` is 0 on entry.
    fn diagonal(&self, domain: &mut Domain, d: Dat<1>);
}

cfd_keys::choice! {
    /// The form of the method. In exact arithmetic they are the same.
    #[derive(Default)]
    pub enum Variant {
        /// Hestenes and Stiefel: alpha needs p.Ap, beta needs the new r.r; two messages per step.
        #[default]
        Standard = "standard",
        /// Chronopoulos and Gear: p.Ap follows from r.Ar by recurrence; one message per step, one more dat.
        SingleReduction = "single-reduction",
    }
}

cfd_keys::choice! {
    /// What the residual is multiplied by before it becomes a direction.
    #[derive(Default)]
    pub enum Preconditioner {
        /// Nothing.
        #[default]
        None = "none",
        /// The inverse of the operator's diagonal.
        Jacobi = "jacobi",
    }
}

/// How to solve systems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The form of the method.
    pub variant: Variant,
    /// The preconditioner.
    pub preconditioner: Preconditioner,
    /// A system is solved once |b - A u| is at most this fraction of |b|.
    pub tolerance: f64,
    /// Maximum number of steps; reaching it is not an error.
    pub steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            variant: Variant::default(),
            preconditioner: Preconditioner::default(),
            tolerance: 0.1,
            steps: 200,
        }
    }
}

/// How far a system has been solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Steps taken.
    pub steps: u64,
    /// Square of the residual's norm at the start, b.b.
    pub start: f64,
    /// Square of the residual's norm at the end.
    pub end: f64,
}

impl Solved {
    /// |b - A u| over |b|; 0 when b is 0.
    pub fn reduction(&self) -> f64 {
        if self.start > 0.0 { (self.end / self.start).sqrt() } else { 0.0 }
    }
}

/// Why a system cannot be solved: a step's sums are impossible for a symmetric positive definite operator.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error(
    "step {step} of the conjugate gradients: {reason} (p.Ap = {curvature}, r.r = {residual}, r.r at the start = {start})"
)]
pub struct Breakdown {
    /// The step, from 1; 0 before the first.
    pub step: u64,
    /// What is wrong.
    pub reason: String,
    /// p.Ap, as text so that NaN and infinity survive any encoding; "-" before the first step.
    pub curvature: String,
    /// r.r, as text.
    pub residual: String,
    /// r.r at the start, as text.
    pub start: String,
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unsolved {
    /// The system is not sound.
    #[error(transparent)]
    Breakdown(#[from] Breakdown),
    /// A device has failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

/// The method's dats and sums on one set.
#[derive(Clone, Copy, Debug)]
pub struct ConjugateGradients {
    set: Set,
    options: Options,
    p: Dat<1>,
    v: Dat<1>,
    rr: Global<Sum<1>>,
    pv: Global<Sum<1>>,
    /// A p, if it follows by recurrence.
    s: Option<Dat<1>>,
    jacobi: Option<Jacobi>,
}

/// The operator's diagonal, the preconditioned residual z, and r.z.
#[derive(Clone, Copy, Debug)]
struct Jacobi {
    d: Dat<1>,
    z: Dat<1>,
    rz: Global<Sum<1>>,
}

impl ConjugateGradients {
    /// Creates the dats that the options need.
    pub fn new(domain: &mut Domain, set: Set, options: Options) -> ConjugateGradients {
        let own = unused_prefix(domain, "cg", "p");
        let name = |what: &str| format!("{own}.{what}");
        ConjugateGradients {
            set,
            options,
            p: domain.new_dat(set, &name("p")),
            v: domain.new_dat(set, &name("v")),
            rr: domain.new_sum(&name("r.r")),
            pv: domain.new_sum(&name("p.Ap")),
            s: (options.variant == Variant::SingleReduction).then(|| domain.new_dat(set, &name("s"))),
            jacobi: (options.preconditioner == Preconditioner::Jacobi).then(|| Jacobi {
                d: domain.new_dat(set, &name("diagonal")),
                z: domain.new_dat(set, &name("z")),
                rz: domain.new_sum(&name("r.z")),
            }),
        }
    }

    /// Solves A u = b from u = 0. On entry `r` is b; on return it is the residual, b - A u.
    ///
    /// # Errors
    /// A sum shows that the operator is not positive definite, or that the state is not finite; or a device fails.
    pub fn solve(
        &self,
        domain: &mut Domain,
        operator: &impl Operator,
        r: Dat<1>,
        u: Dat<1>,
    ) -> Result<Solved, Unsolved> {
        domain.par_loop(init_cg, self.set, (r, self.p, u, self.v, self.rr), &());
        if let Some(Jacobi { d, .. }) = self.jacobi {
            domain.par_loop(clear_diagonal, self.set, (d,), &());
            operator.diagonal(domain, d);
        }
        let system = System { state: self, operator, r, u };
        match self.s {
            None => standard::solve(domain, &system),
            Some(s) => single::solve(domain, &system, s),
        }
    }
}

/// One system being solved.
struct System<'a, O> {
    state: &'a ConjugateGradients,
    operator: &'a O,
    r: Dat<1>,
    u: Dat<1>,
}

impl<O: Operator> System<'_, O> {
    /// The preconditioned residual: r itself without a preconditioner.
    fn z(&self) -> Dat<1> {
        self.state.jacobi.map_or(self.r, |own| own.z)
    }

    /// Records the loop that computes `z` from r.
    fn precondition(&self, domain: &mut Domain, z: Dat<1>) {
        if let Some(Jacobi { d, rz, .. }) = self.state.jacobi {
            domain.par_loop(jacobi, self.state.set, (d, self.r, z, rz), &());
        }
    }

    /// r.r and r.z from the loops that last computed them; the same without a preconditioner.
    fn sums(&self, domain: &mut Domain) -> Result<(f64, f64), BackendError> {
        let [rr] = domain.get(self.state.rr)?;
        let [rz] = self.state.jacobi.map_or(Ok([rr]), |own| domain.get(own.rz))?;
        Ok((rr, rz))
    }
}

/// The progress of a system: its residual at the start and now, and whether it continues.
#[derive(Clone, Copy, Debug)]
struct Course {
    options: Options,
    solved: Solved,
}

impl Course {
    /// Begins with b.b.
    fn new(options: Options, start: f64) -> Result<Course, Breakdown> {
        let course = Course { options, solved: Solved { steps: 0, start, end: start } };
        match start.is_finite() {
            true => Ok(course),
            false => Err(course.breakdown(0, "the right-hand side is not finite", None)),
        }
    }

    /// True if the system needs another step and may take it.
    fn goes_on(&self) -> bool {
        let Solved { steps, start, end } = self.solved;
        steps < self.options.steps && end.sqrt() > self.options.tolerance * start.sqrt()
    }

    /// The length of the next step, r.z / p.Ap.
    fn length(&self, rz: f64, curvature: f64) -> Result<f64, Breakdown> {
        let step = self.solved.steps + 1;
        if curvature > 0.0 && curvature.is_finite() {
            return Ok(rz / curvature);
        }
        let reason = if curvature <= 0.0 {
            "the operator is not positive definite"
        } else {
            "the operator's result is not finite"
        };
        Err(self.breakdown(step, reason, Some(curvature)))
    }

    /// Counts a step that left the residual `end`.
    fn advance(&mut self, end: f64, curvature: f64) -> Result<(), Breakdown> {
        self.solved.steps += 1;
        self.solved.end = end;
        let reason = if !end.is_finite() {
            "the residual is not finite"
        } else if end.sqrt() > GROWTH_LIMIT * self.solved.start.sqrt() {
            "the residual grows without limit"
        } else {
            return Ok(());
        };
        Err(self.breakdown(self.solved.steps, reason, Some(curvature)))
    }

    fn breakdown(&self, step: u64, reason: &str, curvature: Option<f64>) -> Breakdown {
        Breakdown {
            step,
            reason: reason.into(),
            curvature: curvature.map_or("-".into(), |value| format!("{value:e}")),
            residual: format!("{:e}", self.solved.end),
            start: format!("{:e}", self.solved.start),
        }
    }
}

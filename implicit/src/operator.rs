//! What solvers need to know of a system.

use cfd_engine::prelude::*;

use crate::{Loops, VectorLoops};

/// A linear operator on vectors of `N` values on every element of a set.
pub trait Operator<const N: usize> {
    /// Records the loops that set y to A x.
    ///
    /// # Errors
    /// A device has failed. Only an operator that reads results, such as x's norm, has any.
    fn apply(&self, domain: &mut Domain, x: Dat<N>, y: Dat<N>) -> Result<(), BackendError>;
}

/// An approximation of an operator's inverse.
pub trait Preconditioner<const N: usize> {
    /// Records the loops that set z to about A^-1 r.
    fn apply(&self, domain: &mut Domain, r: Dat<N>, z: Dat<N>);
}

/// No preconditioner: z = r.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;

impl<const N: usize> Preconditioner<N> for Identity
where
    Loops: VectorLoops<N>,
{
    fn apply(&self, domain: &mut Domain, r: Dat<N>, z: Dat<N>) {
        Loops::copy(domain, r, z);
    }
}

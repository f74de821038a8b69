//! Hestenes and Stiefel's form: two messages per step.

use cfd_engine::prelude::*;

use super::kernels::{Coefficients, dot_pv, update_p, update_ur};
use super::{ConjugateGradients, Course, Operator, Solved, System, Unsolved};

/// p = z; then, until the residual is small enough:
///
/// ```text
/// v = A p,  alpha = (r.z) / (p.v),  u += alpha p,  r -= alpha v,  z = M r,
/// beta = (r.z) / (r.z before),  p = beta p + z
/// ```
///
/// without a preconditioner z is r.
pub(super) fn solve(domain: &mut Domain, system: &System<'_, impl Operator>) -> Result<Solved, Unsolved> {
    let ConjugateGradients { set, options, p, v, rr, pv, .. } = *system.state;
    let System { operator, r, u, .. } = *system;
    let z = system.z();
    system.precondition(domain, p);
    let (start, mut rz) = system.sums(domain)?;
    let mut course = Course::new(options, start)?;
    while course.goes_on() {
        operator.apply(domain, p, v);
        domain.par_loop(dot_pv, set, (p, v, pv), &());
        let [curvature] = domain.get(pv)?;
        let alpha = course.length(rz, curvature)?;
        domain.par_loop(update_ur, set, (p, v, u, r, rr), &Coefficients { alpha, beta: 0.0 });
        system.precondition(domain, z);
        let (end, after) = system.sums(domain)?;
        course.advance(end, curvature)?;
        let beta = after / rz;
        rz = after;
        if course.goes_on() {
            domain.par_loop(update_p, set, (z, p), &Coefficients { alpha, beta });
        }
    }
    Ok(course.solved)
}

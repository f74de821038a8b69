//! Chronopoulos and Gear's form: one message per step, because both sums can be formed after applying the operator to
//! the residual instead of the direction.

use cfd_engine::prelude::*;

use super::kernels::{Coefficients, advance, dot_pv, init_directions, update_directions};
use super::{ConjugateGradients, Course, Operator, Solved, System, Unsolved};

/// v = A z with p = s = 0 and beta = 0; then, until the residual is small enough:
///
/// ```text
/// alpha = (r.z) / (z.v - beta (r.z) / (alpha before)),
/// p = beta p + z,  s = beta s + v,  u += alpha p,  r -= alpha s,  z = M r,  v = A z,
/// beta = (r.z) / (r.z before)
/// ```
///
/// The divisor of alpha is p.Ap. By the time the residual is found small enough, the operator has been applied once
/// more than needed.
pub(super) fn solve(
    domain: &mut Domain,
    system: &System<'_, impl Operator>,
    s: Dat<1>,
) -> Result<Solved, Unsolved> {
    let ConjugateGradients { set, options, p, v, rr, pv, .. } = *system.state;
    let System { operator, r, u, .. } = *system;
    let z = system.z();
    domain.par_loop(init_directions, set, (p, s), &());
    // All pending sums are sent in the message of the first one requested.
    let product = |domain: &mut Domain| {
        system.precondition(domain, z);
        operator.apply(domain, z, v);
        domain.par_loop(dot_pv, set, (z, v, pv), &());
        let (rr, rz) = system.sums(domain)?;
        let [zv] = domain.get(pv)?;
        Ok::<_, Unsolved>((rr, rz, zv))
    };
    let (start, mut rz, mut curvature) = product(domain)?;
    let mut course = Course::new(options, start)?;
    let mut beta = 0.0;
    while course.goes_on() {
        let alpha = course.length(rz, curvature)?;
        let coefficients = Coefficients { alpha, beta };
        domain.par_loop(update_directions, set, (z, v, p, s), &coefficients);
        domain.par_loop(advance, set, (p, s, u, r, rr), &coefficients);
        let (end, after, zv) = product(domain)?;
        course.advance(end, curvature)?;
        beta = after / rz;
        curvature = zv - beta * after / alpha;
        rz = after;
    }
    Ok(course.solved)
}

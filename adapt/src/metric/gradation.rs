//! Gradation: how fast sizes may grow from vertex to vertex.

use super::error::{MetricError, require};
use super::limits::Limits;
use super::list::check_metrics;
use super::star::Neighbours;
use super::view::{View, at_vertices, owned};
use crate::tensor::{Tensor, intersect, size_along};

/// A metric that exceeds the allowed one by less than this fraction counts as equal.
const TOLERANCE: f64 = 1e-6;
/// Most sweeps; information moves one edge per sweep.
const SWEEPS: usize = 10_000;

/// The result of gradation.
#[derive(Clone, Debug)]
pub struct Graded<const D: usize> {
    /// The metric at every local vertex.
    pub metrics: Vec<Tensor<D>>,
    /// Sweeps that changed something.
    pub sweeps: usize,
    /// Whether nothing is left to change; false after 10,000 sweeps.
    pub settled: bool,
}

/// Increases metrics until, for every edge from p to q,
///
/// ```text
/// M_p >= (1 + ln(beta) l)^-2 M_q,   l = sqrt(e^T M_q e), e = x_q - x_p
/// ```
///
/// in every direction, to a relative 1e-6: over an edge of unit length, sizes grow by a factor of at most beta. In each
/// sweep, M_p is intersected with the right-hand sides, from before the sweep, of those neighbours that the previous
/// sweep changed (in the first, of all), one after the other by their identities, and is then limited. Where limits
/// forbid a greater metric, they win.
///
/// Source: Alauzet, "Size gradation control of anisotropic meshes", Finite Elements in Analysis and Design 46, 2010,
/// DOI 10.1016/j.finel.2009.06.028, metric-space gradation.
///
/// # Errors
/// beta is not above 1, or a tensor is not a metric.
pub fn gradate<const D: usize, V: View<D>>(
    view: &V,
    metrics: &[Tensor<D>],
    beta: f64,
    limits: &Limits,
) -> Result<Graded<D>, MetricError> {
    require(beta > 1.0 && beta < f64::INFINITY, "beta", beta, "a number above 1")?;
    limits.check()?;
    check_metrics(view, metrics)?;
    Ok(sweep(view, &Neighbours::new(view), metrics, beta, limits))
}

/// As [`gradate`], with checked arguments.
pub(super) fn sweep<const D: usize, V: View<D>>(
    view: &V,
    neighbours: &Neighbours,
    metrics: &[Tensor<D>],
    beta: f64,
    limits: &Limits,
) -> Graded<D> {
    let rule = Rule { ln_beta: same_math::ln(beta), limits };
    let mut graded = Graded { metrics: metrics.to_vec(), sweeps: 0, settled: false };
    view.update_ghosts(&mut graded.metrics);
    let mut changed = vec![1u8; view.vertices()];
    while graded.sweeps < SWEEPS {
        let old = &graded.metrics;
        let news = |v: u32| neighbours.of(v).iter().copied().filter(|&w| changed[w as usize] == 1);
        let new: Vec<(u32, Tensor<D>)> =
            owned(view).filter_map(|v| Some((v, rule.greater(view, v, news(v), old)?))).collect();
        if view.comm().sum(new.len() as u64) == 0 {
            graded.settled = true;
            break;
        }
        graded.sweeps += 1;
        let mut own = vec![0u8; view.vertices()];
        for (v, metric) in new {
            graded.metrics[v as usize] = metric;
            own[v as usize] = 1;
        }
        changed = at_vertices(view, |v| own[v as usize]);
        view.update_ghosts(&mut graded.metrics);
    }
    graded
}

struct Rule<'a> {
    ln_beta: f64,
    limits: &'a Limits,
}

impl Rule<'_> {
    /// The metric that a vertex takes from its neighbours, if it is greater than its own.
    fn greater<const D: usize, V: View<D>>(
        &self,
        view: &V,
        v: u32,
        neighbours: impl Iterator<Item = u32>,
        metrics: &[Tensor<D>],
    ) -> Option<Tensor<D>> {
        let (own, here) = (metrics[v as usize], view.position(v));
        let mut metric = own;
        for w in neighbours {
            let (other, there) = (&metrics[w as usize], view.position(w));
            let edge: [f64; D] = std::array::from_fn(|i| there[i] - here[i]);
            let growth = 1.0 + self.ln_beta * size_along(&edge, other);
            let least = other.scaled(1.0 / (growth * growth));
            if exceeds(&least, &metric) {
                metric = intersect(&metric, &least);
            }
        }
        if metric == own {
            return None;
        }
        let limited = self.limits.apply(&metric);
        exceeds(&limited, &own).then_some(limited)
    }
}

/// Whether a is greater than b by more than the tolerance in some direction.
fn exceeds<const D: usize>(a: &Tensor<D>, b: &Tensor<D>) -> bool {
    !b.scaled(1.0 + TOLERANCE).plus(-1.0, a).is_positive_definite()
}

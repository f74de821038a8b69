//! A wanted complexity together with limits and gradation.

use serde::{Deserialize, Serialize};

use super::error::{MetricError, require};
use super::gradation::sweep;
use super::limits::Limits;
use super::list::check_metrics;
use super::measure::Measure;
use super::star::Neighbours;
use super::view::{MetricAt, View, at_vertices};
use crate::tensor::{Tensor, intersect};

/// Most rounds of scaling.
const ROUNDS: usize = 40;
/// Most steps where the complexity does not depend on the scale: together, a factor of 1e110.
const FLAT: i32 = 7;
/// A complexity that differs by less than this fraction counts as reached.
const NEAR: f64 = 5e-4;

/// What a metric is to satisfy once it has its form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wanted {
    /// The integral of sqrt(det M); unconstrained if none.
    pub complexity: Option<f64>,
    /// Bounds on sizes.
    pub limits: Limits,
    /// The greatest factor by which sizes grow over an edge of unit length.
    pub beta: Option<f64>,
}

/// A metric, and how close it has come to what was wanted.
#[derive(Clone, Debug)]
pub struct Reached<const D: usize> {
    /// The metric at every local vertex.
    pub metrics: Vec<Tensor<D>>,
    /// Its complexity.
    pub complexity: f64,
    /// Whether the complexity differs from the wanted one by less than 0.1 %; true if none was wanted. Limits can make
    /// it unreachable.
    pub reached: bool,
    /// Whether gradation holds everywhere.
    pub settled: bool,
    /// Rounds of scaling, limits and gradation.
    pub rounds: usize,
    /// The factor s.
    pub scale: f64,
}

impl Wanted {
    /// limit(s M): a metric at one place, if sizes at others do not bound it.
    pub fn applied<const D: usize>(&self, scale: f64, m: &Tensor<D>) -> Tensor<D> {
        self.limits.apply(&m.scaled(scale))
    }
}

/// grade(limit(s M)) with the factor s that gives the wanted complexity.
///
/// Each round starts from the given M, so that gradation does not accumulate; s follows from the previous rounds by the
/// secant rule for ln(complexity) against ln(s). At most 40 rounds. Entries of ghosts are not read.
///
/// # Errors
/// A setting is out of range, or a tensor is not a metric.
pub fn reach<const D: usize, V: View<D>>(
    view: &V,
    metrics: &[Tensor<D>],
    wanted: &Wanted,
) -> Result<Reached<D>, MetricError> {
    search(view, metrics, wanted, MetricAt::Carried)
}

/// The same for a metric that a formula gives at any place. Without gradation, which makes sizes depend on those at
/// other places, the complexity is that of the formula, also between the vertices, and [`Wanted::applied`] with the
/// factor of the result gives the metric anywhere.
///
/// # Errors
/// As for [`reach`].
pub fn reach_formula<const D: usize, V: View<D>>(
    view: &V,
    formula: &(dyn Fn(&[f64; D]) -> Tensor<D> + Sync),
    wanted: &Wanted,
) -> Result<Reached<D>, MetricError> {
    let metrics: Vec<Tensor<D>> = at_vertices(view, |v| formula(&view.position(v)));
    search(view, &metrics, wanted, MetricAt::Given(formula))
}

fn search<const D: usize, V: View<D>>(
    view: &V,
    metrics: &[Tensor<D>],
    wanted: &Wanted,
    at: MetricAt<D>,
) -> Result<Reached<D>, MetricError> {
    wanted.limits.check()?;
    if let Some(n) = wanted.complexity {
        require(n > 0.0 && n < f64::INFINITY, "complexity", n, "a positive number")?;
    }
    if let Some(beta) = wanted.beta {
        require(beta > 1.0 && beta < f64::INFINITY, "beta", beta, "a number above 1")?;
    }
    check_metrics(view, metrics)?;
    let metrics: Vec<Tensor<D>> = at_vertices(view, |v| metrics[v as usize]);
    let measure = Measure::new(view);
    let gradation = wanted.beta.map(|beta| (beta, Neighbours::new(view)));
    let mut search = Search {
        power: 0.5 * D as f64,
        ln_scale: 0.0,
        last: None,
        flat: 0,
        below: f64::NEG_INFINITY,
        above: f64::INFINITY,
    };
    let mut rounds = 0;
    loop {
        rounds += 1;
        let scale = same_math::exp(search.ln_scale);
        let mut result = shape(view, &metrics, wanted, gradation.as_ref(), scale);
        result.complexity = match at {
            MetricAt::Given(formula) if wanted.beta.is_none() => {
                let applied = |x: &[f64; D]| wanted.applied(scale, &formula(x));
                measure.complexity(view, &result.metrics, MetricAt::Given(&applied))
            }
            _ => measure.complexity(view, &result.metrics, MetricAt::Carried),
        };
        result.rounds = rounds;
        let Some(n) = wanted.complexity else { return Ok(result) };
        result.reached = (result.complexity - n).abs() <= NEAR * n;
        if result.reached || rounds == ROUNDS || !search.advance(same_math::ln(n / result.complexity)) {
            return Ok(result);
        }
    }
}

/// grade(limit(s M)); `gradation` is the factor and the neighbours for it.
fn shape<const D: usize, V: View<D>>(
    view: &V,
    metrics: &[Tensor<D>],
    wanted: &Wanted,
    gradation: Option<&(f64, Neighbours)>,
    scale: f64,
) -> Reached<D> {
    let limited: Vec<Tensor<D>> = metrics.iter().map(|m| wanted.applied(scale, m)).collect();
    let (metrics, settled) = match gradation {
        Some((beta, neighbours)) => {
            let graded = sweep(view, neighbours, &limited, *beta, &wanted.limits);
            (graded.metrics, graded.settled)
        }
        None => (limited, true),
    };
    Reached { metrics, complexity: 0.0, reached: true, settled, rounds: 0, scale }
}

/// The search for ln s.
struct Search {
    /// d ln(complexity) / d ln(s) where neither limits nor gradation act.
    power: f64,
    ln_scale: f64,
    /// ln(s) and ln(wanted / complexity) of the previous round.
    last: Option<(f64, f64)>,
    /// Longer and longer steps, because the complexity did not depend on s.
    flat: i32,
    /// The last ln(s) with too low a complexity, and with too high a one.
    below: f64,
    above: f64,
}

impl Search {
    /// Makes the next step, given by how much ln(complexity) must grow; false if it depends on s nowhere near.
    ///
    /// Where limits decide all sizes, complexity does not depend on s: steps become longer, to get out of there, and from
    /// then on stay between scales that are known to be too small and too large.
    fn advance(&mut self, missing: f64) -> bool {
        let slope = match self.last {
            Some((ln_scale, before)) => (before - missing) / (self.ln_scale - ln_scale),
            None => self.power,
        };
        if slope.is_nan() {
            return false;
        }
        self.last = Some((self.ln_scale, missing));
        let side = if missing > 0.0 { &mut self.below } else { &mut self.above };
        *side = self.ln_scale;
        let is_flat = slope < 1e-3 * self.power;
        // Limits can make the slope steeper or flatter from one point to the next.
        let next = self.ln_scale + missing / slope.min(self.power).max(0.05 * self.power);
        let between = self.above - self.below;
        if !is_flat && self.flat == 0 {
            self.ln_scale = next;
        } else if between.is_finite() {
            let is_between = next > self.below && next < self.above;
            self.ln_scale = if is_between && !is_flat { next } else { self.below + 0.5 * between };
        } else {
            self.flat += 1;
            self.ln_scale += missing.signum() * 2f64.powi(self.flat);
        }
        self.flat <= FLAT
    }
}

/// The intersection of several metrics at each vertex, one after the other in the given order.
///
/// # Panics
/// Without any metric, or if the numbers of vertices differ.
pub fn intersect_all<const D: usize>(metrics: &[&[Tensor<D>]]) -> Vec<Tensor<D>> {
    let (first, others) = metrics.split_first().expect("at least one metric");
    let mut result = first.to_vec();
    for other in others {
        assert_eq!(other.len(), result.len(), "one tensor a vertex in each metric");
        result.iter_mut().zip(*other).for_each(|(m, other)| *m = intersect(m, other));
    }
    result
}

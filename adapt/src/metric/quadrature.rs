//! The integral of sqrt(det M) over an element.
//!
//! A metric at the corners of a large element can differ by orders of magnitude, and its density sqrt(det M) still more:
//! the mean of the corners' would count a layer of small elements at a wall as if it filled the whole element. So an
//! element is halved, where sizes that change linearly have grown by the same factor on both sides, until the density
//! varies little over each part, or the part counts for little.

use super::view::MetricAt;
use crate::tensor::{Tensor, interpolate_between};

/// At least as many corners as any element has.
const MOST: usize = 4;
/// Greatest ratio of two densities in a part.
const STEEP: f64 = 1.5;
/// The integral over a part is at most this uncertain, in vertices of the mesh to come, and the part so small that it
/// is not halved: where a density vanishes along a line, its ratio is without bound.
const SMALL: f64 = 2e-3;
/// The same, over the integral over the element, where that is larger: a mesh that fits into no memory needs no more to be
/// refused than one that does.
const SHARE: f64 = 1e-6;
/// Most halvings of a part. One for each edge halves the logarithm of that ratio.
const DEPTH: u32 = 24;
/// The same, for an estimate.
const FIRST: u32 = 8;

/// A corner of a part.
#[derive(Clone, Copy)]
struct Corner<const D: usize> {
    x: [f64; D],
    metric: Tensor<D>,
    density: f64,
}

impl<const D: usize> Corner<D> {
    fn new(x: [f64; D], metric: Tensor<D>) -> Corner<D> {
        Corner { x, metric, density: metric.determinant().sqrt() }
    }

    /// The mean of corners with weights, and the metric there.
    fn between(corners: &[Corner<D>], weights: [f64; MOST], at: MetricAt<D>) -> Corner<D> {
        let last = corners.len() - 1;
        let term = |i: usize| (weights[i], corners[i].x, corners[i].metric);
        let terms: [_; MOST] = std::array::from_fn(|i| term(i.min(last)));
        let terms = &terms[..corners.len()];
        let x = std::array::from_fn(|i| terms.iter().fold(0.0, |sum, (weight, x, _)| sum + weight * x[i]));
        let metric = match at {
            MetricAt::Given(metric) => metric(&x),
            MetricAt::Carried => interpolate_between(terms),
        };
        Corner::new(x, metric)
    }
}

/// The integral over an element with these corners, in the order of their identities.
///
/// On a part, the rule that is exact for quadratic functions: the density at the centre with weight (d + 1) / (d + 2), the
/// mean of those at the corners with 1 / (d + 2).
pub(super) fn density<const D: usize>(
    corners: &[([f64; D], Tensor<D>)],
    volume: f64,
    at: MetricAt<D>,
) -> f64 {
    let corner = |(x, metric): ([f64; D], Tensor<D>)| Corner::new(x, metric);
    let corners = std::array::from_fn(|i| corner(corners[i.min(D)]));
    let mut rule = Rule { at, small: SMALL, is_cut: false };
    let estimate = rule.over_part(&corners, volume, FIRST);
    if !rule.is_cut {
        return estimate;
    }
    rule.small = SMALL.max(SHARE * estimate);
    rule.over_part(&corners, volume, DEPTH)
}

/// What decides whether a part is halved.
struct Rule<'a, const D: usize> {
    at: MetricAt<'a, D>,
    /// How uncertain the integral over a part may be.
    small: f64,
    /// A part that should have been halved was not.
    is_cut: bool,
}

impl<const D: usize> Rule<'_, D> {
    /// The integral over a part that is halved so many times at most.
    fn over_part(&mut self, corners: &[Corner<D>; MOST], volume: f64, depth: u32) -> f64 {
        let own = &corners[..=D];
        let share = 1.0 / (D as f64 + 1.0);
        let (least, most) = own.iter().fold((f64::INFINITY, 0.0f64), |(least, most), corner| {
            (least.min(corner.density), most.max(corner.density))
        });
        let centre = match self.at {
            MetricAt::Carried => {
                // The geometric mean of the sizes, taken as linear; it is used only where they differ little.
                let size = share * own.iter().fold(0.0, |sum, corner| sum + 1.0 / corner.density.sqrt());
                1.0 / (size * size)
            }
            MetricAt::Given(_) => Corner::between(own, [share; MOST], self.at).density,
        };
        let (least, most) = (least.min(centre), most.max(centre));
        // Written so that a density that is no number ends the recursion.
        let is_steep = most > STEEP * least && volume * (most - least) > self.small;
        if depth == 0 || !is_steep {
            self.is_cut |= is_steep;
            let sum = own.iter().fold(0.0, |sum, corner| sum + corner.density);
            return volume * ((D as f64 + 1.0) * centre + share * sum) / (D as f64 + 2.0);
        }
        let (i, j) = steepest(own);
        let part = 1.0 / (1.0 + (own[i].density / own[j].density).sqrt());
        let middle = Corner::between(&[own[i], own[j]], [1.0 - part, part, 0.0, 0.0], self.at);
        let [mut near, mut far] = [*corners; 2];
        near[j] = middle;
        far[i] = middle;
        self.over_part(&near, part * volume, depth - 1)
            + self.over_part(&far, (1.0 - part) * volume, depth - 1)
    }
}

/// The edge along which the density changes most; the longest one, if it changes along none. Of equals, the first.
fn steepest<const D: usize>(corners: &[Corner<D>]) -> (usize, usize) {
    let ratio = |i: usize, j: usize| {
        let (a, b) = (corners[i].density, corners[j].density);
        if a < b { b / a } else { a / b }
    };
    let square = |i: usize, j: usize| {
        (0..D).fold(0.0, |sum, k| {
            sum + (corners[i].x[k] - corners[j].x[k]) * (corners[i].x[k] - corners[j].x[k])
        })
    };
    let edges = || (0..=D).flat_map(|i| (i + 1..=D).map(move |j| (i, j)));
    let most = |of: &dyn Fn(usize, usize) -> f64| {
        edges().fold((0, 1), |most, edge| if of(edge.0, edge.1) > of(most.0, most.1) { edge } else { most })
    };
    let (i, j) = most(&ratio);
    if ratio(i, j) > 1.0 + 1e-9 { (i, j) } else { most(&square) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A density that is 0 along x = 0.3, where it has a kink, over a triangle: its integral by hand, whatever its size, and
    /// no more places looked at for one that no mesh can follow.
    #[test]
    fn a_density_that_vanishes_along_a_line_is_integrated_at_few_places_however_great_it_is() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let exact = 0.0405 + 0.7 * 0.245 - 0.343 / 3.0;
        for size in [1e2, 1e4, 1e6, 1e15] {
            let places = AtomicU64::new(0);
            let metric = |x: &[f64; 2]| {
                places.fetch_add(1, Ordering::Relaxed);
                let of_axis = size * (x[0] - 0.3).abs() + size * 1e-12;
                Tensor::diagonal([of_axis; 2])
            };
            let corners = corners.map(|x| (x, metric(&x)));
            let found = density(&corners, 0.5, MetricAt::Given(&metric)) / size;
            let places = places.into_inner();
            assert!((found / exact - 1.0).abs() < 1e-2, "{size}: {found}, expected {exact}");
            assert!(places < 300_000, "{size}: {places} places");
        }
    }
}

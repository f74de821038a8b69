//! Sizes at the vertices of boundaries and regions.

use cfd_adapt::mesh::{Called, Mesh, number_of};
use cfd_adapt::metric::{Limits, View};
use cfd_adapt::tensor::{Tensor, intersect};

use super::{Config, Region, Shape};

/// The smallest and the largest size at a vertex.
pub type Range = [f64; 2];

/// No bounds.
const ANY: Range = [0.0, f64::INFINITY];

/// The range within both; if there is none, its ends are the wrong way round.
fn both(one: Range, other: Range) -> Range {
    [one[0].max(other[0]), one[1].min(other[1])]
}

fn range([least, most]: [Option<f64>; 2]) -> Range {
    [least.unwrap_or(ANY[0]), most.unwrap_or(ANY[1])]
}

impl Shape {
    /// `h_min` and `h_max`.
    pub(super) fn sizes(&self) -> [Option<f64>; 2] {
        match self {
            Shape::Spline { h_min, h_max, .. }
            | Shape::Line { h_min, h_max, .. }
            | Shape::Polygon { h_min, h_max }
            | Shape::Required { h_min, h_max }
            | Shape::Periodic { h_min, h_max, .. }
            | Shape::Circle { h_min, h_max, .. }
            | Shape::Ellipse { h_min, h_max, .. }
            | Shape::Naca0012 { h_min, h_max, .. } => [*h_min, *h_max],
        }
    }

    pub(super) fn hausdorff(&self) -> Option<f64> {
        match self {
            Shape::Spline { hausdorff, .. }
            | Shape::Line { hausdorff, .. }
            | Shape::Circle { hausdorff, .. }
            | Shape::Ellipse { hausdorff, .. }
            | Shape::Naca0012 { hausdorff, .. } => *hausdorff,
            Shape::Polygon { .. } | Shape::Required { .. } | Shape::Periodic { .. } => None,
        }
    }
}

impl Region {
    /// `h_min` and `h_max`.
    pub(super) fn sizes(&self) -> [Option<f64>; 2] {
        match self {
            Region::Adapted { h_min, h_max } => [*h_min, *h_max],
            Region::Required {} => [None, None],
        }
    }
}

impl Config {
    /// The sizes at each local vertex that boundaries and regions allow; none without boundaries and regions that say
    /// something. Collective.
    pub fn sizes_at_vertices(&self, mesh: &Mesh<2>) -> Option<Vec<Range>> {
        let of_shapes = self.boundaries.values().map(Shape::sizes);
        if of_shapes.chain(self.regions.values().map(Region::sizes)).all(|of| of == [None, None]) {
            return None;
        }
        let of_boundary = |called: &Called| {
            called
                .names()
                .find_map(|name| self.boundaries.get(name))
                .map_or(ANY, |shape| range(shape.sizes()))
        };
        let of_number: Vec<Range> = [ANY].into_iter().chain(mesh.called().iter().map(of_boundary)).collect();
        let of_region: Vec<Range> = mesh
            .region_names()
            .iter()
            .map(|name| self.regions.get(name).map_or(ANY, |region| range(region.sizes())))
            .collect();
        let elements = mesh.local().elements();
        let mut found = vec![ANY; View::vertices(mesh)];
        for e in elements.iter() {
            let in_region = of_region[usize::from(elements.region(e))];
            for &v in elements.corners(e) {
                found[v as usize] = both(found[v as usize], in_region);
            }
            for (opposite, &tag) in elements.tags(e).iter().enumerate() {
                let others = elements.corners(e).iter().enumerate().filter(|&(i, _)| i != opposite);
                for (_, &v) in others {
                    found[v as usize] = both(found[v as usize], of_number[usize::from(number_of(tag))]);
                }
            }
        }
        mesh.update_ghosts(&mut found);
        Some(found)
    }
}

/// The metrics, with sizes in these ranges, if there are any. Where a range has its ends the wrong way round, the upper one
/// counts.
pub fn within(mut metrics: Vec<Tensor<2>>, sizes: Option<&[Range]>) -> Vec<Tensor<2>> {
    for (metric, &[least, most]) in metrics.iter_mut().zip(sizes.into_iter().flatten()) {
        if least > 0.0 {
            *metric = Limits { h_min: least, ..Limits::default() }.apply(metric);
        }
        if most < f64::INFINITY {
            *metric = intersect(metric, &Tensor::diagonal([1.0 / (most * most); 2]));
        }
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_into_their_range_and_the_largest_counts_before_the_smallest() {
        let of = |size: f64| Tensor::diagonal([1.0 / (size * size); 2]);
        let size = |metric: &Tensor<2>| metric.0.map(|row| row.iter().sum::<f64>()).map(|m| 1.0 / m.sqrt());
        let given = vec![of(0.01), of(0.1), of(1.0), of(0.1), of(0.1)];
        let ranges = [[0.05, 0.5], [0.05, 0.5], [0.05, 0.5], [0.3, 0.2], ANY];
        let found = within(given.clone(), Some(&ranges));
        for (metric, expected) in found.iter().zip([0.05, 0.1, 0.5, 0.2, 0.1]) {
            assert!(size(metric).iter().all(|h| (h - expected).abs() < 1e-15), "{metric:?}: {expected}");
        }
        assert_eq!(found[1], given[1]);
        assert_eq!(within(given.clone(), None), given);
    }
}

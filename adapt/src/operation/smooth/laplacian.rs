//! Towards the mean of the neighbours.

use crate::geometry::Point;
use crate::mesh::{Freedom, Local};
use crate::operation::coarsen::boundary_edge;

/// From a vertex to the mean of its neighbours, weighted with the lengths, in the metric, of the edges to them; a
/// boundary vertex considers only its neighbours along the boundary.
pub fn step<const D: usize>(local: &Local<D>, v: u32) -> Option<Point<D>> {
    let mut neighbours = local.neighbours(v);
    if local.freedom(v) == Freedom::Boundary {
        neighbours.retain(|w| boundary_edge(local, v, *w));
    }
    local.sort(&mut neighbours);
    let (mut total, mut sum) = (0.0, [0.0; D]);
    for &w in &neighbours {
        let weight = local.length(v, w);
        total += weight;
        for i in 0..D {
            sum[i] += weight * local.position(w)[i];
        }
    }
    let from = local.position(v);
    (total > 0.0).then(|| std::array::from_fn(|i| sum[i] / total - from[i]))
}

//! What the four operations find out about a vertex, in one call each: the loops that threads share.

use super::coarsen::{Coarsen, Requirement};
use super::pass::Operation;
use super::refine::Refine;
use super::smooth::{Smooth, Way};
use super::swap::{Good, Swap};
use super::{Bounds, MetricAt};
use crate::mesh::Mesh;

/// The loop of an operation over this rank's vertices. Its calls only read the mesh, in any order, on any threads.
pub struct Evaluation<'a> {
    /// Name of the operation.
    pub name: &'static str,
    /// The rank's vertices.
    pub vertices: Vec<u32>,
    would: Box<dyn Fn(u32) -> bool + Sync + 'a>,
}

impl Evaluation<'_> {
    /// Whether the operation would change something at a vertex, judging by its whole star.
    pub fn would_change(&self, vertex: u32) -> bool {
        (self.would)(vertex)
    }
}

/// Coarsen, refine, swap and smooth on a mesh as it is, with its metric carried along.
pub fn evaluations<'a>(mesh: &'a Mesh<2>, bounds: &Bounds) -> [Evaluation<'a>; 4] {
    let (local, metric) = (&mesh.local, MetricAt::Carried);
    let coarsen = Coarsen { short: bounds.short, long: bounds.long, requirement: Requirement::Nothing };
    let refine = Refine { short: bounds.short, long: bounds.long, metric, most: None };
    let swap = Swap { quality: bounds.swap, gain: bounds.gain, good: Good::Quality };
    let smooth = Smooth { bounds: *bounds, metric, way: Way::Laplacian };
    let all = |name, would: Box<dyn Fn(u32) -> bool + Sync + 'a>| Evaluation {
        name,
        vertices: local.own_vertices().collect(),
        would,
    };
    [
        all("coarsen", Box::new(move |v| coarsen.propose(local, v).is_some())),
        all("refine", Box::new(move |v| refine.splits_at(local, v))),
        all("swap", Box::new(move |v| swap.propose(local, v).is_some())),
        all("smooth", Box::new(move |v| smooth.propose(local, v).is_some())),
    ]
}

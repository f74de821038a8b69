//! What metric computations see of a distributed mesh.

use bytemuck::Pod;
use cfd_engine::comm::Comm;

use crate::tensor::Tensor;

/// One rank's part of a mesh of simplices that is distributed by vertices: the rank has every element that touches its
/// own vertices. The other vertices of these elements are its ghosts.
///
/// Results depend neither on local numbers, nor on the order of lists, nor on which rank owns what: sums run in the
/// order of identities.
pub trait View<const D: usize> {
    /// The ranks.
    fn comm(&self) -> &Comm;
    /// Number of local vertices: owned ones and ghosts, in any order.
    fn vertices(&self) -> usize;
    /// Whether a vertex is this rank's own.
    fn is_owned(&self, v: u32) -> bool;
    /// The position of a vertex.
    fn position(&self, v: u32) -> [f64; D];
    /// The global name of a vertex.
    fn identity(&self, v: u32) -> u128;
    /// The elements that touch a vertex, in any order; all of them for an owned one.
    fn elements_of(&self, v: u32) -> &[u32];
    /// The `D` + 1 vertices of an element, in any order.
    fn corners(&self, e: u32) -> &[u32];
    /// Sets the entries of ghosts to those of their owners; one entry per local vertex. Called by all ranks.
    fn update_ghosts<T: Pod>(&self, values: &mut [T]);
}

/// The metric at places that are no vertices.
#[derive(Clone, Copy, Default)]
pub enum MetricAt<'a, const D: usize> {
    /// Interpolated between the vertices around ([`crate::tensor::interpolate_between`]).
    #[default]
    Carried,
    /// Defined by a formula.
    Given(&'a (dyn Fn(&[f64; D]) -> Tensor<D> + Sync)),
}

/// The owned vertices, in the order of their local numbers.
pub(super) fn owned<const D: usize, V: View<D>>(view: &V) -> impl Iterator<Item = u32> {
    (0..view.vertices() as u32).filter(|&v| view.is_owned(v))
}

/// Evaluates a function of an owned vertex, and returns its values at all local vertices.
pub(super) fn at_vertices<const D: usize, T: Pod, V: View<D>>(
    view: &V,
    mut f: impl FnMut(u32) -> T,
) -> Vec<T> {
    let mut values = vec![T::zeroed(); view.vertices()];
    for v in owned(view) {
        values[v as usize] = f(v);
    }
    view.update_ghosts(&mut values);
    values
}

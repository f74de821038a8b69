//! Integrals over the mesh, as exact sums.

use cfd_engine::comm::{Comm, ReduceOp};
use exact_sum::{ExactSum, round};

use super::quadrature::density;
use super::star::{Element, star};
use super::view::{MetricAt, View, owned};
use crate::tensor::Tensor;

/// The vertices' volumes, a share 1 / (`D` + 1) of each element, and this rank's elements.
#[derive(Clone, Debug)]
pub struct Measure<const D: usize> {
    volumes: Vec<f64>,
    /// Those whose vertex of smallest identity this rank owns.
    elements: Vec<Element<D>>,
}

impl<const D: usize> Measure<D> {
    /// Volumes of the owned vertices; zero for ghosts.
    pub fn new<V: View<D>>(view: &V) -> Measure<D> {
        let mut volumes = vec![0.0; view.vertices()];
        let (mut around, mut elements) = (Vec::new(), Vec::new());
        for v in owned(view) {
            star(view, v, &mut around);
            let total = around.iter().fold(0.0, |sum, element| sum + element.volume(view));
            volumes[v as usize] = total / (D as f64 + 1.0);
            elements.extend(around.iter().filter(|element| element.corners()[0] == v));
        }
        Measure { volumes, elements }
    }

    /// The integral of a function of a vertex: the sum over all vertices of all ranks of volume times value, rounded
    /// once.
    pub fn integral<V: View<D>>(&self, view: &V, value: impl Fn(u32) -> f64) -> f64 {
        exact_sum(view.comm(), owned(view).map(|v| self.volumes[v as usize] * value(v)))
    }

    /// The complexity of a metric, the integral of sqrt(det M): up to a factor, the number of vertices of unit elements
    /// that it asks for. Each element is divided until the density varies little over a part, so that a layer of small
    /// sizes at one corner counts for what it is; the sum over the elements is rounded once. `metrics` has one entry for
    /// each local vertex, ghosts included.
    pub fn complexity<V: View<D>>(&self, view: &V, metrics: &[Tensor<D>], at: MetricAt<D>) -> f64 {
        let corner = |&v: &u32| (view.position(v), metrics[v as usize]);
        let mut corners = Vec::new();
        let integrals = self.elements.iter().map(|element| {
            corners.clear();
            corners.extend(element.corners().iter().map(corner));
            density(&corners, element.volume(view), at)
        });
        exact_sum(view.comm(), integrals)
    }
}

/// The sum of all ranks' terms, rounded once. Collective.
fn exact_sum(comm: &Comm, terms: impl Iterator<Item = f64>) -> f64 {
    let mut sum = ExactSum::new();
    terms.for_each(|term| sum.add(term));
    let mut words = sum.words();
    comm.all_reduce(&mut words, ReduceOp::Sum);
    round(&words)
}

/// The greatest of nonnegative numbers on all ranks; 0 if there are none.
pub(super) fn greatest(comm: &Comm, values: impl Iterator<Item = f64>) -> f64 {
    let own = values.fold(0.0f64, |most, x| if x > most { x } else { most });
    // Such numbers have the order of their bits.
    f64::from_bits(comm.max(own.to_bits()))
}

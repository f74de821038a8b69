//! Integrals over the mesh, as exact sums.

use cfd_engine::comm::{Comm, ReduceOp};
use exact_sum::{ExactSum, round};

use super::star::star;
use super::view::{View, owned};
use crate::tensor::Tensor;

/// The vertices' volumes: a share 1 / (`D` + 1) of each element.
#[derive(Clone, Debug)]
pub struct Measure {
    volumes: Vec<f64>,
}

impl Measure {
    /// Volumes of the owned vertices; zero for ghosts.
    pub fn new<const D: usize, V: View<D>>(view: &V) -> Measure {
        let mut volumes = vec![0.0; view.vertices()];
        let mut elements = Vec::new();
        for v in owned(view) {
            star(view, v, &mut elements);
            let total = elements.iter().fold(0.0, |sum, element| sum + element.volume(view));
            volumes[v as usize] = total / (D as f64 + 1.0);
        }
        Measure { volumes }
    }

    /// The integral of a function of a vertex: the sum over all vertices of all ranks of volume times value, rounded
    /// once.
    pub fn integral<const D: usize, V: View<D>>(&self, view: &V, value: impl Fn(u32) -> f64) -> f64 {
        let mut sum = ExactSum::new();
        for v in owned(view) {
            sum.add(self.volumes[v as usize] * value(v));
        }
        let mut words = sum.words();
        view.comm().all_reduce(&mut words, ReduceOp::Sum);
        round(&words)
    }

    /// The complexity of a metric, the integral of sqrt(det M): up to a factor, the number of vertices of unit elements
    /// that it asks for.
    pub fn complexity<const D: usize, V: View<D>>(&self, view: &V, metrics: &[Tensor<D>]) -> f64 {
        self.integral(view, |v| metrics[v as usize].determinant().sqrt())
    }
}

/// The greatest of nonnegative numbers on all ranks; 0 if there are none.
pub(super) fn greatest(comm: &Comm, values: impl Iterator<Item = f64>) -> f64 {
    let own = values.fold(0.0f64, |most, x| if x > most { x } else { most });
    // Such numbers have the order of their bits.
    f64::from_bits(comm.max(own.to_bits()))
}

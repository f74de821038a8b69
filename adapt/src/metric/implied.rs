//! The metric of a mesh as it is.

use super::error::MetricError;
use super::list::check_metrics;
use super::star::star;
use super::view::{View, at_vertices};
use crate::tensor::Tensor;

/// The metric in which the elements around each vertex have, on average, unit edges e: with n elements around it,
///
/// ```text
/// M = [ 1/n sum over elements of 2 / (D + 1) sum over edges of e e^T ]^-1
/// ```
///
/// For one element this is the metric in which it is regular with unit edges, up to the shape that it lacks.
///
/// # Errors
/// A vertex whose elements have no extent in some direction.
pub fn implied<const D: usize, V: View<D>>(view: &V) -> Result<Vec<Tensor<D>>, MetricError> {
    let mut around = Vec::new();
    let metrics = at_vertices(view, |v| {
        star(view, v, &mut around);
        let mut sum = Tensor([[0.0; D]; D]);
        for element in &around {
            let corners = element.corners();
            for (i, &a) in corners.iter().enumerate() {
                for &b in &corners[i + 1..] {
                    let (a, b) = (view.position(a), view.position(b));
                    let edge: [f64; D] = std::array::from_fn(|k| b[k] - a[k]);
                    sum = sum.plus(1.0, &Tensor::from_upper(|i, j| edge[i] * edge[j]));
                }
            }
        }
        sum.scaled(2.0 / ((D + 1) as f64 * around.len() as f64)).inverse()
    });
    check_metrics(view, &metrics)?;
    Ok(metrics)
}

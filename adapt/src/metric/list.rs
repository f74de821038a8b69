//! Metrics from a file.

use super::error::{MetricError, least_fault};
use super::view::{View, owned};
use crate::tensor::Tensor;

/// The metric with these entries: `D`^2 for each local vertex, row by row, in the order of local numbers. Ghosts take
/// their owners'.
///
/// # Errors
/// The number of entries is wrong; or entries of an owned vertex are not finite, not symmetric, or not positive
/// definite. If there are several such vertices on all ranks, the one of the least identity is named.
pub fn from_list<const D: usize, V: View<D>>(
    view: &V,
    entries: &[f64],
) -> Result<Vec<Tensor<D>>, MetricError> {
    view.comm().agree(check_length::<D>(view.vertices(), entries.len()))?;
    let mut metrics: Vec<Tensor<D>> = entries
        .chunks_exact(D * D)
        .map(|m| Tensor(std::array::from_fn(|i| std::array::from_fn(|j| m[D * i + j]))))
        .collect();
    check_metrics(view, &metrics)?;
    view.update_ghosts(&mut metrics);
    Ok(metrics)
}

fn check_length<const D: usize>(vertices: usize, found: usize) -> Result<(), MetricError> {
    if found == vertices * D * D {
        return Ok(());
    }
    Err(MetricError::Length { what: "metric".into(), found, vertices, each: D * D })
}

/// An error for the vertex, among the owned ones of all ranks, with the least identity whose tensor has a problem.
pub(super) fn check_tensors<const D: usize, V: View<D>>(
    view: &V,
    tensors: &[Tensor<D>],
    problem: impl Fn(&Tensor<D>) -> Option<String>,
) -> Result<(), MetricError> {
    let faulty = owned(view).filter_map(|v| Some((v, problem(&tensors[v as usize])?)));
    let first = faulty.min_by_key(|&(v, _)| view.identity(v));
    let fault = first.map(|(v, problem)| MetricError::Vertex {
        identity: view.identity(v),
        position: view.position(v).to_vec(),
        problem,
    });
    least_fault(view.comm(), fault)
}

/// An error if a tensor of an owned vertex is not a metric.
pub(super) fn check_metrics<const D: usize, V: View<D>>(
    view: &V,
    metrics: &[Tensor<D>],
) -> Result<(), MetricError> {
    check_tensors(view, metrics, problem)
}

/// No entry of a metric is greater: products of two are finite.
const GREATEST: f64 = 1e150;

/// What keeps a tensor from being a metric.
fn problem<const D: usize>(m: &Tensor<D>) -> Option<String> {
    if !m.is_finite() {
        return Some(format!("the metric {:?} has an entry that is not finite", m.0));
    }
    if let Some(entry) = m.0.as_flattened().iter().find(|entry| entry.abs() > GREATEST) {
        return Some(format!(
            "the metric {:?} has the entry {entry:e}; expected at most {GREATEST:e}, which stands for a size of 1e-75",
            m.0
        ));
    }
    let asymmetric = (0..D).flat_map(|i| (0..i).map(move |j| (i, j))).find(|&(i, j)| m.0[i][j] != m.0[j][i]);
    if let Some((i, j)) = asymmetric {
        let (above, below) = (m.0[j][i], m.0[i][j]);
        return Some(format!(
            "the metric is not symmetric: {above} in row {}, column {}, but {below} in row {}, column {}",
            j + 1,
            i + 1,
            i + 1,
            j + 1
        ));
    }
    if m.is_positive_definite() {
        return None;
    }
    let least = m.eigen().values[D - 1];
    Some(format!("the metric {:?} is not positive definite: its least eigenvalue is {least:e}", m.0))
}

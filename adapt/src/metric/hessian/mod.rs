//! Hessians of a field with one value at each vertex.
//!
//! ```text
//! fit         the quadratic function nearest to values at points
//! qr          least squares by Householder reflections
//! projection  gradients of gradients
//! ```

mod fit;
mod projection;
mod qr;

use serde::{Deserialize, Serialize};

use self::fit::Fit;
use super::error::{MetricError, least_fault};
use super::neighbourhood::Neighbourhood;
use super::view::{View, at_vertices, owned};
use crate::tensor::Tensor;

/// Rings of vertices to which a quadratic function is fitted, at first and at most.
const RINGS: std::ops::RangeInclusive<usize> = 2..=4;

/// How second derivatives are computed from values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// The best-fitting quadratic function.
    #[default]
    LeastSquares,
    /// The gradient of the gradient, projected twice onto linear functions.
    Projection,
}

/// The Hessian of a field at every local vertex.
///
/// **Least squares**: the quadratic function with the least sum of squared differences from the values at the vertex
/// and at those within two edges of it, all weighted alike. Coordinates are taken relative to the points' mean and to
/// the root of their second moments, so neither size nor aspect ratio of the elements matters. Where these points do
/// not determine the function (at corners, in tiny meshes), three rings are taken, then four; failing that, the Hessian
/// is zero. Exact, up to rounding, for quadratic fields; on any mesh, the error is of first order in the distances, and
/// of second order where the points lie symmetrically.
///
/// **Projection**: the lumped L2 projection of the gradient onto continuous piecewise linear functions, g_v = sum_T |T|
/// grad u_T / sum_T |T| over the elements at v, then the same for g, made symmetric. Boundary vertices have one-sided
/// gradients, which spoil the Hessians next to them. Hessians at and next to the boundary are therefore replaced by the
/// mean of the neighbours farther inside, layer by layer; they stay where no vertex is two edges from the boundary. Of
/// second order inside uniform meshes, of first order near their boundary; on irregular meshes it does not converge:
/// the error remains a fraction of the Hessian.
///
/// Entries of ghosts in `values` are not read.
///
/// # Errors
/// The number of values is not that of vertices, or a value is not a finite number.
pub fn hessian<const D: usize, V: View<D>>(
    view: &V,
    values: &[f64],
    recovery: Recovery,
) -> Result<Vec<Tensor<D>>, MetricError> {
    view.comm().agree(check_length(view, values))?;
    least_fault(view.comm(), first_not_finite(view, values))?;
    Ok(match recovery {
        Recovery::LeastSquares => least_squares(view, values),
        Recovery::Projection => projection::hessian(view, values),
    })
}

fn check_length<const D: usize, V: View<D>>(view: &V, values: &[f64]) -> Result<(), MetricError> {
    if values.len() == view.vertices() {
        return Ok(());
    }
    let (found, vertices) = (values.len(), view.vertices());
    Err(MetricError::Length { what: "field".into(), found, vertices, each: 1 })
}

fn first_not_finite<const D: usize, V: View<D>>(view: &V, values: &[f64]) -> Option<MetricError> {
    let bad = owned(view).filter(|&v| !values[v as usize].is_finite());
    bad.min_by_key(|&v| view.identity(v)).map(|v| MetricError::Vertex {
        identity: view.identity(v),
        position: view.position(v).to_vec(),
        problem: format!("the field is {}; expected a finite number", values[v as usize]),
    })
}

fn least_squares<const D: usize, V: View<D>>(view: &V, values: &[f64]) -> Vec<Tensor<D>> {
    let comm = view.comm();
    let mut known = Neighbourhood::new(view, values);
    let mut result: Vec<Option<Tensor<D>>> = vec![None; view.vertices()];
    let (mut fit, mut points) = (Fit::default(), Vec::new());
    for rings in RINGS {
        let open: Vec<u32> = owned(view).filter(|&v| result[v as usize].is_none()).collect();
        if comm.sum(open.len() as u64) == 0 {
            break;
        }
        known.fetch(comm);
        for v in open {
            known.within(v, rings, &mut points);
            let of = |w: &u32| (known.position(*w), known.value(*w));
            result[v as usize] = fit.hessian(points.iter().map(of), view.position(v));
        }
    }
    at_vertices(view, |v| result[v as usize].unwrap_or(Tensor([[0.0; D]; D])))
}

//! Gradients of gradients.

use crate::metric::star::{Element, Neighbours, owned_boundary, star};
use crate::metric::view::{View, at_vertices};
use crate::tensor::Tensor;

/// See [`super::hessian`].
pub(super) fn hessian<const D: usize, V: View<D>>(view: &V, values: &[f64]) -> Vec<Tensor<D>> {
    let field = at_vertices(view, |v| values[v as usize]);
    let mut elements = Vec::new();
    // Three entries in two dimensions, too, as messages know arrays of these lengths only.
    let gradients: Vec<[f64; 3]> = at_vertices(view, |v| {
        star(view, v, &mut elements);
        let gradient = mean_gradient(view, &elements, |w| field[w as usize]);
        std::array::from_fn(|i| if i < D { gradient[i] } else { 0.0 })
    });
    let mut hessians = at_vertices(view, |v| {
        star(view, v, &mut elements);
        let rows: [[f64; D]; D] =
            std::array::from_fn(|i| mean_gradient(view, &elements, |w| gradients[w as usize][i]));
        Tensor::from_upper(|i, j| if i == j { rows[i][i] } else { 0.5 * (rows[i][j] + rows[j][i]) })
    });
    mend_boundary(view, &mut hessians);
    hessians
}

/// sum_T |T| grad u_T / sum_T |T|; zero where the elements have no volume.
fn mean_gradient<const D: usize, V: View<D>>(
    view: &V,
    elements: &[Element<D>],
    value: impl Fn(u32) -> f64,
) -> [f64; D] {
    let (mut volume, mut sum) = (0.0, [0.0; D]);
    for element in elements {
        let (part, gradient) = element.weighted_gradient(view, &value);
        volume += part;
        sum = std::array::from_fn(|i| sum[i] + gradient[i]);
    }
    if volume > 0.0 { sum.map(|s| s / volume) } else { [0.0; D] }
}

/// Hessians of vertices one edge from the boundary, then of those on it, from neighbours farther inside.
fn mend_boundary<const D: usize, V: View<D>>(view: &V, hessians: &mut Vec<Tensor<D>>) {
    let neighbours = Neighbours::new(view);
    let boundary = owned_boundary(view);
    // Edges to the boundary: 0, 1, or 2 for more.
    let mut depth = at_vertices(view, |v| if boundary[v as usize] { 0u32 } else { 2 });
    depth = at_vertices(view, |v| {
        let near = neighbours.of(v).iter().any(|&w| depth[w as usize] == 0);
        if depth[v as usize] == 2 && near { 1 } else { depth[v as usize] }
    });
    for mended in [1, 0] {
        let inner = at_vertices(view, |v| {
            let inside = neighbours.of(v).iter().filter(|&&w| depth[w as usize] == mended + 1);
            let (count, sum) = inside.fold((0, Tensor([[0.0; D]; D])), |(count, sum), &w| {
                (count + 1, sum.plus(1.0, &hessians[w as usize]))
            });
            let replace = depth[v as usize] == mended && count > 0;
            if replace { sum.scaled(1.0 / f64::from(count)) } else { hessians[v as usize] }
        });
        *hessians = inner;
    }
}

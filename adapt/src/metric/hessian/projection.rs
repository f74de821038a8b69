//! Gradients of gradients.

use crate::metric::star::{Element, Neighbours, owned_boundary, star};
use crate::metric::view::{View, at_vertices, owned};
use crate::tensor::Tensor;

/// See [`super::hessian`].
pub(super) fn hessian<const D: usize, V: View<D>>(view: &V, values: &[f64]) -> Vec<Tensor<D>> {
    let field = at_vertices(view, |v| values[v as usize]);
    let mut elements = Vec::new();
    // Three entries even in two dimensions, because only arrays of certain lengths can be sent.
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

/// sum_T |T| grad u_T / sum_T |T|; zero if the elements have no volume.
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

/// Replaces the Hessians of vertices on the boundary, or one edge from it, by those of vertices farther inside, layer
/// by layer.
fn mend_boundary<const D: usize, V: View<D>>(view: &V, hessians: &mut [Tensor<D>]) {
    let neighbours = Neighbours::new(view);
    let boundary = owned_boundary(view);
    let outside = at_vertices(view, |v| u8::from(boundary[v as usize]));
    let mut trusted = at_vertices(view, |v| {
        let near = outside[v as usize] == 1 || neighbours.of(v).iter().any(|&w| outside[w as usize] == 1);
        u8::from(!near)
    });
    loop {
        let mended: Vec<(u32, Tensor<D>)> = owned(view)
            .filter(|&v| trusted[v as usize] == 0)
            .filter_map(|v| Some((v, mean(neighbours.of(v), &trusted, hessians)?)))
            .collect();
        if view.comm().sum(mended.len() as u64) == 0 {
            return;
        }
        for (v, hessian) in mended {
            hessians[v as usize] = hessian;
            trusted[v as usize] = 1;
        }
        view.update_ghosts(hessians);
        view.update_ghosts(&mut trusted);
    }
}

/// The mean over the trusted vertices among these; `None` if there is none.
fn mean<const D: usize>(vertices: &[u32], trusted: &[u8], hessians: &[Tensor<D>]) -> Option<Tensor<D>> {
    let (mut count, mut sum) = (0, Tensor([[0.0; D]; D]));
    for &v in vertices.iter().filter(|&&v| trusted[v as usize] == 1) {
        count += 1;
        sum = sum.plus(1.0, &hessians[v as usize]);
    }
    (count > 0).then(|| sum.scaled(1.0 / f64::from(count)))
}

//! The quadratic function that fits values at points best.

use super::qr;
use crate::tensor::Tensor;

/// Points count as lying on one line or plane if they are no thicker than this fraction of their coordinates, which are
/// exact to 2^-53.
const THIN: f64 = 1.0 / (1u64 << 40) as f64;

/// Storage reused by all fits.
#[derive(Default)]
pub(super) struct Fit<const D: usize> {
    points: Vec<[f64; D]>,
    values: Vec<f64>,
    columns: Vec<f64>,
}

impl<const D: usize> Fit<D> {
    /// The Hessian of the quadratic function with the least sum of squared differences; `None` if the points do not
    /// determine it. `origin` is one of the points.
    pub fn hessian(
        &mut self,
        points: impl Iterator<Item = ([f64; D], f64)>,
        origin: [f64; D],
    ) -> Option<Tensor<D>> {
        self.points.clear();
        self.values.clear();
        for (x, value) in points {
            self.points.push(std::array::from_fn(|i| x[i] - origin[i]));
            self.values.push(value);
        }
        let back = self.normalise(&origin)?;
        self.fill();
        let c = qr::solve(&mut self.columns, &mut self.values)?;
        let quadratic: Tensor<D> = second_derivatives(&c[D + 1..]);
        // x = L xi + mean, so the Hessian is L^-T quadratic L^-1.
        Some(Tensor::from_upper(|i, j| {
            let row = |a: usize| (0..D).fold(0.0, |sum, b| sum + quadratic.0[a][b] * back[b][j]);
            (0..D).fold(0.0, |sum, a| sum + back[a][i] * row(a))
        }))
    }

    /// Transforms the points to coordinates with mean zero and second moments 1: xi = L^-1 (x - mean), moments = L L^T.
    /// Returns L^-1, or `None` for points on a line or plane.
    fn normalise(&mut self, origin: &[f64; D]) -> Option<[[f64; D]; D]> {
        let count = self.points.len() as f64;
        let mean: [f64; D] =
            std::array::from_fn(|i| self.points.iter().fold(0.0, |sum, x| sum + x[i]) / count);
        for x in &mut self.points {
            *x = std::array::from_fn(|i| x[i] - mean[i]);
        }
        let moments =
            Tensor::<D>::from_upper(|i, j| self.points.iter().fold(0.0, |sum, x| sum + x[i] * x[j]) / count);
        let far = origin.iter().fold(0.0f64, |most, x| most.max(x.abs())) * THIN;
        let least = moments.eigen().values[D - 1];
        if !moments.is_positive_definite() || least <= far * far {
            return None;
        }
        let back = inverse_of_lower(&moments.cholesky());
        for x in &mut self.points {
            *x = std::array::from_fn(|i| (0..=i).fold(0.0, |sum, k| sum + back[i][k] * x[k]));
        }
        Some(back)
    }

    /// Columns 1, xi_i, xi_i xi_j (i <= j).
    fn fill(&mut self) {
        self.columns.clear();
        self.columns.extend(self.points.iter().map(|_| 1.0));
        for i in 0..D {
            self.columns.extend(self.points.iter().map(|x| x[i]));
        }
        for i in 0..D {
            for j in i..D {
                self.columns.extend(self.points.iter().map(|x| x[i] * x[j]));
            }
        }
    }
}

/// Those of the sum of c_k xi_i xi_j over i <= j.
fn second_derivatives<const D: usize>(c: &[f64]) -> Tensor<D> {
    let mut terms = c.iter();
    Tensor::from_upper(|i, j| {
        let c = terms.next().expect("one coefficient for i <= j");
        if i == j { 2.0 * c } else { *c }
    })
}

/// The inverse of a lower triangular matrix.
fn inverse_of_lower<const D: usize>(l: &[[f64; D]; D]) -> [[f64; D]; D] {
    let mut inverse = [[0.0; D]; D];
    for j in 0..D {
        inverse[j][j] = 1.0 / l[j][j];
        for i in j + 1..D {
            inverse[i][j] = -(j..i).fold(0.0, |sum, k| sum + l[i][k] * inverse[k][j]) / l[i][i];
        }
    }
    inverse
}

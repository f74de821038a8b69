//! Cubic interpolation with not-a-knot ends.

/// The cubic spline through (x_k, y_k), twice continuously differentiable, whose third derivative is also continuous at
/// the second and second-to-last points ("not-a-knot").
///
/// The unknowns are the slopes s_k at the points. With h_k = x_{k+1} - x_k and d_k = (y_{k+1} - y_k) / h_k, continuity
/// of the second derivative gives for each inner point
///
/// ```text
/// h_k s_{k-1} + 2 (h_{k-1} + h_k) s_k + h_{k-1} s_{k+1} = 3 (h_k d_{k-1} + h_{k-1} d_k)
/// ```
///
/// and the not-a-knot condition one equation in two unknowns at each end, so one tridiagonal elimination solves for all
/// slopes.
///
/// Source: C. de Boor, A Practical Guide to Splines, revised edition, Springer 2001, chapter IV.
#[derive(Clone, Debug)]
pub(crate) struct Spline {
    x: Vec<f64>,
    y: Vec<f64>,
    slopes: Vec<f64>,
}

impl Spline {
    /// Interpolates at least four points with increasing `x`.
    pub(crate) fn not_a_knot(x: Vec<f64>, y: Vec<f64>) -> Spline {
        let n = x.len();
        assert!(n >= 4 && y.len() == n, "a not-a-knot spline has at least four points");
        assert!(x.windows(2).all(|w| w[0] < w[1]), "the points' x increase");
        let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
        let d: Vec<f64> = y.windows(2).zip(&h).map(|(w, h)| (w[1] - w[0]) / h).collect();

        // One equation per point: below s_{k-1} + diagonal s_k + above s_{k+1} = right.
        let (mut below, mut diagonal) = (vec![0.0; n], vec![0.0; n]);
        let (mut above, mut right) = (vec![0.0; n], vec![0.0; n]);
        let first = x[2] - x[0];
        diagonal[0] = h[1];
        above[0] = first;
        right[0] = ((h[0] + 2.0 * first) * h[1] * d[0] + h[0] * h[0] * d[1]) / first;
        for k in 1..n - 1 {
            below[k] = h[k];
            diagonal[k] = 2.0 * (h[k - 1] + h[k]);
            above[k] = h[k - 1];
            right[k] = 3.0 * (h[k] * d[k - 1] + h[k - 1] * d[k]);
        }
        let last = x[n - 1] - x[n - 3];
        below[n - 1] = last;
        diagonal[n - 1] = h[n - 3];
        right[n - 1] =
            (h[n - 2] * h[n - 2] * d[n - 3] + (2.0 * last + h[n - 2]) * h[n - 3] * d[n - 2]) / last;

        for k in 1..n {
            let factor = below[k] / diagonal[k - 1];
            diagonal[k] -= factor * above[k - 1];
            right[k] -= factor * right[k - 1];
        }
        let mut slopes = vec![0.0; n];
        slopes[n - 1] = right[n - 1] / diagonal[n - 1];
        for k in (0..n - 1).rev() {
            slopes[k] = (right[k] - above[k] * slopes[k + 1]) / diagonal[k];
        }
        Spline { x, y, slopes }
    }

    /// Largest `x` of the points.
    pub(crate) fn end(&self) -> f64 {
        self.x[self.x.len() - 1]
    }

    /// The value at `t`; outside the points the outermost cubics continue.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let k = self.x.partition_point(|&x| x <= t).clamp(1, self.x.len() - 1) - 1;
        let h = self.x[k + 1] - self.x[k];
        let d = (self.y[k + 1] - self.y[k]) / h;
        let c2 = (3.0 * d - 2.0 * self.slopes[k] - self.slopes[k + 1]) / h;
        let c3 = (self.slopes[k] + self.slopes[k + 1] - 2.0 * d) / (h * h);
        let u = t - self.x[k];
        self.y[k] + u * (self.slopes[k] + u * (c2 + u * c3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_reproduced_inside_and_outside_the_points() {
        let cubic = |x: f64| 2.0 - x + 0.5 * x * x - 0.25 * x * x * x;
        let x = vec![-2.0, -1.5, 0.0, 0.3, 1.0, 3.0];
        let spline = Spline::not_a_knot(x.clone(), x.iter().map(|&x| cubic(x)).collect());
        for t in [-2.5, -2.0, -1.0, 0.1, 0.9, 2.0, 3.0, 3.5] {
            assert!((spline.at(t) - cubic(t)).abs() < 1e-12, "at {t}");
        }
    }

    #[test]
    fn other_data_are_interpolated_with_continuous_second_derivative() {
        let x: Vec<f64> = (0..8).map(|k| k as f64 + 0.1 * (k % 3) as f64).collect();
        let y: Vec<f64> = x.iter().map(|x| 1.0 / (1.0 + x * x)).collect();
        let spline = Spline::not_a_knot(x.clone(), y.clone());
        let e = 1e-4;
        for k in 1..7 {
            assert!((spline.at(x[k]) - y[k]).abs() < 1e-15);
            let second = |t: f64| (spline.at(t - e) - 2.0 * spline.at(t) + spline.at(t + e)) / (e * e);
            assert!((second(x[k] - 2.0 * e) - second(x[k] + 2.0 * e)).abs() < 1e-2, "at point {k}");
        }
    }
}

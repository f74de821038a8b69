//! Least squares by Householder reflections.

/// A column whose part outside the span of the earlier ones is below this fraction counts as dependent.
const DEPENDENT: f64 = 1e-3;

/// Minimises the sum of squares of A c - b over c, with A stored column by column, each as long as b. Both are
/// overwritten. `None` if the columns are nearly dependent.
///
/// Source: Golub, Van Loan, "Matrix Computations", section 5.3.
pub(super) fn solve(a: &mut [f64], b: &mut [f64]) -> Option<Vec<f64>> {
    let rows = b.len();
    let columns = a.len() / rows;
    if rows < columns {
        return None;
    }
    let mut diagonal = vec![0.0; columns];
    for k in 0..columns {
        let (done, rest) = a.split_at_mut((k + 1) * rows);
        let column = &mut done[k * rows..];
        let (whole, below) = (dot(column, column), dot(&column[k..], &column[k..]));
        if below.is_nan() || below <= DEPENDENT * DEPENDENT * whole {
            return None;
        }
        // The reflection maps the column to -sign(first) times its length; v = column - that.
        let size = below.sqrt();
        diagonal[k] = if column[k] < 0.0 { size } else { -size };
        column[k] -= diagonal[k];
        let v = &column[k..];
        let square = dot(v, v);
        rest.chunks_exact_mut(rows).for_each(|other| reflect(v, square, &mut other[k..]));
        reflect(v, square, &mut b[k..]);
    }
    let mut solution = vec![0.0; columns];
    for k in (0..columns).rev() {
        let known = (k + 1..columns).fold(b[k], |rest, j| rest - a[j * rows + k] * solution[j]);
        solution[k] = known / diagonal[k];
    }
    Some(solution)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// x - 2 v (v^T x) / (v^T v).
fn reflect(v: &[f64], square: f64, x: &mut [f64]) {
    let part = 2.0 * dot(v, x) / square;
    x.iter_mut().zip(v).for_each(|(x, v)| *x -= part * v);
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn a_parabola_through_noise_free_points_is_found_and_dependent_columns_are_noticed() {
        let b = |x: f64| 2.0 - 3.0 * x + 0.5 * x * x;
        let at_points = |f: &dyn Fn(f64) -> f64| (0..7).map(|k| f(f64::from(k))).collect::<Vec<f64>>();
        let mut a = [at_points(&|_| 1.0), at_points(&|x| x), at_points(&|x| x * x)].concat();
        let c = solve(&mut a, &mut at_points(&b)).unwrap();
        assert!(c.iter().zip([2.0, -3.0, 0.5]).all(|(c, expected)| (c - expected).abs() < 1e-13), "{c:?}");
        let mut a = [at_points(&|_| 1.0), at_points(&|x| x), at_points(&|x| 2.0 * x - 1.0)].concat();
        assert_eq!(solve(&mut a, &mut at_points(&b)), None);
        assert_eq!(solve(&mut [1.0, 2.0, 3.0], &mut [1.0]), None);
    }

    #[test]
    fn the_residual_is_orthogonal_to_the_columns() {
        let a = [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 2.0, 4.0];
        let b = [1.0, 0.0, 2.0, -1.0];
        let c = solve(&mut a.clone(), &mut b.clone()).unwrap();
        for column in a.chunks(4) {
            let inner: f64 = (0..4).map(|i| column[i] * (a[i] * c[0] + a[4 + i] * c[1] - b[i])).sum();
            assert!(inner.abs() < 1e-14);
        }
    }
}

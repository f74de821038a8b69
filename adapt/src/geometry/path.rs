//! A curve through points, with corners.

use super::{Curve, Point, Spline, difference, dot};

/// Smooth curves through points, one after another, which meet at corners.
#[derive(Clone, Debug, PartialEq)]
pub struct Path<const D: usize> {
    parts: Vec<Spline<D>>,
    corners: Vec<Point<D>>,
}

impl<const D: usize> Path<D> {
    /// The curve through at least two points, none equal to the next. If the last one is the first again, it is closed. It has a
    /// corner where it turns by more than an angle, in radians.
    ///
    /// # Panics
    /// With fewer points.
    pub fn new(mut points: Vec<Point<D>>, corner_angle: f64) -> Path<D> {
        assert!(points.len() >= 2, "a curve goes through at least two points");
        let closed = points.len() > 2 && points.first() == points.last();
        if closed {
            points.pop();
        }
        let n = points.len();
        let turns = |i: usize| {
            let ways =
                [[(i + n - 1) % n, i], [i, (i + 1) % n]].map(|[a, b]| difference(&points[a], &points[b]));
            let lengths = (dot(&ways[0], &ways[0]) * dot(&ways[1], &ways[1])).sqrt();
            dot(&ways[0], &ways[1]) < same_math::cos(corner_angle) * lengths
        };
        let inner = if closed { 0..n } else { 1..n - 1 };
        let mut ends: Vec<usize> = inner.filter(|&i| turns(i)).collect();
        let corners = ends.iter().map(|&i| points[i]).collect();
        match (closed, ends.first().copied()) {
            (true, None) => return Path { parts: vec![Spline::new(points, true)], corners },
            (true, Some(first)) => {
                points.rotate_left(first);
                points.push(points[0]);
                ends.iter_mut().for_each(|end| *end -= first);
                ends.push(n);
            }
            (false, _) => {
                ends.insert(0, 0);
                ends.push(n - 1);
            }
        }
        let parts = ends.windows(2).map(|of| Spline::new(points[of[0]..=of[1]].to_vec(), false)).collect();
        Path { parts, corners }
    }
}

impl<const D: usize> Curve<D> for Path<D> {
    fn nearest(&self, place: &Point<D>) -> Point<D> {
        let found = self.parts.iter().map(|part| {
            let point = part.nearest(place);
            let way = difference(place, &point);
            (dot(&way, &way), point)
        });
        let nearest = found.min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.expect("there is a part").1
    }

    fn corners(&self) -> Vec<Point<D>> {
        self.corners.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUARTER: f64 = std::f64::consts::FRAC_PI_4;

    #[test]
    fn a_square_has_four_straight_parts_and_a_circle_is_one() {
        let square = vec![[0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.5, 0.0]];
        let path = Path::new(square, QUARTER);
        assert_eq!(path.parts.len(), 4);
        assert_eq!(path.corners(), [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]);
        for (place, nearest) in
            [([0.25, -0.1], [0.25, 0.0]), ([1.2, 1.3], [1.0, 1.0]), ([0.2, 0.7], [0.0, 0.7])]
        {
            let found = path.nearest(&place);
            assert!((0..2).all(|i| (found[i] - nearest[i]).abs() < 1e-15), "{place:?}: {found:?}");
        }
        let circle =
            (0..=32).map(|k| f64::from(k % 32) * std::f64::consts::TAU / 32.0).map(|t| [t.cos(), t.sin()]);
        let path = Path::new(circle.collect(), QUARTER);
        assert_eq!((path.parts.len(), path.corners.len()), (1, 0));
        let [x, y] = path.nearest(&[0.3, 0.4]);
        assert!((x.hypot(y) - 1.0).abs() < 1e-4);
    }

    #[test]
    fn an_open_line_ends_at_its_ends_and_has_its_corner() {
        let path = Path::new(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]], QUARTER);
        assert_eq!(path.corners(), [[1.0, 0.0]]);
        assert_eq!(path.nearest(&[-3.0, 1.0]), [0.0, 0.0]);
        assert_eq!(path.nearest(&[1.5, 3.0]), [1.0, 2.0]);
        let two = Path::new(vec![[0.0, 0.0], [1.0, 1.0]], QUARTER);
        assert_eq!((two.parts.len(), two.corners.len()), (1, 0));
    }
}

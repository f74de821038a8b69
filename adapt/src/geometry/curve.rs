//! Curved boundaries.

use std::fmt::Debug;

use super::{Point, between, difference, dot};

/// A boundary defined by more than the mesh's facets: new vertices are placed on it.
pub trait Curve<const D: usize>: Debug + Send + Sync {
    /// The point of the boundary nearest to a place, a pure function of the place.
    fn nearest(&self, place: &Point<D>) -> Point<D>;
}

/// A circle, or a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle<const D: usize> {
    /// Its centre.
    pub centre: Point<D>,
    /// Its radius.
    pub radius: f64,
}

impl<const D: usize> Curve<D> for Circle<D> {
    fn nearest(&self, place: &Point<D>) -> Point<D> {
        let way = difference(&self.centre, place);
        let distance = dot(&way, &way).sqrt();
        if distance == 0.0 {
            return *place;
        }
        let share = self.radius / distance;
        std::array::from_fn(|i| self.centre[i] + share * way[i])
    }
}

/// Segments that are searched together.
const BLOCK: usize = 32;

/// Parts of a segment; in each, the distance is assumed to have one minimum.
const PARTS: usize = 4;

/// Halvings in the search for that minimum.
const STEPS: usize = 45;

/// A smooth curve through points: cubic pieces with the slopes of Catmull and Rom, `(p[i+1] - p[i-1]) / 2`.
#[derive(Clone, Debug, PartialEq)]
pub struct Spline<const D: usize> {
    points: Vec<Point<D>>,
    closed: bool,
    /// Low and high corners of boxes around the control points of blocks of segments.
    boxes: Vec<[Point<D>; 2]>,
}

impl<const D: usize> Spline<D> {
    /// The curve through at least two points in order; a closed one continues from the last to the first.
    ///
    /// # Panics
    /// With fewer than two points.
    pub fn new(points: Vec<Point<D>>, closed: bool) -> Spline<D> {
        assert!(points.len() >= 2, "a curve goes through at least two points");
        let mut spline = Spline { points, closed, boxes: Vec::new() };
        spline.boxes = (0..spline.segments()).step_by(BLOCK).map(|first| spline.around(first)).collect();
        spline
    }

    fn segments(&self) -> usize {
        if self.closed { self.points.len() } else { self.points.len() - 1 }
    }

    /// A point by number, including those before the first and after the last.
    fn point(&self, i: isize) -> Point<D> {
        let n = self.points.len() as isize;
        if self.closed {
            return self.points[i.rem_euclid(n) as usize];
        }
        // Beyond an end, the curve continues by point reflection.
        let mirrored = |end: isize, inner: isize| {
            let (end, inner) = (self.points[end as usize], self.points[inner as usize]);
            std::array::from_fn(|k| 2.0 * end[k] - inner[k])
        };
        match i {
            -1 => mirrored(0, 1),
            i if i == n => mirrored(n - 1, n - 2),
            i => self.points[i as usize],
        }
    }

    /// The Bézier points of a segment.
    fn control(&self, segment: usize) -> [Point<D>; 4] {
        let i = segment as isize;
        let [before, a, b, after] = [i - 1, i, i + 1, i + 2].map(|i| self.point(i));
        let slope = |from: &Point<D>, to: &Point<D>| -> Point<D> { difference(from, to).map(|c| c / 6.0) };
        let (start, end) = (slope(&before, &b), slope(&a, &after));
        [a, std::array::from_fn(|k| a[k] + start[k]), std::array::from_fn(|k| b[k] - end[k]), b]
    }

    fn around(&self, first: usize) -> [Point<D>; 2] {
        let last = (first + BLOCK).min(self.segments());
        let points = (first..last).flat_map(|segment| self.control(segment));
        points.fold([[f64::INFINITY; D], [f64::NEG_INFINITY; D]], |[low, high], p| {
            [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
        })
    }

    /// The point of a segment nearest to a place, and the square of its distance.
    fn nearest_on(&self, segment: usize, place: &Point<D>) -> (f64, Point<D>) {
        let control = self.control(segment);
        let at = |t: f64| {
            let point = bezier(&control, t);
            let way = difference(&point, place);
            (dot(&way, &way), point)
        };
        let mut best = at(0.0);
        for part in 0..PARTS {
            let (mut low, mut high) = (part as f64 / PARTS as f64, (part + 1) as f64 / PARTS as f64);
            for _ in 0..STEPS {
                let third = (high - low) / 3.0;
                let (left, right) = (low + third, high - third);
                if at(left).0 <= at(right).0 { high = right } else { low = left }
            }
            for t in [0.5 * (low + high), high] {
                let found = at(t);
                if found.0 < best.0 {
                    best = found;
                }
            }
        }
        best
    }
}

/// The point of a Bézier curve, by de Casteljau.
fn bezier<const D: usize>(control: &[Point<D>; 4], t: f64) -> Point<D> {
    let [a, b, c, d] = control;
    let (ab, bc, cd) = (between(a, b, t), between(b, c, t), between(c, d, t));
    between(&between(&ab, &bc, t), &between(&bc, &cd, t), t)
}

/// The square of the distance from a place to a box.
fn distance_to_box<const D: usize>([low, high]: &[Point<D>; 2], place: &Point<D>) -> f64 {
    let way: Point<D> = std::array::from_fn(|k| (low[k] - place[k]).max(place[k] - high[k]).max(0.0));
    dot(&way, &way)
}

impl<const D: usize> Curve<D> for Spline<D> {
    fn nearest(&self, place: &Point<D>) -> Point<D> {
        let mut blocks: Vec<(f64, usize)> =
            self.boxes.iter().map(|around| distance_to_box(around, place)).zip(0..).collect();
        blocks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best = (f64::INFINITY, *place);
        for (least, block) in blocks {
            if least > best.0 {
                break;
            }
            let first = block * BLOCK;
            for segment in first..(first + BLOCK).min(self.segments()) {
                let found = self.nearest_on(segment, place);
                if found.0 < best.0 {
                    best = found;
                }
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(n: usize) -> Spline<2> {
        let angle = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
        let points = (0..n).map(|i| [same_math::cos(angle(i)), same_math::sin(angle(i))]).collect();
        Spline::new(points, true)
    }

    #[test]
    fn a_spline_through_points_of_a_circle_is_nearly_the_circle() {
        let worst = |n: usize| {
            let spline = ring(n);
            let places = (0..100).map(|i| [0.9 - 0.017 * f64::from(i), 0.8 - 0.005 * f64::from(i)]);
            let radii = places.map(|place| spline.nearest(&place)).map(|p| dot(&p, &p).sqrt());
            radii.map(|radius| (radius - 1.0).abs()).fold(0.0, f64::max)
        };
        let (coarse, fine) = (worst(32), worst(64));
        assert!(coarse < 1e-4 && fine < coarse / 12.0, "{coarse:e}, {fine:e}");
    }

    #[test]
    fn points_of_a_curve_are_their_own_nearest() {
        let spline = Spline::new(vec![[0.0, 0.0], [1.0, 0.5], [2.0, 0.0], [3.0, 0.7]], false);
        for point in &spline.points {
            let way = difference(&spline.nearest(point), point);
            assert!(dot(&way, &way) < 1e-24, "{point:?}");
        }
    }
}

//! A smooth curve through points.

use super::{Curve, Point, between, difference, dot};

/// Segments that are searched together.
const BLOCK: usize = 32;

/// Parts of a segment; in each, the distance is assumed to have one minimum.
const PARTS: usize = 4;

/// Most steps in the search for that minimum.
const STEPS: usize = 60;

/// A smooth curve through points: cubic pieces, parametrised by the lengths h of the chords, with these slopes at the
/// points (d: chord divided by its length; 1 before the point, 2 after it):
///
/// ```text
/// (h2 d1 + h1 d2) / (h1 + h2)    that of the parabola through three points
/// (h1 d1 + h2 d2) / (h1 + h2)    where one chord is longer than three of the other: at the end of a straight part, whose
///                                chord is long, the curve then stays close to it
/// ```
///
/// At a free end, the slope is that of the parabola through the end with the slope of the next point.
#[derive(Clone, Debug, PartialEq)]
pub struct Spline<const D: usize> {
    points: Vec<Point<D>>,
    closed: bool,
    slopes: Vec<Point<D>>,
    /// Low and high corners of boxes around the control points of segments, and of blocks of segments.
    boxes: Vec<[Point<D>; 2]>,
    blocks: Vec<[Point<D>; 2]>,
}

/// From this ratio of neighbouring chords on, the longer one decides the slope between them.
const UNEQUAL: f64 = 3.0;

impl<const D: usize> Spline<D> {
    /// The curve through at least two points in order, none equal to the next; a closed one continues from the last to the
    /// first.
    ///
    /// # Panics
    /// With fewer than two points.
    pub fn new(points: Vec<Point<D>>, closed: bool) -> Spline<D> {
        assert!(points.len() >= 2, "a curve goes through at least two points");
        let slopes = slopes(&points, closed);
        let mut spline = Spline { points, closed, slopes, boxes: Vec::new(), blocks: Vec::new() };
        spline.boxes = (0..spline.segments()).map(|segment| around(&spline.control(segment))).collect();
        spline.blocks = spline.boxes.chunks(BLOCK).map(|boxes| around(boxes.as_flattened())).collect();
        spline
    }

    fn segments(&self) -> usize {
        if self.closed { self.points.len() } else { self.points.len() - 1 }
    }

    /// The Bézier points of a segment.
    fn control(&self, segment: usize) -> [Point<D>; 4] {
        let next = (segment + 1) % self.points.len();
        let (a, b) = (self.points[segment], self.points[next]);
        let third = length(&difference(&a, &b)) / 3.0;
        let (start, end) = (self.slopes[segment], self.slopes[next]);
        [
            a,
            std::array::from_fn(|k| a[k] + third * start[k]),
            std::array::from_fn(|k| b[k] - third * end[k]),
            b,
        ]
    }

    /// The point of a segment nearest to a place, and the square of its distance.
    fn nearest_on(&self, segment: usize, place: &Point<D>) -> (f64, Point<D>) {
        let control = self.control(segment);
        let at = |t: f64| {
            let point = bezier(&control, t);
            (square(&difference(place, &point)), point)
        };
        let (start, end) = (at(0.0), at(1.0));
        let mut best = if end.0 < start.0 { end } else { start };
        for part in 0..PARTS {
            let ends = [part, part + 1].map(|k| k as f64 / PARTS as f64);
            if let Some(t) = turning_point(&control, place, ends) {
                let found = at(t);
                if found.0 < best.0 {
                    best = found;
                }
            }
        }
        best
    }
}

/// Where the distance from a place to a Bézier curve has a minimum between two parameters, if it falls at the first and
/// rises at the second: by Newton's method, by bisection where that leads out of what is left between them.
fn turning_point<const D: usize>(
    control: &[Point<D>; 4],
    place: &Point<D>,
    [mut low, mut high]: [f64; 2],
) -> Option<f64> {
    // Half the derivative of the square of the distance, and half the second one.
    let slope = |t: f64| {
        let [a, b, c, d] = control;
        let steps = [difference(a, b), difference(b, c), difference(c, d)];
        let (first, second) = (between(&steps[0], &steps[1], t), between(&steps[1], &steps[2], t));
        let along = between(&first, &second, t).map(|v| 3.0 * v);
        let turn = difference(&first, &second).map(|v| 6.0 * v);
        let way = difference(place, &bezier(control, t));
        (dot(&way, &along), square(&along) + dot(&way, &turn))
    };
    if !(slope(low).0 < 0.0 && slope(high).0 >= 0.0) {
        return None;
    }
    let mut t = 0.5 * (low + high);
    for _ in 0..STEPS {
        let (first, second) = slope(t);
        if first < 0.0 {
            low = t
        } else {
            high = t
        }
        let next = t - first / second;
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if next == t {
            break;
        }
        t = next;
    }
    Some(t)
}

fn square<const D: usize>(way: &Point<D>) -> f64 {
    dot(way, way)
}

fn length<const D: usize>(way: &Point<D>) -> f64 {
    dot(way, way).sqrt()
}

/// The derivative at each point.
fn slopes<const D: usize>(points: &[Point<D>], closed: bool) -> Vec<Point<D>> {
    let n = points.len();
    let chord = |i: usize| {
        let way = difference(&points[i], &points[(i + 1) % n]);
        let h = length(&way);
        (h, way.map(|c| c / h))
    };
    let between_chords = |i: usize| {
        let ((h1, d1), (h2, d2)) = (chord((i + n - 1) % n), chord(i));
        let (w1, w2) = if h1.max(h2) > UNEQUAL * h1.min(h2) { (h1, h2) } else { (h2, h1) };
        std::array::from_fn(|k| (w1 * d1[k] + w2 * d2[k]) / (w1 + w2))
    };
    if closed {
        return (0..n).map(between_chords).collect();
    }
    let inner: Vec<Point<D>> = (1..n - 1).map(between_chords).collect();
    let end = |(_, d): (f64, Point<D>), next: Option<&Point<D>>| match next {
        Some(next) => std::array::from_fn(|k| 2.0 * d[k] - next[k]),
        None => d,
    };
    let (first, last) = (end(chord(0), inner.first()), end(chord(n - 2), inner.last()));
    [first].into_iter().chain(inner.iter().copied()).chain([last]).collect()
}

/// The point of a Bézier curve, by de Casteljau.
fn bezier<const D: usize>(control: &[Point<D>; 4], t: f64) -> Point<D> {
    let [a, b, c, d] = control;
    let (ab, bc, cd) = (between(a, b, t), between(b, c, t), between(c, d, t));
    between(&between(&ab, &bc, t), &between(&bc, &cd, t), t)
}

/// The box around some points.
fn around<const D: usize>(points: &[Point<D>]) -> [Point<D>; 2] {
    points.iter().fold([[f64::INFINITY; D], [f64::NEG_INFINITY; D]], |[low, high], p| {
        [std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k]))]
    })
}

/// The square of the distance from a place to a box.
fn distance_to_box<const D: usize>([low, high]: &[Point<D>; 2], place: &Point<D>) -> f64 {
    let way: Point<D> = std::array::from_fn(|k| (low[k] - place[k]).max(place[k] - high[k]).max(0.0));
    dot(&way, &way)
}

impl<const D: usize> Curve<D> for Spline<D> {
    fn nearest(&self, place: &Point<D>) -> Point<D> {
        let mut blocks: Vec<(f64, usize)> =
            self.blocks.iter().map(|around| distance_to_box(around, place)).zip(0..).collect();
        blocks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best = (f64::INFINITY, *place);
        for (least, block) in blocks {
            if least > best.0 {
                break;
            }
            let first = block * BLOCK;
            let segments = first..(first + BLOCK).min(self.segments());
            // The nearest of the points between segments leaves few segments to search.
            for segment in segments.clone() {
                let point = self.points[segment];
                let found = square(&difference(place, &point));
                if found < best.0 {
                    best = (found, point);
                }
            }
            for segment in segments {
                if distance_to_box(&self.boxes[segment], place) > best.0 {
                    continue;
                }
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

    /// A stadium's straight side has no point but its ends.
    #[test]
    fn a_long_side_next_to_a_finely_divided_arc_stays_straight() {
        let arc = |at: f64, from: f64| {
            (0..=16).map(move |i| {
                let angle = from + std::f64::consts::PI * f64::from(i) / 16.0;
                [at + 0.5 * same_math::cos(angle), 0.5 * same_math::sin(angle)]
            })
        };
        let half = std::f64::consts::FRAC_PI_2;
        let stadium = Spline::new(arc(5.0, -half).chain(arc(-5.0, half)).collect(), true);
        let worst =
            (-49..=49).map(|i| f64::from(i) / 10.0).map(|x| (stadium.nearest(&[x, 0.5])[1] - 0.5).abs());
        let worst = worst.fold(0.0, f64::max);
        // With the parabola's slope it would be 0.07.
        assert!(worst < 3e-3, "{worst:e}");
    }
}

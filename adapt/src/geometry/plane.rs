//! Triangles.

use std::cmp::Ordering;

use robust::{Coord, orient2d};

use super::{Geometry, Piece, Point, Space, clip, difference};
use crate::tensor::Tensor;

/// Area of the unit equilateral triangle, sqrt(3) / 4.
const UNIT: f64 = 0.4330127018922193;

/// 12 sqrt(3), which makes the quality of the unit equilateral triangle 1.
const SCALE: f64 = 20.784609690826528;

#[inline]
fn coord(point: &Point<2>) -> Coord<f64> {
    Coord { x: point[0], y: point[1] }
}

/// Twice the signed area.
#[inline]
fn twice_area(points: &[Point<2>]) -> f64 {
    let (u, v) = (difference(&points[0], &points[1]), difference(&points[0], &points[2]));
    u[0] * v[1] - u[1] * v[0]
}

/// A triangle in the mean of its corners' metrics.
struct Measured {
    /// The mean metric: xx, xy, yy.
    metric: [f64; 3],
    /// sqrt(det M).
    density: f64,
    /// Edges 0 to 1, 1 to 2, 2 to 0.
    edges: [Point<2>; 3],
    /// Their lengths.
    lengths: [f64; 3],
    perimeter: f64,
    twice_area: f64,
}

impl Measured {
    #[inline]
    fn new(points: &[Point<2>], metrics: &[&Tensor<2>]) -> Measured {
        let mean =
            |i: usize, j: usize| ((metrics[0].0[i][j] + metrics[1].0[i][j]) + metrics[2].0[i][j]) / 3.0;
        let metric = [mean(0, 0), mean(0, 1), mean(1, 1)];
        let density = (metric[0] * metric[2] - metric[1] * metric[1]).sqrt();
        let edges = [
            difference(&points[0], &points[1]),
            difference(&points[1], &points[2]),
            difference(&points[2], &points[0]),
        ];
        let lengths = edges.map(|e| {
            ((metric[0] * e[0] * e[0] + metric[2] * e[1] * e[1]) + 2.0 * metric[1] * (e[0] * e[1])).sqrt()
        });
        let perimeter = (lengths[0] + lengths[1]) + lengths[2];
        Measured { metric, density, edges, lengths, perimeter, twice_area: twice_area(points) }
    }

    /// F(p/3).
    #[inline]
    fn size(&self) -> f64 {
        let x = self.perimeter / 3.0;
        let m = x.min(1.0 / x);
        let f = m * (2.0 - m);
        f * f * f
    }

    /// F'(p/3).
    #[inline]
    fn size_slope(&self) -> f64 {
        let x = self.perimeter / 3.0;
        let (m, slope) = if x < 1.0 { (x, 1.0) } else { (1.0 / x, -1.0 / (x * x)) };
        let f = m * (2.0 - m);
        3.0 * f * f * (2.0 - 2.0 * m) * slope
    }

    #[inline]
    fn shape(&self) -> f64 {
        SCALE * (self.density * (0.5 * self.twice_area)) / (self.perimeter * self.perimeter)
    }
}

impl Geometry<2> for Space<2> {
    #[inline]
    fn orientation(points: &[Point<2>]) -> Ordering {
        let sign = orient2d(coord(&points[0]), coord(&points[1]), coord(&points[2]));
        sign.partial_cmp(&0.0).expect("coordinates are finite")
    }

    #[inline]
    fn measure(points: &[Point<2>]) -> f64 {
        0.5 * twice_area(points)
    }

    fn units(points: &[Point<2>], metrics: &[&Tensor<2>]) -> f64 {
        let measured = Measured::new(points, metrics);
        measured.density * (0.5 * measured.twice_area) / UNIT
    }

    #[inline]
    fn quality(points: &[Point<2>], metrics: &[&Tensor<2>]) -> f64 {
        let measured = Measured::new(points, metrics);
        measured.shape() * measured.size()
    }

    fn shape(points: &[Point<2>], metrics: &[&Tensor<2>]) -> f64 {
        Measured::new(points, metrics).shape()
    }

    fn quality_gradient(points: &[Point<2>], metrics: &[&Tensor<2>], moving: usize) -> Point<2> {
        let m = Measured::new(points, metrics);
        let (next, last) = ((moving + 1) % 3, (moving + 2) % 3);
        // The area grows as the corner moves away from the opposite edge.
        let opposite = m.edges[next];
        let area_slope = [-0.5 * opposite[1], 0.5 * opposite[0]];
        // Edge `moving` starts at the corner, edge `last` ends there.
        let length_slope = |edge: usize, sign: f64| {
            let e = m.edges[edge];
            let along = [m.metric[0] * e[0] + m.metric[1] * e[1], m.metric[1] * e[0] + m.metric[2] * e[1]];
            along.map(|c| sign * c / m.lengths[edge])
        };
        let (leaving, ending) = (length_slope(moving, -1.0), length_slope(last, 1.0));
        let (shape, size, size_slope) = (m.shape(), m.size(), m.size_slope());
        let square = m.perimeter * m.perimeter;
        std::array::from_fn(|i| {
            let perimeter_slope = leaving[i] + ending[i];
            let shape_slope =
                SCALE * m.density * area_slope[i] / square - 2.0 * shape * perimeter_slope / m.perimeter;
            shape_slope * size + shape * size_slope * (perimeter_slope / 3.0)
        })
    }

    #[inline]
    fn gradient(points: &[Point<2>], values: &[f64]) -> Point<2> {
        let (u, v) = (difference(&points[0], &points[1]), difference(&points[0], &points[2]));
        let (along_u, along_v) = (values[1] - values[0], values[2] - values[0]);
        let twice = twice_area(points);
        [(along_u * v[1] - along_v * u[1]) / twice, (along_v * u[0] - along_u * v[0]) / twice]
    }

    #[inline]
    fn overlap(one: &[Point<2>], other: &[Point<2>]) -> Piece<2> {
        clip::overlap(one, other)
    }
}

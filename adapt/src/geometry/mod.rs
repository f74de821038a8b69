//! What depends on the dimension: orientation and quality of a simplex; curved boundaries.

mod clip;
mod curve;
mod ellipse;
mod path;
mod plane;
mod spline;

use std::cmp::Ordering;

pub use self::curve::{Circle, Curve, Side};
pub use self::ellipse::Ellipse;
pub use self::path::Path;
pub use self::spline::Spline;
use crate::tensor::Tensor;

/// Differences below this fraction come from rounding alone: the computer's, or that of a mesh generator, whose points lie
/// on a straight side up to about 1e-12.
pub(crate) const ROUNDING: f64 = 1.0 / (1u64 << 30) as f64;

/// Below this thickness, relative to its extent, rounding decides what lies in an element and what beside it.
pub(crate) const FLAT: f64 = 1.0 / (1u64 << 40) as f64;

/// A point.
pub type Point<const D: usize> = [f64; D];

/// Represents the simplices of dimension `D`, whose formulas are its [`Geometry`].
#[derive(Clone, Copy, Debug)]
pub struct Space<const D: usize>;

/// The intersection of two elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece<const D: usize> {
    /// Area or volume.
    pub measure: f64,
    /// Centroid; the origin if the measure is 0.
    pub centroid: Point<D>,
}

impl<const D: usize> Default for Piece<D> {
    fn default() -> Piece<D> {
        Piece { measure: 0.0, centroid: [0.0; D] }
    }
}

/// Formulas of simplices of dimension `D`. The order of the corners decides the last bits; callers pass them as
/// elements hold them, the vertex of smallest identity first.
pub trait Geometry<const D: usize> {
    /// On which side of the hyperplane through the others the last point lies; `Greater` for an element that is not
    /// inverted. Exact, even for points that nearly lie in one hyperplane.
    fn orientation(points: &[Point<D>]) -> Ordering;

    /// Area or volume, positive for an element that is not inverted.
    fn measure(points: &[Point<D>]) -> f64;

    /// Area or volume in the mean of the corners' metrics, that of the unit equilateral simplex being 1.
    fn units(points: &[Point<D>], metrics: &[&Tensor<D>]) -> f64;

    /// Quality in the mean of the corners' metrics: at most 1 up to rounding, the value of the unit equilateral
    /// simplex. For triangles (Vasilevskii, Lipnikov 1999):
    ///
    /// ```text
    /// q = 12 sqrt(3) |T|_M / p² F(p/3),   F(x) = [min(x, 1/x) (2 - min(x, 1/x))]³,
    /// |T|_M = sqrt(det M) |T|,   p = perimeter in M
    /// ```
    ///
    /// Both size and shape count. Negative for an inverted element.
    fn quality(points: &[Point<D>], metrics: &[&Tensor<D>]) -> f64;

    /// The quality without F, the factor of the size.
    fn shape(points: &[Point<D>], metrics: &[&Tensor<D>]) -> f64;

    /// Derivative of the quality with respect to the position of corner `moving`, with all metrics held fixed.
    fn quality_gradient(points: &[Point<D>], metrics: &[&Tensor<D>], moving: usize) -> Point<D>;

    /// The gradient of the linear function with these values at the corners.
    fn gradient(points: &[Point<D>], values: &[f64]) -> Point<D>;

    /// The intersection of two elements that are not inverted, up to rounding.
    fn overlap(one: &[Point<D>], other: &[Point<D>]) -> Piece<D>;
}

/// `b - a`.
#[inline]
pub fn difference<const D: usize>(a: &Point<D>, b: &Point<D>) -> Point<D> {
    std::array::from_fn(|i| b[i] - a[i])
}

/// The scalar product.
#[inline]
pub fn dot<const D: usize>(a: &Point<D>, b: &Point<D>) -> f64 {
    let mut sum = a[0] * b[0];
    for i in 1..D {
        sum += a[i] * b[i];
    }
    sum
}

/// `a + t (b - a)`.
#[inline]
pub fn between<const D: usize>(a: &Point<D>, b: &Point<D>, t: f64) -> Point<D> {
    std::array::from_fn(|i| a[i] + t * (b[i] - a[i]))
}

//! Curved boundaries.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Point, between, difference, dot};

/// What a boundary, or a part of it between corners, is.
#[derive(Clone, Debug, Default)]
pub enum Side<const D: usize> {
    /// Straight between corners.
    #[default]
    Straight,
    /// A curve.
    Curved {
        /// Where new and moved vertices are.
        curve: Arc<dyn Curve<D>>,
        /// The largest distance of a facet from the curve: a longer one is split, whatever the metric.
        deviation: f64,
    },
    /// Its facets stay as they are.
    Required,
    /// One of two periodic boundaries: its vertices are set for both at once ([`crate::operation`]).
    Paired,
}

/// How far from a curve a facet along it may be, relative to its length, whatever the allowed deviation.
const FLATNESS: f64 = 0.1;

impl<const D: usize> Side<D> {
    /// The curve, if it is curved.
    pub fn curve(&self) -> Option<&dyn Curve<D>> {
        match self {
            Side::Curved { curve, .. } => Some(&**curve),
            Side::Straight | Side::Required | Side::Paired => None,
        }
    }

    /// Whether a chord is as near to the curve as it must be.
    pub(crate) fn allows(&self, a: &Point<D>, b: &Point<D>) -> bool {
        let Side::Curved { curve, deviation } = self else { return true };
        let way = difference(a, b);
        curve.deviation(a, b) <= deviation.min(FLATNESS * dot(&way, &way).sqrt())
    }

    /// Whether a chord may move with its end: it is as near to the curve as it must be afterwards, or not further off than
    /// before.
    pub(crate) fn allows_move(&self, fixed: &Point<D>, from: &Point<D>, to: &Point<D>) -> bool {
        let is_nearer = |curve: &dyn Curve<D>| curve.deviation(fixed, to) <= curve.deviation(fixed, from);
        self.allows(fixed, to) || self.curve().is_some_and(is_nearer)
    }
}

/// A boundary defined by more than the mesh's facets: new vertices are placed on it.
pub trait Curve<const D: usize>: Debug + Send + Sync {
    /// The point of the boundary nearest to a place, a pure function of the place.
    fn nearest(&self, place: &Point<D>) -> Point<D>;

    /// Where it has corners.
    fn corners(&self) -> Vec<Point<D>> {
        Vec::new()
    }

    /// The distance of a chord from the boundary: the largest at a quarter, a half and three quarters of it, so that a
    /// curve that crosses it in the middle is seen, too.
    fn deviation(&self, a: &Point<D>, b: &Point<D>) -> f64 {
        let off = |t: f64| {
            let place = between(a, b, t);
            let way = difference(&place, &self.nearest(&place));
            dot(&way, &way)
        };
        [0.25, 0.5, 0.75].map(off).into_iter().fold(0.0, f64::max).sqrt()
    }
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

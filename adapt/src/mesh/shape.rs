//! Orientation, measure and quality of what one rank holds.

use std::cmp::Ordering;

use super::elements::INSIDE;
use super::local::{Local, MOST_CORNERS, Moved};
use crate::geometry::{Geometry, Point, ROUNDING, Space, difference, dot};

impl<const D: usize> Local<D>
where
    Space<D>: Geometry<D>,
{
    /// The corners in the order in which elements are held.
    fn turned(&self, corners: &[u32]) -> [u32; MOST_CORNERS] {
        let (mut turned, mut tags) = ([0; MOST_CORNERS], [INSIDE; MOST_CORNERS]);
        turned[..=D].copy_from_slice(corners);
        self.rotate(&mut turned[..=D], &mut tags[..=D]);
        turned
    }

    /// Whether an element with these corners would not be inverted.
    pub(crate) fn is_positive(&self, corners: &[u32]) -> bool {
        <Space<D> as Geometry<D>>::orientation(&self.points(corners)[..=D]) == Ordering::Greater
    }

    /// Whether an element with these corners would not be inverted, and be more than a line with rounding. Corners on an
    /// oblique side lie on its line only up to rounding, so an element between them can have a positive orientation.
    pub(crate) fn is_solid(&self, corners: &[u32]) -> bool {
        let points = self.points(corners);
        <Space<D> as Geometry<D>>::measure(&points[..=D]) > ROUNDING * cube(&points[..=D])
    }

    /// Quality of an element that has, or would have, these corners, in any rotation.
    pub(crate) fn quality_of(&self, corners: &[u32]) -> f64 {
        let turned = self.turned(corners);
        <Space<D> as Geometry<D>>::quality(&self.points(&turned)[..=D], &self.metrics(&turned)[..=D])
    }

    /// Quality of an element that has, or would have, these corners, whatever its size.
    pub(crate) fn shape_of(&self, corners: &[u32]) -> f64 {
        let turned = self.turned(corners);
        <Space<D> as Geometry<D>>::shape(&self.points(&turned)[..=D], &self.metrics(&turned)[..=D])
    }

    /// Quality of an element.
    #[inline]
    pub fn quality(&self, e: u32) -> f64 {
        let corners = self.elements.corners(e);
        <Space<D> as Geometry<D>>::quality(&self.points(corners)[..=D], &self.metrics(corners)[..=D])
    }

    /// Area or volume of an element.
    pub fn measure(&self, e: u32) -> f64 {
        <Space<D> as Geometry<D>>::measure(&self.points(self.elements.corners(e))[..=D])
    }

    /// Measure of a cube over an element's longest edge: rounding changes the element's measure by a few parts in 2^53 of
    /// this.
    pub(crate) fn cube(&self, e: u32) -> f64 {
        cube(&self.points(self.elements.corners(e))[..=D])
    }

    /// How many unit elements are as large as an element, in the metric.
    pub(crate) fn units(&self, e: u32) -> f64 {
        let corners = self.elements.corners(e);
        <Space<D> as Geometry<D>>::units(&self.points(corners)[..=D], &self.metrics(corners)[..=D])
    }

    /// Area or volume of an element if one corner were elsewhere.
    pub(crate) fn measure_with(&self, e: u32, corner: u32, place: &Point<D>) -> f64 {
        let corners = self.elements.corners(e);
        let mut points = self.points(corners);
        points[corners.iter().position(|&c| c == corner).expect("a corner of the element")] = *place;
        <Space<D> as Geometry<D>>::measure(&points[..=D])
    }

    /// Quality of an element if a corner moved.
    pub(crate) fn quality_moved(&self, e: u32, moved: &Moved<D>) -> f64 {
        let corners = self.elements.corners(e);
        let (mut points, mut metrics) = (self.points(corners), self.metrics(corners));
        let at = corners.iter().position(|&c| c == moved.vertex).expect("a corner of the element");
        points[at] = moved.position;
        metrics[at] = &moved.metric;
        <Space<D> as Geometry<D>>::quality(&points[..=D], &metrics[..=D])
    }

    /// Whether an element would not be inverted if a corner were elsewhere.
    pub(crate) fn is_positive_with(&self, e: u32, corner: u32, place: &Point<D>) -> bool {
        let corners = self.elements.corners(e);
        let mut points = self.points(corners);
        points[corners.iter().position(|&c| c == corner).expect("a corner of the element")] = *place;
        <Space<D> as Geometry<D>>::orientation(&points[..=D]) == Ordering::Greater
    }

    /// The element in the star of `v` that contains a place, and the place's barycentric coordinates in it; if it lies
    /// on a common facet of several, the one with the smallest identities.
    pub(crate) fn holder(&self, v: u32, place: &Point<D>) -> Option<(u32, [f64; MOST_CORNERS])> {
        let mut found: Option<(u32, [f64; MOST_CORNERS])> = None;
        for &e in self.star(v) {
            let Some((shares, inside)) = self.shares(e, place) else { continue };
            if inside {
                return Some((e, shares));
            }
            if found.is_none_or(|(other, _)| self.element_key(e) < self.element_key(other)) {
                found = Some((e, shares));
            }
        }
        found
    }

    /// The barycentric coordinates of a place in an element, if it lies inside and on no facet.
    pub(crate) fn shares_inside(&self, e: u32, place: &Point<D>) -> Option<[f64; MOST_CORNERS]> {
        self.shares(e, place).and_then(|(shares, inside)| inside.then_some(shares))
    }

    /// The barycentric coordinates of a place in an element, and whether it lies on no facet; `None` if it lies
    /// outside. Decided by exact orientations.
    fn shares(&self, e: u32, place: &Point<D>) -> Option<([f64; MOST_CORNERS], bool)> {
        let points = self.points(self.elements.corners(e));
        let with = |i: usize| {
            let mut part = points;
            part[i] = *place;
            part
        };
        let mut inside = true;
        for i in 0..=D {
            match <Space<D> as Geometry<D>>::orientation(&with(i)[..=D]) {
                Ordering::Less => return None,
                side => inside &= side == Ordering::Greater,
            }
        }
        let mut shares = [0.0; MOST_CORNERS];
        let mut total = 0.0;
        for i in 0..=D {
            shares[i] = <Space<D> as Geometry<D>>::measure(&with(i)[..=D]).max(0.0);
            total += shares[i];
        }
        shares.iter_mut().for_each(|share| *share /= total);
        Some((shares, inside))
    }

    /// Derivative of an element's quality with respect to a corner's position.
    pub(crate) fn quality_gradient(&self, e: u32, v: u32) -> Point<D> {
        let corners = self.elements.corners(e);
        let at = corners.iter().position(|&c| c == v).expect("a corner of the element");
        let (points, metrics) = (self.points(corners), self.metrics(corners));
        <Space<D> as Geometry<D>>::quality_gradient(&points[..=D], &metrics[..=D], at)
    }

    /// The lowest quality around a vertex.
    pub(crate) fn worst_around(&self, v: u32) -> f64 {
        self.star(v).iter().map(|&e| self.quality(e)).fold(f64::INFINITY, f64::min)
    }
}

/// Measure of a cube over the longest edge between points.
fn cube<const D: usize>(points: &[Point<D>]) -> f64 {
    let edges = (0..D).flat_map(|i| (i + 1..=D).map(move |j| (i, j)));
    let square = |(i, j): (usize, usize)| {
        let edge = difference(&points[i], &points[j]);
        dot(&edge, &edge)
    };
    let longest = edges.map(square).fold(0.0, f64::max);
    (0..D).fold(1.0, |cube, _| cube * longest.sqrt())
}

//! Linear functions within elements, and their bounds.

use crate::geometry::{Geometry, Point, Space, difference, dot};
use crate::mesh::MOST_CORNERS;
use crate::transfer::carry::{EMPTY, with, within};
use crate::transfer::cavity::mean;

/// Values at an element's corners, the first `D + 1` of them.
pub(super) type AtCorners = [f64; MOST_CORNERS];

/// Corners relative to the centroid.
pub(super) fn places<const D: usize>(points: &[Point<D>]) -> [Point<D>; MOST_CORNERS] {
    let mut places = [[0.0; D]; MOST_CORNERS];
    for (place, point) in places.iter_mut().zip(points) {
        *place = difference(&points[0], point);
    }
    let centre = mean(&places[..=D]);
    places.iter_mut().for_each(|place| *place = difference(&centre, place));
    places
}

/// The mean of several values with weights that have a sum above 0: between the lowest and the highest of them, so that of
/// equal values it is that value.
pub(super) fn weighted(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut weight, mut range) = (0.0, 0.0, EMPTY);
    for (share, value) in values {
        sum += share * value;
        weight += share;
        range = with(range, value);
    }
    within(sum / weight, range)
}

/// A linear function within an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Linear<const D: usize> {
    pub mean: f64,
    pub gradient: Point<D>,
}

impl<const D: usize> Linear<D> {
    /// The value at a place relative to the centroid.
    pub fn at(&self, place: &Point<D>) -> f64 {
        self.mean + dot(&self.gradient, place)
    }

    /// With the gradient times a factor; none for 0.
    pub fn scaled(&self, factor: f64) -> Linear<D> {
        let gradient = if factor == 0.0 { [0.0; D] } else { self.gradient.map(|g| g * factor) };
        Linear { mean: self.mean, gradient }
    }

    /// With as much of the gradient as keeps the values at these places in a range, in which the mean value lies or to which
    /// it is added.
    pub fn limited(&self, places: &[Point<D>], range: [f64; 2]) -> Linear<D> {
        let [lowest, highest] = with(range, self.mean);
        let mut limit = 1.0;
        for place in places {
            let change = dot(&self.gradient, place);
            let room = if change > 0.0 { highest - self.mean } else { lowest - self.mean };
            if change != 0.0 && room / change < limit {
                limit = room / change;
            }
        }
        // Rounding may still take a value a little beyond; to bring it back costs no more than that, so a linear function
        // whose extremes are the bounds remains what it is up to rounding.
        let is_inside = |of: &Linear<D>| places.iter().all(|p| (lowest..=highest).contains(&of.at(p)));
        let mut step = f64::EPSILON;
        loop {
            let limited = self.scaled(limit);
            if limit == 0.0 || is_inside(&limited) {
                return limited;
            }
            limit = if step < 1.0 { limit * (1.0 - step) } else { 0.0 };
            step *= 2.0;
        }
    }
}

impl<const D: usize> Linear<D>
where
    Space<D>: Geometry<D>,
{
    /// The function with these values at the corners; constant in an element too flat for a gradient.
    pub fn of(points: &[Point<D>], values: &[f64], is_flat: bool) -> Linear<D> {
        let gradient = match is_flat {
            true => [0.0; D],
            false => <Space<D> as Geometry<D>>::gradient(points, values),
        };
        Linear { mean: weighted(values.iter().map(|&value| (1.0, value))), gradient }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [Point<2>; 3] = [[10.1, 0.7], [10.31, -0.2], [10.4, 0.2]];

    #[test]
    fn a_function_has_its_values_at_the_corners_again() {
        let values = [3.0, -1.0, 0.5];
        let linear = Linear::of(&POINTS, &values, false);
        for (place, value) in places(&POINTS).iter().zip(values) {
            assert!((linear.at(place) - value).abs() < 1e-14, "{} instead of {value}", linear.at(place));
        }
        assert_eq!(Linear::of(&POINTS, &values, true).gradient, [0.0; 2]);
    }

    #[test]
    fn a_mean_of_equal_values_is_that_value() {
        assert_eq!(weighted([(0.1, 0.7), (0.3, 0.7), (0.2, 0.7)].into_iter()), 0.7);
        assert_eq!(Linear::of(&POINTS, &[0.1; 3], false).at(&places(&POINTS)[1]), 0.1);
    }

    #[test]
    fn limits_hold_to_the_last_bit_and_cost_a_function_within_them_only_rounding() {
        let places = places(&POINTS);
        for seed in 1..200 {
            let values = [0.1, 0.7 / f64::from(seed), -1.3 + 0.01 * f64::from(seed)];
            let linear = Linear::of(&POINTS, &values, false);
            let range = values.iter().fold(EMPTY, |range, &value| with(range, value));
            let limited = linear.limited(&places[..3], range);
            for (place, value) in places.iter().zip(values) {
                assert!((range[0]..=range[1]).contains(&limited.at(place)), "{seed}");
                assert!((limited.at(place) - value).abs() < 4e-15, "{seed}");
            }
            let narrow = linear.limited(&places[..3], [-0.1, 0.2]);
            let [lowest, highest] = with([-0.1, 0.2], linear.mean);
            assert!(places[..3].iter().all(|p| (lowest..=highest).contains(&narrow.at(p))), "{seed}");
        }
    }

    #[test]
    fn without_room_or_with_a_gradient_that_is_none_the_function_is_constant() {
        let places = places(&POINTS);
        let constant = |gradient| Linear { mean: 1.0, gradient }.limited(&places[..3], [1.0, 1.0]).gradient;
        assert_eq!(constant([3.0, 1.0]), [0.0; 2]);
        assert_eq!(constant([f64::NAN, 1.0]), [0.0; 2]);
        assert_eq!(constant([f64::INFINITY, 1.0]), [0.0; 2]);
    }
}

//! Ellipses.

use super::{Curve, Point, difference};

/// Most bisections: more than doubles of a range can be halved.
const STEPS: usize = 1100;

/// An ellipse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    center: Point<2>,
    /// The longer half axis, and the shorter one.
    radii: [f64; 2],
    /// The direction of the longer one.
    along: Point<2>,
}

impl Ellipse {
    /// With these half axes, which are positive, of which the first is turned against x by an angle in radians.
    pub fn new(center: Point<2>, radii: [f64; 2], angle: f64) -> Ellipse {
        let (sine, cosine) = (same_math::sin(angle), same_math::cos(angle));
        match radii[0] >= radii[1] {
            true => Ellipse { center, radii, along: [cosine, sine] },
            false => Ellipse { center, radii: [radii[1], radii[0]], along: [-sine, cosine] },
        }
    }
}

impl Curve<2> for Ellipse {
    fn nearest(&self, place: &Point<2>) -> Point<2> {
        let [[x, y], [cosine, sine]] = [difference(&self.center, place), self.along];
        let turned = [x * cosine + y * sine, y * cosine - x * sine];
        let found = nearest_in_quadrant(self.radii, turned.map(f64::abs));
        let [u, v] = [0, 1].map(|i| if turned[i] < 0.0 { -found[i] } else { found[i] });
        [self.center[0] + (u * cosine - v * sine), self.center[1] + (u * sine + v * cosine)]
    }
}

/// The nearest point of an ellipse with half axes a >= b along the axes, all coordinates from 0 on: where the way to it is
/// normal, as the root of a function that falls, by bisection (D. Eberly, "Distance from a point to an ellipse, an
/// ellipsoid, or a hyperellipsoid", 2013, section 2).
fn nearest_in_quadrant([a, b]: [f64; 2], [x, y]: [f64; 2]) -> Point<2> {
    if y > 0.0 && x > 0.0 {
        let ([z, w], ratio) = ([x / a, y / b], (a / b) * (a / b));
        if z * z + w * w == 1.0 {
            return [x, y];
        }
        let t = root(ratio, [z, w]);
        return [ratio * x / (t + ratio), y / (t + 1.0)];
    }
    if y > 0.0 {
        return [0.0, b];
    }
    // On the longer axis, near the centre, the nearest point is off it.
    let (numerator, denominator) = (a * x, a * a - b * b);
    if numerator < denominator {
        let share = numerator / denominator;
        return [a * share, b * (1.0 - share * share).sqrt()];
    }
    [a, 0.0]
}

/// Where (r z / (t + r))² + (w / (t + 1))² = 1.
fn root(ratio: f64, [z, w]: [f64; 2]) -> f64 {
    let n = ratio * z;
    let (mut low, mut high) = (w - 1.0, if z * z + w * w < 1.0 { 0.0 } else { (n * n + w * w).sqrt() - 1.0 });
    let mut t = low;
    for _ in 0..STEPS {
        t = 0.5 * (low + high);
        if t == low || t == high {
            break;
        }
        let [one, other] = [n / (t + ratio), w / (t + 1.0)];
        let left = one * one + other * other - 1.0;
        if left > 0.0 {
            low = t
        } else if left < 0.0 {
            high = t
        } else {
            break;
        }
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::dot;

    /// Beside the nearest of many points of the ellipse.
    #[test]
    fn the_nearest_point_is_on_the_ellipse_and_no_other_is_nearer() {
        for (radii, angle) in [([2.0, 0.5], 0.3), ([0.3, 1.2], -1.1), ([0.7, 0.7], 0.0)] {
            let ellipse = Ellipse::new([0.4, -0.2], radii, angle);
            let at = |t: f64| {
                let [u, v] = [radii[0] * t.cos(), radii[1] * t.sin()];
                [0.4 + u * angle.cos() - v * angle.sin(), -0.2 + u * angle.sin() + v * angle.cos()]
            };
            let off = |p: &Point<2>, q: &Point<2>| dot(&difference(p, q), &difference(p, q)).sqrt();
            for k in 0..400 {
                let place = [
                    0.4 + 0.02 * f64::from(k % 20 - 10) * radii[0].max(radii[1]),
                    -0.2 + 0.02 * f64::from(k / 20 - 10),
                ];
                let found = ellipse.nearest(&place);
                let points = (0..2000).map(|k| at(0.001 * std::f64::consts::PI * f64::from(k)));
                let (mut on, mut least) = (f64::INFINITY, f64::INFINITY);
                for point in points {
                    on = on.min(off(&found, &point));
                    least = least.min(off(&place, &point));
                }
                assert!(on < 2e-3 * radii[0].max(radii[1]), "{place:?} {found:?} {on}");
                assert!(off(&place, &found) <= least + 1e-12, "{place:?} {found:?}");
            }
        }
    }

    #[test]
    fn points_of_the_ellipse_stay_and_those_of_axes_are_not_lost() {
        let ellipse = Ellipse::new([0.0, 0.0], [2.0, 1.0], 0.0);
        for (place, nearest) in [
            ([2.0, 0.0], [2.0, 0.0]),
            ([5.0, 0.0], [2.0, 0.0]),
            ([0.0, 0.5], [0.0, 1.0]),
            ([0.0, -3.0], [0.0, -1.0]),
            ([-4.0, 0.0], [-2.0, 0.0]),
            ([0.0, 0.0], [0.0, 1.0]),
        ] {
            assert_eq!(ellipse.nearest(&place), nearest, "{place:?}");
        }
        assert!(ellipse.nearest(&[0.3, 0.0])[1] > 0.9);
    }
}

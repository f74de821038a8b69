//! The intersection of two triangles.

use super::{Piece, Point, difference};

/// The most corners of a polygon: six, and if heights had alternating signs by rounding, from 3 corners 4, 6 and 9.
const MOST: usize = 9;

/// A convex polygon.
struct Polygon {
    corners: [Point<2>; MOST],
    count: usize,
}

impl Polygon {
    #[inline]
    fn new() -> Polygon {
        Polygon { corners: [[0.0; 2]; MOST], count: 0 }
    }

    #[inline]
    fn push(&mut self, corner: Point<2>) {
        self.corners[self.count] = corner;
        self.count += 1;
    }

    #[inline]
    fn corners(&self) -> &[Point<2>] {
        &self.corners[..self.count]
    }
}

/// The scalar product of one vector with the other rotated by a right angle: twice the signed area between them.
#[inline]
fn cross(u: &Point<2>, v: &Point<2>) -> f64 {
    u[0] * v[1] - u[1] * v[0]
}

/// The intersection of triangles that are not inverted: one of them, clipped along the three lines of the other
/// (Sutherland, Hodgman 1974, doi:10.1145/360767.360802). Most precise for coordinates relative to a point nearby.
#[inline]
pub(super) fn overlap(one: &[Point<2>], other: &[Point<2>]) -> Piece<2> {
    let (mut polygon, mut part) = (Polygon::new(), Polygon::new());
    one.iter().for_each(|corner| polygon.push(*corner));
    for i in 0..3 {
        if clip(&polygon, &other[i], &other[(i + 1) % 3], &mut part) {
            std::mem::swap(&mut polygon, &mut part);
        }
        // A point, and what is clipped from it, has no area.
        if polygon.count < 2 {
            return Piece::default();
        }
    }
    measured(polygon.corners())
}

/// Puts the part of a polygon to the left of the line from `a` to `b` into `part`; false if that is all of it.
#[inline]
fn clip(polygon: &Polygon, a: &Point<2>, b: &Point<2>, part: &mut Polygon) -> bool {
    let along = difference(a, b);
    let mut heights = [0.0; MOST];
    let mut is_whole = true;
    for (height, p) in heights.iter_mut().zip(polygon.corners()) {
        *height = cross(&along, &difference(a, p));
        is_whole &= *height >= 0.0;
    }
    if is_whole {
        return false;
    }
    part.count = 0;
    for (i, p) in polygon.corners().iter().enumerate() {
        let next = if i + 1 < polygon.count { i + 1 } else { 0 };
        let (q, here, there) = (&polygon.corners[next], heights[i], heights[next]);
        if here >= 0.0 {
            part.push(*p);
        }
        if here > 0.0 && there < 0.0 || here < 0.0 && there > 0.0 {
            let share = here / (here - there);
            part.push(std::array::from_fn(|i| p[i] + share * (q[i] - p[i])));
        }
    }
    true
}

/// Area and centroid of a polygon, from the triangles at its first corner.
#[inline]
fn measured(polygon: &[Point<2>]) -> Piece<2> {
    let Some((first, others)) = polygon.split_first() else { return Piece::default() };
    let (mut twice, mut moment) = (0.0, [0.0; 2]);
    for pair in others.windows(2) {
        let (u, v) = (difference(first, &pair[0]), difference(first, &pair[1]));
        let part = cross(&u, &v);
        twice += part;
        for i in 0..2 {
            moment[i] += part * (u[i] + v[i]);
        }
    }
    if twice > 0.0 {
        let centroid = std::array::from_fn(|i| first[i] + moment[i] / (3.0 * twice));
        Piece { measure: 0.5 * twice, centroid }
    } else {
        Piece::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: [Point<2>; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];

    #[test]
    fn a_triangle_overlaps_itself_wholly() {
        let piece = overlap(&UNIT, &UNIT);
        assert_eq!(piece.measure, 0.5);
        assert!(piece.centroid.iter().all(|c| (c - 1.0 / 3.0).abs() < 1e-15));
    }

    #[test]
    fn triangles_that_share_an_edge_or_lie_apart_have_nothing_in_common() {
        let beside = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        assert_eq!(overlap(&UNIT, &beside).measure, 0.0);
        assert_eq!(overlap(&UNIT, &UNIT.map(|[x, y]| [x + 2.0, y])).measure, 0.0);
    }

    #[test]
    fn two_triangles_turned_against_each_other_share_a_hexagon() {
        // A triangle and the same rotated by half a circle about its centroid do not share six corner triangles, a
        // ninth each.
        let turned = UNIT.map(|[x, y]| [2.0 / 3.0 - x, 2.0 / 3.0 - y]);
        let piece = overlap(&UNIT, &turned);
        assert!((piece.measure - 0.5 * 6.0 / 9.0).abs() < 1e-15);
        assert!(piece.centroid.iter().all(|c| (c - 1.0 / 3.0).abs() < 1e-15));
    }

    #[test]
    fn pieces_of_a_divided_triangle_add_up_to_it() {
        let inside = [0.21, 0.34];
        let whole = [[-1.0, -1.3], [2.1, -0.4], [0.2, 1.9]];
        let parts =
            [[whole[0], whole[1], inside], [whole[1], whole[2], inside], [whole[2], whole[0], inside]];
        let sum: f64 = parts.iter().map(|part| overlap(&UNIT, part).measure).sum();
        assert!((sum - overlap(&UNIT, &whole).measure).abs() < 1e-15);
    }
}

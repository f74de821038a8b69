//! A corner's part of an element's measure.

use crate::geometry::{Geometry, Point, Space};
use crate::mesh::{Local, MOST_CORNERS};

/// An element's measure divided by the number of its corners, with the same bits for the corners in any order: what is
/// computed on a mesh is found again when the mesh has been numbered anew.
pub(super) fn part<const D: usize>(points: &[Point<D>]) -> f64
where
    Space<D>: Geometry<D>,
{
    let mut sorted = [[0.0; D]; MOST_CORNERS];
    sorted[..=D].copy_from_slice(points);
    sorted[..=D].sort_unstable_by(|a, b| a.partial_cmp(b).expect("coordinates are finite"));
    <Space<D> as Geometry<D>>::measure(&sorted[..=D]).abs() / (D + 1) as f64
}

/// That of an element of a mesh.
pub(super) fn part_of<const D: usize>(local: &Local<D>, e: u32) -> f64
where
    Space<D>: Geometry<D>,
{
    let corners = local.elements.corners(e);
    let points: [Point<D>; MOST_CORNERS] = std::array::from_fn(|i| *local.position(corners[i.min(D)]));
    part(&points[..=D])
}

/// The dual volume of a vertex of this rank: its parts of the elements around it, with the same bits for any numbering.
pub(super) fn dual_volume<const D: usize>(local: &Local<D>, v: u32) -> f64
where
    Space<D>: Geometry<D>,
{
    let mut parts: Vec<f64> = local.star(v).iter().map(|&e| part_of(local, e)).collect();
    parts.sort_unstable_by(f64::total_cmp);
    parts.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_the_same_bits_for_the_corners_in_any_order() {
        let [a, b, c]: [Point<2>; 3] = [[0.1, 0.7], [0.31, -0.2], [0.4000001, 0.2]];
        let expected = part(&[a, b, c]);
        assert!(expected > 0.0);
        for points in [[b, c, a], [c, a, b], [a, c, b], [c, b, a], [b, a, c]] {
            assert_eq!(part(&points), expected);
        }
        // Otherwise the order decides.
        let measure = |points: [Point<2>; 3]| <Space<2> as Geometry<2>>::measure(&points);
        assert!(measure([a, b, c]) != measure([b, c, a]) || measure([a, b, c]) != measure([c, a, b]));
    }
}

//! The point of a simplex that is nearest to another point.

/// A point outside by no more than this share of the simplex is inside: faces belong to both sides whatever the rounding.
const SLACK: f64 = 1e-12;

/// Where the nearest point lies: the square of its distance, and the shares of the corners, of which the point is the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    pub square: f64,
    pub shares: [f64; 4],
}

/// The point of a line, a triangle or a tetrahedron, or of one corner, that is nearest to a point; inside of one that fills
/// the space, the point itself at a distance of 0.
///
/// The nearest point of the whole line, plane or space is in the simplex if no corner has a negative share of it. Otherwise it
/// is on a side that is opposite to a corner with a negative share.
pub(super) fn nearest<const DIM: usize>(point: [f64; DIM], corners: &[[f64; DIM]]) -> Nearest {
    let count = corners.len();
    let shares = shares(point, corners);
    if let Some(shares) = shares.filter(|shares| shares[..count].iter().all(|share| *share >= -SLACK)) {
        let square = if count > DIM { 0.0 } else { square_of_distance(point, corners, shares) };
        return Nearest { square, shares };
    }
    let mut best = Nearest { square: f64::INFINITY, shares: [0.0; 4] };
    for without in 0..count {
        // The corners of a flat simplex have no shares; then any side may be the one.
        if shares.is_some_and(|shares| shares[without] >= 0.0) {
            continue;
        }
        let mut side = [[0.0; DIM]; 4];
        side[..without].copy_from_slice(&corners[..without]);
        side[without..count - 1].copy_from_slice(&corners[without + 1..]);
        let Nearest { square, shares } = nearest(point, &side[..count - 1]);
        if square < best.square {
            let share = |k: usize| match k {
                k if k < without => shares[k],
                k if k == without => 0.0,
                k => shares[k - 1],
            };
            best = Nearest { square, shares: std::array::from_fn(share) };
        }
    }
    best
}

/// The shares of the corners in the point of the whole line, plane or space that is nearest; `None` if the simplex is flat.
fn shares<const DIM: usize>(point: [f64; DIM], corners: &[[f64; DIM]]) -> Option<[f64; 4]> {
    let from = |x: [f64; DIM]| -> [f64; DIM] { std::array::from_fn(|k| x[k] - corners[0][k]) };
    let d = from(point);
    let sides: Vec<[f64; DIM]> = corners[1..].iter().map(|corner| from(*corner)).collect();
    let others = match (sides.as_slice(), DIM) {
        ([], _) => [0.0; 3],
        ([u], _) => [dot(*u, d) / dot(*u, *u), 0.0, 0.0],
        ([u, v], 2) => {
            let cross = |a: [f64; DIM], b: [f64; DIM]| a[0] * b[1] - a[1] * b[0];
            let whole = cross(*u, *v);
            [cross(d, *v) / whole, cross(*u, d) / whole, 0.0]
        }
        ([u, v], _) => {
            let (uu, uv, vv, ud, vd) = (dot(*u, *u), dot(*u, *v), dot(*v, *v), dot(*u, d), dot(*v, d));
            let whole = uu * vv - uv * uv;
            [(vv * ud - uv * vd) / whole, (uu * vd - uv * ud) / whole, 0.0]
        }
        ([u, v, w, ..], _) => {
            let volume = |a: [f64; DIM], b: [f64; DIM], c: [f64; DIM]| {
                let at = |k: usize, l: usize| b[k] * c[l] - b[l] * c[k];
                a[0] * at(1, 2) + a[1] * at(2, 0) + a[2] * at(0, 1)
            };
            let whole = volume(*u, *v, *w);
            [volume(d, *v, *w) / whole, volume(*u, d, *w) / whole, volume(*u, *v, d) / whole]
        }
    };
    let all = [1.0 - others.iter().sum::<f64>(), others[0], others[1], others[2]];
    all.iter().all(|share| share.is_finite()).then_some(all)
}

fn square_of_distance<const DIM: usize>(point: [f64; DIM], corners: &[[f64; DIM]], shares: [f64; 4]) -> f64 {
    let off: [f64; DIM] = std::array::from_fn(|k| {
        let at: f64 =
            corners.iter().zip(shares).map(|(corner, share)| share * (corner[k] - corners[0][k])).sum();
        point[k] - corners[0][k] - at
    });
    dot(off, off)
}

fn dot<const DIM: usize>(a: [f64; DIM], b: [f64; DIM]) -> f64 {
    (0..DIM).map(|k| a[k] * b[k]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_place<const DIM: usize>(
        point: [f64; DIM],
        corners: &[[f64; DIM]],
        square: f64,
        shares: &[f64],
    ) {
        let found = nearest(point, corners);
        let off = found.shares.iter().zip(shares).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!((found.square - square).abs() < 1e-14 && off < 1e-14, "{point:?}: {found:?}");
    }

    #[test]
    fn a_triangle_is_near_with_its_inside_its_sides_and_its_corners() {
        let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]];
        assert_place([1.0, 2.0], &corners, 0.0, &[0.25, 0.25, 0.5]);
        assert_place([1.0, -3.0], &corners, 9.0, &[0.75, 0.25, 0.0]);
        assert_place([4.0, 4.0], &corners, 8.0, &[0.0, 0.5, 0.5]);
        assert_place([-3.0, -4.0], &corners, 25.0, &[1.0, 0.0, 0.0]);
        // A side that is opposite to a negative share, but whose nearest point is a corner.
        assert_place([9.0, -1.0], &corners, 26.0, &[0.0, 1.0, 0.0]);
        let flat = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]];
        assert_eq!(nearest([3.0, 2.0], &flat).square, 5.0);
        assert_eq!(nearest([1.0, 0.0], &[[0.0, 0.0]; 3]).square, 1.0);
    }

    #[test]
    fn a_tetrahedron_is_near_with_its_inside_its_faces_its_edges_and_its_corners() {
        let corners = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
        assert_place([1.0, 1.0, 1.0], &corners, 0.0, &[0.25; 4]);
        assert_place([1.0, 2.0, -2.0], &corners, 4.0, &[0.25, 0.25, 0.5, 0.0]);
        assert_place([1.0, -3.0, -4.0], &corners, 25.0, &[0.75, 0.25, 0.0, 0.0]);
        assert_place([-1.0, -2.0, -2.0], &corners, 9.0, &[1.0, 0.0, 0.0, 0.0]);
        assert_place([3.0, 3.0, 3.0], &corners, 25.0 / 3.0, &[0.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
        // However it is turned, and whatever its corners' order.
        let turned = [corners[0], corners[2], corners[1], corners[3]];
        assert_place([1.0, 1.0, 1.0], &turned, 0.0, &[0.25; 4]);
    }
}

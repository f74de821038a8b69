//! The distance from a point to one face.

/// The square of the distance from a point to a line between two points, or to a triangle.
///
/// The point of a triangle that is nearest lies inside, on a side or at a corner. Inside, the distance is that to the
/// plane, if the plane's nearest point has no negative share of a corner; otherwise the nearest side's.
pub(super) fn square<const DIM: usize>(point: [f64; DIM], face: &[[f64; DIM]; DIM]) -> f64 {
    if DIM == 2 {
        return to_line(point, face[0], face[1]);
    }
    let sides = (0..DIM).map(|k| to_line(point, face[k], face[(k + 1) % DIM]));
    let of_sides = sides.fold(f64::INFINITY, f64::min);
    let (u, v, d) = (sub(face[1], face[0]), sub(face[2], face[0]), sub(point, face[0]));
    let (uu, uv, vv, ud, vd) = (dot(u, u), dot(u, v), dot(v, v), dot(u, d), dot(v, d));
    let scale = uu * vv - uv * uv;
    let (s, t) = (vv * ud - uv * vd, uu * vd - uv * ud);
    // A triangle without an area has no inside.
    let is_inside = s >= 0.0 && t >= 0.0 && s + t <= scale && scale > 0.0;
    if !is_inside {
        return of_sides;
    }
    let (s, t) = (s / scale, t / scale);
    let off: [f64; DIM] = std::array::from_fn(|k| d[k] - s * u[k] - t * v[k]);
    dot(off, off).min(of_sides)
}

fn to_line<const DIM: usize>(point: [f64; DIM], a: [f64; DIM], b: [f64; DIM]) -> f64 {
    let (along, d) = (sub(b, a), sub(point, a));
    let length = dot(along, along);
    let share = if length > 0.0 { (dot(along, d) / length).clamp(0.0, 1.0) } else { 0.0 };
    let off: [f64; DIM] = std::array::from_fn(|k| d[k] - share * along[k]);
    dot(off, off)
}

fn sub<const DIM: usize>(a: [f64; DIM], b: [f64; DIM]) -> [f64; DIM] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot<const DIM: usize>(a: [f64; DIM], b: [f64; DIM]) -> f64 {
    (0..DIM).map(|k| a[k] * b[k]).sum()
}

#[cfg(test)]
mod tests {
    use super::square;

    #[test]
    fn a_face_is_near_with_its_inside_its_sides_and_its_corners() {
        let line = [[0.0, 0.0], [2.0, 0.0]];
        for (point, expected) in
            [([1.0, 3.0], 9.0), ([-3.0, 4.0], 25.0), ([3.0, 1.0], 2.0), ([0.5, 0.0], 0.0)]
        {
            assert_eq!(square(point, &line), expected, "{point:?}");
        }
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        for (point, expected) in [
            ([1.0, 1.0, 2.0], 4.0),
            ([1.0, -3.0, 4.0], 25.0),
            ([-1.0, -2.0, 2.0], 9.0),
            ([3.0, 3.0, 1.0], 3.0),
            ([1.0, 1.0, 0.0], 0.0),
        ] {
            assert!((square(point, &triangle) - expected).abs() < 1e-15, "{point:?}");
        }
        let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert_eq!(square([3.0, 0.0, 2.0], &flat), 5.0);
        assert_eq!(square([1.0, 0.0], &[[0.0, 0.0]; 2]), 1.0);
    }
}

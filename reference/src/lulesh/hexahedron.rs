//! Geometry of a hexahedron with straight edges: volume, faces, gradients, hourglass modes.
//!
//! Corners are 0 to 3 around the face of low zeta and 4 to 7 above them. Every expression is evaluated from left to right.

/// A point or a vector.
pub type Vector = [f64; 3];
/// One point, or one vector, for each corner.
pub type Corners = [Vector; 8];

const TWELFTH: f64 = 1.0 / 12.0;

/// The corners of the faces, as the stress goes through them.
const FACES: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0], [4, 7, 6, 5]];

/// The corners of the faces, as their areas are measured.
const SIDES: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

/// The six corners around each corner that the derivative of the volume depends on.
const AROUND: [[usize; 6]; 8] = [
    [1, 2, 3, 4, 5, 7],
    [2, 3, 0, 5, 6, 4],
    [3, 0, 1, 6, 7, 5],
    [0, 1, 2, 7, 4, 6],
    [7, 6, 5, 0, 3, 1],
    [4, 7, 6, 1, 0, 2],
    [5, 4, 7, 2, 1, 3],
    [6, 5, 4, 3, 2, 0],
];

/// The four hourglass modes on the corners.
const MODES: [[f64; 8]; 4] = [
    [1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0],
    [1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0],
];

fn difference(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn sum(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn triple(a: Vector, b: Vector, c: Vector) -> f64 {
    a[0] * (b[1] * c[2] - c[1] * b[2])
        + a[1] * (c[0] * b[2] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - c[0] * b[1])
}

/// The volume.
pub fn volume(x: &Corners) -> f64 {
    let d = |a: usize, b: usize| difference(x[a], x[b]);
    (triple(sum(d(3, 1), d(7, 2)), d(6, 3), d(2, 0))
        + triple(sum(d(4, 3), d(5, 7)), d(6, 4), d(7, 0))
        + triple(sum(d(1, 4), d(2, 5)), d(6, 1), d(5, 0)))
        * TWELFTH
}

/// The sum over the faces at each corner of a quarter of their area vectors.
pub fn corner_areas(x: &Corners) -> Corners {
    let mut areas = [[0.0; 3]; 8];
    for [a, b, c, d] in FACES {
        let s: Vector = std::array::from_fn(|m| 0.5 * (x[d][m] + x[c][m] - x[b][m] - x[a][m]));
        let r: Vector = std::array::from_fn(|m| 0.5 * (x[c][m] + x[b][m] - x[d][m] - x[a][m]));
        let area = [
            0.25 * (s[1] * r[2] - s[2] * r[1]),
            0.25 * (s[2] * r[0] - s[0] * r[2]),
            0.25 * (s[0] * r[1] - s[1] * r[0]),
        ];
        for corner in [a, b, c, d] {
            areas[corner] = sum(areas[corner], area);
        }
    }
    areas
}

/// The Jacobian of the map from the unit cube at its middle: eight times its determinant, and for the axes x, y, z the
/// derivatives of the volume at corners 0 to 3; corners 6, 7, 4, 5 have their negatives.
pub fn jacobian(x: &Corners) -> (f64, [[f64; 4]; 3]) {
    let along: [Vector; 3] = std::array::from_fn(|m| {
        let d = |a: usize, b: usize| x[a][m] - x[b][m];
        let (a, b, c, d) = (d(6, 0), d(5, 3), d(7, 1), d(4, 2));
        [0.125 * (a + b - c - d), 0.125 * (a - b + c - d), 0.125 * (a + b + c + d)]
    });
    let [[x_xi, x_eta, x_zeta], [y_xi, y_eta, y_zeta], [z_xi, z_eta, z_zeta]] = along;
    let of_x =
        [y_eta * z_zeta - z_eta * y_zeta, -(y_xi * z_zeta) + z_xi * y_zeta, y_xi * z_eta - z_xi * y_eta];
    let of_y =
        [-(x_eta * z_zeta) + z_eta * x_zeta, x_xi * z_zeta - z_xi * x_zeta, -(x_xi * z_eta) + z_xi * x_eta];
    let of_z =
        [x_eta * y_zeta - y_eta * x_zeta, -(x_xi * y_zeta) + y_xi * x_zeta, x_xi * y_eta - y_xi * x_eta];
    let corners =
        |[xi, eta, zeta]: Vector| [-xi - eta - zeta, xi - eta - zeta, xi + eta - zeta, -xi + eta - zeta];
    let determinant = 8.0 * (x_eta * of_x[1] + y_eta * of_y[1] + z_eta * of_z[1]);
    (determinant, [corners(of_x), corners(of_y), corners(of_z)])
}

/// The derivatives of the volume with respect to the corners' positions.
pub fn volume_derivatives(x: &Corners) -> Corners {
    AROUND.map(|around| {
        let [p, q, r] = [0, 1, 2].map(|m| around.map(|corner| x[corner][m]));
        [positive(&q, &r), negative(&p, &r), negative(&q, &p)]
    })
}

fn positive(y: &[f64; 6], z: &[f64; 6]) -> f64 {
    ((y[1] + y[2]) * (z[0] + z[1]) - (y[0] + y[1]) * (z[1] + z[2]) + (y[0] + y[4]) * (z[3] + z[4])
        - (y[3] + y[4]) * (z[0] + z[4])
        - (y[2] + y[5]) * (z[3] + z[5])
        + (y[3] + y[5]) * (z[2] + z[5]))
        * TWELFTH
}

fn negative(y: &[f64; 6], z: &[f64; 6]) -> f64 {
    (-((y[1] + y[2]) * (z[0] + z[1])) + (y[0] + y[1]) * (z[1] + z[2]) - (y[0] + y[4]) * (z[3] + z[4])
        + (y[3] + y[4]) * (z[0] + z[4])
        + (y[2] + y[5]) * (z[3] + z[5])
        - (y[3] + y[5]) * (z[2] + z[5]))
        * TWELFTH
}

/// The forces on the corners that damp the hourglass modes of the velocities `u`: Flanagan and Belytschko, "A uniform
/// strain hexahedron and quadrilateral with orthogonal hourglass control", International Journal for Numerical Methods in
/// Engineering 17 (1981), DOI 10.1002/nme.1620170504.
pub fn hourglass_forces(x: &Corners, dv: &Corners, u: &Corners, volume: f64, coefficient: f64) -> Corners {
    let inverse = 1.0 / volume;
    let shapes = MODES.map(|mode| {
        let mut m = [0.0; 3];
        for axis in 0..3 {
            m[axis] = x[0][axis] * mode[0];
            for a in 1..8 {
                m[axis] += x[a][axis] * mode[a];
            }
        }
        let mut shape = [0.0; 8];
        for a in 0..8 {
            shape[a] = mode[a] - inverse * (dv[a][0] * m[0] + dv[a][1] * m[1] + dv[a][2] * m[2]);
        }
        shape
    });
    let mut forces = [[0.0; 3]; 8];
    for axis in 0..3 {
        let g = shapes.map(|shape| (1..8).fold(shape[0] * u[0][axis], |g, a| g + shape[a] * u[a][axis]));
        for a in 0..8 {
            let [h1, h2, h3, h4] = shapes.map(|shape| shape[a]);
            forces[a][axis] = coefficient * (h1 * g[0] + h2 * g[1] + h3 * g[2] + h4 * g[3]);
        }
    }
    forces
}

/// The volume over the largest face's area.
pub fn characteristic_length(x: &Corners, volume: f64) -> f64 {
    let largest = SIDES.iter().fold(0.0, |largest: f64, &[a, b, c, d]| {
        let (ac, bd) = (difference(x[c], x[a]), difference(x[d], x[b]));
        let (f, g) = (difference(ac, bd), sum(ac, bd));
        let area = dot(f, f) * dot(g, g) - dot(f, g) * dot(f, g);
        if area > largest { area } else { largest }
    });
    4.0 * volume / largest.sqrt()
}

/// The three derivatives of the velocity that make the divergence, at the middle.
pub fn velocity_gradient(x: &Corners, u: &Corners) -> Vector {
    let (determinant, b) = jacobian(x);
    let inverse = 1.0 / determinant;
    std::array::from_fn(|m| {
        let (d, b) = (|a: usize, c: usize| u[a][m] - u[c][m], b[m]);
        inverse * (b[0] * d(0, 6) + b[1] * d(1, 7) + b[2] * d(2, 4) + b[3] * d(3, 5))
    })
}

/// The mean differences of a quantity on the corners along xi, eta and zeta.
pub fn along(w: &[f64; 8]) -> Vector {
    [
        0.25 * ((w[1] + w[2] + w[6] + w[5]) - (w[0] + w[3] + w[7] + w[4])),
        -0.25 * ((w[0] + w[1] + w[5] + w[4]) - (w[3] + w[2] + w[6] + w[7])),
        0.25 * ((w[4] + w[5] + w[6] + w[7]) - (w[0] + w[1] + w[2] + w[3])),
    ]
}

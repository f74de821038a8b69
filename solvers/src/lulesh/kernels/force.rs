//! Forces on the nodes: stress and hourglass damping.

use cfd_engine::prelude::*;

use super::geometry::{TWELFTH, derivatives, determinant, quarter_area};

/// Coefficient of the hourglass damping.
const HOURGLASS: f64 = 3.0;

/// The four hourglass modes at the corners, in sequence.
const MODES: [f64; 32] = [
    1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0, //
    1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, //
    1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, //
    -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0,
];

/// Loop 1: no force.
#[kernel]
pub fn clear_force(force: Write<3>) {
    for m in 0..3 {
        force[m] = 0.0;
    }
}

/// Loop 2: sigma = -p - q.
#[kernel]
pub fn stress(p: Read<1>, q: Read<1>, sigma: Write<1>) {
    sigma[0] = -p[0] - q[0];
}

/// Loop 3: the stress on the faces, a quarter at each of their corners; the determinant of the Jacobian.
#[kernel]
pub fn integrate_stress(x: [Read<3>; 8], sigma: Read<1>, determ: Write<1>, force: [Inc<3>; 8]) {
    let f0: [f64; 3] = quarter_area(x[0], x[1], x[2], x[3]);
    let f1: [f64; 3] = quarter_area(x[0], x[4], x[5], x[1]);
    let f2: [f64; 3] = quarter_area(x[1], x[5], x[6], x[2]);
    let f3: [f64; 3] = quarter_area(x[2], x[6], x[7], x[3]);
    let f4: [f64; 3] = quarter_area(x[3], x[7], x[4], x[0]);
    let f5: [f64; 3] = quarter_area(x[4], x[7], x[6], x[5]);
    for m in 0..3 {
        force[0][m] -= sigma[0] * (0.0 + f0[m] + f1[m] + f4[m]);
        force[1][m] -= sigma[0] * (0.0 + f0[m] + f1[m] + f2[m]);
        force[2][m] -= sigma[0] * (0.0 + f0[m] + f2[m] + f3[m]);
        force[3][m] -= sigma[0] * (0.0 + f0[m] + f3[m] + f4[m]);
        force[4][m] -= sigma[0] * (0.0 + f1[m] + f4[m] + f5[m]);
        force[5][m] -= sigma[0] * (0.0 + f1[m] + f2[m] + f5[m]);
        force[6][m] -= sigma[0] * (0.0 + f2[m] + f3[m] + f5[m]);
        force[7][m] -= sigma[0] * (0.0 + f3[m] + f4[m] + f5[m]);
    }
    let mut w = [0.0; 24];
    for a in 0..8 {
        for m in 0..3 {
            w[8 * m + a] = x[a][m];
        }
    }
    let dx: [f64; 3] = derivatives([w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]]);
    let dy: [f64; 3] = derivatives([w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]]);
    let dz: [f64; 3] = derivatives([w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23]]);
    determ[0] = determinant(dx, dy, dz);
}

/// Loop 4: the lowest determinant, which must be positive.
#[kernel]
pub fn check_determinant(determ: Read<1>, lowest: Min<1>) {
    lowest[0] = determ[0];
}

/// (y1 + y2)(z0 + z1) - (y0 + y1)(z1 + z2) + (y0 + y4)(z3 + z4) - (y3 + y4)(z0 + z4) - (y2 + y5)(z3 + z5)
/// + (y3 + y5)(z2 + z5), over 12.
#[device]
pub fn by_x(y: [f64; 6], z: [f64; 6]) -> f64 {
    ((y[1] + y[2]) * (z[0] + z[1]) - (y[0] + y[1]) * (z[1] + z[2]) + (y[0] + y[4]) * (z[3] + z[4])
        - (y[3] + y[4]) * (z[0] + z[4])
        - (y[2] + y[5]) * (z[3] + z[5])
        + (y[3] + y[5]) * (z[2] + z[5]))
        * TWELFTH
}

/// The same with all signs reversed.
#[device]
pub fn reversed(y: [f64; 6], z: [f64; 6]) -> f64 {
    (-((y[1] + y[2]) * (z[0] + z[1])) + (y[0] + y[1]) * (z[1] + z[2]) - (y[0] + y[4]) * (z[3] + z[4])
        + (y[3] + y[4]) * (z[0] + z[4])
        + (y[2] + y[5]) * (z[3] + z[5])
        - (y[3] + y[5]) * (z[2] + z[5]))
        * TWELFTH
}

/// The derivatives of an element's volume with respect to a corner's position, from the positions of six corners around
/// it.
#[device]
pub fn by_corner(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3], e: [f64; 3], f: [f64; 3]) -> [f64; 3] {
    let x = [a[0], b[0], c[0], d[0], e[0], f[0]];
    let y = [a[1], b[1], c[1], d[1], e[1], f[1]];
    let z = [a[2], b[2], c[2], d[2], e[2], f[2]];
    [by_x(y, z), reversed(x, z), reversed(y, x)]
}

/// Loop 5: the volume, its lowest relative value, which must be positive, and the volume's derivatives with respect to
/// the corners' positions.
#[kernel]
pub fn volume_derivatives(
    x: [Read<3>; 8],
    volo: Read<1>,
    v: Read<1>,
    volume: Write<1>,
    dv: Write<24>,
    lowest: Min<1>,
) {
    volume[0] = volo[0] * v[0];
    lowest[0] = v[0];
    let d0: [f64; 3] = by_corner(x[1], x[2], x[3], x[4], x[5], x[7]);
    let d1: [f64; 3] = by_corner(x[2], x[3], x[0], x[5], x[6], x[4]);
    let d2: [f64; 3] = by_corner(x[3], x[0], x[1], x[6], x[7], x[5]);
    let d3: [f64; 3] = by_corner(x[0], x[1], x[2], x[7], x[4], x[6]);
    let d4: [f64; 3] = by_corner(x[7], x[6], x[5], x[0], x[3], x[1]);
    let d5: [f64; 3] = by_corner(x[4], x[7], x[6], x[1], x[0], x[2]);
    let d6: [f64; 3] = by_corner(x[5], x[4], x[7], x[2], x[1], x[3]);
    let d7: [f64; 3] = by_corner(x[6], x[5], x[4], x[3], x[2], x[0]);
    for m in 0..3 {
        dv[m] = d0[m];
        dv[3 + m] = d1[m];
        dv[6 + m] = d2[m];
        dv[9 + m] = d3[m];
        dv[12 + m] = d4[m];
        dv[15 + m] = d5[m];
        dv[18 + m] = d6[m];
        dv[21 + m] = d7[m];
    }
}

/// Loop 6: forces against the hourglass modes of the velocities u: Flanagan and Belytschko, "A uniform strain hexahedron and
/// quadrilateral with orthogonal hourglass control", International Journal for Numerical Methods in Engineering 17 (1981),
/// DOI 10.1002/nme.1620170504.
#[kernel]
pub fn hourglass(
    x: [Read<3>; 8],
    u: [Read<3>; 8],
    dv: Read<24>,
    volume: Read<1>,
    ss: Read<1>,
    mass: Read<1>,
    force: [Inc<3>; 8],
) {
    let inverse = 1.0 / volume[0];
    let mut h = [0.0; 32];
    for k in 0..4 {
        let mut m = [0.0; 3];
        for axis in 0..3 {
            m[axis] = x[0][axis] * MODES[8 * k];
            for a in 1..8 {
                m[axis] += x[a][axis] * MODES[8 * k + a];
            }
        }
        for a in 0..8 {
            h[8 * k + a] =
                MODES[8 * k + a] - inverse * (dv[3 * a] * m[0] + dv[3 * a + 1] * m[1] + dv[3 * a + 2] * m[2]);
        }
    }
    let coefficient = -HOURGLASS * 0.01 * ss[0] * mass[0] / volume[0].cbrt();
    for axis in 0..3 {
        let mut g = [0.0; 4];
        for k in 0..4 {
            g[k] = h[8 * k] * u[0][axis];
            for a in 1..8 {
                g[k] += h[8 * k + a] * u[a][axis];
            }
        }
        for a in 0..8 {
            force[a][axis] +=
                coefficient * (h[a] * g[0] + h[8 + a] * g[1] + h[16 + a] * g[2] + h[24 + a] * g[3]);
        }
    }
}

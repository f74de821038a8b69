//! Volumes, lengths and velocity gradients at the nodes' new positions.

use cfd_engine::prelude::*;

use super::geometry::{cofactors, derivative, derivatives, determinant, square_of_area, volume};
use super::motion::Interval;

/// Loop 11: the relative volume and its change, the characteristic length 4 V / sqrt(16 A^2), A being the largest face's
/// area, and the derivatives of the velocities that make its divergence, half a step back.
#[kernel]
pub fn kinematics(
    x: [Read<3>; 8],
    u: [Read<3>; 8],
    volo: Read<1>,
    v: Read<1>,
    vnew: Write<1>,
    delv: Write<1>,
    length: Write<1>,
    d: Write<3>,
    c: &Interval,
) {
    let own: f64 = volume(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    let relative = own / volo[0];
    vnew[0] = relative;
    delv[0] = relative - v[0];
    let f0: f64 = square_of_area(x[0], x[1], x[2], x[3]);
    let f1: f64 = square_of_area(x[4], x[5], x[6], x[7]);
    let f2: f64 = square_of_area(x[0], x[1], x[5], x[4]);
    let f3: f64 = square_of_area(x[1], x[2], x[6], x[5]);
    let f4: f64 = square_of_area(x[2], x[3], x[7], x[6]);
    let f5: f64 = square_of_area(x[3], x[0], x[4], x[7]);
    let largest = (0.0).max(f0).max(f1).max(f2).max(f3).max(f4).max(f5);
    length[0] = 4.0 * own / largest.sqrt();

    let half = 0.5 * c.dt;
    let mut w = [0.0; 24];
    for a in 0..8 {
        for m in 0..3 {
            w[8 * m + a] = x[a][m] - half * u[a][m];
        }
    }
    let dx: [f64; 3] = derivatives([w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]]);
    let dy: [f64; 3] = derivatives([w[8], w[9], w[10], w[11], w[12], w[13], w[14], w[15]]);
    let dz: [f64; 3] = derivatives([w[16], w[17], w[18], w[19], w[20], w[21], w[22], w[23]]);
    let inverse = 1.0 / determinant(dx, dy, dz);
    let ux = [u[0][0], u[1][0], u[2][0], u[3][0], u[4][0], u[5][0], u[6][0], u[7][0]];
    let uy = [u[0][1], u[1][1], u[2][1], u[3][1], u[4][1], u[5][1], u[6][1], u[7][1]];
    let uz = [u[0][2], u[1][2], u[2][2], u[3][2], u[4][2], u[5][2], u[6][2], u[7][2]];
    d[0] = derivative(cofactors(dy, dz), inverse, ux);
    d[1] = derivative(cofactors(dz, dx), inverse, uy);
    d[2] = derivative(cofactors(dx, dy), inverse, uz);
}

/// Loop 12: the divergence of the velocity; the lowest relative volume, which must be positive.
#[kernel]
pub fn strain(d: Read<3>, vnew: Read<1>, vdov: Write<1>, lowest: Min<1>) {
    vdov[0] = d[0] + d[1] + d[2];
    lowest[0] = vnew[0];
}

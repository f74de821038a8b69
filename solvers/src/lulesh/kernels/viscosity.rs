//! Artificial viscosity with a monotonic limiter: Christensen, "Godunov methods on a staggered mesh: an improved artificial
//! viscosity", Lawrence Livermore National Laboratory, UCRL-JC-105269 (1990).

use cfd_engine::prelude::*;
use cfd_mesh::{FACE_FREE, FACE_SYMMETRY};

use super::geometry::cofactors;

/// Coefficients of the linear and the quadratic part.
const LINEAR: f64 = 0.5;
const QUADRATIC: f64 = 2.0 / 3.0;
/// Limits of the limiter.
const MAX_SLOPE: f64 = 1.0;
const LIMITER_MULT: f64 = 2.0;
/// Keeps denominators from zero.
const TINY: f64 = 1e-36;

/// The mean differences along xi, eta and zeta of a quantity with these values at the corners.
#[device]
pub fn along(w: [f64; 8]) -> [f64; 3] {
    [
        0.25 * ((w[1] + w[2] + w[6] + w[5]) - (w[0] + w[3] + w[7] + w[4])),
        -0.25 * ((w[0] + w[1] + w[5] + w[4]) - (w[3] + w[2] + w[6] + w[7])),
        0.25 * ((w[4] + w[5] + w[6] + w[7]) - (w[0] + w[1] + w[2] + w[3])),
    ]
}

/// The length along a direction, from the area vector between the two others and the volume.
#[device]
pub fn length(a: [f64; 3], volume: f64) -> f64 {
    volume / (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + TINY).sqrt()
}

/// The difference of velocity along a direction, from the area vector between the two others, 1 / volume and the
/// differences of the three components.
#[device]
pub fn velocity_difference(a: [f64; 3], n: f64, u: f64, v: f64, w: f64) -> f64 {
    n * a[0] * u + n * a[1] * v + n * a[2] * w
}

/// Loop 13: lengths and differences of velocity along xi, eta and zeta.
#[kernel]
pub fn viscosity_gradients(
    x: [Read<3>; 8],
    u: [Read<3>; 8],
    volo: Read<1>,
    vnew: Read<1>,
    delx: Write<3>,
    delv_xi: Write<1>,
    delv_eta: Write<1>,
    delv_zeta: Write<1>,
) {
    let dx: [f64; 3] = along([x[0][0], x[1][0], x[2][0], x[3][0], x[4][0], x[5][0], x[6][0], x[7][0]]);
    let dy: [f64; 3] = along([x[0][1], x[1][1], x[2][1], x[3][1], x[4][1], x[5][1], x[6][1], x[7][1]]);
    let dz: [f64; 3] = along([x[0][2], x[1][2], x[2][2], x[3][2], x[4][2], x[5][2], x[6][2], x[7][2]]);
    let ux: [f64; 3] = along([u[0][0], u[1][0], u[2][0], u[3][0], u[4][0], u[5][0], u[6][0], u[7][0]]);
    let uy: [f64; 3] = along([u[0][1], u[1][1], u[2][1], u[3][1], u[4][1], u[5][1], u[6][1], u[7][1]]);
    let uz: [f64; 3] = along([u[0][2], u[1][2], u[2][2], u[3][2], u[4][2], u[5][2], u[6][2], u[7][2]]);
    let volume = volo[0] * vnew[0];
    let n = 1.0 / (volume + TINY);
    let i = [dx[0], dy[0], dz[0]];
    let j = [dx[1], dy[1], dz[1]];
    let k = [dx[2], dy[2], dz[2]];
    let of_xi: [f64; 3] = cofactors(j, k);
    let of_eta: [f64; 3] = cofactors(k, i);
    let of_zeta: [f64; 3] = cofactors(i, j);
    delx[0] = length(of_xi, volume);
    delx[1] = length(of_eta, volume);
    delx[2] = length(of_zeta, volume);
    delv_xi[0] = velocity_difference(of_xi, n, ux[0], uy[0], uz[0]);
    delv_eta[0] = velocity_difference(of_eta, n, ux[1], uy[1], uz[1]);
    delv_zeta[0] = velocity_difference(of_zeta, n, ux[2], uy[2], uz[2]);
}

/// The velocity difference assumed beyond a face: the element's own at a plane of symmetry, none beyond a free face.
#[device]
pub fn beyond(kind: i32, other: f64, own: f64) -> f64 {
    let inside = if kind == FACE_SYMMETRY { own } else { other };
    if kind == FACE_FREE { 0.0 } else { inside }
}

/// The limiter of a direction, from the element's velocity difference and those beyond its two faces.
#[device]
pub fn limiter(own: f64, below: f64, above: f64) -> f64 {
    let n = 1.0 / (own + TINY);
    let minus = below * n;
    let plus = above * n;
    let mut phi = 0.5 * (minus + plus);
    let steep_minus = minus * LIMITER_MULT;
    let steep_plus = plus * LIMITER_MULT;
    phi = if steep_minus < phi { steep_minus } else { phi };
    phi = if steep_plus < phi { steep_plus } else { phi };
    phi = if phi < 0.0 { 0.0 } else { phi };
    if phi > MAX_SLOPE { MAX_SLOPE } else { phi }
}

/// The velocity difference times the length under compression, else 0.
#[device]
pub fn compressed(difference: f64, length: f64) -> f64 {
    let change = difference * length;
    if change > 0.0 { 0.0 } else { change }
}

/// Loop 14: the quadratic and the linear part of the viscosity, 0 where the element expands.
#[kernel]
pub fn monotonic_viscosity(
    delv_xi: Read<1>,
    delv_eta: Read<1>,
    delv_zeta: Read<1>,
    below_xi: Read<1>,
    above_xi: Read<1>,
    below_eta: Read<1>,
    above_eta: Read<1>,
    below_zeta: Read<1>,
    above_zeta: Read<1>,
    sides: Read<6, i32>,
    delx: Read<3>,
    vdov: Read<1>,
    mass: Read<1>,
    volo: Read<1>,
    vnew: Read<1>,
    qq: Write<1>,
    ql: Write<1>,
) {
    let (xi, eta, zeta) = (delv_xi[0], delv_eta[0], delv_zeta[0]);
    let px = limiter(xi, beyond(sides[0], below_xi[0], xi), beyond(sides[1], above_xi[0], xi));
    let pe = limiter(eta, beyond(sides[2], below_eta[0], eta), beyond(sides[3], above_eta[0], eta));
    let pz = limiter(zeta, beyond(sides[4], below_zeta[0], zeta), beyond(sides[5], above_zeta[0], zeta));
    let sx = compressed(xi, delx[0]);
    let se = compressed(eta, delx[1]);
    let sz = compressed(zeta, delx[2]);
    let rho = mass[0] / (volo[0] * vnew[0]);
    let linear = -LINEAR * rho * (sx * (1.0 - px) + se * (1.0 - pe) + sz * (1.0 - pz));
    let quadratic =
        QUADRATIC * rho * (sx * sx * (1.0 - px * px) + se * se * (1.0 - pe * pe) + sz * sz * (1.0 - pz * pz));
    qq[0] = if vdov[0] > 0.0 { 0.0 } else { quadratic };
    ql[0] = if vdov[0] > 0.0 { 0.0 } else { linear };
}

/// Loop 15: the highest viscosity of the step before, which must stay below a bound.
#[kernel]
pub fn check_viscosity(q: Read<1>, highest: Max<1>) {
    highest[0] = q[0];
}

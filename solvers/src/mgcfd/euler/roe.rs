//! Roe's flux through a face, and the reconstruction on its two sides.
//!
//! Sources: Roe, "Approximate Riemann solvers, parameter vectors, and difference schemes", J. Comput. Phys. 43 (1981),
//! DOI 10.1016/0021-9991(81)90128-5; Harten, "High resolution schemes for hyperbolic conservation laws", J. Comput.
//! Phys. 49 (1983), DOI 10.1016/0021-9991(83)90136-5, for the entropy fix; van Albada, van Leer, Roberts, "A comparative
//! study of computational methods in cosmic gas dynamics", Astron. Astrophys. 108 (1982); Venkatakrishnan, "Convergence to
//! steady state solutions of the Euler equations on unstructured grids with limiters", J. Comput. Phys. 118 (1995),
//! DOI 10.1006/jcph.1995.1084.

use cfd_engine::prelude::*;

use crate::mgcfd::config::Flow;

/// Reconstructed density and pressure stay above this share of the node's; below it, the node's own state is used.
const FLOOR: f64 = 0.2;
/// Replaces the area of a face that has none.
const NO_AREA: f64 = 1e-300;

/// W = (rho, u, v, w, p) of q.
#[device]
pub fn primitive(q: [f64; 5], gm1: f64) -> [f64; 5] {
    let ri = 1.0 / q[0];
    let u = q[1] * ri;
    let v = q[2] * ri;
    let w = q[3] * ri;
    [q[0], u, v, w, gm1 * (q[4] - 0.5 * q[0] * (u * u + v * v + w * w))]
}

/// The flux through a face of area vector `w` from the state l, in primitive variables, to the state r:
/// (F(l) + F(r)) / 2 . w - |A| (r - l) / 2. Exactly F . w when the states are equal.
#[device]
pub fn roe_flux(l: [f64; 5], r: [f64; 5], w: [f64; 3], c: &Flow) -> [f64; 5] {
    let area = (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    let ai = 1.0 / area.max(NO_AREA);
    let n = [w[0] * ai, w[1] * ai, w[2] * ai];
    // Velocities along the normal, kinetic energies, total enthalpies.
    let ql = l[1] * n[0] + l[2] * n[1] + l[3] * n[2];
    let qr = r[1] * n[0] + r[2] * n[1] + r[3] * n[2];
    let kl = 0.5 * (l[1] * l[1] + l[2] * l[2] + l[3] * l[3]);
    let kr = 0.5 * (r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    let ratio = c.gamma / c.gm1;
    let hl = ratio * l[4] / l[0] + kl;
    let hr = ratio * r[4] / r[0] + kr;
    // Roe's averages.
    let root = (r[0] / l[0]).sqrt();
    let share = 1.0 / (1.0 + root);
    let rho = root * l[0];
    let u = (l[1] + root * r[1]) * share;
    let v = (l[2] + root * r[2]) * share;
    let z = (l[3] + root * r[3]) * share;
    let h = (hl + root * hr) * share;
    let q = u * n[0] + v * n[1] + z * n[2];
    let k = 0.5 * (u * u + v * v + z * z);
    // The floor applies only between states that are about to be refused.
    let c2 = (c.gm1 * (h - k)).max(1e-12 * h);
    let a = c2.sqrt();
    // Speeds of the waves, none slower than the fix allows.
    let fix = c.entropy_fix * a;
    let slow = wave(q - a, fix);
    let middle = wave(q, fix);
    let fast = wave(q + a, fix);
    // Strengths of the waves.
    let d_rho = r[0] - l[0];
    let d_u = r[1] - l[1];
    let d_v = r[2] - l[2];
    let d_z = r[3] - l[3];
    let d_p = r[4] - l[4];
    let d_q = qr - ql;
    let acoustic = rho * a * d_q;
    let s1 = slow * ((d_p - acoustic) / (2.0 * c2));
    let s5 = fast * ((d_p + acoustic) / (2.0 * c2));
    let s2 = middle * (d_rho - d_p / c2);
    let s3 = middle * rho;
    let half = 0.5 * area;
    let sum = s1 + s2 + s5;
    let along = a * (s5 - s1) - s3 * d_q;
    let ml = l[0] * ql;
    let mr = r[0] * qr;
    let p = l[4] + r[4];
    [
        half * ((ml + mr) - sum),
        half * ((ml * l[1] + mr * r[1] + p * n[0]) - (u * sum + n[0] * along + s3 * d_u)),
        half * ((ml * l[2] + mr * r[2] + p * n[1]) - (v * sum + n[1] * along + s3 * d_v)),
        half * ((ml * l[3] + mr * r[3] + p * n[2]) - (z * sum + n[2] * along + s3 * d_z)),
        half * ((ml * hl + mr * hr)
            - (h * (s1 + s5) + k * s2 + q * along + s3 * (u * d_u + v * d_v + z * d_z))),
    ]
}

/// The speed of a wave, |speed|, or (speed^2 + fix^2) / (2 fix) if that is below `fix`.
#[device]
pub fn wave(speed: f64, fix: f64) -> f64 {
    let size = speed.abs();
    // If the fix is 0, the other branch is taken.
    if size < fix { (speed * speed + fix * fix) / (2.0 * fix) } else { size }
}

/// Half the difference along an edge, according to the gradient: `slope` is gradient . d.
#[device]
pub fn unlimited(slope: f64, _difference: f64, _threshold: f64) -> f64 {
    0.5 * slope
}

/// Half a mean of the differences on both sides of a node, `difference` along the edge and 2 slope - difference on the other
/// side, that is small where they disagree: s (a + b) / 4, s = max(0, (2 a b + e) / (a^2 + b^2 + e)).
#[device]
pub fn van_albada(slope: f64, difference: f64, threshold: f64) -> f64 {
    let behind = 2.0 * slope - difference;
    let agreement =
        (2.0 * behind * difference + threshold) / (behind * behind + difference * difference + threshold);
    // If nothing changes and the threshold is 0, this is 0/0, and the maximum is 0.
    0.5 * slope * agreement.max(0.0)
}

/// Half the slope, as far as the difference along the edge allows: with a = difference (0 if it has the opposite sign)
/// and b = slope / 2: b min(1, (a^2 + 2 a b + e) / (a^2 + a b + 2 b^2 + e)).
#[device]
pub fn venkatakrishnan(slope: f64, difference: f64, threshold: f64) -> f64 {
    let b = 0.5 * slope;
    let a = if difference * b > 0.0 { difference } else { 0.0 };
    let share = (a * a + 2.0 * a * b + threshold) / (a * a + a * b + 2.0 * b * b + threshold);
    b * share.max(0.0).min(1.0)
}

/// The reconstructed state, or the node's own if the reconstructed density or pressure is much lower.
#[device]
pub fn sound_or(own: [f64; 5], reconstructed: [f64; 5]) -> [f64; 5] {
    let mut state = own;
    if reconstructed[0] > FLOOR * own[0] && reconstructed[4] > FLOOR * own[4] {
        state = reconstructed;
    }
    state
}

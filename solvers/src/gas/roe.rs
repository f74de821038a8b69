//! Roe's flux through a face.
//!
//! Sources: Roe, "Approximate Riemann solvers, parameter vectors, and difference schemes", J. Comput. Phys. 43 (1981),
//! DOI 10.1016/0021-9991(81)90128-5; Harten, "High resolution schemes for hyperbolic conservation laws", J. Comput.
//! Phys. 49 (1983), DOI 10.1016/0021-9991(83)90136-5, for the entropy fix; Rieper, "A low-Mach number fix for Roe's
//! approximate Riemann solver", J. Comput. Phys. 230 (2011), DOI 10.1016/j.jcp.2011.03.025.

use cfd_engine::prelude::*;

/// Replaces the area of a face that has none.
const NO_AREA: f64 = 1e-300;
/// The square of the least Mach number that matters: at 0 its root has no derivative.
const LEAST_MACH2: f64 = 1e-24;

/// The speed of a wave, |speed|, or (speed^2 + fix^2) / (2 fix) if that is below `fix`.
#[device(tangent)]
pub fn wave(speed: f64, fix: f64) -> f64 {
    let size = speed.abs();
    // If the fix is 0, the other branch is taken.
    if size < fix { (speed * speed + fix * fix) / (2.0 * fix) } else { size }
}

/// The share of a jump of the normal velocity that acoustic waves damp: all of it.
#[device(tangent)]
pub fn whole_jump(_speed2: f64, _sound2: f64) -> f64 {
    1.0
}

/// The share of a jump of the normal velocity that acoustic waves damp: the Mach number, at most 1 (Rieper).
#[device(tangent)]
pub fn jump_by_mach(speed2: f64, sound2: f64) -> f64 {
    (speed2 / sound2).max(LEAST_MACH2).sqrt().min(1.0)
}

/// The flux through a face of area vector `area` from the state l, in primitive variables, to the state r:
/// (F(l) + F(r)) / 2 . A - |A| (r - l) / 2. Exactly F . A when the states are equal.
///
/// `fix`: below this share of the speed of sound waves are damped as if they were faster, acoustic ones and those that
/// move with the flow.
#[device(
    tangent(l, r),
    roe_2d<2, 4, whole_jump>,
    roe_3d<3, 5, whole_jump>,
    roe_low_mach_2d<2, 4, jump_by_mach>,
    roe_low_mach_3d<3, 5, jump_by_mach>
)]
pub fn roe<const D: usize, const N: usize, share_of_jump: Device>(
    l: [f64; N],
    r: [f64; N],
    area: [f64; D],
    gamma: f64,
    gm1: f64,
    fix: [f64; 2],
) -> [f64; N] {
    let mut a2 = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
    }
    let size = a2.sqrt();
    let ai = 1.0 / size.max(NO_AREA);
    let mut n = [0.0; D];
    for i in 0..D {
        n[i] = area[i] * ai;
    }
    // Velocities along the normal, kinetic energies, total enthalpies.
    let mut ql = 0.0;
    let mut qr = 0.0;
    let mut l2 = 0.0;
    let mut r2 = 0.0;
    for i in 0..D {
        ql += l[1 + i] * n[i];
        qr += r[1 + i] * n[i];
        l2 += l[1 + i] * l[1 + i];
        r2 += r[1 + i] * r[1 + i];
    }
    let ratio = gamma / gm1;
    let hl = ratio * l[D + 1] / l[0] + 0.5 * l2;
    let hr = ratio * r[D + 1] / r[0] + 0.5 * r2;
    // Roe's averages.
    let root = (r[0] / l[0]).sqrt();
    let share = 1.0 / (1.0 + root);
    let rho = root * l[0];
    let mut u = [0.0; D];
    let mut q = 0.0;
    let mut u2 = 0.0;
    for i in 0..D {
        u[i] = (l[1 + i] + root * r[1 + i]) * share;
        q += u[i] * n[i];
        u2 += u[i] * u[i];
    }
    let h = (hl + root * hr) * share;
    let k = 0.5 * u2;
    // The floor applies only between states that are about to be refused.
    let c2 = (gm1 * (h - k)).max(1e-12 * h);
    let a = c2.sqrt();
    // Speeds of the waves, none slower than the fix allows.
    let acoustic_fix = fix[0] * a;
    let slow = wave(q - a, acoustic_fix);
    let middle = wave(q, fix[1] * a);
    let fast = wave(q + a, acoustic_fix);
    // Strengths of the waves.
    let d_rho = r[0] - l[0];
    let d_p = r[D + 1] - l[D + 1];
    let d_q = qr - ql;
    let mut along_u = 0.0;
    for i in 0..D {
        along_u += u[i] * (r[1 + i] - l[1 + i]);
    }
    let acoustic = rho * a * d_q * share_of_jump(u2, c2);
    let s1 = slow * ((d_p - acoustic) / (2.0 * c2));
    let s5 = fast * ((d_p + acoustic) / (2.0 * c2));
    let s2 = middle * (d_rho - d_p / c2);
    let s3 = middle * rho;
    let half = 0.5 * size;
    let sum = s1 + s2 + s5;
    let along = a * (s5 - s1) - s3 * d_q;
    let ml = l[0] * ql;
    let mr = r[0] * qr;
    let p = l[D + 1] + r[D + 1];
    let mut f = [0.0; N];
    f[0] = half * ((ml + mr) - sum);
    for i in 0..D {
        let d_u = r[1 + i] - l[1 + i];
        f[1 + i] =
            half * ((ml * l[1 + i] + mr * r[1 + i] + p * n[i]) - (u[i] * sum + n[i] * along + s3 * d_u));
    }
    f[D + 1] = half * ((ml * hl + mr * hr) - (h * (s1 + s5) + k * s2 + q * along + s3 * along_u));
    f
}

//! The flux of Harten, Lax and van Leer with a contact wave.
//!
//! Sources: Toro, Spruce, Speares, "Restoration of the contact surface in the HLL-Riemann solver", Shock Waves 4 (1994),
//! DOI 10.1007/BF01414629; Batten, Clarke, Lambert, Causon, "On the choice of wavespeeds for the HLLC Riemann solver",
//! SIAM J. Sci. Comput. 18 (1997), DOI 10.1137/S1064827593260140, for the speeds.

use cfd_engine::prelude::*;

/// Replaces the area of a face that has none.
const NO_AREA: f64 = 1e-300;

/// The flux through a face of area vector `area` from the state l, in primitive variables, to the state r. `fix` has no
/// meaning here: no wave is without dissipation where it would need it.
#[device(tangent(l, r), hllc_2d<2, 4>, hllc_3d<3, 5>)]
pub fn hllc<const D: usize, const N: usize>(
    l: [f64; N],
    r: [f64; N],
    area: [f64; D],
    gamma: f64,
    gm1: f64,
    _fix: [f64; 2],
) -> [f64; N] {
    let mut a2 = 0.0;
    for i in 0..D {
        a2 += area[i] * area[i];
    }
    let size = a2.sqrt();
    let ai = 1.0 / size.max(NO_AREA);
    let mut n = [0.0; D];
    let mut ql = 0.0;
    let mut qr = 0.0;
    let mut l2 = 0.0;
    let mut r2 = 0.0;
    for i in 0..D {
        n[i] = area[i] * ai;
        ql += l[1 + i] * n[i];
        qr += r[1 + i] * n[i];
        l2 += l[1 + i] * l[1 + i];
        r2 += r[1 + i] * r[1 + i];
    }
    let el = l[D + 1] / gm1 + 0.5 * l[0] * l2;
    let er = r[D + 1] / gm1 + 0.5 * r[0] * r2;
    // Roe's averages, for the speeds.
    let root = (r[0] / l[0]).sqrt();
    let share = 1.0 / (1.0 + root);
    let q = (ql + root * qr) * share;
    let h = ((el + l[D + 1]) / l[0] + root * ((er + r[D + 1]) / r[0])) * share;
    let mut u2 = 0.0;
    for i in 0..D {
        let u = (l[1 + i] + root * r[1 + i]) * share;
        u2 += u * u;
    }
    let a = (gm1 * (h - 0.5 * u2)).max(1e-12 * h).sqrt();
    let slow = (ql - (gamma * l[D + 1] / l[0]).sqrt()).min(q - a);
    let fast = (qr + (gamma * r[D + 1] / r[0]).sqrt()).max(q + a);
    let ml = l[0] * (slow - ql);
    let mr = r[0] * (fast - qr);
    let contact = (r[D + 1] - l[D + 1] + ml * ql - mr * qr) / (ml - mr);
    // The side on which the face lies.
    let is_left = contact >= 0.0;
    let mut w = r;
    let mut through = qr;
    let mut energy = er;
    let mut edge = fast;
    let mut factor = mr;
    if is_left {
        w = l;
        through = ql;
        energy = el;
        edge = slow;
        factor = ml;
    }
    // Between the outer wave and the contact, as far as the face lies there.
    let is_outside = (is_left && slow >= 0.0) || (!is_left && fast <= 0.0);
    let p_star = w[D + 1] + factor * (contact - through);
    let rho_star = factor / (edge - contact);
    let energy_star = ((edge - through) * energy - w[D + 1] * through + p_star * contact) / (edge - contact);
    let rho = if is_outside { w[0] } else { rho_star };
    let speed = if is_outside { through } else { contact };
    let p = if is_outside { w[D + 1] } else { p_star };
    let total = if is_outside { energy } else { energy_star };
    let mass = size * (rho * speed);
    let mut f = [0.0; N];
    f[0] = mass;
    for i in 0..D {
        // The velocity along the face is that of the side.
        f[1 + i] = mass * (w[1 + i] + (speed - through) * n[i]) + p * area[i];
    }
    f[D + 1] = size * (speed * (total + p));
    f
}

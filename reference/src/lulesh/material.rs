//! The material in an element: artificial viscosity, an ideal gas, sound speed, limits of the time step.
//!
//! Every expression is evaluated from left to right.

const E_CUT: f64 = 1e-7;
const P_CUT: f64 = 1e-7;
const Q_CUT: f64 = 1e-7;
const E_MIN: f64 = -1e15;
const P_MIN: f64 = 0.0;
const V_MAX: f64 = 1e9;
const V_MIN: f64 = 1e-9;
const LINEAR: f64 = 0.5;
const QUADRATIC: f64 = 2.0 / 3.0;
const COURANT: f64 = 2.0;
const MAX_SLOPE: f64 = 1.0;
const LIMITER_MULT: f64 = 2.0;
const MAX_CHANGE: f64 = 0.1;
const TINY: f64 = 1e-36;

/// Energy, pressure, viscosity and sound speed of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Internal energy.
    pub e: f64,
    /// Pressure.
    pub p: f64,
    /// Artificial viscosity.
    pub q: f64,
    /// Sound speed.
    pub ss: f64,
}

/// The other side of an element's face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Another element.
    Inside,
    /// A plane of symmetry.
    Symmetry,
    /// Nothing.
    Free,
}

/// The limiter of a direction: from the velocity differences of the element and of its two neighbours there.
pub fn limiter(own: f64, below: (Side, f64), above: (Side, f64)) -> f64 {
    let n = 1.0 / (own + TINY);
    let beside = |(side, value): (Side, f64)| match side {
        Side::Inside => value,
        Side::Symmetry => own,
        Side::Free => 0.0,
    };
    let (mut minus, mut plus) = (beside(below) * n, beside(above) * n);
    let mut phi = 0.5 * (minus + plus);
    minus *= LIMITER_MULT;
    plus *= LIMITER_MULT;
    if minus < phi {
        phi = minus;
    }
    if plus < phi {
        phi = plus;
    }
    let positive = if phi < 0.0 { 0.0 } else { phi };
    if positive > MAX_SLOPE { MAX_SLOPE } else { positive }
}

/// The quadratic and the linear part of the viscosity: `changes` are the products of velocity differences and lengths.
pub fn viscosity(vdov: f64, rho: f64, changes: [f64; 3], phi: [f64; 3]) -> [f64; 2] {
    if vdov > 0.0 {
        return [0.0, 0.0];
    }
    let [sx, se, sz] = changes.map(|s| if s > 0.0 { 0.0 } else { s });
    let [px, pe, pz] = phi;
    let linear = -LINEAR * rho * (sx * (1.0 - px) + se * (1.0 - pe) + sz * (1.0 - pz));
    let quadratic =
        QUADRATIC * rho * (sx * sx * (1.0 - px * px) + se * se * (1.0 - pe * pe) + sz * sz * (1.0 - pz * pz));
    [quadratic, linear]
}

/// `2/3 (c + 1)` and the pressure of an ideal gas that is compressed by c.
fn pressure(compression: f64, e: f64, v: f64) -> (f64, f64) {
    let b = 2.0 / 3.0 * (compression + 1.0);
    let mut p = b * e;
    if p.abs() < P_CUT {
        p = 0.0;
    }
    if v >= V_MAX {
        p = 0.0;
    }
    if p < P_MIN {
        p = P_MIN;
    }
    (b, p)
}

fn sound_speed(e: f64, v: f64, b: f64, p: f64) -> f64 {
    let square = 2.0 / 3.0 * e + v * v * b * p;
    if square <= 0.1111111e-36 { 0.3333333e-18 } else { square.sqrt() }
}

fn cut(e: f64) -> f64 {
    let e = if e.abs() < E_CUT { 0.0 } else { e };
    if e < E_MIN { E_MIN } else { e }
}

/// The state after a change of the relative volume to `vnew` by `delv`.
pub fn equation_of_state(old: State, vnew: f64, delv: f64, [qq, ql]: [f64; 2]) -> State {
    let State { e, mut p, q, .. } = old;
    let low = if vnew < V_MIN { V_MIN } else { vnew };
    let v = if low > V_MAX { V_MAX } else { low };
    let mut compression = 1.0 / v - 1.0;
    let mut half = 1.0 / (v - delv * 0.5) - 1.0;
    if v <= V_MIN {
        half = compression;
    }
    if v >= V_MAX {
        (p, compression, half) = (0.0, 0.0, 0.0);
    }

    let mut e1 = e - 0.5 * delv * (p + q);
    if e1 < E_MIN {
        e1 = E_MIN;
    }
    let (b_half, p_half) = pressure(half, e1, v);
    let v_half = 1.0 / (1.0 + half);
    let expands = delv > 0.0;
    let q1 = if expands { 0.0 } else { sound_speed(e1, v_half, b_half, p_half) * ql + qq };
    let e2 = cut(e1 + 0.5 * delv * (3.0 * (p + q) - 4.0 * (p_half + q1)));
    let (b2, p2) = pressure(compression, e2, v);
    let q2 = if expands { 0.0 } else { sound_speed(e2, v, b2, p2) * ql + qq };
    let e3 = cut(e2 - (7.0 * (p + q) - 8.0 * (p_half + q1) + (p2 + q2)) * delv * (1.0 / 6.0));
    let (b3, p3) = pressure(compression, e3, v);
    let ss = sound_speed(e3, v, b3, p3);
    let mut q3 = q1;
    if delv <= 0.0 {
        q3 = ss * ql + qq;
        if q3.abs() < Q_CUT {
            q3 = 0.0;
        }
    }
    State { e: e3, p: p3, q: q3, ss }
}

/// The longest steps that waves and the change of volume allow; `None` if the volume stays the same.
pub fn longest_steps(ss: f64, length: f64, vdov: f64) -> Option<[f64; 2]> {
    if vdov == 0.0 {
        return None;
    }
    let mut square = ss * ss;
    if vdov < 0.0 {
        square += 64.0 * COURANT * COURANT * length * length * vdov * vdov;
    }
    Some([length / square.sqrt(), MAX_CHANGE / (vdov.abs() + 1e-20)])
}

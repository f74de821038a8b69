//! The equation of state of an ideal gas, p = 2/3 e / v, in three stages.

use cfd_engine::prelude::*;

const E_CUT: f64 = 1e-7;
const P_CUT: f64 = 1e-7;
const Q_CUT: f64 = 1e-7;
const V_CUT: f64 = 1e-10;
const E_MIN: f64 = -1e15;
const P_MIN: f64 = 0.0;
const V_MAX: f64 = 1e9;
const V_MIN: f64 = 1e-9;
/// gamma - 1.
const GRUNEISEN: f64 = 2.0 / 3.0;
const SIXTH: f64 = 1.0 / 6.0;

/// The relative volume, clamped to its bounds.
#[device]
pub fn within(v: f64) -> f64 {
    let above = if v < V_MIN { V_MIN } else { v };
    if above > V_MAX { V_MAX } else { above }
}

/// The compressions 1 / v - 1 after the step and half way, 0 where the volume is at its upper bound.
#[device]
pub fn compressions(vnew: f64, delv: f64) -> [f64; 2] {
    let v: f64 = within(vnew);
    let after = 1.0 / v - 1.0;
    let half = 1.0 / (v - delv * 0.5) - 1.0;
    let half = if v <= V_MIN { after } else { half };
    let expanded = v >= V_MAX;
    [if expanded { 0.0 } else { after }, if expanded { 0.0 } else { half }]
}

/// 2/3 (compression + 1).
#[device]
pub fn factor(compression: f64) -> f64 {
    GRUNEISEN * (compression + 1.0)
}

/// The pressure of an energy.
#[device]
pub fn pressure(factor: f64, e: f64, v: f64) -> f64 {
    let mut p = factor * e;
    p = if p.abs() < P_CUT { 0.0 } else { p };
    p = if v >= V_MAX { 0.0 } else { p };
    if p < P_MIN { P_MIN } else { p }
}

/// The sound speed, from its square 2/3 e + v v b p.
#[device]
pub fn sound(e: f64, v: f64, factor: f64, p: f64) -> f64 {
    let square = GRUNEISEN * e + v * v * factor * p;
    if square <= 0.1111111e-36 { 0.3333333e-18 } else { square.sqrt() }
}

/// An energy cut off to zero if tiny, and bounded below.
#[device]
pub fn cut(e: f64) -> f64 {
    let some = if e.abs() < E_CUT { 0.0 } else { e };
    if some < E_MIN { E_MIN } else { some }
}

/// Energy, pressure and viscosity after the step, from those before it, the new relative volume and its change, both
/// compressions, and the parts of the viscosity.
#[device]
pub fn new_state(
    e: f64,
    p_before: f64,
    q: f64,
    vnew: f64,
    delv: f64,
    compressions: [f64; 2],
    qq: f64,
    ql: f64,
) -> [f64; 3] {
    let v: f64 = within(vnew);
    let p = if v >= V_MAX { 0.0 } else { p_before };
    let expands = delv > 0.0;

    let guess = e - 0.5 * delv * (p + q);
    let e1 = if guess < E_MIN { E_MIN } else { guess };
    let b_half: f64 = factor(compressions[1]);
    let p_half: f64 = pressure(b_half, e1, v);
    let v_half = 1.0 / (1.0 + compressions[1]);
    let c1: f64 = sound(e1, v_half, b_half, p_half);
    let q1 = if expands { 0.0 } else { c1 * ql + qq };

    let e2: f64 = cut(e1 + 0.5 * delv * (3.0 * (p + q) - 4.0 * (p_half + q1)));
    let b: f64 = factor(compressions[0]);
    let p2: f64 = pressure(b, e2, v);
    let c2: f64 = sound(e2, v, b, p2);
    let q2 = if expands { 0.0 } else { c2 * ql + qq };

    let e3: f64 = cut(e2 - (7.0 * (p + q) - 8.0 * (p_half + q1) + (p2 + q2)) * delv * SIXTH);
    let p3: f64 = pressure(b, e3, v);
    let c3: f64 = sound(e3, v, b, p3);
    let viscosity = c3 * ql + qq;
    let q3 = if viscosity.abs() < Q_CUT { 0.0 } else { viscosity };
    [e3, p3, if delv <= 0.0 { q3 } else { q1 }]
}

/// Loop 16: the compressions.
#[kernel]
pub fn compress(vnew: Read<1>, delv: Read<1>, after: Write<1>, half: Write<1>) {
    let both: [f64; 2] = compressions(vnew[0], delv[0]);
    after[0] = both[0];
    half[0] = both[1];
}

/// Loop 17: energy, pressure and viscosity.
#[kernel]
pub fn energy(
    vnew: Read<1>,
    delv: Read<1>,
    after: Read<1>,
    half: Read<1>,
    qq: Read<1>,
    ql: Read<1>,
    e: Rw<1>,
    p: Rw<1>,
    q: Rw<1>,
) {
    let new: [f64; 3] = new_state(e[0], p[0], q[0], vnew[0], delv[0], [after[0], half[0]], qq[0], ql[0]);
    e[0] = new[0];
    p[0] = new[1];
    q[0] = new[2];
}

/// Loops 16 and 17 once more, for an element of a costlier region: the same numbers, before the state changes.
#[kernel]
pub fn evaluate_again(
    vnew: Read<1>,
    delv: Read<1>,
    qq: Read<1>,
    ql: Read<1>,
    e: Read<1>,
    p: Read<1>,
    q: Read<1>,
    again: Write<3>,
) {
    let both: [f64; 2] = compressions(vnew[0], delv[0]);
    let new: [f64; 3] = new_state(e[0], p[0], q[0], vnew[0], delv[0], both, qq[0], ql[0]);
    for m in 0..3 {
        again[m] = new[m];
    }
}

/// Loop 18: the sound speed.
#[kernel]
pub fn sound_speed(vnew: Read<1>, after: Read<1>, e: Read<1>, p: Read<1>, ss: Write<1>) {
    let b: f64 = factor(after[0]);
    ss[0] = sound(e[0], within(vnew[0]), b, p[0]);
}

/// Loop 19: v = vnew, 1 where that is near.
#[kernel]
pub fn update_volume(vnew: Read<1>, v: Write<1>) {
    v[0] = if (vnew[0] - 1.0).abs() < V_CUT { 1.0 } else { vnew[0] };
}

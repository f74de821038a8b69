//! The loops of Airfoil.
//!
//! Two-dimensional Euler equations, d/dt q + div F(q) = 0 with q = (rho, rho u, rho v, rho E) and
//! p = (gamma - 1) (rho E - rho |u|^2 / 2), by cell-centered finite volumess with scalar dissipation. The order of
//! evaluation is part of the definition: it makes the bits those of the published program. Source: Giles,
//! Ghate, Duta, "Using automatic differentiation for adjoint CFD code development", 2005; Mudalige et al.,
//! "OP2: an active library framework for solving unstructured mesh-based applications", InPar 2012,
//! DOI 10.1109/InPar.2012.6339594.

use cfd_engine::prelude::*;

use super::config::Flow;

/// Pressure from density's inverse, momentum and energy: (gamma - 1) (rho E - (rho u)^2 / (2 rho)).
#[device]
pub fn pressure(q: [f64; 4], ri: f64, c: &Flow) -> f64 {
    c.gm1 * (q[3] - (0.5 * ri) * (q[1] * q[1] + q[2] * q[2]))
}

/// Sets the free stream.
#[kernel]
pub fn free_stream(q: Write<4>, c: &Flow) {
    for m in 0..4 {
        q[m] = c.qinf[m];
    }
}

/// q_old = q.
#[kernel]
pub fn save_soln(q: Read<4>, q_old: Write<4>) {
    for m in 0..4 {
        q_old[m] = q[m];
    }
}

/// |u dy - v dx| + c sqrt(dx^2 + dy^2) of one side: the fastest wave through it.
#[device]
pub fn side_speed(dx: f64, dy: f64, u: f64, v: f64, sound: f64) -> f64 {
    (u * dy - v * dx).abs() + sound * (dx * dx + dy * dy).sqrt()
}

/// A cell's area over its time step: adt = sum over sides (|u dy - v dx| + c |d|) / CFL. Also the smaller of density
/// and squared sound speed, which reveals an unphysical state where it appears.
#[kernel]
pub fn adt_calc(
    x1: Read<2>,
    x2: Read<2>,
    x3: Read<2>,
    x4: Read<2>,
    q: Read<4>,
    adt: Write<1>,
    lowest: Min<1>,
    c: &Flow,
) {
    let ri = 1.0 / q[0];
    let u = ri * q[1];
    let v = ri * q[2];
    let sound2 = (c.gamma * c.gm1) * (ri * q[3] - 0.5 * (u * u + v * v));
    let sound = sound2.sqrt();
    let mut speed = side_speed(x2[0] - x1[0], x2[1] - x1[1], u, v, sound);
    speed += side_speed(x3[0] - x2[0], x3[1] - x2[1], u, v, sound);
    speed += side_speed(x4[0] - x3[0], x4[1] - x3[1], u, v, sound);
    speed += side_speed(x1[0] - x4[0], x1[1] - x4[1], u, v, sound);
    adt[0] = speed / c.cfl;
    lowest[0] = q[0].min(sound2);
}

/// Flux through an edge from cell 1 to cell 2, with d = x1 - x2 and mu = eps (adt1 + adt2) / 2:
/// f = (F(q1) + F(q2)) / 2 + mu (q1 - q2); res1 += f, res2 -= f.
#[kernel]
pub fn res_calc(
    x1: Read<2>,
    x2: Read<2>,
    q1: Read<4>,
    q2: Read<4>,
    adt1: Read<1>,
    adt2: Read<1>,
    res1: Inc<4>,
    res2: Inc<4>,
    c: &Flow,
) {
    let dx = x1[0] - x2[0];
    let dy = x1[1] - x2[1];
    let ri1 = 1.0 / q1[0];
    let p1 = pressure([q1[0], q1[1], q1[2], q1[3]], ri1, c);
    let vol1 = ri1 * (q1[1] * dy - q1[2] * dx);
    let ri2 = 1.0 / q2[0];
    let p2 = pressure([q2[0], q2[1], q2[2], q2[3]], ri2, c);
    let vol2 = ri2 * (q2[1] * dy - q2[2] * dx);
    let mu = (0.5 * (adt1[0] + adt2[0])) * c.eps;

    let f1 = 0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0]);
    res1[0] += f1;
    res2[0] -= f1;
    let f2 = 0.5 * (((vol1 * q1[1] + p1 * dy) + vol2 * q2[1]) + p2 * dy) + mu * (q1[1] - q2[1]);
    res1[1] += f2;
    res2[1] -= f2;
    let f3 = 0.5 * (((vol1 * q1[2] - p1 * dx) + vol2 * q2[2]) - p2 * dx) + mu * (q1[2] - q2[2]);
    res1[2] += f3;
    res2[2] -= f3;
    let f4 = 0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]);
    res1[3] += f4;
    res2[3] -= f4;
}

/// Flux through a boundary edge: the pressure on an inviscid wall (bound = 1), or the flux of `res_calc` between
/// the cell and the free stream with mu = eps adt (bound = 2).
#[kernel]
pub fn bres_calc(
    x1: Read<2>,
    x2: Read<2>,
    q1: Read<4>,
    adt1: Read<1>,
    res1: Inc<4>,
    bound: Read<1, i32>,
    c: &Flow,
) {
    let dx = x1[0] - x2[0];
    let dy = x1[1] - x2[1];
    let ri1 = 1.0 / q1[0];
    let p1 = pressure([q1[0], q1[1], q1[2], q1[3]], ri1, c);
    if bound[0] == 1 {
        res1[1] += p1 * dy;
        res1[2] -= p1 * dx;
    } else {
        let vol1 = ri1 * (q1[1] * dy - q1[2] * dx);
        let ri2 = 1.0 / c.qinf[0];
        let p2 = pressure([c.qinf[0], c.qinf[1], c.qinf[2], c.qinf[3]], ri2, c);
        let vol2 = ri2 * (c.qinf[1] * dy - c.qinf[2] * dx);
        let mu = adt1[0] * c.eps;
        res1[0] += 0.5 * (vol1 * q1[0] + vol2 * c.qinf[0]) + mu * (q1[0] - c.qinf[0]);
        res1[1] += 0.5 * (((vol1 * q1[1] + p1 * dy) + vol2 * c.qinf[1]) + p2 * dy) + mu * (q1[1] - c.qinf[1]);
        res1[2] += 0.5 * (((vol1 * q1[2] - p1 * dx) + vol2 * c.qinf[2]) - p2 * dx) + mu * (q1[2] - c.qinf[2]);
        res1[3] += 0.5 * (vol1 * (q1[3] + p1) + vol2 * (c.qinf[3] + p2)) + mu * (q1[3] - c.qinf[3]);
    }
}

/// del = res / adt; q = q_old - del; res = 0; the global sum of del^2.
#[kernel]
pub fn update(q_old: Read<4>, q: Write<4>, res: Rw<4>, adt: Read<1>, rms: Sum<1>) {
    let a = 1.0 / adt[0];
    for m in 0..4 {
        let del = a * res[m];
        q[m] = q_old[m] - del;
        res[m] = 0.0;
        rms[0] += del * del;
    }
}

/// The smaller of density and squared sound speed, as in `adt_calc`, without changing anything.
#[kernel]
pub fn check_state(q: Read<4>, lowest: Min<1>, c: &Flow) {
    let ri = 1.0 / q[0];
    let u = ri * q[1];
    let v = ri * q[2];
    let sound2 = (c.gamma * c.gm1) * (ri * q[3] - 0.5 * (u * u + v * v));
    lowest[0] = q[0].min(sound2);
}

/// The mean of a cell's corners.
#[kernel]
pub fn cell_middle(x1: Read<2>, x2: Read<2>, x3: Read<2>, x4: Read<2>, middle: Write<2>) {
    for m in 0..2 {
        middle[m] = 0.25 * (((x1[m] + x2[m]) + x3[m]) + x4[m]);
    }
}

/// The pressure force on the wall, (fx, fy): the momentum flux through the wall edges, over the free stream's
/// dynamic pressure. With a chord of 1 these are force coefficients.
#[kernel]
pub fn wall_force(x1: Read<2>, x2: Read<2>, q1: Read<4>, bound: Read<1, i32>, force: Sum<2>, c: &Flow) {
    let dx = x1[0] - x2[0];
    let dy = x1[1] - x2[1];
    let p = pressure([q1[0], q1[1], q1[2], q1[3]], 1.0 / q1[0], c);
    if bound[0] == 1 {
        force[0] += p * dy / c.dynamic_pressure;
        force[1] -= p * dx / c.dynamic_pressure;
    }
}

/// Along the boundary: the edge's midpoint (x, y), the pressure coefficient (p - p_inf) / (rho_inf |u_inf|^2 / 2) with
/// p_inf = 1, and whether the edge is a wall (1) or not (0).
#[kernel]
pub fn wall_pressure(x1: Read<2>, x2: Read<2>, q1: Read<4>, bound: Read<1, i32>, cp: Write<4>, c: &Flow) {
    cp[0] = 0.5 * (x1[0] + x2[0]);
    cp[1] = 0.5 * (x1[1] + x2[1]);
    let p = pressure([q1[0], q1[1], q1[2], q1[3]], 1.0 / q1[0], c);
    cp[2] = (p - 1.0) / c.dynamic_pressure;
    cp[3] = if bound[0] == 1 { 1.0 } else { 0.0 };
}

/// Velocity, pressure, Mach number |u| / sqrt(gamma p / rho) and pressure coefficient of a cell.
#[kernel]
pub fn cell_fields(q: Read<4>, velocity: Write<2>, p: Write<1>, mach: Write<1>, cp: Write<1>, c: &Flow) {
    let ri = 1.0 / q[0];
    let u = ri * q[1];
    let v = ri * q[2];
    let pressure = pressure([q[0], q[1], q[2], q[3]], ri, c);
    velocity[0] = u;
    velocity[1] = v;
    p[0] = pressure;
    mach[0] = ((u * u + v * v) / (c.gamma * pressure * ri)).sqrt();
    cp[0] = (pressure - 1.0) / c.dynamic_pressure;
}

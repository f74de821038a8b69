//! Derivatives of fluxes and sources against those derived by hand, to rounding.

use cfd_solvers::flow::kernels::jacobian::{along_3d, along_3d_tangent};
use cfd_solvers::flow::kernels::spalart_allmaras::{WITHOUT_FT2, source_tangent};
use cfd_solvers::gas::hllc::hllc_3d_tangent;
use cfd_solvers::gas::roe::roe_3d_tangent;

use super::implicit::unit;
use super::turbulence::STATES;
use super::*;

const GAMMA: f64 = 1.4;
const AREA: Vector = [0.6, -0.3, 0.4];

#[track_caller]
fn assert_same(found: State, expected: State, what: &str) {
    let size = largest(expected).max(1.0);
    let off = largest((0..5).map(|k| found[k] - expected[k]));
    assert!(off <= 1e-13 * size, "{what}: {found:?}, expected {expected:?}");
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn sum(a: State, b: State, share: f64) -> State {
    std::array::from_fn(|k| a[k] + share * b[k])
}

/// The flux's Jacobian for (rho, u, p), times `d`.
fn flux_change([rho, u, v, w, p]: State, [d_rho, d_u, d_v, d_w, d_p]: State) -> State {
    let (u, d_u) = ([u, v, w], [d_u, d_v, d_w]);
    let (through, d_through) = (dot(u, AREA), dot(d_u, AREA));
    let (h, d_h) = (GAMMA / (GAMMA - 1.0), dot(u, d_u));
    let d_mass = d_rho * through + rho * d_through;
    let momentum = |i: usize| d_mass * u[i] + rho * through * d_u[i] + d_p * AREA[i];
    let enthalpy = h * p + 0.5 * rho * dot(u, u);
    let d_enthalpy = h * d_p + 0.5 * d_rho * dot(u, u) + rho * d_h;
    let energy = d_through * enthalpy + through * d_enthalpy;
    [d_mass, momentum(0), momentum(1), momentum(2), energy]
}

/// The change of the conserved variables.
fn conserved_change([rho, u, v, w, _]: State, [d_rho, d_u, d_v, d_w, d_p]: State) -> State {
    let (u, d_u) = ([u, v, w], [d_u, d_v, d_w]);
    let momentum = |i: usize| d_rho * u[i] + rho * d_u[i];
    let energy = d_p / (GAMMA - 1.0) + 0.5 * d_rho * dot(u, u) + rho * dot(u, d_u);
    [d_rho, momentum(0), momentum(1), momentum(2), energy]
}

/// The change of (rho, u, p) of one of the conserved variables.
fn primitive_change([rho, u, v, w, _]: State, [d_rho, m_u, m_v, m_w, d_e]: State) -> State {
    let (u, m) = ([u, v, w], [m_u, m_v, m_w]);
    let velocity = |i: usize| (m[i] - d_rho * u[i]) / rho;
    let pressure = (GAMMA - 1.0) * (d_e - dot(u, m) + 0.5 * d_rho * dot(u, u));
    [d_rho, velocity(0), velocity(1), velocity(2), pressure]
}

/// |A| of the flux's Jacobian A = dF/dq, times the change of q that belongs to `d`, with `size(speed, is_acoustic)` in place of
/// |speed|. By Sylvester's formula, f(A) = sum of f(s_k) prod (A - s_j) / (s_k - s_j) over A's eigenvalues: no eigenvector.
fn dissipation(state: State, d: State, size: impl Fn(f64, bool) -> f64) -> State {
    let area = dot(AREA, AREA).sqrt();
    let sound = (GAMMA * state[4] / state[0]).sqrt() * area;
    let through = dot([state[1], state[2], state[3]], AREA);
    let speeds = [through - sound, through, through + sound];
    let mut total = [0.0; 5];
    for (k, &speed) in speeds.iter().enumerate() {
        let mut part = conserved_change(state, d);
        for &other in speeds.iter().filter(|&&other| other != speed) {
            let image = flux_change(state, primitive_change(state, part));
            part = sum(image, part, -other).map(|value| value / (speed - other));
        }
        total = sum(total, part, area * size(speed / area, k != 1));
    }
    total
}

/// Between equal states, Roe's flux has the Jacobians (A + |A|) / 2 and (A - |A|) / 2, of the speeds that the entropy fix
/// leaves: in no wave it has another derivative, as there is no jump.
#[test]
fn roe_has_the_split_jacobians_between_equal_states() {
    for speed in [0.3, -0.2, 0.02, 1.02, -1.1, 2.5] {
        let state = [1.1, speed, 0.1, -0.2, 0.8];
        let sound = (GAMMA * state[4] / state[0]).sqrt();
        for fix in [[0.0, 0.0], [0.1, 0.05], [0.4, 0.3]] {
            let size = |speed: f64, is_acoustic: bool| {
                let least = sound * if is_acoustic { fix[0] } else { fix[1] };
                let size = speed.abs();
                if size < least { (size * size + least * least) / (2.0 * least) } else { size }
            };
            for m in 0..5 {
                let (way, none) = (unit(m), [0.0; 5]);
                let (flux, damped) = (flux_change(state, way), dissipation(state, way, size));
                let of_l = roe_3d_tangent(state, state, AREA, GAMMA, GAMMA - 1.0, fix, way, none);
                assert_same(of_l, sum(flux, damped, 1.0).map(|value| 0.5 * value), "left");
                let of_r = roe_3d_tangent(state, state, AREA, GAMMA, GAMMA - 1.0, fix, none, way);
                assert_same(of_r, sum(flux, damped, -1.0).map(|value| 0.5 * value), "right");
            }
        }
    }
}

/// HLLC's three waves are those of the linear problem between equal states, so it has the same Jacobians there. Where all waves
/// go one way, it has those of the flux of that side.
#[test]
fn hllc_has_the_split_jacobians_between_equal_states_and_that_of_one_side_in_supersonic_flow() {
    let tangent = |l: State, r: State, by_l: State, by_r: State| {
        hllc_3d_tangent(l, r, AREA, GAMMA, GAMMA - 1.0, [0.0; 2], by_l, by_r)
    };
    for m in 0..5 {
        let (way, none) = (unit(m), [0.0; 5]);
        for speed in [0.3, -0.4] {
            let state = [1.1, speed, 0.1, -0.2, 0.8];
            let (flux, damped) = (flux_change(state, way), dissipation(state, way, |speed, _| speed.abs()));
            let half = |sign: f64| sum(flux, damped, sign).map(|value| 0.5 * value);
            assert_same(tangent(state, state, way, none), half(1.0), "left");
            assert_same(tangent(state, state, none, way), half(-1.0), "right");
        }
        let (l, r) = ([1.1, 3.5, 0.1, -0.2, 0.8], [0.9, 3.2, 0.2, -0.1, 0.6]);
        assert_same(tangent(l, r, way, none), flux_change(l, way), "with the flow");
        assert_eq!(tangent(l, r, none, way), none, "against the flow");
        let back = |[rho, u, v, w, p]: State| [rho, -u, v, w, p];
        assert_same(tangent(back(l), back(r), none, way), flux_change(back(r), way), "with the flow");
        assert_eq!(tangent(back(l), back(r), way, none), none, "against the flow");
    }
}

/// Along an edge, tau = (mu + mu_t) (du d^T + d du^T - 2/3 du . d) / |d|^2, and the viscosity is that of the mean temperature.
#[test]
fn viscous_fluxes_have_the_derivatives_of_stress_and_viscosity() {
    let config = Config { equations: Equations::Laminar, reynolds: Some(20.0), ..Config::default() };
    let gas = Gas::new(&config);
    let (a, b) = ([1.1, 0.3, -0.1, 0.2, 0.8], [0.9, 0.2, 0.3, 0.1, 0.7]);
    let (d, eddies) = ([0.3, 0.1, -0.2], 0.03);
    let d2 = dot(d, d);
    let velocity = |w: State| -> Vector { [w[1], w[2], w[3]] };
    let minus = |a: Vector, b: Vector| -> Vector { std::array::from_fn(|i| a[i] - b[i]) };
    let temperature = |w: State| w[4] / (w[0] * gas.gas_constant);
    // tau A for a velocity difference and a viscosity of 1.
    let traction = |du: Vector| -> Vector {
        std::array::from_fn(|i| {
            (du[i] * dot(d, AREA) + d[i] * dot(du, AREA) - 2.0 / 3.0 * dot(du, d) * AREA[i]) / d2
        })
    };
    let middle: Vector = std::array::from_fn(|i| 0.5 * (a[1 + i] + b[1 + i]));
    let force = traction(minus(velocity(b), velocity(a)));
    let t = 0.5 * (temperature(a) + temperature(b)) / gas.temperature;
    let s = gas.sutherland;
    let mu = gas.viscosity * t.powf(1.5) * (1.0 + s) / (t + s);
    let slope = mu * (1.5 / t - 1.0 / (t + s)) / gas.temperature;
    let conductivity = mu * gas.conductivity + eddies * gas.eddy_conductivity;
    let heat = |d_t: f64| d_t * dot(d, AREA) / d2;
    let between = heat(temperature(b) - temperature(a));
    let total = along_3d(a, b, d, AREA, eddies, &gas);
    assert_same(
        total,
        [
            0.0,
            -(mu + eddies) * force[0],
            -(mu + eddies) * force[1],
            -(mu + eddies) * force[2],
            -(mu + eddies) * dot(middle, force) - conductivity * between,
        ],
        "flux",
    );
    for (w, sign) in [(a, -1.0), (b, 1.0)] {
        for m in 0..5 {
            let way: State = unit(m);
            let d_t = temperature(w) * (way[4] / w[4] - way[0] / w[0]);
            let d_mu = 0.5 * slope * d_t;
            let own = traction(velocity(way).map(|u| sign * u));
            let d_force: Vector = std::array::from_fn(|i| (mu + eddies) * own[i] + d_mu * force[i]);
            let power = (mu + eddies) * 0.5 * dot(velocity(way), force) + dot(middle, d_force);
            let warmth = conductivity * heat(sign * d_t) + d_mu * gas.conductivity * between;
            let expected = [0.0, -d_force[0], -d_force[1], -d_force[2], -power - warmth];
            let none = [0.0; 5];
            let [by_a, by_b] = if sign < 0.0 { [way, none] } else { [none, way] };
            assert_same(along_3d_tangent(a, b, d, AREA, eddies, by_a, by_b, &gas), expected, "derivative");
        }
    }
}

/// d/dn of production less destruction, c_b1 S n - c_w1 f_w (n / d)^2, with the rules of differentiation by hand.
fn source_by_n([n, nu, vorticity, d]: [f64; 4]) -> f64 {
    let (cb1, cb2, sigma, kappa): (f64, f64, f64, f64) = (0.1355, 0.622, 2.0 / 3.0, 0.41);
    let (cw2, cw36, cv13, c2, c3): (f64, f64, f64, f64, f64) = (0.3, 64.0, 7.1 * 7.1 * 7.1, 0.7, 0.9);
    let (kd2, cw1) = ((kappa * d).powi(2), cb1 / kappa.powi(2) + (1.0 + cb2) / sigma);
    let x = n / nu;
    let fv1 = x.powi(3) / (x.powi(3) + cv13);
    let fv1_by_x = 3.0 * cv13 * x.powi(2) / (x.powi(3) + cv13).powi(2);
    let fv2 = 1.0 - x / (1.0 + x * fv1);
    let fv2_by_x = -(1.0 - x.powi(2) * fv1_by_x) / (1.0 + x * fv1).powi(2);
    let (b, b_by_n) = (n * fv2 / kd2, (fv2 + x * fv2_by_x) / kd2);
    let (s, s_by_n) = if b < -c2 * vorticity {
        let below = (c3 - 2.0 * c2) * vorticity - b;
        let s = vorticity + vorticity * (c2 * c2 * vorticity + c3 * b) / below;
        (s, b_by_n * ((c3 - c2) * vorticity / below).powi(2))
    } else {
        (vorticity + b, b_by_n)
    };
    let ratio = n / (s * kd2);
    // Where r has its limit, f_w is constant.
    let (r, r_by_n) = if ratio < 10.0 { (ratio, ratio * (1.0 / n - s_by_n / s)) } else { (10.0, 0.0) };
    let (g, g_by_n) = (r + cw2 * (r.powi(6) - r), r_by_n * (1.0 + cw2 * (6.0 * r.powi(5) - 1.0)));
    let fw = g * ((1.0 + cw36) / (g.powi(6) + cw36)).powf(1.0 / 6.0);
    let fw_by_n = fw * cw36 / (g * (g.powi(6) + cw36)) * g_by_n;
    cb1 * (s + n * s_by_n) - cw1 * (fw_by_n * n + 2.0 * fw) * n / (d * d)
}

#[test]
fn the_turbulence_source_has_the_derivative_by_hand() {
    for state in STATES.into_iter().filter(|[n, _, vorticity, _]| *n > 0.0 && *vorticity > 0.0) {
        let [n, nu, vorticity, d] = state;
        let (found, expected) =
            (source_tangent(n, nu, vorticity, d, WITHOUT_FT2.ct3, 1.0), source_by_n(state));
        // What cancels is as large as the destruction's share.
        let size = expected.abs().max(n / (d * d));
        assert!((found - expected).abs() <= 1e-12 * size, "{state:?}: {found}, expected {expected}");
    }
}

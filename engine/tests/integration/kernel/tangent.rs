//! Derivatives of device functions: against formulas, and against differences with more digits than a double has.

use cfd_engine::prelude::*;

use super::call;

/// Constants of the functions.
#[derive(Clone, Copy, Debug, Constants)]
pub struct Gas {
    gamma: f64,
    shift: [f64; 2],
}

const GAS: Gas = Gas { gamma: 1.4, shift: [0.25, -0.5] };

#[device(tangent)]
// Only its tangent is used.
#[allow(dead_code)]
fn elementary(x: f64, y: f64) -> [f64; 24] {
    [
        x + y,
        x - y,
        x * y,
        x / y,
        -x,
        x.sqrt(),
        (y - x).abs(),
        x.exp(),
        x.exp2(),
        x.exp_m1(),
        x.ln(),
        x.log2(),
        x.ln_1p(),
        x.cbrt(),
        x.sin() + x.cos() + x.tan(),
        (0.5 * x).asin() + (0.5 * x).acos() * y,
        x.atan(),
        x.atan2(y),
        x.sinh() + y.cosh(),
        y.tanh(),
        x.powf(y),
        x.powi(-3) + y.powi(2) + x.powi(1) + y.powi(0),
        x.min(y),
        x.max(y),
    ]
}

/// The derivatives by x and by y.
fn by_formula(x: f64, y: f64) -> [[f64; 2]; 24] {
    let half = 1.0 / (1.0 - 0.25 * x * x).sqrt() * 0.5;
    let radius = x * x + y * y;
    let sign = if y - x < 0.0 { -1.0 } else { 1.0 };
    [
        [1.0, 1.0],
        [1.0, -1.0],
        [y, x],
        [1.0 / y, -x / (y * y)],
        [-1.0, 0.0],
        [0.5 / x.sqrt(), 0.0],
        [-sign, sign],
        [x.exp(), 0.0],
        [x.exp2() * std::f64::consts::LN_2, 0.0],
        [x.exp(), 0.0],
        [1.0 / x, 0.0],
        [1.0 / (x * std::f64::consts::LN_2), 0.0],
        [1.0 / (1.0 + x), 0.0],
        [x.cbrt() / (3.0 * x), 0.0],
        [x.cos() - x.sin() + 1.0 / x.cos().powi(2), 0.0],
        [half - half * y, (0.5 * x).acos()],
        [1.0 / (1.0 + x * x), 0.0],
        [y / radius, -x / radius],
        [x.cosh(), y.sinh()],
        [0.0, 1.0 / y.cosh().powi(2)],
        [y * x.powf(y - 1.0), x.ln() * x.powf(y)],
        [-3.0 * x.powi(-4) + 1.0, 2.0 * y],
        if x < y { [1.0, 0.0] } else { [0.0, 1.0] },
        if y < x { [1.0, 0.0] } else { [0.0, 1.0] },
    ]
}

#[test]
fn every_function_of_the_language_has_its_derivative() {
    for (x, y) in [(0.3, 0.7), (1.1, 0.4), (0.05, 1.9)] {
        let expected = by_formula(x, y);
        for (dx, dy) in [(1.0, 0.0), (0.0, 1.0), (0.75, -2.0)] {
            let found = elementary_tangent::<f64>(x, y, dx, dy);
            for (i, (found, by)) in found.into_iter().zip(expected).enumerate() {
                let expected = by[0] * dx + by[1] * dy;
                let close =
                    (found - expected).abs() <= 1e-14 * (1.0 + expected.abs() + by[0].abs() + by[1].abs());
                assert!(close, "function {i} at ({x}, {y}): {found}, expected {expected}");
            }
        }
    }
}

#[device(tangent)]
fn limited(a: f64, b: f64) -> f64 {
    if a * b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 }
}

/// Loops, branches, shadowed names, assignments with operators, calls, constants, an inactive integer.
#[device(tangent(q))]
fn mixture(q: [f64; 3], w: [f64; 2], times: i32, c: &Gas) -> [f64; 2] {
    let mut sum = [0.0; 2];
    let scale = c.gamma * w[0];
    for i in 0..2 {
        let x = q[i] * scale;
        let x = x * x + c.shift[i];
        sum[i] += x;
        sum[i] *= q[2];
    }
    let mut factor = 1.0;
    if q[0] > q[1] {
        factor = q[0] - q[1];
        sum[0] -= factor;
    } else {
        sum[1] /= q[1] + 3.0;
    }
    if times > 1 {
        factor *= factor;
    }
    let mean = {
        let both = sum[0] + sum[1];
        0.5 * both
    };
    [limited(sum[0], w[1] + factor) + mean, limited(q[2], q[0]) * w[1] + factor]
}

/// The derivative by a difference of double length: steps whose error falls with their fourth power, extrapolated.
fn difference(f: impl Fn(f64) -> f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    let (h, two) = (central(1e-3), central(2e-3));
    (4.0 * h - two) / 3.0
}

#[test]
fn a_program_with_branches_and_loops_has_the_derivative_of_the_path_it_takes() {
    for q in [[0.4, 1.3, 0.9], [1.7, 0.2, 1.1], [0.8, 0.3, -0.6]] {
        for times in [1, 2] {
            for way in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.3, -0.8, 0.5]] {
                let w = [0.7, 1.2];
                let at = |h: f64, m: usize| {
                    let moved = std::array::from_fn(|i| q[i] + h * way[i]);
                    mixture::<f64>(moved, w, times, &GAS)[m]
                };
                let found = mixture_tangent::<f64>(q, w, times, way, &GAS);
                for (m, found) in found.into_iter().enumerate() {
                    let expected = difference(|h| at(h, m));
                    assert!(
                        (found - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                        "{q:?} {way:?} {m}: {found} {expected}"
                    );
                }
            }
        }
    }
}

/// A derivative in a kernel.
#[kernel]
fn jacobian(q: Read<3>, block: Write<6>, c: &Gas) {
    for m in 0..3 {
        let mut way = [0.0; 3];
        way[m] = 1.0;
        let column = mixture_tangent(q, [0.7, 1.2], 2, way, c);
        block[m] = column[0];
        block[3 + m] = column[1];
    }
}

#[test]
fn a_kernel_may_call_a_derivative() {
    for q in [[0.4, 1.3, 0.9], [1.7, 0.2, 1.1]] {
        let (.., block) = call(jacobian, (q, [0.0; 6]), &GAS);
        for m in 0..3 {
            let mut way = [0.0; 3];
            way[m] = 1.0;
            let column = mixture_tangent::<f64>(q, [0.7, 1.2], 2, way, &GAS);
            assert_eq!([block[m], block[3 + m]], column);
        }
    }
}

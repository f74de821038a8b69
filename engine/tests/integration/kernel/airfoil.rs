//! The Airfoil kernels against handwritten functions, bit for bit, in 1, 4 and 8 lanes.

use cfd_engine::prelude::*;
use proptest::prelude::*;
use proptest::strategy::Strategy;

use super::{bits, call, call_lanes, into_lanes, lane};

/// The constants of the Airfoil test.
#[derive(Clone, Copy, Debug, Constants)]
pub struct Gas {
    pub gamma: f64,
    pub cfl: f64,
    pub eps: f64,
    pub free_stream: [f64; 4],
}

const GAS: Gas = Gas { gamma: 1.4, cfl: 0.9, eps: 0.05, free_stream: [1.0, 0.473, 0.0, 2.61] };

const WALL: i32 = 1;

/// Functions that the kernels share.
pub mod gas {
    use super::Gas;
    use cfd_engine::prelude::*;

    /// p = (gamma - 1) (rho E - |m|^2 / (2 rho)).
    #[device]
    pub fn pressure(q: [f64; 4], ri: f64, c: &Gas) -> f64 {
        (c.gamma - 1.0) * (q[3] - 0.5 * ri * (q[1] * q[1] + q[2] * q[2]))
    }

    /// The central flux through a side with dissipation mu.
    #[device]
    pub fn flux(q1: [f64; 4], q2: [f64; 4], dx: f64, dy: f64, mu: f64, c: &Gas) -> [f64; 4] {
        let ri1 = 1.0 / q1[0];
        let p1 = pressure(q1, ri1, c);
        let vol1 = ri1 * (q1[1] * dy - q1[2] * dx);
        let ri2 = 1.0 / q2[0];
        let p2 = pressure(q2, ri2, c);
        let vol2 = ri2 * (q2[1] * dy - q2[2] * dx);
        [
            0.5 * (vol1 * q1[0] + vol2 * q2[0]) + mu * (q1[0] - q2[0]),
            0.5 * (vol1 * q1[1] + p1 * dy + vol2 * q2[1] + p2 * dy) + mu * (q1[1] - q2[1]),
            0.5 * (vol1 * q1[2] - p1 * dx + vol2 * q2[2] - p2 * dx) + mu * (q1[2] - q2[2]),
            0.5 * (vol1 * (q1[3] + p1) + vol2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]),
        ]
    }
}

use gas::{flux, pressure};

/// Area over time step.
#[kernel]
pub fn adt_calc(x1: Read<2>, x2: Read<2>, x3: Read<2>, x4: Read<2>, q: Read<4>, adt: Write<1>, c: &Gas) {
    let ri = 1.0 / q[0];
    let u = ri * q[1];
    let v = ri * q[2];
    let sound = (c.gamma * (c.gamma - 1.0) * (ri * q[3] - 0.5 * (u * u + v * v))).sqrt();
    let x = [x1[0], x2[0], x3[0], x4[0]];
    let y = [x1[1], x2[1], x3[1], x4[1]];
    let mut sum = 0.0;
    for i in 0..4 {
        let dx = x[(i + 1) % 4] - x[i];
        let dy = y[(i + 1) % 4] - y[i];
        sum += (u * dy - v * dx).abs() + sound * (dx * dx + dy * dy).sqrt();
    }
    adt[0] = sum / c.cfl;
}

/// Flux through an interior edge.
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
    c: &Gas,
) {
    let dx = x1[0] - x2[0];
    let dy = x1[1] - x2[1];
    let mu = 0.5 * (adt1[0] + adt2[0]) * c.eps;
    let f: [f64; 4] = flux(q1, q2, dx, dy, mu, c);
    for m in 0..4 {
        res1[m] += f[m];
        res2[m] -= f[m];
    }
}

/// Flux through a boundary edge.
#[kernel]
pub fn bres_calc(
    x1: Read<2>,
    x2: Read<2>,
    q: Read<4>,
    adt: Read<1>,
    res: Inc<4>,
    bound: Read<1, i32>,
    c: &Gas,
) {
    let dx = x1[0] - x2[0];
    let dy = x1[1] - x2[1];
    if bound[0] == WALL {
        let p = pressure(q, 1.0 / q[0], c);
        res[1] += p * dy;
        res[2] -= p * dx;
    } else {
        let far: [f64; 4] = c.free_stream;
        let f: [f64; 4] = flux(q, far, dx, dy, adt[0] * c.eps, c);
        for m in 0..4 {
            res[m] += f[m];
        }
    }
}

/// One explicit step.
#[kernel]
pub fn update(q_old: Read<4>, q: Write<4>, res: Rw<4>, adt: Read<1>, rms: Sum<1>) {
    let adti = 1.0 / adt[0];
    let mut squares = 0.0;
    for m in 0..4 {
        let del = adti * res[m];
        q[m] = q_old[m] - del;
        res[m] = 0.0;
        squares += del * del;
    }
    rms[0] += squares;
}

/// The same arithmetic, as plain functions.
mod by_hand {
    use super::{GAS, WALL};

    pub fn flux(q1: &[f64; 4], q2: &[f64; 4], dx: f64, dy: f64, mu: f64) -> [f64; 4] {
        let side = |q: &[f64; 4]| {
            let ri = 1.0 / q[0];
            let p = (GAS.gamma - 1.0) * (q[3] - 0.5 * ri * (q[1] * q[1] + q[2] * q[2]));
            (p, ri * (q[1] * dy - q[2] * dx))
        };
        let ((p1, v1), (p2, v2)) = (side(q1), side(q2));
        [
            0.5 * (v1 * q1[0] + v2 * q2[0]) + mu * (q1[0] - q2[0]),
            0.5 * (((v1 * q1[1] + p1 * dy) + v2 * q2[1]) + p2 * dy) + mu * (q1[1] - q2[1]),
            0.5 * (((v1 * q1[2] - p1 * dx) + v2 * q2[2]) - p2 * dx) + mu * (q1[2] - q2[2]),
            0.5 * (v1 * (q1[3] + p1) + v2 * (q2[3] + p2)) + mu * (q1[3] - q2[3]),
        ]
    }

    pub fn adt(x: &[[f64; 2]; 4], q: &[f64; 4]) -> f64 {
        let ri = 1.0 / q[0];
        let (u, v) = (ri * q[1], ri * q[2]);
        let sound = f64::sqrt((GAS.gamma * (GAS.gamma - 1.0)) * (ri * q[3] - 0.5 * (u * u + v * v)));
        let mut sum = 0.0;
        for i in 0..4 {
            let (a, b) = (x[i], x[(i + 1) % 4]);
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            sum += f64::abs(u * dy - v * dx) + sound * f64::sqrt(dx * dx + dy * dy);
        }
        sum / GAS.cfl
    }

    pub fn boundary(x: &[[f64; 2]; 2], q: &[f64; 4], adt: f64, bound: i32) -> [f64; 4] {
        let (dx, dy) = (x[0][0] - x[1][0], x[0][1] - x[1][1]);
        let mut res = [-0.0; 4];
        if bound == WALL {
            let ri = 1.0 / q[0];
            let p = (GAS.gamma - 1.0) * (q[3] - 0.5 * ri * (q[1] * q[1] + q[2] * q[2]));
            res[1] += p * dy;
            res[2] -= p * dx;
        } else {
            res = flux(q, &GAS.free_stream, dx, dy, adt * GAS.eps);
        }
        res
    }

    pub fn update(q_old: &[f64; 4], res: &[f64; 4], adt: f64) -> ([f64; 4], f64) {
        let adti = 1.0 / adt;
        let (mut q, mut squares) = ([0.0; 4], 0.0);
        for m in 0..4 {
            let del = adti * res[m];
            q[m] = q_old[m] - del;
            squares += del * del;
        }
        (q, squares)
    }
}

/// One element's input: four nodes, two states, two time steps, a boundary condition.
#[derive(Clone, Copy, Debug)]
struct Input {
    x: [[f64; 2]; 4],
    q: [[f64; 4]; 2],
    adt: [f64; 2],
    bound: i32,
}

fn input() -> impl Strategy<Value = Input> {
    let x = proptest::array::uniform4(proptest::array::uniform2(-2.0..2.0f64));
    let q = || (0.5..2.0f64, -0.5..0.5f64, -0.5..0.5f64, 2.0..4.0f64).prop_map(|(a, b, c, d)| [a, b, c, d]);
    (x, q(), q(), proptest::array::uniform2(0.1..2.0f64), 1..3i32).prop_map(|(x, q1, q2, adt, bound)| Input {
        x,
        q: [q1, q2],
        adt,
        bound,
    })
}

/// Increments start from the exact identity of addition.
const NONE: [f64; 4] = [-0.0; 4];

fn check_lanes<const W: usize>(inputs: &[Input; 8]) {
    let of = |lane: usize| inputs[lane];
    let x: [_; 4] = std::array::from_fn(|n| into_lanes::<W, 2, f64>(std::array::from_fn(|l| of(l).x[n])));
    let q: [_; 2] = std::array::from_fn(|n| into_lanes::<W, 4, f64>(std::array::from_fn(|l| of(l).q[n])));
    let adt: [_; 2] =
        std::array::from_fn(|n| into_lanes::<W, 1, f64>(std::array::from_fn(|l| [of(l).adt[n]])));
    let bound = into_lanes::<W, 1, i32>(std::array::from_fn(|l| [of(l).bound]));
    let none = into_lanes::<W, 4, f64>([NONE; W]);

    let steps = call_lanes(adt_calc, (x[0], x[1], x[2], x[3], q[0], adt[0]), &GAS).5;
    let interior = call_lanes(res_calc, (x[0], x[1], q[0], q[1], adt[0], adt[1], none, none), &GAS);
    let boundary = call_lanes(bres_calc, (x[0], x[1], q[0], adt[0], none, bound), &GAS).4;
    let zero = into_lanes::<W, 1, f64>([[-0.0]; W]);
    let updated = call_lanes(update, (q[0], none, q[1], adt[0], zero), &());
    for l in 0..W {
        let one = check_one(&of(l));
        assert_eq!(bits(lane(steps, l)), bits([one.step]));
        assert_eq!(bits(lane(interior.6, l)), bits(one.interior.0));
        assert_eq!(bits(lane(interior.7, l)), bits(one.interior.1));
        assert_eq!(bits(lane(boundary, l)), bits(one.boundary));
        assert_eq!(bits(lane(updated.1, l)), bits(one.updated.0));
        assert_eq!(bits(lane(updated.4, l)), bits([one.updated.1]));
    }
}

/// What the scalar kernels give for one element.
struct Output {
    step: f64,
    interior: ([f64; 4], [f64; 4]),
    boundary: [f64; 4],
    updated: ([f64; 4], f64),
}

fn check_one(i: &Input) -> Output {
    let [x1, x2, x3, x4] = i.x;
    let step = call(adt_calc, (x1, x2, x3, x4, i.q[0], [f64::NAN]), &GAS).5[0];
    assert_eq!(step.to_bits(), by_hand::adt(&i.x, &i.q[0]).to_bits());

    let done = call(res_calc, (x1, x2, i.q[0], i.q[1], [i.adt[0]], [i.adt[1]], NONE, NONE), &GAS);
    let interior = (done.6, done.7);
    let mu = (0.5 * (i.adt[0] + i.adt[1])) * GAS.eps;
    let expected = by_hand::flux(&i.q[0], &i.q[1], x1[0] - x2[0], x1[1] - x2[1], mu);
    assert_eq!(bits(interior.0), bits(expected));
    assert_eq!(bits(interior.1), bits(expected.map(|f| -0.0 - f)));

    let boundary = call(bres_calc, (x1, x2, i.q[0], [i.adt[0]], NONE, [i.bound]), &GAS).4;
    assert_eq!(bits(boundary), bits(by_hand::boundary(&[x1, x2], &i.q[0], i.adt[0], i.bound)));

    let done = call(update, (i.q[0], [f64::NAN; 4], i.q[1], [i.adt[0]], [-0.0]), &());
    let updated = (done.1, done.4[0]);
    let expected = by_hand::update(&i.q[0], &i.q[1], i.adt[0]);
    assert_eq!((bits(updated.0), updated.1.to_bits()), (bits(expected.0), expected.1.to_bits()));
    assert_eq!(bits(done.2), bits([0.0; 4]));
    Output { step, interior, boundary, updated }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn airfoil_kernels_have_the_bits_of_plain_functions_in_1_4_and_8_lanes(
        inputs in proptest::array::uniform8(input())
    ) {
        check_lanes::<4>(&inputs);
        check_lanes::<8>(&inputs);
    }
}

#[test]
fn airfoil_operation_counts_are_those_of_a_count_by_hand() {
    let count = |k: cfd_engine::kernel::OpCount| [k.add, k.mul, k.div, k.sqrt, k.compare];
    // pressure: gamma - 1, - in the bracket, + of squares | 2 squares, 0.5 ri, times them, times (gamma - 1)
    assert_eq!(count(gas::pressure::OPS), [3, 5, 0, 0, 0]);
    // a side: 1 -, 3 *, 1 /, pressure; fluxes: 3 + 5 + 5 + 5 additions, 4 + 6 + 6 + 4 multiplications
    assert_eq!(count(gas::flux::OPS), [2 * (1 + 3) + 18, 2 * (3 + 5) + 20, 2, 0, 0]);
    // two differences, adt1 + adt2, 8 increments | two for mu
    assert_eq!(count(res_calc::OPS), [3 + 8 + 26, 2 + 36, 2, 0, 0]);
    // a side: 3 differences, 3 sums (one of them +=); 2 + 2 + 1 products, one root, one abs
    assert_eq!(count(adt_calc::OPS), [3 + 4 * 6, 2 + 6 + 4 * 5, 2, 5, 4]);
    // wall: pressure, 1/rho, 2 increments of a product; far: flux, mu, 4 increments; select: 4 components, 1 ==
    assert_eq!(count(bres_calc::OPS), [2 + 3 + 2 + 26 + 4, 5 + 2 + 36 + 1, 1 + 2, 0, 5]);
    assert_eq!(count(update::OPS), [4 * 2 + 1, 4 * 2, 1, 0, 0]);
}

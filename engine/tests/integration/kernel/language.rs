//! The language: literals, order of evaluation, loops, devices, integers, global results, a kernel's own description.

use cfd_engine::kernel::{Access, Param};
use cfd_engine::lane::Lanes;
use cfd_engine::prelude::*;

use super::{bits, call, call_lanes};

#[kernel]
fn literals(out: Write<8>) {
    let tiny = 4.9e-324;
    out[0] = 0.1;
    out[1] = tiny;
    out[2] = 1.7976931348623157e308;
    out[3] = -0.0;
    out[4] = 1_000.5f64;
    out[5] = -1f64;
    out[6] = f64::INFINITY;
    out[7] = std::f64::consts::PI;
}

#[test]
fn literals_keep_their_bits() {
    let pi = std::f64::consts::PI;
    let expected = [0.1, 4.9e-324, f64::MAX, -0.0, 1000.5, -1.0, f64::INFINITY, pi];
    assert_eq!(bits(call(literals, ([f64::NAN; 8],), &()).0), bits(expected));
}

#[kernel]
fn grouping(a: Read<3>, out: Write<6>) {
    out[0] = a[0] + a[1] + a[2];
    out[1] = a[0] + (a[1] + a[2]);
    out[2] = a[0] - (a[1] - a[2]);
    out[3] = a[0] * a[1] + a[2];
    out[4] = a[0] / a[1] * a[2];
    out[5] = -a[0] * a[1] - -a[2];
}

#[test]
fn operations_keep_the_grouping_of_the_source_and_are_not_fused() {
    for a in
        [[0.1, 0.2, 0.3], [1e16, 1.0, -1e16], [1.0 + f64::EPSILON, 1.0 - f64::EPSILON, -1.0], [3.0, 7.0, 1.1]]
    {
        let [x, y, z] = a;
        let expected = [(x + y) + z, x + (y + z), x - (y - z), (x * y) + z, (x / y) * z, ((-x) * y) - (-z)];
        assert_eq!(bits(call(grouping, (a, [f64::NAN; 6]), &()).1), bits(expected));
    }
}

#[kernel]
fn increments(f: Read<2>, res: Inc<3>) {
    res[0] += f[0];
    res[0] -= f[1];
    res[1] += f[0];
}

#[test]
fn increments_add_up_from_minus_zero_and_leave_what_they_do_not_touch() {
    let start = [-0.0; 3];
    assert_eq!(bits(call(increments, ([-0.0, 0.0], start), &()).1), bits([-0.0, -0.0, -0.0]));
    assert_eq!(bits(call(increments, ([2.5, 0.5], start), &()).1), bits([2.0, 2.5, -0.0]));
}

#[kernel]
fn loops(a: Read<4>, matrix: Write<8>, sums: Write<2>) {
    let weights = [0.5, 2.0];
    sums = [0.0; 2];
    for i in 0..2 {
        for j in 0..=3 {
            matrix[4 * i + j] = a[(i + j + 1) % 4] * weights[i];
        }
    }
    for i in 1..(2 + 2) {
        sums = [sums[0] + (a[i] - a[i - 1]), sums[1]];
        for _ in 0..2 {
            let before = sums[1];
            sums[1] = before * 2.0 + 1.0;
        }
    }
}

#[test]
fn loops_run_over_their_ranges_with_computed_components() {
    let (_, matrix, sums) = call(loops, ([1.0, 10.0, 100.0, 1000.0], [f64::NAN; 8], [f64::NAN; 2]), &());
    assert_eq!(matrix, [5.0, 50.0, 500.0, 0.5, 200.0, 2000.0, 2.0, 20.0]);
    assert_eq!(sums, [999.0, 63.0]);
}

#[kernel]
fn shadowing(a: Read<1>, out: Write<2>) {
    let x = a[0];
    let x = x + 1.0;
    {
        let x = x * 10.0;
        out[0] = x;
    }
    let mask = if x > 0.0 {
        let then = x;
        then + x
    } else {
        let otherwise = 0.0;
        otherwise
    };
    out[1] = mask + x;
}

#[test]
fn names_follow_scopes_and_never_meet_those_of_generated_code() {
    assert_eq!(call(shadowing, ([1.0], [f64::NAN; 2]), &()).1, [20.0, 6.0]);
}

#[kernel]
fn mathematics(a: Read<2>, out: Write<6>) {
    out[0] = a[0].abs().sqrt();
    out[1] = sqrt(a[1]);
    out[2] = a[0].min(a[1]);
    out[3] = f64::max(a[0], a[1]);
    out[4] = Real::abs(-a[1]);
    out[5] = (a[0] + a[1]).max(0.0).min(1.0);
}

#[test]
fn functions_are_those_of_the_lane_type() {
    let run = |a| bits(call(mathematics, (a, [f64::NAN; 6]), &()).1);
    assert_eq!(run([-4.0, 9.0]), bits([2.0, 3.0, -4.0, 9.0, 9.0, 1.0]));
    // of -0 and 0, the second operand; likewise of a NaN and a number
    assert_eq!(run([-0.0, 0.0])[2..4], bits([0.0, 0.0]));
    assert_eq!(run([f64::NAN, 0.5])[2..4], bits([0.5, 0.5]));
    assert_eq!(mathematics::OPS.compare, 6);
    assert_eq!((mathematics::OPS.sqrt, mathematics::OPS.add), (2, 2));
}

/// Constants of every type.
#[derive(Clone, Copy, Debug, Constants)]
struct Setup {
    scale: f64,
    offset: [f64; 2],
    group: i32,
}

const SETUP: Setup = Setup { scale: 3.0, offset: [0.25, 0.75], group: 5 };

/// Functions of another module, each imported by one `use`.
mod shared {
    use super::Setup;
    use cfd_engine::prelude::*;

    #[device]
    pub(super) fn in_group(n: i32, c: &Setup) -> bool {
        n == c.group
    }

    #[device]
    pub(super) fn shifted(a: [f64; 2], times: i32, c: &Setup) -> [f64; 2] {
        let factor = if times == 2 { 2.0 } else { c.scale };
        let mut result = a;
        for i in 0..2 {
            result[i] = scaled(a[i], factor) + c.offset[i];
        }
        result
    }

    #[device]
    pub(super) fn scaled(a: f64, factor: f64) -> f64 {
        a * factor
    }

    #[device]
    pub(super) fn next(n: i32) -> i32 {
        if n < 0 { 0 } else { n + 1 }
    }
}

use shared::{in_group, next};

const OTHER_GROUP: i32 = 7;
const TABLE: [f64; 2] = [0.5, 4.0];

#[kernel]
fn devices(a: Read<2>, n: Read<1, i32>, out: Write<2>, count: Write<2, i32>, c: &Setup) {
    let moved: [f64; 2] = shared::shifted(a, 2, c);
    let first = self::shared::scaled(moved[0], TABLE[0]);
    let inside: bool = in_group(n[0], c);
    let limit: i32 = c.group;
    out[0] = first;
    out[1] = TABLE[1] * shared::scaled(moved[1], c.scale);
    if inside || n[0] == OTHER_GROUP && n[0] > limit {
        out[1] = 0.0;
    }
    count[0] = next(n[0]);
    count[1] = 2 * n[0] - limit;
}

#[test]
fn devices_and_constants_take_their_type_from_where_they_stand() {
    let run = |n| {
        let done = call(devices, ([1.0, 2.0], [n], [f64::NAN; 2], [0; 2]), &SETUP);
        (done.2, done.3)
    };
    assert_eq!(run(4), ([1.125, 57.0], [5, 3]));
    assert_eq!(run(5), ([1.125, 0.0], [6, 5]));
    assert_eq!(run(7), ([1.125, 0.0], [8, 9]));
    assert_eq!(run(-1), ([1.125, 57.0], [0, -7]));
    // in shifted: 2 additions, 2 calls with a product each, ==, one select; here: 2 calls of scaled, one product
    assert_eq!((devices::OPS.add, devices::OPS.mul), (2, 2 + 2 + 1));
    // shifted 2, in_group 1, next 2; here ==, >, one select
    assert_eq!(devices::OPS.compare, 2 + 1 + 2 + 3);
}

#[kernel]
fn globals(a: Read<2>, total: Sum<2>, lowest: Min<1>, highest: Max<2>) {
    for i in 0..2 {
        total[i] += a[i];
        highest[i] = a[i];
    }
    total[1] -= 1.0;
    if a[1] > 0.0 {
        lowest[0] = a[0] * a[1];
    }
}

#[test]
fn global_results_collect_one_element_and_conditional_candidates_stay_unset() {
    let (low, high) = ([f64::INFINITY], [f64::NEG_INFINITY; 2]);
    let done = call(globals, ([3.0, 2.0], [-0.0; 2], low, high), &());
    assert_eq!((done.1, done.2, done.3), ([3.0, 1.0], [6.0], [3.0, 2.0]));
    let done = call(globals, ([3.0, -2.0], [-0.0; 2], low, high), &());
    assert_eq!((done.1, done.2, done.3), ([3.0, -3.0], low, [3.0, -2.0]));
}

#[test]
fn integers_and_masks_work_in_lanes() {
    let n = [Lanes([4, 5, 7, -1])];
    let a = [Lanes([1.0; 4]), Lanes([2.0; 4])];
    let done = call_lanes::<_, Lanes<4>>(devices, (a, n, [Lanes([0.0; 4]); 2], [Lanes([0; 4]); 2]), &SETUP);
    assert_eq!(done.2[1], Lanes([57.0, 0.0, 0.0, 57.0]));
    assert_eq!(done.3, [Lanes([5, 6, 8, 0]), Lanes([3, 5, 9, -7])]);
}

#[test]
fn a_kernel_names_itself_and_its_parameters_in_order() {
    fn accesses<A: Param, B: Param, C: Param, D: Param, K: Kernel<Params = (A, B, C, D)>>(
        _: fn() -> K,
    ) -> [(Access, usize); 4] {
        [(A::ACCESS, A::DIM), (B::ACCESS, B::DIM), (C::ACCESS, C::DIM), (D::ACCESS, D::DIM)]
    }
    assert_eq!(globals::NAME, "globals");
    assert_eq!(globals::ARGUMENT_NAMES, ["a", "total", "lowest", "highest"]);
    assert_eq!(accesses(globals), [(Access::Read, 2), (Access::Sum, 2), (Access::Min, 1), (Access::Max, 2)]);
    assert_eq!(accesses(devices)[3], (Access::Write, 2));
}

/// One value a component, with both signs; `c` and `d` too, in a loop with a variable of its own.
#[kernel]
fn fluxes(q: Read<2>, a: Inc<2>, b: Inc<2>, c: Inc<2>, d: Inc<2>) {
    let f = q[0] * q[1];
    b[1] += f;
    a[1] -= f;
    for i in 0..2 {
        let g = 3.0 * q[i];
        c[1 - i] -= g;
        d[1 - i] += g;
    }
    a[0] += q[0];
    b[0] -= q[0];
}

/// Nothing here is certain to be the negative of anything else.
#[kernel]
fn not_opposite(
    q: Read<2>,
    a: Inc<2>,
    twice: Inc<2>,
    partly: Inc<2>,
    same: Inc<2>,
    sometimes: Inc<2>,
    exchanged: Inc<2>,
    out: Write<2>,
) {
    let mut f = q[0];
    for i in 0..2 {
        let g = 3.0 * q[i];
        a[i] += g;
        same[i] += g;
        twice[i] -= g;
        exchanged[1 - i] -= g;
        out[i] = -g;
    }
    twice[0] += f;
    f = f + 1.0;
    twice[0] -= f;
    partly[0] -= q[0];
    if q[0] > 0.0 {
        sometimes[0] -= q[0];
        sometimes[1] -= q[1];
    }
}

/// A variable that is changed between the two.
#[kernel]
fn changed(q: Read<1>, a: Inc<1>, b: Inc<1>) {
    let mut f = q[0];
    a[0] += f;
    f = f + 1.0;
    b[0] -= f;
}

/// Sums whose terms cancel are +0 with either sign.
#[kernel]
fn cancelling(q: Read<1>, a: Inc<1>, b: Inc<1>) {
    let f = q[0];
    a[0] += f;
    a[0] -= f;
    b[0] -= f;
    b[0] += f;
}

/// Another number of components.
#[kernel]
fn longer(q: Read<2>, a: Inc<1>, b: Inc<2>) {
    let f = q[0];
    let g = q[1];
    a[0] += f;
    b[0] -= f;
    b[1] -= g;
}

#[test]
fn increments_that_are_exact_negatives_are_known() {
    assert_eq!(fluxes::ROW_SOURCES, [0, 1, 1, 3, 3]);
    let [q, start] = [[0.5, -0.0], [-0.0; 2]];
    let done = call(fluxes, (q, start, start, start, start), &());
    assert_eq!(bits(done.1), bits(done.2.map(|x: f64| -x)));
    assert_eq!(bits(done.3), bits(done.4.map(|x: f64| -x)));
    for own in [not_opposite::ROW_SOURCES, changed::ROW_SOURCES, cancelling::ROW_SOURCES, longer::ROW_SOURCES]
    {
        assert!(own.iter().enumerate().all(|(number, source)| *source == number), "{own:?}");
    }
    let (_, a, b) = call(cancelling, ([2.0], [-0.0], [-0.0]), &());
    assert_eq!((bits(a), bits(b)), (bits([0.0]), bits([0.0])));
}

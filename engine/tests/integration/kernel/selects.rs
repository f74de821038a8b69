//! `if` as a select: both branches are evaluated, the condition decides lane by lane.

use cfd_engine::prelude::*;
use proptest::prelude::*;

use super::{bits, call, call_lanes, into_lanes, lane};

#[kernel]
fn nested(a: Read<3>, out: Rw<3>) {
    let mut sign = 0.0;
    let mut seen = [0.0; 2];
    if a[0] > 0.0 {
        sign = 1.0;
        if a[1] >= a[2] {
            seen[0] = a[1];
            out[0] *= 2.0;
        } else {
            seen[1] = a[2];
        }
    } else if a[0] < -1.0 {
        let local = a[1] * a[2];
        sign = -1.0;
        seen = [local, -local];
    }
    out[1] = sign;
    out[2] = seen[0] - seen[1];
}

fn nested_by_hand(a: [f64; 3], mut out: [f64; 3]) -> [f64; 3] {
    let mut sign = 0.0;
    let mut seen = [0.0; 2];
    if a[0] > 0.0 {
        sign = 1.0;
        if a[1] >= a[2] {
            seen[0] = a[1];
            out[0] *= 2.0;
        } else {
            seen[1] = a[2];
        }
    } else if a[0] < -1.0 {
        sign = -1.0;
        seen = [a[1] * a[2], -(a[1] * a[2])];
    }
    out[1] = sign;
    out[2] = seen[0] - seen[1];
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn nested_ifs_select_lane_by_lane_what_branches_would_compute(
        a in proptest::array::uniform4(proptest::array::uniform3(-2.0..2.0f64)),
        start in proptest::array::uniform3(-2.0..2.0f64),
    ) {
        let lanes = call_lanes(nested, (into_lanes(a), into_lanes([start; 4])), &()).1;
        for (l, a) in a.into_iter().enumerate() {
            let expected = bits(nested_by_hand(a, start));
            prop_assert_eq!(bits(call(nested, (a, start), &()).1), expected);
            prop_assert_eq!(bits(lane(lanes, l)), expected);
        }
    }
}

#[kernel]
fn loop_in_a_branch(a: Read<4>, limit: Read<1>, out: Write<4>, largest: Max<1>) {
    if a[0] < limit[0] {
        let mut running = 0.0;
        for i in 0..4 {
            running += a[i];
            out[i] = running;
        }
    } else {
        for i in 0..4 {
            out[3 - i] = a[i];
            largest[0] = a[i];
        }
    }
}

#[test]
fn loops_in_branches_assign_through_the_same_select() {
    let a = [1.0, 2.0, 3.0, 4.0];
    let unset = f64::NEG_INFINITY;
    let done = call(loop_in_a_branch, (a, [2.0], [f64::NAN; 4], [unset]), &());
    assert_eq!((done.2, done.3), ([1.0, 3.0, 6.0, 10.0], [unset]));
    let done = call(loop_in_a_branch, (a, [1.0], [f64::NAN; 4], [unset]), &());
    assert_eq!((done.2, done.3), ([4.0, 3.0, 2.0, 1.0], [4.0]));
    // 1 comparison, 4 + 1 selected components
    assert_eq!(loop_in_a_branch::OPS.compare, 6);
}

#[kernel]
fn selected_values(a: Read<2>, n: Read<1, i32>, out: Write<4>, m: Write<1, i32>) {
    let larger = if a[0] < a[1] { a[1] } else { a[0] };
    let ordered = if a[0] < a[1] {
        a
    } else {
        let swapped = [a[1], a[0]];
        swapped
    };
    let two = n[0] == 2;
    let either = if two { a[0] > 0.0 } else { true };
    out[0] = larger;
    out[1] = ordered[0];
    out[2] = ordered[1];
    out[3] = if either && !(a[1] == 7.0) || false { 1.0 } else { 0.0 };
    m[0] = if two { n[0] * 10 } else { n[0] - 1 };
}

#[test]
fn ifs_that_give_values_select_numbers_arrays_integers_and_truth() {
    let run = |a, n| {
        let done = call(selected_values, (a, [n], [f64::NAN; 4], [0]), &());
        (done.2, done.3[0])
    };
    assert_eq!(run([1.0, 2.0], 2), ([2.0, 1.0, 2.0, 1.0], 20));
    assert_eq!(run([3.0, 2.0], 2), ([3.0, 2.0, 3.0, 1.0], 20));
    assert_eq!(run([-3.0, 2.0], 2), ([2.0, -3.0, 2.0, 0.0], 20));
    assert_eq!(run([-3.0, 2.0], 5), ([2.0, -3.0, 2.0, 1.0], 4));
    assert_eq!(run([-3.0, 7.0], 5), ([7.0, -3.0, 7.0, 0.0], 4));
    // < twice, ==, >, ==; selects: larger, 2 of ordered, out[3], m; truth values are free
    assert_eq!(selected_values::OPS.compare, 5 + 5);
}

#[kernel]
fn comparisons(a: Read<1>, b: Read<1>, out: Write<6>) {
    let results = [a[0] < b[0], a[0] <= b[0], a[0] > b[0], a[0] >= b[0], a[0] == b[0], a[0] != b[0]];
    for i in 0..6 {
        out[i] = if results[i] { 1.0 } else { 0.0 };
    }
}

#[test]
fn comparisons_are_those_of_ieee_754_with_nan_and_signed_zero() {
    let values = [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for a in values {
        for b in values {
            let expected =
                [a < b, a <= b, a > b, a >= b, a == b, a != b].map(|truth| f64::from(u8::from(truth)));
            assert_eq!(call(comparisons, ([a], [b], [f64::NAN; 6]), &()).2, expected, "{a} and {b}");
        }
    }
}
